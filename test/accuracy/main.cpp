// Measures the accuracy of the natively compiled elementary functions: see docs/accuracy.md, which scripts/
// accuracy_table.py writes from the results.
//
//   tenon_accuracy --check                       samples, in seconds; fails where a goal is missed
//   tenon_accuracy --results DIR [--exhaustive]  a file for each function and type; what is there already is kept
//   tenon_accuracy --samples DIR                 arguments and exact values of floats, to measure others by
#include "test/accuracy/error.h"
#include "test/accuracy/measure.h"
#include "test/accuracy/real.h"
#include "test/accuracy/samples.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <thread>

using nlohmann::json;

namespace tenon::accuracy {
namespace {

struct Options {
  std::string results, samples;
  std::regex filter;
  bool exhaustive = false, check = false;
  unsigned threads = std::thread::hardware_concurrency();
};

// A measurement to be made, and the errors allowed, of complex numbers also of each part; negative where no goal is
// stated.
struct Job {
  std::string op, type;
  double goal;
  std::function<Record(const Effort &)> measure;
  double partGoal = -1;
};

// Narrow types are computed in float and rounded once: hardly more than half a unit.
double goalOf(const Format &format, double goalF32, double goalF64) {
  return format.name == "f64" ? goalF64 : format.name == "f32" ? goalF32 : std::min(goalF32, 0.51);
}

std::vector<Job> allJobs() {
  std::vector<Job> jobs;
  for (const Format &format : allFormats()) {
    for (const UnaryFunction &f : unaryFunctions())
      jobs.push_back({f.op, format.name, goalOf(format, f.goalF32, f.goalF64),
                      [&](const Effort &effort) { return measureUnary(f, format, effort); }});
    for (const BinaryFunction &f : binaryFunctions())
      jobs.push_back({f.op, format.name, goalOf(format, f.goalF32, f.goalF64),
                      [&](const Effort &effort) { return measureBinary(f, format, effort); }});
  }
  for (bool isDouble : {false, true}) {
    std::string type = isDouble ? "complex<f64>" : "complex<f32>";
    for (const ComplexFunction &f : complexFunctions())
      jobs.push_back({f.op, type, isDouble ? f.goalC128 : f.goalC64,
                      [&f, isDouble](const Effort &effort) { return measureComplex(f, isDouble, effort); },
                      f.eachPart ? 2 * (isDouble ? f.goalC128 : f.goalC64) : -1});
    for (const ComplexBinaryFunction &f : complexBinaryFunctions())
      jobs.push_back({f.op, type, isDouble ? f.goalC128 : f.goalC64,
                      [&f, isDouble](const Effort &effort) { return measureComplexBinary(f, isDouble, effort); }});
  }
  return jobs;
}

// JSON has no infinities and no NaN.
json hexadecimal(const std::vector<double> &values) {
  json texts = json::array();
  for (double value : values) {
    char text[40];
    std::snprintf(text, sizeof text, "%a", value);
    texts.push_back(text);
  }
  return texts;
}

json toJson(const Record &record, double goal) {
  json examples = json::array();
  for (const auto &arguments : record.wrongArguments)
    examples.push_back(hexadecimal(arguments));
  return {{"op", record.op},
          {"type", record.type},
          {"count", record.count},
          {"exhaustive", record.exhaustive},
          {"max_ulp", record.maxUlp},
          {"mean_ulp", record.meanUlp},
          {"max_part_ulp", record.maxPartUlp},
          {"argument", hexadecimal(record.argument)},
          {"wrong", record.wrong},
          {"wrong_arguments", examples},
          {"level_differences", record.levelDifferences},
          {"goal", goal}};
}

bool isMet(const Record &record, const Job &job) {
  bool parts = job.partGoal < 0 || record.maxPartUlp <= job.partGoal;
  return record.levelDifferences == 0 && parts && (job.goal < 0 || (record.wrong == 0 && record.maxUlp <= job.goal));
}

void print(const Record &record, const Job &job) {
  std::printf("%-32s %-13s %8.3f ulp, mean %.3f, of %llu", record.op.c_str(), record.type.c_str(), record.maxUlp,
              record.meanUlp, (unsigned long long)record.count);
  auto show = [](const std::vector<double> &arguments) {
    for (double argument : arguments)
      std::printf(" %a", argument);
  };
  if (!record.argument.empty()) {
    std::printf(" at");
    show(record.argument);
  }
  if (record.maxPartUlp > 0)
    std::printf("; parts %.3g", record.maxPartUlp);
  if (record.levelDifferences)
    std::printf("; %llu differ between CPUs", (unsigned long long)record.levelDifferences);
  if (record.wrong) {
    std::printf("; %llu WRONG:", (unsigned long long)record.wrong);
    for (const auto &arguments : record.wrongArguments) {
      std::printf(" (");
      show(arguments);
      std::printf(" )");
    }
  }
  std::printf("%s\n", isMet(record, job) ? "" : "  MISSED");
  std::fflush(stdout);
}

int check(const Options &options) {
  Effort effort{.floatSamples = 1 << 16,
                .exactSamples = 1 << 11,
                .complexSamples = 1 << 8,
                .codeStride = 37,
                .allLevels = false,
                .threads = options.threads};
  bool met = true;
  for (const Job &job : allJobs()) {
    if (job.goal < 0 || !std::regex_search(job.op + " " + job.type, options.filter))
      continue;
    Record record = job.measure(effort);
    if (!isMet(record, job)) {
      print(record, job);
      met = false;
    }
  }
  return met ? 0 : 1;
}

// Whether the file holds a measurement of that effort or more.
bool isDone(const std::filesystem::path &path, bool exhaustive) {
  std::ifstream file(path);
  return file && (!exhaustive || json::parse(file).at("effort") == "exhaustive");
}

int measureAll(const Options &options) {
  Effort effort{.allFloats = options.exhaustive,
                .floatSamples = 1 << 20,
                .exactSamples = size_t(1) << (options.exhaustive ? 18 : 14),
                .complexSamples = size_t(1) << (options.exhaustive ? 15 : 12),
                .threads = options.threads};
  std::filesystem::create_directories(options.results);
  for (const Job &job : allJobs()) {
    if (!std::regex_search(job.op + " " + job.type, options.filter))
      continue;
    std::string name = job.op + "." + job.type;
    std::erase_if(name, [](char c) { return c == '<' || c == '>'; });
    std::filesystem::path path = std::filesystem::path(options.results) / (name + ".json");
    if (isDone(path, options.exhaustive))
      continue;
    Record record = job.measure(effort);
    print(record, job);
    json result = toJson(record, job.goal);
    result["effort"] = options.exhaustive ? "exhaustive" : "sampled";
    std::ofstream(path) << result.dump(1) << "\n";
  }
  return 0;
}

// OP.in: floats; OP.out: doubles.
int writeSamples(const Options &options) {
  std::filesystem::create_directories(options.samples);
  for (const UnaryFunction &function : unaryFunctions()) {
    std::vector<float> samples = hardSamples<float>(function.range, 1 << 14);
    std::vector<double> exact(samples.size());
    Real result;
    for (size_t i = 0; i < samples.size(); ++i) {
      function.exact(result, Real(samples[i], 53));
      exact[i] = mpfr_get_d(result, MPFR_RNDN);
    }
    std::string path = options.samples + "/" + function.op;
    std::ofstream(path + ".in", std::ios::binary).write(reinterpret_cast<char *>(samples.data()), samples.size() * 4);
    std::ofstream(path + ".out", std::ios::binary).write(reinterpret_cast<char *>(exact.data()), exact.size() * 8);
  }
  return 0;
}

} // namespace
} // namespace tenon::accuracy

int main(int argc, char **argv) {
  using namespace tenon::accuracy;
  Options options;
  std::string filter;
  CLI::App app("Measures the accuracy of elementary functions");
  app.add_flag("--check", options.check, "Measure samples; fail where a goal is missed");
  app.add_option("--results", options.results, "Folder for the results, a file for each function and type");
  app.add_flag("--exhaustive", options.exhaustive, "All floats, and more samples of the rest");
  app.add_option("--samples", options.samples, "Folder for arguments and exact values of floats");
  app.add_option("--filter", filter, "Regular expression for \"OP TYPE\"");
  app.add_option("--threads", options.threads, "Threads (default: all)");
  CLI11_PARSE(app, argc, argv);
  options.filter = filter;
  if (options.check)
    return check(options);
  if (!options.results.empty())
    return measureAll(options);
  if (!options.samples.empty())
    return writeSamples(options);
  std::cerr << app.help();
  return 1;
}
