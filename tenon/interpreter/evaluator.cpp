#include "tenon/interpreter/evaluator.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tenon/ir/meaning.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/types.h"

namespace tenon::interpreter {

const Value *Frame::find(mlir::Value key) const {
  for (const Frame *frame = this; frame; frame = frame->outer_) {
    auto it = frame->values_.find(key);
    if (it != frame->values_.end())
      return &it->second;
  }
  return nullptr;
}

Value Frame::take(mlir::Value key) {
  auto it = values_.find(key);
  if (it == values_.end())
    return Token{};
  Value value = std::move(it->second);
  values_.erase(it);
  return value;
}

static mlir::Type elementOfType(mlir::Type type) {
  if (auto shaped = llvm::dyn_cast<mlir::ShapedType>(type))
    return shaped.getElementType();
  return {};
}

Invocation::Invocation(Evaluator &evaluator, mlir::Operation *op, Frame *frame, Values operands)
    : evaluator_(evaluator), op_(op), frame_(frame), operands_(std::move(operands)) {
  for (mlir::Type type : op->getResultTypes())
    resultElements_.push_back(elementOfType(type));
}

llvm::ArrayRef<Value> Invocation::valuesOf(mlir::OperandRange range) const {
  if (range.empty())
    return {};
  return llvm::ArrayRef<Value>(operands_).slice(range.getBeginOperandIndex(), range.size());
}

ElementType Invocation::elementTypeOf(unsigned result) const {
  return interpreter::elementTypeOf(resultElements_[result]).value();
}

int64_t Invocation::maxTensorBytes() const { return evaluator_.options().maxTensorBytes; }

llvm::FailureOr<Tensor> Invocation::make(llvm::ArrayRef<int64_t> shape, mlir::Type element) {
  std::optional<ElementType> type = element ? interpreter::elementTypeOf(element) : std::nullopt;
  if (!type)
    return (void)fail("element type without an interpretation"), llvm::failure();
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    return (void)fail("a tensor would have a dimension of negative size"), llvm::failure();
  if (!fits(shape, *type, maxTensorBytes()))
    return (void)fail("a tensor exceeds the memory limit of the interpreter", StatusCode::kResourceExhausted),
           llvm::failure();
  return Tensor(shape, element);
}

LogicalResult Invocation::yield(Value value) {
  results_.push_back(std::move(value));
  return llvm::success();
}

LogicalResult Invocation::fail(const llvm::Twine &message, StatusCode code) {
  return evaluator_.fail(op_, code, message);
}

LogicalResult Evaluator::fail(mlir::Operation *op, StatusCode code, const llvm::Twine &message) {
  if (!status_.ok())
    return llvm::failure(); // the first error is the cause
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "'" << op->getName().getStringRef() << "': " << message;
  if (!llvm::isa<mlir::UnknownLoc>(op->getLoc()))
    stream << " at " << op->getLoc();
  status_ = Status(code, std::move(text));
  return llvm::failure();
}

const Evaluator::LastUses &Evaluator::lastUses(mlir::Block &block) {
  std::unique_ptr<LastUses> &cached = lastUses_[&block];
  if (cached)
    return *cached;
  cached = std::make_unique<LastUses>();
  // Not Operation::isBeforeInBlock, which numbers the ops when it is first asked: other threads may run the block too.
  llvm::DenseMap<mlir::Operation *, int64_t> placeOf;
  for (mlir::Operation &op : block)
    placeOf.try_emplace(&op, static_cast<int64_t>(placeOf.size()));
  auto record = [&](mlir::Value value) {
    mlir::Operation *last = nullptr;
    for (mlir::OpOperand &use : value.getUses()) {
      mlir::Operation *user = block.findAncestorOpInBlock(*use.getOwner());
      if (user && (!last || placeOf[last] < placeOf[user]))
        last = user;
    }
    if (!last)
      return;
    // A region of the last user that captures the value needs it in the frame.
    unsigned position = 0;
    for (mlir::OpOperand &use : value.getUses()) {
      if (block.findAncestorOpInBlock(*use.getOwner()) != last)
        continue;
      if (use.getOwner() != last)
        return;
      position = std::max(position, use.getOperandNumber());
    }
    (*cached)[last].push_back(position);
  };
  for (mlir::BlockArgument arg : block.getArguments())
    record(arg);
  for (mlir::Operation &op : block)
    for (mlir::Value result : op.getResults())
      record(result);
  return *cached;
}

LogicalResult Evaluator::evaluateInFrame(mlir::Operation &op, const LastUses &lastUses, Frame &frame, Values &results) {
  auto lastUse = lastUses.find(&op);
  Values operands(op.getNumOperands());
  // Operands taken for the last time come last, as an earlier operand may be the same value.
  for (unsigned i = 0; i < op.getNumOperands(); ++i) {
    bool last = lastUse != lastUses.end() && llvm::is_contained(lastUse->second, i);
    if (last && frame.holds(op.getOperand(i))) {
      operands[i] = frame.take(op.getOperand(i));
      continue;
    }
    const Value *value = frame.find(op.getOperand(i));
    if (!value)
      return fail(&op, StatusCode::kInvalidArgument, "uses a value that is not available");
    operands[i] = *value;
  }
  if (options_.beforeOp)
    options_.beforeOp(&op, operands);
  Invocation call(*this, &op, &frame, std::move(operands));
  if (llvm::failed(evaluate(call)))
    return llvm::failure();
  if (options_.afterOp)
    options_.afterOp(&op, call.results());
  if (op.hasTrait<mlir::OpTrait::IsTerminator>()) {
    results = std::move(call.results());
    return llvm::success();
  }
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    if (!op.getResult(i).use_empty())
      frame.set(op.getResult(i), std::move(call.results()[i]));
  return llvm::success();
}

LogicalResult Evaluator::runBlock(mlir::Block &block, Values args, Frame *outer, Values &results) {
  mlir::Operation *parent = block.getParentOp();
  if (args.size() != block.getNumArguments())
    return fail(parent, StatusCode::kInvalidArgument,
                "a region of " + llvm::Twine(block.getNumArguments()) + " arguments was given " +
                    llvm::Twine(args.size()));
  if (options_.maxDepth && depth_ >= options_.maxDepth)
    return fail(parent, StatusCode::kResourceExhausted, "calls and regions nest too deeply for the interpreter");
  ++depth_;
  Frame frame(outer);
  for (auto [arg, value] : llvm::zip(block.getArguments(), args))
    frame.set(arg, std::move(value));
  args.clear();
  const LastUses &uses = lastUses(block);
  LogicalResult outcome = llvm::success();
  for (mlir::Operation &op : block) {
    outcome = evaluateInFrame(op, uses, frame, results);
    if (llvm::failed(outcome))
      break;
  }
  --depth_;
  return outcome;
}

LogicalResult Evaluator::callSymbol(mlir::Operation *from, mlir::FlatSymbolRefAttr symbol, Values args,
                                    Values &results) {
  auto function =
      llvm::dyn_cast_or_null<mlir::FunctionOpInterface>(symbols_.lookupNearestSymbolFrom(from, symbol.getAttr()));
  if (!function)
    return fail(from, StatusCode::kNotFound, "calls '" + symbol.getValue() + "', which is not a function");
  if (function.isExternal())
    return fail(from, StatusCode::kNotFound, "calls '" + symbol.getValue() + "', which has no body");
  return runBlock(function.getFunctionBody().front(), std::move(args), nullptr, results);
}

// A result's value may be more precise in shape than its type, never different.
static bool fits(const Value &value, mlir::Type type) {
  if (llvm::isa<stablehlo::TokenType>(type))
    return value.isToken();
  if (auto tuple = llvm::dyn_cast<mlir::TupleType>(type))
    return value.isTuple() && value.tuple().size() == tuple.size() &&
           llvm::all_of(llvm::zip(value.tuple(), tuple.getTypes()),
                        [](auto pair) { return fits(std::get<0>(pair), std::get<1>(pair)); });
  if (llvm::isa<stablehlo::FutureType>(type))
    return value.isTuple();
  auto shaped = llvm::dyn_cast<mlir::ShapedType>(type);
  if (!shaped || !value.isTensor())
    return false;
  const Tensor &tensor = value.tensor();
  if (tensor.mlirElementType() != shaped.getElementType())
    return false;
  if (!shaped.hasRank())
    return true;
  auto ranked = llvm::dyn_cast<mlir::RankedTensorType>(type);
  for (auto [size, bound] : llvm::zip(tensor.shape(), ranked ? ir::dimensionBounds(ranked) : llvm::ArrayRef<int64_t>()))
    if (!mlir::ShapedType::isDynamic(bound) && size > bound)
      return false;
  return mlir::succeeded(mlir::verifyCompatibleShape(shaped.getShape(), tensor.shape()));
}

LogicalResult Evaluator::checkResults(Invocation &call) {
  mlir::Operation *op = call.op();
  if (op->hasTrait<mlir::OpTrait::IsTerminator>())
    return llvm::success();
  if (call.results().size() != op->getNumResults())
    return fail(op, StatusCode::kInternal, "evaluated to the wrong number of results");
  for (auto [i, type] : llvm::enumerate(op->getResultTypes())) {
    if (fits(call.results()[i], type))
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << "result " << i << " is of type " << type << " but evaluates to a value ";
    if (call.results()[i].isTensor())
      llvm::raw_string_ostream(text) << "of type " << call.results()[i].tensor().type();
    else
      text += "of another kind";
    return fail(op, StatusCode::kInvalidArgument, text);
  }
  return llvm::success();
}

static bool isQuantized(mlir::Type type) {
  return llvm::isa_and_nonnull<mlir::quant::QuantizedType>(elementOfType(type));
}

LogicalResult Evaluator::evaluate(Invocation &call) {
  mlir::Operation *op = call.op();
  if (options_.maxSteps && ++steps_ > options_.maxSteps)
    return fail(op, StatusCode::kDeadlineExceeded, "the interpreter's limit of steps is reached");
  if (options_.stop && options_.stop())
    return fail(op, StatusCode::kCancelled, "the run has been stopped");
  Handler handler = handlerOf(op->getName());
  if (!handler)
    return fail(op, StatusCode::kUnimplemented, "has no interpretation");
  bool quantized = computesOnExpressedValues(op) && (llvm::any_of(op->getOperandTypes(), isQuantized) ||
                                                     llvm::any_of(op->getResultTypes(), isQuantized));
  if (llvm::failed(quantized ? evaluateQuantized(call, handler) : handler(call))) {
    if (status_.ok())
      return fail(op, StatusCode::kInternal, "failed without a reason");
    return llvm::failure();
  }
  return checkResults(call);
}

// Refuses what no backend can run, whether or not this run would come by it.
static Status checkMeaning(Evaluator &evaluator, mlir::Operation *root) {
  std::optional<ir::Meaningless> found = ir::findMeaningless(root);
  if (!found)
    return {};
  (void)evaluator.fail(found->op, StatusCode::kInvalidArgument, found->reason);
  return evaluator.status();
}

StatusOr<std::vector<Value>> interpret(mlir::ModuleOp module, llvm::StringRef entry, llvm::ArrayRef<Value> args,
                                       const Options &options) {
  auto function = module.lookupSymbol<mlir::FunctionOpInterface>(entry);
  if (!function || function.isExternal())
    return notFound("the module has no function '" + entry.str() + "' with a body");
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (i < args.size() && !fits(args[i], type))
      return invalidArgument("argument " + std::to_string(i) + " of '" + entry.str() +
                             "' does not have the parameter's type: " + toString(args[i]));
  Evaluator evaluator(options);
  TENON_RETURN_IF_ERROR(checkMeaning(evaluator, function));
  Values results;
  if (llvm::failed(
          evaluator.runBlock(function.getFunctionBody().front(), Values(args.begin(), args.end()), nullptr, results)))
    return evaluator.status();
  return std::vector<Value>(results.begin(), results.end());
}

StatusOr<std::vector<Value>> interpretOp(mlir::Operation *op, llvm::ArrayRef<Value> args, const Options &options) {
  if (args.size() != op->getNumOperands())
    return invalidArgument("the op has another number of operands than values were given");
  for (auto [value, type] : llvm::zip(args, op->getOperandTypes()))
    if (!fits(value, type))
      return invalidArgument("an operand's value does not have its type: " + toString(value));
  Evaluator evaluator(options);
  TENON_RETURN_IF_ERROR(checkMeaning(evaluator, op));
  Frame frame(nullptr);
  Invocation call(evaluator, op, &frame, Values(args.begin(), args.end()));
  if (llvm::failed(evaluator.evaluate(call)))
    return evaluator.status();
  return std::vector<Value>(call.results().begin(), call.results().end());
}

} // namespace tenon::interpreter
