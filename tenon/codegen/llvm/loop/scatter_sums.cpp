#include "tenon/codegen/llvm/loop/scatter_sums.h"

#include "tenon/ir/scatter_sums.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/MathExtras.h"

namespace tenon::codegen::loop {

static int64_t arrayBytes(mlir::Type wide, int64_t count) {
  return static_cast<int64_t>(llvm::alignTo(count * storageBytes(wide), 64));
}

int64_t WideSums::bytes(mlir::Type type, int64_t count) {
  mlir::Type wide = ir::widerSumType(type);
  return arrayBytes(wide, count) * (wide == type ? 2 : 1);
}

Element negativeZero(llvm::LLVMContext &context, mlir::Type type, unsigned lanes) {
  auto complex = llvm::dyn_cast<mlir::ComplexType>(type);
  mlir::Type part = complex ? complex.getElementType() : type;
  llvm::APFloat zero = llvm::APFloat::getZero(llvm::cast<mlir::FloatType>(part).getFloatSemantics(), true);
  return complex ? constantElement(context, type, zero, zero, lanes) : constantElement(context, type, zero, lanes);
}

WideArithmetic::WideArithmetic(LoopEvaluator &evaluator, mlir::Type type)
    : evaluator_(evaluator), type_(type), wide_(ir::widerSumType(type)) {}

WideSum WideArithmetic::start(Element element) const {
  llvm::IRBuilder<> &b = evaluator_.builder();
  WideSum sum{emitConvert(b, type_, wide_, element), {}};
  if (isCompensated())
    sum.error = zeroElement(b.getContext(), wide_, evaluator_.lanes());
  return sum;
}

WideSum WideArithmetic::nothing() const {
  llvm::LLVMContext &context = evaluator_.builder().getContext();
  WideSum sum{negativeZero(context, wide_, evaluator_.lanes()), {}};
  if (isCompensated())
    sum.error = zeroElement(context, wide_, evaluator_.lanes());
  return sum;
}

// The rounding error of sum = before + value, exactly (Knuth's TwoSum).
static llvm::Value *roundingError(llvm::IRBuilder<> &b, llvm::Value *before, llvm::Value *value, llvm::Value *sum) {
  llvm::Value *added = b.CreateFSub(sum, before);
  return b.CreateFAdd(b.CreateFSub(before, b.CreateFSub(sum, added)), b.CreateFSub(value, added));
}

WideSum WideArithmetic::addWide(const WideSum &before, Element value) const {
  llvm::IRBuilder<> &b = evaluator_.builder();
  WideSum after;
  for (llvm::Value *Element::*part : {&Element::re, &Element::im}) {
    if (!(value.*part))
      continue;
    llvm::Value *added = value.*part;
    after.sum.*part = b.CreateFAdd(before.sum.*part, added);
    if (isCompensated())
      after.error.*part = b.CreateFAdd(before.error.*part, roundingError(b, before.sum.*part, added, after.sum.*part));
  }
  return after;
}

WideSum WideArithmetic::add(const WideSum &before, Element update, bool subtracts) const {
  llvm::IRBuilder<> &b = evaluator_.builder();
  Element value = emitConvert(b, type_, wide_, update);
  for (llvm::Value *Element::*part : {&Element::re, &Element::im})
    if (subtracts && value.*part)
      value.*part = b.CreateFNeg(value.*part);
  return addWide(before, value);
}

WideSum WideArithmetic::merge(const WideSum &before, const WideSum &other) const {
  llvm::IRBuilder<> &b = evaluator_.builder();
  WideSum after = addWide(before, other.sum);
  for (llvm::Value *Element::*part : {&Element::re, &Element::im})
    if (after.error.*part)
      after.error.*part = b.CreateFAdd(after.error.*part, other.error.*part);
  return after;
}

LLVMValues WideArithmetic::pack(const WideSum &sum) const {
  LLVMValues values = LoopEvaluator::pack({sum.sum});
  if (isCompensated())
    llvm::append_range(values, LoopEvaluator::pack({sum.error}));
  return values;
}

WideSum WideArithmetic::unpack(llvm::ArrayRef<llvm::Value *> values) const {
  Elements parts = LoopEvaluator::unpack(values, llvm::SmallVector<mlir::Type, 2>(isCompensated() ? 2 : 1, wide_));
  return {parts[0], isCompensated() ? parts[1] : Element()};
}

Element WideArithmetic::rounded(const WideSum &wide) const {
  llvm::IRBuilder<> &b = evaluator_.builder();
  if (!isCompensated())
    return emitConvert(b, wide_, type_, wide.sum);
  Element sum = wide.sum;
  for (llvm::Value *Element::*part : {&Element::re, &Element::im}) {
    if (!(sum.*part))
      continue;
    llvm::Value *size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, wide.error.*part);
    llvm::Type *type = size->getType();
    llvm::Value *counts = b.CreateAnd(b.CreateFCmpOGT(size, llvm::ConstantFP::getZero(type)),
                                      b.CreateFCmpOLT(size, llvm::ConstantFP::getInfinity(type)));
    sum.*part = b.CreateSelect(counts, b.CreateFAdd(sum.*part, wide.error.*part), sum.*part);
  }
  return sum;
}

WideSums::WideSums(LoopEvaluator &evaluator, mlir::Type type, int64_t count, llvm::Value *memory)
    : evaluator_(evaluator), arithmetic_(evaluator, type), sums_(memory) {
  llvm::IRBuilder<> &b = evaluator.builder();
  if (arithmetic_.isCompensated())
    errors_ = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), memory, arrayBytes(type, count));
}

