#include "tenon/runtime/cuda/graph.h"

#include "tenon/runtime/core/signals.h"

#include <algorithm>

namespace tenon::runtime::cuda {
namespace {

using program::ControlKernel;

static_assert(program::kStopGraph == kStop);

constexpr size_t kWordBytes = sizeof(uint64_t);
// Copies are shared among at most so many blocks.
constexpr int64_t kCopyBlocks = 1024;

// Whether there are exchanges in the steps.
bool hasExchanges(const program::DeviceSteps &steps) {
  return std::any_of(steps.begin(), steps.end(), [](const program::DeviceStep &step) {
    if (const auto *loop = std::get_if<program::LoopStep>(&step.what))
      return !loop->exchanges.empty() || hasExchanges(loop->condition) || hasExchanges(loop->body);
    if (const auto *branch = std::get_if<program::BranchStep>(&step.what))
      return std::any_of(branch->branches.begin(), branch->branches.end(), hasExchanges);
    return false;
  });
}

} // namespace

bool Graph::canBe(const LoadedDeviceCode &code) {
  auto given = std::count_if(code.program.places.begin(), code.program.places.end(), isGiven);
  return code.driver.graphAddNode && !code.program.control.code.empty() && given <= program::kBoundAddresses;
}

StatusOr<std::unique_ptr<DeviceRunner>> Graph::create(const LoadedDeviceCode &code, StreamHandle *stream) {
  std::unique_ptr<Graph> made(new Graph(code, stream));
  TENON_RETURN_IF_ERROR(made->allocate());
  TENON_RETURN_IF_ERROR(made->build());
  TENON_RETURN_IF_ERROR(made->upload());
  return std::unique_ptr<DeviceRunner>(std::move(made));
}

Graph::~Graph() { destroyParts(parts_); }

// --- Memory ---

// What the steps need at most: pointers in rows, and words of tables. A condition stands before its loop and in it.
void Graph::count(const program::DeviceSteps &steps) {
  size_t numPlaces = code_.program.places.size();
  for (const program::DeviceStep &step : steps) {
    if (const auto *kernel = std::get_if<program::KernelStep>(&step.what)) {
      numSlots_ += kernel->row.size();
    } else if (std::holds_alternative<program::CopyStep>(step.what)) {
      numSlots_ += 2;
    } else if (const auto *service = std::get_if<program::ServiceStep>(&step.what)) {
      // Copies of operands, of those that are in results, and of results.
      numSlots_ += 2 * service->operands.size() + service->results.size();
      numWords_ += 2 * service->operands.size() + service->results.size();
    } else if (const auto *loop = std::get_if<program::LoopStep>(&step.what)) {
      count(loop->condition);
      count(loop->condition);
      count(loop->body);
      numSlots_ += loop->turn ? loop->turn->row.size() : 0;
      numSlots_ += 2 + 2 * (loop->toTemporaries.size() + loop->copies.size());
      numWords_ += numPlaces + 4 + 2 * loop->exchanges.size(); // with lists' lengths, and what the host reads
    } else if (const auto *branch = std::get_if<program::BranchStep>(&step.what)) {
      for (const program::DeviceSteps &own : branch->branches)
        count(own);
      numSlots_ += branch->branches.size();
      numWords_ += (numPlaces + 2) * (1 + branch->branches.size());
    }
  }
}

Status Graph::allocate() {
  const size_t numPlaces = code_.program.places.size();
  count(code_.program.steps);
  TENON_ASSIGN_OR_RETURN(work_, Workspace::allocate(code_, numSlots_, stream_));
  // Places, where they are at first, whose are given, the place of each slot, two lists of slots, and the time of a
  // look.
  numWords_ += 3 * numPlaces + 3 * numSlots_ + 3;
  TENON_ASSIGN_OR_RETURN(tables_, DeviceMemory::allocate(driver_, numWords_ * kWordBytes, stream_));
  stop_ = work_.stop.get();
  places_ = reserve(numPlaces);
  slotTable_ = reserve(numSlots_);
  allSlots_ = reserve(numSlots_ + 1);
  exchangedSlots_ = reserve(numSlots_ + 1);
  initial_ = reserve(numPlaces);
  bound_ = reserve(numPlaces);
  looked_ = reserve(1);
  return {};
}

DeviceAddress Graph::reserve(size_t words) {
  DeviceAddress address = tables_.address() + tableContents_.size() * kWordBytes;
  tableContents_.resize(tableContents_.size() + words);
  return address;
}

DeviceAddress Graph::addList(const std::vector<uint64_t> &numbers) {
  DeviceAddress address = reserve(numbers.size() + 1);
  uint64_t *words = &tableContents_[(address - tables_.address()) / kWordBytes];
  words[0] = numbers.size();
  std::copy(numbers.begin(), numbers.end(), words + 1);
  return address;
}

DeviceAddress Graph::addPointer(DeviceAddress address) {
  DeviceAddress pointer = reserve(1);
  tableContents_[(pointer - tables_.address()) / kWordBytes] = address;
  return pointer;
}

DeviceAddress Graph::addRow(const std::vector<int32_t> &places) {
  DeviceAddress address = work_.rows.address() + slotPlaces_.size() * sizeof(DeviceAddress);
  slotPlaces_.insert(slotPlaces_.end(), places.begin(), places.end());
  return address;
}

// Fills the tables, and brings them to the device.
Status Graph::upload() {
  if (tableContents_.size() > numWords_ || slotPlaces_.size() > numSlots_)
    return internalError("a graph has more rows than were counted");
  auto at = [&](DeviceAddress address) { return &tableContents_[(address - tables_.address()) / kWordBytes]; };
  auto fillList = [&](DeviceAddress list, auto belongs) {
    uint64_t *words = at(list), count = 0;
    for (size_t slot = 0; slot < slotPlaces_.size(); ++slot)
      if (belongs(slotPlaces_[slot]))
        words[++count] = slot;
    words[0] = count;
  };
  for (size_t slot = 0; slot < slotPlaces_.size(); ++slot)
    at(slotTable_)[slot] = uint64_t(int64_t{slotPlaces_[slot]});
  fillList(allSlots_, [](int32_t) { return true; });
  fillList(exchangedSlots_, [&](int32_t place) { return place >= 0 && code_.isExchanged[size_t(place)]; });
  std::vector<DeviceAddress> fixed = work_.places(code_, {}, {});
  uint64_t given = 0;
  for (size_t place = 0; place < fixed.size(); ++place) {
    at(initial_)[place] = fixed[place];
    at(bound_)[place] = isGiven(code_.program.places[place]) ? given++ : uint64_t(-1);
  }
  if (!tableContents_.empty())
    TENON_DRIVER(driver_, memcpyHtoDAsync, tables_.address(), tableContents_.data(), tableContents_.size() * kWordBytes,
                 stream_);
  return statusOf(driver_.streamSynchronize(stream_), "streamSynchronize");
}

// --- Nodes ---

Status Graph::addNode(Chain &chain, GraphNodeParameters parameters, GraphNodeHandle **node) {
  GraphNodeHandle *made = nullptr;
  TENON_DRIVER(driver_, graphAddNode, &made, chain.graph, chain.last.data(), nullptr, chain.last.size(), &parameters);
  chain.last = {made};
  if (node)
    *node = made;
  return {};
}

static KernelNodeParameters kernelNode(FunctionHandle *function, int64_t blocks, const program::DeviceKernel &kernel,
                                       void **parameters) {
  return {
      function,   unsigned(blocks), 1,       1,      unsigned(kernel.blockThreads), 1, 1, unsigned(kernel.sharedBytes),
      parameters, nullptr,          nullptr, nullptr};
}

Status Graph::addKernel(Chain &chain, FunctionHandle *function, int64_t blocks, const program::DeviceKernel &kernel,
                        const std::vector<Parameter> &parameters) {
  std::vector<Parameter> values = parameters;
  std::vector<void *> pointers;
  for (Parameter &value : values)
    pointers.push_back(&value);
  GraphNodeParameters node{};
  node.kind = GraphNodeKind::kKernel;
  node.kernel = kernelNode(function, blocks, kernel, pointers.data());
  GraphNodeHandle *made = nullptr;
  TENON_RETURN_IF_ERROR(addNode(chain, node, &made));
  if (kernel.isCooperative) {
    LaunchAttributeValue value{};
    value.cooperative = 1;
    TENON_DRIVER(driver_, graphKernelNodeSetAttribute, made, LaunchAttribute::kCooperative, &value);
  }
  return {};
}

Status Graph::addControl(Chain &chain, ControlKernel kernel, const std::vector<Parameter> &parameters, int64_t blocks) {
  return addKernel(chain, code_.control[size_t(kernel)], blocks, code_.program.control.kernels[size_t(kernel)],
                   parameters);
}

// The parameters point to members.
KernelNodeParameters Graph::bindParameters(const std::vector<uint64_t> &addresses) {
  addresses_ = addresses;
  addresses_.resize(program::kBoundAddresses);
  bindValues_ = {places_, initial_, bound_, code_.program.places.size(), work_.rows.address(), slotTable_, allSlots_};
  bindPointers_ = {addresses_.data()};
  for (uint64_t &value : bindValues_)
    bindPointers_.push_back(&value);
  constexpr auto kBind = size_t(ControlKernel::kBind);
  return kernelNode(code_.control[kBind], 1, code_.program.control.kernels[kBind], bindPointers_.data());
}

Status Graph::addBind(Chain &chain) {
  GraphNodeParameters node{};
  node.kind = GraphNodeKind::kKernel;
  node.kernel = bindParameters({});
  return addNode(chain, node, &bindNode_);
}

StatusOr<ConditionalHandle> Graph::makeHandle(const Chain &chain) {
  ConditionalHandle handle = 0;
  TENON_DRIVER(driver_, graphConditionalHandleCreate, &handle, chain.graph, code_.context, 0, 0);
  return handle;
}

StatusOr<GraphHandle *> Graph::addConditional(Chain &chain, ConditionalKind kind, ConditionalHandle handle) {
  GraphNodeHandle *made = nullptr;
  GraphNodeParameters node{};
  node.kind = GraphNodeKind::kConditional;
  node.conditional = {handle, kind, 1, nullptr, code_.context};
  TENON_DRIVER(driver_, graphAddNode, &made, chain.graph, chain.last.data(), nullptr, chain.last.size(), &node);
  chain.last = {made};
  return node.conditional.bodies[0];
}

// --- Steps ---

Status Graph::addSteps(Chain &chain, const program::DeviceSteps &steps) {
  for (const program::DeviceStep &step : steps)
    TENON_RETURN_IF_ERROR(std::visit([&](const auto &what) { return add(chain, what); }, step.what));
  return {};
}

Status Graph::add(Chain &chain, const program::KernelStep &step) {
  if (LibraryOp *op = code_.libraryOpOf(step))
    return addLibraryOp(chain, step, *op);
  DeviceAddress row = addRow(step.row);
  const program::DeviceModule &module = code_.program.modules[size_t(step.module)];
  for (size_t i = 0; i < module.kernels.size(); ++i) {
    const program::DeviceKernel &kernel = module.kernels[i];
    TENON_RETURN_IF_ERROR(
        addKernel(chain, code_.kernels[size_t(step.module)][i], code_.blocksOf(kernel), kernel,
                  {row, uint64_t(kernel.tasks), work_.scratch.address(), uint64_t(kernel.scratchBytes)}));
  }
  return {};
}

Status Graph::add(Chain &chain, const program::CopyStep &step) {
  return step.to == step.from || step.bytes == 0 ? Status()
                                                 : addCopy(chain, addRow({step.to}), addRow({step.from}), step.bytes);
}

Status Graph::addCopy(Chain &chain, DeviceAddress to, DeviceAddress from, int64_t bytes) {
  int32_t threads = code_.program.control.kernels.front().blockThreads;
  int64_t words = bytes / int64_t(kWordBytes) + 1;
  return addControl(chain, ControlKernel::kCopy, {to, from, uint64_t(bytes)},
                    std::min((words + threads - 1) / threads, kCopyBlocks));
}

Status Graph::addAdvance(Chain &chain, DeviceAddress saved, const std::vector<std::pair<int32_t, int32_t>> &exchanges) {
  if (!saved)
    return {};
  return addControl(chain, ControlKernel::kAdvance,
                    {places_, saved, code_.program.places.size(), addExchanges(exchanges), work_.rows.address(),
                     slotTable_, exchangedSlots_});
}

DeviceAddress Graph::addExchanges(const std::vector<std::pair<int32_t, int32_t>> &exchanges) {
  std::vector<uint64_t> numbers;
  for (auto [home, other] : exchanges)
    numbers.insert(numbers.end(), {uint64_t(home), uint64_t(other)});
  DeviceAddress list = addList(numbers);
  tableContents_[(list - tables_.address()) / kWordBytes] = exchanges.size();
  return list;
}

Status Graph::add(Chain &chain, const program::LoopStep &step) {
  DeviceAddress saved = 0;
  if (!step.exchanges.empty() || hasExchanges(step.condition) || hasExchanges(step.body)) {
    saved = reserve(code_.program.places.size());
    TENON_RETURN_IF_ERROR(addControl(chain, ControlKernel::kSave, {places_, saved, code_.program.places.size()}));
  }
  if (isCut(step.condition) || isCut(step.body))
    TENON_RETURN_IF_ERROR(addLoopOfHost(chain, step, saved));
  else
    TENON_RETURN_IF_ERROR(addLoopOfNodes(chain, step, saved));
  return hasExchanges(step.condition) ? addAdvance(chain, saved, {}) : Status();
}

Status Graph::addContinue(Chain &chain, const program::LoopStep &step, ConditionalHandle handle) {
  return addControl(chain, ControlKernel::kContinue,
                    {handle, addRow({step.predicate}), reinterpret_cast<DeviceAddress>(stop_), looked_});
}

Status Graph::addLoopOfNodes(Chain &chain, const program::LoopStep &step, DeviceAddress saved) {
  TENON_ASSIGN_OR_RETURN(ConditionalHandle handle, makeHandle(chain));
  TENON_RETURN_IF_ERROR(addSteps(chain, step.condition));
  TENON_RETURN_IF_ERROR(addContinue(chain, step, handle));
  TENON_ASSIGN_OR_RETURN(GraphHandle * body, addConditional(chain, ConditionalKind::kWhile, handle));
  Chain inside{body};
  TENON_RETURN_IF_ERROR(addBody(inside, step, saved));
  return addTurn(inside, step, saved, handle);
}

Status Graph::addTurn(Chain &chain, const program::LoopStep &step, DeviceAddress saved,
                      std::optional<ConditionalHandle> handle) {
  if (!step.turn) {
    TENON_RETURN_IF_ERROR(addAdvance(chain, saved, step.exchanges));
    TENON_RETURN_IF_ERROR(addSteps(chain, step.condition));
    return handle ? addContinue(chain, step, *handle) : Status();
  }
  auto module = size_t(step.turn->module);
  return addKernel(chain, code_.kernels[module].front(), 1, code_.program.modules[module].kernels.front(),
                   {addRow(step.turn->row), handle.value_or(0), handle ? reinterpret_cast<DeviceAddress>(stop_) : 0,
                    looked_, places_, saved, code_.program.places.size(), saved ? addExchanges(step.exchanges) : 0,
                    work_.rows.address(), slotTable_, exchangedSlots_});
}

// An iteration, but for its end.
Status Graph::addBody(Chain &chain, const program::LoopStep &step, DeviceAddress saved) {
  TENON_RETURN_IF_ERROR(addSteps(chain, step.body));
  // To where the place was when the iteration began.
  auto addCarry = [&](const program::CopyStep &carry) -> Status {
    if (!saved)
      return add(chain, carry);
    return carry.bytes == 0
               ? Status()
               : addCopy(chain, saved + uint64_t(carry.to) * kWordBytes, addRow({carry.from}), carry.bytes);
  };
  for (const program::CopyStep &carry : step.toTemporaries)
    TENON_RETURN_IF_ERROR(addCarry(carry));
  for (const program::CopyStep &carry : step.copies)
    TENON_RETURN_IF_ERROR(addCarry(carry));
  return {};
}

// An IF for each branch: nodes of several bodies are newer. All are decided before the first runs.
Status Graph::add(Chain &chain, const program::BranchStep &step) {
  bool isSaved = std::any_of(step.branches.begin(), step.branches.end(), hasExchanges);
  DeviceAddress saved = isSaved ? reserve(code_.program.places.size()) : 0;
  if (isSaved)
    TENON_RETURN_IF_ERROR(addControl(chain, ControlKernel::kSave, {places_, saved, code_.program.places.size()}));
  if (std::any_of(step.branches.begin(), step.branches.end(), [&](const auto &steps) { return isCut(steps); }))
    return addBranchOfHost(chain, step, saved);
  std::vector<ConditionalHandle> handles;
  for (size_t i = 0; i < step.branches.size(); ++i) {
    TENON_ASSIGN_OR_RETURN(ConditionalHandle handle, makeHandle(chain));
    handles.push_back(handle);
    TENON_RETURN_IF_ERROR(
        addControl(chain, ControlKernel::kChoose,
                   {handle, addRow({step.selector}), i, step.branches.size(), uint64_t(step.isTwoWay)}));
  }
  for (size_t i = 0; i < step.branches.size(); ++i) {
    TENON_ASSIGN_OR_RETURN(GraphHandle * body, addConditional(chain, ConditionalKind::kIf, handles[i]));
    Chain inside{body};
    TENON_RETURN_IF_ERROR(addSteps(inside, step.branches[i]));
    TENON_RETURN_IF_ERROR(addAdvance(inside, saved, {}));
  }
  return {};
}

} // namespace tenon::runtime::cuda
