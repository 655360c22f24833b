// CHLO ops with implicit broadcasting, and scan. The elementwise ones are kernels, top_k is in sort.cpp.
#include "tenon/interpreter/layout.h"
#include "tenon/interpreter/ops.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tenon::interpreter {
namespace {

// Shapes aligned at the last dimension, where sizes of one stretch.
std::optional<Dims> commonShape(llvm::ArrayRef<Dims> shapes) {
  size_t rank = 0;
  for (const Dims &shape : shapes)
    rank = std::max(rank, shape.size());
  Dims result(rank, 1);
  for (const Dims &shape : shapes)
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t &size = result[rank - shape.size() + d];
      if (shape[d] == 1 || shape[d] == size)
        continue;
      if (size != 1)
        return std::nullopt;
      size = shape[d];
    }
  return result;
}

// Replaces the operands by ones of a common shape. `dimensions` says where those of the operand of lower rank go;
// without it they are the last ones.
LogicalResult broadcastOperands(Invocation &call, std::optional<llvm::ArrayRef<int64_t>> dimensions) {
  llvm::SmallVector<Dims> shapes, places;
  size_t rank = 0;
  for (const Value &operand : call.operands())
    rank = std::max(rank, operand.tensor().shape().size());
  for (const Value &operand : call.operands()) {
    llvm::ArrayRef<int64_t> shape = operand.tensor().shape();
    Dims place;
    for (size_t d = 0; d < shape.size(); ++d)
      place.push_back(static_cast<int64_t>(rank - shape.size() + d));
    if (dimensions && shape.size() < rank)
      place.assign(dimensions->begin(), dimensions->end());
    if (place.size() != shape.size())
      return call.fail("broadcast_dimensions does not have one entry for each dimension of the smaller operand");
    Dims aligned(rank, 1);
    for (auto [size, at] : llvm::zip(shape, place)) {
      if (at < 0 || at >= static_cast<int64_t>(rank))
        return call.fail("broadcast_dimensions names a dimension that does not exist");
      aligned[at] = size;
    }
    shapes.push_back(aligned);
    places.push_back(place);
  }
  std::optional<Dims> shape = commonShape(shapes);
  if (!shape)
    return call.fail("operands do not broadcast to a common shape");
  for (auto [operand, place] : llvm::zip(call.operands(), places)) {
    const Tensor &tensor = operand.tensor();
    llvm::FailureOr<Tensor> result = broadcastTensor(call, tensor, *shape, place, tensor.mlirElementType());
    if (llvm::failed(result))
      return llvm::failure();
    operand = *result;
  }
  return llvm::success();
}

template <typename Op> LogicalResult broadcasting(Op op, Invocation &call, MaybeKernel (*kernel)(ElementType)) {
  if (llvm::failed(broadcastOperands(call, op.getBroadcastDimensions())))
    return llvm::failure();
  return applyElementwise(call, kernel(call.tensor(0).elementType()));
}

} // namespace

#define TENON_BROADCASTING(OP, KERNEL)                                                                                 \
  LogicalResult evaluate(chlo::OP op, Invocation &call) { return broadcasting(op, call, kernels::KERNEL); }

TENON_BROADCASTING(BroadcastAddOp, add)
TENON_BROADCASTING(BroadcastAndOp, logicalAnd)
TENON_BROADCASTING(BroadcastAtan2Op, atan2)
TENON_BROADCASTING(BroadcastComplexOp, makeComplex)
TENON_BROADCASTING(BroadcastDivideOp, divide)
TENON_BROADCASTING(BroadcastMaximumOp, maximum)
TENON_BROADCASTING(BroadcastMinimumOp, minimum)
TENON_BROADCASTING(BroadcastMultiplyOp, multiply)
TENON_BROADCASTING(BroadcastNextAfterOp, nextAfter)
TENON_BROADCASTING(BroadcastOrOp, logicalOr)
TENON_BROADCASTING(BroadcastPolygammaOp, polygamma)
TENON_BROADCASTING(BroadcastPowerOp, power)
TENON_BROADCASTING(BroadcastRemainderOp, remainder)
TENON_BROADCASTING(BroadcastShiftLeftOp, shiftLeft)
TENON_BROADCASTING(BroadcastShiftRightArithmeticOp, shiftRightArithmetic)
TENON_BROADCASTING(BroadcastShiftRightLogicalOp, shiftRightLogical)
TENON_BROADCASTING(BroadcastSubtractOp, subtract)
TENON_BROADCASTING(BroadcastXorOp, logicalXor)
TENON_BROADCASTING(BroadcastZetaOp, zeta)
#undef TENON_BROADCASTING

