#include "tenon/codegen/llvm/loop/row_reduction.h"

#include "tenon/codegen/llvm/loop/row_groups.h"
#include "tenon/codegen/llvm/loop/row_routine.h"
#include "tenon/codegen/llvm/loop/row_stream.h"
#include "tenon/codegen/llvm/loop/tree.h"
#include "tenon/codegen/llvm/math/instruction_set.h"
#include "tenon/codegen/llvm/prefetch.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using mlir::AffineExpr;

namespace tenon::codegen::loop {

// --- StageAccumulators ---

StageAccumulators::StageAccumulators(LoopEvaluator &evaluator, llvm::ArrayRef<mlir::Operation *> reduces, bool asKeys)
    : evaluator_(evaluator), reduces_(reduces.begin(), reduces.end()), asKeys_(asKeys) {
  for (mlir::Operation *reduce : reduces) {
    bodies_.push_back(analyzeReductionBody(reduce));
    llvm::append_range(types_, accumulatorTypes(reduce, bodies_.back()));
  }
}

size_t StageAccumulators::count() const {
  return llvm::accumulate(types_, size_t(0), [](size_t count, mlir::Type type) {
    return count + (llvm::isa<mlir::ComplexType>(type) ? 2 : 1);
  });
}

LLVMValues StageAccumulators::start(unsigned lanes, bool fromInit) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  Elements elements;
  for (auto [reduce, body] : llvm::zip(reduces_, bodies_)) {
    unsigned count = reduce->getNumResults();
    for (unsigned i = 0; i < count; ++i) {
      bool independent = body.form == ReductionBody::Form::kIndependent;
      if (independent && !fromInit) {
        elements.push_back(combinerIdentity(b.getContext(), body.combiners[i], lanes));
        continue;
      }
      // The position of the extreme element may count its initial value any number of times.
      Element init = evaluator_.eval(reduce->getOperand(count + i), {});
      if (independent)
        init = emitConvert(b, body.combiners[i].type, body.combiners[i].accumulator, init);
      elements.push_back(lanes > 1 ? splat(b, init, lanes) : init);
    }
  }
  return LoopEvaluator::pack(elements);
}

Elements StageAccumulators::combine(unsigned reduce, llvm::ArrayRef<Element> a, llvm::ArrayRef<Element> b,
                                    bool inOrder) {
  const ReductionBody &body = bodies_[reduce];
  llvm::IRBuilder<> &builder = evaluator_.builder();
  if (body.form == ReductionBody::Form::kArgument) {
    auto types = accumulatorTypes(reduces_[reduce], body);
    bool keepsEarlier = inOrder && hasIncreasingPositions(reduces_[reduce]);
    return emitArgumentCombine(builder, body, types[0], types[1], a, b, keepsEarlier);
  }
  Elements results;
  if (body.form == ReductionBody::Form::kIndependent) {
    for (auto [i, combiner] : llvm::enumerate(body.combiners))
      results.push_back(emitCombine(builder, combiner, a[i], b[i]));
    return results;
  }
  Elements arguments(a);
  llvm::append_range(arguments, b);
  return evaluator_.emitBody(reduces_[reduce]->getRegion(0), arguments);
}

bool StageAccumulators::isExtremum() const { return types_.size() == 1 && loop::isExtremum(bodies_.front()); }

bool StageAccumulators::isBoolean() const {
  return types_.size() == 1 && bodies_.front().form == ReductionBody::Form::kIndependent && types_.front().isInteger(1);
}

// bf16 and f16 are compared as they are; smaller ones, whose bits are of other kinds, as floats.
mlir::Type StageAccumulators::bitsOf() const {
  const Combiner &combiner = bodies_.front().combiners.front();
  bool isNarrow = !asKeys_ && (combiner.type.isBF16() || combiner.type.isF16());
  return isNarrow ? combiner.type : combiner.accumulator;
}

bool StageAccumulators::isSpread(llvm::ArrayRef<llvm::Value *> carried) const {
  if (isBoolean())
    return carried.front()->getType()->isIntOrIntVectorTy(8);
  return isExtremum() && carried.front()->getType()->isIntOrIntVectorTy();
}

bool StageAccumulators::spreads(unsigned lanes) const {
  const math::InstructionSet &instructions = math::instructionsOf(evaluator_.builder());
  return lanes > 1 && ((isExtremum() && instructions.keepsExtremaOfBits(lanes)) ||
                       (isBoolean() && instructions.keepsBooleansInBytes()));
}

