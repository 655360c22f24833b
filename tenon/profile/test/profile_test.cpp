#include "tenon/profile/build.h"
#include "tenon/profile/calls.h"
#include "tenon/profile/machine.h"
#include "tenon/profile/machine_loops.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <nlohmann/json.hpp>

#include <numeric>

namespace tenon::profile {
namespace {

using std::chrono::nanoseconds;
using ::testing::HasSubstr;
using trace::Label;
using xla::KernelProfile;
using xla::Profile;

Label kernelLabel(const std::string &name, double flops, double bytes, const std::string &source = "/home/me/a.py:4",
                  int64_t phases = 1) {
  Label label;
  label.name = name + " (a.py:4)";
  label.details = {{"hlo_module", "jit_f"},  {"hlo_op", name},      {"kind", "loop"},  {"ops", "add,mul"},
                   {"tf_op", "jit(f)/add"},  {"source", source},    {"flops", flops},  {"bytes_accessed", bytes},
                   {"transcendentals", 3.0}, {"arithmetic", "f32"}, {"phases", phases}};
  label.kind = Label::Kind::kKernel;
  return label;
}

const Label kRun = {"run jit_f", {}, Label::Kind::kRun};
const Label kRoutine = {"sort", {{"hlo_op", "sort"}, {"kind", "library"}}, Label::Kind::kRuntimeCall};
const Label kCopy = {"copy", {{"hlo_op", "copy"}, {"kind", "copy"}}, Label::Kind::kRuntimeCall};
const Label kCompile = {"compile", {}};

// 1 byte and 2 operations a nanosecond, of caches 4 bytes.
xla::MachineLimits machineOf(int threads) {
  xla::MachineLimits machine;
  machine.threads = threads;
  machine.bandwidths = {{1 << 10, 2e9, 4e9}, {1 << 20, 1e9, 1e9}};
  machine.throughputs = {{"f64", 1e9, 1e9}, {"f32", 1e9, 2e9}, {"i8", 4e9, 8e9}};
  return machine;
}

const KernelProfile &find(const Profile &profile, const std::string &name) {
  for (const KernelProfile &kernel : profile.kernels)
    if (kernel.name == name)
      return kernel;
  ADD_FAILURE() << "no kernel " << name;
  static const KernelProfile none;
  return none;
}

TEST(Profile, AddsUpTheCallsOfAKernel) {
  Label label = kernelLabel("k", 1000, 4 << 20);
  // Two calls on two threads, the second one on the caller's alone.
  std::vector<trace::ThreadEvents> threads = {
      {1, "main", {{&label, 100, 200, -1, 1}, {&label, 300, 400, -1, 2}, {&kRun, 50, 450}}, 2},
      {2, "worker", {{&label, 120, 220, -1, 1}}, 1}};
  Profile profile = profileOf(threads, machineOf(2));
  EXPECT_EQ(profile.runs, 1);
  EXPECT_EQ(profile.run_time, nanoseconds(400));
  EXPECT_EQ(profile.between, nanoseconds(400 - 120 - 100));
  EXPECT_DOUBLE_EQ(profile.waiting, 1 - 300.0 / 800);
  EXPECT_EQ(profile.dropped_events, 3);
  ASSERT_EQ(profile.kernels.size(), 1u);
  const KernelProfile &kernel = profile.kernels[0];
  EXPECT_EQ(kernel.program, "jit_f");
  EXPECT_EQ(kernel.name, "k");
  EXPECT_EQ(kernel.source, "/home/me/a.py:4");
  EXPECT_EQ(kernel.calls, 2);
  EXPECT_EQ(kernel.threads, 2);
  EXPECT_EQ(kernel.total, nanoseconds(220));
  EXPECT_EQ(kernel.shortest, nanoseconds(100));
  EXPECT_EQ(kernel.busy, nanoseconds(300));
  EXPECT_DOUBLE_EQ(kernel.Waiting(2), 1 - 300.0 / 440);
  EXPECT_DOUBLE_EQ(kernel.FlopsPerSecond(), 2000 / 220e-9);
  EXPECT_DOUBLE_EQ(kernel.BytesPerSecond(), 2.0 * (4 << 20) / 220e-9);
  EXPECT_TRUE(kernel.is_bound_by_memory);
  EXPECT_DOUBLE_EQ(kernel.limit.count(), 4 << 20);
  ASSERT_EQ(profile.threads.size(), 2u);
  EXPECT_EQ(profile.threads[0].events[0].kernel, 0);
  EXPECT_EQ(profile.threads[0].events[2].kernel, -1);
  EXPECT_EQ(profile.threads[1].name, "worker");
}

TEST(Profile, TheLimitIsThatOfTheTypeAndTheWorkingSet) {
  xla::MachineLimits machine = machineOf(2);
  EXPECT_EQ(machine.BandwidthOf(100), 4e9);
  EXPECT_EQ(machine.BandwidthOf(1 << 19), 4e9);
  EXPECT_EQ(machine.BandwidthOf(1 << 20), 1e9);
  EXPECT_EQ(machine.ThroughputOf("f32"), 2e9);
  EXPECT_EQ(machine.ThroughputOf("ui8"), 8e9);
  EXPECT_EQ(machine.ThroughputOf("i64"), 1e9);
  EXPECT_EQ(machine.ThroughputOf("bf16"), 2e9) << "without instructions of its own";
  machine.throughputs.push_back({"bf16", 5e8, 5e8});
  EXPECT_EQ(machine.ThroughputOf("bf16"), 2e9) << "which may be slower than f32";
  EXPECT_EQ(xla::MachineLimits().ThroughputOf("f32"), 0);
  EXPECT_EQ(xla::MachineLimits().BandwidthOf(1), 0);

  Label label = kernelLabel("k", 1e6, 4000);
  Profile profile = profileOf({{1, "main", {{&label, 0, 1'000'000, -1, 1}}, 0}}, machine);
  EXPECT_FALSE(profile.kernels[0].is_bound_by_memory);
  EXPECT_DOUBLE_EQ(profile.kernels[0].limit.count(), 1e6 / 2);
  EXPECT_DOUBLE_EQ(profile.kernels[0].ShareOfLimit(), 0.5);
}

TEST(Profile, PhasesAreOneCall) {
  Label label = kernelLabel("k", 1000, 1000, "", 2);
  Profile profile =
      profileOf({{1,
                  "main",
                  {{&label, 0, 10, -1, 1}, {&label, 10, 40, -1, 2}, {&label, 50, 60, -1, 3}, {&label, 60, 100, -1, 4}},
                  0}},
                machineOf(1));
  EXPECT_EQ(profile.kernels[0].calls, 2);
  EXPECT_EQ(profile.kernels[0].total, nanoseconds(90));
  EXPECT_EQ(profile.kernels[0].shortest, nanoseconds(45));
}

TEST(Profile, RowsAreKernelsForALine) {
  Label first = kernelLabel("k", 1, 1), same = kernelLabel("k", 1, 1),
        other = kernelLabel("k", 1, 1, "/home/me/a.py:5");
  Profile profile = profileOf(
      {{1, "main", {{&first, 0, 10, -1, 1}, {&same, 10, 20, -1, 2}, {&other, 20, 50, -1, 3}, {&kRoutine, 60, 65}}, 0}},
      machineOf(1));
  ASSERT_EQ(profile.kernels.size(), 3u);
  EXPECT_EQ(profile.kernels[0].source, "/home/me/a.py:5") << "the most time first";
  EXPECT_EQ(profile.kernels[0].calls, 1);
  EXPECT_EQ(profile.kernels[1].calls, 2);
  EXPECT_EQ(profile.kernels[2].kind, "library");
  EXPECT_EQ(profile.kernels[2].limit.count(), 0);
  EXPECT_EQ(profile.kernels[2].threads, 0);
  EXPECT_EQ(profile.kernels[2].Waiting(2), 0);
  EXPECT_EQ(profile.kernels[2].ShareOfLimit(), 0);
  EXPECT_EQ(profile.threads[0].events[2].kernel, 0);
  EXPECT_EQ(profile.threads[0].events[3].kernel, 2);
}

TEST(Profile, CopiesReadAndWrite) {
  Profile profile = profileOf({{1, "main", {{&kCopy, 0, 10, 64}, {&kCopy, 20, 50, 128}}, 0}}, machineOf(1));
  EXPECT_EQ(find(profile, "copy").calls, 2);
  EXPECT_DOUBLE_EQ(find(profile, "copy").bytes_accessed, 192);
}

TEST(Profile, RunsInsideARunAreParts) {
  // A routine that runs two programs on two threads, another run at the same time, and one after.
  Profile profile = profileOf({{1, "main", {{&kRun, 10, 20}, {&kRun, 0, 100}, {&kRun, 200, 250}}, 0},
                               {2, "other", {{&kRun, 12, 30}, {&kRun, 90, 120}, {&kCompile, 150, 170}}, 0}},
                              machineOf(2));
  EXPECT_EQ(profile.runs, 3);
  EXPECT_EQ(profile.run_time, nanoseconds(120 + 50));
  EXPECT_EQ(profile.between, profile.run_time);
  EXPECT_EQ(profile.waiting, 1);
}

TEST(Profile, NothingRecorded) {
  Profile profile = profileOf({}, machineOf(1));
  EXPECT_EQ(profile.runs, 0);
  EXPECT_EQ(profile.waiting, 0);
  EXPECT_THAT(profile.ToText(), HasSubstr("0 runs"));
  EXPECT_EQ(nlohmann::json::parse(profile.ToTrace())["traceEvents"].size(), 0u);
  EXPECT_THAT(profile.ToHtml(), HasSubstr("</html>"));
}

Profile sample() {
  static const Label label = kernelLabel("k</script>", 1000, 4000, "/home/me/\xff.py:4");
  return profileOf({{7, "main", {{&label, 1000, 3000, -1, 1}, {&kRoutine, 3500, 3600}, {&kRun, 500, 4500}}, 0},
                    {8, "worker", {{&label, 1500, 3000, -1, 1}}, 0}},
                   machineOf(2));
}

TEST(Profile, Text) {
  std::string text = sample().ToText();
  EXPECT_THAT(text, HasSubstr("1 run, 4.00 us; between kernels 1.90 us; threads wait 54 % of the time"));
  EXPECT_THAT(text, HasSubstr("50 %  2.00 us      1  2.00 us  2 GB/s  500 MFLOP/s  50 % mem     12 %"));
  EXPECT_THAT(text, HasSubstr("2 GFLOP/s (1 GFLOP/s) of f32"));
  EXPECT_THAT(text, HasSubstr("1 GB/s (1 GB/s) from 1024 KiB"));
}

TEST(Profile, Json) {
  nlohmann::json json = nlohmann::json::parse(sample().ToJson());
  EXPECT_EQ(json["runs"], 1);
  EXPECT_EQ(json["machine"]["throughputs"][1]["all_threads"], 2e9);
  ASSERT_EQ(json["kernels"].size(), 2u);
  EXPECT_EQ(json["kernels"][0]["name"], "k</script>");
  EXPECT_EQ(json["kernels"][0]["source"], "/home/me/\xEF\xBF\xBD.py:4");
  EXPECT_EQ(json["kernels"][0]["total_ns"], 2000);
  EXPECT_EQ(json["kernels"][0]["bound_by"], "memory");
  EXPECT_TRUE(json["kernels"][1]["share_of_limit"].is_null());
  EXPECT_TRUE(json["kernels"][1]["waiting"].is_null());
}

TEST(Profile, TraceHasEveryEvent) {
  nlohmann::json json = nlohmann::json::parse(sample().ToTrace());
  std::map<std::string, int> names;
  for (const auto &event : json["traceEvents"])
    ++names[event["ph"] == "M" ? "thread " + event["args"]["name"].get<std::string>()
                               : event["name"].get<std::string>()];
  EXPECT_EQ(names,
            (std::map<std::string, int>{
                {"thread main", 1}, {"thread worker", 1}, {"k</script> (a.py:4)", 2}, {"sort", 1}, {"run jit_f", 1}}));
  const auto &kernel = json["traceEvents"][1];
  EXPECT_EQ(kernel["tid"], 7);
  EXPECT_EQ(kernel["ts"], 0.5) << "since the first event";
  EXPECT_EQ(kernel["dur"], 2);
  EXPECT_EQ(kernel["args"]["kernel"], "k</script>");
}

TEST(Profile, PageHoldsTheDataAndLoadsNothing) {
  std::string page = sample().ToHtml();
  size_t begin = page.find("id=\"data\">") + 10, end = page.find("</script>", begin);
  nlohmann::json data = nlohmann::json::parse(page.substr(begin, end - begin));
  EXPECT_EQ(data["kernels"][0]["name"], "k</script>");
  ASSERT_EQ(data["timeline"]["events"].size(), 4u);
  EXPECT_EQ(data["timeline"]["events"][0], nlohmann::json({0, -1, 0, 0, 4000}));
  EXPECT_EQ(data["timeline"]["events"][1], nlohmann::json({0, 0, 1, 500, 2000}));
  EXPECT_EQ(page.find("http", page.find("<script>")), page.find("http://www.w3.org/2000/svg", page.find("<script>")));
}

TEST(Profiler, OneAtATime) {
  {
    auto first = xla::Profiler::Start();
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(xla::Profiler::Start().status().code(), StatusCode::kFailedPrecondition);
    trace::Span span("inside");
  }
  auto second = xla::Profiler::Start();
  ASSERT_TRUE(second.ok()) << "the first has ended with its object";
  {
    trace::Span span("inside");
  }
  Profile profile = (*second)->Stop();
  trace::Span after("after");
  ASSERT_EQ(profile.threads.size(), 1u);
  ASSERT_EQ(profile.threads[0].events.size(), 1u);
  EXPECT_EQ(profile.threads[0].events[0].name, "inside");
  EXPECT_EQ(&xla::GetMachineLimits(), &xla::GetMachineLimits());
}

TEST(Machine, LimitsAreMeasured) {
  xla::MachineLimits limits = measureMachine(2);
  EXPECT_EQ(limits.threads, 2);
  ASSERT_GE(limits.throughputs.size(), 2u);
  EXPECT_EQ(limits.throughputs[0].type, "f64");
  EXPECT_EQ(limits.throughputs[1].type, "f32");
  for (const auto &throughput : limits.throughputs)
    EXPECT_TRUE(throughput.one_thread > 0 && throughput.all_threads >= throughput.one_thread) << throughput.type;
  ASSERT_FALSE(limits.bandwidths.empty());
  for (size_t i = 0; i < limits.bandwidths.size(); ++i) {
    EXPECT_GT(limits.bandwidths[i].one_thread, 0);
    EXPECT_GT(limits.bandwidths[i].all_threads, 0);
    if (i > 0) {
      EXPECT_GT(limits.bandwidths[i].working_set, limits.bandwidths[i - 1].working_set);
      EXPECT_LE(limits.bandwidths[i].all_threads, limits.bandwidths[i - 1].all_threads);
    }
  }
}

// The loops compute what they say: in the machine's widest instructions, and in those that every machine has.
TEST(Machine, LoopsCompute) {
  std::vector<float> storage(4 * 256 + 16, 0);
  auto *memory = reinterpret_cast<float *>((reinterpret_cast<uintptr_t>(storage.data()) + 63) & ~uintptr_t{63});
  std::iota(memory, memory + 768, 0.0f);
  for (const MachineLoops *loops : {&machineLoops(), &base::kLoops}) {
    EXPECT_EQ(loops->f32.flopsOfRound, 2 * loops->f64.flopsOfRound);
    loops->memory.triad(memory, memory + 256, memory + 512, 256);
    EXPECT_EQ(memory[255], 511 + 3 * 767);
    EXPECT_EQ(memory[256], 256);
  }
}

TEST(Calls, RatesOfOnePhaseAreUnknown) {
  Label one = kernelLabel("k", 100, 200), two = kernelLabel("k", 100, 200, "", 2);
  auto calls = kernelCalls({{1, "main", {{&one, 0, 10, -1, 5}, {&two, 0, 10, -1, 6}}, 0}});
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_DOUBLE_EQ(flopsPerSecond(calls[5]), 1e10);
  EXPECT_DOUBLE_EQ(bytesPerSecond(calls[5]), 2e10);
  EXPECT_EQ(flopsPerSecond(calls[6]), 0);
  EXPECT_DOUBLE_EQ(shareOfLimit(calls[5], machineOf(1)), 5) << "50 ns of 200 bytes in a cache and of 100 operations";
  EXPECT_EQ(shareOfLimit(calls[6], machineOf(1)), 0);
}

} // namespace
} // namespace tenon::profile
