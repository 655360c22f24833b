// The computations of reduce, sort and the like: functions of single elements that kernels apply.
//
// Most are a few elementwise ops, which kernels emit in place and in vectors (emitScalarRegion). The others - with
// loops, branches, or ops on arrays of their own - become functions (EmissionTarget::outlineComputation), which the
// kernel calls for each element.
#pragma once

#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/kernel_target.h"

#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"

namespace tenon::codegen {

// Whether Computations takes the region.
bool isComputationSupported(mlir::Region &computation, const KernelTarget &target);

// Emits the computations of one kernel.
class Computations {
public:
  explicit Computations(const EmissionTarget &target) : target_(target) {}

  // The operands of the terminator, given the block arguments. Where `mask` (a boolean for each lane) is set, lanes
  // where it is false need not have values: of an arbitrary one, a loop may not end. Their results are unspecified.
  llvm::FailureOr<llvm::SmallVector<Element>> emit(llvm::IRBuilderBase &builder, mlir::Region &computation,
                                                   llvm::ArrayRef<Element> arguments, unsigned lanes,
                                                   llvm::Value *mask = nullptr);

private:
  const EmissionTarget &target_;
};

} // namespace tenon::codegen
