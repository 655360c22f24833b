#include "tenon/codegen/kernel/matmul/matmul.h"

#include "tenon/codegen/kernel/matmul/runs.h"
#include "tenon/codegen/kernel/matmul/tiled.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tenon::codegen::matmul {

// Stores and most loads want n to be the dense dimension of the result. A single column becomes a single row.
static bool shouldSwap(const Problem &p) {
  if (p.n == 1 && p.m > 1)
    return true;
  if (p.m == 1)
    return false;
  return !p.nOut.hasContiguousRuns() && p.mOut.hasContiguousRuns();
}

// Whether a few columns may be worth to be the rows: those of a lhs that is read in place, along k.
static bool mayHaveRuns(const Problem &p) {
  constexpr int64_t kMoreRows = 8;
  return !p.spec.isPart() && p.n > 1 && p.m >= kMoreRows * p.n &&
         double(p.m) * double(p.n) * double(p.k) > p.target.costs.plainProduct;
}

static StatusOr<Problem> prepare(const ContractionSpec &spec, const MatmulTarget &target, bool hasEpilogue,
                                 const ContractionBuffers &buffers) {
  StatusOr<Problem> problem = makeProblem(spec, target, hasEpilogue, false, buffers);
  if (!problem.ok() || (!shouldSwap(*problem) && !mayHaveRuns(*problem)))
    return problem;
  StatusOr<Problem> swapped = makeProblem(spec, target, hasEpilogue, true, buffers);
  return shouldSwap(*problem) || readsRuns(*swapped) ? std::move(swapped) : std::move(problem);
}

// Whether AMX computes a problem of register tiles in less time: it takes whole registers, and the lhs packed, too.
static bool isFasterInTiles(const Problem &p, const Arithmetic &tiles) {
  auto padded = [](int64_t size, int64_t unit) { return double(alignTo(uint64_t(size), uint64_t(unit))); };
  const CostModel::Tiles &costs = p.target.costs.tiles;
  double cycles = padded(p.m, kAmxRows) * padded(p.n, kAmxColumns) * padded(p.k, kAmxUnits * tiles.groupK) /
                  (costs.products * tiles.groupK);
  cycles += double(p.m) * double(p.k) * tiles.unitBytes / tiles.groupK / costs.packedBytes;
  double group = p.target.slowBf16Pairs && tiles.compute == Compute::kBf16Tiles ? 1 : p.arithmetic.groupK;
  double lanes = double(p.target.vectorBits) / 32;
  double products = double(p.m) * double(p.n) * double(p.k);
  return products >= costs.leastProducts && cycles < products / (costs.vectorProducts * lanes * group);
}

// Not every kernel uses the grouped instructions in the same way as the register tile.
static MatmulPlan settle(Problem &problem) {
  MatmulPlan plan = planProblem(problem);
  const ContractionSpec &spec = problem.spec;
  Arithmetic widened = widenedArithmetic(spec.lhsType(), spec.rhsType(), problem.sumType());
  Arithmetic arithmetic = problem.arithmetic;
  if (plan.kind == MatmulPlan::Kind::kDot && arithmetic.compute == Compute::kInt8Quads) {
    MatmulTarget target = problem.target; // no column sums there: pairs need none
    target.avx512Vnni = target.avxVnni = false;
    arithmetic = *chooseArithmetic(spec.lhsType(), spec.rhsType(), problem.sumType(), target);
  } else if (plan.kind != MatmulPlan::Kind::kTiled && plan.kind != MatmulPlan::Kind::kDot) {
    arithmetic = widened;
  } else if (std::optional<Arithmetic> tiles =
                 plan.kind == MatmulPlan::Kind::kTiled && !spec.isPart()
                     ? tileArithmetic(spec.lhsType(), spec.rhsType(), problem.sumType(), problem.target)
                     : std::nullopt;
             tiles && isFasterInTiles(problem, *tiles)) {
    arithmetic = *tiles;
  } else if (plan.kind == MatmulPlan::Kind::kTiled && arithmetic.compute == Compute::kBf16Pairs &&
             problem.target.slowBf16Pairs && std::min(problem.m, problem.n) >= problem.target.costs.widenedRows) {
    arithmetic = widened;
  }
  if (arithmetic.compute != problem.arithmetic.compute) {
    problem.arithmetic = arithmetic;
    plan = planProblem(problem);
  }
  return plan;
}

