#include "tenon/frontend/builder/program.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/DenseSet.h"

namespace tenon::xla_2017::internal {

namespace {

// Whether `later` is made of `earlier`.
bool dependsOn(const BuilderState &state, int64 later, int64 earlier) {
  llvm::SmallVector<int64> todo{later};
  llvm::DenseSet<int64> seen;
  while (!todo.empty()) {
    int64 node = todo.pop_back_val();
    if (node == earlier)
      return true;
    // Nodes are made of earlier ones.
    if (node > earlier && seen.insert(node).second)
      todo.append(state.nodes[node].inputs.begin(), state.nodes[node].inputs.end());
  }
  return false;
}

// xla-preview-2017, Infeed: "there must be a total order among the Infeed operations". Nodes are in an order that the
// data's flow allows, so each must depend on the one before.
Status checkInfeedOrder(const BuilderState &state, int64 nodeCount) {
  int64 previous = -1;
  for (int64 i = 0; i < nodeCount; ++i) {
    if (!state.nodes[i].readsInfeed)
      continue;
    if (previous >= 0 && !dependsOn(state, i, previous))
      return tenon::invalidArgument(
          state.graph.name + ": " + state.nodes[i].call +
          ": two operations read the infeed, and neither depends on the other: this one and " +
          state.nodes[previous].call);
    previous = i;
  }
  return {};
}

Status checkParameters(const BuilderState &state) {
  int64 expected = 0;
  for (const auto &[number, parameter] : state.parameters) {
    if (number != expected)
      return tenon::invalidArgument(state.graph.name + ": " + state.nodes[parameter.node].call + ": parameter " +
                                    std::to_string(expected) + " is missing, and " + std::to_string(number) +
                                    " is there");
    ++expected;
  }
  return {};
}

// A function `main` of a new module.
struct Program {
  Program(BuilderState &state, bool withParameters)
      : state(state), module(mlir::ModuleOp::create(mlir::UnknownLoc::get(&state.graph.context()))) {
    mlir::OpBuilder ops = mlir::OpBuilder::atBlockEnd(module->getBody());
    module->setSymName(state.graph.name);
    main = mlir::func::FuncOp::create(ops, module->getLoc(), "main", ops.getFunctionType({}, {}));
    for (auto function : state.graph.module->getOps<mlir::func::FuncOp>())
      if (function != state.graph.main)
        ops.clone(*function);
    block = main.addEntryBlock();
    if (withParameters)
      addParameters();
  }

  void addParameters() {
    for (const auto &[number, parameter] : state.parameters) {
      const Node &node = state.nodes[parameter.node];
      *shape.add_parameters() = parameter.shape;
      shape.add_parameter_names(parameter.name);
      for (const Value &value : node.leaves) {
        mlir::Value leaf = state.graph.peek(value);
        mapping.map(leaf, block->addArgument(leaf.getType(), leaf.getLoc()));
      }
    }
  }

  void copy(mlir::Operation &op) { mlir::OpBuilder::atBlockEnd(block).clone(op, mapping); }

  StatusOr<std::shared_ptr<const BuiltComputation>> finish(const Node &root) {
    llvm::SmallVector<mlir::Value> results;
    for (const Value &leaf : root.leaves)
      results.push_back(mapping.lookup(state.graph.peek(leaf)));
    mlir::OpBuilder ops = mlir::OpBuilder::atBlockEnd(block);
    mlir::func::ReturnOp::create(ops, main.getLoc(), results);
    main.setFunctionType(ops.getFunctionType(block->getArgumentTypes(), mlir::ValueRange(results).getTypes()));
    if (mlir::failed(mlir::verify(*module)))
      return tenon::internalError(state.graph.name + ": the operations do not make a program");
    *shape.mutable_result() = root.shape;
    return std::make_shared<const BuiltComputation>(state.graph.ir, std::move(module), state.graph.name,
                                                    std::move(shape));
  }

  BuilderState &state;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp main;
  mlir::Block *block;
  mlir::IRMapping mapping;
  ProgramShape shape;
};

} // namespace

StatusOr<std::shared_ptr<const BuiltComputation>> buildProgram(BuilderState &state) {
  if (state.graph.error)
    return *state.graph.error;
  if (state.nodes.empty())
    return tenon::invalidArgument(state.graph.name + ": nothing has been enqueued");
  auto last = static_cast<int64>(state.nodes.size()) - 1;
  BuilderState::Root root =
      state.root.value_or(BuilderState::Root{last, last + 1, state.block().empty() ? nullptr : &state.block().back()});
  TENON_RETURN_IF_ERROR(checkParameters(state));
  TENON_RETURN_IF_ERROR(checkInfeedOrder(state, root.nodeCount));
  Program program(state, /*withParameters=*/true);
  if (root.lastOperation) {
    for (mlir::Operation &op : state.block()) {
      program.copy(op);
      if (&op == root.lastOperation)
        break;
    }
  }
  return program.finish(state.nodes[root.node]);
}

StatusOr<std::shared_ptr<const BuiltComputation>> buildConstant(BuilderState &state,
                                                                const ComputationDataHandle &handle) {
  if (state.graph.error)
    return *state.graph.error;
  const Node *node = state.find(handle);
  if (!node)
    return tenon::invalidArgument(state.graph.name + ": ComputeConstant: the handle is not a value of this builder");
  if (node->usesParameter)
    return tenon::invalidArgument(state.graph.name + ": ComputeConstant: the value depends on a parameter");
  llvm::DenseSet<mlir::Operation *> needed;
  llvm::SmallVector<mlir::Value> todo;
  for (const Value &leaf : node->leaves)
    todo.push_back(state.graph.peek(leaf));
  while (!todo.empty()) {
    mlir::Operation *op = todo.pop_back_val().getDefiningOp();
    if (!op || !needed.insert(op).second)
      continue;
    if (mlir::isa<tenon::stablehlo::CreateTokenOp>(op))
      return tenon::invalidArgument(state.graph.name + ": ComputeConstant: the value depends on the infeed");
    todo.append(op->operand_begin(), op->operand_end());
  }
  Program program(state, /*withParameters=*/false);
  for (mlir::Operation &op : state.block())
    if (needed.contains(&op))
      program.copy(op);
  return program.finish(*node);
}

} // namespace tenon::xla_2017::internal
