#include "tenon/codegen/common/memory/views.h"

#include "tenon/codegen/common/memory/instructions.h"
#include "tenon/ir/register.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <string>

namespace tenon::codegen {
namespace {

class ViewsTest : public ::testing::Test {
protected:
  ViewsTest() { loadAllDialects(context); }

  // Whether the slice in the body of a loop is a view. It has %xs and what the loop carries: a number %i and %ys, which
  // become %next. Custom calls have no kernels.
  bool isView(const std::string &body, const std::string &next = "%ys") {
    module = mlir::parseSourceString<mlir::ModuleOp>(R"(
func.func @main(%xs: tensor<8x64x16xf32>, %y: tensor<8x64x16xf32>, %narrow: tensor<8x3xf32>, %bits: tensor<8x512xi1>, %start: tensor<i32>) -> tensor<8x64x16xf32> {
  %0:2 = stablehlo.while(%i = %start, %ys = %y) : tensor<i32>, tensor<8x64x16xf32>
  cond {
    %p = stablehlo.compare LT, %i, %start : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %zero = stablehlo.constant dense<0> : tensor<i32>
)" + body + "    stablehlo.return %i, " + next + R"( : tensor<i32>, tensor<8x64x16xf32>
  }
  return %0#1 : tensor<8x64x16xf32>
}
)",
                                                     &context);
    EXPECT_TRUE(module);
    bool found = false;
    module->walk([&](stablehlo::DynamicSliceOp slice) {
      found =
          findView(slice, [](mlir::Operation *user) { return !llvm::isa<stablehlo::CustomCallOp>(user); }).has_value();
    });
    return found;
  }

  // A slice of this array, and what reads it.
  static std::string slice(const std::string &array, const std::string &shape, const std::string &starts,
                           const std::string &sizes, const std::string &reader = "stablehlo.negate") {
    size_t dims = static_cast<size_t>(std::count(sizes.begin(), sizes.end(), ',')) + 1;
    std::string type = shape.substr(shape.rfind('x') + 1), result = "tensor<", numbers;
    for (char c : sizes)
      result += c == ',' ? "x" : c == ' ' ? "" : std::string(1, c);
    result += "x" + type + ">";
    for (size_t i = 0; i < dims; ++i)
      numbers += ", tensor<i32>";
    return "    %s = stablehlo.dynamic_slice " + array + ", " + starts + ", sizes = [" + sizes + "] : (tensor<" +
           shape + ">" + numbers + ") -> " + result + "\n    %r = " + reader + " %s : " + result + "\n";
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(ViewsTest, AreInOnePiece) {
  EXPECT_TRUE(isView(slice("%xs", "8x64x16xf32", "%i, %zero, %zero", "1, 64, 16")));
  EXPECT_TRUE(isView(slice("%xs", "8x64x16xf32", "%i, %zero, %zero", "3, 64, 16")));
  EXPECT_TRUE(isView(slice("%xs", "8x64x16xf32", "%i, %i, %zero", "1, 5, 16")));
  EXPECT_FALSE(isView(slice("%xs", "8x64x16xf32", "%i, %zero, %zero", "2, 63, 16")));
  EXPECT_FALSE(isView(slice("%xs", "8x64x16xf32", "%zero, %zero, %i", "1, 64, 8")));
}

TEST_F(ViewsTest, BeginWithALineOfTheCache) {
  EXPECT_FALSE(isView(slice("%xs", "8x64x16xf32", "%i, %zero, %i", "1, 1, 8")));
  EXPECT_FALSE(isView(slice("%narrow", "8x3xf32", "%i, %zero", "2, 3")));
  EXPECT_TRUE(isView(slice("%bits", "8x512xi1", "%i, %zero", "1, 512", "stablehlo.not")));
}

TEST_F(ViewsTest, AreOfWhatNoIterationChanges) {
  EXPECT_FALSE(isView(slice("%ys", "8x64x16xf32", "%i, %zero, %zero", "1, 64, 16")));
  EXPECT_FALSE(isView("    %zs = stablehlo.negate %xs : tensor<8x64x16xf32>\n" +
                      slice("%zs", "8x64x16xf32", "%i, %zero, %zero", "1, 64, 16")));
}

TEST_F(ViewsTest, AreReadByKernelsAlone) {
  EXPECT_FALSE(isView("    %s = stablehlo.dynamic_slice %xs, %i, %zero, %zero, sizes = [1, 64, 16] : "
                      "(tensor<8x64x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x16xf32>\n"
                      "    %r = stablehlo.custom_call @f(%s) : (tensor<1x64x16xf32>) -> tensor<f32>\n"));
  // What is returned is kept beyond the iteration.
  EXPECT_FALSE(isView("    %s = stablehlo.dynamic_slice %xs, %i, %zero, %zero, sizes = [8, 64, 16] : "
                      "(tensor<8x64x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x64x16xf32>\n",
                      "%s"));
}

TEST_F(ViewsTest, AreInLoops) {
  auto outside = mlir::parseSourceString<mlir::ModuleOp>(R"(
func.func @main(%xs: tensor<8x64xf32>, %i: tensor<i32>) -> tensor<1x64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %s = stablehlo.dynamic_slice %xs, %i, %zero, sizes = [1, 64] : (tensor<8x64xf32>, tensor<i32>, tensor<i32>) -> tensor<1x64xf32>
  %r = stablehlo.negate %s : tensor<1x64xf32>
  return %r : tensor<1x64xf32>
}
)",
                                                         &context);
  ASSERT_TRUE(outside);
  outside->walk([&](stablehlo::DynamicSliceOp slice) {
    EXPECT_FALSE(findView(slice, [](mlir::Operation *) { return true; }).has_value());
  });
}

} // namespace
} // namespace tenon::codegen
