// Ops that combine or order elements by a body.
#include "tenon/ir/infer.h"

namespace tenon::stablehlo {

/// Checks that there are as many init values as inputs, and at least one.
static LogicalResult checkPairs(const Rules &r, int rule, ValueRange operands, ValueRange inputs) {
  if (!inputs.empty() && operands.size() == 2 * inputs.size())
    return success();
  return r.broken(rule) << "there must be at least one input and as many init_values, got " << operands.size()
                        << " operands";
}

static LogicalResult checkInitElements(const Rules &r, int rule, ValueRange inputs, ValueRange inits) {
  for (auto [input, init] : llvm::zip_equal(inputs, inits))
    if (!compatibleElements(tensor(input).getElementType(), tensor(init).getElementType()))
      return r.broken(rule) << "inputs and init_values must have the same element types, got " << input.getType()
                            << " and " << init.getType();
  return success();
}

/// Whether the sizes are those of some of the dimensions, in their order.
static bool isPartOf(ArrayRef<int64_t> sizes, ArrayRef<int64_t> dimensions) {
  for (int64_t dimension : dimensions)
    if (!sizes.empty() && compatible(dimension, sizes.front()))
      sizes = sizes.drop_front();
  return sizes.empty();
}

/// The specification has scalars only. StableHLO also reads init_values that have some of these dimensions, which
/// nothing gives a meaning (ir::whyWithoutMeaning).
static LogicalResult checkInitShapes(const Rules &r, ValueRange inits, ArrayRef<int64_t> dimensions) {
  for (Value init : inits)
    if (!isPartOf(tensor(init).getShape(), dimensions))
      return r.broken(r.mnemonic() + "_i2")
             << "init_values must be 0-dimensional tensors, or have dimensions of " << dimensions << " in their order, "
             << "got " << init.getType();
  return success();
}

/// The element types that the body computes in; its values have the shapes of the init_values.
static FailureOr<SmallVector<Type>> checkReduction(const Rules &r, int rule, mlir::Region &body, ValueRange inputs,
                                                   ValueRange inits) {
  SmallVector<Type> elements = computationElements(body, inputs), results;
  for (auto [init, element] : llvm::zip_equal(inits, elements))
    results.push_back(RankedTensorType::get(tensor(init).getShape(), element));
  SmallVector<Type> arguments = results;
  llvm::append_range(arguments, results);
  if (failed(checkBody(r, rule, "body", body, arguments, results)))
    return failure();
  return elements;
}

//===- reduce ----------------------------------------------------------------------------------------------------===//

static LogicalResult infer(const Rules &r, ReduceOp::Adaptor op, SmallVectorImpl<Type> &types) {
  if (failed(checkPairs(r, 3, op.getOperands(), op.getInputs())) ||
      failed(checkSameShapes(r, 1, "inputs", op.getInputs())) ||
      failed(checkInitElements(r, 2, op.getInputs(), op.getInitValues())) ||
      failed(checkInRange(r, 4, "dimensions", op.getDimensions(), tensor(op.getInputs().front()).getRank())) ||
      failed(checkUnique(r, 5, "dimensions", op.getDimensions())))
    return failure();
  SmallVector<int64_t> kept;
  for (auto [i, size] : llvm::enumerate(tensor(op.getInputs().front()).getShape()))
    if (!llvm::is_contained(op.getDimensions(), static_cast<int64_t>(i)))
      kept.push_back(size);
  if (failed(checkInitShapes(r, op.getInitValues(), kept)))
    return failure();
  FailureOr<SmallVector<Type>> elements = checkReduction(r, 6, op.getBody(), op.getInputs(), op.getInitValues());
  if (failed(elements))
    return failure();
  for (auto [input, element] : llvm::zip_equal(op.getInputs(), *elements)) {
    RankedTensorType type = tensor(input);
    SmallVector<int64_t> shape, bounds;
    for (auto [i, size] : llvm::enumerate(type.getShape())) {
      if (llvm::is_contained(op.getDimensions(), static_cast<int64_t>(i)))
        continue;
      shape.push_back(size);
      if (ArrayRef<int64_t> inputBounds = ir::dimensionBounds(type); !inputBounds.empty())
        bounds.push_back(inputBounds[i]);
    }
    types.push_back(makeTensor(shape, element, bounds));
  }
  return success();
}

LogicalResult ReduceOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return infer(Rules(location, getOperationName()), adaptor, types);
}

