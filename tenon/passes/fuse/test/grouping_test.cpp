// How much work grouping is: it grows with the program, and not with its square.
#include "tenon/passes/fuse/grouping.h"

#include "tenon/ir/register.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <string>

namespace tenon::passes {
namespace {

TEST(GroupSpans, LimitsFollowGroups) {
  GroupSpans spans(10);
  EXPECT_EQ(spans.limit(3), 3);
  spans.add(2, 5);
  EXPECT_EQ(spans.limit(1), 1);
  EXPECT_EQ(spans.limit(2), 5);
  spans.add(4, 8);
  EXPECT_EQ(spans.limit(2), 8);
  spans.add(9, 9);
  EXPECT_EQ(spans.limit(3), 8);
  EXPECT_EQ(spans.limit(9), 9);
}

// A program of `size` ops, of which number i computes `op(i)`.
template <typename Op> std::string program(int size, Op op) {
  std::string text = "func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {\n";
  auto name = [](int i) { return i < 0 ? (i == -1 ? "%b" : "%a") : "%" + std::to_string(i); };
  for (int i = 0; i < size; ++i)
    text += name(i) + " = " + op(i, name) + "\n";
  return text + "return " + name(size - 1) + " : tensor<8xf32>\n}\n";
}

// What searches look at for each op of the program.
double searchedPerOp(const std::string &text, int size) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  mlir::Block &block = module->lookupSymbol<mlir::func::FuncOp>("main").front();
  FuseOptions options;
  options.canFuse = [](mlir::Operation *) { return true; };
  FusionGrouping grouping(block, options);
  EXPECT_FALSE(grouping.groups().empty());
  return double(grouping.searched()) / size;
}

constexpr int kFew = 2000, kMany = 20000;

TEST(FusionGrouping, ChainsTakeWorkInProportion) {
  // Each op has two users, which at a group's limits are in two groups.
  auto both = [](int i, auto name) { return "stablehlo.add " + name(i - 1) + ", " + name(i - 2) + " : tensor<8xf32>"; };
  double few = searchedPerOp(program(kFew, both), kFew), many = searchedPerOp(program(kMany, both), kMany);
  EXPECT_LE(many, 2 * few + 10);
}

TEST(FusionGrouping, LongReusesTakeWorkInProportion) {
  auto early = [](int i, auto name) {
    return "stablehlo.multiply " + name(i - 1) + ", " + name(i % 100 - 1) + " : tensor<8xf32>";
  };
  double few = searchedPerOp(program(kFew, early), kFew), many = searchedPerOp(program(kMany, early), kMany);
  EXPECT_LE(many, 2 * few + 10);
}

} // namespace
} // namespace tenon::passes
