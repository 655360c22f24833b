// The computations of reduce, sort and the like: functions of single elements that kernels apply.
//
// Most are a few elementwise ops, which kernels emit in place and in vectors (emitScalarRegion). The others - with
// loops, branches, or ops on arrays of their own - are compiled as main is: kernels for the ops in them, a buffer plan,
// and a function with native control flow, which the kernel calls for each element.
#pragma once

#include "tenon/codegen/cpu/element.h"
#include "tenon/codegen/cpu/target.h"

#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"

namespace tenon::codegen {

// The first op in the computation that has no native code there (a library routine, a custom call), or null.
mlir::Operation *findUncomputable(mlir::Region &computation);

// Whether Computations takes the region.
bool isComputationSupported(mlir::Region &computation);

// Emits the computations of one kernel.
class Computations {
public:
  explicit Computations(const CpuTarget &target) : target_(target) {}

  // The operands of the terminator, given the block arguments. Where `mask` (a boolean for each lane) is set, lanes
  // where it is false need not have values: of an arbitrary one, a loop may not end. Their results are unspecified.
  llvm::FailureOr<llvm::SmallVector<Element>> emit(ElementContext &context, mlir::Region &computation,
                                                   llvm::ArrayRef<Element> arguments, unsigned lanes,
                                                   llvm::Value *mask = nullptr);

private:
  llvm::FailureOr<llvm::Function *> outlined(llvm::Module &module, llvm::StringRef caller, mlir::Region &computation);

  const CpuTarget &target_;
  llvm::DenseMap<mlir::Region *, llvm::Function *> functions_; // take and return the parts of elements
};

} // namespace tenon::codegen
