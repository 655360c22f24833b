#include "tenon/codegen/llvm/split_loops.h"

#include "tenon/codegen/llvm/pass_analyses.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include "gtest/gtest.h"

namespace tenon::codegen {
namespace {

// Loops one after the other, of two blocks each and one in front, which store the number of the loop and a sum of the
// arguments.
std::string loops(int count) {
  std::string text =
      "define void @entry(ptr %out, i64 %n, i64 %m) {\nstart:\n  %sum = add i64 %n, %m\n  br label %f0\n";
  for (int i = 0; i < count; ++i) {
    std::string k = std::to_string(i);
    text += "f" + k + ":\n  br label %l" + k + "\nl" + k + ":\n  %i" + k + " = phi i64 [ 0, %f" + k + " ], [ %j" + k +
            ", %b" + k + " ]\n  %p" + k + " = getelementptr i64, ptr %out, i64 %i" + k + "\n  %v" + k +
            " = add i64 %sum, " + k + "\n  store i64 %v" + k + ", ptr %p" + k + "\n  br label %b" + k + "\nb" + k +
            ":\n  %j" + k + " = add i64 %i" + k + ", 1\n  %c" + k + " = icmp slt i64 %j" + k + ", %n\n  br i1 %c" + k +
            ", label %l" + k + ", label %f" + std::to_string(i + 1) + "\n";
  }
  return text + "f" + std::to_string(count) + ":\n  ret void\n}\n";
}

std::unique_ptr<llvm::Module> split(llvm::LLVMContext &context, int count) {
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(loops(count), error, context);
  if (!module)
    ADD_FAILURE() << error.getMessage().str();
  llvm::PassBuilder builder;
  PassAnalyses analyses;
  analyses.add(builder);
  splitLoops(*module->getFunction("entry"), analyses.functions);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  return module;
}

TEST(SplitLoops, MakesFunctionsOfManyLoops) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = split(context, 1400);
  EXPECT_EQ(module->size(), 1 + 1400);
  for (const llvm::Function &function : *module)
    if (function.getName() != "entry") {
      EXPECT_EQ(function.arg_size(), 3u); // where to, how often, and the sum
      EXPECT_TRUE(function.hasFnAttribute(llvm::Attribute::NoInline));
    }
}

// What many loops use is used once for each, so that to make a function of one takes as long however many there are.
TEST(SplitLoops, TakesInputsOfEachLoopFromCopies) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = split(context, 1400);
  llvm::Function &entry = *module->getFunction("entry");
  for (llvm::User *user : entry.getArg(0)->users())
    EXPECT_TRUE(llvm::isa<llvm::BitCastInst>(user)) << "a call or a loop";
  EXPECT_EQ(entry.getArg(0)->getNumUses(), 1400u);
}

TEST(SplitLoops, LeavesSmallFunctionsAlone) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = split(context, 1000);
  EXPECT_EQ(module->size(), 1u);
  EXPECT_EQ(module->getFunction("entry")->size(), 2u + 3 * 1000);
}

} // namespace
} // namespace tenon::codegen
