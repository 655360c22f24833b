#include "tenon/codegen/gpu/small_loops.h"

#include "tenon/codegen/gpu/loop_memory.h"
#include "tenon/codegen/gpu/loop_products.h"

#include "llvm/Support/MathExtras.h"

namespace tenon::codegen {
namespace {

constexpr int64_t kMostScratch = 1 << 12; // bytes of a thread
constexpr int kMostEmulatedBlocks = 16;   // of a grid: the host has a stack for each of its threads

// A thread takes a tile of a product, which reads its operands where they are, and no block packs them.
std::optional<TileProductPlan> chooseTiles(KernelPart &part, const CostModel &costs) {
  auto *dot = std::get_if<DotPlan>(&part.schedule);
  if (!dot)
    return std::nullopt;
  std::optional<TileProductPlan> tiles = planTileProduct(*dot, kLoopThreads / 2);
  if (!tiles)
    return std::nullopt;
  Kernel &kernel = dot->kernel;
  KernelPhase phase = kernel.phases.back();
  phase.extent = tiles->tasks;
  phase.nanoseconds = costs.kernel + tiles->products / (costs.blocks.threadProducts * costs.blocks.loneThread);
  kernel.phases.assign(1, phase);
  kernel.scratchBytes = kernel.tempBytes = 0;
  return tiles;
}

// What a product takes where it is a node, besides starting: a kernel of threads, each step along k; others have matrix
// instructions, which take many steps at once.
double timeOfProduct(const KernelPart &part, const CostModel::Blocks &costs) {
  if (std::optional<SkinnyProductPlan> product = planBlockProduct(part, costs.multiprocessors, costs))
    return nanosecondsOf(*product, part, costs.multiprocessors);
  const auto *dot = std::get_if<DotPlan>(&part.schedule);
  bool isByThreads = dot && storageBytes(dot->problem.arithmetic.factor) == sizeof(float);
  return isByThreads ? double(dot->problem.k) * costs.productStep : 0;
}

// Those of the blocks that all multiprocessors have of a step's products of few rows.
int64_t threadsOfProducts(const LoopStepPlan &step, const CostModel::Blocks &costs) {
  int64_t threads = 0;
  for (const KernelPart &part : step.plan.parts)
    if (std::optional<SkinnyProductPlan> product = planBlockProduct(part, costs.multiprocessors, costs))
      threads = std::max(threads, product->tasks * kLoopThreads);
  return threads;
}

// What a kernel reads and writes: of arrays that a map reads a slice of, no more than the slice.
double bytesOf(const KernelPlan &plan) {
  const auto *map = std::get_if<loop::MapPlan>(&plan.parts.front().schedule);
  if (!map || plan.parts.size() > 1)
    return plan.kernel.bytes;
  double ofElement = 0;
  for (const PlanAccess &access : map->use.accesses)
    ofElement += double(storageBytes(elementTypeOf(access.value)));
  return std::min(plan.kernel.bytes, double(map->elements()) * ofElement);
}

// Whether threads read elements one by one, those of windows and of rows, instead of in vectors.
bool isGathered(const KernelPart &part) {
  if (std::holds_alternative<DotPlan>(part.schedule))
    return false;
  const auto *map = std::get_if<loop::MapPlan>(&part.schedule);
  return !map || llvm::any_of(map->use.accesses, [&](const PlanAccess &access) {
    return access.conditional || access.position.isFunctionOfDim(unsigned(map->dims.size()));
  });
}

} // namespace

std::optional<LoopTeam> SmallLoops::teamOf(mlir::Operation *loop) {
  if (target_.loops().form == ForcedLoops::Form::kNodes)
    return std::nullopt;
  Work work;
  addLoop(loop, work);
  for (mlir::Region &region : loop->getRegions())
    if (!add(region, work))
      return std::nullopt;
  if (work.numNodes == 0 || double(work.numNodes) > costs().mostLoopNodes)
    return std::nullopt;
  bool isForced = target_.loops().form != ForcedLoops::Form::kNone &&
                  llvm::any_of(work.steps, [&](const LoopStepPlan *step) { return isShared(*step); });
  std::optional<LoopTeam> team = isForced ? forced(work) : fastest(work);
  if (team && team->isGrid && target_.options().emulator)
    team->blocks = std::min(team->blocks, kMostEmulatedBlocks);
  return team;
}

// The team that takes the least time, if that is less than what nodes take.
std::optional<LoopTeam> SmallLoops::fastest(const Work &work) const {
  LoopTeam best = blockFor(work);
  double least = timeOf(work, best);
  for (const std::optional<LoopTeam> &team : {clusterFor(work), gridFor(work)})
    if (double time = team ? timeOf(work, *team) : 0; team && time < least) {
      best = *team;
      least = time;
    }
  if (work.alone <= least) {
    best = LoopTeam();
    least = work.alone;
  }
  return least <= work.asNodes ? std::optional(best) : std::nullopt;
}

LoopTeam SmallLoops::forced(const Work &work) const {
  switch (target_.loops().form) {
  case ForcedLoops::Form::kCluster:
    return {target_.loops().blocks, kLoopThreads};
  case ForcedLoops::Form::kGrid:
    return gridFor(work).value_or(LoopTeam{2, kLoopThreads, /*isGrid=*/true});
  case ForcedLoops::Form::kBlock:
  case ForcedLoops::Form::kNone:
  case ForcedLoops::Form::kNodes:
    break;
  }
  return blockFor(work);
}

// Without what it takes to start a kernel.
double SmallLoops::workOf(const KernelPhase &phase) const {
  return std::max(0.0, phase.nanoseconds - target_.costs().kernel);
}

// The most tasks of a step that is shared out.
int64_t SmallLoops::mostTasks(const Work &work) const {
  int64_t tasks = program::kWarpThreads;
  for (const LoopStepPlan *step : work.steps)
    if (isShared(*step))
      tasks = std::max({tasks, step->tasks, threadsOfProducts(*step, costs())});
  return tasks;
}

// Each team has as many threads as there are tasks, up to a limit, and several blocks as many blocks.
LoopTeam SmallLoops::blockFor(const Work &work) const {
  return {1, int(std::min<uint64_t>(llvm::PowerOf2Ceil(uint64_t(mostTasks(work))), uint64_t(kLoopThreads)))};
}

std::optional<LoopTeam> SmallLoops::clusterFor(const Work &work) const {
  uint64_t blocks = llvm::PowerOf2Ceil(llvm::divideCeil(uint64_t(mostTasks(work)), uint64_t(kLoopThreads)));
  LoopTeam team{int(std::min<uint64_t>(blocks, uint64_t(target_.chip().mostClusterBlocks))), kLoopThreads};
  return team.blocks > 1 ? std::optional(team) : std::nullopt;
}

std::optional<LoopTeam> SmallLoops::gridFor(const Work &work) const {
  auto blocks = int64_t(llvm::divideCeil(uint64_t(mostTasks(work)), uint64_t(kLoopThreads)));
  LoopTeam team{int(std::min(blocks, costs().multiprocessors)), kLoopThreads, /*isGrid=*/true};
  return team.blocks > 1 ? std::optional(team) : std::nullopt;
}

// Each thread has time for its own tasks alone: 256 of them are too few for a multiprocessor to be short of anything.
double SmallLoops::timeOf(const Work &work, const LoopTeam &team) const {
  bool isInShared = team.hasSharedMemory() && work.writtenBytes <= sharedBytesOfLoop(target_.chip());
  double time = 0;
  for (const LoopStepPlan *step : work.steps)
    time += isShared(*step) ? threadTime(*step, team, isInShared) : step->nanoseconds * costs().loneThread;
  return time;
}

double SmallLoops::threadTime(const LoopStepPlan &step, const LoopTeam &team, bool isInShared) const {
  double time = 0, bytes = step.bytes;
  for (auto [number, part] : llvm::enumerate(step.plan.parts)) {
    if (std::optional<SkinnyProductPlan> product = fastestBlockProduct(step, number, team, costs())) {
      time += waitOf(team) + nanosecondsOf(*product, part, team.blocks);
      bytes = 0;
      continue;
    }
    double slower = costs().loneThread * (isGathered(part) ? costs().loopGather : 1);
    for (const KernelPhase &phase : part.kernel().phases) {
      double rounds = double(llvm::divideCeil(uint64_t(phase.extent), uint64_t(team.most())));
      time += waitOf(team) + rounds * workOf(phase) * slower / double(std::max<int64_t>(phase.extent, 1));
    }
  }
  double rounds = double(llvm::divideCeil(uint64_t(step.tasks), uint64_t(team.most())));
  return isInShared ? time : time + rounds * bytes / double(step.tasks) * costs().loopByte;
}

double SmallLoops::waitOf(const LoopTeam &team) const {
  return team.isGrid ? costs().gridStep : team.isOneBlock() ? costs().blockStep : costs().clusterStep;
}

void SmallLoops::addWritten(const BufferClass *buffer, Work &work) const {
  if (buffer && work.written.insert(buffer).second)
    work.writtenBytes += buffer->bytes;
}

void SmallLoops::addLoop(mlir::Operation *loop, Work &work) const {
  work.asNodes += costs().loopTurn + costs().node; // a node ends the iterations
  const CarryPlan &carries = memory_.loop(loop);
  for (const auto *classes : {&carries.home, &carries.other})
    for (int number : *classes)
      if (number >= 0)
        addWritten(&memory_.classAt(number), work);
}

bool SmallLoops::add(mlir::Region &region, Work &work) {
  for (mlir::Operation &op : region.front().without_terminator())
    if (!add(&op, work))
      return false;
  return true;
}

bool SmallLoops::add(mlir::Operation *op, Work &work) {
  InstructionKind kind = instructions_.kindOf(op);
  switch (kind) {
  case InstructionKind::kConstant:
  case InstructionKind::kScalar:
  case InstructionKind::kAlias:
  case InstructionKind::kView:
  case InstructionKind::kNothing:
  case InstructionKind::kReturn:
    return true;
  case InstructionKind::kRuntimeCall:
    return false;
  case InstructionKind::kWhile:
  case InstructionKind::kBranch:
    ++work.numNodes;
    if (kind == InstructionKind::kWhile)
      addLoop(op, work);
    else
      work.asNodes += costs().node;
    return llvm::all_of(op->getRegions(), [&](mlir::Region &region) { return add(region, work); });
  case InstructionKind::kKernel:
    break;
  }
  const std::optional<LoopStepPlan> &step = planned(op);
  if (!step)
    return false;
  ++work.numNodes;
  double alone = step->nanoseconds * costs().loneThread;
  work.asNodes += isForThread(op) ? alone : costs().node + step->ofProducts;
  work.alone += alone;
  work.steps.push_back(&*step);
  for (mlir::Value result : op->getResults())
    addWritten(&memory_.classOf(result), work);
  addWritten(memory_.temporaryOf(op), work);
  return true;
}

const std::optional<LoopStepPlan> &SmallLoops::planned(mlir::Operation *op) {
  int32_t module = modules_.at(op);
  auto [entry, isNew] = plans_.try_emplace(module);
  if (isNew)
    entry->second = plan(op, symbols_[size_t(module)]);
  return entry->second;
}

bool SmallLoops::isForThread(mlir::Operation *op) {
  const std::optional<LoopStepPlan> &step = planned(op);
  return step && step->nanoseconds * costs().loneThread < costs().node && step->plan.kernel.scratchBytes == 0 &&
         step->plan.kernel.tempBytes == 0;
}

// None where it takes more memory than is planned, for the kernels that are in forms of their own, or is too much for a
// thread.
std::optional<LoopStepPlan> SmallLoops::plan(mlir::Operation *op, llvm::StringRef symbol) const {
  llvm::FailureOr<KernelPlan> planned = planKernel(op, symbol, target_);
  if (failed(planned))
    return std::nullopt;
  LoopStepPlan step{std::move(*planned), {}, op->getNumOperands(), op->getNumResults()};
  int64_t tempBytes = 0, scratchBytes = 0;
  step.bytes = bytesOf(step.plan);
  for (KernelPart &part : step.plan.parts) {
    step.ofProducts += timeOfProduct(part, costs());
    step.tiles.push_back(chooseTiles(part, target_.costs()));
    if (step.tiles.back())
      step.bytes = step.tiles.back()->bytes;
    const Kernel &kernel = part.kernel();
    if (kernel.tempBytes > 0)
      tempBytes = std::max(tempBytes, part.source.tempBase + kernel.tempBytes);
    tempBytes = std::max(tempBytes, part.source.tempBase);
    scratchBytes = std::max(scratchBytes, kernel.scratchBytes);
    for (const KernelPhase &phase : kernel.phases) {
      step.nanoseconds += workOf(phase);
      step.tasks = std::max(step.tasks, phase.extent);
    }
  }
  step.plan.kernel.phases.clear();
  for (const KernelPart &part : step.plan.parts)
    step.plan.kernel.phases.append(part.kernel().phases);
  step.plan.kernel.scratchBytes = scratchBytes;
  step.plan.kernel.tempBytes = tempBytes;
  bool hasRoom = tempBytes <= instructions_.kernels.at(op)->tempBytes && scratchBytes <= kMostScratch;
  return hasRoom ? std::optional(std::move(step)) : std::nullopt;
}

} // namespace tenon::codegen
