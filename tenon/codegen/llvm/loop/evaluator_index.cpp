// LoopEvaluator: index expressions as LLVM values, and loads and stores at them.
#include "tenon/codegen/common/plan/loop_plan.h"
#include "tenon/codegen/llvm/loop/evaluator.h"
#include "tenon/codegen/llvm/loop/lane_offsets.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

namespace tenon::codegen::loop {

llvm::Value *LoopEvaluator::laneNumbers(int64_t stride) {
  llvm::SmallVector<int64_t> numbers;
  for (unsigned lane = 0; lane < lanes_; ++lane)
    numbers.push_back(lane * stride);
  return laneOffsets(numbers);
}

llvm::Constant *LoopEvaluator::laneOffsets(llvm::ArrayRef<int64_t> offsets) {
  llvm::SmallVector<llvm::Constant *> numbers;
  for (int64_t offset : offsets)
    numbers.push_back(llvm::ConstantInt::getSigned(laneIndexType(), offset));
  return llvm::ConstantVector::get(numbers);
}

bool LoopEvaluator::variesOverLanes(mlir::AffineExpr expr) {
  if (auto dim = llvm::dyn_cast<mlir::AffineDimExpr>(expr))
    return lanes_ > 1 && (dims_[dim.getPosition()].laneStride != 0 || dims_[dim.getPosition()].offsets);
  if (auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(expr))
    return varyOverLanes(indexer_.symbolInfo(symbol.getPosition()).index);
  if (auto binary = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(expr))
    return variesOverLanes(binary.getLHS()) || variesOverLanes(binary.getRHS());
  return false;
}

bool LoopEvaluator::varyOverLanes(llvm::ArrayRef<mlir::AffineExpr> index) {
  return llvm::any_of(index, [&](mlir::AffineExpr expr) { return variesOverLanes(expr); });
}

LaneIndex LoopEvaluator::symbolIndex(unsigned position) {
  IndexSymbol symbol = indexer_.symbolInfo(position);
  Element element = eval(symbol.tensor, symbol.index);
  auto type = llvm::cast<mlir::IntegerType>(elementTypeOf(symbol.tensor));
  llvm::Value *value = element.re;
  llvm::Type *wide = value->getType()->getWithNewType(builder_.getInt64Ty());
  auto bound = [&](int64_t n) { return llvm::ConstantInt::getSigned(wide, n); };
  if (type.isUnsigned()) {
    value = builder_.CreateZExt(value, wide);
    value = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, value, bound(symbol.clamp.max));
  } else {
    value = builder_.CreateSExt(value, wide);
    value = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value, bound(symbol.clamp.max));
    value = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, bound(symbol.clamp.min));
  }
  if (!value->getType()->isVectorTy())
    return {value, 0, nullptr};
  llvm::Type *lane = value->getType()->getWithNewType(laneIndexType());
  return {nullptr, 0, builder_.CreateTruncOrBitCast(value, lane)};
}

// Floor division of nonnegative or (rarely) any numbers.
llvm::Value *LoopEvaluator::divideLanes(llvm::Value *value, int64_t divisor, bool remainder, bool mayBeNegative) {
  llvm::Value *by = llvm::ConstantInt::getSigned(value->getType(), divisor);
  if (!mayBeNegative)
    return remainder ? builder_.CreateURem(value, by) : builder_.CreateUDiv(value, by);
  llvm::Value *rest = builder_.CreateSRem(value, by);
  llvm::Value *negative = builder_.CreateICmpSLT(rest, llvm::Constant::getNullValue(value->getType()));
  if (remainder)
    return builder_.CreateSelect(negative, builder_.CreateAdd(rest, by), rest);
  llvm::Value *quotient = builder_.CreateSDiv(value, by);
  return builder_.CreateAdd(quotient, builder_.CreateSExt(negative, value->getType()));
}

