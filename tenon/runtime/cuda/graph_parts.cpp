// What the host does of a graph (graph.h): starts it, and makes calls between its parts.
#include "tenon/runtime/cuda/graph.h"

#include "tenon/runtime/core/interrupt.h"
#include "tenon/runtime/core/signals.h"

#include <algorithm>

namespace tenon::runtime::cuda {
namespace {

// Memory that calls in a graph work in, at each run.
class KeptScratch final : public DeviceScratch {
public:
  KeptScratch(const Driver &driver, StreamHandle *stream, std::vector<DeviceMemory> &kept)
      : driver_(driver), stream_(stream), kept_(kept) {}

  StatusOr<void *> allocate(int64_t bytes) override {
    TENON_ASSIGN_OR_RETURN(DeviceMemory memory, DeviceMemory::allocate(driver_, size_t(bytes), stream_));
    kept_.push_back(std::move(memory));
    return reinterpret_cast<void *>(kept_.back().address());
  }

private:
  const Driver &driver_;
  StreamHandle *stream_; // another than the one that is captured
  std::vector<DeviceMemory> &kept_;
};

constexpr uint64_t kUnbound = ~uint64_t(0); // where no array is

int32_t chosenOf(const program::BranchStep &step, int32_t selector) {
  auto last = int32_t(step.branches.size()) - 1;
  return step.isTwoWay ? int32_t((selector & 0xff) == 0) : selector < 0 || selector > last ? last : selector;
}

} // namespace

// --- Building ---

// A call that turns out not to be one for a graph is made between graphs.
Status Graph::build() {
  for (const auto &call : code_.deviceCalls)
    isCaptured_.push_back(call && call->isCapturable());
  for (;;) {
    std::vector<bool> before = isCaptured_;
    const auto slots = slotPlaces_.size(), words = tableContents_.size();
    Status status = buildParts();
    if (status.ok() || before == isCaptured_)
      return status;
    destroyParts(parts_);
    fixed_.clear();
    slotPlaces_.resize(slots);
    tableContents_.resize(words);
  }
}

Status Graph::buildParts() {
  Chain chain;
  chain.parts = &parts_;
  waits_ = bindsAlone_ = false;
  meetings_.clear();
  TENON_RETURN_IF_ERROR(begin(chain));
  TENON_RETURN_IF_ERROR(addBind(chain));
  TENON_RETURN_IF_ERROR(addSteps(chain, code_.program.steps));
  TENON_RETURN_IF_ERROR(end(chain));
  // Products of arguments alone have no rows to fill.
  if (bindsAlone_ && slotPlaces_.empty()) {
    destroyPart(*parts_.front());
    parts_.erase(parts_.begin());
    bindNode_ = nullptr;
  }
  return {};
}

void Graph::destroyPart(Part &part) {
  if (auto *graph = std::get_if<GraphPart>(&part.what)) {
    if (graph->executable)
      driver_.graphExecDestroy(graph->executable);
    driver_.graphDestroy(graph->graph);
  } else if (auto *loop = std::get_if<LoopPart>(&part.what)) {
    destroyParts(loop->body);
  } else if (auto *branch = std::get_if<BranchPart>(&part.what)) {
    for (Parts &own : branch->branches)
      destroyParts(own);
  }
}

void Graph::destroyParts(Parts &parts) {
  for (std::unique_ptr<Part> &part : parts)
    destroyPart(*part);
  parts.clear();
}

Status Graph::begin(Chain &chain) {
  auto part = std::make_unique<Part>();
  GraphPart graph{nullptr, nullptr};
  TENON_DRIVER(driver_, graphCreate, &graph.graph, 0);
  chain.graph = graph.graph;
  chain.last.clear();
  part->what = graph;
  chain.parts->push_back(std::move(part));
  return {};
}

// The last of the chain's parts is the graph that its nodes are added to.
Status Graph::end(Chain &chain) {
  auto &graph = std::get<GraphPart>(chain.parts->back()->what);
  if (!chain.last.empty())
    return statusOf(driver_.graphInstantiate(&graph.executable, graph.graph, 0), "graphInstantiate");
  driver_.graphDestroy(graph.graph);
  chain.parts->pop_back();
  return {};
}

Status Graph::cut(Chain &chain, std::unique_ptr<Part> part) {
  if (!chain.parts)
    return internalError("the body of a node is cut");
  bindsAlone_ |= chain.last == std::vector{bindNode_};
  TENON_RETURN_IF_ERROR(end(chain));
  chain.parts->push_back(std::move(part));
  return begin(chain);
}

bool Graph::isCut(const program::DeviceStep &step) const {
  if (const auto *kernel = std::get_if<program::KernelStep>(&step.what))
    return code_.libraryOpOf(*kernel) && !isFixed(*kernel);
  if (const auto *service = std::get_if<program::ServiceStep>(&step.what))
    return !isCaptured_[size_t(service->call)];
  if (const auto *loop = std::get_if<program::LoopStep>(&step.what))
    return isCut(loop->condition) || isCut(loop->body);
  if (const auto *branch = std::get_if<program::BranchStep>(&step.what))
    return std::any_of(branch->branches.begin(), branch->branches.end(),
                       [&](const program::DeviceSteps &steps) { return isCut(steps); });
  return false;
}

bool Graph::isCut(const program::DeviceSteps &steps) const {
  return std::any_of(steps.begin(), steps.end(), [&](const program::DeviceStep &step) { return isCut(step); });
}

// --- Calls ---

StatusOr<DeviceAddress> Graph::allocateFixed(int64_t bytes) {
  TENON_ASSIGN_OR_RETURN(DeviceMemory memory, DeviceMemory::allocate(driver_, size_t(bytes), stream_));
  fixed_.push_back(std::move(memory));
  return fixed_.back().address();
}

StatusOr<ServiceArrays> Graph::addOperands(Chain &chain, const program::ServiceStep &step) {
  const program::RuntimeCall &call = code_.description.runtimeCalls[size_t(step.call)];
  std::vector<DeviceAddress> homes = work_.places(code_, {}, {});
  auto addressOf = [&](int32_t place, const program::Shape &shape) -> StatusOr<DeviceAddress> {
    if (place < 0)
      return DeviceAddress(0);
    return code_.isFixed(place) ? homes[size_t(place)] : allocateFixed(shape.byteSize());
  };
  ServiceArrays arrays;
  for (size_t i = 0; i < step.results.size(); ++i) {
    TENON_ASSIGN_OR_RETURN(DeviceAddress address, addressOf(step.results[i], call.results[i]));
    arrays.results.push_back(address);
  }
  auto bring = [&](DeviceAddress to, int32_t place, int64_t bytes) {
    return bytes == 0 ? Status() : addCopy(chain, addPointer(to), addRow({place}), bytes);
  };
  arrays.operands.resize(step.operands.size());
  const bool isOnDevice = bool(code_.deviceCalls[size_t(step.call)]);
  for (size_t i = 0; i < step.operands.size(); ++i) {
    auto isIt = [&](const auto &alias) { return isOnDevice && size_t(alias.second) == i; };
    auto alias = std::find_if(call.aliases.begin(), call.aliases.end(), isIt);
    if (alias != call.aliases.end()) {
      arrays.operands[i] = arrays.results[size_t(alias->first)];
    } else {
      TENON_ASSIGN_OR_RETURN(arrays.operands[i], addressOf(step.operands[i], call.operands[i]));
      if (step.operands[i] < 0 || code_.isFixed(step.operands[i]))
        continue;
    }
    TENON_RETURN_IF_ERROR(bring(arrays.operands[i], step.operands[i], call.operands[i].byteSize()));
  }
  return arrays;
}

Status Graph::addResults(Chain &chain, const program::ServiceStep &step, const ServiceArrays &arrays) {
  const program::RuntimeCall &call = code_.description.runtimeCalls[size_t(step.call)];
  for (size_t i = 0; i < step.results.size(); ++i)
    if (int64_t bytes = call.results[i].byteSize();
        step.results[i] >= 0 && bytes > 0 && !code_.isFixed(step.results[i]))
      TENON_RETURN_IF_ERROR(addCopy(chain, addRow({step.results[i]}), addPointer(arrays.results[i]), bytes));
  return {};
}

Status Graph::add(Chain &chain, const program::ServiceStep &step) {
  TENON_ASSIGN_OR_RETURN(ServiceArrays arrays, addOperands(chain, step));
  if (isCaptured_[size_t(step.call)]) {
    Status status = capture(chain, [&](StreamHandle *stream) {
      KeptScratch scratch(driver_, stream_, fixed_);
      return callOnDevice(code_, step.call, arrays, stream, scratch, {});
    });
    isCaptured_[size_t(step.call)] = status.ok();
    TENON_RETURN_IF_ERROR(status);
  } else {
    const DeviceCallInstance *onDevice = code_.deviceCalls[size_t(step.call)].get();
    waits_ |= !onDevice;
    if (onDevice && onDevice->meets())
      meetings_.push_back(step.call);
    auto part = std::make_unique<Part>();
    part->what = CallPart{step.call, arrays};
    TENON_RETURN_IF_ERROR(cut(chain, std::move(part)));
  }
  return addResults(chain, step, arrays);
}

// In a stream of its own, since others enqueue work in the program's.
Status Graph::capture(Chain &chain, const std::function<Status(StreamHandle *)> &enqueue) {
  StreamHandle *stream = nullptr;
  constexpr unsigned kNonBlocking = 1;
  TENON_DRIVER(driver_, streamCreate, &stream, kNonBlocking);
  Status status = statusOf(driver_.streamBeginCaptureToGraph(stream, chain.graph, chain.last.data(), nullptr,
                                                             chain.last.size(), CaptureMode::kRelaxed),
                           "streamBeginCaptureToGraph");
  if (status.ok()) {
    status = enqueue(stream);
    CaptureStatus state = CaptureStatus::kNone;
    GraphHandle *graph = nullptr;
    GraphNodeHandle *const *last = nullptr;
    const void *edges = nullptr;
    uint64_t id = 0;
    size_t count = 0;
    Status asked = statusOf(driver_.streamGetCaptureInfo(stream, &state, &id, &graph, &last, &edges, &count),
                            "streamGetCaptureInfo");
    if (state == CaptureStatus::kActive)
      chain.last.assign(last, last + count);
    Status ended = statusOf(driver_.streamEndCapture(stream, &graph), "streamEndCapture");
    for (Status *other : {&asked, &ended})
      if (status.ok())
        status = std::move(*other);
  }
  driver_.streamDestroy(stream);
  return status;
}

bool Graph::isFixed(const program::KernelStep &step) const {
  return std::all_of(step.row.begin(), step.row.end(),
                     [&](int32_t place) { return place < 0 || code_.isFixed(place); });
}

Status Graph::addLibraryOp(Chain &chain, const program::KernelStep &step, LibraryOp &op) {
  if (!isFixed(step)) {
    auto part = std::make_unique<Part>();
    part->what = LibraryPart{&step, &op};
    return cut(chain, std::move(part));
  }
  return capture(chain, [&](StreamHandle *stream) {
    return op.enqueue(work_.row(code_, step, {}, {}), work_.scratch.address(), stream);
  });
}

// --- What the host decides ---

StatusOr<DeviceAddress> Graph::addRead(Chain &chain, int32_t place, int64_t bytes) {
  waits_ = true;
  TENON_ASSIGN_OR_RETURN(DeviceAddress address, allocateFixed(bytes));
  TENON_RETURN_IF_ERROR(addCopy(chain, addPointer(address), addRow({place}), bytes));
  return address;
}

Status Graph::addLoopOfHost(Chain &chain, const program::LoopStep &step, DeviceAddress saved) {
  TENON_RETURN_IF_ERROR(addSteps(chain, step.condition));
  LoopPart loop{0, {}};
  TENON_ASSIGN_OR_RETURN(loop.predicate, addRead(chain, step.predicate, 1));
  Chain inside;
  auto part = std::make_unique<Part>();
  part->what = std::move(loop);
  auto &made = std::get<LoopPart>(part->what);
  inside.parts = &made.body;
  TENON_RETURN_IF_ERROR(cut(chain, std::move(part)));
  TENON_RETURN_IF_ERROR(begin(inside));
  TENON_RETURN_IF_ERROR(addBody(inside, step, saved));
  TENON_RETURN_IF_ERROR(addTurn(inside, step, saved));
  TENON_RETURN_IF_ERROR(addCopy(inside, addPointer(made.predicate), addRow({step.predicate}), 1));
  return end(inside);
}

Status Graph::addBranchOfHost(Chain &chain, const program::BranchStep &step, DeviceAddress saved) {
  auto part = std::make_unique<Part>();
  part->what = BranchPart{&step, 0, {}};
  auto &branch = std::get<BranchPart>(part->what);
  TENON_ASSIGN_OR_RETURN(branch.selector, addRead(chain, step.selector, step.isTwoWay ? 1 : sizeof(int32_t)));
  branch.branches.resize(step.branches.size());
  TENON_RETURN_IF_ERROR(cut(chain, std::move(part)));
  for (size_t i = 0; i < step.branches.size(); ++i) {
    Chain inside;
    inside.parts = &branch.branches[i];
    TENON_RETURN_IF_ERROR(begin(inside));
    TENON_RETURN_IF_ERROR(addSteps(inside, step.branches[i]));
    TENON_RETURN_IF_ERROR(addAdvance(inside, saved, {}));
    TENON_RETURN_IF_ERROR(end(inside));
  }
  return {};
}

// --- Running ---

bool Graph::waits(const RunOptions &options) const {
  return waits_ || std::any_of(meetings_.begin(), meetings_.end(),
                               [&](int32_t call) { return !isOnDevice(code_, call, options); });
}

Status Graph::run(const DeviceRun &run) {
  *stop_ = 0;
  Interrupt interrupt(run.options.wait, stop_);
  CurrentRun worksFor(stop_);
  Status status = enqueue(run, stream_);
  Status ended = statusOf(driver_.streamSynchronize(stream_), "streamSynchronize");
  if (*stop_ == program::kStopGraph)
    return interrupt.reason();
  return status.ok() ? ended : status;
}

Status Graph::enqueue(const DeviceRun &run, StreamHandle *stream) {
  TENON_RETURN_IF_ERROR(run.options.wait.status());
  if (bindNode_)
    TENON_RETURN_IF_ERROR(bind(run));
  return runParts(parts_, run, stream);
}

// A run on the arrays of the one before leaves the node as it is.
Status Graph::bind(const DeviceRun &run) {
  std::vector<uint64_t> addresses;
  for (const program::DevicePlace &place : code_.program.places)
    if (isGiven(place))
      addresses.push_back(
          (place.base == program::DevicePlace::Base::kArgument ? run.arguments : run.results)[size_t(place.index)]);
  if (std::equal(addresses.begin(), addresses.end(), addresses_.begin()))
    return {};
  KernelNodeParameters bind = bindParameters(addresses);
  GraphExecHandle *first = std::get<GraphPart>(parts_.front()->what).executable;
  Status changed =
      statusOf(driver_.graphExecKernelNodeSetParams(first, bindNode_, &bind), "graphExecKernelNodeSetParams");
  if (!changed.ok())
    addresses_.assign(addresses_.size(), kUnbound); // whatever the node has
  return changed;
}

// A run that is to end starts nothing more; run() says why.
Status Graph::runParts(const Parts &parts, const DeviceRun &run, StreamHandle *stream) {
  for (const std::unique_ptr<Part> &part : parts) {
    if ((waits_ || !meetings_.empty()) && *stop_ == program::kStopGraph)
      return {StatusCode::kCancelled, "the program was stopped"};
    TENON_RETURN_IF_ERROR(std::visit([&](const auto &what) { return runPart(what, run, stream); }, part->what));
  }
  return {};
}

Status Graph::runPart(const GraphPart &part, const DeviceRun &, StreamHandle *stream) {
  return statusOf(driver_.graphLaunch(part.executable, stream), "graphLaunch");
}

Status Graph::runPart(const CallPart &part, const DeviceRun &run, StreamHandle *stream) {
  if (!isOnDevice(code_, part.call, run.options))
    return callOnHost(code_, part.call, part.arrays, stream, run.options);
  StreamScratch scratch(driver_, stream);
  return callOnDevice(code_, part.call, part.arrays, stream, scratch, run.options);
}

Status Graph::runPart(const LibraryPart &part, const DeviceRun &run, StreamHandle *stream) {
  return part.op->enqueue(work_.row(code_, *part.step, run.arguments, run.results), work_.scratch.address(), stream);
}

Status Graph::runPart(const LoopPart &part, const DeviceRun &run, StreamHandle *stream) {
  for (;;) {
    uint8_t continues = 0;
    TENON_DRIVER(driver_, memcpyDtoHAsync, &continues, part.predicate, sizeof(continues), stream);
    TENON_DRIVER(driver_, streamSynchronize, stream);
    if (!continues)
      return {};
    TENON_RETURN_IF_ERROR(runParts(part.body, run, stream));
  }
}

Status Graph::runPart(const BranchPart &part, const DeviceRun &run, StreamHandle *stream) {
  int32_t selector = 0;
  TENON_DRIVER(driver_, memcpyDtoHAsync, &selector, part.selector, part.step->isTwoWay ? 1 : sizeof(selector), stream);
  TENON_DRIVER(driver_, streamSynchronize, stream);
  return runParts(part.branches[size_t(chosenOf(*part.step, selector))], run, stream);
}

} // namespace tenon::runtime::cuda
