// Which columns of the scores a row sees: those up to its own number or so, where the rows begin with
//
//   select(iota(rows) >= iota(columns), scores, masked)
//
// and read the scores nowhere else.
#include "tenon/codegen/kernel/attention/attention.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {
namespace {

// The dimensions of a value that are the row's and the column's; -1 where it is the same for all of them.
struct Dims {
  int64_t row = -1, column = -1;
};

SmallVector<int64_t> longDims(Value value) {
  SmallVector<int64_t> dims;
  for (auto [dim, size] : llvm::enumerate(shapeOf(value)))
    if (size != 1)
      dims.push_back(int64_t(dim));
  return dims;
}

// Whether the values differ in dimensions of size one only.
bool haveSameDims(Value a, Value b) {
  auto sizes = [](Value value) {
    return llvm::map_to_vector(longDims(value), [&](int64_t dim) { return shapeOf(value)[size_t(dim)]; });
  };
  return sizes(a) == sizes(b);
}

// Replaces the value by what its elements are read from, as far as that is a broadcast or a reshape which only adds or
// removes dimensions of size one.
void follow(Value &value, Dims &dims) {
  while (true) {
    SmallVector<std::pair<int64_t, int64_t>> pairs; // dimensions of the operand and of the value
    Value operand;
    if (auto broadcast = value.getDefiningOp<sh::BroadcastInDimOp>()) {
      operand = broadcast.getOperand();
      for (auto [from, to] : llvm::enumerate(broadcast.getBroadcastDimensions()))
        if (shapeOf(operand)[from] == shapeOf(value)[size_t(to)])
          pairs.push_back({int64_t(from), to});
    } else if (auto reshape = value.getDefiningOp<sh::ReshapeOp>();
               reshape && haveSameDims(reshape.getOperand(), value)) {
      operand = reshape.getOperand();
      for (auto [from, to] : llvm::zip(longDims(operand), longDims(value)))
        pairs.push_back({from, to});
    } else {
      return;
    }
    Dims next;
    for (auto [from, to] : pairs) {
      next.row = to == dims.row ? from : next.row;
      next.column = to == dims.column ? from : next.column;
    }
    value = operand;
    dims = next;
  }
}

// Whether the value is the row's number (true) or the column's; neither: none.
std::optional<bool> isRowNumber(Value value, Dims dims) {
  follow(value, dims);
  auto iota = value.getDefiningOp<sh::IotaOp>();
  if (!iota)
    return std::nullopt;
  auto dim = int64_t(iota.getIotaDimension());
  return dim == dims.row || dim == dims.column ? std::optional(dim == dims.row) : std::nullopt;
}

// The least offset such that column <= row + offset wherever the predicate is true.
std::optional<int64_t> offsetWhereTrue(Value predicate, Dims dims, int levels) {
  follow(predicate, dims);
  if (auto both = predicate.getDefiningOp<sh::AndOp>()) {
    if (levels == 0)
      return std::nullopt;
    std::optional<int64_t> lhs = offsetWhereTrue(both.getLhs(), dims, levels - 1),
                           rhs = offsetWhereTrue(both.getRhs(), dims, levels - 1);
    return lhs && rhs ? std::min(*lhs, *rhs) : lhs ? lhs : rhs;
  }
  auto compare = predicate.getDefiningOp<sh::CompareOp>();
  if (!compare)
    return std::nullopt;
  Type element = elementTypeOf(compare.getLhs());
  if (!element.isSignlessInteger(32) && !element.isSignlessInteger(64))
    return std::nullopt;
  std::optional<bool> lhs = isRowNumber(compare.getLhs(), dims), rhs = isRowNumber(compare.getRhs(), dims);
  if (!lhs || !rhs || *lhs == *rhs)
    return std::nullopt;
  using Direction = sh::ComparisonDirection;
  Direction direction = compare.getComparisonDirection();
  if (direction == (*lhs ? Direction::GE : Direction::LE) || direction == Direction::EQ)
    return 0;
  if (direction == (*lhs ? Direction::GT : Direction::LT))
    return -1;
  return std::nullopt;
}

// The row and the column of a value that has the scores' dimensions, but for those of size one.
Dims rowAndColumn(Value value) {
  SmallVector<int64_t> dims = longDims(value);
  return {dims[dims.size() - 2], dims[dims.size() - 1]};
}

constexpr int kMostLevels = 8;

// The least offset such that the op's result, whatever its use, does not depend on the operand's elements at columns
// beyond row + offset.
std::optional<int64_t> offsetOfSelect(Operation *op, Value operand) {
  auto select = dyn_cast<sh::SelectOp>(op);
  if (!select || select.getOnTrue() != operand || select.getOnFalse() == operand ||
      shapeOf(select.getPred()) != shapeOf(operand))
    return std::nullopt;
  return offsetWhereTrue(select.getPred(), rowAndColumn(operand), kMostLevels);
}

} // namespace

std::optional<int64_t> visibleOffset(Value scores, int64_t rows, int64_t columns) {
  if (longDims(scores).size() < 2)
    return std::nullopt;
  Dims last = rowAndColumn(scores);
  if (shapeOf(scores)[size_t(last.row)] != rows || shapeOf(scores)[size_t(last.column)] != columns)
    return std::nullopt;
  std::optional<int64_t> most;
  llvm::SetVector<Value> values;
  values.insert(scores);
  for (size_t i = 0; i < values.size(); ++i) {
    Value value = values[i];
    for (Operation *user : value.getUsers()) {
      if (std::optional<int64_t> offset = offsetOfSelect(user, value)) {
        most = std::max(most.value_or(*offset), *offset);
        continue;
      }
      bool reshapes = isa<sh::ReshapeOp>(user) && haveSameDims(value, user->getResult(0));
      bool isElementwise = user->hasTrait<ir::Elementwise>() && shapeOf(user->getResult(0)) == shapeOf(value);
      if (!reshapes && !isElementwise)
        return std::nullopt;
      values.insert(user->getResult(0));
    }
  }
  return most;
}

std::optional<float> greatestHidden(Value value, int64_t offset) {
  DenseElementsAttr data;
  if (matchPattern(value, m_Constant(&data))) {
    if (!data.isSplat() || !data.getElementType().isF32())
      return std::nullopt;
    float constant = data.getSplatValue<float>();
    return std::isnan(constant) ? std::nullopt : std::optional(constant);
  }
  if (auto reshape = value.getDefiningOp<sh::ReshapeOp>())
    return haveSameDims(reshape.getOperand(), value) ? greatestHidden(reshape.getOperand(), offset) : std::nullopt;
  auto select = value.getDefiningOp<sh::SelectOp>();
  if (!select || shapeOf(select.getPred()) != shapeOf(value) || longDims(value).size() < 2)
    return std::nullopt;
  std::optional<float> greatest = greatestHidden(select.getOnFalse(), offset);
  std::optional<int64_t> seen = offsetWhereTrue(select.getPred(), rowAndColumn(value), kMostLevels);
  if (!greatest || (seen && *seen <= offset))
    return greatest;
  std::optional<float> other = greatestHidden(select.getOnTrue(), offset);
  return other ? std::optional(std::max(*greatest, *other)) : std::nullopt;
}

} // namespace tenon::codegen
