// Products with one-hot matrices, by which embeddings and the dispatch of experts are often written:
//
//   dot_general(convert(positions == iota), table)
//     =>
//   if (all(is_finite(table))) gather(table, positions) else dot_general(...)
//
// A row of such a matrix has one 1 at most, so the sum is the table's row at the position, or zero where the position
// is none of the table's: the same bits without the multiplications. But zero times infinity or NaN is NaN, in every
// element of the product; a table with such elements is multiplied as it stands. The product reads all of the table
// anyway, and more than once. Tables of integers need no question.

#include "tenon/passes/simplify/one_hot.h"

#include "tenon/passes/legalize/decompose/all_true.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::elementTypeOf;
using ir::shapeOf;
using ir::typeOf;

// The dimension of a broadcast's operand that becomes this one of its result, or -1.
int64_t operandDim(sh::BroadcastInDimOp broadcast, int64_t dim) {
  ArrayRef<int64_t> dims = broadcast.getBroadcastDimensions();
  const int64_t *found = llvm::find(dims, dim);
  return found == dims.end() ? -1 : found - dims.begin();
}

// Whether each element is its own index along the dimension.
bool isIota(Value value, int64_t dim) {
  if (auto iota = value.getDefiningOp<sh::IotaOp>())
    return static_cast<int64_t>(iota.getIotaDimension()) == dim;
  auto broadcast = value.getDefiningOp<sh::BroadcastInDimOp>();
  int64_t from = broadcast ? operandDim(broadcast, dim) : -1;
  return from >= 0 && shapeOf(broadcast.getOperand())[from] == shapeOf(value)[dim] &&
         isIota(broadcast.getOperand(), from);
}

// Whether the type holds each index of a dimension of this size.
bool holdsIndices(Type type, int64_t size) {
  if (!ir::isSignedInt(type) && !ir::isUnsignedInt(type))
    return false;
  unsigned bits = type.getIntOrFloatBitWidth() - (ir::isSignedInt(type) ? 1 : 0);
  return bits >= 63 || size - 1 < (int64_t(1) << bits);
}

// Whether elements of the type are multiplied and summed without an error where all terms but one are zero.
bool isPlain(Type type) {
  unsigned width = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  return ir::isFloat(type) ? width >= 16 : width >= 8 && (ir::isSignedInt(type) || ir::isUnsignedInt(type));
}

// A matrix (of any rank) with at most one 1 along a dimension, and zeros.
struct OneHot {
  sh::BroadcastInDimOp positions; // where the ones are; the same all along the dimension
  int64_t dim = 0;

  explicit operator bool() const { return static_cast<bool>(positions); }
};

OneHot findOneHot(Value matrix, int64_t dim) {
  auto convert = matrix.getDefiningOp<sh::ConvertOp>();
  auto compare = convert ? convert.getOperand().getDefiningOp<sh::CompareOp>() : sh::CompareOp();
  if (!compare || compare.getComparisonDirection() != sh::ComparisonDirection::EQ ||
      !holdsIndices(elementTypeOf(compare.getLhs()), shapeOf(matrix)[dim]))
    return {};
  for (auto [indices, other] : {std::pair(compare.getLhs(), compare.getRhs()), {compare.getRhs(), compare.getLhs()}}) {
    auto positions = other.getDefiningOp<sh::BroadcastInDimOp>();
    if (!positions || !isIota(indices, dim))
      continue;
    int64_t from = operandDim(positions, dim);
    if (from < 0 || shapeOf(positions.getOperand())[from] == 1)
      return {positions, dim};
  }
  return {};
}

class OneHotProduct {
public:
  explicit OneHotProduct(sh::DotGeneralOp product) : product_(product) {
    auto numbers = product.getDotDimensionNumbers();
    if (product.getAlgorithm() || !numbers.getLhsBatchingDimensions().empty() ||
        numbers.getLhsContractingDimensions().size() != 1)
      return;
    int64_t lhsDim = numbers.getLhsContractingDimensions()[0], rhsDim = numbers.getRhsContractingDimensions()[0];
    oneHot_ = findOneHot(product.getLhs(), lhsDim);
    isLhs_ = static_cast<bool>(oneHot_);
    if (!isLhs_)
      oneHot_ = findOneHot(product.getRhs(), rhsDim);
    tableDim_ = isLhs_ ? rhsDim : lhsDim;
  }

  bool pays(const CostModel &costs) {
    if (!oneHot_ || llvm::is_contained(typeOf(product_).getShape(), 0))
      return false;
    Type of = elementTypeOf(table()), to = elementTypeOf(product_);
    if (!isPlain(of) || !isPlain(to) || !isPlain(elementTypeOf(matrix())) || ir::isFloat(of) != ir::isFloat(to))
      return false;
    int64_t columns = shapeOf(table())[tableDim_], elements = typeOf(product_).getNumElements();
    int64_t rows = elements * columns / typeOf(table()).getNumElements();
    return rows >= costs.tableRows && columns >= costs.tableColumns && elements >= costs.tableProducts / columns;
  }

