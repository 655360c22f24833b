#include "tenon/tools/program_file.h"
#include "tenon/ir/element_types.h"

#include "tenon/frontend/export/export.h"
#include "tenon/frontend/import/import.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/program/serialization.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::tools {

using program::ElementType;

int reportError(const std::string &message) {
  // The compiler's own messages have their prefix already.
  bool isDiagnostic = llvm::StringRef(message).contains(": error: ");
  llvm::errs() << (isDiagnostic ? "" : "error: ") << llvm::StringRef(message).rtrim() << "\n";
  return 1;
}

int reportError(const Status &status) { return reportError(status.message()); }

std::unique_ptr<frontend::DiagnosticReader> printDiagnostics(mlir::MLIRContext &context, const std::string &fileName,
                                                             std::string_view source) {
  frontend::DiagnosticOptions options{fileName, source, /*quotesFiles=*/true, llvm::errs().has_colors()};
  return std::make_unique<frontend::DiagnosticReader>(
      context, options, [](mlir::DiagnosticSeverity, std::string_view text) { llvm::errs() << text; });
}

namespace {

StatusOr<program::Shape> shapeOf(mlir::Type type, const std::string &what) {
  if (llvm::isa<stablehlo::TokenType>(type))
    return program::Shape{ElementType::kToken, {}};
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  program::Shape shape;
  if (tensor)
    shape.type = ir::toElementType(tensor.getElementType());
  if (shape.type == ElementType::kInvalid) {
    std::string text;
    llvm::raw_string_ostream(text) << what << " has type " << type << ", which the command line cannot pass";
    return unimplemented(text);
  }
  for (int64_t dim : tensor.getShape())
    shape.dims.push_back(mlir::ShapedType::isDynamic(dim) ? -1 : dim);
  return shape;
}

mlir::func::FuncOp mainOf(mlir::ModuleOp module) { return module.lookupSymbol<mlir::func::FuncOp>("main"); }

} // namespace

StatusOr<std::vector<program::Argument>> ProgramFile::arguments() {
  if (compiled)
    return compiled->arguments;
  std::vector<program::Argument> result;
  mlir::func::FuncOp main = mainOf(module());
  for (auto [index, argument] : llvm::enumerate(main.getArguments())) {
    TENON_ASSIGN_OR_RETURN(auto shape, shapeOf(argument.getType(), "argument " + std::to_string(index)));
    program::Argument &entry = result.emplace_back();
    entry.shape = shape;
    if (auto name = main.getArgAttrOfType<mlir::StringAttr>(index, "jax.arg_info"))
      entry.name = name.getValue();
    else if (auto location = llvm::dyn_cast<mlir::NameLoc>(argument.getLoc()))
      entry.name = location.getName().getValue();
  }
  return result;
}

StatusOr<std::vector<std::vector<int64_t>>> ProgramFile::argumentShapes(const std::vector<std::string> &texts) {
  std::vector<std::vector<int64_t>> shapes;
  if (texts.empty())
    return shapes;
  TENON_ASSIGN_OR_RETURN(auto expected, arguments());
  if (texts.size() != expected.size())
    return invalidArgument("--shapes names " + std::to_string(texts.size()) + ", the program takes " +
                           std::to_string(expected.size()) + " arguments");
  for (auto [text, argument] : llvm::zip(texts, expected)) {
    std::vector<int64_t> &shape = shapes.emplace_back(argument.shape.dims);
    if (text == "-")
      continue;
    llvm::SmallVector<llvm::StringRef> sizes;
    llvm::StringRef(text).split(sizes, 'x');
    shape.assign(sizes.size(), 0);
    for (auto [size, digits] : llvm::zip(shape, sizes))
      if (digits.getAsInteger(10, size) || size < 0)
        return invalidArgument("--shapes: '" + text + "' is not a shape");
  }
  return shapes;
}

StatusOr<std::vector<program::ArgumentValue>> ProgramFile::argumentValues(const std::vector<std::string> &texts) {
  std::vector<program::ArgumentValue> values;
  if (texts.empty())
    return values;
  if (compiled)
    return invalidArgument("--constant: " + path + " is compiled already");
  for (const std::string &text : texts) {
    auto [number, list] = llvm::StringRef(text).split('=');
    program::ArgumentValue &value = values.emplace_back();
    value.always = true;
    llvm::SmallVector<llvm::StringRef> elements;
    list.split(elements, ',');
    value.elements.resize(elements.size());
    bool isWrong = number.getAsInteger(10, value.argument) || value.argument < 0;
    for (auto [element, digits] : llvm::zip(value.elements, elements))
      isWrong |= digits.getAsInteger(10, element);
    if (isWrong)
      return invalidArgument("--constant: '" + text + "' is not an argument and its value, as 0=3 or 1=8,4");
    if (llvm::any_of(llvm::drop_end(values), [&](auto &other) { return other.argument == value.argument; }))
      return invalidArgument("--constant: argument " + number.str() + " is given twice");
  }
  return values;
}

