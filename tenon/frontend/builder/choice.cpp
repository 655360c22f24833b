// Tuples, selection, order (xla-preview-2017: GetTupleElement, Select, Sort, Tuple).
#include "tenon/frontend/builder/broadcast.h"
#include "tenon/ir/stablehlo.h"

namespace tenon::xla_2017 {

namespace sh = tenon::stablehlo;
using internal::Call;
using internal::Node;
using Handle = ComputationDataHandle;

Handle ComputationBuilder::Select(const Handle &pred, const Handle &on_true, const Handle &on_false, At at) {
  Call call(*state_, "Select", at);
  const Node *choice = call.array(pred, "pred"), *yes = call.value(on_true, "on_true"),
             *no = call.value(on_false, "on_false");
  if (!choice || !yes || !no)
    return {};
  if (choice->shape.element_type() != PRED)
    return call.fail("pred must be of PRED, and is " + ShapeUtil::HumanString(choice->shape));
  if (!ShapeUtil::Compatible(yes->shape, no->shape))
    return call.fail("on_true and on_false must have one shape, and have " + ShapeUtil::HumanString(yes->shape) +
                     " and " + ShapeUtil::HumanString(no->shape));
  bool isScalar = choice->shape.dimensions_size() == 0;
  if (!isScalar && ShapeUtil::IsTuple(yes->shape))
    return call.fail("pred must be a scalar where tuples are selected, and is " +
                     ShapeUtil::HumanString(choice->shape));
  if (!isScalar && !ShapeUtil::SameDimensions(choice->shape, yes->shape))
    return call.fail("pred must be a scalar or have the sizes of " + ShapeUtil::HumanString(yes->shape) + ", and is " +
                     ShapeUtil::HumanString(choice->shape));
  llvm::SmallVector<mlir::Value> leaves;
  for (auto [a, b] : llvm::zip(yes->leaves, no->leaves))
    leaves.push_back(sh::SelectOp::create(call.ops(), choice->leaves[0], a, b));
  return call.result(yes->shape, leaves);
}

Handle ComputationBuilder::Tuple(Handles elements, At at) {
  Call call(*state_, "Tuple", at);
  Shape shape = ShapeUtil::MakeNil();
  llvm::SmallVector<mlir::Value> leaves;
  for (const Handle &element : elements) {
    const Node *node = call.value(element, "an element");
    if (!node)
      return {};
    *shape.add_tuple_shapes() = node->shape;
    llvm::append_range(leaves, node->leaves);
  }
  return call.result(shape, leaves);
}

Handle ComputationBuilder::GetTupleElement(const Handle &tuple_data, int64 index, At at) {
  Call call(*state_, "GetTupleElement", at);
  const Node *tuple = call.value(tuple_data, "tuple_data");
  if (!tuple)
    return {};
  if (!ShapeUtil::IsTuple(tuple->shape))
    return call.fail("tuple_data must be a tuple, and is " + ShapeUtil::HumanString(tuple->shape));
  if (index < 0 || index >= tuple->shape.tuple_shapes_size())
    return call.fail("there is no element " + std::to_string(index) + " in " + ShapeUtil::HumanString(tuple->shape));
  size_t first = 0;
  for (int i = 0; i < index; ++i)
    first += ShapeUtil::Leaves(tuple->shape.tuple_shapes(i)).size();
  const Shape &shape = tuple->shape.tuple_shapes(static_cast<int>(index));
  return call.result(shape, llvm::ArrayRef(tuple->leaves).slice(first, ShapeUtil::Leaves(shape).size()));
}

namespace {

// Whether a comes before b: of floats in the total order, all NaNs being one (inventory X-20).
mlir::Value isBefore(mlir::ImplicitLocOpBuilder &ops, mlir::Value a, mlir::Value b) {
  auto type = mlir::cast<mlir::RankedTensorType>(a.getType());
  auto floatType = mlir::dyn_cast<mlir::FloatType>(type.getElementType());
  if (!floatType)
    return sh::CompareOp::create(ops, a, b, sh::ComparisonDirection::LT);
  bool hasNan = llvm::APFloat::semanticsHasNaN(floatType.getFloatSemantics());
  auto keyOf = [&](mlir::Value value) -> mlir::Value {
    if (!hasNan)
      return value;
    auto nan = mlir::FloatAttr::get(floatType, llvm::APFloat::getQNaN(floatType.getFloatSemantics()));
    mlir::Value isNan = sh::CompareOp::create(ops, value, value, sh::ComparisonDirection::NE);
    return sh::SelectOp::create(ops, isNan, sh::ConstantOp::create(ops, mlir::DenseElementsAttr::get(type, nan)),
                                value);
  };
  return sh::CompareOp::create(ops, keyOf(a), keyOf(b), sh::ComparisonDirection::LT, sh::ComparisonType::TOTALORDER);
}

} // namespace

Handle ComputationBuilder::Sort(const Handle &operand, At at) {
  Call call(*state_, "Sort", at);
  const Node *node = call.array(operand, "operand");
  if (!node)
    return {};
  int64 rank = node->shape.dimensions_size();
  if (rank == 0 || IsComplexType(node->shape.element_type()))
    return call.fail("operand must have a dimension and an order, and is " + ShapeUtil::HumanString(node->shape));
  mlir::Value value = node->leaves[0];
  auto sort = sh::SortOp::create(call.ops(), mlir::TypeRange{value.getType()}, mlir::ValueRange{value}, rank - 1,
                                 /*is_stable=*/true);
  mlir::Block &block = sort.getComparator().emplaceBlock();
  auto type = mlir::cast<mlir::RankedTensorType>(value.getType()).clone(llvm::ArrayRef<int64>());
  mlir::Location location = call.ops().getLoc();
  mlir::Value a = block.addArgument(type, location), b = block.addArgument(type, location);
  mlir::ImplicitLocOpBuilder ops(location, mlir::OpBuilder::atBlockEnd(&block));
  sh::ReturnOp::create(ops, isBefore(ops, a, b));
  return call.result(sort.getResult(0));
}

} // namespace tenon::xla_2017
