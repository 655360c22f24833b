// Constraints of CHLO's structured ops beyond the types of their operands. The specification has no labels for them.
#include "tenon/ir/chlo_shapes.h"
#include "tenon/ir/rules.h"

namespace tenon::chlo {

using llvm::ArrayRef;
using llvm::failed;
using llvm::LogicalResult;
using llvm::SmallVector;
using llvm::success;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::Type;
using stablehlo::compatible;

//===- ragged_dot ------------------------------------------------------------------------------------------------===//

namespace {

// One operand's dimension numbers.
struct Side {
  const char *name;
  RankedTensorType type;
  ArrayRef<int64_t> batching, contracting;

  int64_t size(int64_t dim) const { return type.getDimSize(static_cast<unsigned>(dim)); }
  bool isFree(int64_t dim) const { return !llvm::is_contained(batching, dim) && !llvm::is_contained(contracting, dim); }

  LogicalResult check(RaggedDotOp op, ArrayRef<int64_t> others) const {
    SmallVector<int64_t> seen(batching);
    llvm::append_range(seen, contracting);
    for (int64_t dim : others)
      if (dim < 0 || dim >= type.getRank())
        return op.emitOpError() << name << " has no dimension " << dim << ", it is " << type;
    for (size_t i = 0; i < seen.size(); ++i) {
      if (seen[i] < 0 || seen[i] >= type.getRank())
        return op.emitOpError() << name << " has no dimension " << seen[i] << ", it is " << type;
      if (llvm::is_contained(ArrayRef(seen).drop_front(i + 1), seen[i]))
        return op.emitOpError() << "dimension " << seen[i] << " of " << name << " is batching or contracting twice";
    }
    return success();
  }
};

LogicalResult checkPairs(RaggedDotOp op, const char *what, const Side &lhs, ArrayRef<int64_t> lhsDims, const Side &rhs,
                         ArrayRef<int64_t> rhsDims) {
  if (lhsDims.size() != rhsDims.size())
    return op.emitOpError() << "lhs and rhs must have as many " << what << " dimensions";
  for (auto [a, b] : llvm::zip_equal(lhsDims, rhsDims))
    if (!compatible(lhs.size(a), rhs.size(b)))
      return op.emitOpError() << what << " dimensions must have the same size, got " << lhs.size(a) << " and "
                              << rhs.size(b);
  return success();
}

Side lhsOf(RaggedDotOp op) {
  RaggedDotDimensionNumbersAttr numbers = op.getRaggedDotDimensionNumbers();
  return {"lhs", llvm::cast<RankedTensorType>(op.getLhs().getType()), numbers.getLhsBatchingDimensions(),
          numbers.getLhsContractingDimensions()};
}

Side rhsOf(RaggedDotOp op) {
  RaggedDotDimensionNumbersAttr numbers = op.getRaggedDotDimensionNumbers();
  return {"rhs", llvm::cast<RankedTensorType>(op.getRhs().getType()), numbers.getRhsBatchingDimensions(),
          numbers.getRhsContractingDimensions()};
}

// group_sizes is [groups], or has the sizes of the first batching dimensions before (those before the ragged one).
LogicalResult checkGroupSizes(RaggedDotOp op, const Side &lhs, int64_t ragged) {
  ArrayRef<int64_t> sizes = op.getGroupSizes().getType().getShape();
  auto most = static_cast<size_t>(llvm::find(lhs.batching, ragged) - lhs.batching.begin());
  bool fits = !sizes.empty() && sizes.size() - 1 <= most;
  for (size_t i = 0; fits && i + 1 < sizes.size(); ++i)
    fits = compatible(sizes[i], lhs.size(lhs.batching[i]));
  return fits ? success()
              : LogicalResult(op.emitOpError() << "group_sizes must hold one size for each group, for each index of "
                                                  "leading batching dimensions, got "
                                               << op.getGroupSizes().getType());
}

} // namespace

SmallVector<int64_t> raggedDotShape(RaggedDotOp op) {
  RaggedDotDimensionNumbersAttr numbers = op.getRaggedDotDimensionNumbers();
  Side lhs = lhsOf(op), rhs = rhsOf(op);
  SmallVector<int64_t> shape;
  if (llvm::is_contained(lhs.contracting, numbers.getLhsRaggedDimensions()[0]))
    shape.push_back(op.getGroupSizes().getType().getShape().back());
  for (int64_t dim : lhs.batching)
    shape.push_back(lhs.size(dim));
  for (const Side *side : {&lhs, &rhs})
    for (int64_t dim = 0; dim < side->type.getRank(); ++dim)
      if (side->isFree(dim) && !(side == &rhs && llvm::is_contained(numbers.getRhsGroupDimensions(), dim)))
        shape.push_back(side->size(dim));
  return shape;
}

// lhs's ragged dimension is free, contracting or batching; only in the first case has rhs a dimension for the groups,
// and only in the second has the result one, its first.
LogicalResult RaggedDotOp::verify() {
  RaggedDotDimensionNumbersAttr numbers = getRaggedDotDimensionNumbers();
  if (!llvm::all_of(getOperation()->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
      !llvm::isa<RankedTensorType>(getType()))
    return success();
  ArrayRef<int64_t> ragged = numbers.getLhsRaggedDimensions(), group = numbers.getRhsGroupDimensions();
  Side lhs = lhsOf(*this), rhs = rhsOf(*this);
  if (failed(lhs.check(*this, ragged)) || failed(rhs.check(*this, group)) ||
      failed(checkPairs(*this, "batching", lhs, lhs.batching, rhs, rhs.batching)) ||
      failed(checkPairs(*this, "contracting", lhs, lhs.contracting, rhs, rhs.contracting)))
    return mlir::failure();
  if (lhs.type.getElementType() != rhs.type.getElementType())
    return emitOpError() << "lhs and rhs must have the same element type, got " << lhs.type << " and " << rhs.type;
  if (ragged.size() != 1)
    return emitOpError() << "lhs must have one ragged dimension, got " << ragged.size();
  if (failed(checkGroupSizes(*this, lhs, ragged[0])))
    return mlir::failure();
  if (group.size() != (lhs.isFree(ragged[0]) ? 1U : 0U))
    return emitOpError() << "rhs must have one group dimension if the ragged one is neither batching nor contracting, "
                            "else none, got "
                         << group.size();
  int64_t groups = getGroupSizes().getType().getShape().back();
  if (!group.empty() && (!rhs.isFree(group[0]) || !compatible(rhs.size(group[0]), groups)))
    return emitOpError() << "rhs's group dimension must be neither batching nor contracting and have the size "
                         << groups << ", got dimension " << group[0] << " of " << rhs.type;
  SmallVector<int64_t> shape = raggedDotShape(*this);
  ArrayRef<int64_t> actual = llvm::cast<RankedTensorType>(getType()).getShape();
  return stablehlo::compatibleShapes(shape, actual)
             ? success()
             : LogicalResult(emitOpError()
                             << "result must have shape " << ArrayRef<int64_t>(shape) << ", got " << getType());
}

//===- scan ------------------------------------------------------------------------------------------------------===//

namespace {

// Checks the types of a step: slices of the arrays without the scanned dimension, then the carries.
LogicalResult checkStep(ScanOp op, const char *what, mlir::TypeRange arrays, mlir::TypeRange carries,
                        mlir::TypeRange actual) {
  SmallVector<Type> expected;
  auto dimension = static_cast<int64_t>(op.getDimension());
  for (Type type : arrays) {
    auto array = llvm::cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(array.getShape());
    shape.erase(shape.begin() + dimension);
    expected.push_back(RankedTensorType::get(shape, array.getElementType()));
  }
  llvm::append_range(expected, carries);
  return ir::areCompatibleTensors(expected, actual)
             ? success()
             : LogicalResult(op.emitOpError() << "body must have " << what << " of types " << mlir::TypeRange(expected)
                                              << ", got " << actual);
}

} // namespace

LogicalResult ScanOp::verify() {
  if (!llvm::all_of(getOperation()->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
      !llvm::all_of(getOperation()->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return success();
  auto dimension = static_cast<int64_t>(getDimension());
  int64_t size = getScanDimSize() ? static_cast<int64_t>(*getScanDimSize()) : ShapedType::kDynamic;
  if (getInputs().empty() && !getScanDimSize())
    return emitOpError() << "needs inputs or scan_dim_size";
  if (getScanDimSize() && size < 0)
    return emitOpError() << "scan_dim_size must be >= 0, got " << size;
  for (mlir::ValueRange arrays : {mlir::ValueRange(getInputs()), mlir::ValueRange(getOutputs())})
    for (mlir::Value value : arrays) {
      auto type = llvm::cast<RankedTensorType>(value.getType());
      if (dimension < 0 || dimension >= type.getRank())
        return emitOpError() << "dimension must be in [0, " << type.getRank() << "), got " << dimension;
      int64_t actual = type.getDimSize(static_cast<unsigned>(dimension));
      if (!compatible(size, actual))
        return emitOpError() << "inputs and outputs must have the same size in dimension " << dimension << ", got "
                             << size << " and " << actual;
      size = ShapedType::isDynamic(size) ? actual : size;
    }
  mlir::Block &body = getBody().front();
  mlir::Operation *end = body.mightHaveTerminator() ? body.getTerminator() : nullptr;
  if (!end)
    return emitOpError() << "body must end with a return";
  mlir::TypeRange carries = getInits().getTypes();
  if (!ir::areCompatibleTensors(carries, getCarries().getTypes()))
    return emitOpError() << "inits and carries must have the same types, got " << carries << " and "
                         << getCarries().getTypes();
  if (failed(checkStep(*this, "arguments", getInputs().getTypes(), carries, body.getArgumentTypes())))
    return mlir::failure();
  return checkStep(*this, "results", getOutputs().getTypes(), carries, end->getOperandTypes());
}

} // namespace tenon::chlo
