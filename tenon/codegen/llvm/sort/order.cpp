#include "tenon/codegen/llvm/sort/order.h"

#include "tenon/ir/stablehlo.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen::sort {
namespace {

bool isConstant(Value value, llvm::function_ref<bool(const APFloat &)> holds) {
  DenseElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) && isa<FloatType>(constant.getElementType()) &&
         constant.isSplat() && holds(constant.getSplatValue<APFloat>());
}

// The comparator's argument that `value` is, through the canonicalisation that JAX's sort applies:
//   select(x == 0, 0, x), then select(x != x, NaN, that).
BlockArgument canonicalized(Value value, KeyOrder &order) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument;
  auto select = value.getDefiningOp<sh::SelectOp>();
  auto compare = select ? select.getPred().getDefiningOp<sh::CompareOp>() : sh::CompareOp();
  if (!compare)
    return {};
  auto tested = dyn_cast<BlockArgument>(compare.getLhs());
  bool nanTest = compare.getComparisonDirection() == sh::ComparisonDirection::NE && compare.getRhs() == tested &&
                 isConstant(select.getOnTrue(), [](const APFloat &x) { return x.isNaN() && !x.isNegative(); });
  auto isZero = [](const APFloat &x) { return x.isZero(); };
  bool zeroTest = compare.getComparisonDirection() == sh::ComparisonDirection::EQ &&
                  isConstant(compare.getRhs(), isZero) &&
                  isConstant(select.getOnTrue(), [](const APFloat &x) { return x.isPosZero(); });
  if (!tested || (!nanTest && !zeroTest) || canonicalized(select.getOnFalse(), order) != tested)
    return {};
  (nanTest ? order.mergeNans : order.mergeZeros) = true;
  return tested;
}

bool isTotal(sh::CompareOp compare, Type element) {
  if (isa<FloatType>(element))
    return compare.getCompareType() == sh::ComparisonType::TOTALORDER;
  return true;
}

} // namespace

std::optional<KeyOrder> recognizeComparator(Region &comparator) {
  Block &block = comparator.front();
  auto compare = block.getTerminator()->getOperand(0).getDefiningOp<sh::CompareOp>();
  if (!compare)
    return std::nullopt;
  KeyOrder order;
  KeyOrder right;
  BlockArgument lhs = canonicalized(compare.getLhs(), order), rhs = canonicalized(compare.getRhs(), right);
  if (!lhs || !rhs || order.mergeNans != right.mergeNans || order.mergeZeros != right.mergeZeros)
    return std::nullopt;
  Type element = cast<RankedTensorType>(lhs.getType()).getElementType();
  if (!hasOrderedKey(element) || !isTotal(compare, element))
    return std::nullopt;
  auto direction = compare.getComparisonDirection();
  if (direction != sh::ComparisonDirection::LT && direction != sh::ComparisonDirection::GT)
    return std::nullopt;
  order.descending = direction == sh::ComparisonDirection::GT;
  unsigned first = lhs.getArgNumber(), second = rhs.getArgNumber();
  if (first % 2 == 1 && second + 1 == first) // the arguments exchanged
    order.descending = !order.descending, std::swap(first, second);
  if (first % 2 != 0 || second != first + 1)
    return std::nullopt;
  order.operand = first / 2;
  return order;
}

bool hasOrderedKey(Type element) {
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element))
    return true;
  auto integer = dyn_cast<IntegerType>(element);
  return integer && integer.getWidth() >= 8;
}

unsigned keyBits(Type element) { return element.getIntOrFloatBitWidth(); }

KeyCode::KeyCode(Emitter &e, Sizes &sizes, Type element, const KeyOrder &order)
    : e_(e), type_(e.b.getIntNTy(keyBits(element))), isFloat_(isa<FloatType>(element)), merges_(order.merges()) {
  uint64_t all = type_->getBitMask(), sign = type_->getSignBit();
  bool isSigned = !isFloat_ && !element.isUnsignedInteger();
  inverted_ = number((isSigned ? sign : 0) ^ (order.descending ? all : 0), sizes);
  if (!merges_)
    return;
  const llvm::fltSemantics &semantics = cast<FloatType>(element).getFloatSemantics();
  uint64_t infinity = APFloat::getInf(semantics).bitcastToAPInt().getZExtValue();
  zero_ = number(order.mergeZeros ? sign : 0, sizes);
  infinity_ = number(order.mergeNans ? infinity : all ^ sign, sizes);
  nan_ = number(APFloat::getNaN(semantics).bitcastToAPInt().getZExtValue(), sizes);
}

