#include "tenon/ir/register.h"
#include "tenon/passes/passes.h"
#include "tenon/tools/commands.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

namespace tenon::tools {

int optCommand(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::registerTransformsPasses();
  passes::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "tenon opt: runs passes on a program by name\n", registry));
}

} // namespace tenon::tools
