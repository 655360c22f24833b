// Finds programs that the compiler gets wrong: makes random ones, checks each in a process of its own, reduces those
// that fail. See ./dev fuzz.

#include "test/fuzz/arguments.h"
#include "test/fuzz/child.h"
#include "test/fuzz/damage.h"
#include "test/fuzz/generator.h"

#include "tenon/checking/reduce.h"
#include "tenon/frontend/export/export.h"
#include "tenon/ir/register.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace tenon::fuzz;

namespace {

struct Options {
  double seconds = 60;
  uint64_t seed = 1, count = UINT64_MAX;
  int ops = 0, jobs = 1;
  double timeLimit = 60, reduceSeconds = 90;
  std::string program, first, output = "fuzz-findings";
  Setting setting = Setting::kAny;
  Target target = Target::kProcessor;
  uint64_t coverage = 0;
  bool ordinary = false, damaged = false, print = false, reduce = false;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// A damaged program is one of these many that are made of an ordinary one.
constexpr uint64_t kDamages = 16;

// What programs are made of, but for their seed.
struct Recipe {
  int ops = 0;
  std::vector<const Entry *> first; // each program begins with one of them, if there are any
  Setting setting = Setting::kAny;
  Target target = Target::kProcessor; // that they are compiled for
};

mlir::OwningOpRef<mlir::ModuleOp> moduleOf(mlir::MLIRContext &context, uint64_t seed, const Recipe &recipe,
                                           std::string *error = nullptr) {
  tenon::loadAllDialects(context);
  GeneratorOptions options;
  options.seed = seed;
  options.ops = recipe.ops;
  options.first = recipe.first.empty() ? nullptr : recipe.first[seed % recipe.first.size()];
  options.setting = recipe.setting;
  return generate(context, options, error);
}

Finding checkOrdinary(uint64_t seed, const Recipe &recipe, const Child::HandOver &handOver) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string error;
  auto module = moduleOf(context, seed, recipe, &error);
  if (!module)
    return {Finding::Kind::kInvalid, "the generator made an invalid program: " + error};
  std::string program = tenon::frontend::exportText(*module);
  handOver(program);
  return checkProgram(program, seed, Origin::kOrdinary, recipe.target);
}

// Damages the program, a short one so that what is damaged counts, until the damage goes unnoticed.
Finding checkDamaged(uint64_t seed, Recipe recipe, const Child::HandOver &handOver) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  recipe.ops = recipe.ops != 0 ? recipe.ops : static_cast<int>(1 + seed % 8);
  auto module = moduleOf(context, seed, recipe);
  for (uint64_t i = 0; module && i < kDamages; ++i) {
    handOver("");
    std::string program = damagedText(*module, seed * kDamages + i);
    handOver(program);
    Finding finding = checkProgram(program, seed, Origin::kDamaged, recipe.target);
    if (finding.kind != Finding::Kind::kInvalid)
      return finding;
  }
  return {};
}

// Entries of the name that the options give; there may be several.
Recipe recipeOf(const Options &options) {
  Recipe recipe{options.ops, {}, options.setting, options.target};
  for (const Entry &entry : entries())
    if (entry.name == options.first)
      recipe.first.push_back(&entry);
  return recipe;
}

// Empty, or what is wrong with the name of an entry.
std::string checkName(const std::string &name) {
  bool known = llvm::any_of(entries(), [&](const Entry &entry) { return entry.name == name; });
  return known ? "" : "no program is made of '" + name + "'";
}

std::string commented(const std::string &text) {
  std::stringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);)
    result += "// " + line + "\n";
  return result;
}

class Session {
public:
  Session(const Options &options, Origin origin, double seconds)
      : options_(options), recipe_(recipeOf(options)), origin_(origin), seconds_(seconds), start_(now()) {}

