// Finds programs that the compiler gets wrong: makes random ones, checks each in a process of its own, reduces those
// that fail. See ./dev fuzz.

#include "test/fuzz/child.h"
#include "test/fuzz/generator.h"
#include "test/fuzz/reduce.h"

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
  std::string program, output = "fuzz-findings";
  bool print = false;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string programOf(uint64_t seed, int ops) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  tenon::loadAllDialects(context);
  GeneratorOptions options;
  options.seed = seed;
  options.ops = ops;
  auto module = generate(context, options);
  return module ? tenon::frontend::exportText(*module) : "";
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
  explicit Session(const Options &options) : options(options), start(now()) {}

  // The number of findings.
  int run() {
    std::vector<std::unique_ptr<Child>> children(options.jobs);
    std::vector<uint64_t> next;
    for (int job = 0; job < options.jobs; ++job)
      next.push_back(options.seed + job);
    while (!isOver()) {
      for (int job = 0; job < options.jobs; ++job) {
        if (!children[job])
          children[job] = launch(next[job]);
        if (!children[job]->poll(options.timeLimit))
          continue;
        finished += children[job]->done();
        next[job] = children[job]->number() + options.jobs;
        if (children[job]->finding())
          report(*children[job]);
        children[job].reset();
      }
      uint64_t running = 0;
      for (const auto &child : children)
        running += child ? child->done() : 0;
      showProgress(finished + running);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return findings;
  }

private:
  // A child begins afresh after this many programs, so that what they leave in memory does not pile up.
  static constexpr uint64_t kBatch = 200;

  bool isOver() const { return now() - start > options.seconds || programs >= options.count; }

  std::unique_ptr<Child> launch(uint64_t first) const {
    return std::make_unique<Child>(first, options.jobs, std::min(kBatch, options.count),
                                   [this](uint64_t seed, const Child::HandOver &handOver) -> Finding {
                                     std::string program = programOf(seed, options.ops);
                                     if (program.empty())
                                       return {Finding::Kind::kInvalid, "the generator made an invalid program"};
                                     handOver(program);
                                     return checkProgram(program, seed);
                                   });
  }

  void showProgress(uint64_t total) {
    programs = total;
    if (now() - lastShown < 10)
      return;
    lastShown = now();
    double elapsed = now() - start;
    std::printf("%6.0f s  %llu programs (%.1f/s)  %d findings\n", elapsed, static_cast<unsigned long long>(programs),
                static_cast<double>(programs) / elapsed, findings);
    std::fflush(stdout);
  }

  void report(const Child &child) {
    ++findings;
    uint64_t seed = child.number();
    std::string program = child.program();
    Finding finding = child.finding();
    std::printf("seed %llu: %s: %s\n", static_cast<unsigned long long>(seed), kindName(finding.kind),
                finding.message.c_str());
    std::fflush(stdout);
    if (program.empty()) // the generator failed
      return;
    std::string reduced = reduceProgram(
        program, seed,
        [&](const std::string &candidate) {
          Finding now = checkInChild(candidate, seed, std::min(options.timeLimit, 10.0));
          if (!now.isLike(finding))
            return false;
          finding.message = now.message;
          return true;
        },
        options.reduceSeconds);
    std::filesystem::create_directories(options.output);
    std::string path = options.output + "/" + std::to_string(seed) + ".mlir";
    std::ofstream(path) << commented(std::string(kindName(finding.kind)) + ": " + finding.message +
                                     "\ntenon_fuzz --program " + path + " --seed " + std::to_string(seed))
                        << reduced;
    std::printf("  reduced: %s\n", path.c_str());
    std::fflush(stdout);
  }

  const Options &options;
  double start, lastShown = 0;
  uint64_t finished = 0, programs = 0;
  int findings = 0;
};

int checkOne(const Options &options) {
  std::stringstream text;
  text << std::ifstream(options.program).rdbuf();
  Finding finding = checkInChild(text.str(), options.seed, options.timeLimit);
  std::printf("%s: %s\n", kindName(finding.kind), finding.message.c_str());
  return finding ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CLI::App app{"Compares compiled random programs with the interpreter.", "tenon_fuzz"};
  app.add_option("--seconds", options.seconds, "How long")->capture_default_str();
  app.add_option("--count", options.count, "How many programs at most");
  app.add_option("--seed", options.seed, "Of the first program; the others count up")->capture_default_str();
  app.add_option("--ops", options.ops, "About how many ops a program has (0: each another number)");
  app.add_option("--jobs", options.jobs, "Processes at a time")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--time-limit", options.timeLimit, "Seconds after which a program hangs")->capture_default_str();
  app.add_option("--reduce-seconds", options.reduceSeconds, "For reducing one finding")->capture_default_str();
  app.add_option("--program", options.program, "Check this program only, with the arguments of --seed");
  app.add_flag("--print", options.print, "Print the program of --seed and end");
  app.add_option("--output", options.output, "Folder for reduced programs")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (options.print) {
    std::fputs(programOf(options.seed, options.ops).c_str(), stdout);
    return 0;
  }
  if (!options.program.empty())
    return checkOne(options);
  return Session(options).run() == 0 ? 0 : 1;
}
