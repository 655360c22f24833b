#include "tenon/tools/commands.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

namespace tenon::tools {

int versionCommand() {
  llvm::outs() << "tenon " TENON_VERSION "\n"
               << "reads and writes StableHLO portable artifacts 0.9 to 1.20, MLIR bytecode and text\n"
               << "LLVM and MLIR " LLVM_VERSION_STRING "\n"
               << "host " << llvm::sys::getDefaultTargetTriple() << ", " << llvm::sys::getHostCPUName() << "\n";
  return 0;
}

} // namespace tenon::tools
