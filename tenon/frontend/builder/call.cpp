#include "tenon/frontend/builder/call.h"
#include "tenon/frontend/import/import.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SmallSet.h"

namespace tenon::xla_2017::internal {

namespace sh = tenon::stablehlo;

std::string listText(gtl::ArraySlice<int64> values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? "," : "") + std::to_string(values[i]);
  return text + "]";
}

llvm::ArrayRef<int64> asArrayRef(gtl::ArraySlice<int64> values) { return {values.data(), values.size()}; }

Call::Call(BuilderState &state, const char *method, SourceLocation at)
    : state(state), place_(placeOf(method, at)), builder_(state.locationOf(method, at), state.operations()) {}

ComputationDataHandle Call::fail(const std::string &message) {
  state.fail(place_, message);
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

ComputationDataHandle Call::result(mlir::Value value) {
  if (failed())
    return {};
  if (mlir::Operation *op = value.getDefiningOp())
    if (std::string errors = errorsOf(op); !errors.empty())
      return fail(errors);
  StatusOr<Shape> shape = shapeOf(value.getType());
  if (!shape.ok())
    return fail(shape.status().message());
  return result(*std::move(shape), value);
}

ComputationDataHandle Call::same(const Node &node) { return result(node.shape, node.leaves); }

ComputationDataHandle Call::result(Shape shape, llvm::ArrayRef<mlir::Value> leaves, bool readsInfeed) {
  if (failed())
    return {};
  return state.add(
      {std::move(shape), llvm::SmallVector<mlir::Value, 1>(leaves), inputs_, usesParameter_, readsInfeed, place_});
}

bool Call::checkShape(const Shape &shape, const char *what) {
  if (failed())
    return false;
  Status status = ShapeUtil::Validate(shape);
  if (!status.ok())
    fail(std::string(what) + ": " + status.message());
  return status.ok();
}

mlir::RankedTensorType Call::type(const Shape &shape, const char *what) {
  if (!checkShape(shape, what))
    return {};
  mlir::RankedTensorType type = tensorTypeOf(state.context(), shape);
  if (!type)
    fail(std::string(what) + ": " + ShapeUtil::HumanString(shape) + " is not an array");
  return type;
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
  if (built.ir() == call.state.ir)
    return built.module().clone();
  return tenon::frontend::importModule(built.bytecode(), call.state.context());
}

// Moves what `main` calls to the builder's functions, under names that are free there.
static void moveFunctions(BuilderState &state, mlir::ModuleOp from) {
  mlir::SymbolTable source(from), destination(*state.functions);
  llvm::SmallVector<mlir::func::FuncOp> functions;
  for (auto function : from.getOps<mlir::func::FuncOp>())
    if (function.getSymName() != "main")
      functions.push_back(function);
  for (mlir::func::FuncOp function : functions) {
    mlir::StringAttr name = function.getSymNameAttr();
    if (destination.lookup(name) || name == "main")
      (void)source.renameToUnique(function, {&destination});
  }
  for (mlir::func::FuncOp function : functions) {
    function->remove();
    function.setPrivate();
    destination.insert(function);
  }
}

void embed(Call &call, const Computation &computation, mlir::Region &region, bool takeToken, bool returnToken) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = copyOf(call, *computation.built());
  if (!copy) {
    call.fail("'" + computation.name() + "' cannot be read again");
    return;
  }
  moveFunctions(call.state, *copy);
  mlir::Block &source = copy->lookupSymbol<mlir::func::FuncOp>("main").getBody().front();
  mlir::Block &block = region.emplaceBlock();
  mlir::OpBuilder ops = mlir::OpBuilder::atBlockEnd(&block);
  mlir::IRMapping mapping;
  for (mlir::BlockArgument argument : source.getArguments())
    mapping.map(argument, block.addArgument(argument.getType(), argument.getLoc()));
  mlir::Value token;
  if (takeToken)
    token = block.addArgument(sh::TokenType::get(ops.getContext()), call.ops().getLoc());
  for (mlir::Operation &op : source.without_terminator()) {
    if (auto create = mlir::dyn_cast<sh::CreateTokenOp>(op); create && takeToken) {
      mapping.map(create.getResult(), token);
      continue;
    }
    mlir::Operation *clone = ops.clone(op, mapping);
    for (mlir::Value result : clone->getResults())
      if (mlir::isa<sh::TokenType>(result.getType()))
        token = result;
  }
  llvm::SmallVector<mlir::Value> results;
  for (mlir::Value result : source.getTerminator()->getOperands())
    results.push_back(mapping.lookup(result));
  if (returnToken)
    results.push_back(token);
  sh::ReturnOp::create(ops, call.ops().getLoc(), results);
}

} // namespace tenon::xla_2017::internal
