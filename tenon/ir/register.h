// Every dialect a program that Tenon handles may be written in.
#pragma once

namespace mlir {
class DialectRegistry;
class MLIRContext;
} // namespace mlir

namespace tenon {

/// builtin, func, quant, stablehlo, chlo, sdy and tenon.
void registerAllDialects(mlir::DialectRegistry &registry);

/// The same, loaded at once: for a context that is about to build or parse a program.
void loadAllDialects(mlir::MLIRContext &context);

} // namespace tenon
