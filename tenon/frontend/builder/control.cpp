// Loops, and what computations do beside computing (xla-preview-2017: Infeed, While; "C++ interface": CustomCallOp,
// Trace).
#include "tenon/frontend/builder/call.h"
#include "tenon/ops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace tenon::xla_2017 {

using internal::Call;
using internal::Node;
using internal::regionOf;
using internal::Tokens;
using Handle = ComputationDataHandle;

namespace {

// The token that orders what reads the infeed.
Value currentToken(Call &call) {
  if (!call.state.token)
    call.state.token = ops::create_token(call.state.program);
  return call.state.token;
}

// "[a, b]" of what the function makes of each element.
template <typename Range, typename Function> std::string listOf(const Range &range, Function text) {
  std::string list;
  for (const auto &element : range)
    list += (list.empty() ? "" : ", ") + text(element);
  return "[" + list + "]";
}

bool allRowMajor(const std::vector<Shape> &arrays) {
  return llvm::all_of(arrays, [](const Shape &array) { return LayoutUtil::IsDefault(LayoutUtil::LayoutOf(array)); });
}

// The layouts of an infeed's arrays, minor to major. Empty: all are row-major.
std::string layoutsOf(const std::vector<Shape> &arrays) {
  if (allRowMajor(arrays))
    return "";
  return listOf(arrays, [](const Shape &array) {
    Layout layout = LayoutUtil::LayoutOf(array);
    return listOf(layout.minor_to_major(), [](int64 dimension) { return attributes::i64(dimension); });
  });
}

// A layout of a custom call's array.
template <typename Order> std::string orderText(const Order &order) {
  auto count = std::to_string(std::distance(order.begin(), order.end()));
  std::string list = listOf(order, [](int64 dimension) { return std::to_string(dimension); });
  return "dense<" + (count == "0" ? "" : list) + "> : tensor<" + count + "xindex>";
}

// The layouts of a custom call's arrays: those of operands, which are row-major, and of results. Empty: all are
// row-major.
void setLayouts(ops::CustomCallOptions &options, const Values &operands, const std::vector<Shape> &results) {
  if (allRowMajor(results))
    return;
  options.operand_layouts = listOf(operands, [](const Value &value) {
    return orderText(llvm::reverse(llvm::seq<int64>(0, static_cast<int64>(value.sizes().size()))));
  });
  options.result_layouts = listOf(results, [](const Shape &shape) {
    Layout layout = LayoutUtil::LayoutOf(shape);
    return orderText(layout.minor_to_major());
  });
}

} // namespace

Handle ComputationBuilder::While(const Computation &condition, const Computation &body, const Handle &init, At at) {
  Call call(*state_, "While", at);
  const Node *node = call.value(init, "init");
  if (!node || !checkComputation(call, condition, {{node->shape}, ShapeUtil::MakeShape(PRED, {})}, "condition") ||
      !checkComputation(call, body, {{node->shape}, node->shape}, "body"))
    return {};
  bool readsInfeed = condition.built()->readsInfeed() || body.built()->readsInfeed();
  Values operands = node->leaves;
  if (readsInfeed)
    operands.push_back(currentToken(call));
  // The loop of an empty tuple has no operand that would say which builder it belongs to.
  Values results = state_->program.enqueue({"stablehlo.while",
                                            {{"operand", operands}},
                                            {},
                                            {regionOf(call, condition, readsInfeed ? Tokens::kTaken : Tokens::kNone),
                                             regionOf(call, body, readsInfeed ? Tokens::kReturned : Tokens::kNone)},
                                            {},
                                            {}});
  if (call.failed())
    return {};
  if (readsInfeed) {
    state_->token = results.back();
    results.pop_back();
  }
  return call.result(node->shape, results, readsInfeed);
}

Handle ComputationBuilder::Infeed(const Shape &shape, At at) {
  Call call(*state_, "Infeed", at);
  if (call.failed() || !call.checkShape(shape, "shape"))
    return {};
  if (ShapeUtil::IsNestedTuple(shape))
    return call.fail("shape: nested tuples are not read from the infeed: " + ShapeUtil::HumanString(shape));
  if (ShapeUtil::IsEmptyTuple(shape))
    return call.result(shape, {});
  std::vector<Type> types = call.types(shape, "shape");
  if (call.failed())
    return {};
  types.emplace_back("!stablehlo.token");
  ops::InfeedOptions options;
  options.layout = layoutsOf(ShapeUtil::Leaves(shape));
  Values leaves = ops::infeed(currentToken(call), types, options);
  if (call.failed())
    return {};
  state_->token = leaves.back();
  leaves.pop_back();
  return call.result(ShapeUtil::WithoutLayout(shape), leaves, /*readsInfeed=*/true);
}

void ComputationBuilder::Trace(const string &tag, const Handle &operand, At at) {
  Call call(*state_, "Trace", at);
  const Node *node = call.value(operand, "operand");
  if (!node)
    return;
  ops::CustomCallOptions options;
  options.has_side_effect = true; // without results it would do nothing otherwise
  options.backend_config = "{tag = " + attributes::string(tag) +
                           ", shape = " + attributes::string(ShapeUtil::HumanString(node->shape)) + "}";
  options.api_version = 4;
  ops::custom_call(state_->program, node->leaves, "tenon.trace", {}, options);
}

Handle ComputationBuilder::CustomCallOp(tensorflow::StringPiece call_target_name, Handles operands, const Shape &shape,
                                        At at) {
  Call call(*state_, "CustomCallOp", at);
  if (call_target_name.empty())
    return call.fail("call_target_name is empty");
  if (call.failed() || !call.checkShape(shape, "shape"))
    return {};
  Values values;
  for (const Handle &operand : operands) {
    const Node *node = call.value(operand, "an operand");
    if (!node)
      return {};
    llvm::append_range(values, node->leaves);
  }
  std::vector<Type> types = call.types(shape, "shape");
  if (call.failed())
    return {};
  std::vector<Shape> arrays = ShapeUtil::Leaves(shape);
  for (const Shape &array : arrays)
    if (LayoutUtil::IsPadded(LayoutUtil::LayoutOf(array), array))
      return call.fail("shape: a custom call's result has no padding: " + ShapeUtil::HumanStringWithLayout(array));
  ops::CustomCallOptions options;
  options.has_side_effect = types.empty(); // it would do nothing otherwise
  setLayouts(options, values, arrays);
  std::string_view target(call_target_name.data(), call_target_name.size());
  return call.result(ShapeUtil::WithoutLayout(shape),
                     ops::custom_call(state_->program, values, target, types, options));
}

} // namespace tenon::xla_2017