/// Checks that there are as many results as inputs, by the op's rule about the counts, before their types are looked
/// at.
static LogicalResult checkResultCount(const Rules &r, int rule, mlir::Operation *op, size_t count) {
  if (op->getNumResults() == count)
    return success();
  return r.broken(rule) << "there must be as many results as inputs, got " << op->getNumResults() << " and " << count;
}

LogicalResult ReduceOp::verify() {
  Rules r(*this);
  SmallVector<Type> types;
  if (failed(infer(r, Adaptor(*this), types)) || failed(checkResultCount(r, 3, *this, types.size())))
    return failure();
  return checkResults(r, *this, types, 2, 7);
}

//===- reduce_window ---------------------------------------------------------------------------------------------===//

/// An optional list of `rank` positive numbers, ones where there is none, by one rule about its size and one about its
/// values.
static FailureOr<SmallVector<int64_t>> positives(const Rules &r, int sizeRule, int valueRule, Name name,
                                                 std::optional<ArrayRef<int64_t>> values, int64_t rank) {
  if (!values)
    return SmallVector<int64_t>(rank, 1);
  if (failed(checkSize(r, sizeRule, name, *values, rank)) || failed(checkPositive(r, valueRule, name, *values)))
    return failure();
  return SmallVector<int64_t>(*values);
}

static LogicalResult infer(const Rules &r, ReduceWindowOp::Adaptor op, SmallVectorImpl<Type> &types) {
  if (failed(checkPairs(r, 1, op.getOperands(), op.getInputs())) ||
      failed(checkSameShapes(r, 2, "inputs", op.getInputs())) ||
      failed(checkInitElements(r, 3, op.getInputs(), op.getInitValues())))
    return failure();
  int64_t rank = tensor(op.getInputs().front()).getRank();
  auto windows = positives(r, 4, 5, "window_dimensions", op.getWindowDimensions(), rank);
  auto strides = failed(windows) ? windows : positives(r, 6, 7, "window_strides", op.getWindowStrides(), rank);
  auto baseDilations = failed(strides) ? strides : positives(r, 8, 9, "base_dilations", op.getBaseDilations(), rank);
  auto windowDilations =
      failed(baseDilations) ? baseDilations : positives(r, 10, 11, "window_dilations", op.getWindowDilations(), rank);
  if (failed(windowDilations))
    return failure();
  auto padding = paddingPairs(r, 12, op.getPadding(), rank);
  if (failed(padding))
    return failure();
  if (failed(checkInitShapes(r, op.getInitValues(), op.getWindowDimensions())))
    return failure();
  FailureOr<SmallVector<Type>> elements = checkReduction(r, 13, op.getBody(), op.getInputs(), op.getInitValues());
  if (failed(elements))
    return failure();
  for (auto [input, element] : llvm::zip_equal(op.getInputs(), *elements)) {
    SmallVector<int64_t> shape;
    for (int64_t i = 0; i < rank; ++i) {
      WindowDimension window{(*windows)[i],        (*strides)[i],       (*padding)[i].first,
                             (*padding)[i].second, (*baseDilations)[i], (*windowDilations)[i]};
      shape.push_back(window.count(tensor(input).getDimSize(i)));
    }
    types.push_back(makeTensor(shape, element));
  }
  return success();
}

LogicalResult ReduceWindowOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                               Adaptor adaptor, SmallVectorImpl<Type> &types) {
  return infer(Rules(location, getOperationName()), adaptor, types);
}

LogicalResult ReduceWindowOp::verify() {
  Rules r(*this);
  SmallVector<Type> types;
  if (failed(infer(r, Adaptor(*this), types)) || failed(checkResultCount(r, 1, *this, types.size())) ||
      failed(checkSameShapes(r, 14, "results", getResults())))
    return failure();
  return checkResults(r, *this, types, 16, 15);
}

//===- select_and_scatter ----------------------------------------------------------------------------------------===//