LogicalResult evaluate(chlo::BroadcastCompareOp op, Invocation &call) {
  if (llvm::failed(broadcastOperands(call, op.getBroadcastDimensions())))
    return llvm::failure();
  return applyElementwise(call, kernels::compare(call.tensor(0).elementType(),
                                                 static_cast<Direction>(op.getComparisonDirection()),
                                                 op.getCompareType() == chlo::ComparisonType::TOTALORDER));
}
LogicalResult evaluate(chlo::BroadcastSelectOp, Invocation &call) {
  if (llvm::failed(broadcastOperands(call, std::nullopt)))
    return llvm::failure();
  return applyElementwise(call, kernels::select(call.tensor(1).elementType()));
}

namespace {

// Strides without one dimension, and where index `at` of that dimension begins.
struct Layer {
  Dims strides;
  int64_t base;
};
Layer layerAt(llvm::ArrayRef<int64_t> shape, size_t dimension, int64_t at) {
  Dims strides = stridesOf(shape);
  int64_t base = at * strides[dimension];
  strides.erase(strides.begin() + dimension);
  return {strides, base};
}

Dims without(llvm::ArrayRef<int64_t> shape, size_t dimension) {
  Dims result(shape);
  result.erase(result.begin() + dimension);
  return result;
}

Tensor sliceOf(const Tensor &tensor, size_t dimension, int64_t at) {
  Layer layer = layerAt(tensor.shape(), dimension, at);
  Tensor slice(without(tensor.shape(), dimension), tensor.mlirElementType());
  copyStrided(slice, tensor, layer.base, layer.strides);
  return slice;
}

void setSlice(Tensor &tensor, size_t dimension, int64_t at, const Tensor &slice) {
  Layer layer = layerAt(tensor.shape(), dimension, at);
  forEachIndex(slice.shape(), [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    int64_t target = layer.base;
    for (size_t d = 0; d < index.size(); ++d)
      target += index[d] * layer.strides[d];
    copyElement(tensor, target, slice, position);
  });
}

// The shape of an output of `size` slices: what its type says, and else its first slice, or the type of slices.
Dims outputShape(chlo::ScanOp op, unsigned k, int64_t size, const Values &first) {
  Dims shape(llvm::cast<mlir::ShapedType>(op.getOutputs()[k].getType()).getShape());
  auto dimension = static_cast<size_t>(op.getDimension());
  shape[dimension] = size;
  mlir::Type type = op.getBody().front().getTerminator()->getOperand(k).getType();
  Dims slice(first.empty() || !first[k].isTensor() ? llvm::cast<mlir::ShapedType>(type).getShape()
                                                   : first[k].tensor().shape());
  if (slice.size() + 1 != shape.size())
    return shape;
  slice.insert(slice.begin() + static_cast<int64_t>(dimension), size);
  for (auto [extent, known] : llvm::zip(shape, slice))
    extent = mlir::ShapedType::isDynamic(extent) ? known : extent;
  return shape;
}

// Runs the body on slices of zeros, for a scan without steps whose outputs' shapes follow from a step.
LogicalResult tryStep(chlo::ScanOp op, Invocation &call, Values &yielded) {
  auto isKnown = [&](unsigned k) { return llvm::none_of(outputShape(op, k, 0, {}), mlir::ShapedType::isDynamic); };
  if (llvm::all_of(llvm::seq<unsigned>(0, op.getOutputs().size()), isKnown) || !mlir::isMemoryEffectFree(op))
    return llvm::success();
  Values args;
  for (auto [input, old] : llvm::zip_equal(call.valuesOf(op.getInputs()), op.getInputs())) {
    Dims shape = without(input.tensor().shape(), static_cast<size_t>(op.getDimension()));
    llvm::FailureOr<Tensor> zeros = call.make(shape, mlir::getElementTypeOrSelf(old));
    if (llvm::failed(zeros))
      return llvm::failure();
    args.push_back(*zeros);
  }
  llvm::ArrayRef<Value> inits = call.valuesOf(op.getInits());
  args.append(inits.begin(), inits.end());
  return call.evaluator().runRegion(op.getBody(), std::move(args), nullptr, yielded);
}

LogicalResult makeOutputs(chlo::ScanOp op, Invocation &call, int64_t size, const Values &first,
                          std::vector<Tensor> &outputs) {
  for (unsigned k = 0; k < op.getOutputs().size(); ++k) {
    Dims shape = outputShape(op, k, size, first);
    if (llvm::any_of(shape, mlir::ShapedType::isDynamic))
      return call.fail("has an output of unknown shape", StatusCode::kUnimplemented);
    llvm::FailureOr<Tensor> output = call.make(shape, call.elementOf(k));
    if (llvm::failed(output))
      return llvm::failure();
    outputs.push_back(*output);
  }
  return llvm::success();
}

} // namespace

