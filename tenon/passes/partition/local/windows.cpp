// Ops whose results come of elements elsewhere in a dimension: neighbours give each other what they need (halo.h), and
// the op then is without padding and offsets along that dimension.
#include "tenon/passes/partition/local/forms.h"
#include "tenon/passes/partition/local/window_ops.h"

#include "tenon/ir/types.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

//===- slice, pad ------------------------------------------------------------------------------------------------===//

Window windowOf(sh::SliceOp op, int64_t dimension) {
  return {op.getStrides()[dimension], -op.getStartIndices()[dimension], 1};
}

bool isWhole(sh::SliceOp op, int64_t dimension) {
  return ir::typeOf(op.getOperand()).getDimSize(dimension) == ir::typeOf(op.getResult()).getDimSize(dimension);
}

// Whether the slice is of a few elements, which neighbours do not have.
bool isOfFew(sh::SliceOp op, int64_t dimension, int64_t parts) {
  RankedTensorType type = ir::typeOf(op.getOperand());
  return op.getStrides()[dimension] == 1 &&
         isFew(type, type.getDimSize(dimension), ir::typeOf(op.getResult()).getDimSize(dimension), parts);
}

bool canCutSlice(Operation *op, const ir::Factors &factors, size_t factor, int64_t parts) {
  auto slice = cast<sh::SliceOp>(op);
  int64_t dimension = dimensionOf(factors.operands[0], factor);
  return isWhole(slice, dimension) || hasHalo(op, dimension, dimension, parts, windowOf(slice, dimension)) ||
         isOfFew(slice, dimension, parts);
}

SmallVector<Value> buildSlice(LocalOp &op) {
  auto slice = cast<sh::SliceOp>(op.op);
  SmallVector<int64_t> starts(slice.getStartIndices()), limits(slice.getLimitIndices());
  Value operand = op.operands[0];
  for (int64_t i = 0; i < op.operandType(0).getRank(); ++i) {
    if (partsOf(op, i) == 1)
      continue;
    if (!isWhole(slice, i)) {
      operand = hasHalo(op.op, i, i, partsOf(op, i), windowOf(slice, i))
                    ? withHalo(op.builder, operand, cutOf(op, 0, i, i), windowOf(slice, i), {})
                    : partOfFew(op.builder, operand, cutOf(op, 0, i, i), starts[i]);
    }
    starts[i] = 0;
    limits[i] = ir::typeOf(operand).getDimSize(i);
  }
  return op.cloneWith(operand, {numbers(op, "start_indices", starts), numbers(op, "limit_indices", limits)});
}

bool isPadded(sh::PadOp op, int64_t dimension) {
  return op.getEdgePaddingLow()[dimension] != 0 || op.getEdgePaddingHigh()[dimension] != 0 ||
         op.getInteriorPadding()[dimension] != 0;
}

Window windowOf(sh::PadOp op, int64_t dimension) {
  return {1, op.getEdgePaddingLow()[dimension], 1, op.getInteriorPadding()[dimension] + 1};
}

bool canCutPad(Operation *op, const ir::Factors &factors, size_t factor, int64_t parts) {
  auto pad = cast<sh::PadOp>(op);
  int64_t dimension = dimensionOf(factors.operands[0], factor);
  return !isPadded(pad, dimension) || hasHalo(op, dimension, dimension, parts, windowOf(pad, dimension));
}

SmallVector<Value> buildPad(LocalOp &op) {
  auto pad = cast<sh::PadOp>(op.op);
  SmallVector<int64_t> low(pad.getEdgePaddingLow()), high(pad.getEdgePaddingHigh()), interior(pad.getInteriorPadding());
  Value operand = op.operands[0];
  for (int64_t i = 0; i < op.operandType(0).getRank(); ++i)
    if (partsOf(op, i) > 1 && isPadded(pad, i)) {
      operand = withHaloAlong(op, 0, operand, i, i, windowOf(pad, i), op.operands[1]);
      low[i] = high[i] = interior[i] = 0;
    }
  return op.cloneWith({operand, op.operands[1]},
                      {numbers(op, "edge_padding_low", low), numbers(op, "edge_padding_high", high),
                       numbers(op, "interior_padding", interior)});
}

