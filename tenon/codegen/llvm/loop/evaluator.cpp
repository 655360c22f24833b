#include "tenon/codegen/llvm/loop/evaluator.h"

#include "tenon/codegen/common/plan/loop_plan.h"
#include "tenon/codegen/llvm/loop/reduction.h"
#include "tenon/codegen/llvm/loop/tree.h"
#include "tenon/codegen/llvm/math/instruction_set.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using mlir::AffineExpr;

namespace tenon::codegen::loop {

Element LoopEvaluator::compute(mlir::Value value, llvm::ArrayRef<AffineExpr> index) {
  if (failed_)
    return zeroElement(builder_.getContext(), elementTypeOf(value), 1);
  return evaluate(source_, indexer_, value, index);
}

Element LoopEvaluator::computed(mlir::OpResult result, llvm::ArrayRef<AffineExpr> index) {
  mlir::Operation *op = result.getOwner();
  if (auto loop = llvm::dyn_cast<stablehlo::WhileOp>(op)) {
    Elements results = iterate(loop, index);
    for (auto [value, element] : llvm::zip(op->getResults(), results))
      bind(value, RegionIndexer::elementwiseIndex(value, index), element);
    return results[result.getResultNumber()];
  }
  Elements operands;
  bool vector = false;
  for (mlir::Value operand : op->getOperands()) {
    operands.push_back(eval(operand, RegionIndexer::elementwiseIndex(operand, index)));
    vector |= operands.back().re->getType()->isVectorTy();
  }
  unsigned lanes = vector ? lanes_ : 1;
  if (vector)
    for (Element &operand : operands)
      operand = toVector(operand);
  if (auto map = llvm::dyn_cast<stablehlo::MapOp>(op)) {
    Elements results = emitBody(map.getComputation(), operands);
    return results.empty() ? zeroElement(builder_.getContext(), elementTypeOf(op->getResult(0)), lanes) : results[0];
  }
  llvm::FailureOr<Element> element = emitElementwise(builder_, op, operands, lanes);
  if (llvm::succeeded(element))
    return *element;
  failed_ = true;
  return zeroElement(builder_.getContext(), elementTypeOf(op->getResult(0)), lanes);
}

llvm::Value *LoopEvaluator::arrayPointer(mlir::Value value) {
  if (int input = source_.inputNumber(value); input >= 0)
    return inputs_[input];
  llvm::Value *&data = constants_[value];
  if (data)
    return data;
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  llvm::FailureOr<llvm::Constant *> array = llvm::failure();
  if (constant)
    array = constantArray(*builder_.GetInsertBlock()->getModule(), constant.getValue());
  if (llvm::failed(array)) {
    fail(source_.op, "a loop kernel reads an array that is neither an operand nor a constant");
    array = llvm::ConstantPointerNull::get(builder_.getPtrTy());
  }
  return data = *array;
}

Element LoopEvaluator::array(mlir::Value value, llvm::ArrayRef<AffineExpr> index) {
  AffineExpr position = space().linearize(index, shapeOf(value));
  return loadFrom(elementTypeOf(value), arrayPointer(value), position, elementCount(shapeOf(value)));
}

// How many elements a mean is over, say.
static bool isSize(mlir::DenseElementsAttr data) {
  mlir::Type type = data.getElementType();
  if (!type.isF32() && !type.isF64())
    return false;
  llvm::APFloat value = *data.getValues<llvm::APFloat>().begin();
  return value.isFiniteNonZero() && !abs(value).isExactlyValue(1.0);
}

Element LoopEvaluator::constant(mlir::DenseElementsAttr data) {
  if (sizes_ && isSize(data)) {
    llvm::APInt bits = (*data.getValues<llvm::APFloat>().begin()).bitcastToAPInt();
    llvm::Value *value = size(int64_t(bits.getZExtValue()));
    llvm::Type *type = valueType(builder_.getContext(), data.getElementType(), 1);
    return {builder_.CreateBitCast(builder_.CreateTrunc(value, builder_.getIntNTy(bits.getBitWidth())), type)};
  }
  return constantElement(builder_.getContext(), data, 0, 1);
}

Element LoopEvaluator::iota(mlir::Operation *op, AffineExpr expr) {
  mlir::Type type = elementTypeOf(op->getResult(0));
  llvm::Value *value = indexValue(expr);
  unsigned bits = value->getType()->getScalarSizeInBits();
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type)) {
    llvm::Type *to = valueType(builder_.getContext(), type, 1);
    if (integer.getWidth() >= 8)
      return {builder_.CreateSExtOrTrunc(value, value->getType()->getWithNewType(to))};
  }
  return emitConvert(builder_, mlir::IntegerType::get(op->getContext(), bits), type, {value});
}