static double trafficBytes(const Problem &p) {
  double lhs = double(p.batch) * double(p.m) * double(p.k) * double(storageBytes(p.spec.lhs));
  double rhs = double(p.batch) * double(p.n) * double(p.k) * double(storageBytes(p.spec.rhs));
  return lhs + rhs + double(p.batch) * double(p.m) * double(p.n) * double(storageBytes(p.spec.out));
}

// Rough: most of a core's peak, or its share of memory bandwidth.
static double estimateNanoseconds(const Problem &p, const MatmulPlan &plan, double flops, double bytes) {
  const CostModel &costs = p.target.costs;
  double perCycle =
      costs.laneOperations * double(p.target.vectorBits) / 8 / double(p.arithmetic.unitBytes) * plan.groupK;
  if (p.arithmetic.inTiles())
    perCycle = costs.tileOperations * plan.groupK;
  if (plan.kind == MatmulPlan::Kind::kSimple)
    perCycle /= costs.plainLoopFactor;
  return std::max(flops / (costs.cyclesPerNanosecond * perCycle), bytes / costs.bytesPerNanosecond);
}

StatusOr<ContractionPlan> planContractionOn(const ContractionSpec &spec, const MatmulTarget &target, StringRef symbol,
                                            bool hasEpilogue, const ContractionBuffers &buffers) {
  ContractionPlan plan;
  TENON_ASSIGN_OR_RETURN(plan.problem, prepare(spec, target, hasEpilogue, buffers));
  plan.schedule = settle(plan.problem);
  const Problem &p = plan.problem;
  plan.flops = 2.0 * double(p.batch) * double(p.m) * double(p.n) * double(p.k);
  if (p.components() == 2)
    plan.flops *= 4;
  plan.kernel.kind = "dot";
  plan.kernel.bytes = trafficBytes(p);
  plan.kernel.scratchBytes = plan.schedule.scratchBytes;
  plan.kernel.resultInit = {-1};
  double nanoseconds = estimateNanoseconds(p, plan.schedule, plan.flops, plan.kernel.bytes);
  plan.kernel.tempBytes = plan.schedule.tempBytes;
  if (plan.schedule.sharesRhs)
    plan.kernel.phases.push_back({symbol.str() + ".pack", plan.schedule.packTasks,
                                  double(plan.schedule.tempBytes) / p.target.costs.bytesPerNanosecond});
  plan.kernel.phases.push_back({symbol.str(), plan.schedule.tasks, nanoseconds});
  return plan;
}

StatusOr<ContractionPlan> planContraction(const ContractionSpec &spec, const MatmulTarget &target, StringRef symbol,
                                          bool hasEpilogue) {
  ContractionBuffers buffers;
  buffers.out = 2 + spec.extraOperands;
  buffers.temp = buffers.out + 1;
  return planContractionOn(spec, target, symbol, hasEpilogue, buffers);
}

void emitContraction(const ContractionPlan &plan, Module &module, const Epilogue &epilogue) {
  Problem problem = plan.problem;
  assert(problem.hasEpilogue == bool(epilogue) && "planned with an epilogue, or without");
  problem.epilogue = epilogue ? &epilogue : nullptr;
  StringRef symbol = plan.kernel.phases.back().symbol;
  if (problem.spec.isPart())
    return emitTiledPart(module, symbol, problem, plan.schedule);
  switch (plan.schedule.kind) {
  case MatmulPlan::Kind::kFill:
    return emitFill(module, symbol, problem, plan.schedule);
  case MatmulPlan::Kind::kSimple:
    return emitSimple(module, symbol, problem, plan.schedule);
  case MatmulPlan::Kind::kTiled:
    return emitTiled(module, symbol, problem, plan.schedule);
  case MatmulPlan::Kind::kStream:
    return emitStream(module, symbol, problem, plan.schedule);
  case MatmulPlan::Kind::kDot:
    return emitDot(module, symbol, problem, plan.schedule);
  case MatmulPlan::Kind::kRuns:
    return emitRuns(module, symbol, problem, plan.schedule);
  }
}

} // namespace tenon::codegen::matmul
