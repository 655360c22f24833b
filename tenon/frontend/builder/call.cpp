#include "tenon/frontend/builder/call.h"
#include "tenon/frontend/import/import.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/SmallSet.h"

namespace tenon::xla_2017::internal {

namespace sh = tenon::stablehlo;

std::string listText(gtl::ArraySlice<int64> values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? "," : "") + std::to_string(values[i]);
  return text + "]";
}

llvm::SmallVector<int64> sizesOf(const Shape &shape) {
  return llvm::SmallVector<int64>(shape.dimensions().begin(), shape.dimensions().end());
}

Call::Call(BuilderState &state, const char *method, SourceLocation at) : state(state) {
  assert(!state.graph.caller && "a method calls another");
  state.graph.caller = {method, at};
  place_ = state.graph.placeOf(method, at);
}

ComputationDataHandle Call::fail(const std::string &message) {
  state.graph.fail(place_, message);
  return {};
}

const Node *Call::value(const ComputationDataHandle &handle, const char *what) {
  if (failed())
    return nullptr;
  const Node *node = state.find(handle);
  if (!node) {
    fail(std::string(what) + " is not a value of this builder");
    return nullptr;
  }
  inputs_.push_back(state.indexOf(handle));
  usesParameter_ |= node->usesParameter;
  return node;
}

const Node *Call::array(const ComputationDataHandle &handle, const char *what) {
  const Node *node = value(handle, what);
  if (node && !ShapeUtil::IsArray(node->shape)) {
    fail(std::string(what) + " must be an array, and is " + ShapeUtil::HumanString(node->shape));
    return nullptr;
  }
  return node;
}

const Node *Call::scalar(const ComputationDataHandle &handle, const char *what) {
  const Node *node = array(handle, what);
  if (node && node->shape.dimensions_size() != 0) {
    fail(std::string(what) + " must be a scalar, and is " + ShapeUtil::HumanString(node->shape));
    return nullptr;
  }
  return node;
}

ComputationDataHandle Call::result(const Value &value) {
  if (failed())
    return {};
  StatusOr<Shape> shape = shapeOf(state.graph.peek(value).getType());
  if (!shape.ok())
    return fail(shape.status().message());
  if (!checkShape(*shape, "the result"))
    return {};
  return result(*std::move(shape), value);
}

ComputationDataHandle Call::same(const Node &node) { return result(node.shape, node.leaves); }

ComputationDataHandle Call::result(Shape shape, Values leaves, bool readsInfeed) {
  if (failed())
    return {};
  return state.add({std::move(shape), std::move(leaves), inputs_, usesParameter_, readsInfeed, place_});
}

std::vector<Type> Call::types(const Shape &shape, const char *what) {
  std::vector<Type> types;
  for (const Shape &leaf : ShapeUtil::Leaves(shape)) {
    mlir::RankedTensorType type = tensorTypeOf(state.graph.context(), leaf);
    if (!type) {
      fail(std::string(what) + ": " + ShapeUtil::HumanString(shape) + " is not made of arrays");
      return {};
    }
    types.emplace_back(mlir::debugString(type));
  }
  return types;
}

std::string Call::elementType(PrimitiveType type) {
  return mlir::debugString(tensorTypeOf(state.graph.context(), ShapeUtil::MakeShape(type, {})).getElementType());
}

bool Call::checkShape(const Shape &shape, const char *what) {
  if (failed())
    return false;
  Status status = ShapeUtil::Validate(shape);
  if (!status.ok())
    fail(std::string(what) + ": " + status.message());
  return status.ok();
}

bool Call::checkArray(const Shape &shape, const char *what) {
  if (!checkShape(shape, what))
    return false;
  if (!tensorTypeOf(state.graph.context(), shape))
    fail(std::string(what) + ": " + ShapeUtil::HumanString(shape) + " is not an array");
  return !failed();
}

bool Call::checkCount(size_t entries, int64 rank, const char *what) {
  if (failed())
    return false;
  if (static_cast<int64>(entries) != rank)
    fail(std::string(what) + " must have an entry for each of " + std::to_string(rank) + " dimensions, and has " +
         std::to_string(entries));
  return !failed();
}