Element LoopEvaluator::chooseSource(mlir::Operation *op, llvm::ArrayRef<Source> sources) {
  const Source &first = sources.front();
  mlir::Value operand = op->getOperand(first.operand);
  mlir::Type type = elementTypeOf(operand);
  auto evalFirst = [&] { return eval(operand, first.index); };
  if (first.conditions.empty() || sources.size() == 1)
    return evalFirst();
  auto [uniform, varying] = conditionValues(first);
  auto evalRest = [&] { return chooseSource(op, sources.drop_front()); };
  if (!varying)
    return branch(uniform, type, evalFirst, evalRest);
  auto evalIn = [&](llvm::Value *lanes, llvm::function_ref<Element()> eval) {
    Element element;
    withMask(mask() ? builder_.CreateAnd(mask(), lanes) : lanes, [&] { element = toVector(eval()); });
    return element;
  };
  // Pieces of a concatenation have no elements at the indices of those before, and none may be read there; what is left
  // of others has all.
  Element rest;
  if (llvm::isa<stablehlo::ConcatenateOp>(op)) {
    llvm::Value *taken = uniform ? builder_.CreateAnd(builder_.CreateVectorSplat(lanes_, uniform), varying) : varying;
    rest = evalIn(builder_.CreateNot(taken), evalRest);
  } else {
    rest = toVector(evalRest());
  }
  auto merged = [&] { return select(varying, evalIn(varying, evalFirst), rest); };
  return uniform ? branch(uniform, type, merged, [&] { return rest; }) : merged();
}

Element LoopEvaluator::moved(mlir::Operation *op, llvm::ArrayRef<AffineExpr> index, llvm::ArrayRef<Source> sources) {
  unsigned lanes = lanes_;
  if (sources.size() > 1 && !varyOverLanes(index))
    lanes_ = 1; // branches then join scalars
  Element result = chooseSource(op, sources);
  lanes_ = lanes;
  return result;
}

Elements LoopEvaluator::emitBody(mlir::Region &body, llvm::ArrayRef<Element> arguments) {
  bool vector = arguments.front().re->getType()->isVectorTy();
  auto results = computations_.emit(builder_, body, arguments, vector ? lanes_ : 1, mask());
  if (llvm::succeeded(results))
    return Elements(results->begin(), results->end());
  failed_ = true;
  Elements zeros;
  for (mlir::Value value : body.front().getTerminator()->getOperands())
    zeros.push_back(zeroElement(builder_.getContext(), elementTypeOf(value), vector ? lanes_ : 1));
  return zeros;
}

// An element of the results of a reduce or reduce_window.
struct LoopEvaluator::Reduction {
  mlir::Operation *op;
  llvm::ArrayRef<AffineExpr> index;
  bool vector; // whether lanes differ
  ReductionBody body = analyzeReductionBody(op);
  llvm::SmallVector<mlir::Type, 2> types = accumulatorTypes(op, body);
  llvm::SmallVector<int64_t> extents = RegionIndexer::reducedExtents(op);
  bool ofBits = false; // accumulators are BitExtrema
};

