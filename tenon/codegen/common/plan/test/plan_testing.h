// What the tests of plans share.
#pragma once

#include "tenon/codegen/common/plan/loop_plan.h"
#include "tenon/ir/register.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

namespace tenon::codegen {

inline const PlanTarget kTarget{64, true, {}}, kHalf{32, true, {}};

// The target as one whose tasks are those of hardware's threads.
inline PlanTarget withoutCores(PlanTarget target) {
  target.costs.task = target.costs.shortTask / 2;
  return target;
}

class Plan : public ::testing::Test {
protected:
  Plan() { loadAllDialects(context); }

  // The first op of main.
  KernelSource parse(const std::string &text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    mlir::Operation *found = nullptr;
    module->walk([&](mlir::Operation *op) {
      if (!found && op->getNumResults() > 0 && op->getName().getStringRef() != "stablehlo.constant")
        found = op->getParentOp()->getName().getStringRef() == "func.func" ? op : nullptr;
    });
    return kernelSource(found);
  }

  static std::vector<int64_t> extents(const LoopPlan &plan) {
    std::vector<int64_t> result;
    for (const PlanDim &dim : plan.dims)
      result.push_back(dim.extent);
    return result;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

using Extents = std::vector<int64_t>;

} // namespace tenon::codegen
