// A vector of the padded array is a copy or zeros: padding.cpp has what there is in larger tasks.
#include "tenon/codegen/kernel/conv/padding_vectors.h"

#include "tenon/codegen/llvm/task_routine.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace tenon::codegen::matmul {
namespace {

// The widest vectors that begin and end where the source and its padding do.
int64_t vectorUnits(const PaddingPlan &plan, const MatmulTarget &target) {
  if (plan.inner.sourceStride != 1)
    return 1;
  int64_t units = target.vectorBits / 8 / plan.unitBytes;
  auto fits = [&](int64_t size) { return size % units == 0; };
  while (units > 1 && !(fits(plan.inner.low) && fits(plan.inner.size) && fits(plan.inner.high) &&
                        all_of(plan.dims, [&](const PadDim &dim) { return fits(dim.sourceStride); })))
    units /= 2;
  return std::max<int64_t>(units, 1);
}

void emitVector(Emitter &e, const PaddingPlan &plan, int64_t units, Value *task, Value *lhs, Value *padded) {
  Value *first = e.mul(task, units), *rest = first, *inside = e.b.getTrue(), *source = e.i64(0);
  auto pass = [&](const PadDim &dim) {
    Value *index = e.add(e.urem(rest, dim.padded()), -dim.low);
    rest = e.udiv(rest, dim.padded());
    inside = e.b.CreateAnd(inside, e.b.CreateICmpULT(index, e.i64(dim.size)));
    source = e.add(source, e.mul(index, dim.sourceStride));
  };
  pass(plan.inner);
  for (const PadDim &dim : reverse(plan.dims))
    pass(dim);
  llvm::Type *unit = e.b.getIntNTy(unsigned(plan.unitBytes) * 8), *type = e.vec(unit, unsigned(units));
  Value *value = e.ifElse(
      inside, [&] { return Values{e.load(type, e.gep(unit, lhs, source))}; },
      [&] { return Values{Constant::getNullValue(type)}; })[0];
  e.store(value, e.gep(unit, padded, first));
}

} // namespace

int64_t paddingVectors(const PaddingPlan &plan, const MatmulTarget &target) {
  return plan.rows * plan.inner.padded() / vectorUnits(plan, target);
}

void emitPaddingVectors(const PaddingPlan &plan, Module &module, StringRef symbol, const MatmulTarget &target,
                        int lhsBuffer, int tempBuffer) {
  int64_t units = vectorUnits(plan, target);
  emitOwnTasks(module, symbol, [&](const TaskCode &code) {
    emitVector(code.e, plan, units, code.task, code.e.buffer(code.buffers, lhsBuffer),
               code.e.buffer(code.buffers, tempBuffer));
  });
}

} // namespace tenon::codegen::matmul
