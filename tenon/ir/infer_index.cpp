// Ops that read or write at positions known at run time: dynamic slices, gather, scatter.
#include "tenon/ir/infer.h"

namespace tenon::stablehlo {

//===- Dynamic slices --------------------------------------------------------------------------------------------===//

static LogicalResult checkSameIndexType(const Rules &r, int rule, ValueRange indices) {
  for (Value index : indices)
    if (index.getType() != indices.front().getType())
      return r.broken(rule) << "start_indices must have the same type, got " << indices.front().getType() << " and "
                            << index.getType();
  return success();
}

static LogicalResult infer(const Rules &r, DynamicSliceOp::Adaptor op, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensor(op.getOperand());
  int64_t rank = type.getRank(), indices = op.getStartIndices().size();
  if (indices != rank)
    return r.broken("dynamic_slice_c2") << "there must be " << rank << " start_indices, got " << indices;
  if (failed(checkSize(r, 2, "slice_sizes", op.getSliceSizes(), rank)) ||
      failed(checkSameIndexType(r, 3, op.getStartIndices())))
    return failure();
  for (auto [i, size, limit] : llvm::enumerate(op.getSliceSizes(), type.getShape()))
    if (size < 0 || (!ShapedType::isDynamic(limit) && size > limit))
      return r.broken("dynamic_slice_c4")
             << "slice_sizes must be in [0, " << limit << "], got " << size << " in dimension " << i;
  types.push_back(makeTensor(op.getSliceSizes(), type.getElementType()));
  return success();
}
TENON_INFERRED_MOVE(DynamicSliceOp, 1, 5)

static LogicalResult infer(const Rules &r, DynamicUpdateSliceOp::Adaptor op, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensor(op.getOperand()), update = tensor(op.getUpdate());
  int64_t rank = type.getRank(), indices = op.getStartIndices().size();
  if (!compatibleElements(type.getElementType(), update.getElementType()))
    return r.broken("dynamic_update_slice_c2")
           << "operand and update must have the same element type, got " << type << " and " << update;
  if (update.getRank() != rank)
    return r.broken("dynamic_update_slice_c3") << "update must have the operand's rank " << rank << ", got " << update;
  if (indices != rank)
    return r.broken("dynamic_update_slice_c4") << "there must be " << rank << " start_indices, got " << indices;
  if (failed(checkSameIndexType(r, 5, op.getStartIndices())))
    return failure();
  for (auto [i, size, limit] : llvm::enumerate(update.getShape(), type.getShape()))
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(limit) && size > limit)
      return r.broken("dynamic_update_slice_c6")
             << "update must not be larger than the operand, got " << size << " > " << limit << " in dimension " << i;
  types.push_back(type);
  return success();
}
TENON_INFERRED_MOVE(DynamicUpdateSliceOp, 1, 1)

//===- Batching dimensions ---------------------------------------------------------------------------------------===//

namespace {
/// The part of gather's and scatter's dimension numbers that came after version 1.0 of the specification and so has no
/// numbered constraints in it: dimensions that operand and indices have in common.
struct Batching {
  StringRef operandName, indicesName;
  ArrayRef<int64_t> operand, indices;

  LogicalResult check(const Rules &r, StringRef label, RankedTensorType operandType, RankedTensorType indicesType,
                      ArrayRef<int64_t> taken, ArrayRef<int64_t> indexMap, int64_t indexVectorDim) const {
    if (operand.size() != indices.size())
      return r.broken(label) << operandName << " and " << indicesName << " must have the same size, got " << operand
                             << " and " << indices;
    for (size_t i = 0; i < operand.size(); ++i) {
      if (operand[i] < 0 || operand[i] >= operandType.getRank() || (i > 0 && operand[i - 1] >= operand[i]))
        return r.broken(label) << operandName << " must be ascending dimensions of the operand, got " << operand;
      if (indices[i] < 0 || indices[i] >= indicesType.getRank() || indices[i] == indexVectorDim ||
          llvm::is_contained(indices.take_front(i), indices[i]))
        return r.broken(label) << indicesName << " must be different batch dimensions of the indices, got " << indices;
      if (llvm::is_contained(taken, operand[i]) || llvm::is_contained(indexMap, operand[i]))
        return r.broken(label) << operandName << " must not be collapsed, inserted or indexed dimensions, got "
                               << operand[i];
      if (!compatible(operandType.getDimSize(operand[i]), indicesType.getDimSize(indices[i])))
        return r.broken(label) << "batching dimensions must have the same size, got "
                               << operandType.getDimSize(operand[i]) << " and " << indicesType.getDimSize(indices[i]);
    }
    return success();
  }
};
} // namespace

