#include "tenon/codegen/common/memory/meetings.h"

#include "tenon/ir/register.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <string>

namespace tenon::codegen {
namespace {

// A program whose ops are kernels, but for custom calls, which are collectives of %a and others.
class MeetingsTest : public ::testing::Test {
protected:
  MeetingsTest() { loadAllDialects(context); }

  // The collectives of main that have another meeting than their own, each as "name>at" and, where operands stay,
  // ".until". `isPrivate`, `groups`: of a collective, by its name.
  std::string meetings(const std::string &body, const std::string &result = "%x") {
    module = mlir::parseSourceString<mlir::ModuleOp>("func.func @main(%x: tensor<64xf32>, %large: tensor<524288xf32>, "
                                                     "%n: tensor<f32>, %p: tensor<i1>) -> tensor<64xf32> {\n" +
                                                         body + "  return " + result + " : tensor<64xf32>\n}\n",
                                                     &context);
    if (!module)
      return "not a program";
    ProgramInstructions instructions;
    auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
    module->walk([&](mlir::Operation *op) {
      if (op->getDialect()->getNamespace() != "stablehlo" || structuralKind(op) != InstructionKind::kKernel)
        return;
      auto call = llvm::dyn_cast<stablehlo::CustomCallOp>(op);
      if (!call) {
        instructions.kernels[op] = &kernel;
        return;
      }
      instructions.runtimeCalls[op] = 0;
      if (op->getParentOp() == main && call.getCallTargetName() != "other")
        instructions.meetingCalls[op] = {call.getCallTargetName() == "of_pairs", call.getCallTargetName() != "shared"};
    });
    auto found = findMeetings(main, instructions);
    std::string text;
    for (mlir::Operation &op : main.getBody().front())
      if (auto meeting = found.find(&op); meeting != found.end())
        text += (text.empty() ? "" : " ") + nameOf(&op) + ">" + nameOf(meeting->second.at) +
                (meeting->second.until ? "." + nameOf(meeting->second.until) : "");
    return text;
  }

  static std::string nameOf(mlir::Operation *op) { return llvm::cast<mlir::NameLoc>(op->getLoc()).getName().str(); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Kernel kernel;
};

std::string collective(const std::string &name, const std::string &operand, const std::string &target = "private",
                       const std::string &type = "tensor<64xf32>") {
  return "  %" + name + " = stablehlo.custom_call @" + target + "(" + operand + ") {has_side_effect = true} : (" +
         type + ") -> " + type + " loc(\"" + name + "\")\n";
}
std::string negate(const std::string &name, const std::string &operand) {
  return "  %" + name + " = stablehlo.negate " + operand + " : tensor<64xf32>\n";
}

TEST_F(MeetingsTest, CollectivesMeetOnceWhereNoneIsReadInBetween) {
  EXPECT_EQ(meetings(collective("a", "%x") + collective("b", "%x") + negate("c", "%a") + collective("d", "%b")),
            "a>b.d b>b.d");
  // Nothing of the last one stays: all wait until it has been read.
  EXPECT_EQ(meetings(collective("a", "%x") + negate("b", "%x") + collective("c", "%b")), "a>c");
  EXPECT_EQ(meetings(collective("a", "%x")), "");
}

TEST_F(MeetingsTest, WhatIsReadBeforeMeetsAtOnce) {
  EXPECT_EQ(meetings(collective("a", "%x") + negate("b", "%a") + collective("c", "%b") + collective("d", "%x")),
            "a>a.d c>d");
  EXPECT_EQ(meetings(collective("a", "%x") + collective("b", "%a")), "a>a.b");
  // Under another type, too.
  EXPECT_EQ(meetings(collective("a", "%x") +
                     "  %r = stablehlo.reshape %a : (tensor<64xf32>) -> tensor<8x8xf32>\n"
                     "  %s = stablehlo.negate %r : tensor<8x8xf32>\n" +
                     collective("b", "%x")),
            "a>a.b");
}

TEST_F(MeetingsTest, NothingStaysOfWhatHasMemoryInCommon) {
  EXPECT_EQ(meetings(collective("a", "%x") + collective("b", "%x", "shared") + collective("c", "%b")), "a>b");
  EXPECT_EQ(meetings(collective("a", "%x", "shared") + collective("b", "%a") + collective("c", "%b")), "b>b.c");
}

TEST_F(MeetingsTest, OthersAreNotPassed) {
  EXPECT_EQ(meetings(collective("a", "%x") + collective("b", "%x", "of_pairs") + collective("c", "%x")), "");
  EXPECT_EQ(meetings(collective("a", "%x") + collective("b", "%x", "other") + collective("c", "%x")), "");
  EXPECT_EQ(meetings(collective("a", "%x") + R"(
  %b = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<64xf32>
  }, {
    stablehlo.return %x : tensor<64xf32>
  }) : (tensor<i1>) -> tensor<64xf32>
)" + collective("c", "%x")),
            "");
}

TEST_F(MeetingsTest, LargeArraysAreNotKept) {
  EXPECT_EQ(meetings(collective("a", "%large", "private", "tensor<524288xf32>") + collective("b", "%x")), "");
}

// Numbers are loaded into registers when the call has been made.
TEST_F(MeetingsTest, NumbersThatAreComputedWithAreThereAtOnce) {
  const std::string number = collective("a", "%n", "private", "tensor<f32>");
  EXPECT_EQ(meetings(number + collective("b", "%x") + "  %m = stablehlo.negate %a : tensor<f32>\n"), "a>a.b");
  EXPECT_EQ(meetings(number + collective("b", "%x")), "a>b");
}

} // namespace
} // namespace tenon::codegen