// Combines accumulators with elements, in the accumulators' types when the body is recognised.
static Elements combineElements(LoopEvaluator &evaluator, mlir::Operation *op, const ReductionBody &body, bool ofBits,
                                Elements accumulators, Elements elements) {
  if (ofBits) {
    llvm::IRBuilder<> &b = evaluator.builder();
    const Combiner &combiner = body.combiners.front();
    llvm::Value *floats = emitConvert(b, combiner.type, combiner.accumulator, elements.front()).re;
    BitExtrema extrema = mergeBitExtrema(b, LoopEvaluator::pack(accumulators), bitExtremaOf(b, floats));
    return Elements(extrema.begin(), extrema.end());
  }
  if (body.form != ReductionBody::Form::kIndependent) {
    llvm::append_range(accumulators, elements);
    return evaluator.emitBody(op->getRegion(0), accumulators);
  }
  for (auto [i, combiner] : llvm::enumerate(body.combiners)) {
    Element element = emitConvert(evaluator.builder(), combiner.type, combiner.accumulator, elements[i]);
    accumulators[i] = emitCombine(evaluator.builder(), combiner, accumulators[i], element);
  }
  return accumulators;
}

static void convertAccumulators(LoopEvaluator &evaluator, const ReductionBody &body, Elements &values, bool narrow) {
  if (body.form != ReductionBody::Form::kIndependent)
    return;
  for (auto [value, combiner] : llvm::zip(values, body.combiners))
    value = narrow ? emitConvert(evaluator.builder(), combiner.accumulator, combiner.type, value)
                   : emitConvert(evaluator.builder(), combiner.type, combiner.accumulator, value);
}

// Loops over the first of `extents`, whose dimension is the last one of the space, and adds what `inner` adds for each
// index: a tree if all extents together are a long sum.
Elements LoopEvaluator::sumLoop(const Reduction &reduction, llvm::ArrayRef<int64_t> extents,
                                llvm::ArrayRef<Element> accumulators, llvm::function_ref<Elements(Elements)> inner) {
  unsigned dim = space().numDims() - 1;
  auto range = [&](llvm::Value *begin, llvm::Value *end, llvm::ArrayRef<llvm::Value *> start) {
    return forLoop(begin, end, 1, start, [&](auto *iv, auto carried) {
      bindDim(dim, iv, 0);
      return pack(inner(unpack(carried, reduction.types)));
    });
  };
  int64_t block = std::max<int64_t>(1, kSumBlock / elementCount(extents.drop_front()));
  bool isLong = elementCount(extents) > 2 * kSumBlock && extents.front() > block;
  if (!isLong || !gainsFromTree(reduction.body))
    return unpack(range(constant(0), constant(extents.front()), pack(accumulators)), reduction.types);
  Elements neutral;
  for (const Combiner &combiner : reduction.body.combiners)
    neutral.push_back(combinerIdentity(builder_.getContext(), combiner, reduction.vector ? lanes_ : 1));
  auto merge = [&](llvm::ArrayRef<llvm::Value *> a, llvm::ArrayRef<llvm::Value *> b) {
    Elements left = unpack(a, reduction.types), right = unpack(b, reduction.types);
    for (auto [i, combiner] : llvm::enumerate(reduction.body.combiners))
      left[i] = emitCombine(builder_, combiner, left[i], right[i]);
    return pack(left);
  };
  auto sumBlock = [&](llvm::Value *from, llvm::Value *to) { return range(from, to, pack(neutral)); };
  LLVMValues sum = emitTreeSum(
      *this, {constant(0), constant(extents.front()), block, extents.front(), pack(neutral), sumBlock, merge});
  return unpack(merge(pack(accumulators), sum), reduction.types);
}

// Whether extrema of so many elements are found by their bits: for fewer, the last step takes what that saves.
static bool keepsBits(LoopEvaluator &evaluator, const ReductionBody &body, int64_t elements) {
  constexpr int64_t kLeastElements = 4;
  unsigned lanes = evaluator.lanes();
  return isExtremum(body) && elements >= kLeastElements && lanes > 1 &&
         math::instructionsOf(evaluator.builder()).keepsExtremaOfBits(lanes);
}

