#include "tenon/frontend/import/text.h"

#include <gtest/gtest.h>

namespace tenon::frontend {
namespace {

std::string modernized(llvm::StringRef text) { return modernizeText(text).value_or("(unchanged)"); }

TEST(Text, LeavesModernTextAlone) {
  EXPECT_EQ(modernized("func.func @main(%token: tensor<2xi32>) -> tensor<2xf32> {\n"
                       "  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
                       "  // stablehlo.func tensor<2xsi32>\n"
                       "  %1 = \"stablehlo.custom_call\"() {call_target_name = \"tensor<2xsi32>\", token = 1 : i32}"),
            "(unchanged)");
}

TEST(Text, RewritesFunctions) {
  EXPECT_EQ(modernized("stablehlo.func @f(%x: tensor<f32>) -> tensor<f32> {"),
            "func.func      @f(%x: tensor<f32>) -> tensor<f32> {");
  EXPECT_EQ(modernized("stablehlo.func @f(%x: tensor<f32>) -> tensor<f32>, tensor<2xsi8> {"),
            "func.func      @f(%x: tensor<f32>) ->(tensor<f32>, tensor<2xi8 >){");
  EXPECT_EQ(modernized("stablehlo.func @f() -> (tensor<f32>, tensor<f32>) {"),
            "func.func      @f() -> (tensor<f32>, tensor<f32>) {");
}

TEST(Text, RewritesArrayAttributes) {
  EXPECT_EQ(modernized("{permutation = dense<[2, 1, 0]> : tensor<3xi64>}"),
            "{permutation = array<i64: 2, 1, 0>             }");
  EXPECT_EQ(modernized("{strides = dense<1> : tensor<2xi64>,"), "{strides = array<i64: 1,1>         ,");
  EXPECT_EQ(modernized("{dimensions = dense<[]>: tensor<0xsi64>}"), "{dimensions = array<i64>               }");
  EXPECT_EQ(modernized("{window_reversal = dense<false> : tensor<1xi1>}"),
            "{window_reversal = array<i1: false>           }");
  EXPECT_EQ(modernized("{padding = dense<[[0, 1]]> : tensor<1x2xi64>}"), "(unchanged)");
}

TEST(Text, RewritesTypes) {
  EXPECT_EQ(modernized("tensor<2x3xsi32>, tensor<si4>, 1 : si64"), "tensor<2x3xi32 >, tensor<i4 >, 1 : i64 ");
  EXPECT_EQ(modernized("(%t: token, %u: token) -> token {"),
            "(%t: !stablehlo.token, %u: !stablehlo.token) -> !stablehlo.token {");
  EXPECT_EQ(modernized("%basic = tensor<2xsine>"), "(unchanged)");
}

TEST(Text, RewritesIntegersInFloatConstants) {
  EXPECT_EQ(modernized("dense<[1, -2, 3.5, 1e3]> : tensor<4xf32>"), "dense<[1.0, -2.0, 3.5, 1e3]> : tensor<4xf32>");
  EXPECT_EQ(modernized("dense<(1, 2)> : tensor<complex<f64>>"), "dense<(1.0, 2.0)> : tensor<complex<f64>>");
  EXPECT_EQ(modernized("dense<0x7F800000> : tensor<f32>"), "(unchanged)");
  EXPECT_EQ(modernized("dense<\"0x00\"> : tensor<4xf8E5M2>"), "(unchanged)");
  EXPECT_EQ(modernized("dense<1> : tensor<4xi32>"), "(unchanged)");
}

TEST(Text, PacksBooleansOfAByteEach) {
  EXPECT_EQ(modernized("dense<\"0x01000100\"> : tensor<4xi1>"), "dense<\"0x05\"      > : tensor<4xi1>");
  EXPECT_EQ(modernized("dense<\"0X000000000000000001FF\"> : tensor<2x5xi1, #e>"),
            "dense<\"0x0003\"                > : tensor<2x5xi1, #e>");
  EXPECT_EQ(modernized("dense<\"0x01\"> : tensor<20xi1>"), "dense<\"0xFF\"> : tensor<20xi1>");
  // Packed already, or of neither size.
  for (const char *text :
       {"dense<\"0x05\"> : tensor<4xi1>", "dense<\"0x01\"> : tensor<1xi1>", "dense<\"0xFF\"> : tensor<20xi1>",
        "dense<\"0x0003\"> : tensor<10xi1>", "dense<\"0x000100\"> : tensor<4xi1>",
        "dense<\"0x0100010\"> : tensor<4xi1>", "dense<\"0x01000100\"> : tensor<4xi8>",
        "dense<\"0x0100\"> : tensor<?xi1>", "dense<[true, false]> : tensor<2xi1>",
        "dense<\"0x0100\"> : tensor<9223372036854775807x4xi1>"})
    EXPECT_EQ(modernized(text), "(unchanged)") << text;
}

TEST(Text, NoticesWhatNestsTooDeep) {
  auto times = [](int count, llvm::StringRef text) {
    std::string all;
    for (int i = 0; i < count; ++i)
      all += text;
    return all;
  };
  EXPECT_FALSE(findHazard(times(1000, "f(x) {[1], -> 2} ")));
  EXPECT_FALSE(findHazard("\"" + times(1000, "(") + "\" // " + times(1000, "(")));
  EXPECT_TRUE(findHazard(times(1000, "(")));
  EXPECT_TRUE(findHazard(times(1000, "tuple<")));
  EXPECT_FALSE(findHazard("affine_map<(d0) -> (d0 + 1)>" + times(1000, " x")));
  EXPECT_FALSE(findHazard("affine_set<(d0) : (d0 >= 1)>" + times(1000, " x")));
  EXPECT_TRUE(findHazard("affine_map<(d0) -> (" + times(10000, "-") + "d0)>"));
  EXPECT_TRUE(findHazard("affine_map<(d0) -> (d0" + times(10000, " mod 2") + ")>"));
}

// Found by damaging programs: MLIR asks for the width of index.
TEST(Text, NoticesArraysOfIndex) {
  EXPECT_FALSE(findHazard("permutation = array<i64: 1, 0>, x = array<i1>, t = tensor<4xindex>, \"array<index: 1>\""));
  EXPECT_EQ(findHazard("x = array<index: 1, 0>")->rest, "array<index: 1, 0>");
  EXPECT_TRUE(findHazard("x = array< // nothing\n  // more\n index: 1>"));
  EXPECT_TRUE(findHazard("!t = index\nx = array<!t: 1>"));
}

TEST(Text, SurvivesUnfinishedText) {
  for (llvm::StringRef text : {"stablehlo.func", "stablehlo.func @f(", "stablehlo.func @f() -> ", "dense<", "dense<[1",
                               "strides = dense<1> : tensor<", "strides =", "\"abc", "\"abc\\", "//", "tensor<2xsi32",
                               "strides = dense<1> : tensor<99999999999999999999xi64>", "dense<\"0x01", "dense<\"0x\"",
                               "dense<\"0x\"> : tensor<i1", "dense<\"0x> : tensor<2xi1>"})
    modernizeText(text);
}

} // namespace
} // namespace tenon::frontend