size_t StageAccumulators::carriedCount(unsigned lanes) const {
  return isExtremum() && spreads(lanes) && !asKeys_ ? kBitExtrema : count();
}

LLVMValues StageAccumulators::carriedBits(llvm::Value *floats) const {
  llvm::IRBuilder<> &b = evaluator_.builder();
  if (asKeys_)
    return {extremumKey(b, bodies_.front().combiners.front().kind, floats)};
  return bitExtremaOf(b, floats);
}

LLVMValues StageAccumulators::spread(llvm::ArrayRef<llvm::Value *> values) const {
  auto *type = values.empty() ? nullptr : llvm::dyn_cast<llvm::FixedVectorType>(values.front()->getType());
  if (!type || !spreads(type->getNumElements()))
    return LLVMValues(values);
  llvm::IRBuilder<> &b = evaluator_.builder();
  if (isBoolean())
    return {b.CreateSExt(values.front(), type->getWithNewType(b.getInt8Ty()))};
  return carriedBits(emitConvert(b, types_.front(), bitsOf(), {values.front()}).re);
}

LLVMValues StageAccumulators::settle(llvm::ArrayRef<llvm::Value *> carried) const {
  if (!isSpread(carried))
    return LLVMValues(carried);
  llvm::IRBuilder<> &b = evaluator_.builder();
  if (isBoolean())
    return {b.CreateIsNeg(carried.front())};
  const Combiner &combiner = bodies_.front().combiners.front();
  if (asKeys_)
    return {settleExtremumKey(b, combiner.kind, combiner.type, carried.front())};
  return {settleBitExtrema(b, combiner.kind, llvm::cast<mlir::FloatType>(bitsOf()), carried)};
}

LLVMValues StageAccumulators::settleNarrow(llvm::ArrayRef<llvm::Value *> carried) const {
  bool isNarrow = isExtremum() && isSpread(carried) && carried.front()->getType()->getScalarSizeInBits() < 32;
  return isNarrow ? settle(carried) : LLVMValues(carried);
}

LLVMValues StageAccumulators::stepOfBits(llvm::ArrayRef<llvm::Value *> carried, const IndexVector &inputIndex) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  const Combiner &combiner = bodies_.front().combiners.front();
  Element input = evaluator_.evalVector(reduces_.front()->getOperand(0), inputIndex);
  LLVMValues bits = isBoolean() ? LLVMValues{b.CreateSExt(input.re, carried.front()->getType())}
                                : carriedBits(emitConvert(b, combiner.type, bitsOf(), input).re);
  LLVMValues results;
  for (auto [old, after] : llvm::zip(carried, merge(carried, bits)))
    results.push_back(evaluator_.mask() ? b.CreateSelect(evaluator_.mask(), after, old) : after);
  return results;
}

LLVMValues StageAccumulators::step(llvm::ArrayRef<llvm::Value *> carried, llvm::ArrayRef<IndexVector> inputIndices) {
  if (isSpread(carried))
    return stepOfBits(carried, inputIndices.front());
  llvm::IRBuilder<> &b = evaluator_.builder();
  Elements accumulators = LoopEvaluator::unpack(carried, types_), results;
  unsigned next = 0;
  for (auto [number, reduce] : llvm::enumerate(reduces_)) {
    const ReductionBody &body = bodies_[number];
    unsigned count = reduce->getNumResults();
    Elements inputs;
    for (unsigned i = 0; i < count; ++i) {
      Element input = evaluator_.evalVector(reduce->getOperand(i), inputIndices[number]);
      if (body.form == ReductionBody::Form::kIndependent)
        input = emitConvert(b, body.combiners[i].type, body.combiners[i].accumulator, input);
      inputs.push_back(input);
    }
    llvm::ArrayRef<Element> before = llvm::ArrayRef(accumulators).slice(next, count);
    Elements combined = combine(number, before, inputs, /*inOrder=*/true);
    for (auto [after, old] : llvm::zip(combined, before))
      results.push_back(evaluator_.mask() ? selectElement(b, evaluator_.mask(), after, old) : after);
    next += count;
  }
  return LoopEvaluator::pack(results);
}