Element LoopEvaluator::reduced(mlir::OpResult result, llvm::ArrayRef<AffineExpr> index) {
  mlir::Operation *op = result.getOwner();
  Reduction reduction{op, index, varyOverLanes(index)};
  Elements values;
  for (mlir::Value init : op->getOperands().take_back(op->getNumResults()))
    values.push_back(reduction.vector ? evalVector(init, {}) : eval(init, {}));
  if (elementCount(shapeOf(op->getOperand(0))) > 0) {
    unsigned lanes = lanes_;
    lanes_ = reduction.vector ? lanes : 1;
    convertAccumulators(*this, reduction.body, values, false);
    reduction.ofBits = reduction.vector && keepsBits(*this, reduction.body, elementCount(reduction.extents));
    if (reduction.ofBits) {
      BitExtrema extrema = bitExtremaOf(builder_, values.front().re);
      reduction.types.assign(kBitExtrema, mlir::IntegerType::get(op->getContext(), 32));
      values.assign(extrema.begin(), extrema.end());
    }
    values = reduceLoop(reduction, {}, values);
    if (reduction.ofBits) {
      const Combiner &combiner = reduction.body.combiners.front();
      auto type = llvm::cast<mlir::FloatType>(combiner.accumulator);
      values = {{settleBitExtrema(builder_, combiner.kind, type, pack(values))}};
    }
    convertAccumulators(*this, reduction.body, values, true);
    lanes_ = lanes;
  }
  for (auto [value, element] : llvm::zip(op->getResults(), values))
    bind(value, index, element);
  return values[result.getResultNumber()];
}

// Over the dimensions that have no index in `reduced` yet.
Elements LoopEvaluator::reduceLoop(const Reduction &reduction, const IndexVector &reduced, Elements accumulators) {
  llvm::ArrayRef<int64_t> extents = llvm::ArrayRef(reduction.extents).drop_front(reduced.size());
  if (extents.empty())
    return reduceStep(reduction, reduced, accumulators);
  IndexVector next(reduced);
  if (elementCount(extents) <= kUnrolledWindow) {
    next.emplace_back();
    for (int64_t i = 0; i < extents.front(); ++i) {
      next.back() = space().constant(i);
      accumulators = reduceLoop(reduction, next, accumulators);
    }
    return accumulators;
  }
  next.push_back(space().addDim(extents.front()));
  return sumLoop(reduction, extents, accumulators,
                 [&](Elements before) { return reduceLoop(reduction, next, std::move(before)); });
}

// What lies outside of the input takes no part.
Elements LoopEvaluator::reduceStep(const Reduction &reduction, const IndexVector &reduced,
                                   const Elements &accumulators) {
  std::optional<Source> inside = indexer_.reducedSource(reduction.op, reduction.index, reduced);
  if (!inside)
    return accumulators;
  const Source &source = *inside;
  auto [uniform, varying] = conditionValues(source);
  auto combine = [&] {
    Elements elements;
    for (mlir::Value operand : reduction.op->getOperands().take_front(reduction.op->getNumResults()))
      elements.push_back(reduction.vector ? evalVector(operand, source.index) : eval(operand, source.index));
    return combineElements(*this, reduction.op, reduction.body, reduction.ofBits, accumulators, elements);
  };
  auto masked = [&]() -> Elements {
    if (!varying)
      return combine();
    Elements values;
    llvm::Value *active = mask() ? builder_.CreateAnd(mask(), varying) : varying;
    withMask(active, [&] { values = combine(); });
    for (auto [value, other] : llvm::zip(values, accumulators))
      value = select(varying, value, other);
    return values;
  };
  if (!uniform)
    return masked();
  LLVMValues results = ifElse(uniform, [&] { return pack(masked()); }, [&] { return pack(accumulators); });
  return unpack(results, reduction.types);
}

} // namespace tenon::codegen::loop