/// The number of index components, which index_vector_dim gives, is `map`'s size.
static LogicalResult checkIndexMapSize(const Rules &r, int rule, Name name, ArrayRef<int64_t> map,
                                       RankedTensorType indices, int64_t indexVectorDim) {
  int64_t components = indexVectorDim < indices.getRank() ? indices.getDimSize(indexVectorDim) : 1;
  return ShapedType::isDynamic(components) ? LogicalResult(success()) : checkSize(r, rule, name, map, components);
}

/// The indices' sizes but that of index_vector_dim.
static SmallVector<int64_t> batchSizes(RankedTensorType indices, int64_t indexVectorDim) {
  SmallVector<int64_t> sizes(indices.getShape());
  if (indexVectorDim < indices.getRank())
    sizes.erase(sizes.begin() + indexVectorDim);
  return sizes;
}

/// Puts window sizes at the positions `windowDims`, batch sizes at the others, each in order.
static SmallVector<int64_t> combine(ArrayRef<int64_t> batch, ArrayRef<int64_t> window, ArrayRef<int64_t> windowDims) {
  SmallVector<int64_t> shape;
  for (int64_t i = 0, rank = batch.size() + window.size(); i < rank; ++i) {
    ArrayRef<int64_t> &from = llvm::is_contained(windowDims, i) ? window : batch;
    shape.push_back(from.front());
    from = from.drop_front();
  }
  return shape;
}

//===- gather ----------------------------------------------------------------------------------------------------===//

static LogicalResult checkGatherDimensions(const Rules &r, GatherDimensionNumbersAttr numbers, RankedTensorType operand,
                                           RankedTensorType indices) {
  ArrayRef<int64_t> offset = numbers.getOffsetDims(), collapsed = numbers.getCollapsedSliceDims();
  ArrayRef<int64_t> batching = numbers.getOperandBatchingDims(), map = numbers.getStartIndexMap();
  int64_t vectorDim = numbers.getIndexVectorDim();
  if (operand.getRank() != static_cast<int64_t>(offset.size() + collapsed.size() + batching.size()))
    return r.broken("gather_c1") << "the operand's rank must be the number of offset_dims, collapsed_slice_dims and "
                                    "operand_batching_dims together, got "
                                 << operand << " with " << offset << ", " << collapsed << " and " << batching;
  if (vectorDim < 0 || vectorDim > indices.getRank())
    return r.broken("gather_c2") << "index_vector_dim must be in [0, " << indices.getRank() << "], got " << vectorDim;
  int64_t resultRank = offset.size() + indices.getRank() - (vectorDim < indices.getRank());
  Batching shared{"operand_batching_dims", "start_indices_batching_dims", batching,
                  numbers.getStartIndicesBatchingDims()};
  return failure(failed(checkIndexMapSize(r, 3, "start_index_map", map, indices, vectorDim)) ||
                 failed(checkUniqueAndSorted(r, 4, "offset_dims", offset)) ||
                 failed(checkInRange(r, 5, "offset_dims", offset, resultRank)) ||
                 failed(checkUniqueAndSorted(r, 6, "collapsed_slice_dims", collapsed)) ||
                 failed(checkInRange(r, 7, "collapsed_slice_dims", collapsed, operand.getRank())) ||
                 failed(checkUnique(r, 9, "start_index_map", map)) ||
                 failed(checkInRange(r, 10, "start_index_map", map, operand.getRank())) ||
                 failed(shared.check(r, "gather_batching", operand, indices, collapsed, map, vectorDim)));
}

/// All rules, and the result's shape, for slice sizes that are known.
static FailureOr<SmallVector<int64_t>> gatherShape(const Rules &r, GatherDimensionNumbersAttr numbers,
                                                   RankedTensorType operand, RankedTensorType indices,
                                                   ArrayRef<int64_t> sliceSizes) {
  if (failed(checkGatherDimensions(r, numbers, operand, indices)) ||
      failed(checkSize(r, 11, "slice_sizes", sliceSizes, operand.getRank())))
    return failure();
  SmallVector<int64_t> offsetSizes;
  for (auto [i, size, limit] : llvm::enumerate(sliceSizes, operand.getShape())) {
    if (size < 0 || (!ShapedType::isDynamic(limit) && size > limit))
      return r.broken("gather_c12") << "slice_sizes must be in [0, " << limit << "], got " << size << " in dimension "
                                    << i;
    bool dropped = llvm::is_contained(numbers.getCollapsedSliceDims(), static_cast<int64_t>(i)) ||
                   llvm::is_contained(numbers.getOperandBatchingDims(), static_cast<int64_t>(i));
    if (dropped && size > 1)
      return r.broken("gather_c8") << "slice_sizes must be <= 1 in collapsed and batching dimensions, got " << size
                                   << " in dimension " << i;
    // What would the one element be that the result has of it?
    if (dropped && size == 0 && limit > 0)
      return r.broken("gather_c8") << "slice_sizes must be 1 in collapsed and batching dimensions with elements, got 0 "
                                      "in dimension "
                                   << i;
    if (!dropped)
      offsetSizes.push_back(size);
  }
  return combine(batchSizes(indices, numbers.getIndexVectorDim()), offsetSizes, numbers.getOffsetDims());
}