llvm::Value *StageAccumulators::mergeBooleans(llvm::Value *x, llvm::Value *y) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  switch (bodies_.front().combiners.front().kind) {
  case CombinerKind::kAnd:
  case CombinerKind::kMultiply:
  case CombinerKind::kMinimum:
    return b.CreateAnd(x, y);
  case CombinerKind::kOr:
  case CombinerKind::kAdd:
  case CombinerKind::kMaximum:
    return b.CreateOr(x, y);
  case CombinerKind::kXor:
    return b.CreateXor(x, y);
  }
  return x;
}

LLVMValues StageAccumulators::merge(llvm::ArrayRef<llvm::Value *> a, llvm::ArrayRef<llvm::Value *> b, bool inOrder) {
  if (isBoolean() && isSpread(a))
    return {mergeBooleans(a.front(), b.front())};
  if (isSpread(a) && asKeys_)
    return {mergeExtremumKeys(evaluator_.builder(), bodies_.front().combiners.front().kind, a.front(), b.front())};
  if (isSpread(a))
    return mergeBitExtrema(evaluator_.builder(), a, b);
  Elements left = LoopEvaluator::unpack(a, types_), right = LoopEvaluator::unpack(b, types_), results;
  unsigned next = 0;
  for (auto [number, reduce] : llvm::enumerate(reduces_)) {
    unsigned count = reduce->getNumResults();
    llvm::append_range(results, combine(number, llvm::ArrayRef(left).slice(next, count),
                                        llvm::ArrayRef(right).slice(next, count), inOrder));
    next += count;
  }
  return LoopEvaluator::pack(results);
}

LLVMValues StageAccumulators::widen(llvm::ArrayRef<llvm::Value *> values, unsigned lanes, unsigned to) {
  if (lanes == to || values.empty())
    return LLVMValues(values);
  llvm::IRBuilder<> &b = evaluator_.builder();
  LLVMValues others = start(to, false), wide;
  if (isSpread(values))
    others = spread(others);
  llvm::SmallVector<int> whole(to, -1), joined;
  for (unsigned lane = 0; lane < to; ++lane) {
    if (lane < lanes)
      whole[lane] = int(lane);
    joined.push_back(int(lane < lanes ? lane : to + lane));
  }
  for (auto [value, other] : llvm::zip(values, others)) {
    if (lanes == 1)
      wide.push_back(b.CreateInsertElement(other, value, uint64_t(0)));
    else
      wide.push_back(b.CreateShuffleVector(b.CreateShuffleVector(value, whole), other, joined));
  }
  if (lanes == 1)
    return spread(wide);
  return wide;
}

LLVMValues StageAccumulators::fold(llvm::ArrayRef<llvm::Value *> vector, unsigned lanes, unsigned to) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  LLVMValues current(vector);
  for (unsigned half = lanes / 2; half >= to; half /= 2) {
    llvm::SmallVector<int> low, high;
    for (unsigned lane = 0; lane < half; ++lane) {
      low.push_back(lane);
      high.push_back(lane + half);
    }
    LLVMValues a, c;
    for (llvm::Value *value : current) {
      a.push_back(b.CreateShuffleVector(value, low));
      c.push_back(b.CreateShuffleVector(value, high));
    }
    current = merge(a, c);
  }
  if (to > 1)
    return current;
  if (lanes > 1)
    for (llvm::Value *&value : current)
      value = b.CreateExtractElement(value, uint64_t(0));
  return settle(current);
}

LLVMValues StageAccumulators::foldRows(llvm::ArrayRef<llvm::Value *> a, llvm::ArrayRef<llvm::Value *> b, unsigned lanes,
                                       unsigned block) {
  unsigned total = llvm::cast<llvm::FixedVectorType>(a.front()->getType())->getNumElements();
  unsigned piece = lanes > block ? total : block; // whose rows of both vectors follow one another
  llvm::SmallVector<int> low, high;
  for (unsigned first = 0; first < total; first += piece)
    for (unsigned vector : {0U, total})
      for (unsigned row = first; row < first + piece; row += lanes)
        for (unsigned lane = 0; lane < lanes / 2; ++lane) {
          low.push_back(vector + row + lane);
          high.push_back(vector + row + lane + lanes / 2);
        }
  LLVMValues lows, highs;
  for (auto [x, y] : llvm::zip(a, b)) {
    lows.push_back(evaluator_.builder().CreateShuffleVector(x, y, low));
    highs.push_back(evaluator_.builder().CreateShuffleVector(x, y, high));
  }
  return merge(lows, highs);
}

