// The order of a compilation. Private to the compiler and its tools.
#pragma once

#include "tenon/codegen/cpu/target.h"
#include "tenon/compiler/compiler.h"

#include "mlir/IR/BuiltinOps.h"

namespace tenon::compiler {

// Runs every stage on an imported module. Errors are diagnostics. Seconds of each stage are added to the report.
llvm::FailureOr<CompileResult> runPipeline(mlir::ModuleOp module, const codegen::CpuTarget &target,
                                           const CompileOptions &options);

} // namespace tenon::compiler