  // The number of findings.
  int run() {
    std::vector<std::unique_ptr<Child>> children(options_.jobs);
    std::vector<uint64_t> next;
    for (int job = 0; job < options_.jobs; ++job)
      next.push_back(options_.seed + job);
    while (!isOver()) {
      for (int job = 0; job < options_.jobs; ++job) {
        if (!children[job])
          children[job] = launch(next[job]);
        if (!children[job]->poll(options_.timeLimit))
          continue;
        finished_ += children[job]->done();
        next[job] = children[job]->number() + options_.jobs;
        if (children[job]->finding())
          report(*children[job]);
        children[job].reset();
      }
      uint64_t running = 0;
      for (const auto &child : children)
        running += child ? child->done() : 0;
      showProgress(finished_ + running);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return findings_;
  }

  // Writes what is left of a program when it is made as small as it can be and still fails.
  void keepReduced(std::string program, uint64_t seed, Finding finding) const {
    program = reduceInChild(program, seed, finding);
    if (Finding reduced = check(program, seed, options_.timeLimit); reduced.isLike(finding))
      finding = reduced;
    std::filesystem::create_directories(options_.output);
    bool isDamaged = origin_ == Origin::kDamaged;
    std::string flags = std::string(isDamaged ? " --damaged" : "") +
                        (options_.target == Target::kEmulatedGpu ? " --target emulated" : "");
    std::string path = options_.output + "/" + std::to_string(seed) + (isDamaged ? "-damaged.mlir" : ".mlir");
    std::ofstream(path) << commented(std::string(kindName(finding.kind)) + ": " + finding.message +
                                     "\ntenon_fuzz --program " + path + " --seed " + std::to_string(seed) + flags)
                        << program;
    std::printf("  reduced: %s\n", path.c_str());
    std::fflush(stdout);
  }

private:
  Finding check(const std::string &program, uint64_t seed, double timeLimit) const {
    return checkInChild(program, seed, timeLimit, origin_, options_.target);
  }

  // A child begins afresh after this many programs, so that what they leave in memory does not pile up.
  static constexpr uint64_t kBatch = 200;

  bool isOver() const { return now() - start_ > seconds_ || programs_ >= options_.count; }

  std::unique_ptr<Child> launch(uint64_t first) const {
    return std::make_unique<Child>(first, options_.jobs, std::min(kBatch, options_.count),
                                   [this](uint64_t seed, const Child::HandOver &handOver) {
                                     return origin_ == Origin::kDamaged ? checkDamaged(seed, recipe_, handOver)
                                                                        : checkOrdinary(seed, recipe_, handOver);
                                   });
  }

  void showProgress(uint64_t total) {
    programs_ = total;
    if (now() - lastShown_ < 10)
      return;
    lastShown_ = now();
    double elapsed = now() - start_;
    std::printf("%6.0f s  %llu %sprograms (%.1f/s)  %d findings\n", elapsed, static_cast<unsigned long long>(programs_),
                origin_ == Origin::kDamaged ? "damaged " : "", static_cast<double>(programs_) / elapsed, findings_);
    std::fflush(stdout);
  }

  void report(const Child &child) {
    ++findings_;
    uint64_t seed = child.number();
    std::string program = child.program();
    Finding finding = child.finding();
    std::printf("seed %llu: %s: %s\n", static_cast<unsigned long long>(seed), kindName(finding.kind),
                finding.message.c_str());
    std::fflush(stdout);
    if (!program.empty()) // otherwise the generator failed
      keepReduced(std::move(program), seed, std::move(finding));
  }

  // Reading a program may be what crashes. Then it stays as it is.
  std::string reduceInChild(const std::string &program, uint64_t seed, const Finding &finding) const {
    Child child(seed, 1, 1, [&](uint64_t, const Child::HandOver &handOver) -> Finding {
      auto stillFails = [&](const std::string &candidate) {
        bool fails = check(candidate, seed, std::min(options_.timeLimit, 10.0)).isLike(finding);
        if (fails)
          handOver(candidate);
        return fails;
      };
      auto input = [seed](mlir::RankedTensorType type, uint64_t number) { return makeInput(type, seed, number); };
      tenon::checking::reduceProgram(program, input, stillFails, options_.reduceSeconds);
      return {};
    });
    while (!child.poll(options_.reduceSeconds))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return child.program().empty() ? program : child.program();
  }

  const Options &options_;
  Recipe recipe_;
  Origin origin_;
  double seconds_, start_, lastShown_ = 0;
  uint64_t finished_ = 0, programs_ = 0;
  int findings_ = 0;
};

int checkOne(const Options &options) {
  std::stringstream text;
  text << std::ifstream(options.program).rdbuf();
  Origin origin = options.damaged ? Origin::kDamaged : Origin::kOrdinary;
  Finding finding = checkInChild(text.str(), options.seed, options.timeLimit, origin, options.target);
  std::printf("%s: %s\n", kindName(finding.kind), finding.message.c_str());
  if (options.reduce && finding && finding.kind != Finding::Kind::kInvalid)
    Session(options, origin, 0).keepReduced(text.str(), options.seed, finding);
  bool refused = options.damaged && finding.kind == Finding::Kind::kInvalid;
  return finding && !refused ? 1 : 0;
}

int printOne(const Options &options) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = moduleOf(context, options.seed, recipeOf(options));
  std::fputs(module ? tenon::frontend::exportText(*module).c_str() : "", stdout);
  return module ? 0 : 1;
}

