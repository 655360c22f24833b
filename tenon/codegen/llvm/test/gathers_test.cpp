#include "tenon/codegen/llvm/gathers.h"

#include "tenon/codegen/cpu/instructions/cpu_instructions.h"
#include "tenon/codegen/llvm/math/instruction_set.h"
#include "tenon/codegen/llvm/pass_analyses.h"
#include "tenon/codegen/llvm/testing/jit.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

#include <array>
#include <numeric>

namespace tenon::codegen {
namespace {

// Four elements of %table at indices from %at, widened so, of the lanes of the mask.
std::string lookup(const std::string &widened, const std::string &mask = "splat (i1 true)") {
  return R"(define void @kernel(ptr %table, ptr %at, ptr %out) {
  %narrow = load <4 x i8>, ptr %at, align 1
  %index = )" +
         widened + R"( <4 x i8> %narrow to <4 x i64>
  %p = getelementptr i16, ptr %table, <4 x i64> %index
  %x = call <4 x i16> @llvm.masked.gather.v4i16.v4p0(<4 x ptr> align 2 %p, <4 x i1> )" +
         mask + R"(, <4 x i16> zeroinitializer)
  store <4 x i16> %x, ptr %out, align 2
  ret void
})";
}

std::unique_ptr<llvm::Module> parse(const std::string &text, llvm::LLVMContext &context) {
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str() << " at line " << error.getLineNo() << '\n' << text;
  return module;
}

void rewrite(llvm::Module &module, llvm::ArrayRef<llvm::StringRef> features) {
  auto has = [&](llvm::StringRef feature) { return llvm::is_contained(features, feature); };
  math::useInstructions(module, cpuInstructions(llvm::Triple("x86_64-pc-linux-gnu"), has));
  llvm::PassBuilder builder;
  PassAnalyses analyses;
  analyses.add(builder);
  llvm::FunctionPassManager passes;
  passes.addPass(ElementGathersPass());
  passes.run(*module.getFunction("kernel"), analyses.functions);
  EXPECT_FALSE(llvm::verifyModule(module)) << testing::Jit::toText(module);
}

bool hasGather(const std::string &text, llvm::ArrayRef<llvm::StringRef> features = {"avx2"}) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = parse(text, context);
  rewrite(*module, features);
  return testing::Jit::toText(*module).find("call <4 x i16> @llvm.masked.gather") != std::string::npos;
}

TEST(ElementGathers, OfIndicesFromMemory) {
  EXPECT_FALSE(hasGather(lookup("zext")));
  EXPECT_FALSE(hasGather(lookup("sext")));
}

TEST(ElementGathers, NotOfSomeLanes) {
  EXPECT_TRUE(hasGather(lookup("zext", "<i1 true, i1 false, i1 true, i1 true>")));
}

TEST(ElementGathers, NotWhereThereAreInstructions) { EXPECT_TRUE(hasGather(lookup("zext"), {"avx2", "avx512f"})); }

TEST(ElementGathers, NotWhereIndicesAreNeededAsAVector) {
  std::string text = lookup("zext");
  text.insert(text.find("  store"), "  store <4 x i8> %narrow, ptr %out, align 1\n");
  EXPECT_TRUE(hasGather(text));
}

TEST(ElementGathers, FindsTheSameElements) {
  std::array<int16_t, 256> table;
  std::iota(table.begin(), table.end(), int16_t(-128));
  for (auto [widened, middle] : {std::pair{"zext", 0}, {"sext", 128}}) {
    testing::Jit jit("x86-64-v3");
    std::unique_ptr<llvm::Module> empty = jit.createModule("kernel");
    std::unique_ptr<llvm::Module> module = parse(lookup(widened), empty->getContext());
    module->setDataLayout(empty->getDataLayout());
    module->setTargetTriple(empty->getTargetTriple());
    rewrite(*module, {"avx2"});
    jit.setTargetAttributes(*module->getFunction("kernel"));
    jit.add(std::move(module));
    std::array<uint8_t, 4> at = {0, 255, 127, 128};
    std::array<int16_t, 4> found{};
    jit.lookup<void(const int16_t *, const uint8_t *, int16_t *)>("kernel")(table.data() + middle, at.data(),
                                                                            found.data());
    for (size_t lane = 0; lane < at.size(); ++lane)
      EXPECT_EQ(found[lane], table[middle + (middle ? int8_t(at[lane]) : at[lane])]) << widened << ' ' << lane;
  }
}

} // namespace
} // namespace tenon::codegen
