#include "tenon/aot/glue_compiler.h"

#include "tenon/codegen/llvm/module_compiler.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

namespace tenon::aot {

std::string fillIn(std::string text, const std::vector<std::pair<std::string, std::string>> &values) {
  for (const auto &[name, value] : values)
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
      text.replace(at, name.size(), value);
  return text;
}

StatusOr<std::string> compileGlue(const std::string &text, const codegen::CpuTargetOptions &options) {
  TENON_ASSIGN_OR_RETURN(codegen::CpuTarget target, codegen::CpuTarget::create(options));
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, diagnostic, context);
  if (!module)
    return internalError("ahead-of-time code, line " + std::to_string(diagnostic.getLineNo()) + ": " +
                         diagnostic.getMessage().str());
  return codegen::compileModule(*module, target);
}

} // namespace tenon::aot
