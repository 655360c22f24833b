// Weights of zero at the end of rows, as masks make them: how many columns a block of rows has before.
//
// Leaving the others out of the product changes no sum, unless an element is infinite or NaN there: zero times it is
// NaN. So these are looked for first, once for all blocks of a batch.
#include "tenon/codegen/kernel/attention/attention.h"

#include "llvm/IR/Module.h"

using llvm::ArrayRef, llvm::Function, llvm::Value;

namespace tenon::codegen {
namespace {

// Vectors of floats as integers.
struct FloatBits {
  FloatBits(Emitter &e, mlir::Type type, int64_t lanes)
      : semantics(llvm::cast<mlir::FloatType>(type).getFloatSemantics()),
        scalar(e.b.getIntNTy(llvm::APFloat::getSizeInBits(semantics))), vector(e.vec(scalar, unsigned(lanes))) {}

  // All bits of the exponent, which only numbers have that are not finite.
  llvm::Constant *exponent() const { return constant(llvm::APFloat::getInf(semantics).bitcastToAPInt()); }
  // All but the sign.
  llvm::Constant *magnitude() const { return constant(llvm::APInt::getSignedMaxValue(scalar->getIntegerBitWidth())); }
  llvm::Constant *zero() const { return llvm::Constant::getNullValue(vector); }

  const llvm::fltSemantics &semantics;
  llvm::Type *scalar, *vector;

private:
  llvm::Constant *constant(const llvm::APInt &bits) const { return llvm::ConstantInt::get(vector, bits); }
};

bool isIeee(mlir::Type type) { return type.isF32() || type.isF64() || type.isF16() || type.isBF16(); }

// Elements of the other operand that lie together, at most a vector of them.
int64_t valuesTogether(const AttentionPlan &plan) {
  int64_t columns = plan.product.problem.n;
  return std::min<int64_t>(columns & -columns, 16);
}

mlir::Type weightType(const AttentionPlan &plan) { return elementTypeOf(plan.rows.op->getResult(0)); }

} // namespace

bool canSkipZeros(const AttentionPlan &plan) {
  const matmul::Problem &p = plan.product.problem;
  return plan.shape.keys % kWeightsTogether == 0 && isIeee(weightType(plan)) && isIeee(p.spec.rhs) &&
         p.nRhs.isContiguous() && valuesTogether(plan) >= 4;
}

Function *emitCountWeights(llvm::Module &module, const AttentionPlan &plan) {
  llvm::Type *pointer = llvm::PointerType::get(module.getContext(), 0);
  llvm::Type *i64 = llvm::Type::getInt64Ty(module.getContext());
  Emitter e(module, plan.kernel.phases[0].symbol + ".count_weights", {pointer, i64, pointer}, true);
  FloatBits bits(e, weightType(plan), kWeightsTogether);
  Value *rows = e.arg(1), *keys = e.i64(plan.shape.keys);
  // From the last row, which sees most where later rows see more. `zeros`: columns at the end.
  Values zeros = e.loop(e.i64(0), rows, e.i64(1), {keys}, [&](Value *i, ArrayRef<Value *> before) {
    Value *row = e.sub(e.sub(rows, e.i64(1)), i);
    Value *end = e.gep(bits.scalar, e.arg(0), e.mul(e.add(row, 1), plan.shape.keys));
    auto next = [&](Value *j, ArrayRef<Value *> least) {
      Value *at = e.gep(bits.scalar, end, e.b.CreateNeg(e.add(j, kWeightsTogether)));
      Value *weights = e.b.CreateAnd(e.load(bits.vector, at), bits.magnitude());
      Value *isZero = e.b.CreateNot(e.b.CreateOrReduce(e.b.CreateICmpNE(weights, bits.zero())));
      return Values{e.b.CreateSelect(isZero, least[0], e.min(least[0], j))};
    };
    return e.loop(e.i64(0), before[0], e.i64(kWeightsTogether), {before[0]}, next);
  });
  // One step at least, so that there is a product to store.
  Value *least = e.i64(kWeightsTogether);
  e.store(e.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, e.sub(keys, zeros[0]), least), e.arg(2));
  e.ret();
  return e.function;
}

Function *emitIsFinite(llvm::Module &module, const AttentionPlan &plan) {
  llvm::Type *pointer = llvm::PointerType::get(module.getContext(), 0);
  Emitter e(module, plan.kernel.phases[0].symbol + ".is_finite", {pointer, pointer}, true);
  const matmul::Problem &p = plan.product.problem;
  int64_t together = valuesTogether(plan);
  FloatBits bits(e, p.spec.rhs, together);
  Values most =
      e.loop(e.i64(0), e.i64(plan.shape.keys), e.i64(1), {bits.zero()}, [&](Value *key, ArrayRef<Value *> outer) {
        Value *row = e.gep(bits.scalar, e.arg(0), e.mul(key, p.innerK().rhsStride));
        return e.loop(e.i64(0), e.i64(p.n), e.i64(together), outer, [&](Value *column, ArrayRef<Value *> before) {
          Value *values = e.load(bits.vector, e.gep(bits.scalar, row, column));
          Value *exponents = e.b.CreateAnd(values, bits.exponent());
          return Values{e.b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, before[0], exponents)};
        });
      });
  Value *largest = e.b.CreateIntMaxReduce(most[0], /*IsSigned=*/false);
  Value *infinite = bits.exponent()->getSplatValue();
  e.store(e.b.CreateZExt(e.b.CreateICmpNE(largest, infinite), e.b.getInt64Ty()), e.arg(1));
  e.ret();
  return e.function;
}

} // namespace tenon::codegen
