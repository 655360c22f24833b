#include "tenon/runtime/core/loaded_program.h"

#include "tenon/runtime/core/memory.h"
#include "tenon/runtime/core/signals.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/support/trace.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstring>
#include <map>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace tenon::runtime {
namespace {

using program::ElementType;
using program::Program;
using program::RuntimeCall;
using testing::HasSubstr;

// Entry functions written by hand, as generated code would be.

void doubleKernel(void *const *buffers, int64_t begin, int64_t end, void *scratch) {
  const float *in = static_cast<const float *>(buffers[0]);
  float *out = static_cast<float *>(buffers[1]);
  float *temporary = static_cast<float *>(scratch);
  for (int64_t i = begin; i < end; ++i) {
    temporary[i % 16] = in[i] * 2;
    out[i] = temporary[i % 16];
  }
}

// result = 2 * argument + constant, through the arena.
int32_t doubleEntry(TenonContext *context, void *const *arguments, void *const *results, void *arena,
                    const void *const *constants) {
  void *buffers[] = {arguments[0], arena};
  tenon_parallel_for(context, doubleKernel, buffers, 1000, 0);
  const float *doubled = static_cast<const float *>(arena);
  for (int i = 0; i < 1000; ++i)
    static_cast<float *>(results[0])[i] = doubled[i] + static_cast<const float *>(constants[0])[0];
  return 0;
}

int32_t failingEntry(TenonContext *context, void *const *, void *const *, void *, const void *const *) {
  tenon_fail(context, "shape assertion failed");
  tenon_fail(context, "a later error");
  return 1;
}

int32_t runtimeCallEntry(TenonContext *context, void *const *arguments, void *const *results, void *,
                         const void *const *) {
  return tenon_runtime_call(context, 0, arguments, results);
}

int32_t missingRuntimeCallEntry(TenonContext *context, void *const *, void *const *, void *, const void *const *) {
  return tenon_runtime_call(context, 7, nullptr, nullptr);
}

Program vectorProgram() {
  Program program;
  program.name = "test";
  program.arguments.emplace_back().shape = {ElementType::kF32, {1000}};
  program.results.emplace_back().shape = {ElementType::kF32, {1000}};
  float three = 3;
  program.constants.push_back({program::AlignedBytes(4)});
  std::memcpy(program.constants[0].bytes.data(), &three, 4);
  program.arenaBytes = 4000;
  cpuCode(program).scratchBytes = 100;
  return program;
}

RuntimeCall customCall(const std::string &target) {
  RuntimeCall runtimeCall;
  runtimeCall.kind = RuntimeCall::Kind::kCustomCall;
  runtimeCall.target = target;
  runtimeCall.location = "model.py:12:5";
  runtimeCall.operands = {{ElementType::kF32, {1000}}};
  runtimeCall.results = {{ElementType::kF32, {1000}}};
  return runtimeCall;
}

Status runOnce(LoadedProgram &program, std::vector<float> &in, std::vector<float> &out) {
  const void *arguments[] = {in.data()};
  void *results[] = {out.data()};
  return program.run(arguments, results);
}

TEST(LoadedProgram, Runs) {
  auto loaded = LoadedProgram::create(vectorProgram(), doubleEntry, nullptr);
  ASSERT_TRUE(loaded.ok());
  std::vector<float> in(1000), out(1000);
  std::iota(in.begin(), in.end(), 0.0f);
  Status status = runOnce(**loaded, in, out);
  ASSERT_TRUE(status.ok()) << status.message();
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(out[i], 2 * in[i] + 3);
}

// y = 2 x into the arena, then 2 of that, which a local pointer leads to, into the result, in two phases.
void halfDoubleKernel(void *const *buffers, int64_t begin, int64_t end, void *) {
  auto *in = static_cast<const float *>(buffers[0]);
  auto *out = static_cast<float *>(buffers[1]);
  for (int64_t i = begin; i < end; ++i)
    out[i + 500] = 2 * in[i + 500];
}

int32_t listEntry(TenonContext *context, void *const *arguments, void *const *results, void *arena,
                  const void *const *) {
  void *const locals[] = {nullptr, arena};
  auto base = [](void *const *table) { return static_cast<void *>(const_cast<void **>(table)); };
  void *const bases[] = {arena, base(arguments), base(results), nullptr, base(locals)};
  const TenonKernelCall calls[] = {
      {doubleKernel, 1000, 0, 1, 2, 1}, {doubleKernel, 500, 1, 0, 2, 1}, {halfDoubleKernel, 500, 1, 1, 0, 1}};
  const int64_t places[] = {TENON_PLACE(TENON_ARGUMENTS, 0), TENON_PLACE(TENON_ARENA, 0), TENON_PLACE(TENON_LOCALS, 1),
                            TENON_PLACE(TENON_RESULTS, 0)};
  void *buffers[2];
  tenon_call_kernels(context, calls, 3, places, bases, buffers);
  return 0;
}

TEST(LoadedProgram, CallsWhatIsListed) {
  Program program = vectorProgram();
  program.arenaBytes = 4096;
  auto loaded = LoadedProgram::create(std::move(program), listEntry, nullptr);
  ASSERT_TRUE(loaded.ok());
  std::vector<float> in(1000), out(1000);
  std::iota(in.begin(), in.end(), 0.0f);
  ASSERT_TRUE(runOnce(**loaded, in, out).ok());
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(out[i], 4 * in[i]);
}

// The results are 1 more than they were, so each element that is computed twice, or not at all, is seen.
void countKernel(void *const *buffers, int64_t begin, int64_t end, void *) {
  auto *out = static_cast<float *>(buffers[0]);
  for (int64_t i = begin; i < end; ++i)
    out[i] += 1;
}

// Three calls together that count in parts of the arena, with 0, 400 and 7 tasks before theirs; then one that doubles
// all of it into the result.
int32_t togetherEntry(TenonContext *context, void *const *arguments, void *const *results, void *arena,
                      const void *const *) {
  std::memcpy(arena, arguments[0], 4000);
  auto base = [](void *const *table) { return static_cast<void *>(const_cast<void **>(table)); };
  void *const bases[] = {arena, base(arguments), base(results), nullptr, nullptr};
  const TenonKernelCall calls[] = {{countKernel, 400, 0, TENON_LONG, 1, 3},
                                   {countKernel, 7, 1, TENON_ALONE, 1, 1},
                                   {countKernel, 500, 0, TENON_ALONE, 1, 1},
                                   {doubleKernel, 1000, 1, TENON_SHARED, 2, 1}};
  const int64_t places[] = {TENON_PLACE(TENON_ARENA, 0), TENON_PLACE(TENON_ARENA, 1600), TENON_PLACE(TENON_ARENA, 1640),
                            TENON_PLACE(TENON_ARENA, 0), TENON_PLACE(TENON_RESULTS, 0)};
  void *buffers[3];
  tenon_call_kernels_together(context, calls, 4, places, bases, buffers);
  return 0;
}

float countedOnce(int i) { return 2 * (float(i) + float(i < 407 || (i >= 410 && i < 910))); }

TEST(LoadedProgram, CallsThatAreMadeTogetherRunEachTaskOnce) {
  Program program = vectorProgram();
  program.arenaBytes = 4096;
  program.report.kernels.push_back({"count", "loop", "add", "", 2, 1000, 8000, 5, ElementType::kF32, 1});
  program.kernelCalls = {{0, "first", {}}, {0, "second", {}}};
  auto loaded = LoadedProgram::create(std::move(program), togetherEntry, nullptr);
  ASSERT_TRUE(loaded.ok());
  std::vector<float> in(1000), out(1000);
  std::iota(in.begin(), in.end(), 0.0f);
  for (bool isTraced : {false, true}) {
    auto session = isTraced ? trace::Session::start() : nullptr;
    ASSERT_TRUE(runOnce(**loaded, in, out).ok());
    for (int i = 0; i < 1000; ++i)
      ASSERT_EQ(out[i], countedOnce(i)) << i;
    if (!isTraced)
      continue;
    session->stop();
    std::set<uint64_t> groups;
    for (const trace::ThreadEvents &thread : session->events())
      for (const trace::Event &event : thread.events)
        if (event.label->kind == trace::Label::Kind::kKernel)
          groups.insert(event.group);
    EXPECT_EQ(groups.size(), 4u);
  }
}

// A traced kernel, a runtime call, and the kernel once more in a call that the program does not describe.
int32_t tracedEntry(TenonContext *context, void *const *arguments, void *const *results, void *, const void *const *) {
  void *buffers[] = {arguments[0], results[0]};
  for (int32_t call : {1, 99})
    tenon_call_kernel(context, call, doubleKernel, buffers, 1000, call == 1);
  return tenon_runtime_call(context, 0, arguments, results);
}

TEST(LoadedProgram, RunsAreTraced) {
  registerCustomCall("test.noop",
                     [](const RuntimeCall &) { return makeRuntimeCall([](const CallBuffers &) { return Status(); }); });
  Program program = vectorProgram();
  program.runtimeCalls = {customCall("test.noop")};
  program.report.kernels.push_back({"loop_add_0", "loop", "mul,add", "", 2, 1000, 8000, 5, ElementType::kF32, 2});
  program.kernelCalls = {{0, "", {}}, {0, "jit(f)/layer/add", {"/home/me/model.py:4:8", "/home/me/model.py:3:1"}}};
  auto loaded = LoadedProgram::create(std::move(program), tracedEntry, nullptr);
  ASSERT_TRUE(loaded.ok());
  std::vector<float> in(1000, 1.0f), out(1000);
  ASSERT_TRUE(runOnce(**loaded, in, out).ok());
  auto session = trace::Session::start();
  ASSERT_NE(session, nullptr);
  ASSERT_TRUE(runOnce(**loaded, in, out).ok());
  session->stop();
  ASSERT_TRUE(runOnce(**loaded, in, out).ok());
  EXPECT_EQ(out[999], 2);

  std::map<std::string, int> counts;
  std::map<std::string, trace::Label::Kind> kinds;
  const trace::Label *kernel = nullptr;
  std::vector<trace::ThreadEvents> threads = session->events();
  loaded->reset(); // names outlive the program
  for (const trace::ThreadEvents &thread : threads)
    for (const trace::Event &event : thread.events) {
      EXPECT_LE(event.begin, event.end);
      ++counts[event.label->name];
      kinds[event.label->name] = event.label->kind;
      if (event.label->name == "add (model.py:4)")
        kernel = event.label;
    }
  EXPECT_EQ(counts["run test"], 2); // one of them the call without a description
  EXPECT_EQ(counts["test.noop (model.py:12)"], 1);
  ASSERT_GE(counts["add (model.py:4)"], 1); // on each thread that took part
  std::map<std::string, std::variant<int64_t, double, std::string>> details(kernel->details.begin(),
                                                                            kernel->details.end());
  EXPECT_EQ(std::get<std::string>(details["source"]), "/home/me/model.py:4");
  EXPECT_EQ(std::get<std::string>(details["other_sources"]), "/home/me/model.py:3");
  EXPECT_EQ(std::get<std::string>(details["tf_op"]), "jit(f)/layer/add");
  EXPECT_EQ(std::get<std::string>(details["hlo_op"]), "loop_add_0");
  EXPECT_EQ(std::get<double>(details["flops"]), 1000);
  EXPECT_EQ(std::get<double>(details["transcendentals"]), 5);
  EXPECT_EQ(std::get<std::string>(details["arithmetic"]), "f32");
  EXPECT_EQ(std::get<int64_t>(details["phases"]), 2);
  EXPECT_EQ(kernel->kind, trace::Label::Kind::kKernel);
  EXPECT_EQ(kinds["run test"], trace::Label::Kind::kRun);
  EXPECT_EQ(kinds["test.noop (model.py:12)"], trace::Label::Kind::kRuntimeCall);
}

TEST(LoadedProgram, ConcurrentRunsHaveTheirOwnArenas) {
  auto loaded = LoadedProgram::create(vectorProgram(), doubleEntry, nullptr);
  ASSERT_TRUE(loaded.ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<float> in(1000, float(t)), out(1000);
      for (int i = 0; i < 500; ++i) {
        ASSERT_TRUE(runOnce(**loaded, in, out).ok());
        for (float value : out)
          ASSERT_EQ(value, 2 * t + 3);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(LoadedProgram, ChecksPointers) {
  auto loaded = LoadedProgram::create(vectorProgram(), doubleEntry, nullptr);
  ASSERT_TRUE(loaded.ok());
  Status status = (*loaded)->run({}, {});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  const void *arguments[] = {nullptr};
  void *results[] = {nullptr};
  status = (*loaded)->run(arguments, results);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("argument 0 (f32[1000]) is null"));
}

TEST(LoadedProgram, ReportsTheFirstFailure) {
  auto loaded = LoadedProgram::create(Program(), failingEntry, nullptr);
  ASSERT_TRUE(loaded.ok());
  Status status = (*loaded)->run({}, {});
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "shape assertion failed");
}

void (*handlerOfRun)(int) = nullptr; // of SIGINT
int32_t handlerEntry(TenonContext *, void *const *, void *const *, void *, const void *const *) {
  struct sigaction action;
  sigaction(SIGINT, nullptr, &action);
  handlerOfRun = action.sa_handler;
  return 0;
}

TEST(LoadedProgram, RunsThatMayTakeLongWatchSignals) {
  auto own = [](int) {};
  std::signal(SIGINT, own);
  setSignalCheck([] { return false; });
  auto watches = [&](Program program, bool asksToStop) {
    auto loaded = LoadedProgram::create(std::move(program), handlerEntry, nullptr, /*keepObjects=*/false, asksToStop);
    EXPECT_TRUE(loaded.ok() && (*loaded)->run({}, {}).ok());
    return handlerOfRun != own;
  };
  registerCustomCall("test_unused",
                     [](const RuntimeCall &) { return makeRuntimeCall([](const CallBuffers &) { return Status(); }); });
  Program calls, large;
  calls.runtimeCalls.push_back(customCall("test_unused"));
  large.estimatedNanoseconds = 10'000'000;
  EXPECT_FALSE(watches(Program(), false));
  EXPECT_TRUE(watches(Program(), true));
  EXPECT_TRUE(watches(calls, false));
  EXPECT_TRUE(watches(large, false));
  setSignalCheck(nullptr);
  std::signal(SIGINT, SIG_DFL);
}

TEST(LoadedProgram, ShortRunsBeginUnlessTheyAreToEnd) {
  auto loaded = LoadedProgram::create(Program(), handlerEntry, nullptr, /*keepObjects=*/false, /*asksToStop=*/false);
  ASSERT_TRUE(loaded.ok());
  handlerOfRun = nullptr;
  RunOptions late, stopped;
  late.wait.deadline = std::chrono::steady_clock::now();
  EXPECT_EQ((*loaded)->run({}, {}, late).code(), StatusCode::kDeadlineExceeded);
  std::stop_source source;
  stopped.wait.stop = source.get_token();
  source.request_stop();
  EXPECT_EQ((*loaded)->run({}, {}, stopped).code(), StatusCode::kCancelled);
  EXPECT_EQ(handlerOfRun, nullptr);
}

TEST(LoadedProgram, MakesRuntimeCalls) {
  registerCustomCall("test_negate",
                     [](const RuntimeCall &runtimeCall) -> StatusOr<std::unique_ptr<RuntimeCallInstance>> {
                       int64_t count = runtimeCall.operands[0].elementCount();
                       return makeRuntimeCall([count](const CallBuffers &call) {
                         for (int64_t i = 0; i < count; ++i)
                           static_cast<float *>(call.results[0])[i] = -static_cast<const float *>(call.operands[0])[i];
                         return Status();
                       });
                     });
  Program program = vectorProgram();
  program.runtimeCalls.push_back(customCall("test_negate"));
  auto loaded = LoadedProgram::create(std::move(program), runtimeCallEntry, nullptr);
  ASSERT_TRUE(loaded.ok());
  std::vector<float> in(1000, 7), out(1000);
  ASSERT_TRUE(runOnce(**loaded, in, out).ok());
  EXPECT_EQ(out, std::vector<float>(1000, -7));
}

TEST(LoadedProgram, RuntimeCallErrorsNameTargetAndPlace) {
  registerCustomCall("test_fails", [](const RuntimeCall &) -> StatusOr<std::unique_ptr<RuntimeCallInstance>> {
    return makeRuntimeCall([](const CallBuffers &) { return Status(StatusCode::kOutOfRange, "no such row"); });
  });
  registerCustomCall("test_throws", [](const RuntimeCall &) -> StatusOr<std::unique_ptr<RuntimeCallInstance>> {
    return makeRuntimeCall([](const CallBuffers &) -> Status { throw std::runtime_error("boom"); });
  });
  std::vector<float> in(1000), out(1000);
  for (auto [target, code, message] : {std::tuple("test_fails", StatusCode::kOutOfRange, "no such row"),
                                       std::tuple("test_throws", StatusCode::kInternal, "boom")}) {
    Program program = vectorProgram();
    program.runtimeCalls.push_back(customCall(target));
    auto loaded = LoadedProgram::create(std::move(program), runtimeCallEntry, nullptr);
    ASSERT_TRUE(loaded.ok());
    Status status = runOnce(**loaded, in, out);
    EXPECT_EQ(status.code(), code);
    EXPECT_THAT(status.message(), HasSubstr(message));
    EXPECT_THAT(status.message(), HasSubstr(target));
    EXPECT_THAT(status.message(), HasSubstr("model.py:12"));
  }
}

// The message of a run that calls the target.
std::string messageOf(const char *target) {
  Program program = vectorProgram();
  program.runtimeCalls.push_back(customCall(target));
  auto loaded = LoadedProgram::create(std::move(program), runtimeCallEntry, nullptr);
  if (!loaded.ok())
    return loaded.status().message();
  std::vector<float> in(1000), out(1000);
  return runOnce(**loaded, in, out).message();
}

template <const char *message> StatusOr<std::unique_ptr<RuntimeCallInstance>> makeFailing(const RuntimeCall &) {
  return makeRuntimeCall([](const CallBuffers &) { return Status(StatusCode::kInternal, message); });
}

TEST(LoadedProgram, BuiltInTargetsGoBeforeOthersWhereAvailable) {
  static constexpr char kOurs[] = "ours", kOutside[] = "outside";
  registerBuiltInCustomCall("test_available", makeFailing<kOurs>, [] { return true; });
  registerBuiltInCustomCall("test_unavailable", makeFailing<kOurs>, [] { return false; });
  EXPECT_THAT(messageOf("test_unavailable"), HasSubstr("ours")); // which says what is missing
  registerCustomCall("test_available", makeFailing<kOutside>);
  registerCustomCall("test_unavailable", makeFailing<kOutside>);
  EXPECT_THAT(messageOf("test_available"), HasSubstr("ours"));
  EXPECT_THAT(messageOf("test_unavailable"), HasSubstr("outside"));
}

TEST(LoadedProgram, UnknownTargetsFailAtLoad) {
  Program program = vectorProgram();
  program.runtimeCalls.push_back(customCall("nobody_registered_this"));
  auto loaded = LoadedProgram::create(std::move(program), runtimeCallEntry, nullptr);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(loaded.status().message(), HasSubstr("custom call target 'nobody_registered_this' is not registered"));
  EXPECT_THAT(loaded.status().message(), HasSubstr("model.py:12"));
}

TEST(LoadedProgram, BadRuntimeCallNumberIsAnError) {
  auto loaded = LoadedProgram::create(Program(), missingRuntimeCallEntry, nullptr);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ((*loaded)->run({}, {}).code(), StatusCode::kInternal);
}

// A runtime call that runs a program, as a host callback may: the outer run keeps its arena and scratch memory.
TEST(LoadedProgram, RunsInsideRuns) {
  auto inner = LoadedProgram::create(vectorProgram(), doubleEntry, nullptr);
  ASSERT_TRUE(inner.ok());
  LoadedProgram *innerProgram = inner->get();
  registerCustomCall("test_nested", [=](const RuntimeCall &) -> StatusOr<std::unique_ptr<RuntimeCallInstance>> {
    return makeRuntimeCall([=](const CallBuffers &call) {
      const void *arguments[] = {call.operands[0]};
      void *results[] = {call.results[0]};
      return innerProgram->run(arguments, results, call.options);
    });
  });
  Program program = vectorProgram();
  program.runtimeCalls.push_back(customCall("test_nested"));
  auto loaded = LoadedProgram::create(std::move(program), runtimeCallEntry, nullptr);
  ASSERT_TRUE(loaded.ok());
  std::vector<float> in(1000, 1), out(1000);
  ASSERT_TRUE(runOnce(**loaded, in, out).ok());
  EXPECT_EQ(out, std::vector<float>(1000, 5));
}

// The functions that stand in for missing instructions.
TEST(RuntimeSymbols, HalfConversions) {
  _Float16 (*toHalf)(double) = nullptr;
  float (*fromHalf)(_Float16) = nullptr;
  // A bfloat is returned where a half is. Unoptimised code that names __bf16 would itself need the functions under
  // test.
  _Float16 (*toBfloat)(double) = nullptr;
  for (const RuntimeSymbol &symbol : runtimeSymbols()) {
    if (!std::strcmp(symbol.name, "__truncdfhf2"))
      toHalf = reinterpret_cast<_Float16 (*)(double)>(symbol.address);
    if (!std::strcmp(symbol.name, "__extendhfsf2"))
      fromHalf = reinterpret_cast<float (*)(_Float16)>(symbol.address);
    if (!std::strcmp(symbol.name, "__truncdfbf2"))
      toBfloat = reinterpret_cast<_Float16 (*)(double)>(symbol.address);
  }
  ASSERT_TRUE(toHalf && fromHalf && toBfloat);
  auto half = [](uint16_t bits) { return std::bit_cast<_Float16>(bits); };
  auto bits = [](auto value) { return std::bit_cast<uint16_t>(value); };
  // Every half survives the round trip (NaNs become quiet).
  for (uint32_t i = 0; i < 0x10000; ++i) {
    bool nan = (i & 0x7c00) == 0x7c00 && (i & 0x3ff);
    ASSERT_EQ(bits(toHalf(double(fromHalf(half(uint16_t(i)))))), nan ? i | 0x200 : i);
    // The compiler's own conversion is the reference.
    if (!nan)
      ASSERT_EQ(fromHalf(half(uint16_t(i))), float(half(uint16_t(i))));
  }
  // Ties and neighbours of ties between adjacent halves.
  for (uint32_t i = 0; i < 0x7bff; ++i) {
    double low = fromHalf(half(uint16_t(i))), high = fromHalf(half(uint16_t(i + 1))), tie = (low + high) / 2;
    ASSERT_EQ(bits(toHalf(tie)), i & 1 ? i + 1 : i);
    ASSERT_EQ(bits(toHalf(std::nextafter(tie, 0.0))), i);
    ASSERT_EQ(bits(toHalf(std::nextafter(tie, 1e9))), i + 1);
  }
  EXPECT_EQ(bits(toHalf(65520.0)), 0x7c00);
  EXPECT_EQ(bits(toHalf(65519.9)), 0x7bff);
  EXPECT_EQ(bits(toHalf(-1e300)), 0xfc00);
  EXPECT_EQ(bits(toHalf(-1e-300)), 0x8000);
  EXPECT_EQ(bits(toBfloat(1.0)), 0x3f80);
  // A tie in bfloat that a first rounding to float would create: just above stays above.
  EXPECT_EQ(bits(toBfloat(1.00390625)), 0x3f80);
  EXPECT_EQ(bits(toBfloat(1.00390625 + 1e-14)), 0x3f81);
  EXPECT_EQ(bits(toBfloat(INFINITY)), 0x7f80);
}

} // namespace
} // namespace tenon::runtime
