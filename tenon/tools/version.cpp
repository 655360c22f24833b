#include "tenon/tools/commands.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

namespace tenon::tools {

std::string versionText() {
  std::string text;
  llvm::raw_string_ostream(text)
      << "tenon " TENON_VERSION "\n"
      << "reads and writes StableHLO portable artifacts 0.9 to 1.20, MLIR bytecode and text\n"
      << "LLVM and MLIR " LLVM_VERSION_STRING "\n"
      << "host " << llvm::sys::getDefaultTargetTriple() << ", " << llvm::sys::getHostCPUName() << "\n";
  return text;
}

int versionCommand() {
  llvm::outs() << versionText();
  return 0;
}

} // namespace tenon::tools