  void replace() {
    OpBuilder builder(product_);
    ArrayBuilder arrays(builder, product_.getLoc());
    Value result;
    if (ir::isFloat(elementTypeOf(table()))) {
      auto isFinite = sh::IsFiniteOp::create(builder, product_.getLoc(), table());
      auto choice = sh::IfOp::create(builder, product_.getLoc(), product_->getResultTypes(), allTrue(arrays, isFinite));
      builder.createBlock(&choice.getTrueBranch());
      sh::ReturnOp::create(builder, product_.getLoc(), rowsOfTable(arrays));
      builder.createBlock(&choice.getFalseBranch());
      IRMapping mapping;
      mapping.map(matrix(), clone(builder, matrix()));
      sh::ReturnOp::create(builder, product_.getLoc(), builder.clone(*product_, mapping)->getResults());
      result = choice->getResult(0);
    } else {
      result = rowsOfTable(arrays);
    }
    Value unused = matrix();
    product_.getResult().replaceAllUsesWith(result);
    product_.erase();
    eraseUnused(unused);
  }

private:
  Value matrix() { return isLhs_ ? product_.getLhs() : product_.getRhs(); }
  Value table() { return isLhs_ ? product_.getRhs() : product_.getLhs(); }

  // The positions, without the matrix's dimension along which they are the same.
  Value positions(ArrayBuilder &arrays) {
    Value operand = oneHot_.positions.getOperand();
    SmallVector<int64_t> shape(shapeOf(oneHot_.positions)), sizes(shapeOf(operand));
    SmallVector<int64_t> dims(oneHot_.positions.getBroadcastDimensions());
    shape.erase(shape.begin() + oneHot_.dim);
    if (int64_t from = operandDim(oneHot_.positions, oneHot_.dim); from >= 0) {
      sizes.erase(sizes.begin() + from);
      dims.erase(dims.begin() + from);
      operand = arrays.reshape(operand, sizes);
    }
    for (int64_t &dim : dims)
      dim -= dim > oneHot_.dim;
    if (sizes == shape && llvm::is_sorted(dims))
      return operand;
    return arrays.broadcast(operand, shape, dims);
  }

  // What the product is where all of the table is finite.
  Value rowsOfTable(ArrayBuilder &arrays) {
    Value at = positions(arrays), from = table();
    RankedTensorType type = typeOf(product_), tableType = typeOf(from);
    int64_t rank = typeOf(at).getRank(), offsets = tableType.getRank() - 1, first = isLhs_ ? rank : 0;
    SmallVector<int64_t> offsetDims = llvm::to_vector(llvm::seq<int64_t>(first, first + offsets));
    first = isLhs_ ? 0 : offsets;
    SmallVector<int64_t> rowDims = llvm::to_vector(llvm::seq<int64_t>(first, first + rank));
    SmallVector<int64_t> slice(tableType.getShape());
    slice[tableDim_] = 1;
    auto numbers = sh::GatherDimensionNumbersAttr::get(arrays.builder.getContext(), offsetDims, {tableDim_}, {}, {},
                                                       {tableDim_}, rank);
    Value rows = sh::GatherOp::create(arrays.builder, arrays.loc, type.clone(tableType.getElementType()), from, at,
                                      numbers, slice);
    if (type != rows.getType())
      rows = sh::ConvertOp::create(arrays.builder, arrays.loc, type, rows);
    // A sum that began with zero is never -0.
    Value zero = arrays.fill(type.getElementType(), type.getShape(), 0);
    if (ir::isFloat(type.getElementType()))
      rows = arrays.add(rows, zero);
    auto bound = [&](int64_t index) { return arrays.fill(elementTypeOf(at), shapeOf(at), static_cast<double>(index)); };
    Value isThere = arrays.compare(at, sh::ComparisonDirection::LE, bound(tableType.getDimSize(tableDim_) - 1));
    if (ir::isSignedInt(elementTypeOf(at)))
      isThere = arrays.logicalAnd(isThere, arrays.compare(at, sh::ComparisonDirection::GE, bound(0)));
    return arrays.select(arrays.broadcast(isThere, type.getShape(), rowDims), rows, zero);
  }

  // The matrix, made where the builder is.
  static Value clone(OpBuilder &builder, Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !isa<sh::ConvertOp, sh::CompareOp, sh::BroadcastInDimOp, sh::IotaOp>(op))
      return value;
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, clone(builder, operand));
    return builder.clone(*op, mapping)->getResult(0);
  }

  static void eraseUnused(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !op->use_empty() || !isa<sh::ConvertOp, sh::CompareOp, sh::BroadcastInDimOp, sh::IotaOp>(op))
      return;
    SmallVector<Value> operands(op->getOperands());
    op->erase();
    for (Value operand : operands)
      eraseUnused(operand);
  }

  sh::DotGeneralOp product_;
  OneHot oneHot_;
  bool isLhs_ = false;
  int64_t tableDim_ = 0;
};

} // namespace

// Whether the product is one of the program's steps, not of a computation that some op calls for its elements.
static bool isStep(sh::DotGeneralOp product) {
  Operation *around = product->getParentOp();
  while (isa<sh::WhileOp, sh::IfOp, sh::CaseOp>(around))
    around = around->getParentOp();
  return isa<func::FuncOp>(around);
}

LogicalResult readRowsOfTables(ModuleOp module, const CostModel &costs) {
  SmallVector<sh::DotGeneralOp> products;
  module.walk([&](sh::DotGeneralOp product) {
    if (isStep(product))
      products.push_back(product);
  });
  for (sh::DotGeneralOp product : products)
    if (OneHotProduct oneHot(product); oneHot.pays(costs))
      oneHot.replace();
  return success();
}

} // namespace tenon::passes
