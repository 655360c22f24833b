#include "tenon/codegen/llvm/stop_checks.h"

#include "tenon/codegen/llvm/pass_analyses.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

namespace tenon::codegen {
namespace {

class StopChecks : public testing::Test {
protected:
  // The functions of the text, of which `kernel` is marked, with the questions put in.
  void insert(const std::string &text, int64_t extent) {
    llvm::SMDiagnostic error;
    module_ = llvm::parseAssemblyString(text, error, context_);
    ASSERT_TRUE(module_) << error.getMessage().str() << " at line " << error.getLineNo();
    llvm::PassBuilder builder;
    PassAnalyses analyses;
    analyses.add(builder);
    markLongKernel(*module_->getFunction("kernel"), extent);
    insertStopChecks(*module_, analyses.functions, 512);
    std::string message;
    llvm::raw_string_ostream stream(message);
    EXPECT_FALSE(llvm::verifyModule(*module_, &stream)) << message << this->text();
  }

  std::string text() const {
    std::string result;
    llvm::raw_string_ostream stream(result);
    module_->print(stream, nullptr);
    return result;
  }

  // Names of the blocks that ask.
  std::vector<std::string> asking(const char *function = "kernel") const {
    std::vector<std::string> blocks;
    for (const llvm::BasicBlock &block : *module_->getFunction(function))
      for (const llvm::Instruction &instruction : block)
        if (const auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
            call && call->getCalledFunction()->getName() == "tenon_stopped")
          blocks.push_back(block.getName().str());
    return blocks;
  }

  // What the counter that is asked by starts from in its first loop; 0 without one.
  uint64_t period(const char *function = "kernel") const {
    for (const llvm::BasicBlock &block : *module_->getFunction(function))
      for (const llvm::PHINode &phi : block.phis())
        if (phi.getName() == "left")
          for (const llvm::Value *value : phi.incoming_values())
            if (const auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value))
              return constant->getZExtValue();
    return 0;
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

using Blocks = std::vector<std::string>;

// A loop of four instructions, one block, `turns` turns.
std::string simpleLoop(const std::string &turns) {
  return R"(define void @kernel(ptr %b, i64 %begin, i64 %end, ptr %s) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %n, %loop ]
  store i64 %i, ptr %b
  %n = add nuw nsw i64 %i, 1
  %c = icmp ult i64 %n, )" +
         turns + R"(
  br i1 %c, label %loop, label %done
done:
  ret void
})";
}

TEST_F(StopChecks, LeavesShortLoopsAlone) {
  insert(simpleLoop("1000000"), 1);
  EXPECT_EQ(asking(), Blocks());
}

TEST_F(StopChecks, CountsTheTurnsOfLoopsOfMany) {
  insert(simpleLoop("1099511627776"), 1);
  EXPECT_EQ(asking(), Blocks{"ask"});
  EXPECT_EQ(period(), 2000000); // of five instructions, the phi included
}

// Eight million tasks, of which a turn does `step`.
std::string taskLoop(const std::string &step) {
  return R"(define void @kernel(ptr %b, i64 %begin, i64 %end, ptr %s) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %n, %loop ]
  store i64 %i, ptr %b
  %n = add nuw nsw i64 %i, )" +
         step + R"(
  %c = icmp slt i64 %n, %end
  br i1 %c, label %loop, label %done
done:
  ret void
})";
}

TEST_F(StopChecks, KnowsTheTasks) {
  insert(taskLoop("1"), 8'000'000);
  EXPECT_EQ(asking(), Blocks{"ask"});
  insert(taskLoop("8"), 8'000'000);
  EXPECT_EQ(asking(), Blocks());
}