static LogicalResult infer(const Rules &r, GatherOp::Adaptor op, SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensor(op.getOperand());
  auto shape = gatherShape(r, op.getDimensionNumbers(), operand, tensor(op.getStartIndices()), op.getSliceSizes());
  if (failed(shape))
    return failure();
  types.push_back(makeTensor(*shape, operand.getElementType()));
  return success();
}
TENON_INFERRED_MOVE(GatherOp, 15, 13)

//===- scatter ---------------------------------------------------------------------------------------------------===//

static LogicalResult checkScatterDimensions(const Rules &r, ScatterDimensionNumbersAttr numbers, RankedTensorType input,
                                            RankedTensorType indices, RankedTensorType update) {
  ArrayRef<int64_t> window = numbers.getUpdateWindowDims(), inserted = numbers.getInsertedWindowDims();
  ArrayRef<int64_t> batching = numbers.getInputBatchingDims(), map = numbers.getScatterDimsToOperandDims();
  int64_t vectorDim = numbers.getIndexVectorDim();
  if (input.getRank() != static_cast<int64_t>(window.size() + inserted.size() + batching.size()))
    return r.broken("scatter_c2") << "the inputs' rank must be the number of update_window_dims, "
                                     "inserted_window_dims and input_batching_dims together, got "
                                  << input << " with " << window << ", " << inserted << " and " << batching;
  if (failed(checkUniqueAndSorted(r, 7, "update_window_dims", window)) ||
      failed(checkInRange(r, 8, "update_window_dims", window, update.getRank())) ||
      failed(checkUniqueAndSorted(r, 9, "inserted_window_dims", inserted)) ||
      failed(checkInRange(r, 10, "inserted_window_dims", inserted, input.getRank())))
    return failure();
  if (vectorDim < 0 || vectorDim > indices.getRank())
    return r.broken("scatter_c14") << "index_vector_dim must be in [0, " << indices.getRank() << "], got " << vectorDim;
  if (failed(checkIndexMapSize(r, 11, "scatter_dims_to_operand_dims", map, indices, vectorDim)) ||
      failed(checkUnique(r, 12, "scatter_dims_to_operand_dims", map)) ||
      failed(checkInRange(r, 13, "scatter_dims_to_operand_dims", map, input.getRank())))
    return failure();
  Batching shared{"input_batching_dims", "scatter_indices_batching_dims", batching,
                  numbers.getScatterIndicesBatchingDims()};
  return shared.check(r, "scatter_batching", input, indices, inserted, map, vectorDim);
}

/// Scatter dimensions of the updates are those of the indices; window dimensions are at most the inputs'.
static LogicalResult checkUpdateShape(const Rules &r, ScatterDimensionNumbersAttr numbers, RankedTensorType input,
                                      RankedTensorType indices, RankedTensorType update) {
  SmallVector<int64_t> windowLimits;
  for (auto [i, size] : llvm::enumerate(input.getShape()))
    if (!llvm::is_contained(numbers.getInsertedWindowDims(), static_cast<int64_t>(i)) &&
        !llvm::is_contained(numbers.getInputBatchingDims(), static_cast<int64_t>(i)))
      windowLimits.push_back(size);
  SmallVector<int64_t> batch = batchSizes(indices, numbers.getIndexVectorDim());
  if (static_cast<int64_t>(batch.size() + windowLimits.size()) != update.getRank())
    return r.broken("scatter_c4") << "updates must have rank " << batch.size() + windowLimits.size() << ", got "
                                  << update;
  SmallVector<int64_t> limits = combine(batch, windowLimits, numbers.getUpdateWindowDims());
  bool fits = true;
  for (int64_t i = 0; fits && i < update.getRank(); ++i) {
    int64_t size = update.getDimSize(i), limit = limits[i];
    bool isWindow = llvm::is_contained(numbers.getUpdateWindowDims(), i);
    fits = compatible(size, limit) || (isWindow && size < limit);
  }
  if (fits)
    return success();
  return r.broken("scatter_c4") << "updates must have shape " << limits << ", or less in update_window_dims "
                                << numbers.getUpdateWindowDims() << ", got " << update;
}

