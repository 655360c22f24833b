#include "tenon/codegen/common/memory/overlap.h"

#include "tenon/ir/register.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <string>

namespace tenon::codegen {
namespace {

// A program whose ops are kernels, but for collectives and custom calls, which are runtime calls.
class OverlapTest : public ::testing::Test {
protected:
  OverlapTest() { loadAllDialects(context); }

  // The names of main's ops (of their locations), in the order that is found, an await named by what it waits for.
  std::string overlap(const std::string &text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return "not a program";
    ProgramInstructions instructions;
    module->walk([&](mlir::Operation *op) {
      if (op->getDialect()->getNamespace() != "stablehlo" || structuralKind(op) != InstructionKind::kKernel ||
          op->getParentOfType<stablehlo::AllReduceOp>())
        return;
      if (llvm::isa<stablehlo::AllReduceOp, stablehlo::CustomCallOp>(op))
        instructions.runtimeCalls[op] = 0;
      else
        instructions.kernels[op] = &kernel;
    });
    auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
    std::vector<BlockOrder> before;
    overlapCollectives(main, instructions, before);
    EXPECT_TRUE(mlir::succeeded(mlir::verify(*module)));
    return names(main.getBody().front());
  }

  static std::string names(mlir::Block &block) {
    std::string text;
    for (mlir::Operation &op : block.without_terminator()) {
      mlir::Operation *named = isAwait(&op) ? awaitedBy(&op)[0].getDefiningOp() : &op;
      auto name = llvm::dyn_cast<mlir::NameLoc>(named->getLoc());
      text += (isAwait(&op) ? "await(" : "") + (name ? name.getName().str() : "?") + (isAwait(&op) ? ") " : " ");
      for (mlir::Region &region : op.getRegions())
        if (llvm::isa<stablehlo::WhileOp>(op))
          text += "{ " + names(region.front()) + "} ";
    }
    return text;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Kernel kernel;
};

std::string typeOf(int64_t elements) { return "tensor<" + std::to_string(elements) + "xf32>"; }

// %x and %y are arguments.
std::string program(const std::string &body, const std::string &result, int64_t elements = 8192) {
  std::string type = typeOf(elements);
  return "func.func @main(%x: " + type + ", %y: " + type + ") -> " + type + " {\n" + body + "  return " + result +
         " : " + type + "\n}\n";
}

std::string op(const std::string &result, const std::string &name, const std::string &operands,
               int64_t elements = 8192) {
  return "  %" + result + " = stablehlo." + name + " " + operands + " : " + typeOf(elements) + " loc(\"" + result +
         "\")\n";
}

std::string sum(const std::string &result, const std::string &operand, int64_t elements = 8192) {
  std::string type = typeOf(elements);
  return "  %" + result + " = \"stablehlo.all_reduce\"(" + operand +
         ") <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({\n  ^bb0(%l: tensor<f32>, %r: tensor<f32>):\n"
         "    %sum = stablehlo.add %l, %r : tensor<f32>\n    stablehlo.return %sum : tensor<f32>\n  }) : (" +
         type + ") -> " + type + " loc(\"" + result + "\")\n";
}

TEST_F(OverlapTest, BeginsWithItsOperandAndIsAwaitedBeforeItsUse) {
  EXPECT_EQ(overlap(program(op("a", "tanh", "%x") + op("b", "negate", "%y") + sum("s", "%a") + op("c", "floor", "%b") +
                                op("d", "add", "%c, %s"),
                            "%d")),
            "a s b c await(s) d ");
}

TEST_F(OverlapTest, IsAwaitedBeforeItIsReturned) {
  EXPECT_EQ(overlap(program(sum("s", "%x") + op("b", "negate", "%y"), "%s")), "s b await(s) ");
}

TEST_F(OverlapTest, NeedsSomethingToComputeMeanwhile) {
  std::string chain = op("a", "tanh", "%x") + sum("s", "%a") + op("b", "add", "%s, %s");
  EXPECT_EQ(overlap(program(chain, "%b")), "a s b ");
  std::string both = sum("s", "%x") + sum("t", "%y") + op("b", "add", "%s, %t");
  EXPECT_EQ(overlap(program(both, "%b")), "s t b ");
}

TEST_F(OverlapTest, IsNotForFewNumbers) {
  EXPECT_EQ(
      overlap(program(sum("s", "%x", 100) + op("b", "negate", "%y", 100) + op("c", "add", "%s, %b", 100), "%c", 100)),
      "s b c ");
}

TEST_F(OverlapTest, KeepsTheOrderOfEffects) {
  std::string call =
      "  stablehlo.custom_call @print(%y) {has_side_effect = true} : (" + typeOf(8192) + ") -> () loc(\"print\")\n";
  EXPECT_EQ(
      overlap(program(op("b", "negate", "%y") + call + op("c", "floor", "%b") + sum("s", "%x") + op("d", "tanh", "%c") +
                          sum("t", "%y") + op("e", "add", "%d, %s") + op("f", "add", "%e, %t"),
                      "%f")),
      "b print s c t d await(s) e await(t) f ");
}

TEST_F(OverlapTest, OneMayBeginOnAnothersResult) {
  EXPECT_EQ(overlap(program(sum("s", "%x") + op("b", "negate", "%y") + op("c", "add", "%s, %s") + sum("t", "%c") +
                                op("d", "floor", "%b") + op("e", "add", "%d, %t"),
                            "%e")),
            "s b await(s) c t d await(t) e ");
}

TEST_F(OverlapTest, WithinALoopsTurn) {
  EXPECT_EQ(overlap("func.func @main(%x: tensor<8192xf32>, %n: tensor<i32>) -> tensor<8192xf32> {\n"
                    "  %r:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<8192xf32> cond {\n"
                    "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                    "    stablehlo.return %p : tensor<i1>\n  } do {\n" +
                    sum("s", "%v") + op("a", "tanh", "%v") + op("b", "add", "%a, %s") +
                    "    stablehlo.return %i, %b : tensor<i32>, tensor<8192xf32>\n  } loc(\"loop\")\n"
                    "  return %r#1 : tensor<8192xf32>\n}\n"),
            "loop { ? } { s a await(s) b } ");
}

// Where arrays have 8 MiB, operands and results, two are on their way at a time.
TEST_F(OverlapTest, TakesNoMoreMemoryThanItMay) {
  constexpr int64_t kLarge = 2 << 20;
  EXPECT_EQ(overlap(program(sum("s", "%x", kLarge) + sum("t", "%y", kLarge) + sum("u", "%x", kLarge) +
                                op("a", "tanh", "%x", kLarge) + op("b", "add", "%a, %s", kLarge) +
                                op("c", "add", "%b, %t", kLarge) + op("d", "add", "%c, %u", kLarge),
                            "%d", kLarge)),
            "s t u a await(s) b await(t) c d ");
}

} // namespace
} // namespace tenon::codegen
