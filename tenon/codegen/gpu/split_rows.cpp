#include "tenon/codegen/gpu/split_rows.h"

#include "tenon/codegen/gpu/row_team.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using tenon::codegen::loop::LLVMValues, tenon::codegen::loop::LoopEvaluator, tenon::codegen::loop::StageAccumulators;

namespace tenon::codegen {
namespace {

// Blocks for every multiprocessor. Of rows that are read along there are several times as many as are at work at once:
// not all multiprocessors are as near to memory, and whichever is done takes another.
constexpr int64_t kBlocksAlong = 16, kBlocksAcross = 2;
// A thread adds up so many parts at most, while there are threads for it.
constexpr int64_t kCombined = 8;

// Other parts than the plan had.
void setPartSize(loop::SplitReductionPlan &plan, int64_t size) {
  int64_t before = plan.count, kept = plan.parts.keptElements(), extent = plan.parts.dims[plan.parts.keptDims].extent;
  plan.parts.splitSize = size;
  plan.count = divideCeilSigned(extent, size);
  plan.parts.indexer->space().setDimRange(plan.partDim, {0, plan.count - 1});
  auto bytesOf = [&](mlir::Type type, int64_t count) {
    return int64_t(alignTo(uint64_t(count * kept * storageBytes(type)), 64));
  };
  int64_t added = 0;
  for (auto [type, offset] : zip(plan.types, plan.offsets)) {
    offset += added;
    added += bytesOf(type, plan.count) - bytesOf(type, before);
  }
  plan.kernel.tempBytes += added;
}

// The bytes of accumulators at so many places; those of complex numbers are two.
int64_t sharedBytes(const loop::SplitReductionPlan &plan, int64_t places) {
  return int64_t(plan.types.size()) * 2 * kSlotBytes * places;
}

// The parts of each row, one after the other in memory for each of them.
RowTeamPlan planCombination(const loop::SplitReductionPlan &plan, const CostModel::Blocks &costs) {
  RowTeamPlan team;
  int64_t kept = plan.parts.keptElements();
  team.vectors = plan.count;
  team.threads = int(std::clamp<uint64_t>(PowerOf2Ceil(uint64_t(divideCeilSigned(plan.count, kCombined))), kWarpThreads,
                                          uint64_t(costs.rowThreads)));
  team.rows = std::max(1, costs.leastThreads / team.threads);
  if (team.threads > kWarpThreads)
    team.sharedBytes = sharedBytes(plan, team.blockThreads() / kWarpThreads);
  team.tasks = divideCeilSigned(kept, team.rows);
  // With a row of its own for each lane, what they read lies side by side.
  if (plan.parts.keptDims > 0 && plan.parts.dims[plan.parts.keptDims - 1].extent >= kWarpThreads) {
    int64_t extent = plan.parts.dims[plan.parts.keptDims - 1].extent;
    team.isAlong = false;
    team.vectors = extent;
    team.rows = kWarpThreads;
    team.threads = costs.combiningWarps;
    team.tasks = kept / extent * divideCeilSigned(extent, team.rows);
    team.sharedBytes = sharedBytes(plan, team.blockThreads());
  }
  return team;
}

} // namespace

FormPhases SplitTeamPlan::phases() const {
  FormPhases phases = parts.phases();
  append_range(phases, combination.phases());
  return phases;
}

std::optional<SplitTeamPlan> planSplitTeam(loop::SplitReductionPlan &plan, const CostModel::Blocks &costs) {
  const RowReductionPlan &rows = plan.parts;
  int64_t extent = rows.dims[rows.keptDims].extent, inner = rows.reducedElements() / extent;
  std::optional<RowTeamPlan> whole = planRowTeam(rows, extent, costs);
  if (!whole)
    return std::nullopt;
  bool isVector = rows.vectorAlongRow && rows.dims.size() == rows.keptDims + 1;
  int64_t rowsOfBlock = whole->isAlong ? whole->rows : whole->rows * int64_t(whole->lanes);
  int64_t least = std::max<int64_t>(1, costs.reducedPart * (whole->isAlong ? 1 : 4) / (inner * rowsOfBlock));
  // A part that is too small for a block takes longer to start than to reduce.
  int64_t blocks = (whole->isAlong ? kBlocksAlong : kBlocksAcross) * costs.multiprocessors;
  int64_t size = std::max(divideCeilSigned(extent * whole->tasks, blocks), least);
  loop::SplitReductionPlan cut = plan;
  setPartSize(cut, std::min(extent, int64_t(alignTo(uint64_t(size), isVector ? 1024 : 8))));
  std::optional<RowTeamPlan> parts = planRowTeam(cut.parts, cut.parts.splitSize, costs);
  if (!parts)
    return std::nullopt;
  plan = std::move(cut);
  parts->inRegisters = false;
  parts->tasks *= plan.count;
  return SplitTeamPlan{*parts, planCombination(plan, costs)};
}

void SplitTeamPlan::print(raw_ostream &os) const {
  os << "parts: ";
  parts.print(os);
  os << "combination: ";
  combination.print(os);
}

namespace {

class SplitTeam {
public:
  SplitTeam(const SplitTeamPlan &team, const loop::SplitReductionPlan &plan, GpuBuilder &gpu)
      : team_(team), plan_(plan), rows_(plan.parts), gpu_(gpu) {}