static LogicalResult infer(const Rules &r, ScatterOp::Adaptor op, SmallVectorImpl<Type> &types) {
  size_t count = op.getInputs().size();
  if (count == 0 || op.getOperands().size() != 2 * count + 1)
    return r.broken("scatter_c5") << "there must be at least one input and as many updates, got " << count
                                  << " inputs among " << op.getOperands().size() << " operands";
  if (failed(checkSameShapes(r, 1, "inputs", op.getInputs())) ||
      failed(checkSameShapes(r, 3, "updates", op.getUpdates())))
    return failure();
  for (auto [input, update] : llvm::zip_equal(op.getInputs(), op.getUpdates()))
    if (!compatibleElements(tensor(input).getElementType(), tensor(update).getElementType()))
      return r.broken("scatter_c6") << "inputs and updates must have the same element types, got " << input.getType()
                                    << " and " << update.getType();
  RankedTensorType input = tensor(op.getInputs().front()), update = tensor(op.getUpdates().front());
  RankedTensorType indices = tensor(op.getScatterIndices());
  ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
  if (failed(checkScatterDimensions(r, numbers, input, indices, update)) ||
      failed(checkUpdateShape(r, numbers, input, indices, update)))
    return failure();
  FailureOr<SmallVector<Type>> elements =
      checkReducer(r, 15, "update_computation", op.getUpdateComputation(), op.getInputs());
  if (failed(elements))
    return failure();
  for (auto [input, element] : llvm::zip_equal(op.getInputs(), *elements))
    types.push_back(tensor(input).clone(element));
  return success();
}
TENON_INFERRED(ScatterOp, 16, 16)

//===- Others ----------------------------------------------------------------------------------------------------===//

LogicalResult DynamicGatherOp::verify() {
  Rules r(*this);
  RankedTensorType operand = tensor(getOperand()), indices = tensor(getStartIndices());
  if (failed(checkGatherDimensions(r, getDimensionNumbers(), operand, indices)))
    return failure();
  if (!compatible(tensor(getSliceSizes()).getDimSize(0), operand.getRank()))
    return r.broken("dynamic_gather_c11")
           << "slice_sizes must have " << operand.getRank() << " elements, got " << getSliceSizes().getType();
  // Sizes of slices are for the run to tell.
  SmallVector<int64_t> offsetSizes(getDimensionNumbers().getOffsetDims().size(), ShapedType::kDynamic);
  SmallVector<int64_t> shape = combine(batchSizes(indices, getDimensionNumbers().getIndexVectorDim()), offsetSizes,
                                       getDimensionNumbers().getOffsetDims());
  if (failed(checkResults(r, *this, makeTensor(shape, operand.getElementType()), 15, 13)))
    return failure();
  return checkSameScale(r, *this, 15);
}

int64_t batchDims(TorchIndexSelectOp op) {
  auto batch = static_cast<int64_t>(op.getBatchDims());
  return batch < 0 ? batch + tensor(op.getIndex()).getRank() : batch;
}

SmallVector<int64_t> selectedShape(TorchIndexSelectOp op) {
  ArrayRef<int64_t> operand = tensor(op.getOperand()).getShape(), index = tensor(op.getIndex()).getShape();
  SmallVector<int64_t> shape(operand.take_front(op.getDim()));
  llvm::append_range(shape, index.drop_front(batchDims(op)));
  llvm::append_range(shape, operand.drop_front(op.getDim() + 1));
  return shape;
}

LogicalResult TorchIndexSelectOp::verify() {
  Rules r(*this);
  RankedTensorType operand = tensor(getOperand()), index = tensor(getIndex());
  auto dim = static_cast<int64_t>(getDim()), batch = batchDims(*this);
  if (failed(checkInRange(r, 1, "dim", dim, operand.getRank())))
    return failure();
  if (!ir::isDimensionSize(index.getElementType()))
    return r.broken("torch_index_select_c2") << "index must be of integers, got " << index;
  if (batch < 0 || batch > dim || batch > index.getRank())
    return r.broken("torch_index_select_c3") << "batch_dims must be at most dim " << dim << " and the rank of " << index
                                             << ", got " << static_cast<int64_t>(getBatchDims());
  if (!compatibleShapes(operand.getShape().take_front(batch), index.getShape().take_front(batch)))
    return r.broken("torch_index_select_c4")
           << "the first " << batch << " dimensions must have the same sizes, got " << operand << " and " << index;
  if (failed(checkResults(r, *this, makeTensor(selectedShape(*this), operand.getElementType()), 5, 5)))
    return failure();
  return checkSameScale(r, *this, 5);
}

} // namespace tenon::stablehlo
