// Operations from their descriptions: operands, attributes, computations, result types, and what is wrong with them.
#include "tenon/frontend/builder/operation_types.h"
#include "tenon/frontend/builder/program_graph.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

namespace tenon {

using xla::internal::errorsOf;

// An operation while it is made.
struct ProgramBuilder::Graph::Draft {
  mlir::OperationState state;
  std::string place;
  bool isOpen = false; // the types are of open sizes, to be inferred afterwards
};

// Operands are called by their names, not by their numbers.
std::string ProgramBuilder::Graph::withNames(const Operation &operation, std::string errors) const {
  size_t number = 0;
  llvm::SmallVector<std::pair<std::string, std::string>> names;
  for (const Operation::Operand &operand : operation.operands)
    for (size_t i = 0; i < operand.values.size(); ++i)
      names.emplace_back("operand #" + std::to_string(number++), operand.values.size() == 1
                                                                     ? std::string(operand.name)
                                                                     : operand.name + ("[" + std::to_string(i) + "]"));
  for (const auto &[from, to] : llvm::reverse(names)) // #12 before #1
    for (size_t at = errors.find(from); at != std::string::npos; at = errors.find(from, at + to.size()))
      errors.replace(at, from.size(), to);
  return errors;
}

bool ProgramBuilder::Graph::describe(const Operation &operation, Draft &draft) {
  mlir::OperationState &state = draft.state;
  if (!state.name.isRegistered()) {
    fail(draft.place, std::string("there is no operation ") + operation.name);
    return false;
  }
  llvm::SmallVector<mlir::Value> operands;
  for (const Operation::Operand &operand : operation.operands)
    if (!find(operand.values, draft.place, operand.name, operands))
      return false;
  state.addOperands(operands);
  for (const Operation::Attribute &attribute : operation.attributes) {
    if (attribute.text.empty())
      continue;
    mlir::Attribute parsed = parseAttribute(attribute.text, draft.place, attribute.name);
    if (!parsed)
      return false;
    state.addAttribute(attribute.name, parsed);
  }
  std::string errors = errorsOf(
      context(),
      [&] { return state.name.verifyInherentAttrs(state.attributes, [&] { return mlir::emitError(state.location); }); },
      "attributes of the wrong kind");
  if (!errors.empty())
    fail(draft.place, errors);
  return !failed();
}

// The interface looks at an operation that has attributes and computations, and needs no results: one without them.
static llvm::LogicalResult inferByInterface(mlir::InferTypeOpInterface::Concept *interface,
                                            mlir::OperationState &state) {
  mlir::Operation *model = mlir::Operation::create(state);
  auto destroy = llvm::scope_exit([&] { model->destroy(); });
  llvm::LogicalResult inferred = interface->inferReturnTypes(
      state.getContext(), state.location, model->getOperands(), model->getRawDictionaryAttrs(),
      model->getPropertiesStorage(), model->getRegions(), state.types);
  for (auto [region, given] : llvm::zip_equal(model->getRegions(), state.regions))
    given->takeBody(region);
  return inferred;
}

bool ProgramBuilder::Graph::inferTypes(const Operation &operation, Draft &draft) {
  mlir::OperationState &state = draft.state;
  for (const Type &type : operation.results) {
    mlir::Type parsed = parseType(type, draft.place);
    if (!parsed)
      return false;
    state.addTypes(parsed);
  }
  if (!operation.results.empty())
    return true;
  if (auto *interface = state.name.getInterface<mlir::InferTypeOpInterface>()) {
    std::string errors =
        errorsOf(context(), [&] { return inferByInterface(interface, state); }, "the result's type cannot be inferred");
    if (!errors.empty())
      fail(draft.place, withNames(operation, errors));
    return !failed();
  }
  mlir::Type element;
  if (!operation.elementType.empty()) {
    mlir::Type scalar = parseType(Type(operation.elementType), draft.place);
    if (!scalar)
      return false;
    element = mlir::cast<mlir::RankedTensorType>(scalar).getElementType();
  }
  state.addTypes(xla::internal::openResults(state, element));
  draft.isOpen = true;
  return true;
}

mlir::Operation *ProgramBuilder::Graph::make(const Operation &operation, SourceLocation at) {
  if (failed())
    return nullptr;
  llvm::StringRef name(operation.name), method = name.split('.').second;
  Draft draft{mlir::OperationState(locationOf(method, at), name), placeOf(method, at), false};
  if (!describe(operation, draft))
    return nullptr;
  llvm::SmallVector<mlir::Type> arguments = xla::internal::regionArguments(name, draft.state.operands);
  for (const Region &body : operation.regions)
    if (!fill(*draft.state.addRegion(), arguments, body, "stablehlo.return", draft.place, at))
      return nullptr;
  if (!inferTypes(operation, draft))
    return nullptr;
  mlir::Operation *op = operations().create(draft.state);
  std::string errors = errorsOf(op);
  if (errors.empty() && draft.isOpen) {
    errors =
        errorsOf(context(), [&] { return xla::internal::inferResults(op); }, "the result's shape cannot be inferred");
    if (errors.empty())
      errors = errorsOf(op);
  }
  if (errors.empty())
    return op;
  op->erase();
  fail(draft.place, withNames(operation, errors));
  return nullptr;
}

} // namespace tenon
