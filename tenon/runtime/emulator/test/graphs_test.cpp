#include "tenon/runtime/emulator/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tenon::runtime::emulator {
namespace {

using namespace cuda;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int64_t> trace;

// Kernels of plain code: one writes its number down, one counts down and says whether to go on.
void note(void **parameters) { trace.push_back(*static_cast<int64_t *>(parameters[0])); }
void countDown(void **parameters) {
  int64_t *count = *static_cast<int64_t **>(parameters[0]);
  tenon_emu_set_conditional(*static_cast<ConditionalHandle *>(parameters[1]), (*count)-- > 0);
}

class EmulatedGraphs : public ::testing::Test {
protected:
  void SetUp() override {
    takeFailure();
    trace.clear();
    ASSERT_EQ(d.init(0), Result::kSuccess);
    ContextHandle *context = nullptr;
    ASSERT_EQ(d.primaryContextRetain(&context, 0), Result::kSuccess);
    ASSERT_EQ(d.contextSetCurrent(context), Result::kSuccess);
    noting.context = counting.context = context;
    ASSERT_EQ(d.streamCreate(&stream, 0), Result::kSuccess);
    ASSERT_EQ(d.graphCreate(&graph, 0), Result::kSuccess);
  }
  void TearDown() override {
    takeFailure();
    if (executable)
      EXPECT_EQ(d.graphExecDestroy(executable), Result::kSuccess);
    EXPECT_EQ(d.graphDestroy(graph), Result::kSuccess);
    EXPECT_EQ(d.streamDestroy(stream), Result::kSuccess);
    EXPECT_EQ(d.primaryContextRelease(0), Result::kSuccess);
  }

  static KernelNodeParameters kernelNode(FunctionHandle &function, std::vector<void *> &parameters) {
    return {&function, 1, 1, 1, 1, 1, 1, 0, parameters.data(), nullptr, nullptr, nullptr};
  }

  GraphNodeHandle *add(GraphHandle *to, FunctionHandle &function, std::vector<void *> parameters,
                       std::vector<GraphNodeHandle *> after = {}) {
    GraphNodeParameters given{};
    given.kind = GraphNodeKind::kKernel;
    given.kernel = kernelNode(function, parameters);
    GraphNodeHandle *node = nullptr;
    EXPECT_EQ(d.graphAddNode(&node, to, after.data(), nullptr, after.size(), &given), Result::kSuccess);
    return node;
  }

  Result addConditional(GraphHandle *to, ConditionalHandle handle, ConditionalKind kind, GraphHandle **body,
                        std::vector<GraphNodeHandle *> after) {
    GraphNodeParameters given{};
    given.kind = GraphNodeKind::kConditional;
    given.conditional = {handle, kind, 1, nullptr, nullptr};
    GraphNodeHandle *node = nullptr;
    Result result = d.graphAddNode(&node, to, after.data(), nullptr, after.size(), &given);
    if (result == Result::kSuccess)
      *body = given.conditional.bodies[0];
    return result;
  }

  void run() {
    if (!executable)
      ASSERT_EQ(d.graphInstantiate(&executable, graph, 0), Result::kSuccess);
    ASSERT_EQ(d.graphLaunch(executable, stream), Result::kSuccess);
    ASSERT_EQ(d.streamSynchronize(stream), Result::kSuccess) << takeFailure();
  }

