#include "tenon/compiler/pipeline.h"
#include "tenon/frontend/export/booleans.h"
#include "tenon/frontend/export/export.h"
#include "tenon/frontend/import/import.h"
#include "tenon/frontend/import/text.h"
#include "tenon/ir/register.h"
#include "tenon/tools/commands.h"
#include "tenon/tools/program_file.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

namespace tenon::tools {

namespace {

// MLIR's driver reports what expected-error comments say and did not happen, even where nobody asked for it. Without
// the hyphen they are comments like others; places stay as they are.
std::string withoutExpectations(llvm::StringRef text) {
  std::string result = text.str();
  constexpr llvm::StringLiteral kWord = "expected-";
  for (size_t at = result.find(kWord); at != std::string::npos; at = result.find(kWord, at + kWord.size())) {
    llvm::StringRef before = llvm::StringRef(result).take_front(at);
    before = before.substr(before.rfind('\n') + 1);
    bool isComment = before.contains("//") && before.split("//").first.count('"') % 2 == 0;
    if (isComment)
      result[at + kWord.size() - 1] = ' ';
  }
  return result;
}

// MLIR's driver knows no portable artifacts: binary programs become text first.
std::unique_ptr<llvm::MemoryBuffer> openProgram(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (std::error_code error = buffer.getError()) {
    reportError(path + ": " + error.message());
    return nullptr;
  }
  if (frontend::sniffFormat((*buffer)->getBuffer()) == frontend::ProgramFormat::kText) {
    if (std::optional<std::string> text = frontend::modernizeText((*buffer)->getBuffer()))
      return llvm::MemoryBuffer::getMemBufferCopy(*text, path);
    return std::move(*buffer);
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  auto diagnostics = printDiagnostics(context, path, (*buffer)->getBuffer());
  frontend::ImportOptions options;
  options.fileName = path;
  options.requireMain = false;
  auto module = frontend::importModule((*buffer)->getBuffer(), context, options);
  if (!module)
    return nullptr;
  return llvm::MemoryBuffer::getMemBufferCopy(frontend::exportText(*module, {/*generic=*/false, /*locations=*/true}),
                                              path);
}

bool isGiven(llvm::StringRef option) {
  auto found = llvm::cl::getRegisteredOptions().find(option);
  return found != llvm::cl::getRegisteredOptions().end() && found->second->getNumOccurrences() > 0;
}

} // namespace

int optCommand(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::registerTransformsPasses();
  compiler::registerPasses();
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, "tenon opt: runs passes on a program by name\n", registry);
  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  std::unique_ptr<llvm::MemoryBuffer> program = openProgram(input);
  if (!program)
    return 1;
  if (!isGiven("verify-diagnostics"))
    program =
        llvm::MemoryBuffer::getMemBufferCopy(withoutExpectations(program->getBuffer()), program->getBufferIdentifier());
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> file = mlir::openOutputFile(output, &message);
  if (!file)
    return reportError(message);
  std::string result;
  llvm::raw_string_ostream stream(result);
  bool succeeded = llvm::succeeded(mlir::MlirOptMain(stream, std::move(program), registry, config));
  file->os() << frontend::listBooleans(std::move(result)); // bytecode has none
  if (!succeeded)
    return 1;
  file->keep();
  return 0;
}

} // namespace tenon::tools
