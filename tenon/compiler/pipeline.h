// The order of a compilation. Private to the compiler and its tools.
#pragma once

#include "tenon/codegen/common/code_target.h"
#include "tenon/compiler/compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tenon::compiler {

// Runs the passes on an imported module, all or those before the stage named `before`. Errors are diagnostics. Adds the
// seconds of each stage to `seconds` unless it is null. Computations for single devices go to `manualComputations`, by
// their numbers (passes::outlineManualComputations), or are dropped. `target` may be null if `before` is a stage up to
// fuse: costs are those of general cores then.
llvm::LogicalResult runPasses(mlir::ModuleOp module, const CompileOptions &options, llvm::StringRef before,
                              std::vector<std::pair<std::string, double>> *seconds,
                              std::vector<mlir::OwningOpRef<mlir::ModuleOp>> *manualComputations = nullptr,
                              const codegen::CodeTarget *target = nullptr);

// Says what the options say of the arguments: shapes, and known elements. Errors are diagnostics.
llvm::LogicalResult setArguments(mlir::ModuleOp module, const CompileOptions &options);

// Imports `source`, runs the passes before fusion, and shows `use` the module. Any thread; errors as compile's.
Status withOptimizedModule(std::string_view source, const CompileOptions &options,
                           llvm::function_ref<void(mlir::ModuleOp)> use);

// As compile (compiler.h), for a target that the options need not name.
StatusOr<program::Program> compileFor(const codegen::CodeTarget &target, std::string_view source,
                                      const CompileOptions &options);

// The passes, then code generation.
llvm::FailureOr<program::Program> runPipeline(mlir::ModuleOp module, const codegen::CodeTarget &target,
                                              const CompileOptions &options);

// Makes the stages known to mlir::PassManager, each as a pass by name (tenon-inline, tenon-simplify, ...), and the
// parts of stages that people look at.
void registerPasses();

} // namespace tenon::compiler
