// Custom calls that name a computation of the module (ApproxTopK: approx_top_k.cpp) become ordinary ops, before
// inlining drops the functions.
//
// Operands and results that are tuples become their parts: targets see no tuples, or only as arrays of pointers to the
// parts.

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/passes/legalize/decompose/patterns.h"
#include "tenon/passes/passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

// The parts of a value, parts of parts in place.
void addParts(OpBuilder &builder, Value value, SmallVectorImpl<Value> &parts) {
  auto tuple = dyn_cast<TupleType>(value.getType());
  if (!tuple)
    return parts.push_back(value);
  for (auto [i, type] : llvm::enumerate(tuple.getTypes()))
    addParts(builder, sh::GetTupleElementOp::create(builder, value.getLoc(), type, value, i), parts);
}

// The value of a type, made of the next parts.
Value assemble(OpBuilder &builder, Location loc, Type type, ArrayRef<Value> &parts) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    SmallVector<Value> values;
    for (Type part : tuple.getTypes())
      values.push_back(assemble(builder, loc, part, parts));
    return sh::TupleOp::create(builder, loc, type, values);
  }
  Value part = parts.front();
  parts = parts.drop_front();
  return part;
}

void addPartTypes(Type type, SmallVectorImpl<Type> &parts) {
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple)
    return parts.push_back(type);
  for (Type part : tuple.getTypes())
    addPartTypes(part, parts);
}

// The parts of these types before the one that the path of indices leads to, and how many that has; none where there is
// no such.
std::optional<std::pair<int64_t, int64_t>> partsAt(TypeRange types, ArrayRef<int64_t> path) {
  SmallVector<Type> parts;
  if (path.empty()) {
    for (Type type : types)
      addPartTypes(type, parts);
    return std::pair<int64_t, int64_t>(0, parts.size());
  }
  if (path[0] < 0 || path[0] >= static_cast<int64_t>(types.size()))
    return std::nullopt;
  for (Type type : types.take_front(path[0]))
    addPartTypes(type, parts);
  auto before = static_cast<int64_t>(parts.size());
  auto tuple = dyn_cast<TupleType>(types[path[0]]);
  if (!tuple && path.size() > 1)
    return std::nullopt;
  auto inner = tuple ? partsAt(tuple.getTypes(), path.drop_front()) : std::optional(std::pair<int64_t, int64_t>(0, 1));
  if (inner)
    inner->first += before;
  return inner;
}

// Which parts share memory, by their numbers among all: result i of several, or part i of the one.
ArrayAttr flatAliases(sh::CustomCallOp call, ArrayAttr aliases) {
  TypeRange results = call->getResultTypes();
  if (auto tuple = results.size() == 1 ? dyn_cast<TupleType>(results[0]) : TupleType())
    results = tuple.getTypes();
  SmallVector<Attribute> flat;
  for (auto alias : aliases.getAsRange<sh::OutputOperandAliasAttr>()) {
    SmallVector<int64_t> operandPath{alias.getOperandIndex()};
    llvm::append_range(operandPath, alias.getOperandTupleIndices());
    auto from = partsAt(call->getOperandTypes(), operandPath), to = partsAt(results, alias.getOutputTupleIndices());
    for (int64_t i = 0; from && to && i < std::min(from->second, to->second); ++i)
      flat.push_back(sh::OutputOperandAliasAttr::get(call.getContext(), {to->first + i}, from->first + i, {}));
  }
  return ArrayAttr::get(call.getContext(), flat);
}

void flattenTuples(sh::CustomCallOp call) {
  OpBuilder builder(call);
  SmallVector<Value> operands;
  for (Value operand : call->getOperands())
    addParts(builder, operand, operands);
  SmallVector<Type> types;
  for (Type type : call->getResultTypes())
    addPartTypes(type, types);
  OperationState state(call.getLoc(), sh::CustomCallOp::getOperationName(), operands, types, call->getAttrs());
  auto flat = cast<sh::CustomCallOp>(builder.create(state));
  if (call->getNumResults() == 1 && isa<TupleType>(call->getResult(0).getType()))
    flat->setAttr(ir::kTupleResultAttribute, builder.getUnitAttr());
  if (ArrayAttr aliases = call.getOutputOperandAliasesAttr())
    flat.setOutputOperandAliasesAttr(flatAliases(call, aliases));
  SmallVector<Value> results(flat->getResults());
  ArrayRef<Value> parts = results;
  for (Value result : call->getResults())
    result.replaceAllUsesWith(assemble(builder, call.getLoc(), result.getType(), parts));
  call.erase();
}

} // namespace

LogicalResult expandCustomCalls(ModuleOp module) {
  SmallVector<sh::CustomCallOp> calls, withTuples;
  module.walk([&](sh::CustomCallOp call) {
    if (call.getCallTargetName() == "ApproxTopK" || call.getCallTargetName() == "stablehlo.dynamic_approx_top_k")
      calls.push_back(call);
    else if (llvm::any_of(call->getOperandTypes(), llvm::IsaPred<TupleType>) ||
             llvm::any_of(call->getResultTypes(), llvm::IsaPred<TupleType>))
      withTuples.push_back(call);
  });
  llvm::for_each(withTuples, flattenTuples);
  for (sh::CustomCallOp call : calls)
    if (failed(expandApproxTopK(call)))
      return failure();
  return success();
}

} // namespace tenon::passes