static LogicalResult infer(const Rules &r, SelectAndScatterOp::Adaptor op, SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensor(op.getOperand()), source = tensor(op.getSource());
  RankedTensorType init = tensor(op.getInitValue());
  int64_t rank = operand.getRank();
  if (!compatibleElements(operand.getElementType(), source.getElementType()))
    return r.broken("select_and_scatter_c2")
           << "operand and source must have the same element type, got " << operand << " and " << source;
  if (!compatibleElements(operand.getElementType(), init.getElementType()))
    return r.broken("select_and_scatter_c4")
           << "operand and init_value must have the same element type, got " << operand << " and " << init;
  if (!op.getWindowDimensions() && rank > 0)
    return r.broken("select_and_scatter_c5") << "window_dimensions must have " << rank << " elements, got none";
  if (op.getWindowDimensions() && static_cast<int64_t>(op.getWindowDimensions()->size()) != rank)
    return r.broken("select_and_scatter_c1, select_and_scatter_c5")
           << "window_dimensions must have " << rank << " elements, got " << *op.getWindowDimensions();
  auto windows = positives(r, 5, 6, "window_dimensions", op.getWindowDimensions(), rank);
  auto strides = failed(windows) ? windows : positives(r, 7, 8, "window_strides", op.getWindowStrides(), rank);
  if (failed(strides))
    return failure();
  auto padding = paddingPairs(r, 9, op.getPadding(), rank);
  if (failed(padding))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < rank; ++i) {
    WindowDimension window{(*windows)[i], (*strides)[i], (*padding)[i].first, (*padding)[i].second};
    shape.push_back(window.count(operand.getDimSize(i)));
  }
  if (!compatibleShapes(shape, source.getShape()))
    return r.broken("select_and_scatter_c3") << "source must have shape " << shape << ", got " << source;
  Type scalar = scalarOf(operand.getElementType());
  if (failed(checkBody(r, 10, "select", op.getSelect(), {scalar, scalar}, boolScalar(operand.getContext()))))
    return failure();
  FailureOr<SmallVector<Type>> elements = checkReducer(r, 11, "scatter", op.getScatter(), op.getOperand());
  if (failed(elements))
    return failure();
  types.push_back(operand.clone(elements->front()));
  return success();
}
TENON_INFERRED(SelectAndScatterOp, 12, 12)

//===- sort and map ----------------------------------------------------------------------------------------------===//

static LogicalResult infer(const Rules &r, SortOp::Adaptor op, SmallVectorImpl<Type> &types) {
  if (op.getInputs().empty())
    return r.broken("sort_c1") << "inputs must have at least one tensor, got none";
  if (failed(checkSameShapes(r, 3, "inputs", op.getInputs())))
    return failure();
  int64_t rank = tensor(op.getInputs().front()).getRank(), dimension = op.getDimension();
  if (dimension < -rank || dimension >= rank)
    return r.broken("sort_c4") << "dimension must be in [-" << rank << ", " << rank << "), got " << dimension;
  SmallVector<Type> arguments;
  for (Type scalar : scalarsOf(op.getInputs()))
    arguments.append(2, scalar);
  if (failed(checkBody(r, 5, "comparator", op.getComparator(), arguments,
                       boolScalar(op.getInputs().front().getContext()))))
    return failure();
  llvm::append_range(types, op.getInputs().getTypes());
  return success();
}
TENON_INFERRED(SortOp, 2, 2)

static LogicalResult infer(const Rules &r, MapOp::Adaptor op, SmallVectorImpl<Type> &types) {
  if (op.getInputs().empty())
    return r.broken("map_c2") << "inputs must have at least one tensor, got none";
  if (failed(checkSameShapes(r, 1, "inputs", op.getInputs())))
    return failure();
  RankedTensorType first = tensor(op.getInputs().front());
  if (!llvm::equal(op.getDimensions(), llvm::seq<int64_t>(0, first.getRank())))
    return r.broken("map_c3") << "dimensions must be all of [0, " << first.getRank() << ") in order, got "
                              << op.getDimensions();
  mlir::TypeRange returned = returnedTypes(op.getComputation());
  auto result = returned.size() == 1 ? llvm::dyn_cast<RankedTensorType>(returned.front()) : RankedTensorType();
  if (!result || result.getRank() != 0)
    return r.broken("map_c4") << "computation must return one 0-dimensional tensor";
  types.push_back(first.clone(result.getElementType()));
  return checkBody(r, 4, "computation", op.getComputation(), scalarsOf(op.getInputs()), result);
}
TENON_INFERRED(MapOp, 4, 1)

} // namespace tenon::stablehlo
