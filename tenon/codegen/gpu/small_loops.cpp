#include "tenon/codegen/gpu/small_loops.h"

#include "llvm/Support/MathExtras.h"

namespace tenon::codegen {
namespace {

constexpr int kLoopThreads = 256;         // the most of a block
constexpr int64_t kMostScratch = 1 << 12; // bytes of a thread

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

std::optional<int> SmallLoops::threadsOf(mlir::Operation *loop) {
  if (!target_.options().loopKernels)
    return std::nullopt;
  Work work;
  for (mlir::Region &region : loop->getRegions())
    if (!add(region, work))
      return std::nullopt;
  int threads = blockThreads(work);
  double together = timeTogether(work, threads);
  if (work.nodes == 0 || work.nodes > costs().mostLoopNodes * costs().node ||
      std::min(work.alone, together) > work.nodes)
    return std::nullopt;
  return work.alone <= together ? 1 : threads;
}

// Without what it takes to start a kernel.
double SmallLoops::workOf(const KernelPhase &phase) const {
  return std::max(0.0, phase.nanoseconds - target_.costs().kernel);
}

// As many as the most tasks of a step that is shared out.
int SmallLoops::blockThreads(const Work &work) const {
  int64_t tasks = program::kWarpThreads;
  for (const LoopStepPlan *step : work.steps)
    if (step->nanoseconds >= costs().sharedLoopStep)
      tasks = std::max(tasks, step->tasks);
  return int(std::min<uint64_t>(llvm::PowerOf2Ceil(uint64_t(tasks)), uint64_t(kLoopThreads)));
}

double SmallLoops::timeTogether(const Work &work, int threads) const {
  double time = 0;
  for (const LoopStepPlan *step : work.steps) {
    if (step->nanoseconds < costs().sharedLoopStep) {
      time += step->nanoseconds * costs().loneThread;
      continue;
    }
    for (const KernelPart &part : step->plan.parts)
      for (const KernelPhase &phase : part.kernel().phases) {
        int64_t rounds = int64_t(llvm::divideCeil(uint64_t(phase.extent), uint64_t(threads)));
        double work = workOf(phase), task = work / double(std::max<int64_t>(phase.extent, 1));
        time +=
            std::max((task * double(rounds) + costs().sharedLoopStep) * costs().loneThread, work * costs().loopBlock);
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
    return llvm::all_of(op->getRegions(), [&](mlir::Region &region) { return add(region, work); });
  case InstructionKind::kKernel:
    break;
  }
  const std::optional<LoopStepPlan> &step = planned(op);
  if (!step)
    return false;
  work.nodes += costs().node;
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
