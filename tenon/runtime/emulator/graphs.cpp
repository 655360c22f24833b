// Graphs of the emulated driver: kernels, conditional nodes, and what has been captured.
#include "tenon/runtime/emulator/state.h"

#include <algorithm>

namespace tenon::runtime::cuda {

struct GraphNodeHandle {
  std::vector<GraphNodeHandle *> dependencies;
  emulator::PreparedLaunch launch;   // of a kernel
  std::function<Result()> work = {}; // that was captured
  // A conditional node's handle, kind and body. A kernel has none.
  ConditionalHandle handle = 0;
  ConditionalKind kind = ConditionalKind::kIf;
  std::unique_ptr<GraphHandle> body;
};

struct GraphHandle {
  bool isBody = false;
  std::vector<std::unique_ptr<GraphNodeHandle>> nodes;
};

// A copy of the graph as it was. Nodes are named by those of the graph that was copied.
struct GraphExecHandle {
  std::unique_ptr<GraphHandle> graph;
  std::map<const GraphNodeHandle *, GraphNodeHandle *> copies;
};

} // namespace tenon::runtime::cuda

namespace tenon::runtime::emulator {
namespace {

using namespace cuda;

struct Conditional {
  GraphHandle *graph = nullptr; // where its node may be
  bool hasNode = false;
};

// Beside State: kernels set values while the thread that started them holds its mutex.
struct Graphs {
  std::set<GraphHandle *> graphs; // bodies among them
  std::set<GraphExecHandle *> executables;
  std::map<ConditionalHandle, Conditional> conditionals;
  ConditionalHandle last = 0;
  std::mutex valuesMutex;
  std::map<ConditionalHandle, uint32_t> values; // of the launch in progress

