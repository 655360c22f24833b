#include "tenon/program_builder.h"
#include "tenon/frontend/builder/program_graph.h"
#include "tenon/frontend/export/export.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon {

using mlir::RankedTensorType;

//===- Values ----------------------------------------------------------------------------------------------------===//

static RankedTensorType tensorOf(mlir::Value value) {
  return value ? mlir::dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
}

std::string Value::type() const {
  mlir::Value value = builder_ ? builder_->graph_->peek(*this) : mlir::Value();
  return value ? mlir::debugString(value.getType()) : "";
}

std::string Value::elementType() const {
  RankedTensorType type = builder_ ? tensorOf(builder_->graph_->peek(*this)) : RankedTensorType();
  return type ? mlir::debugString(type.getElementType()) : "";
}

std::vector<std::int64_t> Value::sizes() const {
  std::vector<std::int64_t> sizes;
  if (RankedTensorType type = builder_ ? tensorOf(builder_->graph_->peek(*this)) : RankedTensorType())
    for (std::int64_t size : type.getShape())
      sizes.push_back(mlir::ShapedType::isDynamic(size) ? -1 : size);
  return sizes;
}

Value Value::broadcastTo(Span<std::int64_t> sizes, Span<std::int64_t> dimensions, SourceLocation at) const {
  if (!builder_)
    return {};
  return builder_->enqueue({"stablehlo.broadcast_in_dim",
                            {{"operand", *this}},
                            {{"broadcast_dimensions", attributes::i64s(dimensions)}},
                            {},
                            {Type(elementType(), sizes)},
                            {}},
                           at);
}

Value Value::broadcastTo(Span<std::int64_t> sizes, SourceLocation at) const {
  std::vector<std::int64_t> dimensions;
  auto rank = static_cast<std::int64_t>(this->sizes().size());
  for (std::int64_t i = 0; i < rank; ++i)
    dimensions.push_back(i + static_cast<std::int64_t>(sizes.size()) - rank);
  return broadcastTo(sizes, dimensions, at);
}

Value Value::scalar(double number, SourceLocation at) const {
  if (!builder_)
    return {};
  ProgramBuilder::Graph &graph = *builder_->graph_;
  RankedTensorType type = tensorOf(graph.peek(*this));
  auto literal = xla::LiteralUtil::CreateR0<double>(number);
  auto shape = type ? xla::internal::shapeOf(RankedTensorType::get({}, type.getElementType()))
                    : StatusOr<xla::Shape>(invalidArgument("the operand is no array"));
  if (!shape.ok()) {
    graph.fail(graph.placeOf("scalar", at), shape.status().message());
    return {};
  }
  auto converted = literal.Convert(shape->element_type());
  if (!converted.ok()) {
    graph.fail(graph.placeOf("scalar", at), converted.status().message());
    return {};
  }
  return builder_->constant(*converted, at);
}

Value Value::like(double number, SourceLocation at) const {
  Value value = scalar(number, at);
  std::vector<std::int64_t> shape = sizes();
  return shape.empty() ? value : value.broadcastTo(shape, Span<std::int64_t>(), at);
}

Values::operator Value() const {
  if (size() == 1)
    return front();
  if (!empty() && front())
    front().builder()->graph_->fail(
        invalidArgument(front().builder()->name() + ": " + std::to_string(size()) + " values are used as one"));
  return {};
}

//===- Builders --------------------------------------------------------------------------------------------------===//

ProgramBuilder::ProgramBuilder(std::string name) : ProgramBuilder(std::move(name), nullptr) {}
ProgramBuilder::ProgramBuilder(std::string name, const ProgramBuilder *relative)
    : graph_(std::make_unique<Graph>(
          *this, relative ? relative->graph_->ir : std::make_shared<xla::internal::IrContext>(), std::move(name))) {}
ProgramBuilder::~ProgramBuilder() = default;

const std::string &ProgramBuilder::name() const { return graph_->name; }

Status ProgramBuilder::status() const { return graph_->error.value_or(Status()); }

Value ProgramBuilder::parameter(const Type &type, std::string_view name, SourceLocation at) {
  if (graph_->failed())
    return {};
  mlir::Type parsed = graph_->parseType(type, graph_->placeOf("parameter", at));
  if (!parsed)
    return {};
  mlir::Location location = graph_->locationOf("parameter", at);
  if (!name.empty())
    location = mlir::NameLoc::get(mlir::StringAttr::get(&graph_->context(), llvm::StringRef(name)), location);
  return graph_->add(graph_->main.getBody().front().addArgument(parsed, location));
}