// The body takes a slice of each input, without the scanned dimension, and the carries; it gives a slice of each output
// and the next carries.
LogicalResult evaluate(chlo::ScanOp op, Invocation &call) {
  llvm::ArrayRef<Value> inputs = call.valuesOf(op.getInputs()), inits = call.valuesOf(op.getInits());
  auto dimension = static_cast<size_t>(op.getDimension());
  std::optional<uint64_t> given = op.getScanDimSize();
  if (inputs.empty() && !given)
    return call.fail("needs inputs or scan_dim_size");
  int64_t size = inputs.empty() ? static_cast<int64_t>(*given) : inputs[0].tensor().dim(dimension);
  const size_t outputs = op.getOutputs().size();
  Values carries(inits.begin(), inits.end());
  std::vector<Tensor> results;
  if (size == 0) {
    Values first;
    if (llvm::failed(tryStep(op, call, first)) || llvm::failed(makeOutputs(op, call, size, first, results)))
      return llvm::failure();
  }
  for (int64_t step = 0; step < size; ++step) {
    int64_t at = op.getIsReverse() ? size - 1 - step : step;
    Values args, yielded;
    for (const Value &input : inputs)
      args.push_back(sliceOf(input.tensor(), dimension, at));
    args.append(carries.begin(), carries.end());
    if (llvm::failed(call.evaluator().runRegion(op.getBody(), std::move(args), nullptr, yielded)))
      return llvm::failure();
    if (yielded.size() != outputs + carries.size())
      return call.fail("the body gives another number of values than there are outputs and carries");
    if (step == 0 && llvm::failed(makeOutputs(op, call, size, yielded, results)))
      return llvm::failure();
    for (size_t k = 0; k < outputs; ++k) {
      if (!yielded[k].isTensor() || Dims(yielded[k].tensor().shape()) != without(results[k].shape(), dimension))
        return call.fail("the body gives a slice of another shape than output " + llvm::Twine(k) + " has");
      setSlice(results[k], dimension, at, yielded[k].tensor());
    }
    carries.assign(yielded.begin() + static_cast<int64_t>(outputs), yielded.end());
  }
  for (Tensor &result : results)
    (void)call.yield(std::move(result));
  call.results().append(carries.begin(), carries.end());
  return llvm::success();
}

} // namespace tenon::interpreter