  static Graphs &instance() {
    static Graphs graphs;
    return graphs;
  }
};

Result graphCreate(GraphHandle **graph, unsigned flags) {
  TENON_ENTER(state);
  if (flags != 0)
    return state.fail(Result::kInvalidValue, "a graph has no flags");
  *graph = new GraphHandle();
  Graphs::instance().graphs.insert(*graph);
  return Result::kSuccess;
}

void forget(GraphHandle &graph) {
  Graphs &all = Graphs::instance();
  all.graphs.erase(&graph);
  std::erase_if(all.conditionals, [&](const auto &entry) { return entry.second.graph == &graph; });
  for (const auto &node : graph.nodes)
    if (node->body)
      forget(*node->body);
}

Result graphDestroy(GraphHandle *graph) {
  TENON_ENTER(state);
  if (!Graphs::instance().graphs.contains(graph) || graph->isBody)
    return state.fail(Result::kInvalidValue, "there is no such graph to destroy");
  forget(*graph);
  delete graph;
  return Result::kSuccess;
}

Result graphConditionalHandleCreate(ConditionalHandle *handle, GraphHandle *graph, ContextHandle *, unsigned,
                                    unsigned flags) {
  TENON_ENTER(state);
  Graphs &all = Graphs::instance();
  if (!all.graphs.contains(graph))
    return state.fail(Result::kInvalidValue, "a conditional handle is for a graph that there is not");
  if (flags != 0)
    return state.fail(Result::kInvalidValue, "conditional handles begin without a value here");
  *handle = ++all.last;
  all.conditionals[*handle] = {graph, false};
  return Result::kSuccess;
}

Result addConditional(State &state, GraphHandle *graph, ConditionalNodeParameters &given, GraphNodeHandle &node) {
  Graphs &all = Graphs::instance();
  auto found = all.conditionals.find(given.handle);
  if (found == all.conditionals.end() || found->second.graph != graph)
    return state.fail(Result::kInvalidValue, "a conditional node has the handle of another graph");
  if (std::exchange(found->second.hasNode, true))
    return state.fail(Result::kInvalidValue, "two conditional nodes have one handle");
  if (given.size != 1 || (given.kind != ConditionalKind::kIf && given.kind != ConditionalKind::kWhile))
    return state.fail(Result::kInvalidValue, "a conditional node of this kind and size is newer than CUDA 12.4");
  node.handle = given.handle;
  node.kind = given.kind;
  node.body = std::make_unique<GraphHandle>();
  node.body->isBody = true;
  all.graphs.insert(node.body.get());
  thread_local GraphHandle *bodies[1];
  bodies[0] = node.body.get();
  given.bodies = bodies;
  return Result::kSuccess;
}

Result graphAddNode(GraphNodeHandle **node, GraphHandle *graph, GraphNodeHandle *const *dependencies, const void *edges,
                    size_t count, GraphNodeParameters *given) {
  TENON_ENTER(state);
  if (!Graphs::instance().graphs.contains(graph))
    return state.fail(Result::kInvalidValue, "a node is for a graph that there is not");
  if (edges)
    return state.fail(Result::kInvalidValue, "edges have no data here");
  auto made = std::make_unique<GraphNodeHandle>();
  for (size_t i = 0; i < count; ++i) {
    auto isIt = [&](const auto &other) { return other.get() == dependencies[i]; };
    if (std::none_of(graph->nodes.begin(), graph->nodes.end(), isIt))
      return state.fail(Result::kInvalidValue, "a node depends on one of another graph");
    made->dependencies.push_back(dependencies[i]);
  }
  Result result = given->kind == GraphNodeKind::kKernel ? prepareLaunch(state, given->kernel, made->launch)
                  : given->kind == GraphNodeKind::kConditional
                      ? addConditional(state, graph, given->conditional, *made)
                      : state.fail(Result::kInvalidValue, "a graph here has kernels and conditional nodes alone");
  if (result != Result::kSuccess)
    return result;
  *node = made.get();
  graph->nodes.push_back(std::move(made));
  return Result::kSuccess;
}

std::unique_ptr<GraphHandle> copyOf(const GraphHandle &graph, GraphExecHandle &executable) {
  auto copy = std::make_unique<GraphHandle>();
  for (const auto &node : graph.nodes) {
    auto own = std::make_unique<GraphNodeHandle>();
    for (GraphNodeHandle *dependency : node->dependencies)
      own->dependencies.push_back(executable.copies.at(dependency));
    own->launch = node->launch;
    own->work = node->work;
    own->handle = node->handle;
    own->kind = node->kind;
    if (node->body)
      own->body = copyOf(*node->body, executable);
    executable.copies[node.get()] = own.get();
    copy->nodes.push_back(std::move(own));
  }
  return copy;
}

Result graphInstantiate(GraphExecHandle **executable, GraphHandle *graph, unsigned long long flags) {
  TENON_ENTER(state);
  if (!Graphs::instance().graphs.contains(graph) || graph->isBody || flags != 0)
    return state.fail(Result::kInvalidValue, "there is no such graph to instantiate");
  auto made = std::make_unique<GraphExecHandle>();
  made->graph = copyOf(*graph, *made);
  Graphs::instance().executables.insert(made.get());
  *executable = made.release();
  return Result::kSuccess;
}

Result graphExecDestroy(GraphExecHandle *executable) {
  TENON_ENTER(state);
  if (Result result = state.drainAll(); result != Result::kSuccess)
    return result;
  if (!Graphs::instance().executables.erase(executable))
    return state.fail(Result::kInvalidValue, "there is no such graph");
  delete executable;
  return Result::kSuccess;
}

// Launches that are enqueued keep what they were enqueued with, as the real one's do.
Result graphExecKernelNodeSetParams(GraphExecHandle *executable, GraphNodeHandle *node,
                                    const KernelNodeParameters *given) {
  TENON_ENTER(state);
  if (!Graphs::instance().executables.contains(executable))
    return state.fail(Result::kInvalidValue, "there is no such graph");
  auto found = executable->copies.find(node);
  if (found == executable->copies.end() || found->second->body || found->second->work)
    return state.fail(Result::kInvalidValue, "the graph has no such kernel");
  PreparedLaunch launch;
  if (Result result = prepareLaunch(state, *given, launch); result != Result::kSuccess)
    return result;
  ++state.counts.nodeUpdates;
  found->second->launch = std::move(launch);
  return Result::kSuccess;
}

Result graphKernelNodeSetAttribute(GraphNodeHandle *node, LaunchAttribute attribute,
                                   const LaunchAttributeValue *value) {
  TENON_ENTER(state);
  auto hasNode = [&](const GraphHandle *graph) {
    return std::any_of(graph->nodes.begin(), graph->nodes.end(), [&](const auto &own) { return own.get() == node; });
  };
  const std::set<GraphHandle *> &graphs = Graphs::instance().graphs;
  if (std::none_of(graphs.begin(), graphs.end(), hasNode) || node->body || node->work)
    return state.fail(Result::kInvalidValue, "no graph has such a kernel");
  if (attribute != LaunchAttribute::kCooperative || value->cooperative != 1)
    return state.fail(Result::kInvalidValue, "kernels of graphs are told that they are cooperative, and nothing else");
  return makeCooperative(state, node->launch);
}

Result runGraph(State &state, GraphHandle &graph);

// The value that a kernel of this launch has set.
Result valueOf(State &state, ConditionalHandle handle, uint32_t &value) {
  Graphs &all = Graphs::instance();
  std::lock_guard lock(all.valuesMutex);
  auto found = all.values.find(handle);
  if (found == all.values.end())
    return state.fail(Result::kInvalidValue, "a conditional node is reached before a kernel has set its value");
  value = found->second;
  return Result::kSuccess;
}

Result runConditional(State &state, GraphNodeHandle &node) {
  for (uint32_t value = 0;;) {
    if (Result result = valueOf(state, node.handle, value); result != Result::kSuccess || !value)
      return result;
    if (Result result = runGraph(state, *node.body); result != Result::kSuccess || node.kind == ConditionalKind::kIf)
      return result;
  }
}

// The last that was added of the nodes that may run goes first, so that an edge that is missing shows.
Result runGraph(State &state, GraphHandle &graph) {
  std::set<GraphNodeHandle *> done;
  while (done.size() < graph.nodes.size()) {
    auto isReady = [&](const auto &node) {
      return !done.contains(node.get()) && std::all_of(node->dependencies.begin(), node->dependencies.end(),
                                                       [&](GraphNodeHandle *before) { return done.contains(before); });
    };
    GraphNodeHandle *next = std::find_if(graph.nodes.rbegin(), graph.nodes.rend(), isReady)->get();
    Result result = next->body   ? runConditional(state, *next)
                    : next->work ? next->work()
                                 : runLaunch(state, next->launch);
    if (result != Result::kSuccess)
      return result;
    done.insert(next);
  }
  return Result::kSuccess;
}

// What is enqueued is a copy: the executable may be changed for its next launch.
Result graphLaunch(GraphExecHandle *executable, StreamHandle *stream) {
  TENON_ENTER(state);
  if (Result result = refuseCapture(state, stream); result != Result::kSuccess)
    return result;
  if (!Graphs::instance().executables.contains(executable))
    return state.fail(Result::kInvalidValue, "there is no such graph");
  ++state.counts.graphLaunches;
  auto own = std::make_shared<GraphExecHandle>();
  std::shared_ptr<GraphHandle> graph = copyOf(*executable->graph, *own);
  return enqueue(state, stream, [&state, graph] {
    {
      std::lock_guard lock(Graphs::instance().valuesMutex);
      Graphs::instance().values.clear();
    }
    return runGraph(state, *graph);
  });
}

Result streamBeginCaptureToGraph(StreamHandle *stream, GraphHandle *graph, GraphNodeHandle *const *dependencies,
                                 const void *edges, size_t count, CaptureMode mode) {
  TENON_ENTER(state);
  if (!isStream(state, stream) || stream->capture || !Graphs::instance().graphs.contains(graph))
    return state.fail(Result::kInvalidValue, "there is no such stream to capture, or no such graph");
  if (edges || mode != CaptureMode::kRelaxed)
    return state.fail(Result::kInvalidValue, "streams are captured relaxed, without data of edges");
  stream->capture = Capture{graph, {dependencies, dependencies + count}};
  return Result::kSuccess;
}

Result streamGetCaptureInfo(StreamHandle *stream, CaptureStatus *status, uint64_t *id, GraphHandle **graph,
                            GraphNodeHandle *const **dependencies, const void **edges, size_t *count) {
  TENON_ENTER(state);
  if (!isStream(state, stream))
    return state.fail(Result::kInvalidHandle, "there is no such stream");
  *status = !stream->capture             ? CaptureStatus::kNone
            : stream->capture->isInvalid ? CaptureStatus::kInvalidated
                                         : CaptureStatus::kActive;
  if (*status != CaptureStatus::kActive)
    return Result::kSuccess;
  if (id)
    *id = 1;
  if (graph)
    *graph = stream->capture->graph;
  if (edges)
    *edges = nullptr;
  *dependencies = stream->capture->last.data();
  *count = stream->capture->last.size();
  return Result::kSuccess;
}

Result streamEndCapture(StreamHandle *stream, GraphHandle **graph) {
  TENON_ENTER(state);
  if (!isStream(state, stream) || !stream->capture)
    return state.fail(Result::kInvalidValue, "there is no such stream that is captured");
  bool isInvalid = stream->capture->isInvalid;
  *graph = isInvalid ? nullptr : stream->capture->graph;
  stream->capture.reset();
  return isInvalid ? Result::kStreamCaptureInvalidated : Result::kSuccess;
}

} // namespace

void capture(Capture &capture, std::function<Result()> work) {
  auto node = std::make_unique<GraphNodeHandle>();
  node->dependencies = std::move(capture.last);
  node->work = std::move(work);
  capture.last = {node.get()};
  capture.graph->nodes.push_back(std::move(node));
}

void addGraphFunctions(Driver &driver) {
  driver.graphCreate = graphCreate;
  driver.graphDestroy = graphDestroy;
  driver.graphConditionalHandleCreate = graphConditionalHandleCreate;
  driver.graphAddNode = graphAddNode;
  driver.graphInstantiate = graphInstantiate;
  driver.graphExecDestroy = graphExecDestroy;
  driver.graphExecKernelNodeSetParams = graphExecKernelNodeSetParams;
  driver.graphKernelNodeSetAttribute = graphKernelNodeSetAttribute;
  driver.graphLaunch = graphLaunch;
  driver.streamBeginCaptureToGraph = streamBeginCaptureToGraph;
  driver.streamGetCaptureInfo = streamGetCaptureInfo;
  driver.streamEndCapture = streamEndCapture;
}

void tenon_emu_set_conditional(uint64_t handle, uint32_t value) {
  Graphs &all = Graphs::instance();
  std::lock_guard lock(all.valuesMutex);
  all.values[handle] = value;
}

} // namespace tenon::runtime::emulator
