// Whether loops over a few numbers become scalars is a matter of what a kernel costs on the target.
#include "tenon/ir/register.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/passes/passes.h"
#include "test/counted_loop.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace tenon::passes {
namespace {

const std::string kLoop = R"(
  func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<3xf32>
)" + testing::countedTo(100) +
                          R"(
        %one = stablehlo.constant dense<1> : tensor<i32>
        %next = stablehlo.add %i, %one : tensor<i32>
        %turned = stablehlo.reverse %v, dims = [0] : tensor<3xf32>
        %w = stablehlo.add %v, %turned : tensor<3xf32>
        stablehlo.return %next, %w : tensor<i32>, tensor<3xf32>
      }
    return %r#1 : tensor<3xf32>
  })";

unsigned carriedValues(const CostModel &costs) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kLoop, &context);
  EXPECT_TRUE(module && succeeded(simplifyLoops(*module, costs)));
  unsigned carried = 0;
  module->walk([&](stablehlo::WhileOp loop) { carried = loop->getNumOperands(); });
  return carried;
}

TEST(LoopCosts, ScalarsWhereKernelsCostMore) {
  EXPECT_EQ(carriedValues({}), 4U) << "the count, and the three elements";
  CostModel freeKernels;
  freeKernels.innerKernel = 0;
  EXPECT_EQ(carriedValues(freeKernels), 2U);
}

} // namespace
} // namespace tenon::passes