// A settled extremum of bf16 or f16 in that type: it is one of the elements, or NaN. Null for other values.
static llvm::Value *settledElement(llvm::IRBuilderBase &b, mlir::Type type, llvm::Value *value) {
  using namespace llvm::PatternMatch;
  llvm::Value *isNaN = nullptr, *number = nullptr;
  if (!match(value, m_Select(m_Value(isNaN), m_NaN(), m_Value(number))))
    return nullptr;
  llvm::Value *element = nullptr;
  if (type.isF16() && match(number, m_FPExt(m_Value(element))) && element->getType()->getScalarType()->isHalfTy())
    return b.CreateSelect(isNaN, llvm::ConstantFP::getQNaN(element->getType()), element);
  bool isWidened = type.isBF16() && match(number, m_BitCast(m_Shl(m_ZExt(m_Value(element)), m_SpecificInt(16)))) &&
                   element->getType()->getScalarType()->isIntegerTy(16);
  if (!isWidened)
    return nullptr;
  llvm::APInt nan = llvm::APFloat::getQNaN(llvm::APFloat::BFloat()).bitcastToAPInt();
  return b.CreateSelect(isNaN, llvm::ConstantInt::get(element->getType(), nan), element);
}

Elements StageAccumulators::finish(llvm::ArrayRef<llvm::Value *> carried) {
  Elements results = LoopEvaluator::unpack(carried, types_);
  unsigned next = 0;
  for (auto [reduce, body] : llvm::zip(reduces_, bodies_)) {
    for (unsigned i = 0; i < reduce->getNumResults(); ++i, ++next) {
      if (body.form != ReductionBody::Form::kIndependent)
        continue;
      const Combiner &combiner = body.combiners[i];
      llvm::IRBuilder<> &b = evaluator_.builder();
      if (llvm::Value *element = settledElement(b, combiner.type, results[next].re))
        results[next] = {element};
      else
        results[next] = emitConvert(b, combiner.accumulator, combiner.type, results[next]);
    }
  }
  return results;
}

FoldOrder foldOrder(mlir::Operation *reduce) {
  ReductionBody body = analyzeReductionBody(reduce);
  if (body.form == ReductionBody::Form::kGeneral)
    return FoldOrder::kFixed;
  return gainsFromTree(body) ? FoldOrder::kTree : FoldOrder::kFree;
}

// --- RowEmitter ---

bool RowEmitter::hasWholeVectors(const RowStage &stage) const {
  if (!evaluator_.readsSizes())
    return stage.wholeVectors;
  return llvm::all_of(plan_.stages, [](const RowStage &each) { return each.wholeVectors; });
}

llvm::SmallVector<unsigned, 6> RowEmitter::widths(const RowStage &stage) const {
  constexpr int64_t kMostEvaluations = 64; // ops that what is left evaluates: each width has code of its own
  llvm::SmallVector<unsigned, 6> widths = {plan_.vectorAlongRow ? stage.lanes : evaluator_.lanes()};
  if (!plan_.vectorAlongRow || stage.lanes == 1 || evaluator_.target()->hasMaskedMemory() || hasWholeVectors(stage))
    return widths;
  // Parts of a row, and rows of a routine, may leave anything.
  bool isKnown = !evaluator_.readsSizes() && plan_.splitSize == 0;
  uint64_t left = stage.lanes - 1;
  if (isKnown)
    left &= plan_.dims.back().extent;
  if (isKnown && llvm::popcount(left) * plan_.use.evaluations > kMostEvaluations)
    left = 1;
  for (unsigned half = stage.lanes / 2; half > 0; half /= 2)
    if (left & half)
      widths.push_back(half);
  return widths;
}

LaneSets RowEmitter::byWidth(const RowStage &stage, const StageAccumulators &accumulators,
                             llvm::ArrayRef<llvm::Value *> carried) const {
  LaneSets sets;
  for (unsigned lanes : widths(stage)) {
    size_t count = accumulators.carriedCount(lanes);
    sets.push_back({lanes, LLVMValues(carried.take_front(count))});
    carried = carried.drop_front(count);
  }
  return sets;
}