// The inner loop is one block: latch, header, and latch of the outer one.
std::string nest(const std::string &outer, const std::string &inner) {
  return R"(define void @kernel(ptr %b, i64 %begin, i64 %end, ptr %s) {
entry:
  br label %outer
outer:
  %o = phi i64 [ 0, %entry ], [ %on, %back ]
  %on = add nuw nsw i64 %o, 1
  br label %inner
inner:
  %i = phi i64 [ 0, %outer ], [ %n, %inner ]
  store i64 %i, ptr %b
  %n = add nuw nsw i64 %i, 1
  %c = icmp ult i64 %n, )" +
         inner + R"(
  br i1 %c, label %inner, label %back
back:
  %oc = icmp ult i64 %on, )" +
         outer + R"(
  br i1 %oc, label %outer, label %done
done:
  ret void
})";
}

TEST_F(StopChecks, AsksInTheOuterLoopIfTheInnerIsShort) {
  insert(nest("100000", "1000"), 1);
  EXPECT_EQ(asking(), Blocks{"ask"});
  EXPECT_GT(period(), 1900);
  EXPECT_LT(period(), 2000);
}

TEST_F(StopChecks, AsksInBothIfTheInnerIsLong) {
  insert(nest("100000", "100000000"), 1);
  EXPECT_EQ(asking(), (Blocks{"outer", "ask"}));
  EXPECT_EQ(period(), 2000000);
}

TEST_F(StopChecks, TheLatchMayBeTheHeaderOfAnInnerLoop) {
  insert(R"(define void @kernel(ptr %b, i64 %begin, i64 %end, ptr %s) {
entry:
  br label %outer
outer:
  %o = phi i64 [ 0, %entry ], [ %on, %inner ]
  %on = add nuw nsw i64 %o, 1
  br label %inner
inner:
  %i = phi i64 [ 0, %outer ], [ %n, %inner ]
  store i64 %i, ptr %b
  %n = add nuw nsw i64 %i, 1
  %c = icmp ult i64 %n, 100000000
  %oc = icmp ult i64 %on, 1000000
  %w0 = select i1 %oc, i32 1, i32 2
  %w = select i1 %c, i32 0, i32 %w0
  switch i32 %w, label %done [ i32 0, label %inner
                               i32 1, label %outer ]
done:
  ret void
})",
         1);
  EXPECT_FALSE(asking().empty());
}

TEST_F(StopChecks, AsksAfterCallsThatTakeLong) {
  insert(R"(define internal { i64, float } @callee(ptr %b) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %n, %loop ]
  store i64 %i, ptr %b
  %n = add nuw nsw i64 %i, 1
  %c = icmp ult i64 %n, 1000000000
  br i1 %c, label %loop, label %done
done:
  %r = insertvalue { i64, float } poison, i64 %n, 0
  ret { i64, float } %r
}
define void @kernel(ptr %b, i64 %begin, i64 %end, ptr %s) {
entry:
  %r = call { i64, float } @callee(ptr %b)
  %v = extractvalue { i64, float } %r, 0
  store i64 %v, ptr %b
  ret void
})",
         1);
  EXPECT_EQ(asking("callee"), Blocks{"ask"});
  EXPECT_EQ(asking(), Blocks{"entry"});
}

TEST_F(StopChecks, LeavesFunctionsOfBlocksAlone) {
  insert(R"(define internal void @tile(ptr %b, i64 %count) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %count, %entry ], [ %n, %loop ]
  store i64 %i, ptr %b
  %n = sub i64 %i, 1
  %c = icmp ne i64 %n, 0
  br i1 %c, label %loop, label %done
done:
  ret void
}
define void @kernel(ptr %b, i64 %begin, i64 %end, ptr %s) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %n, %loop ]
  call void @tile(ptr %b, i64 %i)
  %n = add nuw nsw i64 %i, 1
  %c = icmp slt i64 %n, %end
  br i1 %c, label %loop, label %done
done:
  ret void
})",
         1'000'000);
  EXPECT_EQ(asking("tile"), Blocks());
  EXPECT_EQ(asking(), Blocks{"ask"});
}

} // namespace
} // namespace tenon::codegen