LaneIndex LoopEvaluator::atomIndex(mlir::AffineExpr atom) {
  if (auto dim = llvm::dyn_cast<mlir::AffineDimExpr>(atom)) {
    const DimBinding &binding = dims_[dim.getPosition()];
    return {binding.iv, lanes_ > 1 ? binding.laneStride : 0, lanes_ > 1 ? binding.offsets : nullptr};
  }
  if (auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(atom))
    return symbolIndex(symbol.getPosition());
  auto binary = llvm::cast<mlir::AffineBinaryOpExpr>(atom);
  int64_t divisor = llvm::cast<mlir::AffineConstantExpr>(binary.getRHS()).getValue();
  bool remainder = atom.getKind() == mlir::AffineExprKind::Mod;
  bool mayBeNegative = space().range(binary.getLHS()).min < 0;
  llvm::Value *value = divideLanes(indexValue(binary.getLHS()), divisor, remainder, mayBeNegative);
  return value->getType()->isVectorTy() ? LaneIndex{nullptr, 0, value} : LaneIndex{value, 0, nullptr};
}

// A number of the expression, its terms' first and then the constant, where sizes are read: once for all places.
llvm::Value *LoopEvaluator::coefficient(mlir::AffineExpr expr, unsigned number, int64_t value) {
  llvm::Value *&read = coefficients_[{expr, number}];
  if (!read)
    read = size(value);
  return read;
}

LaneIndex LoopEvaluator::index(mlir::AffineExpr expr) {
  auto &cache = levels_.back().indices;
  if (auto found = cache.find(expr); found != cache.end())
    return found->second;
  LinearForm form = IndexSpace::linearForm(expr);
  LaneIndex sum;
  auto add = [&](llvm::Value *&total, llvm::Value *value, llvm::Value *factor) {
    llvm::Value *term = factor ? builder_.CreateNSWMul(value, factor) : value;
    total = total ? builder_.CreateNSWAdd(total, term) : term;
  };
  auto number = [](llvm::Value *like, int64_t value) -> llvm::Value * {
    return value == 1 ? nullptr : llvm::ConstantInt::getSigned(like->getType(), value);
  };
  for (auto [i, term] : llvm::enumerate(form.terms)) {
    auto [atom, factor] = term;
    LaneIndex part = atomIndex(atom);
    bool isCode = part.stride != 0 || factor == 1 || factor == -1; // how lanes lie is
    if (part.base)
      add(sum.base, part.base, sizes_ && !isCode ? coefficient(expr, unsigned(i), factor) : number(part.base, factor));
    if (part.vector)
      add(sum.vector, part.vector, number(part.vector, factor));
    sum.stride += part.stride * factor;
  }
  if (form.constant != 0)
    add(sum.base, sizes_ ? coefficient(expr, unsigned(form.terms.size()), form.constant) : constant(form.constant),
        nullptr);
  if (!sum.base)
    sum.base = constant(0);
  if (std::optional<llvm::SmallVector<int64_t>> offsets = constantLanes(sum.vector)) {
    for (auto [lane, offset] : llvm::enumerate(*offsets))
      offset += static_cast<int64_t>(lane) * sum.stride;
    if (std::optional<int64_t> stride = strideOf(*offsets)) {
      if (offsets->front() != 0)
        sum.base = builder_.CreateNSWAdd(sum.base, constant(offsets->front()));
      sum.stride = *stride;
      sum.vector = nullptr;
    }
  }
  levels_.back().indices[expr] = sum;
  return sum;
}

llvm::Value *LoopEvaluator::indexValue(const LaneIndex &index) {
  if (index.isUniform())
    return index.base;
  llvm::Value *base = builder_.CreateTruncOrBitCast(index.base, laneIndexType());
  llvm::Value *value = builder_.CreateVectorSplat(lanes_, base);
  if (index.stride != 0)
    value = builder_.CreateAdd(value, laneNumbers(index.stride));
  return index.vector ? builder_.CreateAdd(value, index.vector) : value;
}

llvm::Value *LoopEvaluator::indexValue(mlir::AffineExpr expr) { return indexValue(index(expr)); }

llvm::Value *LoopEvaluator::uniformIndex(mlir::AffineExpr expr) { return index(expr).base; }

