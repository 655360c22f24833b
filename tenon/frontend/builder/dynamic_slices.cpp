// Slices whose place is computed (xla-operation-semantics, DynamicSlice and DynamicUpdateSlice). Coordinates count
// modulo the operand's sizes there, where StableHLO moves a slice back into the operand: a slice that stays inside is
// StableHLO's, and one that does not takes another way, decided when it runs.
#include "tenon/frontend/builder/call.h"
#include "tenon/ir/stablehlo.h"

#include "llvm/ADT/STLExtras.h"

namespace tenon::xla_2017 {

namespace sh = tenon::stablehlo;
using internal::Call;
using internal::Node;
using Handle = ComputationDataHandle;

namespace {

llvm::ArrayRef<int64> sizesOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

mlir::Value scalar(mlir::ImplicitLocOpBuilder &ops, mlir::Type element, int64 value) {
  auto type = mlir::RankedTensorType::get({}, element);
  return sh::ConstantOp::create(ops, mlir::DenseElementsAttr::get(type, mlir::IntegerAttr::get(element, value)));
}

// Entry d of the start indices, modulo the size: an i64 scalar in [0, size).
mlir::Value wrappedIndex(mlir::ImplicitLocOpBuilder &ops, mlir::Value indices, int64 d, int64 size) {
  auto type = mlir::cast<mlir::RankedTensorType>(indices.getType());
  bool isUnsigned = type.getElementType().isUnsignedInteger();
  mlir::Type i64 = ops.getI64Type(), wide = isUnsigned ? ops.getIntegerType(64, false) : i64;
  mlir::Value entry = sh::SliceOp::create(ops, indices, llvm::ArrayRef<int64>{d}, llvm::ArrayRef<int64>{d + 1},
                                          llvm::ArrayRef<int64>{1});
  entry = sh::ReshapeOp::create(ops, mlir::RankedTensorType::get({}, type.getElementType()), entry);
  entry = sh::ConvertOp::create(ops, mlir::RankedTensorType::get({}, wide), entry);
  mlir::Value divisor = scalar(ops, wide, size);
  mlir::Value rest = sh::RemainderOp::create(ops, entry, divisor);
  if (isUnsigned)
    return sh::ConvertOp::create(ops, mlir::RankedTensorType::get({}, i64), rest);
  mlir::Value negative = sh::CompareOp::create(ops, rest, scalar(ops, wide, 0), sh::ComparisonDirection::LT);
  return sh::SelectOp::create(ops, negative, sh::AddOp::create(ops, rest, divisor), rest);
}

// The checked operands of both operations.
struct Place {
  const Node *operand = nullptr;
  llvm::SmallVector<mlir::Value> start; // i64 scalars, in range
  mlir::Value inside;                   // whether the slice does not leave the operand; null: it cannot
};

std::optional<Place> placeOf(Call &call, const Handle &operand, const Handle &start_indices,
                             llvm::ArrayRef<int64> sizes, const char *what) {
  const Node *node = call.array(operand, "operand"), *indices = call.array(start_indices, "start_indices");
  if (!node || !indices)
    return std::nullopt;
  int64 rank = node->shape.dimensions_size();
  if (!IsIntegerType(indices->shape.element_type()) || indices->shape.dimensions_size() != 1 ||
      indices->shape.dimensions(0) != rank) {
    call.fail("start_indices must be a vector of " + std::to_string(rank) + " integers, and is " +
              ShapeUtil::HumanString(indices->shape));
    return std::nullopt;
  }
  if (!call.checkCount(sizes.size(), rank, what))
    return std::nullopt;
  for (auto [d, size] : llvm::enumerate(node->shape.dimensions()))
    if (sizes[d] <= 0 || sizes[d] > size) {
      call.fail(std::string(what) + ": 0 < " + std::to_string(sizes[d]) + " <= " + std::to_string(size) +
                " does not hold in dimension " + std::to_string(d));
      return std::nullopt;
    }
  Place place{node, {}, {}};
  for (auto [d, size] : llvm::enumerate(node->shape.dimensions())) {
    place.start.push_back(wrappedIndex(call.ops(), indices->leaves[0], static_cast<int64>(d), size));
    if (sizes[d] == 1)
      continue;
    mlir::Value last = scalar(call.ops(), call.ops().getI64Type(), size - sizes[d]);
    mlir::Value fits = sh::CompareOp::create(call.ops(), place.start.back(), last, sh::ComparisonDirection::LE);
    place.inside = place.inside ? sh::AndOp::create(call.ops(), place.inside, fits).getResult() : fits;
  }
  return place;
}

// The operand in an order that begins at `start` in each dimension where `sizes` is more than 1.
mlir::Value rotate(mlir::ImplicitLocOpBuilder &ops, mlir::Value operand, llvm::ArrayRef<mlir::Value> start,
                   llvm::ArrayRef<int64> sizes) {
  llvm::SmallVector<int64> all(sizesOf(operand));
  mlir::Value zero = scalar(ops, ops.getI64Type(), 0);
  for (auto [d, size] : llvm::enumerate(sizes)) {
    if (size == 1)
      continue;
    mlir::Value twice = sh::ConcatenateOp::create(ops, mlir::ValueRange{operand, operand}, static_cast<int64>(d));
    llvm::SmallVector<mlir::Value> begin(all.size(), zero);
    begin[d] = start[d];
    operand = sh::DynamicSliceOp::create(ops, twice, begin, all);
  }
  return operand;
}

// The start of the slice after `rotate`, which has moved it to the beginning of the dimensions that it rotated.
llvm::SmallVector<mlir::Value> rotatedStart(mlir::ImplicitLocOpBuilder &ops, llvm::ArrayRef<mlir::Value> start,
                                            llvm::ArrayRef<int64> sizes) {
  llvm::SmallVector<mlir::Value> result(start);
  for (auto [d, size] : llvm::enumerate(sizes))
    if (size != 1)
      result[d] = scalar(ops, ops.getI64Type(), 0);
  return result;
}

using Branch = llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &)>;

void addBranch(Call &call, mlir::Region &region, Branch make) {
  mlir::ImplicitLocOpBuilder ops(call.ops().getLoc(), mlir::OpBuilder::atBlockEnd(&region.emplaceBlock()));
  sh::ReturnOp::create(ops, make(ops));
}

// `inside` if the slice stays in the operand, `around` if not; both make a value of that type.
Handle choose(Call &call, const Place &place, mlir::Type type, Branch inside, Branch around) {
  if (!place.inside)
    return call.result(inside(call.ops()));
  auto branches = sh::IfOp::create(call.ops(), type, place.inside);
  addBranch(call, branches.getTrueBranch(), inside);
  addBranch(call, branches.getFalseBranch(), around);
  return call.result(branches.getResult(0));
}

} // namespace