Element WideSums::load(llvm::Value *array, llvm::Value *position) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  mlir::Type type = arithmetic_.type();
  return loadElements(b, type, elementAddress(b, type, array, position), evaluator_.lanes(), evaluator_.mask());
}

void WideSums::store(llvm::Value *array, llvm::Value *position, Element element) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  mlir::Type type = arithmetic_.type();
  storeElements(b, type, element, elementAddress(b, type, array, position), evaluator_.lanes(), evaluator_.mask());
}

WideSum WideSums::load(llvm::Value *position) {
  return {load(sums_, position), errors_ ? load(errors_, position) : Element()};
}

void WideSums::store(llvm::Value *position, const WideSum &sum) {
  store(sums_, position, sum.sum);
  if (errors_)
    store(errors_, position, sum.error);
}

void WideSums::start(llvm::Value *position, Element element) { store(position, arithmetic_.start(element)); }

void WideSums::add(llvm::Value *position, Element update, bool subtracts, llvm::Value *isFirst) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  WideSum before = load(position);
  if (isFirst) {
    WideSum nothing = arithmetic_.nothing();
    before.sum = selectElement(b, isFirst, nothing.sum, before.sum);
    if (errors_)
      before.error = selectElement(b, isFirst, nothing.error, before.error);
  }
  store(position, arithmetic_.add(before, update, subtracts));
}

Element WideSums::rounded(llvm::Value *position) { return arithmetic_.rounded(load(position)); }

static int64_t mostPlaces(int64_t updates, int64_t block) { return updates / block; }

// Bytes of the state of one row. Twice as many where there could be more places than fit above the count.
static int64_t bytesOfState(int64_t updates, int64_t block) {
  return mostPlaces(updates, block) < (int64_t(1) << 24) ? 4 : 8;
}

int64_t RowCounters::stateBytes(int64_t rows, int64_t updates, int64_t block) {
  return static_cast<int64_t>(llvm::alignTo(rows * bytesOfState(updates, block), 64));
}

int64_t RowCounters::bytes(int64_t rows, int64_t updates, int64_t block) {
  return stateBytes(rows, updates, block) +
         static_cast<int64_t>(llvm::alignTo(mostPlaces(updates, block) * sizeof(int64_t), 64));
}

RowCounters::RowCounters(LoopEvaluator &evaluator, int64_t rows, int64_t updates, int64_t block, llvm::Value *memory)
    : evaluator_(evaluator), rows_(rows), updates_(updates), block_(block), states_(memory) {
  llvm::IRBuilder<> &b = evaluator.builder();
  list_ = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), memory, stateBytes(rows, updates, block));
  llvm::BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  places_ = llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(b.getInt64Ty());
}

void RowCounters::clear() { clear(evaluator_.constant(0), rows_, evaluator_.constant(0)); }

void RowCounters::clear(llvm::Value *firstRow, int64_t rows, llvm::Value *firstPlace) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  int64_t each = bytesOfState(updates_, block_);
  llvm::Value *states = b.CreateInBoundsGEP(b.getIntNTy(8 * each), states_, firstRow);
  b.CreateMemSet(states, b.getInt8(0), rows * each, llvm::MaybeAlign(each));
  firstPlace_ = firstPlace;
  b.CreateStore(firstPlace, places_);
}

void RowCounters::count(llvm::Value *row, llvm::function_ref<void(llvm::Value *place, llvm::Value *isFirst)> full) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  llvm::Type *type = b.getIntNTy(8 * bytesOfState(updates_, block_)), *i64 = b.getInt64Ty();
  unsigned shift = llvm::Log2_64(block_);
  llvm::Value *address = b.CreateInBoundsGEP(type, states_, row), *state = b.CreateLoad(type, address);
  llvm::Value *last = llvm::ConstantInt::get(type, block_ - 1);
  auto fill = [&] {
    llvm::Value *isFirst = b.CreateICmpULT(state, llvm::ConstantInt::get(type, block_));
    llvm::Value *places = b.CreateLoad(i64, places_);
    llvm::Value *own = b.CreateNSWSub(b.CreateZExt(b.CreateLShr(state, shift), i64), b.getInt64(1));
    llvm::Value *place = b.CreateSelect(isFirst, places, own);
    b.CreateStore(row, b.CreateInBoundsGEP(i64, list_, place));
    b.CreateStore(b.CreateSelect(isFirst, b.CreateNSWAdd(places, b.getInt64(1)), places), places_);
    full(place, isFirst);
    llvm::Value *next = b.CreateTrunc(b.CreateNSWAdd(place, b.getInt64(1)), type);
    return LLVMValues{b.CreateShl(next, shift)};
  };
  auto more = [&] { return LLVMValues{b.CreateAdd(state, llvm::ConstantInt::get(type, 1))}; };
  llvm::Value *isFull = b.CreateICmpEQ(b.CreateAnd(state, last), last);
  b.CreateStore(evaluator_.ifElse(isFull, fill, more).front(), address);
}

void RowCounters::forEach(llvm::function_ref<void(llvm::Value *place, llvm::Value *row)> body) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  llvm::Value *places = b.CreateLoad(b.getInt64Ty(), places_);
  evaluator_.forLoop(firstPlace_, places, 1, [&](llvm::Value *place) {
    body(place, b.CreateLoad(b.getInt64Ty(), b.CreateInBoundsGEP(b.getInt64Ty(), list_, place)));
  });
}

} // namespace tenon::codegen::loop
