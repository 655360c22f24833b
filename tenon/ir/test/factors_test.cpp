// The factors of ops: as text, and of ops that Shardy has no rule for. The others are compared with Shardy's by
// scripts/compare_with_shardy.py.
#include "tenon/ir/factors.h"

#include "tenon/ir/register.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::ir {
namespace {

class FactorsTest : public testing::Test {
protected:
  FactorsTest() { loadAllDialects(context_); }

  // The factors of the last op before the return, as text.
  std::string factors(const std::string &arguments, const std::string &body) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @main(" + arguments + ") {\n" + body + "\nreturn\n}", &context_);
    EXPECT_TRUE(module) << body;
    if (!module)
      return "";
    auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
    MaybeFactors factors = findFactors(main.front().getTerminator()->getPrevNode());
    return factors ? toString(*factors) : "none";
  }

  mlir::MLIRContext context_;
};

// More factors than there are letters.
const char *const kManyFactors = "([iz_1])->([i]) {i=2, j=1, k=1, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1, t=1, u=1, "
                                 "v=1, w=1, x=1, y=1, z=1, z_1=2}";

TEST_F(FactorsTest, TextsAreReadAndWritten) {
  for (const char *text :
       {"([i, k], [k, j])->([i, j]) {i=4, j=16, k=8} reduction={k}", "([ij, k], [])->([i, j, k]) {i=2, j=2, k=16}",
        "([], [])->([])", "([i])->([], [i]) {i=3} need_replication={i} blocked_propagation={i}, custom", kManyFactors,
        "([i, j])->([i, j]) {i=2, j=3} reduction={i} permutation={j}"}) {
    MaybeFactors factors = parseFactors(text);
    ASSERT_TRUE(factors) << text;
    EXPECT_EQ(toString(*factors), text);
  }
}

TEST_F(FactorsTest, RefusesWhatIsNoRule) {
  for (const char *text :
       {"", "([i])", "([i])->([i])", "([i])->([j]) {i=2}", "([i])->([i]) {j=2}", "([i])->([i]) {i=-2}",
        "([i])->([i]) {i=2} reduction={j}", "([i])->([i]) {i=2} other={i}", "([a])->([i]) {i=2}",
        "([z_0])->([i]) {i=2}", "([i]->([i]) {i=2}", "([i])->([i]) {i=2} reduction"})
    EXPECT_FALSE(parseFactors(text)) << text;
}

TEST_F(FactorsTest, AreThoseThatTheProgramSays) {
  EXPECT_EQ(factors("%x: tensor<4x8xf32>",
                    R"(%0 = stablehlo.custom_call @unknown(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>)"),
            "none");
  EXPECT_EQ(factors("%x: tensor<4x8xf32>", R"(%0 = stablehlo.custom_call @unknown(%x) {
                      sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=4, j=8, k=8}, custom>}
                      : (tensor<4x8xf32>) -> tensor<4x8xf32>)"),
            "([i, j])->([i, k]) {i=4, j=8, k=8}, custom");
  // A rule for other values than the op has.
  for (const char *rule : {"([i])->([i]) {i=4}", "([i, j], [i])->([i, j]) {i=4, j=8}"})
    EXPECT_EQ(factors("%x: tensor<4x8xf32>", "%0 = stablehlo.custom_call @unknown(%x) {sdy.sharding_rule = "
                                             "#sdy.op_sharding_rule<" +
                                                 std::string(rule) + ">} : (tensor<4x8xf32>) -> tensor<4x8xf32>"),
              "none");
  EXPECT_EQ(factors("%x: tensor<f32>", R"(%0 = stablehlo.custom_call @unknown(%x) {
                      sdy.sharding_rule = #sdy.op_sharding_rule<([])->([]), custom>} : (tensor<f32>) -> tensor<f32>)"),
            "([])->([]), custom");
}

TEST_F(FactorsTest, ThereAreNoneOfDynamicShapes) {
  EXPECT_EQ(factors("%x: tensor<?x8xf32>", "%0 = stablehlo.abs %x : tensor<?x8xf32>"), "none");
}

TEST_F(FactorsTest, OpsThatXlaExpandsHaveTheirOwn) {
  EXPECT_EQ(factors("%x: tensor<4x8xf32>", "%0 = chlo.erf_inv %x : tensor<4x8xf32> -> tensor<4x8xf32>"),
            "([i, j])->([i, j]) {i=4, j=8}");
  EXPECT_EQ(factors("%x: tensor<4x8xf32>, %y: tensor<8xf32>",
                    "%0 = chlo.broadcast_add %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>"),
            "([i, j], [j])->([i, j]) {i=4, j=8}");
  EXPECT_EQ(factors("%x: tensor<4x8xf32>, %y: tensor<4xf32>",
                    "%0 = chlo.broadcast_add %x, %y {broadcast_dimensions = array<i64: 0>} "
                    ": (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>"),
            "([i, j], [i])->([i, j]) {i=4, j=8}");
  EXPECT_EQ(factors("%x: tensor<4x1xf32>, %y: tensor<4x8xf32>",
                    "%0 = chlo.broadcast_add %x, %y : (tensor<4x1xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>"),
            "([i, k], [i, j])->([i, j]) {i=4, j=8, k=1}");
  EXPECT_EQ(factors("%x: tensor<4x8xf32>",
                    "%0:2 = chlo.top_k(%x, k = 2) : tensor<4x8xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)"),
            "([i, j])->([i, j], [i, j]) {i=4, j=8} need_replication={j} blocked_propagation={j}");
  EXPECT_EQ(factors("%x: tensor<6x4xf32>, %y: tensor<3x4x5xf32>, %g: tensor<3xi32>",
                    R"(%0 = "chlo.ragged_dot"(%x, %y, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<
                        lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
                        lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}
                        : (tensor<6x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<6x5xf32>)"),
            "([i, l], [j, l, k], [m])->([i, k]) {i=6, j=3, k=5, l=4, m=1} reduction={l} need_replication={j}");
}

TEST_F(FactorsTest, OpsThatAreNoLongerWrittenHaveTheirOwn) {
  EXPECT_EQ(factors("%x: tensor<4x8xf32>, %y: tensor<8x2xf32>",
                    R"(%0 = stablehlo.einsum %x, %y, config = "ab,bc->ca"
                        : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<2x4xf32>)"),
            "([j, k], [k, i])->([i, j]) {i=2, j=4, k=8} reduction={k}");
  EXPECT_EQ(factors("%x: tensor<4x4xf32>", R"(%0 = stablehlo.unary_einsum %x, config = "aa->a"
                        : (tensor<4x4xf32>) -> tensor<4xf32>)"),
            "([i, j])->([k]) {i=1, j=1, k=1}");
  EXPECT_EQ(
      factors("%x: tensor<4xf32>", "%0 = stablehlo.broadcast %x, sizes = [3] : (tensor<4xf32>) -> tensor<3x4xf32>"),
      "([j])->([i, j]) {i=3, j=4}");
  EXPECT_EQ(factors("%x: tensor<5x4xf32>, %i: tensor<2x3xi32>",
                    R"(%0 = "stablehlo.torch_index_select"(%x, %i) {dim = 0 : i64, batch_dims = 0 : i64}
                        : (tensor<5x4xf32>, tensor<2x3xi32>) -> tensor<2x3x4xf32>)"),
            "([i, j], [k, l])->([k, l, j]) {i=5, j=4, k=2, l=3} reduction={i}");
}

} // namespace
} // namespace tenon::ir
