#include "tenon/codegen/common/memory/schedule.h"

#include "tenon/ir/register.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <string>

namespace tenon::codegen {
namespace {

// A program whose ops are kernels that share no memory, but for sines, which may be where their operand is, and
// exponentials, which have to be.
class Schedule : public ::testing::Test {
protected:
  Schedule() {
    loadAllDialects(context);
    mayShare.mayAlias.emplace_back(0, 0);
    inPlace.resultInit.push_back(0);
  }

  // The names of main's ops (of their locations) in the order that is found, or nothing.
  std::string schedule(const std::string &text, const std::vector<int32_t> &donations = {-1, -1}) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return "not a program";
    instructions = ProgramInstructions();
    module->walk([&](mlir::Operation *op) {
      llvm::StringRef name = op->getName().stripDialect();
      if (op->getDialect()->getNamespace() == "stablehlo" && structuralKind(op) == InstructionKind::kKernel)
        instructions.kernels[op] = name == "sine" ? &mayShare : name == "exponential" ? &inPlace : &plain;
    });
    auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
    std::string names;
    for (const BlockOrder &order : findBetterOrders(main, instructions, donations))
      for (mlir::Operation *op : order)
        names += llvm::cast<mlir::NameLoc>(op->getLoc()).getName().str() + " ";
    return names;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ProgramInstructions instructions;
  Kernel plain, mayShare, inPlace;
};

// 4 MiB.
const std::string kType = "tensor<1048576xf32>";

// %x and %y are arguments.
std::string program(const std::string &body, const std::string &results) {
  std::string types = kType;
  for (char c : results)
    types += c == ',' ? ", " + kType : "";
  return "func.func @main(%x: " + kType + ", %y: " + kType + ") -> (" + types + ") {\n" + body + "  return " + results +
         " : " + types + "\n}\n";
}

std::string op(const std::string &result, const std::string &name, const std::string &operands) {
  return "  %" + result + " = stablehlo." + name + " " + operands + " : " + kType + " loc(\"" + result + "\")\n";
}

TEST_F(Schedule, SumsAreTakenAsSoonAsTheyCanBe) {
  EXPECT_EQ(schedule(program(op("a", "tanh", "%x") + op("b", "negate", "%x") + op("c", "floor", "%x") +
                                 op("d", "ceil", "%x") + op("ab", "add", "%a, %b") + op("abc", "add", "%ab, %c") +
                                 op("abcd", "add", "%abc, %d"),
                             "%abcd")),
            "a b ab c abc d abcd ");
}

TEST_F(Schedule, WhatIsAsGoodStays) {
  EXPECT_EQ(schedule(program(op("a", "tanh", "%x") + op("b", "negate", "%x") + op("ab", "add", "%a, %b") +
                                 op("c", "floor", "%x") + op("abc", "add", "%ab, %c"),
                             "%abc")),
            "");
}

// The activations %a, %b and %c are kept for the derivatives, and these for results that are computed last.
TEST_F(Schedule, ResultsAreComputedOnceTheyCanBe) {
  std::string order = schedule(program(op("a", "tanh", "%x") + op("b", "tanh", "%a") + op("c", "tanh", "%b") +
                                           op("dc", "negate", "%c") + op("db", "multiply", "%dc, %b") +
                                           op("da", "multiply", "%db, %a") + op("ra", "maximum", "%da, %a") +
                                           op("rb", "maximum", "%db, %b") + op("rc", "maximum", "%dc, %c"),
                                       "%ra, %rb, %rc"));
  EXPECT_LT(order.find("rc "), order.find("db ")) << order;
  EXPECT_LT(order.find("rb "), order.find("ra ")) << order;
}

// Nothing is made from arguments alone before it is needed, though that would be possible at once.
TEST_F(Schedule, NothingIsMadeLongBeforeItIsUsed) {
  std::string order = schedule(
      program(op("a", "tanh", "%x") + op("b", "floor", "%y") + op("c", "ceil", "%y") + op("d", "negate", "%y") +
                  op("e", "sine", "%a") + op("f", "sine", "%e") + op("fb", "add", "%f, %b") + op("g", "sine", "%fb") +
                  op("gc", "add", "%g, %c") + op("h", "sine", "%gc") + op("hd", "add", "%h, %d"),
              "%hd"));
  EXPECT_LT(order.find("f "), order.find("b ")) << order;
  EXPECT_LT(order.find("g "), order.find("c ")) << order;
  EXPECT_LT(order.find("h "), order.find("d ")) << order;
}

// %e overwrites %a, which %r reads: before that it would have to copy it.
TEST_F(Schedule, UpdatesInPlaceStayBehindReaders) {
  auto order = [&](const std::string &update) {
    return schedule(program(op("a", "tanh", "%x") + op("b", "floor", "%y") + op("c", "ceil", "%y") +
                                op("d", "negate", "%y") + op("r", "add", "%a, %b") + op("rc", "add", "%r, %c") +
                                op("rcd", "add", "%rc, %d") + op("e", update, "%a"),
                            "%rcd, %e"));
  };
  std::string updated = order("exponential"), made = order("tanh");
  EXPECT_LT(updated.find("r "), updated.find("e ")) << updated;
  EXPECT_GT(made.find("r "), made.find("e ")) << made;
}

TEST_F(Schedule, DonatedArgumentsAreReadBeforeTheyAreOverwritten) {
  std::string text = program(op("a", "tanh", "%x") + op("b", "floor", "%y") + op("c", "ceil", "%y") +
                                 op("d", "negate", "%y") + op("e", "add", "%x, %b") + op("new", "add", "%a, %x") +
                                 op("ec", "add", "%e, %c") + op("ecd", "add", "%ec, %d"),
                             "%ecd, %new");
  std::string kept = schedule(text, {1, -1}), free = schedule(text, {-1, -1});
  EXPECT_LT(kept.find("e "), kept.find("new ")) << kept;
  EXPECT_GT(free.find("e "), free.find("new ")) << free;
}

TEST_F(Schedule, EffectsKeepTheirOrder) {
  auto call = [](const std::string &result, const std::string &operand) {
    return "  %" + result + " = stablehlo.custom_call @show(%" + operand + ") {has_side_effect = true} : (" + kType +
           ") -> " + kType + " loc(\"" + result + "\")\n";
  };
  std::string order = schedule(program(op("a", "tanh", "%x") + op("b", "floor", "%y") + op("c", "ceil", "%y") +
                                           op("d", "negate", "%y") + call("first", "d") + call("second", "a") +
                                           op("ab", "add", "%second, %b") + op("abc", "add", "%ab, %c") +
                                           op("all", "add", "%abc, %first"),
                                       "%all"));
  EXPECT_NE(order, "");
  EXPECT_LT(order.find("first "), order.find("second ")) << order;
}

// All arrays first, then their sum: the work may only grow with the program.
TEST_F(Schedule, LongPrograms) {
  constexpr int kSize = 20000;
  std::string body;
  for (int i = 0; i < kSize; ++i)
    body += op("a" + std::to_string(i), "tanh", "%x");
  for (int i = 1; i < kSize; ++i)
    body += op("s" + std::to_string(i), "add",
               "%" + (i == 1 ? "a0" : "s" + std::to_string(i - 1)) + ", %a" + std::to_string(i));
  std::string order = schedule(program(body, "%s" + std::to_string(kSize - 1)));
  EXPECT_EQ(order.substr(0, 27), "a0 a1 s1 a2 s2 a3 s3 a4 s4 ");
}

} // namespace
} // namespace tenon::codegen