Value ProgramBuilder::constant(const xla::Literal &value, SourceLocation at) {
  if (graph_->failed())
    return {};
  RankedTensorType type = xla::ShapeUtil::IsArray(value.shape())
                              ? xla::internal::tensorTypeOf(graph_->context(), value.shape())
                              : RankedTensorType();
  if (!type) {
    graph_->fail(graph_->placeOf("constant", at), xla::ShapeUtil::HumanString(value.shape()) + " is not an array");
    return {};
  }
  mlir::OpBuilder ops = graph_->operations();
  return graph_->add(
      stablehlo::ConstantOp::create(ops, graph_->locationOf("constant", at), xla::internal::elementsOf(type, value))
          .getResult());
}

Value ProgramBuilder::reshaped(const Value &flat, Span<std::int64_t> sizes, SourceLocation at) {
  if (!flat || flat.sizes() == sizes.toVector())
    return flat;
  if (flat.sizes().front() == 1) {
    Value scalar = enqueue({"stablehlo.reshape", {{"operand", flat}}, {}, {}, {Type(flat.elementType())}, {}}, at);
    return sizes.empty() ? scalar : scalar.broadcastTo(sizes, Span<std::int64_t>(), at);
  }
  return enqueue({"stablehlo.reshape", {{"operand", flat}}, {}, {}, {Type(flat.elementType(), sizes)}, {}}, at);
}

Values ProgramBuilder::enqueue(const Operation &operation, SourceLocation at) {
  mlir::Operation *op = graph_->make(operation, at);
  return op ? graph_->add(mlir::ValueRange(op->getResults())) : Values();
}

void ProgramBuilder::function(std::string_view name, const std::vector<Type> &parameters, const Region &body,
                              SourceLocation at) {
  if (graph_->failed())
    return;
  std::string place = graph_->placeOf("function", at);
  llvm::SmallVector<mlir::Type> types;
  for (const Type &parameter : parameters) {
    types.push_back(graph_->parseType(parameter, place));
    if (!types.back())
      return;
  }
  if (graph_->module->lookupSymbol(llvm::StringRef(name)))
    return graph_->fail(place, "there is a function '" + std::string(name) + "' already");
  mlir::OpBuilder ops = mlir::OpBuilder::atBlockEnd(graph_->module->getBody());
  auto made = mlir::func::FuncOp::create(ops, graph_->locationOf("function", at), llvm::StringRef(name),
                                         ops.getFunctionType(types, {}));
  made.setPrivate();
  // A function sees nothing of what is around it.
  llvm::SmallVector<mlir::Block *> around;
  std::swap(around, graph_->blocks);
  bool filled = graph_->fill(made.getBody(), types, body, "func.return", place, at);
  std::swap(around, graph_->blocks);
  if (!filled)
    return made.erase();
  made.setFunctionType(ops.getFunctionType(types, made.getBody().front().getTerminator()->getOperandTypes()));
}

Values ProgramBuilder::call(std::string_view function, const Values &arguments, SourceLocation at) {
  if (graph_->failed())
    return {};
  std::string place = graph_->placeOf("call", at);
  auto callee = graph_->module->lookupSymbol<mlir::func::FuncOp>(llvm::StringRef(function));
  llvm::SmallVector<mlir::Value> operands;
  if (!callee || callee == graph_->main)
    graph_->fail(place, "there is no function '" + std::string(function) + "'");
  else if (graph_->find(arguments, place, "argument", operands) &&
           llvm::to_vector(mlir::ValueRange(operands).getTypes()) != llvm::to_vector(callee.getArgumentTypes()))
    graph_->fail(place, "'" + std::string(function) + "' takes other types: it is a " +
                            mlir::debugString(callee.getFunctionType()));
  if (graph_->failed())
    return {};
  mlir::OpBuilder ops = graph_->operations();
  auto call = mlir::func::CallOp::create(ops, graph_->locationOf("call", at), callee, operands);
  return graph_->add(mlir::ValueRange(call.getResults()));
}