std::pair<llvm::Value *, llvm::Value *> LoopEvaluator::conditionValues(const Source &source) {
  llvm::Value *uniform = nullptr, *varying = nullptr;
  for (const Condition &condition : source.conditions) {
    IndexRange range = space().range(condition.expr);
    llvm::Value *value = indexValue(condition.expr), *holds = nullptr;
    auto number = [&](int64_t n) { return llvm::ConstantInt::getSigned(value->getType(), n); };
    auto also = [&](llvm::Value *test) { holds = holds ? builder_.CreateAnd(holds, test) : test; };
    if (condition.min == condition.max) {
      also(builder_.CreateICmpEQ(value, number(condition.min)));
    } else {
      if (range.min < condition.min)
        also(builder_.CreateICmpSGE(value, number(condition.min)));
      if (range.max > condition.max)
        also(builder_.CreateICmpSLE(value, number(condition.max)));
    }
    if (!holds)
      continue;
    llvm::Value *&side = holds->getType()->isVectorTy() ? varying : uniform;
    side = side ? builder_.CreateAnd(side, holds) : holds;
  }
  return {uniform, varying};
}

Element LoopEvaluator::loadStrided(mlir::Type type, llvm::Value *pointer, const LaneIndex &index) {
  llvm::Value *at = elementAddress(builder_, type, pointer, index.base);
  if (index.isUniform()) {
    // All lanes may share an index outside of the array, although the conditions that say so differ by lane: one that
    // is a quotient of the position, as padding between elements has it. No lane wants it then.
    if (mask())
      at = builder_.CreateSelect(builder_.CreateOrReduce(mask()), at, pointer);
    return loadElements(builder_, type, at, 1);
  }
  bool complex = llvm::isa<mlir::ComplexType>(type);
  if (!index.vector && index.stride == 1)
    return loadElements(builder_, type, at, lanes_, mask());
  if (!index.vector && index.stride == -1 && (!mask() || !isMaskedByLane(type))) {
    llvm::Value *first = elementAddress(builder_, type, at, constant(-static_cast<int64_t>(lanes_ - 1)));
    llvm::SmallVector<int> reversed;
    for (int lane = lanes_ - 1; lane >= 0; --lane)
      reversed.push_back(lane);
    llvm::Value *reversedMask = mask() ? builder_.CreateShuffleVector(mask(), reversed) : nullptr;
    return shuffleLanes(builder_, loadElements(builder_, type, first, lanes_, reversedMask), {}, reversed);
  }
  if (!index.vector && !mask() && std::abs(index.stride) > 1)
    if (std::optional<Element> loaded = loadAtOffsets(builder_, type, at, laneNumbers(index.stride), nullptr))
      return *loaded;
  llvm::Value *lanes = index.vector;
  if (index.stride != 0)
    lanes = lanes ? builder_.CreateAdd(lanes, laneNumbers(index.stride)) : laneNumbers(index.stride);
  if (index.vector && !complex)
    if (std::optional<Element> loaded = loadAtOffsets(builder_, type, at, lanes, mask()))
      return *loaded;
  return gatherElements(builder_, type, at, lanes, lanes_, mask());
}

// The position in an array of so many elements, or its begin where all lanes stand outside of it and are masked: a load
// that has to leave out a page that is not mapped, as there may be one right behind the array, takes hundreds of
// cycles, though no lane is read.
LaneIndex LoopEvaluator::nearArray(mlir::AffineExpr position, int64_t elements) {
  LaneIndex at = index(position);
  if (!mask() || sizes_ || at.vector || std::abs(at.stride) != 1)
    return at;
  IndexRange range = space().range(position);
  int64_t before = int64_t(lanes_) - 1, first = at.stride < 0 ? before : 0; // the position of the vector at the begin
  if (range.max <= elements - first && range.min >= first - before)
    return at;
  llvm::Value *last = builder_.CreateAdd(at.base, constant(before - first));
  llvm::Value *isNear = builder_.CreateICmpULT(last, constant(elements + before));
  at.base = builder_.CreateSelect(isNear, at.base, constant(first));
  return at;
}