  const Driver &d = driver();
  StreamHandle *stream = nullptr;
  GraphHandle *graph = nullptr;
  GraphExecHandle *executable = nullptr;
  FunctionHandle noting{note, {8}}, counting{countDown, {8, 8}};
  int64_t numbers[4] = {0, 1, 2, 3};
};

// Nodes run in the order of their edges, and without one as it pleases.
TEST_F(EmulatedGraphs, KeepTheOrderOfEdgesAlone) {
  GraphNodeHandle *first = add(graph, noting, {&numbers[0]});
  add(graph, noting, {&numbers[1]}, {first});
  add(graph, noting, {&numbers[2]}, {first});
  run();
  EXPECT_THAT(trace, ElementsAre(0, 2, 1));
}

TEST_F(EmulatedGraphs, ChangeTheNodeThatIsNamed) {
  GraphNodeHandle *first = add(graph, noting, {&numbers[0]});
  add(graph, noting, {&numbers[1]}, {first});
  ASSERT_EQ(d.graphInstantiate(&executable, graph, 0), Result::kSuccess);
  ASSERT_EQ(d.graphLaunch(executable, stream), Result::kSuccess);
  GraphCounts before = graphCounts();
  std::vector<void *> parameters{&numbers[3]};
  KernelNodeParameters given = kernelNode(noting, parameters);
  ASSERT_EQ(d.graphExecKernelNodeSetParams(executable, first, &given), Result::kSuccess);
  run();
  EXPECT_THAT(trace, ElementsAre(0, 1, 3, 1)); // what was launched before keeps its own
  EXPECT_EQ(graphCounts().nodeUpdates, before.nodeUpdates + 1);
}

TEST_F(EmulatedGraphs, LoopAndBranchAsKernelsSay) {
  ConditionalHandle loop = 0, branch = 0;
  ASSERT_EQ(d.graphConditionalHandleCreate(&loop, graph, nullptr, 0, 0), Result::kSuccess);
  int64_t iterations = 2, taken = 1, *iterationsAt = &iterations, *takenAt = &taken;
  auto *iterationsParameter = static_cast<void *>(&iterationsAt), *takenParameter = static_cast<void *>(&takenAt);
  GraphNodeHandle *first = add(graph, counting, {iterationsParameter, &loop});
  GraphHandle *body = nullptr, *inner = nullptr;
  ASSERT_EQ(addConditional(graph, loop, ConditionalKind::kWhile, &body, {first}), Result::kSuccess);
  ASSERT_EQ(d.graphConditionalHandleCreate(&branch, body, nullptr, 0, 0), Result::kSuccess);
  GraphNodeHandle *noted = add(body, noting, {&numbers[1]});
  GraphNodeHandle *again = add(body, counting, {iterationsParameter, &loop}, {noted});
  GraphNodeHandle *chosen = add(body, counting, {takenParameter, &branch}, {again});
  ASSERT_EQ(addConditional(body, branch, ConditionalKind::kIf, &inner, {chosen}), Result::kSuccess);
  add(inner, noting, {&numbers[2]});
  run();
  EXPECT_THAT(trace, ElementsAre(1, 2, 1));
}

// What is enqueued in a stream meanwhile is done at each start, between the nodes before and after it.
TEST_F(EmulatedGraphs, HoldWhatIsCaptured) {
  GraphNodeHandle *first = add(graph, noting, {&numbers[0]});
  ASSERT_EQ(d.streamBeginCaptureToGraph(stream, graph, &first, nullptr, 1, CaptureMode::kRelaxed), Result::kSuccess);
  ASSERT_EQ(enqueueWork(stream, [] { trace.push_back(77); }), Result::kSuccess);
  CaptureStatus status = CaptureStatus::kNone;
  GraphNodeHandle *const *last = nullptr;
  GraphHandle *captured = nullptr;
  size_t count = 0;
  ASSERT_EQ(d.streamGetCaptureInfo(stream, &status, nullptr, nullptr, &last, nullptr, &count), Result::kSuccess);
  ASSERT_EQ(status, CaptureStatus::kActive);
  ASSERT_EQ(count, 1u);
  add(graph, noting, {&numbers[1]}, {last[0]});
  ASSERT_EQ(d.streamEndCapture(stream, &captured), Result::kSuccess);
  EXPECT_EQ(captured, graph);
  EXPECT_EQ(d.streamSynchronize(stream), Result::kSuccess);
  EXPECT_THAT(trace, ElementsAre());
  ASSERT_EQ(d.graphInstantiate(&executable, graph, 0), Result::kSuccess);
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(d.graphLaunch(executable, stream), Result::kSuccess);
  ASSERT_EQ(d.streamSynchronize(stream), Result::kSuccess);
  EXPECT_THAT(trace, ElementsAre(numbers[0], 77, numbers[1], numbers[0], 77, numbers[1]));
}

TEST_F(EmulatedGraphs, DoNotHoldWhatWaits) {
  ASSERT_EQ(d.streamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, CaptureMode::kRelaxed), Result::kSuccess);
  EXPECT_EQ(d.streamSynchronize(stream), Result::kStreamCaptureUnsupported);
  CaptureStatus status = CaptureStatus::kNone;
  GraphNodeHandle *const *last = nullptr;
  GraphHandle *captured = nullptr;
  size_t count = 0;
  ASSERT_EQ(d.streamGetCaptureInfo(stream, &status, nullptr, nullptr, &last, nullptr, &count), Result::kSuccess);
  EXPECT_EQ(status, CaptureStatus::kInvalidated);
  EXPECT_EQ(d.streamEndCapture(stream, &captured), Result::kStreamCaptureInvalidated);
  EXPECT_EQ(d.streamSynchronize(stream), Result::kSuccess);
}

