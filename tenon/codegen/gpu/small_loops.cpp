#include "tenon/codegen/gpu/small_loops.h"

#include "llvm/Support/MathExtras.h"

namespace tenon::codegen {
namespace {

constexpr int kLoopThreads = 256;         // the most of a block
constexpr int64_t kMostScratch = 1 << 12; // bytes of a thread
// Nanoseconds that a step of a cluster waits for its blocks, and for global memory, through which they get what others
// have written: an assumption, as no GPU has been asked.
constexpr double kClusterStep = 1000;

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
  phase.nanoseconds = costs.kernel + tiles->products / (costs.blocks.loopProducts * costs.blocks.loopBlock);
  kernel.phases.assign(1, phase);
  kernel.scratchBytes = kernel.tempBytes = 0;
  return tiles;
}

} // namespace

// The team that takes the least time. Clusters have to take less than what a loop of nodes is sure to wait for.
std::optional<LoopTeam> SmallLoops::teamOf(mlir::Operation *loop) {
  if (!target_.options().loopKernels)
    return std::nullopt;
  Work work;
  work.joinedNodes = costs().node; // which ends the iterations
  for (mlir::Region &region : loop->getRegions())
    if (!add(region, work))
      return std::nullopt;
  if (work.nodes == 0 || work.nodes > costs().mostLoopNodes * costs().node)
    return std::nullopt;
  LoopTeam block = blockFor(work);
  double ofBlock = timeOf(work, block);
  if (work.alone <= ofBlock && work.alone <= work.nodes)
    return LoopTeam();
  if (std::optional<LoopTeam> cluster = clusterFor(work))
    if (double time = timeOf(work, *cluster); time < ofBlock && time <= work.joinedNodes)
      return cluster;
  return ofBlock <= work.nodes ? std::optional(block) : std::nullopt;
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
      tasks = std::max(tasks, step->tasks);
  return tasks;
}

// As many threads as there are tasks, and in a cluster as many blocks.
LoopTeam SmallLoops::blockFor(const Work &work) const {
  return {1, int(std::min<uint64_t>(llvm::PowerOf2Ceil(uint64_t(mostTasks(work))), uint64_t(kLoopThreads)))};
}

std::optional<LoopTeam> SmallLoops::clusterFor(const Work &work) const {
  uint64_t blocks = llvm::PowerOf2Ceil(llvm::divideCeil(uint64_t(mostTasks(work)), uint64_t(kLoopThreads)));
  LoopTeam team{int(std::min<uint64_t>(blocks, uint64_t(target_.chip().mostClusterBlocks))), kLoopThreads};
  return team.blocks > 1 ? std::optional(team) : std::nullopt;
}

double SmallLoops::timeOf(const Work &work, const LoopTeam &team) const {
  double time = 0;
  for (const LoopStepPlan *step : work.steps) {
    if (!isShared(*step)) {
      time += step->nanoseconds * costs().loneThread;
      continue;
    }
    for (const KernelPart &part : step->plan.parts)
      for (const KernelPhase &phase : part.kernel().phases) {
        auto rounds = int64_t(llvm::divideCeil(uint64_t(phase.extent), uint64_t(team.all())));
        double work = workOf(phase), task = work / double(std::max<int64_t>(phase.extent, 1));
        time += std::max((task * double(rounds) + costs().sharedLoopStep) * costs().loneThread,
                         work * costs().loopBlock / team.blocks);
        if (!team.isOneBlock())
          time += kClusterStep;
      }
  }
  return time;
}

bool SmallLoops::add(mlir::Region &region, Work &work) {
  for (mlir::Operation &op : region.front().without_terminator())
    if (!add(&op, work))
      return false;
  return true;
}

bool SmallLoops::add(mlir::Operation *op, Work &work) {
  switch (instructions_.kindOf(op)) {
  case InstructionKind::kConstant:
  case InstructionKind::kScalar:
  case InstructionKind::kAlias:
  case InstructionKind::kNothing:
  case InstructionKind::kReturn:
    return true;
  case InstructionKind::kRuntimeCall:
    return false;
  case InstructionKind::kWhile:
  case InstructionKind::kBranch:
    work.nodes += costs().node;
    work.joinedNodes += costs().node;
    return llvm::all_of(op->getRegions(), [&](mlir::Region &region) { return add(region, work); });
  case InstructionKind::kKernel:
    break;
  }
  const std::optional<LoopStepPlan> &step = planned(op);
  if (!step)
    return false;
  work.nodes += costs().node;
  if (!isForThread(op))
    work.joinedNodes += costs().node;
  work.alone += step->nanoseconds * costs().loneThread;
  work.steps.push_back(&*step);
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
  for (KernelPart &part : step.plan.parts) {
    step.tiles.push_back(chooseTiles(part, target_.costs()));
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