//===- reverse ---------------------------------------------------------------------------------------------------===//

// The last device's part comes first, with its padding, behind which the result begins.
int64_t paddedSize(int64_t size, int64_t parts) { return llvm::divideCeil(size, parts) * parts; }
Window windowOfReversed(int64_t size, int64_t parts) { return {1, size - paddedSize(size, parts), 1}; }

bool canCutReverse(Operation *op, const ir::Factors &factors, size_t factor, int64_t parts) {
  int64_t dimension = dimensionOf(factors.operands[0], factor),
          size = ir::typeOf(op->getResult(0)).getDimSize(dimension);
  return factors.factors[factor].type == ir::FactorType::kPassThrough || size % parts == 0 ||
         haloOf(paddedSize(size, parts), size, parts, windowOfReversed(size, parts));
}

SmallVector<Value> buildReverse(LocalOp &op) {
  auto reverse = cast<sh::ReverseOp>(op.op);
  Value value = op.operands[0];
  for (int64_t dimension : reverse.getDimensions())
    if (partsOf(op, dimension) > 1)
      value = fromMirrored(op.builder, value, op.mesh, op.operandSharding(0).dims[dimension].axes);
  value = op.cloneWith(value).front();
  for (int64_t dimension : reverse.getDimensions()) {
    int64_t size = op.resultType(0).getDimSize(dimension), parts = partsOf(op, dimension);
    if (size % parts == 0)
      continue;
    ir::Axes axes = op.operandSharding(0).dims[dimension].axes;
    CutDimension cut{dimension, paddedSize(size, parts), size, op.mesh, axes};
    value = withHalo(op.builder, value, cut, windowOfReversed(size, parts), {});
  }
  return {value};
}

//===- concatenate -----------------------------------------------------------------------------------------------===//

// Operands that are no larger than a device's part of the result are gathered rather than passed along.
bool isSmall(int64_t size, int64_t resultSize, int64_t parts) { return size * parts <= resultSize; }

bool canCutConcatenate(Operation *op, const ir::Factors &factors, size_t factor, int64_t parts) {
  auto dimension = static_cast<int64_t>(cast<sh::ConcatenateOp>(op).getDimension());
  if (dimensionOf(factors.results[0], factor) != dimension)
    return true;
  int64_t begin = 0, resultSize = ir::typeOf(op->getResult(0)).getDimSize(dimension);
  for (Value operand : op->getOperands()) {
    int64_t size = ir::typeOf(operand).getDimSize(dimension);
    if (size > 0 && !isSmall(size, resultSize, parts) && !haloOf(size, resultSize, parts, {1, begin, 1}) &&
        !sourceCountOf(size, resultSize, parts, begin))
      return false;
    begin += size;
  }
  return resultSize > 0;
}

SmallVector<Value> buildConcatenate(LocalOp &op) {
  auto dimension = static_cast<int64_t>(cast<sh::ConcatenateOp>(op.op).getDimension());
  ir::Axes axes = op.resultSharding(0).dims[dimension].axes;
  if (axes.empty())
    return op.cloneWith(op.operands);
  ArrayRef<int64_t> sizes = op.localResultType(0).getShape();
  int64_t end = op.resultType(0).getDimSize(dimension), parts = ir::partsOf(axes);
  Value place, result;
  for (size_t i = op.operands.size(); i-- > 0;) {
    int64_t size = op.operandType(i).getDimSize(dimension);
    if (size == 0)
      continue;
    CutDimension cut{dimension, size, op.resultType(0).getDimSize(dimension), op.mesh, axes};
    Window window{1, end - size, 1};
    Value part = haloOf(size, cut.resultSize, parts, window) ? withHalo(op.builder, op.operands[i], cut, window, {})
                 : isSmall(size, cut.resultSize, parts)      ? windowOfWhole(op.builder, op.operands[i], cut, window)
                                                             : fromSources(op.builder, op.operands[i], cut, end - size);
    if (result && !place) {
      Value begin = op.builder.multiply(partNumber(op.builder, op.mesh, axes), op.builder.i32(sizes[dimension]));
      place = op.builder.add(op.builder.iota(sizes, dimension), op.builder.broadcast(begin, sizes, {}));
    }
    result = result ? op.builder.select(op.builder.compare(place, sh::ComparisonDirection::LT,
                                                           op.builder.broadcast(op.builder.i32(end), sizes, {})),
                                        part, result)
                    : part;
    end -= size;
  }
  return {result};
}