// Which pairs of traits programs have of so many seeds for each op, and which they should have.
int showCoverage(const Options &options) {
  CrossingCoverage coverage = drawCoverage(options.seed, options.coverage);
  for (const std::string &pair : coverage.missing())
    std::printf("missing: %s\n", pair.c_str());
  for (const std::string &pair : coverage.beyondTable())
    std::printf("beyond the table: %s\n", pair.c_str());
  return coverage.missing().empty() ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CLI::App app{"Compares compiled random programs with the interpreter: ordinary ones half of the time, and damaged "
               "ones, which have to be refused or to run as well, the other half.",
               "tenon_fuzz"};
  auto *ordinary = app.add_flag("--ordinary", options.ordinary, "Ordinary programs only");
  app.add_flag("--damaged", options.damaged, "Damaged programs only")->excludes(ordinary);
  app.add_option("--seconds", options.seconds, "How long")->capture_default_str();
  app.add_option("--count", options.count, "How many programs of each kind at most");
  app.add_option("--seed", options.seed, "Of the first program; the others count up")->capture_default_str();
  app.add_option("--ops", options.ops, "About how many ops a program has (0: each another number)");
  app.add_option("--first", options.first, "The op that programs begin with")->check(checkName);
  app.add_option("--jobs", options.jobs, "Processes at a time")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--time-limit", options.timeLimit, "Seconds after which a program hangs")->capture_default_str();
  app.add_option("--reduce-seconds", options.reduceSeconds, "For reducing one finding")->capture_default_str();
  auto *program = app.add_option("--program", options.program, "Check this program only, with the arguments of --seed");
  app.add_flag("--reduce", options.reduce, "Reduce that program, where it fails")->needs(program);
  std::map<std::string, Setting> settings{{"any", Setting::kAny},
                                          {"single-process", Setting::kSingleProcess},
                                          {"grid", Setting::kGrid},
                                          {"unpartitioned", Setting::kUnpartitioned}};
  app.add_option("--setting", options.setting, "What programs run as (any, alone, grid, whole)")
      ->transform(CLI::CheckedTransformer(settings));
  std::map<std::string, Target> targets{{"cpu", Target::kProcessor}, {"emulated", Target::kEmulatedGpu}};
  app.add_option(
         "--target", options.target,
         "What programs are compiled for: this processor, or a GPU that it plays, for which all run alone (cpu, "
         "emulated)")
      ->transform(CLI::CheckedTransformer(targets));
  app.add_option("--coverage", options.coverage,
                 "Run nothing; show which pairs (crossing.h) programs of so many seeds for each op have");
  app.add_flag("--print", options.print, "Print the program of --seed, before any damage, and end");
  app.add_option("--output", options.output, "Folder for reduced programs")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (options.target == Target::kEmulatedGpu)
    options.setting = Setting::kSingleProcess;
  if (options.print)
    return printOne(options);
  if (options.coverage)
    return showCoverage(options);
  if (!options.program.empty())
    return checkOne(options);
  bool both = options.ordinary == options.damaged;
  double seconds = both ? options.seconds / 2 : options.seconds;
  int findings = 0;
  if (!options.damaged)
    findings += Session(options, Origin::kOrdinary, seconds).run();
  if (!options.ordinary)
    findings += Session(options, Origin::kDamaged, seconds).run();
  return findings == 0 ? 0 : 1;
}
