// The bytes of constants that are moved when a program is generated, against the plain definition.
#include "tenon/codegen/common/interface/folded_constant.h"
#include "tenon/ir/folded.h"
#include "tenon/ir/register.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tenon::codegen {
namespace {

// The result of a fusion of the constant 0, 1, 2, ... of this type.
std::vector<float> fold(const std::string &type, int64_t count, const std::string &body, const std::string &result) {
  std::string text = "func.func @main() -> tensor<" + result + "xf32> {\n  %c = stablehlo.constant dense<\"0x";
  for (int64_t i = 0; i < count; ++i) {
    auto value = float(i);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    text += llvm::toHex(llvm::StringRef(bytes, sizeof value));
  }
  std::string signature = " : (tensor<" + type + "xf32>) -> tensor<" + result + "xf32> {\n";
  text +=
      "\"> : tensor<" + type + "xf32>\n  %0 = tenon.fusion loop(%in = %c) attributes {tenon.folded}" + signature + body;
  text += "    tenon.yield %r : tensor<" + result + "xf32>\n  }\n  return %0 : tensor<" + result + "xf32>\n}\n";
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadAllDialects(context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return {};
  std::vector<float> values;
  module->walk([&](ir::FusionOp fusion) {
    llvm::FailureOr<program::Constant> data = foldedConstant(fusion);
    if (failed(data))
      return;
    values.resize(data->bytes.size() / 4);
    std::memcpy(values.data(), data->bytes.data(), data->bytes.size());
  });
  return values;
}

TEST(FoldedConstant, IsTransposed) {
  std::string transpose = "    %r = stablehlo.transpose %in, dims = ";
  EXPECT_EQ(fold("2x3", 6, transpose + "[1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>\n", "3x2"),
            (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(fold("4", 4, transpose + "[0] : (tensor<4xf32>) -> tensor<4xf32>\n", "4"),
            (std::vector<float>{0, 1, 2, 3}));
  std::vector<float> expected;
  for (int64_t c = 0; c < 4; ++c)
    for (int64_t a = 0; a < 2; ++a)
      for (int64_t d = 0; d < 5; ++d)
        for (int64_t b = 0; b < 3; ++b)
          expected.push_back(float(((a * 3 + b) * 4 + c) * 5 + d));
  EXPECT_EQ(
      fold("2x3x4x5", 120, transpose + "[2, 0, 3, 1] : (tensor<2x3x4x5xf32>) -> tensor<4x2x5x3xf32>\n", "4x2x5x3"),
      expected);
}

TEST(FoldedConstant, IsPaddedAndReshaped) {
  std::string body = "    %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                     "    %p = stablehlo.pad %in, %z, low = [0, 0], high = [0, 1], interior = [0, 0] : "
                     "(tensor<2x3xf32>, tensor<f32>) -> tensor<2x4xf32>\n"
                     "    %s = stablehlo.reshape %p : (tensor<2x4xf32>) -> tensor<2x2x2xf32>\n"
                     "    %r = stablehlo.transpose %s, dims = [1, 0, 2] : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>\n";
  EXPECT_EQ(fold("2x3", 6, body, "2x2x2"), (std::vector<float>{0, 1, 3, 4, 2, 0, 5, 0}));
}

TEST(FoldedConstant, IsNothingElse) {
  EXPECT_TRUE(fold("4", 4, "    %r = stablehlo.negate %in : tensor<4xf32>\n", "4").empty());
  std::string body = "    %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                     "    %r = stablehlo.pad %in, %z, low = [1], high = [0], interior = [0] : "
                     "(tensor<4xf32>, tensor<f32>) -> tensor<5xf32>\n";
  EXPECT_TRUE(fold("4", 4, body, "5").empty());
}

} // namespace
} // namespace tenon::codegen