//===- Windows ---------------------------------------------------------------------------------------------------===//

Window windowOf(sh::ReduceWindowOp op, int64_t i) {
  return {at(op.getWindowStrides(), i), paddingOf(op.getPadding(), op.getWindowDimensions().size())[2 * i],
          (op.getWindowDimensions()[i] - 1) * at(op.getWindowDilations(), i) + 1, at(op.getBaseDilations(), i)};
}

bool canCutReduceWindow(Operation *op, const ir::Factors &factors, size_t factor, int64_t parts) {
  auto reduce = cast<sh::ReduceWindowOp>(op);
  int64_t dimension = dimensionOf(factors.operands[0], factor);
  if (factors.factors[factor].type == ir::FactorType::kPassThrough)
    return true;
  if (std::optional<Scan> scan = scanOf(reduce))
    return scan->dimension == dimension;
  for (auto [input, initial] : llvm::zip_equal(reduce.getInputs(), reduce.getInitValues()))
    if (ir::typeOf(input).getElementType() != ir::typeOf(initial).getElementType())
      return false;
  return hasHalo(op, dimension, dimension, parts, windowOf(reduce, dimension));
}

// Padding and holes take no part. What is in their place changes nothing: of computations that are no sum or the like,
// initial values, which then are the neutral elements of a monoid (reductions.cpp).
Value fillerOf(LocalOp &op, size_t input) {
  auto reduce = cast<sh::ReduceWindowOp>(op.op);
  Type element = op.operandType(input).getElementType();
  std::optional<SumKind> kind = reduce.getInputs().size() == 1 ? sumKindOf(reduce.getBody()) : std::nullopt;
  return kind && isSummable(element, *kind) ? neutralElement(op.builder, element, *kind)
                                            : op.operands[reduce.getInputs().size() + input];
}

SmallVector<Value> buildReduceWindow(LocalOp &op) {
  auto reduce = cast<sh::ReduceWindowOp>(op.op);
  if (std::optional<Scan> scan = scanOf(reduce); scan && partsOf(op, scan->dimension) > 1)
    return buildScan(op, *scan);
  size_t inputs = reduce.getInputs().size(), rank = reduce.getWindowDimensions().size();
  SmallVector<int64_t> left = paddingOf(reduce.getPadding(), rank), dilations;
  SmallVector<Value> operands(op.operands.begin(), op.operands.end());
  for (int64_t i = 0; i < static_cast<int64_t>(rank); ++i) {
    Window window = windowOf(reduce, i);
    dilations.push_back(window.dilation);
    bool isSingle =
        window.width == 1 && window.stride == 1 && window.dilation == 1 && left[2 * i] == 0 && left[2 * i + 1] == 0;
    if (partsOf(op, i) == 1 || isSingle)
      continue;
    for (size_t input = 0; input < inputs; ++input)
      operands[input] = withHaloAlong(op, input, operands[input], i, i, window, fillerOf(op, input));
    left[2 * i] = left[2 * i + 1] = 0;
    dilations[i] = 1;
  }
  return op.cloneWith(operands, {padding(op, left), numbers(op, "base_dilations", dilations)});
}

} // namespace

LocalForm sliceForm() { return {.canCut = canCutSlice, .build = buildSlice}; }
LocalForm padForm() { return {.canCut = canCutPad, .build = buildPad}; }
LocalForm reverseForm() { return {.canCut = canCutReverse, .build = buildReverse}; }
LocalForm concatenateForm() { return {.canCut = canCutConcatenate, .build = buildConcatenate}; }
LocalForm reduceWindowForm() { return {.canCut = canCutReduceWindow, .build = buildReduceWindow}; }

} // namespace tenon::passes::partition
