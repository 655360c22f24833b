#include "tenon/frontend/export/export.h"

#include "tenon/frontend/export/booleans.h"

#include "mlir/Bytecode/BytecodeWriter.h"

namespace tenon::frontend {

std::string exportText(mlir::ModuleOp module, const TextOptions &options) {
  mlir::OpPrintingFlags flags;
  if (options.generic)
    flags.printGenericOpForm();
  if (options.locations)
    flags.enableDebugInfo();
  std::string text;
  llvm::raw_string_ostream out(text);
  module->print(out, flags);
  if (text.empty() || text.back() != '\n')
    text += '\n';
  return listBooleans(std::move(text));
}

std::string exportBytecode(mlir::ModuleOp module) {
  std::string bytes;
  llvm::raw_string_ostream out(bytes);
  mlir::BytecodeWriterConfig config("Tenon");
  if (llvm::failed(mlir::writeBytecodeToFile(module, out, config)))
    return "";
  return bytes;
}

} // namespace tenon::frontend
