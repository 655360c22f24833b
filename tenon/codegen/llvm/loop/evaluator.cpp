#include "tenon/codegen/llvm/loop/evaluator.h"

#include "tenon/codegen/common/plan/loop_plan.h"
#include "tenon/codegen/llvm/loop/reduction.h"
#include "tenon/codegen/llvm/loop/tree.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using mlir::AffineExpr;

namespace tenon::codegen::loop {

// Loops over this many elements or fewer are unrolled.
constexpr int64_t kUnrolledReduction = 8;

Element LoopEvaluator::compute(mlir::Value value, llvm::ArrayRef<AffineExpr> index) {
  if (failed_)
    return zeroElement(builder_.getContext(), elementTypeOf(value), 1);
  if (int input = source_.inputNumber(value); input >= 0) {
    AffineExpr position = space().linearize(index, shapeOf(value));
    return loadAt(elementTypeOf(value), inputs_[input], position);
  }
  mlir::Operation *op = value.getDefiningOp();
  if (!op) {
    failed_ = true;
    return zeroElement(builder_.getContext(), elementTypeOf(value), 1);
  }
  unsigned result = llvm::cast<mlir::OpResult>(value).getResultNumber();
  if (llvm::isa<stablehlo::ConstantOp>(op))
    return computeConstant(op, index);
  if (llvm::isa<stablehlo::IotaOp>(op))
    return computeIota(op, index);
  if (RegionIndexer::movesElements(op))
    return computeMoved(op, index);
  if (llvm::isa<stablehlo::ReduceOp>(op))
    return computeReduce(op, result, index);
  if (llvm::isa<stablehlo::ReduceWindowOp>(op))
    return computeReduceWindow(op, result, index);
  if (llvm::isa<stablehlo::OptimizationBarrierOp>(op))
    return eval(op->getOperand(result), index);
  return computeElementwise(op, index);
}

Element LoopEvaluator::computeElementwise(mlir::Operation *op, llvm::ArrayRef<AffineExpr> index) {
  Elements operands;
  bool vector = false;
  for (mlir::Value operand : op->getOperands()) {
    operands.push_back(eval(operand, RegionIndexer::elementwiseIndex(operand, index)));
    vector |= operands.back().re->getType()->isVectorTy();
  }
  if (vector)
    for (Element &operand : operands)
      operand = toVector(operand);
  unsigned lanes = vector ? lanes_ : 1;
  if (auto map = llvm::dyn_cast<stablehlo::MapOp>(op)) {
    Elements results = emitBody(map.getComputation(), operands);
    return results.empty() ? zeroElement(builder_.getContext(), elementTypeOf(op->getResult(0)), lanes) : results[0];
  }
  ElementContext context{builder_};
  llvm::FailureOr<Element> result = emitElementwise(context, op, operands, lanes);
  if (llvm::succeeded(result))
    return *result;
  failed_ = true;
  return zeroElement(builder_.getContext(), elementTypeOf(op->getResult(0)), lanes);
}

llvm::Value *LoopEvaluator::constantData(mlir::Operation *op) {
  llvm::Value *&data = constants_[op];
  if (!data) {
    auto value = llvm::cast<mlir::ElementsAttr>(llvm::cast<stablehlo::ConstantOp>(op).getValue());
    // Dense data (computeConstant, canFuseInLoopKernel) is always known.
    data = *constantArray(*builder_.GetInsertBlock()->getModule(), value);
  }
  return data;
}

llvm::Value *LoopEvaluator::arrayPointer(mlir::Value value) {
  int input = source_.inputNumber(value);
  return input >= 0 ? inputs_[input] : constantData(value.getDefiningOp());
}

Element LoopEvaluator::computeConstant(mlir::Operation *op, llvm::ArrayRef<AffineExpr> index) {
  mlir::Type type = elementTypeOf(op->getResult(0));
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(llvm::cast<stablehlo::ConstantOp>(op).getValue());
  if (!dense) {
    fail(op, "a constant in a loop kernel must be a dense array");
    return zeroElement(builder_.getContext(), type, 1);
  }
  if (dense.isSplat() || dense.getNumElements() == 1)
    return constantElement(builder_.getContext(), dense, 0, 1);
  return loadAt(type, constantData(op), space().linearize(index, shapeOf(op->getResult(0))));
}

Element LoopEvaluator::computeIota(mlir::Operation *op, llvm::ArrayRef<AffineExpr> index) {
  mlir::Type type = elementTypeOf(op->getResult(0));
  AffineExpr expr = index[llvm::cast<stablehlo::IotaOp>(op).getIotaDimension()];
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

Element LoopEvaluator::computeMoved(mlir::Operation *op, llvm::ArrayRef<AffineExpr> index) {
  llvm::SmallVector<Source, 2> sources = indexer_.sources(op, index);
  bool varies = llvm::any_of(index, [&](AffineExpr expr) { return variesOverLanes(expr); });
  unsigned lanes = lanes_;
  if (sources.size() > 1 && !varies)
    lanes_ = 1; // branches then join scalars
  Element result = chooseSource(op, sources);
  lanes_ = lanes;
  return result;
}

Elements LoopEvaluator::emitBody(mlir::Region &body, llvm::ArrayRef<Element> arguments) {
  bool vector = arguments.front().re->getType()->isVectorTy();
  ElementContext context{builder_, [&](mlir::Value value) -> llvm::FailureOr<Element> {
                           if (!shapeOf(value).empty())
                             return llvm::failure();
                           return vector ? evalVector(value, {}) : eval(value, {});
                         }};
  auto results = computations_.emit(context, body, arguments, vector ? lanes_ : 1, mask());
  if (llvm::succeeded(results))
    return Elements(results->begin(), results->end());
  failed_ = true;
  Elements zeros;
  for (mlir::Value value : body.front().getTerminator()->getOperands())
    zeros.push_back(zeroElement(builder_.getContext(), elementTypeOf(value), vector ? lanes_ : 1));
  return zeros;
}

Elements LoopEvaluator::initialValues(mlir::Operation *op, bool vector) {
  Elements result;
  unsigned count = op->getNumOperands() / 2;
  for (unsigned i = 0; i < count; ++i) {
    Element init = eval(op->getOperand(count + i), {});
    result.push_back(vector ? toVector(init) : init);
  }
  return result;
}

// Combines accumulators with elements, in the accumulators' types when the body is recognised.
static Elements combineElements(LoopEvaluator &evaluator, mlir::Operation *op, const ReductionBody &body,
                                Elements accumulators, Elements elements) {
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
Elements LoopEvaluator::sumLoop(mlir::Operation *op, llvm::ArrayRef<int64_t> extents,
                                llvm::ArrayRef<Element> accumulators, llvm::function_ref<Elements(Elements)> inner) {
  ReductionBody body = analyzeReductionBody(op);
  llvm::SmallVector<mlir::Type, 2> types = accumulatorTypes(op, body);
  unsigned dim = space().numDims() - 1;
  auto range = [&](llvm::Value *begin, llvm::Value *end, llvm::ArrayRef<llvm::Value *> start) {
    return forLoop(begin, end, 1, start, [&](auto *iv, auto carried) {
      bindDim(dim, iv, 0);
      return pack(inner(unpack(carried, types)));
    });
  };
  int64_t block = std::max<int64_t>(1, kSumBlock / elementCount(extents.drop_front()));
  bool isLong = elementCount(extents) > 2 * kSumBlock && extents.front() > block;
  if (!isLong || !gainsFromTree(body))
    return unpack(range(constant(0), constant(extents.front()), pack(accumulators)), types);
  Elements neutral;
  bool vector = accumulators.front().re->getType()->isVectorTy();
  for (const Combiner &combiner : body.combiners)
    neutral.push_back(combinerIdentity(builder_.getContext(), combiner, vector ? lanes_ : 1));
  auto merge = [&](llvm::ArrayRef<llvm::Value *> a, llvm::ArrayRef<llvm::Value *> b) {
    Elements left = unpack(a, types), right = unpack(b, types);
    for (auto [i, combiner] : llvm::enumerate(body.combiners))
      left[i] = emitCombine(builder_, combiner, left[i], right[i]);
    return pack(left);
  };
  auto sumBlock = [&](llvm::Value *from, llvm::Value *to) { return range(from, to, pack(neutral)); };
  LLVMValues sum = emitTreeSum(
      *this, {constant(0), constant(extents.front()), block, extents.front(), pack(neutral), sumBlock, merge});
  return unpack(merge(pack(accumulators), sum), types);
}

Element LoopEvaluator::computeReduce(mlir::Operation *op, unsigned result, llvm::ArrayRef<AffineExpr> index) {
  auto reduce = llvm::cast<stablehlo::ReduceOp>(op);
  bool vector = llvm::any_of(index, [&](AffineExpr expr) { return variesOverLanes(expr); });
  ReductionBody body = analyzeReductionBody(op);
  llvm::SmallVector<int64_t> extents;
  for (int64_t dim : reduce.getDimensions())
    extents.push_back(shapeOf(op->getOperand(0))[dim]);
  Elements values = initialValues(op, vector);
  if (elementCount(extents) > 0) {
    convertAccumulators(*this, body, values, false);
    values = reduceLoop(op, index, {}, extents, values);
    convertAccumulators(*this, body, values, true);
  }
  cacheResults(op, index, values);
  return values[result];
}

Elements LoopEvaluator::reduceLoop(mlir::Operation *op, llvm::ArrayRef<AffineExpr> index, const IndexVector &reduced,
                                   llvm::ArrayRef<int64_t> extents, Elements accumulators) {
  ReductionBody body = analyzeReductionBody(op);
  if (reduced.size() == extents.size()) {
    IndexVector inputIndex = RegionIndexer::reduceInputIndex(op, index, reduced);
    bool vector = accumulators.front().re->getType()->isVectorTy();
    Elements elements;
    for (unsigned i = 0; i < op->getNumOperands() / 2; ++i)
      elements.push_back(vector ? evalVector(op->getOperand(i), inputIndex) : eval(op->getOperand(i), inputIndex));
    return combineElements(*this, op, body, accumulators, elements);
  }
  int64_t extent = extents[reduced.size()];
  if (elementCount(extents.drop_front(reduced.size())) <= kUnrolledReduction) {
    for (int64_t i = 0; i < extent; ++i) {
      IndexVector next(reduced);
      next.push_back(space().constant(i));
      accumulators = reduceLoop(op, index, next, extents, accumulators);
    }
    return accumulators;
  }
  IndexVector next(reduced);
  next.push_back(space().addDim(extent));
  return sumLoop(op, extents.drop_front(reduced.size()), accumulators,
                 [&](Elements before) { return reduceLoop(op, index, next, extents, std::move(before)); });
}

Element LoopEvaluator::computeReduceWindow(mlir::Operation *op, unsigned result, llvm::ArrayRef<AffineExpr> index) {
  bool vector = llvm::any_of(index, [&](AffineExpr expr) { return variesOverLanes(expr); });
  ReductionBody body = analyzeReductionBody(op);
  auto extents = windowDims(op, "window_dimensions", index.size(), 1);
  Elements values = initialValues(op, vector);
  if (elementCount(shapeOf(op->getOperand(0))) > 0) {
    unsigned lanes = lanes_;
    lanes_ = vector ? lanes : 1;
    convertAccumulators(*this, body, values, false);
    values = windowLoop(op, index, {}, extents, values);
    convertAccumulators(*this, body, values, true);
    lanes_ = lanes;
  }
  cacheResults(op, index, values);
  return values[result];
}

Elements LoopEvaluator::windowLoop(mlir::Operation *op, llvm::ArrayRef<AffineExpr> index, const IndexVector &window,
                                   llvm::ArrayRef<int64_t> extents, Elements accumulators) {
  if (window.size() == extents.size())
    return windowStep(op, index, window, accumulators);
  int64_t extent = extents[window.size()];
  IndexVector next(window);
  if (elementCount(extents.drop_front(window.size())) <= kUnrolledReduction) {
    next.push_back(space().constant(0));
    for (int64_t i = 0; i < extent; ++i) {
      next.back() = space().constant(i);
      accumulators = windowLoop(op, index, next, extents, accumulators);
    }
    return accumulators;
  }
  next.push_back(space().addDim(extent));
  return sumLoop(op, extents.drop_front(window.size()), accumulators,
                 [&](Elements before) { return windowLoop(op, index, next, extents, std::move(before)); });
}

// What lies outside of the input takes no part.
Elements LoopEvaluator::windowStep(mlir::Operation *op, llvm::ArrayRef<AffineExpr> index, const IndexVector &window,
                                   Elements accumulators) {
  ReductionBody body = analyzeReductionBody(op);
  llvm::SmallVector<mlir::Type, 2> types = accumulatorTypes(op, body);
  std::optional<Source> inside = indexer_.windowSource(op, index, window);
  if (!inside)
    return accumulators;
  Source source = *inside;
  auto [uniform, varying] = conditionValues(source);
  bool vector = accumulators.front().re->getType()->isVectorTy();
  auto combine = [&] {
    Elements elements;
    for (unsigned i = 0; i < op->getNumOperands() / 2; ++i) {
      Element element = eval(op->getOperand(i), source.index);
      elements.push_back(vector ? toVector(element) : element);
    }
    return combineElements(*this, op, body, accumulators, elements);
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
  return unpack(results, types);
}

} // namespace tenon::codegen::loop