const SavedValue *RowEmitter::findSaved(const IndexedValue &value) const {
  for (const SavedValue &saved : plan_.saved)
    if (saved.value == value)
      return &saved;
  return nullptr;
}

// Address of the saved element (or vector) at the current point of the row.
llvm::Value *RowEmitter::savedAddress(const SavedValue &saved) {
  IndexSpace &space = evaluator_.space();
  AffineExpr position = space.linearize(plan_.rows.reduced, plan_.rows.reducedShape);
  if (!plan_.vectorAlongRow)
    position = space.scale(position, plan_.lanes);
  llvm::IRBuilder<> &b = evaluator_.builder();
  llvm::Value *base =
      saved.offset == 0 ? scratch_ : b.CreateInBoundsGEP(b.getInt8Ty(), scratch_, evaluator_.size(saved.offset));
  return elementAddress(b, elementTypeOf(saved.value.first), base, evaluator_.uniformIndex(position));
}

// Fetches what the access reads at this point of the next row. Past the last row it has no effect.
void RowEmitter::fetchNextRow(const PlanAccess &access) {
  constexpr int64_t kLineBytes = 64;
  llvm::IRBuilder<> &b = evaluator_.builder();
  mlir::Type type = elementTypeOf(access.value);
  int64_t ahead = IndexSpace::linearForm(access.position).coefficient(evaluator_.space().dim(plan_.keptDims - 1));
  llvm::Value *index = b.CreateAdd(evaluator_.uniformIndex(access.position), evaluator_.size(ahead));
  llvm::Value *bytes = b.CreateMul(index, evaluator_.constant(storageBytes(type)));
  llvm::Value *address = b.CreateGEP(b.getInt8Ty(), evaluator_.arrayPointer(access.value), bytes);
  for (int64_t offset = 0; offset < evaluator_.lanes() * storageBytes(type); offset += kLineBytes)
    emitPrefetch(b, b.CreateConstGEP1_64(b.getInt8Ty(), address, offset));
}

LLVMValues RowEmitter::point(const RowStage &stage, StageAccumulators &accumulators,
                             llvm::ArrayRef<llvm::Value *> carried) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  unsigned lanes = evaluator_.lanes();
  for (const IndexedValue &value : stage.loaded)
    if (const SavedValue *saved = findSaved(value))
      evaluator_.bind(value.first, value.second,
                      loadElements(b, elementTypeOf(value.first), savedAddress(*saved), lanes,
                                   plan_.vectorAlongRow ? evaluator_.mask() : nullptr));
  for (const PlanAccess &access : stage.fetched)
    fetchNextRow(access);
  llvm::SmallVector<IndexVector> indices;
  for (mlir::Operation *reduce : stage.reduces)
    indices.push_back(plan_.rows.inputIndex(reduce, evaluator_.space()));
  LLVMValues next = accumulators.step(carried, indices);
  for (const IndexedValue &value : stage.saved)
    if (const SavedValue *saved = findSaved(value))
      storeElements(b, elementTypeOf(value.first), evaluator_.evalVector(value.first, value.second),
                    savedAddress(*saved), lanes, plan_.vectorAlongRow ? evaluator_.mask() : nullptr);
  Elements written;
  for (unsigned output : stage.outputs)
    written.push_back(evaluator_.eval(plan_.outputs[output].value, plan_.outputs[output].index));
  for (auto [output, element] : llvm::zip(stage.outputs, written)) {
    const OutputPlan &planned = plan_.outputs[output];
    evaluator_.storeAt(elementTypeOf(planned.value), evaluator_.outputPointer(output), planned.store, element);
  }
  return next;
}

LLVMValues RowEmitter::neutral(const RowStage &stage, StageAccumulators &accumulators) const {
  LLVMValues values;
  for (unsigned lanes : widths(stage))
    llvm::append_range(values, accumulators.spread(accumulators.start(lanes, false)));
  return values;
}

