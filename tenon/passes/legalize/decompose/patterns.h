// The parts of `decompose`: pattern sets, one for each file, and rewrites that may refuse a program. Private to
// passes/legalize.
#pragma once

#include "tenon/ir/stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace tenon::passes {

// Rewrites of whole modules. They fail, with a diagnostic at the op, where the op has no meaning.
llvm::LogicalResult expandRng(mlir::ModuleOp module);
llvm::LogicalResult expandBroadcasting(mlir::ModuleOp module);
llvm::LogicalResult expandEinsums(mlir::ModuleOp module);
// Replaces a call of ApproxTopK, whose computation is still a function of the module.
llvm::LogicalResult expandApproxTopK(stablehlo::CustomCallOp call);
// After the others: what they left must be something that runs.
llvm::LogicalResult verifyCompilable(mlir::ModuleOp module);

// CHLO ops travel in portable artifacts as composites of the same name (jax sends erf, top_k, asin, ... so), and the
// plugin for JAX wraps StableHLO's functions of complex numbers the same way, which jaxlib would expand. Turns those of
// the module back into the ops, which codegen knows better than their decompositions.
void restoreComposites(mlir::ModuleOp module);

// Gives arguments and results that leave it open the shardings that follow from the others and from constraints, and
// says those of the operands of each callback that wants the parts of single devices, in the order of the program. No
// call is inlined yet. Where a sharding is impossible, none spreads, which is a warning: the arrays are the same.
void describeShardings(mlir::func::FuncOp main, llvm::SmallVectorImpl<mlir::Attribute> &ofCallbacks);

// Calls each of these callbacks once for each device, if the program computes whole arrays. All calls are inlined.
// Fails where the parts are not known.
llvm::LogicalResult callOnParts(mlir::func::FuncOp main, llvm::ArrayRef<mlir::Attribute> shardings);

// Whether the program's grid is one process.
bool isSingleProcess(mlir::Operation *op);

// Whether it is several processes, of which the program is one.
bool isSpmd(mlir::Operation *op);

// Whether the op is a collective that the runtime does as it is.
bool isService(mlir::Operation *op);

// Whether the op stands in a computation on single elements, and not in the program's control flow.
bool isInComputation(mlir::Operation *op);

// The i-th of the roots, the last operand of a collective (has_dynamic_root), as an i32. Demands, when the program
// runs, that it is in [0, groupSize) (i32), but where `exempt` (i1, or null) holds.
mlir::Value checkedRoot(mlir::OpBuilder &builder, mlir::Operation *op, int64_t i, mlir::Value groupSize,
                        mlir::Value exempt = {});

// Result i of a collective for a process that receives nothing: zeros, or zero points of a type that was quantized.
mlir::Value nothingOf(mlir::PatternRewriter &rewriter, mlir::Operation *op, unsigned i);

// An array of zeros of any element type.
mlir::Value zerosOf(mlir::PatternRewriter &rewriter, mlir::Location loc, mlir::Type type);

// Converts each of an op's operands for which `elementFor` gives an element type (null: it stays). Whether there was
// one.
bool convertOperands(mlir::PatternRewriter &rewriter, mlir::Operation *op,
                     llvm::function_ref<mlir::Type(mlir::Value)> elementFor);

void populateBitcastPatterns(mlir::RewritePatternSet &patterns);
void populateChloPatterns(mlir::RewritePatternSet &patterns);
void populateCollectivePatterns(mlir::RewritePatternSet &patterns);
void populateComputationPatterns(mlir::RewritePatternSet &patterns);
void populateGridCollectivePatterns(mlir::RewritePatternSet &patterns);
void populateIndexingLegalization(mlir::RewritePatternSet &patterns);
void populateKnownCallPatterns(mlir::RewritePatternSet &patterns);
void populateMapPatterns(mlir::RewritePatternSet &patterns);
void populateMixedKindPatterns(mlir::RewritePatternSet &patterns);
void populateNarrowFloatPatterns(mlir::RewritePatternSet &patterns);
void populateRaggedDotPatterns(mlir::RewritePatternSet &patterns);
void populateRngPatterns(mlir::RewritePatternSet &patterns);
void populateScanPatterns(mlir::RewritePatternSet &patterns);
void populateAssociativeScanPatterns(mlir::RewritePatternSet &patterns);

} // namespace tenon::passes
