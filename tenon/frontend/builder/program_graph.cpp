#include "tenon/frontend/builder/program_graph.h"
#include "tenon/frontend/import/text.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace tenon {

using xla::internal::errorsOf;

ProgramBuilder::Graph::Graph(ProgramBuilder &builder, std::shared_ptr<xla::internal::IrContext> ir, std::string name)
    : ProgramState(std::move(ir), std::move(name)), builder(builder),
      module(mlir::ModuleOp::create(mlir::UnknownLoc::get(&context()))) {
  mlir::OpBuilder ops = mlir::OpBuilder::atBlockEnd(module->getBody());
  main = mlir::func::FuncOp::create(ops, module->getLoc(), "main", ops.getFunctionType({}, {}));
  blocks.push_back(main.addEntryBlock());
}

Value ProgramBuilder::Graph::add(mlir::Value value) {
  values.push_back(value);
  return {&builder, static_cast<std::int64_t>(values.size()) - 1};
}

Values ProgramBuilder::Graph::add(mlir::ValueRange range) {
  Values result;
  for (mlir::Value value : range)
    result.push_back(add(value));
  return result;
}

mlir::Value ProgramBuilder::Graph::peek(const Value &value) const {
  return value.builder_ == &builder ? values[static_cast<size_t>(value.index_)] : mlir::Value();
}

mlir::Value ProgramBuilder::Graph::find(const Value &value, const std::string &place, const std::string &what) {
  mlir::Value found = peek(value);
  if (!found)
    fail(place, what + (value ? " is a value of another builder" : " stands for no value"));
  else if (!llvm::is_contained(blocks, found.getParentBlock()))
    fail(place, what + " belongs to a computation that is not being built here");
  return failed() ? mlir::Value() : found;
}

bool ProgramBuilder::Graph::find(const Values &given, const std::string &place, const std::string &what,
                                 llvm::SmallVectorImpl<mlir::Value> &found) {
  for (auto [i, value] : llvm::enumerate(given)) {
    found.push_back(find(value, place, given.size() == 1 ? what : what + "[" + std::to_string(i) + "]"));
    if (!found.back())
      return false;
  }
  return !failed();
}

// The parser is recursive: what nests too deep for it is refused.
template <typename Parse>
static auto parse(mlir::MLIRContext &context, llvm::StringRef text, std::string &errors, Parse parse) {
  decltype(parse()) parsed;
  if (auto hazard = frontend::findHazard(text)) {
    errors = hazard->reason.str();
    return parsed;
  }
  errors = errorsOf(
      context,
      [&] {
        parsed = parse();
        return llvm::success(parsed != nullptr);
      },
      "cannot be read");
  return parsed;
}

mlir::Type ProgramBuilder::Graph::parseType(const Type &type, const std::string &place) {
  llvm::StringRef given = type.text();
  bool isWhole = given.starts_with("tensor<") || given.starts_with("tuple<") || given.starts_with("memref<") ||
                 given.starts_with("!stablehlo.");
  std::string text = isWhole ? given.str() : "tensor<" + given.str() + ">", errors;
  mlir::Type parsed = parse(context(), text, errors, [&] { return mlir::parseType(text, &context()); });
  if (!parsed)
    fail(place, "'" + given.str() + "' is not a type: " + errors);
  return parsed;
}

mlir::Attribute ProgramBuilder::Graph::parseAttribute(const std::string &text, const std::string &place,
                                                      const char *name) {
  std::string errors;
  mlir::Attribute parsed = parse(context(), text, errors, [&] { return mlir::parseAttribute(text, &context()); });
  if (!parsed)
    fail(place, std::string(name) + ": '" + text + "' is not an attribute: " + errors);
  return parsed;
}

bool ProgramBuilder::Graph::fill(mlir::Region &region, llvm::ArrayRef<mlir::Type> arguments, const Region &body,
                                 const char *terminator, const std::string &place, SourceLocation at) {
  mlir::Block &block = region.empty() ? region.emplaceBlock() : region.front();
  if (block.getNumArguments() == 0)
    for (mlir::Type type : arguments)
      block.addArgument(type, locationOf("argument", at));
  Values given = add(mlir::ValueRange(block.getArguments())), results;
  // The callable may throw.
  struct Inside {
    Inside(llvm::SmallVectorImpl<mlir::Block *> &blocks, mlir::Block *block) : blocks(blocks) {
      blocks.push_back(block);
    }
    ~Inside() { blocks.pop_back(); }
    llvm::SmallVectorImpl<mlir::Block *> &blocks;
  } inside(blocks, &block);
  if (!body(given, results)) {
    fail(place, "the computation is called with " + std::to_string(given.size()) + " values, which it does not take");
    return false;
  }
  llvm::SmallVector<mlir::Value> returned;
  if (failed() || !find(results, place, "the computation's result", returned))
    return false;
  mlir::OperationState end(locationOf(terminator, at), terminator, returned, {}, {});
  operations().create(end);
  return true;
}

StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> ProgramBuilder::Graph::moduleOf(const Values &results) {
  llvm::SmallVector<mlir::Value> returned;
  if (failed() || !find(results, "build", "a result", returned))
    return *error;
  // In the module itself while it is copied.
  mlir::OpBuilder ops = operations();
  auto end = mlir::func::ReturnOp::create(ops, main.getLoc(), returned);
  main.setFunctionType(
      ops.getFunctionType(main.getBody().front().getArgumentTypes(), mlir::ValueRange(returned).getTypes()));
  mlir::OwningOpRef<mlir::ModuleOp> copy(module->clone());
  end.erase();
  copy->setSymName(name);
  if (std::string errors = errorsOf(copy->getOperation()); !errors.empty())
    return invalidArgument(name + ": " + errors);
  return copy;
}

} // namespace tenon