Handle ComputationBuilder::DynamicSlice(const Handle &operand, const Handle &start_indices, Sizes size_indices, At at) {
  Call call(*state_, "DynamicSlice", at);
  llvm::ArrayRef<int64> sizes = internal::asArrayRef(size_indices);
  auto place = placeOf(call, operand, start_indices, sizes, "size_indices");
  if (!place)
    return {};
  mlir::Value value = place->operand->leaves[0];
  if (sizes.empty())
    return call.same(*place->operand);
  return choose(
      call, *place, mlir::cast<mlir::RankedTensorType>(value.getType()).clone(sizes),
      [&](mlir::ImplicitLocOpBuilder &ops) -> mlir::Value {
        return sh::DynamicSliceOp::create(ops, value, place->start, sizes);
      },
      [&](mlir::ImplicitLocOpBuilder &ops) -> mlir::Value {
        mlir::Value turned = rotate(ops, value, place->start, sizes);
        return sh::DynamicSliceOp::create(ops, turned, rotatedStart(ops, place->start, sizes), sizes);
      });
}

Handle ComputationBuilder::DynamicUpdateSlice(const Handle &operand, const Handle &update, const Handle &start_indices,
                                              At at) {
  Call call(*state_, "DynamicUpdateSlice", at);
  const Node *part = call.array(update, "update"), *node = call.array(operand, "operand");
  if (!part || !node)
    return {};
  if (part->shape.element_type() != node->shape.element_type())
    return call.fail("the element types of " + ShapeUtil::HumanString(node->shape) + " and " +
                     ShapeUtil::HumanString(part->shape) + " differ");
  mlir::Value value = node->leaves[0], patch = part->leaves[0];
  llvm::ArrayRef<int64> sizes = sizesOf(patch);
  auto place = placeOf(call, operand, start_indices, sizes, "update");
  if (!place)
    return {};
  return choose(
      call, *place, value.getType(),
      [&](mlir::ImplicitLocOpBuilder &ops) -> mlir::Value {
        return sh::DynamicUpdateSliceOp::create(ops, value, patch, place->start);
      },
      [&](mlir::ImplicitLocOpBuilder &ops) -> mlir::Value {
        mlir::Value turned = rotate(ops, value, place->start, sizes);
        turned = sh::DynamicUpdateSliceOp::create(ops, turned, patch, rotatedStart(ops, place->start, sizes));
        llvm::SmallVector<mlir::Value> back;
        for (auto [start, size] : llvm::zip(place->start, sizesOf(value)))
          back.push_back(sh::SubtractOp::create(ops, scalar(ops, ops.getI64Type(), size), start));
        return rotate(ops, turned, back, sizes);
      });
}

} // namespace tenon::xla_2017