// The innermost reduced dimension in vectors, and then in fewer and fewer lanes.
LLVMValues RowEmitter::alongRow(const RowStage &stage, StageAccumulators &accumulators, llvm::Value *begin,
                                llvm::Value *end, const LLVMValues &carried) {
  unsigned dim = plan_.dims.size() - 1;
  LoopNest nest(evaluator_, plan_);
  auto step = [&](auto values) { return point(stage, accumulators, values); };
  if (evaluator_.target()->hasMaskedMemory() || hasWholeVectors(stage))
    return nest.overVector(dim, stage.lanes, begin, end, hasWholeVectors(stage), carried, step);
  llvm::IRBuilder<> &b = evaluator_.builder();
  LLVMValues results;
  for (auto &[lanes, set] : byWidth(stage, accumulators, carried)) {
    llvm::Value *count = b.CreateAnd(b.CreateSub(end, begin), evaluator_.constant(-static_cast<int64_t>(lanes)));
    llvm::Value *next = b.CreateAdd(begin, count);
    llvm::append_range(results, nest.overVector(dim, lanes, begin, next, true, set, step));
    begin = next;
  }
  return results;
}

LLVMValues RowEmitter::inTree(const RowStage &stage, StageAccumulators &accumulators, unsigned dim, int64_t block,
                              llvm::Value *begin, llvm::Value *end, const LLVMValues &carried) {
  LLVMValues start = neutral(stage, accumulators);
  auto merge = [&](llvm::ArrayRef<llvm::Value *> a, llvm::ArrayRef<llvm::Value *> b) {
    LLVMValues merged;
    for (auto [x, y] : llvm::zip(byWidth(stage, accumulators, a), byWidth(stage, accumulators, b)))
      llvm::append_range(merged, accumulators.merge(x.values, y.values));
    return merged;
  };
  auto sumBlock = [&](llvm::Value *from, llvm::Value *to) {
    return overRange(stage, accumulators, dim, from, to, start);
  };
  LLVMValues sum = emitTreeSum(evaluator_, {begin, end, block, plan_.extentOf(dim), start, sumBlock, merge});
  return merge(carried, sum);
}

LLVMValues RowEmitter::overReduced(const RowStage &stage, StageAccumulators &accumulators, unsigned dim,
                                   llvm::Value *begin, llvm::Value *end, LLVMValues carried) {
  if (dim == plan_.dims.size())
    return point(stage, accumulators, carried);
  if (!begin) {
    begin = evaluator_.constant(0);
    end = evaluator_.size(plan_.dims[dim].extent);
  }
  if (int64_t block = stage.blocks[dim - plan_.keptDims])
    return inTree(stage, accumulators, dim, block, begin, end, carried);
  return overRange(stage, accumulators, dim, begin, end, std::move(carried));
}

LLVMValues RowEmitter::overRange(const RowStage &stage, StageAccumulators &accumulators, unsigned dim,
                                 llvm::Value *begin, llvm::Value *end, LLVMValues carried) {
  if (plan_.vectorAlongRow && dim + 1 == plan_.dims.size())
    return alongRow(stage, accumulators, begin, end, carried);
  if (!plan_.vectorAlongRow && plan_.splitSize == 0 && plan_.isUnrolled(dim)) {
    for (int64_t i = 0; i < plan_.dims[dim].extent; ++i)
      evaluator_.withMask(evaluator_.mask(), [&] { // a scope of its own for the values at this point
        evaluator_.bindDim(dim, evaluator_.constant(i), 0);
        carried = overReduced(stage, accumulators, dim + 1, nullptr, nullptr, carried);
      });
    return carried;
  }
  return evaluator_.forLoop(begin, end, 1, carried, [&](llvm::Value *iv, auto values) {
    evaluator_.bindDim(dim, iv, 0);
    return overReduced(stage, accumulators, dim + 1, nullptr, nullptr, LLVMValues(values));
  });
}

LLVMValues RowEmitter::reduceRange(const RowStage &stage, StageAccumulators &accumulators, llvm::Value *begin,
                                   llvm::Value *end) {
  if (!plan_.vectorAlongRow) {
    LLVMValues carried = accumulators.spread(accumulators.start(evaluator_.lanes(), plan_.splitSize == 0));
    return accumulators.settle(overReduced(stage, accumulators, plan_.keptDims, begin, end, carried));
  }
  LLVMValues carried = overReduced(stage, accumulators, plan_.keptDims, begin, end, neutral(stage, accumulators));
  // On the way from all lanes to one, what fewer lanes have joins those that are as many.
  LaneSets sets = byWidth(stage, accumulators, carried);
  LaneSet folded = sets.front();
  for (const auto &[lanes, values] : llvm::drop_begin(sets))
    folded = {lanes, accumulators.merge(accumulators.fold(folded.values, folded.lanes, lanes), values, leavesEnds())};
  return accumulators.fold(folded.values, folded.lanes);
}

