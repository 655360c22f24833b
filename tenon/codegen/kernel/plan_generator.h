// The part of a generator that plans kernels, for every target whose kernels are functions of tasks.
#pragma once

#include "tenon/codegen/common/generator.h"
#include "tenon/codegen/kernel/kernel_plan.h"

#include <vector>

namespace tenon::codegen {

class PlanGenerator : public Generator {
protected:
  PlanGenerator(mlir::ModuleOp module, const CodeTarget &target, const ProductTarget &chip,
                const GenerateOptions &options)
      : Generator(module, target, options), chip_(chip) {}

  // What the plan says beside the op's digest, from which it follows: as a second thing that must be equal. Empty
  // without a digest.
  static std::string identityOf(const KernelSlot &slot, const KernelPlan &plan);

  // Says how the kernel of a slot is computed, where the target has ways of its own, before anything is made of the
  // plan. Side by side for all slots.
  virtual void choosePlan(size_t slot) {}
  virtual void printPlan(size_t slot, llvm::raw_ostream &os) const { plans_[slot].print(os); }
  // Side by side.
  llvm::LogicalResult planKernels() override;

  std::vector<KernelPlan> plans_; // of slots_

private:
  mlir::Operation *findUncomputable(mlir::Region &computation) const override;
  std::string plansAsText() const;

  const ProductTarget &chip_;
};

} // namespace tenon::codegen
