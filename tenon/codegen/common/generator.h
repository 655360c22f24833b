// A program from a fused module: what does not depend on the target. A target derives from Generator, and plans and
// compiles the kernels and what calls them.
#pragma once

#include "tenon/codegen/common/code_target.h"
#include "tenon/codegen/common/kernel.h"
#include "tenon/codegen/common/memory/buffer_plan.h"
#include "tenon/codegen/common/memory/instructions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace tenon::codegen {

// Whether the op, a fusion or a single one, has a kernel on the target, not a call of the runtime.
bool mayHaveKernel(mlir::Operation *op, const CodeTarget &target);

class Generator {
public:
  Generator(mlir::ModuleOp module, const CodeTarget &target, const GenerateOptions &options);
  virtual ~Generator() = default;

  // See CodeTarget::generate.
  llvm::FailureOr<program::Program> run();

protected:
  // One kernel and the ops that call it.
  struct KernelSlot {
    std::string symbol;
    std::string digest; // kernelDigest of the ops
    llvm::SmallVector<mlir::Operation *, 1> ops;
    const Kernel *kernel = nullptr; // set by planKernels
    // How often runtime calls apply the kernel, if it is their computation, which `ops` only stand for.
    std::optional<double> applications = std::nullopt;
  };

  // Where values of rank 0 are when the program runs.
  virtual ScalarPlaces scalarPlaces() const { return ScalarPlaces::kRegisters; }
  // Whether results' memory holds other arrays while the results are not there.
  virtual ResultUse resultUse() const { return ResultUse::kOthersToo; }
  // Whether the target's devices can have one memory for what a collective gives to all of them.
  virtual bool hasGroupMemory() const { return true; }
  // Whether what calls the kernels can give them a part of an array (views.h).
  virtual bool hasViews() const { return false; }
  // Whether arithmetic on values of rank 0 needs no kernel, since whatever calls the kernels does it.
  virtual bool hasScalarCode(mlir::Operation *op) const = 0;
  // The first op in the computation of a reduce, sort or the like that has no native code there, or null.
  virtual mlir::Operation *findUncomputable(mlir::Region &computation) const = 0;
  // Decides how each slot's op is computed. Errors are reported at the op.
  virtual llvm::LogicalResult planKernels() = 0;
  // Adds the code of the kernels, and of what calls them in the plan's memory, to the program, and says what it is for.
  virtual llvm::LogicalResult compile(const BufferPlan &plan) = 0;

  // The names of the ops that a kernel computes.
  static std::string opNames(mlir::Operation *op);

  mlir::ModuleOp module_;
  mlir::func::FuncOp main_;
  const CodeTarget &target_;
  const GenerateOptions &options_;
  program::Program result_;
  ProgramInstructions instructions_;
  std::deque<KernelSlot> slots_;

private:
  llvm::LogicalResult checkTypes();
  llvm::LogicalResult chooseInstructions();
  llvm::LogicalResult addConstant(mlir::Operation *op);
  llvm::LogicalResult chooseKernel(mlir::Operation *op);
  llvm::LogicalResult chooseReduction(mlir::Operation *op);
  llvm::LogicalResult addRuntimeCall(mlir::Operation *op);
  KernelSlot &slotOf(mlir::Operation *op);
  size_t slotFor(mlir::Operation *op);
  void listKernelCalls();
  void addSignature();
  BufferPlan planMemory();
  BufferPlan planInBestOrder();
  BufferPlan planWithOverlap(BufferPlan plan);
  void describe(const BufferPlan &plan);
  double describeKernels();

  std::map<std::vector<uintptr_t>, size_t> slotByKey_;
  llvm::StringMap<size_t> slotByDigest_;
  llvm::StringSet<> symbols_;
  // The computations of collectives, each on a block, and the ops' slots.
  std::vector<mlir::OwningOpRef<mlir::func::FuncOp>> blockComputations_;
  llvm::MapVector<mlir::Operation *, KernelSlot *> reductions_;
  llvm::DenseMap<mlir::Operation *, int> constantIndex_;
  llvm::DenseMap<mlir::Attribute, int> constantByValue_;
  llvm::SmallVector<int32_t> donations_;
};

} // namespace tenon::codegen
