// Plain loops: for tiny problems, where packing and register tiles cost more than they save, and for empty sums.
#include "tenon/codegen/kernel/matmul/kernels.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace tenon::codegen::matmul {

void emitTasks(Module &module, StringRef symbol, const MatmulTarget &target,
               function_ref<void(Emitter &, Value *, Value *, Value *)> body) {
  Emitter e(module, symbol, kernelParameters(module.getContext()), false);
  e.function->addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
  Value *table = e.arg(0), *scratch = e.arg(3);
  e.loop(e.arg(1), e.arg(2), e.i64(1), {}, [&](Value *task, ArrayRef<Value *>) {
    body(e, table, task, scratch);
    return Values();
  });
  e.ret();
}

namespace {

// Which rows a task computes: [first, first + plan.mc) of batch * m.
template <typename Body> void forEachRow(Emitter &e, const Problem &p, const MatmulPlan &plan, Value *task, Body body) {
  Value *first = e.mul(task, plan.mc);
  Value *last = e.min(e.add(first, plan.mc), p.batch * p.m);
  e.loop(first, last, e.i64(1), {}, [&](Value *row, ArrayRef<Value *>) {
    body(e.udiv(row, p.m), p.batch == 1 ? row : e.urem(row, p.m));
    return Values();
  });
}

// acc += lhs[m, k] * rhs[k, n..] over dimension `depth` of k and those inside it.
Values sumOverK(Emitter &e, const Problem &p, size_t depth, Value *lhs, Value *rhs, Value *lhsOffset, Value *rhsOffset,
                unsigned lanes, ArrayRef<Value *> acc) {
  if (depth == p.kDims.size()) {
    Values a = loadElements(e, p, true, lhs, lhsOffset, 1);
    Values b = loadElements(e, p, false, rhs, rhsOffset, lanes);
    for (Value *&part : a)
      part = e.splat(part, lanes);
    Values next;
    next.push_back(multiplyAdd(e, a[0], b[0], acc[0], false, p.target));
    if (p.arithmetic.complex) {
      next[0] = multiplyAdd(e, a[1], b[1], next[0], true, p.target);
      next.push_back(multiplyAdd(e, a[0], b[1], acc[1], false, p.target));
      next[1] = multiplyAdd(e, a[1], b[0], next[1], false, p.target);
    }
    return next;
  }
  const Problem::KDim &dim = p.kDims[depth];
  auto step = [&](Value *i, ArrayRef<Value *> carried) {
    return sumOverK(e, p, depth + 1, lhs, rhs, e.add(lhsOffset, e.mul(i, dim.lhsStride)),
                    e.add(rhsOffset, e.mul(i, dim.rhsStride)), lanes, carried);
  };
  if (dim.size == 1)
    return step(e.i64(0), acc);
  return e.loop(e.i64(0), e.i64(dim.size), e.i64(1), acc, step);
}

} // namespace

void emitSimple(Module &module, StringRef symbol, const Problem &p, const MatmulPlan &plan) {
  emitTasks(module, symbol, p.target, [&](Emitter &e, Value *table, Value *task, Value *) {
    llvm::Type *accumulator = accumulatorType(e.b.getContext(), p.arithmetic);
    forEachRow(e, p, plan, task, [&](Value *batch, Value *m) {
      Value *lhs = lhsBase(e, p, table, batch), *rhs = rhsBase(e, p, table, batch);
      Value *lhsOffset = offsetOf(e, p.mLhs, m);
      unsigned lanes = p.nRhs.isContiguous() ? unsigned(plan.lanes) : 1;
      forEachOutputPiece(e, p, e.i64(0), e.i64(p.n), lanes, [&](Value *n, unsigned pieceLanes) {
        Values acc(p.components(), Constant::getNullValue(e.vec(accumulator, pieceLanes)));
        acc = sumOverK(e, p, 0, lhs, rhs, lhsOffset, offsetOf(e, p.nRhs, n), pieceLanes, acc);
        storeOutput(e, p, {table, batch, m, n}, pieceLanes, acc);
      });
    });
  });
}

void emitFill(Module &module, StringRef symbol, const Problem &p, const MatmulPlan &plan) {
  emitTasks(module, symbol, p.target, [&](Emitter &e, Value *table, Value *task, Value *) {
    llvm::Type *accumulator = accumulatorType(e.b.getContext(), p.arithmetic);
    forEachRow(e, p, plan, task, [&](Value *batch, Value *m) {
      forEachOutputPiece(e, p, e.i64(0), e.i64(p.n), unsigned(plan.lanes), [&](Value *n, unsigned lanes) {
        Values zero(p.components(), Constant::getNullValue(e.vec(accumulator, lanes)));
        storeOutput(e, p, {table, batch, m, n}, lanes, zero);
      });
    });
  });
}

} // namespace tenon::codegen::matmul
