#include "tenon/checking/wrong_kernel.h"

#include "tenon/frontend/import/import.h"
#include "tenon/ir/register.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::checking {
namespace {

using namespace mlir;
using ::testing::HasSubstr;

class WrongKernelTest : public ::testing::Test {
protected:
  WrongKernelTest() { loadAllDialects(context); }

  // Searches where the kernel named `wrong` comes out wrong; empty: none does.
  KernelSearch search(StringRef wrong) {
    return search([wrong](ModuleOp program, ArrayRef<interpreter::Value> arguments) {
      return interpretedBut(wrong, program, arguments);
    });
  }

  // Searches in a program with a fusion in a loop, and after it a product.
  KernelSearch search(const RunCompiled &run) {
    module = frontend::importModule(R"(
      func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
        %zero = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %three = stablehlo.constant dense<3> : tensor<i32>
        %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<2x2xf32>
        cond {
          %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %n = stablehlo.add %i, %one : tensor<i32>
          %f = tenon.fusion loop(%a = %v) : (tensor<2x2xf32>) -> tensor<2x2xf32> {
            %t = stablehlo.tanh %a : tensor<2x2xf32>
            %s = stablehlo.add %t, %a : tensor<2x2xf32>
            tenon.yield %s : tensor<2x2xf32>
          }
          stablehlo.return %n, %f : tensor<i32>, tensor<2x2xf32>
        }
        %1 = stablehlo.dot_general %0#1, %x, contracting_dims = [1] x [0]
            : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
        return %1 : tensor<2x2xf32>
      })",
                                    context);
    interpreter::Tensor x({2, 2}, Float32Type::get(&context));
    for (int64_t i = 0; i < 4; ++i)
      x.set(i, interpreter::Scalar::ofFloat(0.25 * static_cast<double>(i + 1)));
    return *findWrongKernel(*module, {interpreter::Value(x)}, run, {});
  }

  // The results of a program, moved by one where it has such an op.
  static StatusOr<std::vector<std::vector<uint8_t>>> interpretedBut(StringRef wrong, ModuleOp program,
                                                                    ArrayRef<interpreter::Value> arguments) {
    auto results = interpreter::interpret(program, "main", arguments);
    if (!results.ok())
      return results.status();
    bool isWrong = false;
    program.walk([&](Operation *op) { isWrong |= op->getName().getStringRef() == wrong; });
    std::vector<std::vector<uint8_t>> all;
    for (interpreter::Value &value : *results) {
      interpreter::Tensor &tensor = value.tensor();
      if (isWrong)
        tensor.set(0, interpreter::Scalar::ofFloat(tensor.get(0).f + 1));
      all.push_back(tensor.bytes().vec());
    }
    return all;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(WrongKernelTest, NamesAFusionInALoop) {
  KernelSearch found = search("stablehlo.tanh");
  ASSERT_TRUE(found.wrong);
  EXPECT_EQ(found.wrong->op, "tenon.fusion");
  EXPECT_THAT(found.wrong->difference, HasSubstr("result 0, element 0"));
  auto main = found.wrong->program->lookupSymbol<func::FuncOp>("main");
  EXPECT_EQ(main.getNumArguments(), 1U);
  ASSERT_EQ(found.wrong->arguments.size(), 1U);
  EXPECT_EQ(found.wrong->arguments[0].tensor().get(3).f, 1.0) << "not of the first iteration";
}

TEST_F(WrongKernelTest, NamesAnOpThatIsNotFused) {
  KernelSearch found = search("stablehlo.dot_general");
  ASSERT_TRUE(found.wrong);
  EXPECT_EQ(found.wrong->op, "stablehlo.dot_general");
  EXPECT_EQ(found.wrong->arguments.size(), 2U);
}

// Each kernel is a program that the compiler takes.
TEST_F(WrongKernelTest, FindsNothingInWhatIsCompiledRight) {
  KernelSearch found = search([](ModuleOp program, ArrayRef<interpreter::Value> arguments) {
    return runOnBackend(backend::defaultBackend(), program, arguments);
  });
  EXPECT_FALSE(found.wrong) << found.wrong->op << ": " << found.wrong->difference;
  EXPECT_EQ(found.compared, 4);
}

TEST_F(WrongKernelTest, ComparesEachOnce) {
  KernelSearch found = search("");
  EXPECT_FALSE(found.wrong);
  EXPECT_EQ(found.compared, 4) << "compare, add, fusion, dot_general";
}

} // namespace
} // namespace tenon::checking
