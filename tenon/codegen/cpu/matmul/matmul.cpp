#include "tenon/codegen/cpu/matmul/matmul.h"

#include "tenon/codegen/cpu/matmul/kernels.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace tenon::codegen {

// Stores and most loads want n to be the dense dimension of the result. A single column becomes a single row.
static bool shouldSwap(const Problem &p) {
  if (p.n == 1 && p.m > 1)
    return true;
  if (p.m == 1)
    return false;
  return !p.nOut.hasContiguousRuns() && p.mOut.hasContiguousRuns();
}

static StatusOr<Problem> prepare(const ContractionSpec &spec, const MatmulTarget &target, const Epilogue *epilogue,
                                 const ContractionBuffers &buffers) {
  StatusOr<Problem> problem = makeProblem(spec, target, epilogue, false, buffers);
  if (problem.ok() && shouldSwap(*problem))
    return makeProblem(spec, target, epilogue, true, buffers);
  return problem;
}

// Not every kernel uses the grouped instructions in the same way as the register tile.
static MatmulPlan settle(Problem &problem) {
  MatmulPlan plan = planProblem(problem);
  const ContractionSpec &spec = problem.spec;
  Arithmetic widened = widenedArithmetic(spec.lhs, spec.rhs, problem.sumType());
  Arithmetic arithmetic = problem.arithmetic;
  if (plan.kind == MatmulPlan::Kind::kDot && arithmetic.compute == Compute::kInt8Quads) {
    MatmulTarget target = problem.target; // no column sums there: pairs need none
    target.avx512Vnni = target.avxVnni = false;
    arithmetic = *chooseArithmetic(spec.lhs, spec.rhs, problem.sumType(), target);
  } else if (plan.kind != MatmulPlan::Kind::kTiled && plan.kind != MatmulPlan::Kind::kDot) {
    arithmetic = widened;
  }
  if (arithmetic.compute != problem.arithmetic.compute) {
    problem.arithmetic = arithmetic;
    plan = planProblem(problem);
  }
  return plan;
}

MatmulPlan planContraction(const ContractionSpec &spec, const MatmulTarget &target, bool hasEpilogue) {
  Epilogue marker;
  if (hasEpilogue)
    marker = [](IRBuilderBase &, const EpilogueContext &, Value *value) { return value; };
  StatusOr<Problem> problem = prepare(spec, target, &marker, {});
  return problem.ok() ? settle(*problem) : MatmulPlan();
}

static double megabytes(const Problem &p) {
  double lhs = double(p.batch) * double(p.m) * double(p.k) * double(program::byteSize(p.spec.lhs));
  double rhs = double(p.batch) * double(p.n) * double(p.k) * double(program::byteSize(p.spec.rhs));
  return lhs + rhs + double(p.batch) * double(p.m) * double(p.n) * double(program::byteSize(p.spec.out));
}

// Rough: three quarters of a 4 GHz core's peak, or its share of memory bandwidth.
static double estimateNanoseconds(const Problem &p, const MatmulPlan &plan, double flops, double bytes) {
  double perCycle = 4.0 * double(p.target.vectorBits) / 8 / double(p.arithmetic.accumulatorBytes()) * plan.groupK;
  if (plan.kind == MatmulPlan::Kind::kSimple)
    perCycle /= 8;
  return std::max(flops / (3 * perCycle), bytes / 20);
}

StatusOr<Kernel> emitContractionOn(Module &module, StringRef symbol, const ContractionSpec &spec,
                                   const MatmulTarget &target, const Epilogue &epilogue,
                                   const ContractionBuffers &buffers) {
  TENON_ASSIGN_OR_RETURN(Problem problem, prepare(spec, target, &epilogue, buffers));
  MatmulPlan plan = settle(problem);
  switch (plan.kind) {
  case MatmulPlan::Kind::kFill:
    emitFill(module, symbol, problem, plan);
    break;
  case MatmulPlan::Kind::kSimple:
    emitSimple(module, symbol, problem, plan);
    break;
  case MatmulPlan::Kind::kTiled:
    emitTiled(module, symbol, problem, plan);
    break;
  case MatmulPlan::Kind::kStream:
    emitStream(module, symbol, problem, plan);
    break;
  case MatmulPlan::Kind::kDot:
    emitDot(module, symbol, problem, plan);
    break;
  }
  Kernel kernel;
  kernel.kind = "dot";
  kernel.flops = 2.0 * double(problem.batch) * double(problem.m) * double(problem.n) * double(problem.k);
  if (problem.components() == 2)
    kernel.flops *= 4;
  kernel.bytes = megabytes(problem);
  kernel.scratchBytes = plan.scratchBytes;
  kernel.resultInit = {-1};
  KernelPhase phase;
  phase.symbol = symbol.str();
  phase.extent = plan.tasks;
  phase.nanoseconds = estimateNanoseconds(problem, plan, kernel.flops, kernel.bytes);
  kernel.phases.push_back(phase);
  return kernel;
}

StatusOr<Kernel> emitContraction(Module &module, StringRef symbol, const ContractionSpec &spec,
                                 const MatmulTarget &target, const Epilogue &epilogue) {
  ContractionBuffers buffers;
  buffers.out = 2 + spec.extraOperands;
  return emitContractionOn(module, symbol, spec, target, epilogue, buffers);
}

} // namespace tenon::codegen