TEST_F(EmulatedGraphs, RefuseWhatTheRealOneRefuses) {
  auto refused = [](Result result, const char *why) {
    EXPECT_EQ(result, Result::kInvalidValue);
    EXPECT_THAT(takeFailure(), HasSubstr(why));
  };
  ConditionalHandle handle = 0;
  GraphHandle *body = nullptr;
  refused(addConditional(graph, 12345, ConditionalKind::kIf, &body, {}), "handle of another graph");
  ASSERT_EQ(d.graphConditionalHandleCreate(&handle, graph, nullptr, 0, 0), Result::kSuccess);
  ASSERT_EQ(addConditional(graph, handle, ConditionalKind::kIf, &body, {}), Result::kSuccess);
  GraphHandle *other = nullptr;
  refused(addConditional(graph, handle, ConditionalKind::kIf, &other, {}), "two conditional nodes");
  refused(d.graphDestroy(body), "no such graph");
  refused(d.graphInstantiate(&executable, body, 0), "no such graph");
  GraphNodeHandle *inside = add(body, noting, {&numbers[0]}), *node = nullptr;
  std::vector<void *> parameters{&numbers[0]};
  GraphNodeParameters given{};
  given.kind = GraphNodeKind::kKernel;
  given.kernel = kernelNode(noting, parameters);
  refused(d.graphAddNode(&node, graph, &inside, nullptr, 1, &given), "depends on one of another graph");
  given.kernel.blockX = 2048;
  refused(d.graphAddNode(&node, graph, nullptr, nullptr, 0, &given), "2048 threads");
  GraphNodeHandle *large = add(graph, noting, {&numbers[0]});
  LaunchAttributeValue cooperative{};
  cooperative.cooperative = 1;
  setMultiprocessors(0);
  EXPECT_EQ(d.graphKernelNodeSetAttribute(large, LaunchAttribute::kCooperative, &cooperative),
            Result::kCooperativeLaunchTooLarge);
  EXPECT_THAT(takeFailure(), HasSubstr("there is room for 0"));
  setMultiprocessors(132);
  EXPECT_EQ(d.graphKernelNodeSetAttribute(large, LaunchAttribute::kCooperative, &cooperative), Result::kSuccess);
  // Nobody has set the condition.
  ASSERT_EQ(d.graphInstantiate(&executable, graph, 0), Result::kSuccess);
  ASSERT_EQ(d.graphLaunch(executable, stream), Result::kSuccess);
  EXPECT_EQ(d.streamSynchronize(stream), Result::kInvalidValue);
  EXPECT_THAT(takeFailure(), HasSubstr("before a kernel has set its value"));
}

} // namespace
} // namespace tenon::runtime::emulator
