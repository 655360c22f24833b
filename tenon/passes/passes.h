// Every pass, each a plain function over a module (or the functions inside) and a registered MLIR pass of the same
// name, so that `tenon opt --tenon-<name>` runs it alone. The order in which a compilation runs them, and why, is in
// tenon/compiler/pipeline.cpp.
#pragma once

#include "tenon/support/cost_model.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <functional>

namespace mlir {
class RewritePatternSet;
}

namespace tenon::passes {

// Turns custom calls that name a computation of the module into ordinary ops.
// (passes/legalize/decompose/custom_calls.cpp)
llvm::LogicalResult expandCustomCalls(mlir::ModuleOp module);

// Makes shardings, constraints and computations of the sdy dialect of what annotations in XLA's notation say (GSPMD:
// `mhlo.sharding`, custom calls of Sharding, SPMDFullToShardShape and SPMDShardToFullShape), and meshes for them. Does
// nothing on one partition. Fails, with a diagnostic, where an annotation cannot be.
// (passes/partition/import/import.cpp)
llvm::LogicalResult importShardings(mlir::ModuleOp module);

// Replaces every func.call and stablehlo.composite by the callee's body, and async_start by its own; erases functions
// other than `main` (but for computations of stablehlo.dynamic_reduce_window, whose attributes refineShapes has yet to
// find out).
// Fails, with a diagnostic, on recursion and on unknown callees. (passes/legalize/inline/inline.cpp)
llvm::LogicalResult inlineCalls(mlir::ModuleOp module);

// Makes a module of its own, inside `module`, of each computation that is written for one of several devices, and a
// call of the runtime in its place. Those modules are compiled apart: the passes after this must not see them.
// (passes/legalize/spmd/manual_computations.cpp)
llvm::LogicalResult outlineManualComputations(mlir::ModuleOp module);

// Makes reductions (also reduce_window, scatter, select_and_scatter and those of collectives) whose computation is in a
// wider type than their operands reductions in that type, of converted operands. Fails, with a diagnostic, for a
// select_and_scatter of quantized types that do not hold each other's values. (passes/legalize/quantize/promote.cpp)
llvm::LogicalResult promoteComputations(mlir::ModuleOp module);

// Gives every value of a quantized type the integer type that it is stored in, and makes arithmetic on quantized values
// ordinary arithmetic, with the interpreter's bits. Afterwards no quantized type is left, in the signature neither.
// (passes/legalize/quantize/quantized.cpp)
llvm::LogicalResult lowerQuantized(mlir::ModuleOp module);

// Says which shapes the arguments of `main` will have, one for each (those of static or no tensors count for checking
// only). Fails, with a diagnostic, if a type does not allow its shape.
llvm::LogicalResult setArgumentShapes(mlir::ModuleOp module, llvm::ArrayRef<std::vector<int64_t>> shapes);

// Says what the elements of an argument of `main` are, an integer or a list of integers. Where refineShapes cannot do
// without them, or `always`, the program is compiled for these only: it then fails when it is run with others. Fails,
// with a diagnostic, if the argument's type does not hold them; where that is no type of integers, elements that are
// not for `always` decide nothing and are left out. (passes/refine/known_values.cpp)
llvm::LogicalResult setArgumentValue(mlir::ModuleOp module, int64_t argument, llvm::ArrayRef<int64_t> elements,
                                     bool always);

// Rewrites `main`, into which all calls are inlined, so that every shape is static: dynamic arguments become those that
// setArgumentShapes chose, what follows from them is inferred, and dimensions that depend on data become padded ones
// with a size beside them. Fails, with a diagnostic, where a shape stays unknown. (passes/refine/)
llvm::LogicalResult refineShapes(mlir::ModuleOp module);

// Makes the arguments and results of `main` the memory that the caller's arrays lie in, where these are not row-major
// or have gaps (tenon.layout, mhlo.layout_mode), with the ops that lead from one to the other. Every shape is static.
// Fails, with a diagnostic, where a layout is none of the array's. (passes/legalize/layout/layouts.cpp)
llvm::LogicalResult lowerLayouts(mlir::ModuleOp module);
// The same of results alone, whose layout the frontend leaves open.
llvm::LogicalResult lowerOpenLayouts(mlir::ModuleOp module);

// Rewrites ops that are defined by others (batch_norm_*, dot, einsum, rng, ...; chlo forms that are compositions) into
// those others. Afterwards only ops that codegen knows are left, or ops that only the interpreter knows.
// (passes/legalize/decompose/decompose.cpp)
llvm::LogicalResult decompose(mlir::ModuleOp module);

// Rewrites fft, cholesky and triangular_solve, which otherwise are runtime calls, into ops that have
// kernels. The results differ by rounding. (passes/legalize/decompose/self_contained.cpp)
llvm::LogicalResult expandLibraryCalls(mlir::ModuleOp module);

// Rewrites all_reduce and reduce_scatter, which otherwise are runtime calls that apply the program's computation, into
// moves of arrays between processes and elementwise ops on them, with the same bits.
// (passes/legalize/spmd/group_reductions.cpp)
llvm::LogicalResult expandGroupReductions(mlir::ModuleOp module);

// Algebraic and structural simplification to a fixed point, with bounded constant folding, then CSE and removal of dead
// code. Exact: results keep their bits, with the exceptions docs/semantics.md lists. (passes/simplify/)
llvm::LogicalResult simplify(mlir::ModuleOp module);

// Takes loop-invariant values and constants out of while loops' carried values and bodies, drops carried values nobody
// reads, multiplies slices of all steps with a constant factor at once, and makes scalars of the arrays in loops over a
// few numbers. (passes/simplify/loops.cpp, step_products.cpp, scalarize.cpp)
llvm::LogicalResult simplifyLoops(mlir::ModuleOp module, const CostModel &costs);

// Says of every op which factors it has (ir/factors.h), as its attribute `sdy.sharding_rule`. No stage of a
// compilation: for looking at programs. (passes/partition/annotate_factors.cpp)
llvm::LogicalResult annotateFactors(mlir::ModuleOp module);

// Removes what only constrains earlier passes: optimization_barrier, sharding annotations on one device.
// (passes/legalize/inline/strip_barriers.cpp)
llvm::LogicalResult stripBarriers(mlir::ModuleOp module);

// Removes custom calls that do nothing when a program runs: those that keep values from being removed as unused
// (dce_sink), and those that say in which order they are to be computed (control_dep), which is the compiler's choice
// here. (passes/legalize/inline/strip_barriers.cpp)
llvm::LogicalResult stripSinks(mlir::ModuleOp module);

// Questions of fusion to the code generator, which passes may not include.
struct FuseOptions {
  // Whether the op may stand inside a fusion.
  std::function<bool(mlir::Operation *)> canFuse;
  // Whether a finished `tenon.fusion` can become a kernel; otherwise it is taken apart.
  std::function<bool(mlir::Operation *)> canEmit;
  // Whether a dot_general or convolution is to be a kernel without what becomes of its results. Empty: none is.
  std::function<bool(mlir::Operation *)> standsAlone;
  CostModel costs; // of the target
};

// Groups ops into `tenon.fusion` regions, each of which becomes one kernel. (passes/fuse/)
llvm::LogicalResult fuse(mlir::ModuleOp module, const FuseOptions &options);

// Puts the kernels of an attention into one: see passes/fuse/attention.cpp.
void joinAttention(mlir::Block &block, const FuseOptions &options);

// Pattern sets of `simplify`, one for each file in passes/simplify.
void populateShapePatterns(mlir::RewritePatternSet &patterns);
void populateElementwisePatterns(mlir::RewritePatternSet &patterns);
void populateIndexingPatterns(mlir::RewritePatternSet &patterns);
void populateReductionPatterns(mlir::RewritePatternSet &patterns);
void populateDotPatterns(mlir::RewritePatternSet &patterns);
void populateConvolutionPatterns(mlir::RewritePatternSet &patterns);
void populateConstantFoldPatterns(mlir::RewritePatternSet &patterns);
void populateControlPatterns(mlir::RewritePatternSet &patterns);
void populateBranchPatterns(mlir::RewritePatternSet &patterns);

// Makes one of these functions known to mlir::PassManager by a name, once in a process.
void registerPass(std::string name, std::string description, llvm::LogicalResult (*run)(mlir::ModuleOp));

} // namespace tenon::passes
