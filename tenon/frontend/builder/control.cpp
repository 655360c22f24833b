// Loops, and what computations do beside computing (xla-preview-2017: Infeed, While; "C++ interface": CustomCallOp,
// Trace).
#include "tenon/frontend/builder/call.h"
#include "tenon/ir/stablehlo.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace tenon::xla_2017 {

namespace sh = tenon::stablehlo;
using internal::Call;
using internal::Node;
using Handle = ComputationDataHandle;

namespace {

// The token that orders what reads the infeed.
mlir::Value currentToken(Call &call) {
  if (!call.state.token)
    call.state.token = sh::CreateTokenOp::create(call.ops());
  return call.state.token;
}

// The layouts of an infeed's arrays, minor to major. Null: all are row-major.
mlir::ArrayAttr layoutsOf(mlir::Builder &builder, llvm::ArrayRef<Shape> arrays) {
  llvm::SmallVector<mlir::Attribute> layouts;
  for (const Shape &array : arrays) {
    llvm::SmallVector<mlir::Attribute> order;
    Layout layout = LayoutUtil::LayoutOf(array);
    for (int64 d : layout.minor_to_major())
      order.push_back(builder.getI64IntegerAttr(d));
    layouts.push_back(builder.getArrayAttr(order));
  }
  bool isDefault =
      llvm::all_of(arrays, [](const Shape &array) { return LayoutUtil::IsDefault(LayoutUtil::LayoutOf(array)); });
  return isDefault ? nullptr : builder.getArrayAttr(layouts);
}

// The layouts of a custom call's arrays: those of operands, which are row-major, and of results. Null: all are
// row-major.
struct CallLayouts {
  mlir::ArrayAttr operands, results;

  CallLayouts() = default;
  CallLayouts(mlir::Builder &builder, mlir::ValueRange values, llvm::ArrayRef<Shape> shapes) {
    if (llvm::all_of(shapes, [](const Shape &shape) { return LayoutUtil::IsDefault(LayoutUtil::LayoutOf(shape)); }))
      return;
    auto orderOf = [&](llvm::ArrayRef<int64> order) {
      auto type = mlir::RankedTensorType::get({static_cast<int64>(order.size())}, builder.getIndexType());
      return mlir::DenseIntElementsAttr::get(type, order);
    };
    llvm::SmallVector<mlir::Attribute> ofOperands, ofResults;
    for (mlir::Value value : values)
      ofOperands.push_back(orderOf(
          llvm::to_vector(llvm::reverse(llvm::seq(llvm::cast<mlir::RankedTensorType>(value.getType()).getRank())))));
    for (const Shape &shape : shapes) {
      Layout layout = LayoutUtil::LayoutOf(shape);
      ofResults.push_back(orderOf(llvm::to_vector(layout.minor_to_major())));
    }
    operands = builder.getArrayAttr(ofOperands);
    results = builder.getArrayAttr(ofResults);
  }
};

// One without results has an effect, or would do nothing.
sh::CustomCallOp customCall(Call &call, mlir::TypeRange results, mlir::ValueRange operands, llvm::StringRef target,
                            mlir::Attribute config, sh::CustomCallApiVersion version, const CallLayouts &layouts = {}) {
  return sh::CustomCallOp::create(call.ops(), results, operands, target, /*has_side_effect=*/results.empty(), config,
                                  version, /*called_computations=*/nullptr, layouts.operands, layouts.results,
                                  /*output_operand_aliases=*/nullptr, /*result_tilings=*/nullptr);
}

} // namespace