StatusOr<xla::Computation> ProgramBuilder::build(const Values &results) {
  TENON_ASSIGN_OR_RETURN(auto module, graph_->moduleOf(results));
  auto shape = xla::internal::programShapeOf(module->lookupSymbol<mlir::func::FuncOp>("main"));
  if (!shape.ok())
    return Status(shape.status().code(), name() + ": build: " + shape.status().message());
  return xla::Computation(std::make_shared<const xla::internal::BuiltComputation>(graph_->ir, std::move(module), name(),
                                                                                  *std::move(shape)));
}

StatusOr<std::string> ProgramBuilder::text(const Values &results) {
  TENON_ASSIGN_OR_RETURN(auto module, graph_->moduleOf(results));
  return frontend::exportText(*module);
}

//===- Operators -------------------------------------------------------------------------------------------------===//

// The sizes that both are stretched to; none where they do not fit.
static std::optional<std::vector<std::int64_t>> commonSizes(const std::vector<std::int64_t> &a,
                                                            const std::vector<std::int64_t> &b) {
  std::vector<std::int64_t> sizes(std::max(a.size(), b.size()));
  for (size_t i = 0; i < sizes.size(); ++i) { // from the last dimension on
    std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      return std::nullopt;
    sizes[sizes.size() - 1 - i] = x == 1 ? y : x;
  }
  return sizes;
}

static Value stretched(const Value &value, const std::vector<std::int64_t> &sizes, SourceLocation at) {
  return value.sizes() == sizes ? value : value.broadcastTo(sizes, at);
}

// False, with an error, where the operands do not fit.
static bool alignOperands(Value &lhs, Value &rhs, const std::string &place, ProgramBuilder::Graph &graph,
                          SourceLocation at) {
  if (graph.failed() || !graph.find(lhs, place, "lhs") || !graph.find(rhs, place, "rhs"))
    return false;
  auto sizes = commonSizes(lhs.sizes(), rhs.sizes());
  if (!sizes) {
    graph.fail(place,
               lhs.type() + " and " + rhs.type() + " do not fit: sizes that meet must be equal, or one of them 1");
    return false;
  }
  lhs = stretched(lhs, *sizes, at);
  rhs = stretched(rhs, *sizes, at);
  return !graph.failed();
}

Value ProgramBuilder::broadcasting(const char *operation, const Value &lhs, const Value &rhs, SourceLocation at) {
  Value a = lhs, b = rhs;
  if (!alignOperands(a, b, graph_->placeOf(llvm::StringRef(operation).split('.').second, at), *graph_, at))
    return {};
  return enqueue({operation, {{"lhs", a}, {"rhs", b}}, {}, {}, {}, {}}, at);
}

namespace internal {

// A number becomes one of the other's type; the place is that of the operand that has a value, if only one has.
struct Operands {
  Operands(const OperatorOperand &left, const OperatorOperand &right) : at(left.at) {
    lhs = left.isNumber ? right.value.like(left.number, right.at) : left.value;
    rhs = right.isNumber ? left.value.like(right.number, left.at) : right.value;
    builder = lhs ? lhs.builder() : rhs.builder();
  }
  Value lhs, rhs;
  ProgramBuilder *builder;
  SourceLocation at;
};

Values enqueue(const Operation &operation, SourceLocation at) {
  for (const Operation::Operand &operand : operation.operands)
    for (const Value &value : operand.values)
      if (value)
        return value.builder()->enqueue(operation, at);
  return {};
}

Value applyOperator(const char *operation, const OperatorOperand &lhs, const OperatorOperand &rhs) {
  Operands operands(lhs, rhs);
  return operands.builder ? operands.builder->broadcasting(operation, operands.lhs, operands.rhs, operands.at)
                          : Value();
}

Value applyComparison(const char *direction, const OperatorOperand &lhs, const OperatorOperand &rhs) {
  Operands operands(lhs, rhs);
  return operands.builder ? operands.builder->comparison(direction, operands.lhs, operands.rhs, operands.at) : Value();
}

} // namespace internal

Value ProgramBuilder::comparison(const char *direction, const Value &lhs, const Value &rhs, SourceLocation at) {
  Value a = lhs, b = rhs;
  if (!alignOperands(a, b, graph_->placeOf("compare", at), *graph_, at))
    return {};
  return enqueue({"stablehlo.compare",
                  {{"lhs", a}, {"rhs", b}},
                  {{"comparison_direction", std::string("#stablehlo<comparison_direction ") + direction + ">"}},
                  {},
                  {},
                  {}},
                 at);
}

} // namespace tenon
