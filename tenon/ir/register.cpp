#include "tenon/ir/register.h"

#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "tenon/ir/chlo.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

namespace tenon {

void registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::func::FuncDialect, mlir::quant::QuantDialect, stablehlo::StablehloDialect, chlo::ChloDialect,
                  sdy::SdyDialect, ir::TenonDialect>();
  mlir::func::registerInlinerExtension(registry);
}

void loadAllDialects(mlir::MLIRContext &context) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

} // namespace tenon
