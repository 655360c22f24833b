// dot_general and convolution, alone or in a fusion with what is made of their results, as kernels of matmul/ and
// conv/.
#pragma once

#include "tenon/codegen/kernel/contraction/epilogue.h"
#include "tenon/codegen/kernel/conv/lowering.h"
#include "tenon/codegen/kernel/product_target.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

#include <variant>

namespace tenon::codegen {

struct DotPlan : matmul::ContractionPlan {
  std::optional<EpiloguePlan> epilogue;

  void print(llvm::raw_ostream &os) const;
};

struct ConvolutionPlan : matmul::ConvolutionPlan {
  std::optional<EpiloguePlan> epilogue;

  void print(llvm::raw_ostream &os) const;
};

// `op` is stablehlo.dot_general, stablehlo.convolution, or a tenon.fusion of kind dot or convolution (whose operands 0
// and 1 are the contraction's).
bool isContraction(mlir::Operation *op);
// Whether there is code for the types of such an op, and for what the fusion makes of the sums.
bool canEmitContraction(mlir::Operation *op);
// The columns of the panels in which the rhs of a dot_general without batches is to lie, a matrix that is packed once
// for so many runs; 0 where it is not worth that, or would change the order of sums.
int64_t panelColumnsOf(mlir::Operation *op, int64_t runs, const ProductTarget &target);
// The same of the output features of a convolution's kernel that is a constant, also in a fusion.
int64_t kernelPanelColumnsOf(mlir::Operation *op, const ProductTarget &target);
using ContractionKernelPlan = std::variant<DotPlan, ConvolutionPlan>;
// Fails, with an error at the op, when the contraction is impossible.
llvm::FailureOr<ContractionKernelPlan> planContractionKernel(mlir::Operation *op, llvm::StringRef symbol,
                                                             const ProductTarget &target);
// A dot as a part of another kernel, which calls it for blocks of rows (matmul::RowBlockCall) or of k
// (matmul::DepthBlockCall); none where it cannot be. kDepthSums: the latter, but its result is an array of
// accumulators, without what the fusion makes of them. `place`, if given, says where the operands really are, before
// the rest is planned; `mayReorder`: whether the order of dimensions of one role is free.
enum class DotPart : uint8_t { kRowBlocks, kDepthBlocks, kDepthSums };
using PlaceOperands = std::function<void(matmul::ContractionSpec &spec, bool mayReorder)>;
std::optional<DotPlan> planDotPart(mlir::Operation *op, DotPart part, llvm::StringRef symbol,
                                   const ProductTarget &target, const PlaceOperands &place = {});
// What a plan's epilogue makes of the sums; empty where they are stored as they are. Refers to the plan.
matmul::Epilogue epilogueOf(const std::optional<EpiloguePlan> &plan, const EmissionTarget &target);
void emitContractionKernel(const DotPlan &plan, llvm::Module &module, const EmissionTarget &target);
void emitContractionKernel(const ConvolutionPlan &plan, llvm::Module &module, const EmissionTarget &target);

} // namespace tenon::codegen
