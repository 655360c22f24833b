// What the compiler asks of a target: which ops its kernels can be made of, and a program in its code.
#pragma once

#include "tenon/program/program.h"
#include "tenon/support/cost_model.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>

namespace llvm {
class Module;
}

namespace tenon::codegen {

struct GenerateOptions {
  int threads = 0; // compile threads; 0: as many as the process may use
  // Whether ops may run in another order than the module's where that takes less memory.
  bool reorder = false;
  // Whether collectives go on while others compute (memory/overlap.h).
  bool overlap = false;
  // Whether devices of one OS process have a memory for what a collective gives to all of them
  // (memory/shared_results.h).
  bool groupMemory = true;
  // Threads share every kernel that can be split, however short. For tests.
  bool splitKernels = false;
  // The program's code is not finished: each ObjectCode is LLVM bitcode, to be linked with others before it becomes
  // machine code (aot/code_linker.h).
  bool bitcode = false;
  // Sees how each kernel will be computed (KernelPlan::print), as one text, before code is emitted.
  std::function<void(llvm::StringRef)> showPlans;
  // Sees every LLVM module after its cleanup; called from several threads.
  std::function<void(const llvm::Module &)> inspect;
};

class CodeTarget {
public:
  virtual ~CodeTarget() = default;

  // Whether the op may join others in a kernel of loops over elements.
  virtual bool canFuse(mlir::Operation *op) const = 0;
  // Whether the op, a fusion or a single one, has native code (else it must be a runtime call: a library routine or a
  // custom call). Cheap.
  virtual bool canEmit(mlir::Operation *op) const = 0;

  // Whether the kernel of this convolution is to lie as its images do (passes/legalize/layout/convolution_kernels.h).
  virtual bool ordersKernelOf(mlir::Operation * /*convolution*/) const { return false; }
  // Whether a dot_general or convolution is to be a kernel without what becomes of its results, which fuses with it
  // else.
  virtual bool standsAlone(mlir::Operation * /*contraction*/) const { return false; }

  // The elements of f32 of a vector, where convolutions with constant kernels are to have their features last
  // (passes/legalize/layout/features_last.h); 0: they stay as they are.
  virtual int64_t featureLanes() const { return 0; }
  // The columns of the panels in which a rhs is to lie that does not change while its dot_general runs so many times
  // (passes/fuse/loop_panels.h); 0: it is to stay as it is.
  virtual int64_t panelColumns(mlir::Operation * /*product*/, int64_t /*runs*/) const { return 0; }

  // The output features of the panels in which the constant kernel of a convolution, or of a fusion with one, is to lie
  // (passes/fuse/kernel_panels.h); 0: it is to stay as it is.
  virtual int64_t kernelPanelColumns(mlir::Operation * /*convolution*/) const { return 0; }

  virtual const CostModel &costs() const = 0;

  // `module` has one function, `main`, whose ops are fusions, kernels, control flow and runtime calls. Errors are
  // diagnostics at the ops.
  virtual llvm::FailureOr<program::Program> generate(mlir::ModuleOp module, const GenerateOptions &options) const = 0;
};

} // namespace tenon::codegen