llvm::Value *KeyCode::number(uint64_t value, Sizes &sizes) { return e_.b.CreateTrunc(sizes(int64_t(value)), type_); }

llvm::Value *KeyCode::each(llvm::Value *number, llvm::Value *like) const {
  auto *vector = dyn_cast<llvm::FixedVectorType>(like->getType());
  return vector ? e_.splat(number, vector->getNumElements()) : number;
}

llvm::Value *KeyCode::keyOf(llvm::Value *bits) const {
  llvm::Type *type = bits->getType();
  llvm::Value *zero = llvm::Constant::getNullValue(type), *sign = llvm::ConstantInt::get(type, type_->getSignBit());
  if (merges_) {
    bits = e_.b.CreateSelect(e_.b.CreateICmpEQ(bits, each(zero_, bits)), zero, bits);
    llvm::Value *magnitude = e_.b.CreateAnd(bits, type_->getBitMask() >> 1);
    llvm::Value *isNan = e_.b.CreateICmpUGT(magnitude, each(infinity_, bits));
    bits = e_.b.CreateSelect(isNan, each(nan_, bits), bits);
  }
  if (isFloat_)
    bits = e_.b.CreateSelect(e_.b.CreateICmpSLT(bits, zero), e_.b.CreateNot(bits), e_.b.CreateOr(bits, sign));
  return e_.b.CreateXor(bits, each(inverted_, bits));
}

llvm::Value *KeyCode::bitsOf(llvm::Value *key) const {
  key = e_.b.CreateXor(key, each(inverted_, key));
  if (!isFloat_)
    return key;
  llvm::Type *type = key->getType();
  llvm::Value *sign = llvm::ConstantInt::get(type, type_->getSignBit());
  llvm::Value *isPositive = e_.b.CreateICmpSLT(key, llvm::Constant::getNullValue(type));
  return e_.b.CreateSelect(isPositive, e_.b.CreateXor(key, sign), e_.b.CreateNot(key));
}

llvm::Value *KeyCode::zeroKey() const { return keyOf(llvm::ConstantInt::get(type_, 0)); }
llvm::Value *KeyCode::nanKey() const { return keyOf(nan_); }

llvm::Value *emitMergeSort(Emitter &e, llvm::Type *type, llvm::Value *from, llvm::Value *other, llvm::Value *count,
                           llvm::function_ref<llvm::Value *(llvm::Value *, llvm::Value *)> less) {
  llvm::IRBuilder<> atEntry(&e.function->getEntryBlock(), e.function->getEntryBlock().begin());
  llvm::Value *current = atEntry.CreateAlloca(e.b.getPtrTy()), *next = atEntry.CreateAlloca(e.b.getPtrTy());
  e.b.CreateStore(from, current);
  e.b.CreateStore(other, next);
  e.whileLess(e.i64(1), count, [&](llvm::Value *width) {
    llvm::Value *source = e.b.CreateLoad(e.b.getPtrTy(), current), *target = e.b.CreateLoad(e.b.getPtrTy(), next);
    llvm::Value *twice = e.b.CreateShl(width, 1);
    e.whileLess(e.i64(0), count, [&](llvm::Value *start) {
      llvm::Value *middle = e.min(e.add(start, width), count), *end = e.min(e.add(start, twice), count);
      e.loop(start, end, e.i64(1), {start, middle}, [&](llvm::Value *k, llvm::ArrayRef<llvm::Value *> heads) -> Values {
        llvm::Value *i = heads[0], *j = heads[1];
        llvm::Value *leftEmpty = e.b.CreateICmpSGE(i, middle), *rightEmpty = e.b.CreateICmpSGE(j, end);
        Values takeRight = e.ifElse(
            e.b.CreateOr(leftEmpty, rightEmpty), [&]() -> Values { return {leftEmpty}; },
            [&]() -> Values {
              llvm::Value *left = e.load(type, e.gep(type, source, i)), *right = e.load(type, e.gep(type, source, j));
              return {less(right, left)};
            });
        llvm::Value *taken = e.b.CreateSelect(takeRight[0], j, i);
        e.store(e.load(type, e.gep(type, source, taken)), e.gep(type, target, k));
        return {e.b.CreateSelect(takeRight[0], i, e.add(i, 1)), e.b.CreateSelect(takeRight[0], e.add(j, 1), j)};
      });
      return e.add(start, twice);
    });
    e.b.CreateStore(target, current);
    e.b.CreateStore(source, next);
    return twice;
  });
  return e.b.CreateLoad(e.b.getPtrTy(), current);
}

} // namespace tenon::codegen::sort
