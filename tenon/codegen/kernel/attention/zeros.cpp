#include "tenon/codegen/kernel/attention/zeros.h"

#include "tenon/codegen/kernel/attention/parts.h"

#include "mlir/IR/BuiltinTypes.h"
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
int64_t valuesTogether(const matmul::Problem &product) { return std::min<int64_t>(product.n & -product.n, 16); }

} // namespace

bool canSkipZeros(mlir::Type weight, int64_t columns, const matmul::Problem &product) {
  return columns % kWeightsTogether == 0 && isIeee(weight) && isIeee(product.spec.rhs) && product.nRhs.isContiguous() &&
         valuesTogether(product) >= 4;
}

Function *emitCountWeights(llvm::Module &module, llvm::StringRef symbol, mlir::Type weight, int64_t columns) {
  llvm::Type *pointer = llvm::PointerType::get(module.getContext(), 0);
  llvm::Type *i64 = llvm::Type::getInt64Ty(module.getContext());
  Emitter e(module, symbol, {pointer, i64, pointer}, true);
  FloatBits bits(e, weight, kWeightsTogether);
  Value *rows = e.arg(1), *all = e.i64(columns);
  // From the last row, which sees most where later rows see more. `zeros`: columns at the end.
  Values zeros = e.loop(e.i64(0), rows, e.i64(1), {all}, [&](Value *i, ArrayRef<Value *> before) {
    Value *row = e.sub(e.sub(rows, e.i64(1)), i);
    Value *end = e.gep(bits.scalar, e.arg(0), e.mul(e.add(row, 1), columns));
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
  e.store(e.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, e.sub(all, zeros[0]), least), e.arg(2));
  e.ret();
  return e.function;
}

Function *emitIsFinite(llvm::Module &module, llvm::StringRef symbol, const matmul::Problem &product) {
  llvm::Type *pointer = llvm::PointerType::get(module.getContext(), 0);
  Emitter e(module, symbol, {pointer, llvm::Type::getInt64Ty(module.getContext()), pointer}, true);
  int64_t together = valuesTogether(product);
  FloatBits bits(e, product.spec.rhs, together);
  StridedDims steps = rhsSteps(product);
  Values most = e.loop(e.i64(0), e.arg(1), e.i64(1), {bits.zero()}, [&](Value *step, ArrayRef<Value *> outer) {
    Value *row = e.gep(bits.scalar, e.arg(0), offsetOf(e, steps, step));
    return e.loop(e.i64(0), e.i64(product.n), e.i64(together), outer, [&](Value *column, ArrayRef<Value *> before) {
      Value *values = e.load(bits.vector, e.gep(bits.scalar, row, column));
      Value *exponents = e.b.CreateAnd(values, bits.exponent());
      return Values{e.b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, before[0], exponents)};
    });
  });
  Value *largest = e.b.CreateIntMaxReduce(most[0], /*IsSigned=*/false);
  Value *infinite = bits.exponent()->getSplatValue();
  e.store(e.b.CreateZExt(e.b.CreateICmpNE(largest, infinite), e.b.getInt64Ty()), e.arg(2));
  e.ret();
  return e.function;
}

} // namespace tenon::codegen