LaneSet RowEmitter::reduceLanes(const RowStage &stage, StageAccumulators &accumulators, unsigned most) {
  LLVMValues carried = overReduced(stage, accumulators, plan_.keptDims, nullptr, nullptr, neutral(stage, accumulators));
  LaneSets sets = byWidth(stage, accumulators, carried);
  LaneSet folded = sets.front();
  for (const auto &[lanes, values] : llvm::drop_begin(sets)) {
    unsigned to = std::max(lanes, std::min(folded.lanes, most));
    LLVMValues wide = accumulators.fold(folded.values, folded.lanes, to);
    folded = {to, accumulators.merge(wide, accumulators.widen(values, lanes, to), leavesEnds())};
  }
  unsigned to = std::min(folded.lanes, most);
  return {to, accumulators.fold(folded.values, folded.lanes, to)};
}

void RowEmitter::bindResults(const StageAccumulators &accumulators, llvm::ArrayRef<Element> results) {
  IndexSpace &space = evaluator_.space();
  unsigned next = 0;
  for (mlir::Operation *reduce : accumulators.reduces())
    for (mlir::Value result : reduce->getResults())
      evaluator_.bind(result, space.reshape(plan_.rows.kept, plan_.rows.keptShape, shapeOf(result)), results[next++]);
}

void RowEmitter::runStage(const RowStage &stage) {
  StageAccumulators accumulators(evaluator_, stage.reduces);
  if (foldsInOrder(stage)) {
    bindResults(accumulators, accumulators.finish(reduceInOrder(stage, accumulators)));
    return;
  }
  LLVMValues values = reduceRange(stage, accumulators, nullptr, nullptr);
  if (plan_.vectorAlongRow)
    values = accumulators.merge(accumulators.start(1, true), values);
  bindResults(accumulators, accumulators.finish(values));
}

void RowEmitter::writeRowOutputs() {
  Elements written;
  for (unsigned output : plan_.rowOutputs)
    written.push_back(evaluator_.eval(plan_.outputs[output].value, plan_.outputs[output].index));
  for (auto [output, element] : llvm::zip(plan_.rowOutputs, written)) {
    const OutputPlan &planned = plan_.outputs[output];
    evaluator_.storeAt(elementTypeOf(planned.value), evaluator_.outputPointer(output), planned.store, element);
  }
}

void RowEmitter::emitRow() {
  for (const RowStage &stage : plan_.stages)
    runStage(stage);
  writeRowOutputs();
}

RowKernelPlan planRowKernel(const KernelSource &source, RowReductionPlan rows, llvm::StringRef symbol) {
  RowKernelPlan plan{std::move(rows), {}, {}};
  if (plan.streamStep > 0) {
    narrowStream(plan);
    placePartials(plan);
  }
  plan.kernel.kind = plan.stages.size() > 1 ? "rows" : "reduce";
  plan.kernel.bytes = trafficBytes(source);
  plan.kernel.resultInit.assign(source.outputs.size(), -1);
  plan.kernel.scratchBytes = plan.scratchBytes;
  plan.kernel.phases.push_back({symbol.str(), std::max<int64_t>(plan.tasks, 1), plan.nanoseconds});
  findAliases(source, plan, plan.kernel);
  return plan;
}

llvm::LogicalResult emitRowKernel(const RowKernelPlan &plan, const KernelSource &source, llvm::Module &module,
                                  const EmissionTarget &target) {
  auto emit = [&](LoopEvaluator &evaluator, llvm::Function *function) {
    RowEmitter rows(evaluator, plan, function->getArg(3));
    if (plan.elements() == 0)
      return;
    if (plan.groupedRows > 0)
      emitRowGroups(evaluator, plan, rows, function->getArg(3));
    else if (plan.streamStep > 0)
      emitStreamedRows(evaluator, plan, rows, function->getArg(3));
    else
      LoopNest(evaluator, plan).overTasks(plan.keptDims, [&] { rows.emitRow(); });
  };
  const KernelPhase &phase = plan.kernel.phases[0];
  std::optional<TaskRoutine> routine = rowRoutine(RowPhase::kWhole, plan, source, phase, *target);
  return emitLoopFunction(phase, plan, source, module, target, emit, routine ? &*routine : nullptr);
}

} // namespace tenon::codegen::loop