bool Call::checkDimensions(gtl::ArraySlice<int64> dimensions, int64 rank, const char *what) {
  llvm::SmallSet<int64, 8> seen;
  for (int64 d : dimensions) {
    if (failed())
      return false;
    if (d < 0 || d >= rank)
      fail(std::string(what) + " " + listText(dimensions) + ": there is no dimension " + std::to_string(d) +
           " in an array of rank " + std::to_string(rank));
    else if (!seen.insert(d).second)
      fail(std::string(what) + " " + listText(dimensions) + ": dimension " + std::to_string(d) + " is there twice");
  }
  return !failed();
}

static std::string signatureText(llvm::ArrayRef<Shape> parameters, const Shape &result) {
  std::string text = "(";
  for (size_t i = 0; i < parameters.size(); ++i)
    text += (i ? ", " : "") + ShapeUtil::HumanString(parameters[i]);
  return text + ") -> " + ShapeUtil::HumanString(result);
}

bool checkComputation(Call &call, const Computation &computation, const Signature &signature, const char *what) {
  if (call.failed())
    return false;
  if (computation.IsNull()) {
    call.fail(std::string(what) + " is the empty computation");
    return false;
  }
  const ProgramShape &shape = computation.program_shape();
  bool same = static_cast<size_t>(shape.parameters_size()) == signature.parameters.size() &&
              ShapeUtil::Compatible(shape.result(), signature.result);
  for (int i = 0; same && i < shape.parameters_size(); ++i)
    same = ShapeUtil::Compatible(shape.parameters(i), signature.parameters[i]);
  if (!same) {
    llvm::SmallVector<Shape> parameters(shape.parameters().begin(), shape.parameters().end());
    call.fail(std::string(what) + " '" + computation.name() + "' must be of " +
              signatureText(signature.parameters, signature.result) + ", and is of " +
              signatureText(parameters, shape.result()));
  }
  return same;
}

// A copy of the module in the builder's context.
static mlir::OwningOpRef<mlir::ModuleOp> copyOf(Call &call, const BuiltComputation &built) {
  if (built.ir() == call.state.graph.ir)
    return built.module().clone();
  return tenon::frontend::importModule(built.bytecode(), call.state.graph.context());
}

// Moves what `main` calls to the builder's functions, under names that are free there.
static void moveFunctions(BuilderState &state, mlir::ModuleOp from) {
  mlir::SymbolTable source(from), destination(*state.graph.module);
  llvm::SmallVector<mlir::func::FuncOp> functions;
  for (auto function : from.getOps<mlir::func::FuncOp>())
    if (function.getSymName() != "main")
      functions.push_back(function);
  for (mlir::func::FuncOp function : functions)
    if (destination.lookup(function.getSymNameAttr()))
      (void)source.renameToUnique(function, {&destination});
  for (mlir::func::FuncOp function : functions) {
    function->remove();
    function.setPrivate();
    destination.insert(function);
  }
}

Values embed(Call &call, const Computation &computation, Span<Value> arguments, Tokens tokens) {
  ProgramBuilder::Graph &graph = call.state.graph;
  mlir::OwningOpRef<mlir::ModuleOp> copy = copyOf(call, *computation.built());
  if (!copy) {
    call.fail("'" + computation.name() + "' cannot be read again");
    return {};
  }
  moveFunctions(call.state, *copy);
  mlir::Block &source = copy->lookupSymbol<mlir::func::FuncOp>("main").getBody().front();
  mlir::OpBuilder ops = graph.operations();
  mlir::IRMapping mapping;
  for (auto [parameter, argument] : llvm::zip(source.getArguments(), arguments)) // a token may be one more
    mapping.map(parameter, graph.peek(argument));
  mlir::Value token = tokens == Tokens::kNone ? mlir::Value() : graph.peek(arguments.back());
  for (mlir::Operation &op : source.without_terminator()) {
    if (auto create = mlir::dyn_cast<sh::CreateTokenOp>(op); create && token) {
      mapping.map(create.getResult(), token);
      continue;
    }
    mlir::Operation *clone = ops.clone(op, mapping);
    for (mlir::Value result : clone->getResults())
      if (mlir::isa<sh::TokenType>(result.getType()))
        token = result;
  }
  Values results;
  for (mlir::Value result : source.getTerminator()->getOperands())
    results.push_back(graph.add(mapping.lookup(result)));
  if (tokens == Tokens::kReturned)
    results.push_back(graph.add(token));
  return results;
}

Region regionOf(Call &call, const Computation &computation, Tokens tokens) {
  return {[&call, &computation, tokens](Span<Value> arguments) { return embed(call, computation, arguments, tokens); }};
}

} // namespace tenon::xla_2017::internal