StatusOr<std::vector<program::Result>> ProgramFile::results() {
  if (compiled)
    return compiled->results;
  std::vector<program::Result> result;
  mlir::func::FuncOp main = mainOf(module());
  for (auto [index, type] : llvm::enumerate(main.getResultTypes())) {
    TENON_ASSIGN_OR_RETURN(auto shape, shapeOf(type, "result " + std::to_string(index)));
    result.emplace_back().shape = shape;
    if (auto name = main.getResultAttrOfType<mlir::StringAttr>(index, "jax.result_info"))
      result.back().name = name.getValue();
  }
  return result;
}

namespace {

std::unique_ptr<ProgramFile> loadCompiled(std::unique_ptr<ProgramFile> file) {
  auto program = program::deserialize(file->bytes);
  if (!program.ok()) {
    reportError(file->path + ": " + program.status().message());
    return nullptr;
  }
  file->compiled = std::move(*program);
  return file;
}

// What compilers and targets read is the bytes: they get the function as `main`, too, with the places that it has.
bool writeEntry(ProgramFile &file) {
  std::string bytes = frontend::exportBytecode(file.module());
  if (bytes.empty())
    return false;
  file.bytes = std::move(bytes);
  file.diagnostics = printDiagnostics(*file.imported->context, file.path, file.bytes);
  return true;
}

std::unique_ptr<ProgramFile> importSource(std::unique_ptr<ProgramFile> file, const frontend::ImportOptions &given) {
  file->imported = std::make_shared<compiler::ImportedProgram>();
  mlir::OwningOpRef<mlir::ModuleOp> &module = file->imported->module;
  file->imported->context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  mlir::MLIRContext &context = *file->imported->context;
  context.printOpOnDiagnostic(false); // messages name the place; a whole module in a note helps nobody
  file->diagnostics = printDiagnostics(context, file->path, file->bytes);
  frontend::ImportOptions options = given;
  options.fileName = file->path;
  options.entryOption = "--entry";
  options.flattenMain = options.requireMain;
  module = frontend::importModule(file->bytes, context, options);
  if (!module)
    return nullptr;
  if (!options.entry.empty() && !writeEntry(*file)) {
    reportError(file->path + ": MLIR cannot write this program as bytecode, which --entry needs");
    return nullptr;
  }
  return file;
}

std::unique_ptr<ProgramFile> load(const std::string &path, const frontend::ImportOptions &options) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (std::error_code error = buffer.getError()) {
    reportError(path + ": " + error.message());
    return nullptr;
  }
  auto file = std::make_unique<ProgramFile>();
  file->path = path == "-" ? "<stdin>" : path;
  file->bytes = (*buffer)->getBuffer().str();
  if (!program::isSerializedProgram(file->bytes))
    return importSource(std::move(file), options);
  if (options.entry.empty())
    return loadCompiled(std::move(file));
  reportError(path + " is compiled already, and has one function: --entry is for what is not");
  return nullptr;
}

std::unique_ptr<ProgramFile> withoutCompiled(std::unique_ptr<ProgramFile> file) {
  if (!file || !file->compiled)
    return file;
  reportError(file->path + " is compiled already");
  return nullptr;
}

} // namespace

std::unique_ptr<ProgramFile> loadProgram(const std::string &path, const std::string &entry) {
  frontend::ImportOptions options;
  options.entry = entry;
  return load(path, options);
}

std::unique_ptr<ProgramFile> loadSource(const std::string &path, const std::string &entry) {
  return withoutCompiled(loadProgram(path, entry));
}

std::unique_ptr<ProgramFile> loadModule(const std::string &path) {
  frontend::ImportOptions options;
  options.requireMain = false;
  return withoutCompiled(load(path, options));
}

int reportCompileError(const Status &status) {
  reportError(status);
  if (status.message().find("its shape must be given") != std::string::npos)
    llvm::errs() << "note: --shapes gives the arguments' shapes, as in --shapes 8x3,- (-: as the type says)\n";
  return 1;
}

} // namespace tenon::tools
