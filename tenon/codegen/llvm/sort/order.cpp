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

llvm::Value *orderedKey(llvm::IRBuilderBase &b, Type element, const KeyOrder &order, llvm::Value *value) {
  llvm::Type *scalar = b.getIntNTy(keyBits(element));
  llvm::Type *type = scalar;
  if (auto *vector = dyn_cast<llvm::FixedVectorType>(value->getType()))
    type = llvm::FixedVectorType::get(scalar, vector->getNumElements());
  llvm::Value *key = value;
  llvm::APInt sign = llvm::APInt::getSignMask(keyBits(element));
  llvm::Value *signBit = llvm::ConstantInt::get(type, sign);
  if (auto floating = dyn_cast<FloatType>(element)) {
    llvm::Value *bits = b.CreateBitCast(value, type);
    if (order.mergeZeros)
      bits = b.CreateSelect(b.CreateICmpEQ(bits, signBit), llvm::ConstantInt::get(type, 0), bits);
    if (order.mergeNans) {
      llvm::APInt infinity = APFloat::getInf(floating.getFloatSemantics()).bitcastToAPInt();
      llvm::APInt nan = APFloat::getNaN(floating.getFloatSemantics()).bitcastToAPInt();
      llvm::Value *magnitude = b.CreateAnd(bits, llvm::ConstantInt::get(type, ~sign));
      llvm::Value *isNan = b.CreateICmpUGT(magnitude, llvm::ConstantInt::get(type, infinity));
      bits = b.CreateSelect(isNan, llvm::ConstantInt::get(type, nan), bits);
    }
    llvm::Value *negative = b.CreateICmpSLT(bits, llvm::ConstantInt::get(type, 0));
    key = b.CreateSelect(negative, b.CreateNot(bits), b.CreateOr(bits, signBit));
  } else if (!element.isUnsignedInteger()) {
    key = b.CreateXor(value, signBit);
  }
  return order.descending ? b.CreateNot(key) : key;
}

llvm::Value *elementBits(llvm::IRBuilderBase &b, Type element, const KeyOrder &order, llvm::Value *key) {
  llvm::Value *zero = llvm::ConstantInt::get(key->getType(), 0);
  llvm::Value *signBit = llvm::ConstantInt::get(key->getType(), llvm::APInt::getSignMask(keyBits(element)));
  if (order.descending)
    key = b.CreateNot(key);
  if (isa<FloatType>(element))
    return b.CreateSelect(b.CreateICmpSLT(key, zero), b.CreateXor(key, signBit), b.CreateNot(key));
  return element.isUnsignedInteger() ? key : b.CreateXor(key, signBit);
}

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