// Elements at a position in an array of so many.
Element LoopEvaluator::loadFrom(mlir::Type type, llvm::Value *pointer, mlir::AffineExpr position, int64_t elements) {
  LaneIndex at = nearArray(position, elements);
  if (!mask() || sizes_ || at.vector || at.stride != 1 || elements < lanes_ || !isMaskedByLane(type))
    return loadStrided(type, pointer, at);
  auto last = llvm::ConstantInt::get(at.base->getType(), uint64_t(elements - lanes_));
  auto whole = [&] {
    return pack({loadElements(builder_, type, elementAddress(builder_, type, pointer, at.base), lanes_)});
  };
  auto part = [&] { return pack({loadAcrossEnd(type, pointer, at.base, elements)}); };
  Element loaded = unpack(ifElse(builder_.CreateICmpULE(at.base, last), whole, part), {type}).front();
  return {builder_.CreateSelect(mask(), loaded.re, llvm::Constant::getNullValue(loaded.re->getType()))};
}

// Whether LLVM makes a branch for each lane of a vector that is loaded by mask. What is around the lanes in the array
// may be read as well.
bool LoopEvaluator::isMaskedByLane(mlir::Type type) const {
  if (!target_->costs().hasCores() || target_->hasMaskedMemory() || !type.isIntOrFloat())
    return false;
  return target_->vectorBits() < 256 || type.isInteger(1) || type.getIntOrFloatBitWidth() < 32;
}

// A vector that begins before the array, or ends behind it: the array's first or last elements, moved by a store to the
// stack. The lanes outside of the array are anything.
Element LoopEvaluator::loadAcrossEnd(mlir::Type type, llvm::Value *pointer, llvm::Value *position, int64_t elements) {
  llvm::Type *index = position->getType();
  auto number = [&](int64_t value) { return llvm::ConstantInt::getSigned(index, value); };
  llvm::Value *inside = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, position, number(0));
  inside = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, inside, number(elements - lanes_));
  Element ends = loadElements(builder_, type, elementAddress(builder_, type, pointer, inside), lanes_);
  llvm::BasicBlock &entry = builder_.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> first(&entry, entry.begin());
  llvm::Type *stored = storageType(builder_.getContext(), type);
  llvm::Value *room = first.CreateAlloca(llvm::ArrayType::get(stored, uint64_t(3) * lanes_));
  storeElements(builder_, type, ends, elementAddress(builder_, type, room, number(lanes_)), lanes_);
  llvm::Value *moved = builder_.CreateAdd(builder_.CreateSub(position, inside), number(lanes_));
  return loadElements(builder_, type, elementAddress(builder_, type, room, moved), lanes_);
}

Element LoopEvaluator::loadAt(mlir::Type type, llvm::Value *pointer, mlir::AffineExpr position) {
  return loadStrided(type, pointer, index(position));
}

void LoopEvaluator::storeAt(mlir::Type type, llvm::Value *pointer, mlir::AffineExpr position, Element element) {
  LaneIndex at = index(position);
  llvm::Value *address = elementAddress(builder_, type, pointer, at.base);
  if (lanes_ == 1 || at.isUniform()) {
    storeElements(builder_, type, element, address, 1);
    return;
  }
  element = toVector(element);
  if (!at.vector && at.stride == 1 && streaming_ && !mask()) {
    llvm::StoreInst *store = builder_.CreateAlignedStore(element.re, address, llvm::Align(64));
    llvm::Metadata *one = llvm::ConstantAsMetadata::get(builder_.getInt32(1));
    store->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(builder_.getContext(), one));
    return;
  }
  if (!at.vector && at.stride == 1) {
    storeElements(builder_, type, element, address, lanes_, mask());
    return;
  }
  if (!at.vector && at.stride == -1 && !mask()) {
    llvm::SmallVector<int> reversed;
    for (int lane = lanes_ - 1; lane >= 0; --lane)
      reversed.push_back(lane);
    address = elementAddress(builder_, type, address, constant(-static_cast<int64_t>(lanes_ - 1)));
    storeElements(builder_, type, shuffleLanes(builder_, element, {}, reversed), address, lanes_);
    return;
  }
  llvm::Value *lanes = at.vector;
  if (at.stride != 0)
    lanes = lanes ? builder_.CreateAdd(lanes, laneNumbers(at.stride)) : laneNumbers(at.stride);
  scatterElements(builder_, type, element, address, lanes, lanes_, mask());
}

} // namespace tenon::codegen::loop