Handle ComputationBuilder::While(const Computation &condition, const Computation &body, const Handle &init, At at) {
  Call call(*state_, "While", at);
  const Node *node = call.value(init, "init");
  if (!node || !checkComputation(call, condition, {{node->shape}, ShapeUtil::MakeShape(PRED, {})}, "condition") ||
      !checkComputation(call, body, {{node->shape}, node->shape}, "body"))
    return {};
  bool readsInfeed = condition.built()->readsInfeed() || body.built()->readsInfeed();
  llvm::SmallVector<mlir::Value> operands(node->leaves.begin(), node->leaves.end());
  if (readsInfeed)
    operands.push_back(currentToken(call));
  auto loop = sh::WhileOp::create(call.ops(), mlir::ValueRange(operands).getTypes(), operands);
  embed(call, condition, loop.getCond(), readsInfeed);
  embed(call, body, loop.getBody(), readsInfeed, readsInfeed);
  if (readsInfeed)
    state_->token = loop.getResults().back();
  llvm::SmallVector<mlir::Value> leaves(loop.getResults().take_front(node->leaves.size()));
  return call.result(node->shape, leaves, readsInfeed);
}

Handle ComputationBuilder::Infeed(const Shape &shape, At at) {
  Call call(*state_, "Infeed", at);
  if (call.failed() || !call.checkShape(shape, "shape"))
    return {};
  if (ShapeUtil::IsNestedTuple(shape))
    return call.fail("shape: nested tuples are not read from the infeed: " + ShapeUtil::HumanString(shape));
  if (ShapeUtil::IsEmptyTuple(shape))
    return call.result(shape, {});
  std::vector<Shape> arrays = ShapeUtil::Leaves(shape);
  llvm::SmallVector<mlir::Type> types;
  internal::appendLeafTypes(state_->context(), shape, types);
  if (llvm::is_contained(types, mlir::Type()))
    return call.fail("shape: " + ShapeUtil::HumanString(shape) + " is not made of arrays");
  mlir::Value token = currentToken(call);
  types.push_back(token.getType());
  auto infeed = sh::InfeedOp::create(call.ops(), types, token, "", layoutsOf(call.ops(), arrays));
  state_->token = infeed.getResults().back();
  llvm::SmallVector<mlir::Value> leaves(infeed.getResults().drop_back());
  return call.result(ShapeUtil::WithoutLayout(shape), leaves, /*readsInfeed=*/true);
}

void ComputationBuilder::Trace(const string &tag, const Handle &operand, At at) {
  Call call(*state_, "Trace", at);
  const Node *node = call.value(operand, "operand");
  if (!node)
    return;
  auto &ops = call.ops();
  auto config =
      ops.getDictionaryAttr({ops.getNamedAttr("tag", ops.getStringAttr(tag)),
                             ops.getNamedAttr("shape", ops.getStringAttr(ShapeUtil::HumanString(node->shape)))});
  customCall(call, {}, node->leaves, "tenon.trace", config, sh::CustomCallApiVersion::API_VERSION_TYPED_FFI);
}

Handle ComputationBuilder::CustomCallOp(tensorflow::StringPiece call_target_name, Handles operands, const Shape &shape,
                                        At at) {
  Call call(*state_, "CustomCallOp", at);
  if (call_target_name.empty())
    return call.fail("call_target_name is empty");
  if (call.failed() || !call.checkShape(shape, "shape"))
    return {};
  llvm::SmallVector<mlir::Value> values;
  for (const Handle &operand : operands) {
    const Node *node = call.value(operand, "an operand");
    if (!node)
      return {};
    llvm::append_range(values, node->leaves);
  }
  llvm::SmallVector<mlir::Type> types;
  internal::appendLeafTypes(state_->context(), shape, types);
  if (llvm::is_contained(types, mlir::Type()))
    return call.fail("shape: " + ShapeUtil::HumanString(shape) + " is not made of arrays");
  std::vector<Shape> arrays = ShapeUtil::Leaves(shape);
  for (const Shape &array : arrays)
    if (LayoutUtil::IsPadded(LayoutUtil::LayoutOf(array), array))
      return call.fail("shape: a custom call's result has no padding: " + ShapeUtil::HumanStringWithLayout(array));
  auto op = customCall(call, types, values, {call_target_name.data(), call_target_name.size()},
                       /*config=*/nullptr, sh::CustomCallApiVersion::API_VERSION_ORIGINAL,
                       CallLayouts(call.ops(), values, arrays));
  llvm::SmallVector<mlir::Value> leaves(op.getResults());
  return call.result(ShapeUtil::WithoutLayout(shape), leaves);
}

} // namespace tenon::xla_2017
