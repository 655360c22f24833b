#include "tenon/codegen/llvm/gathers.h"

#include "tenon/codegen/llvm/test/pass_testing.h"

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

bool hasGather(const std::string &text, llvm::ArrayRef<llvm::StringRef> features = {"avx2"}) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = testing::parseModule(text, context);
  testing::runPasses(*module, features, ElementGathersPass());
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
    std::unique_ptr<llvm::Module> module = testing::parseModule(lookup(widened), empty->getContext());
    module->setDataLayout(empty->getDataLayout());
    module->setTargetTriple(empty->getTargetTriple());
    testing::runPasses(*module, {"avx2"}, ElementGathersPass());
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
