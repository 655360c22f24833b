// Which steps of a program become one kernel of one thread (step_kernel.h): those on a few elements that lie side by
// side, and those that end the iterations of a loop with them.
#pragma once

#include "tenon/codegen/gpu/small_loops.h"
#include "tenon/codegen/gpu/step_kernel.h"

#include <set>
#include <variant>

namespace tenon::codegen {

// Kernels of several steps, by the numbers that their steps have as modules.
using JoinedKernels = std::map<int32_t, std::variant<LoopKernel, StepKernel>>;

class StepJoiner {
public:
  // `bytes`: of arrays in their places, as far as they are known when steps are joined. All outlive this.
  StepJoiner(SmallLoops &small, const std::vector<program::DevicePlace> &places,
             const std::map<int32_t, int64_t> &bytes, JoinedKernels &kernels)
      : small_(small), places_(places), bytes_(bytes), kernels_(kernels) {}

  // Before steps with this op's kernel are joined.
  void add(mlir::Operation *op, int32_t module);
  // Steps that lie side by side become one.
  void join(program::DeviceSteps &steps);
  // What ends the loop's iterations becomes one kernel, if its condition is of such steps alone.
  void formTurn(program::LoopStep &loop);
  // The number of the next kernel.
  int32_t nextNumber() const { return kernels_.empty() ? small_.numModules() : kernels_.rbegin()->first + 1; }

private:
  // The places that a step reads and writes.
  struct Accesses {
    llvm::SetVector<int32_t> reads, writes;
  };

  bool isSmall(const program::DeviceStep &step) const;
  Accesses accessesOf(const program::DeviceStep &step) const;
  void add(const program::DeviceStep &step, Accesses &accesses) const;
  bool mayOverlap(int32_t one, int32_t other) const;
  bool mayOverlap(const llvm::SetVector<int32_t> &these, const llvm::SetVector<int32_t> &those) const;
  bool mayConflict(const Accesses &one, const Accesses &other) const;
  // Takes those out of the steps that can as well be done behind all that are left and those of `behind`.
  program::DeviceSteps takeLast(program::DeviceSteps &steps, llvm::SmallVectorImpl<Accesses> &behind) const;
  program::KernelStep addKernel(StepKernel kernel);

  SmallLoops &small_;
  const std::vector<program::DevicePlace> &places_;
  const std::map<int32_t, int64_t> &bytes_;
  JoinedKernels &kernels_;
  std::map<int32_t, size_t> numOperands_; // by module: how many entries of a row are read alone
  std::set<int32_t> smallModules_;
  llvm::SetVector<int32_t> exchanged_; // by the loop whose end is formed
};

} // namespace tenon::codegen