  void emitParts(LoopEvaluator &evaluator, Value *task) {
    IRBuilder<> &b = evaluator.builder();
    Value *blocks = evaluator.constant(team_.parts.tasks / plan_.count);
    Value *part = b.CreateUDiv(task, blocks);
    RowTeam team(team_.parts, rows_, evaluator, gpu_);
    team.bindRow(b.CreateSub(task, b.CreateNSWMul(part, blocks)));
    evaluator.bindDim(plan_.partDim, part, 0);
    int64_t extent = rows_.dims[rows_.keptDims].extent;
    Value *begin = b.CreateNSWMul(part, evaluator.constant(rows_.splitSize));
    Value *end = b.CreateNSWAdd(begin, evaluator.constant(rows_.splitSize));
    if (extent % rows_.splitSize != 0)
      end = b.CreateBinaryIntrinsic(Intrinsic::smin, end, evaluator.constant(extent));
    StageAccumulators accumulators(evaluator, rows_.stages[0].reduces);
    LLVMValues values = team.reduce(rows_.stages[0], accumulators, begin, end);
    team.onFirst([&] {
      loop::Elements elements = LoopEvaluator::unpack(values, accumulators.types());
      for (auto [i, element] : enumerate(elements))
        evaluator.storeAt(accumulators.types()[i], partial(evaluator, i), plan_.position, element);
    });
  }

  void emitCombination(LoopEvaluator &evaluator, Value *task) {
    RowTeam team(team_.combination, rows_, evaluator, gpu_);
    team.bindRow(task);
    StageAccumulators accumulators(evaluator, rows_.stages[0].reduces);
    LLVMValues start = accumulators.start(1, false);
    Value *count = evaluator.constant(plan_.count);
    auto own = [&] {
      return evaluator.forLoop(team.member(), count, team_.combination.threads, start, [&](Value *part, auto values) {
        evaluator.bindDim(plan_.partDim, part, 0);
        loop::Elements elements;
        for (auto [i, type] : enumerate(accumulators.types()))
          elements.push_back(evaluator.loadAt(type, partial(evaluator, i), plan_.position));
        return accumulators.merge(values, LoopEvaluator::pack(elements));
      });
    };
    team.finish(accumulators, team.exchange(accumulators, team.ifRow(own, start)));
    team.onFirst([&] { loop::RowEmitter(evaluator, rows_, nullptr).writeRowOutputs(); });
  }

private:
  Value *partial(LoopEvaluator &evaluator, size_t number) {
    IRBuilder<> &b = evaluator.builder();
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), evaluator.tempPointer(), uint64_t(plan_.offsets[number]));
  }

  const SplitTeamPlan &team_;
  const loop::SplitReductionPlan &plan_;
  const RowReductionPlan &rows_;
  GpuBuilder &gpu_;
};

} // namespace

LogicalResult emitSplitTeam(const SplitTeamPlan &team, const loop::SplitReductionPlan &plan, const KernelSource &source,
                            Module &module, const EmissionTarget &target, GpuBuilder &gpu) {
  SplitTeam emitter(team, plan, gpu);
  auto parts = [&](LoopEvaluator &evaluator, Function *function) { emitter.emitParts(evaluator, function->getArg(1)); };
  auto combination = [&](LoopEvaluator &evaluator, Function *function) {
    emitter.emitCombination(evaluator, function->getArg(1));
  };
  const auto &phases = plan.kernel.phases;
  if (failed(loop::emitLoopFunction(phases[0], plan.parts, source, module, target, parts)))
    return failure();
  return loop::emitLoopFunction(phases[1], plan.parts, source, module, target, combination);
}

} // namespace tenon::codegen
