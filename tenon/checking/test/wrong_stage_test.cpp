#include "tenon/checking/wrong_stage.h"

#include "tenon/frontend/import/import.h"
#include "tenon/ir/register.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::checking {
namespace {

using namespace mlir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What is right: x * y becomes y * x, once for each op.
struct Exchange : OpRewritePattern<stablehlo::MultiplyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::MultiplyOp op, PatternRewriter &rewriter) const override {
    if (op->hasAttr("exchanged"))
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperands({op->getOperand(1), op->getOperand(0)});
      op->setAttr("exchanged", rewriter.getUnitAttr());
    });
    return success();
  }
};

// What is wrong: x - 0 becomes 0.
struct WrongFold : OpRewritePattern<stablehlo::SubtractOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::SubtractOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op->getOperand(1));
    return success();
  }
};

template <typename... Patterns> void apply(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  patterns.add<Patterns...>(module.getContext());
  (void)applyPatternsGreedily(module, std::move(patterns));
}

class WrongStageTest : public ::testing::Test {
protected:
  WrongStageTest() { loadAllDialects(context); }

  StageSearch search(const RunStages &stages) {
    module = frontend::importModule(R"(
      func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
        %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
        %0 = stablehlo.multiply %x, %x : tensor<2xf32>
        %1 = stablehlo.multiply %0, %x : tensor<2xf32>
        %2 = stablehlo.subtract %1, %zero : tensor<2xf32>
        %3 = stablehlo.multiply %2, %x : tensor<2xf32>
        return %3 : tensor<2xf32>
      })",
                                    context);
    interpreter::Tensor x({2}, Float32Type::get(&context));
    x.set(0, interpreter::Scalar::ofFloat(2));
    x.set(1, interpreter::Scalar::ofFloat(-3));
    std::vector<std::vector<interpreter::Value>> arguments{{interpreter::Value(x)}};
    Expectation expectation = *Expectation::create(*module, arguments);
    return *findWrongStage(*module, arguments[0], expectation, stages, {});
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(WrongStageTest, NamesTheStageAndTheRewrite) {
  StageSearch found = search([](ModuleOp module, StringRef last, ShowStage show) {
    show("import", module);
    apply<Exchange>(module);
    show("exchange", module);
    if (last == "exchange")
      return success();
    apply<WrongFold, Exchange>(module);
    show("fold", module);
    return success();
  });
  ASSERT_TRUE(found.wrong);
  EXPECT_EQ(found.wrong->name, "fold");
  EXPECT_THAT(found.wrong->difference, HasSubstr("result 0, element 0"));
  EXPECT_THAT(found.compared, ElementsAre("import", "exchange", "fold"));
  ASSERT_TRUE(found.wrong->rewrite);
  EXPECT_THAT(found.wrong->rewrite->pattern, HasSubstr("WrongFold"));
  EXPECT_EQ(found.wrong->rewrite->op, "stablehlo.subtract");
  auto place = llvm::dyn_cast<FileLineColLoc>(found.wrong->rewrite->place);
  ASSERT_TRUE(place);
  EXPECT_EQ(place.getLine(), 6U);
}

TEST_F(WrongStageTest, NamesNoRewriteOfAStageWithoutPatterns) {
  StageSearch found = search([](ModuleOp module, StringRef, ShowStage show) {
    show("import", module);
    module.walk([](stablehlo::SubtractOp op) { op->replaceAllUsesWith(ValueRange{op->getOperand(1)}); });
    show("replace", module);
    return success();
  });
  ASSERT_TRUE(found.wrong);
  EXPECT_EQ(found.wrong->name, "replace");
  EXPECT_FALSE(found.wrong->rewrite);
}

TEST_F(WrongStageTest, FindsNothingInRightStages) {
  StageSearch found = search([](ModuleOp module, StringRef, ShowStage show) {
    show("import", module);
    apply<Exchange>(module);
    show("exchange", module);
    return success();
  });
  EXPECT_FALSE(found.wrong);
  EXPECT_EQ(found.stoppedAt, "");
}

TEST_F(WrongStageTest, SaysWhereTheInterpreterStops) {
  StageSearch found = search([](ModuleOp module, StringRef, ShowStage show) {
    show("import", module);
    module.walk([](stablehlo::SubtractOp op) {
      OpBuilder builder(op);
      OperationState state(op.getLoc(), "stablehlo.custom_call");
      state.addOperands(op->getOperand(0));
      state.addTypes(op->getResultTypes());
      state.addAttribute("call_target_name", builder.getStringAttr("nobody knows it"));
      op->replaceAllUsesWith(builder.create(state));
    });
    show("call", module);
    return success();
  });
  EXPECT_FALSE(found.wrong);
  EXPECT_EQ(found.stoppedAt, "call");
  EXPECT_THAT(found.whyStopped, HasSubstr("nobody knows it"));
}

} // namespace
} // namespace tenon::checking
