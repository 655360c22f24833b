#include "tenon/codegen/llvm/even_odd_lanes.h"

#include "tenon/codegen/llvm/bfloat_rounding.h"
#include "tenon/codegen/llvm/test/pass_testing.h"

#include "llvm/TargetParser/Host.h"

#include <cstring>

namespace tenon::codegen {
namespace {

// A loop over 16 elements a turn. `body` computes %r, <16 x i16>, of %x, %y, <16 x i16>, and the float %s.
std::string loop(const std::string &body) {
  return R"(define void @kernel(ptr %a, ptr %b, ptr %out, float %s, i64 %n) {
entry:
  %s0 = insertelement <16 x float> poison, float %s, i64 0
  %ss = shufflevector <16 x float> %s0, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %pa = getelementptr i16, ptr %a, i64 %i
  %pb = getelementptr i16, ptr %b, i64 %i
  %po = getelementptr i16, ptr %out, i64 %i
  %x = load <16 x i16>, ptr %pa, align 2
  %y = load <16 x i16>, ptr %pb, align 2
)" + body +
         R"(
  store <16 x i16> %r, ptr %po, align 2
  %next = add nuw nsw i64 %i, 16
  %c = icmp slt i64 %next, %n
  br i1 %c, label %loop, label %done
done:
  ret void
})";
}

// %NAME, <16 x float>, of the bf16 in %from.
std::string widen(const std::string &name, const std::string &from) {
  return "%" + name + "z = zext <16 x i16> %" + from + " to <16 x i32>\n%" + name + "h = shl nuw <16 x i32> %" + name +
         "z, splat (i32 16)\n%" + name + " = bitcast <16 x i32> %" + name + "h to <16 x float>\n";
}

// %NAME, <16 x i16>, of the floats in %from, rounded.
std::string narrow(const std::string &name, const std::string &from) {
  std::string text = R"(%Nb = bitcast <16 x float> %F to <16 x i32>
%Nl = lshr <16 x i32> %Nb, splat (i32 16)
%No = and <16 x i32> %Nl, splat (i32 1)
%Na = add <16 x i32> %Nb, splat (i32 32767)
%Nr = add <16 x i32> %Na, %No
%Nq = or <16 x i32> %Nb, splat (i32 4194304)
%Nu = fcmp uno <16 x float> %F, zeroinitializer
%Ns = select <16 x i1> %Nu, <16 x i32> %Nq, <16 x i32> %Nr
%Nt = lshr <16 x i32> %Ns, splat (i32 16)
%N = trunc nuw <16 x i32> %Nt to <16 x i16>
)";
  for (const auto &[letter, word] : {std::pair{'F', from}, {'N', name}})
    for (size_t at = 0; (at = text.find(std::string("%") + letter, at)) != std::string::npos; at += word.size())
      text.replace(at + 1, 1, word);
  return text;
}

// bf16 times floats of memory.
std::string productWithFloats() {
  return R"(%pf = getelementptr float, ptr %b, i64 %i
%f = load <16 x float>, ptr %pf, align 4
)" + widen("u", "x") +
         "%m = fmul <16 x float> %u, %f\n" + narrow("r", "m");
}

class BfloatPasses : public ::testing::Test {
protected:
  // Both passes, for a chip with these features.
  static void rewrite(llvm::Module &module, llvm::ArrayRef<llvm::StringRef> features) {
    testing::runPasses(module, features, BfloatRoundingPass(), EvenOddLanesPass());
  }

  std::string rewritten(const std::string &text, llvm::ArrayRef<llvm::StringRef> features = {"avx2", "f16c"}) {
    std::unique_ptr<llvm::Module> module = testing::parseModule(text, context_);
    if (!module)
      return {};
    rewrite(*module, features);
    return testing::Jit::toText(*module);
  }

  // What the kernel makes of these operands, with the passes or without.
  static std::vector<uint16_t> run(const std::string &text, bool passes, const std::vector<uint16_t> &a,
                                   const std::vector<uint16_t> &b, float s) {
    testing::Jit jit("x86-64-v3");
    std::unique_ptr<llvm::Module> empty = jit.createModule("kernel");
    std::unique_ptr<llvm::Module> module = testing::parseModule(text, empty->getContext());
    module->setDataLayout(empty->getDataLayout());
    module->setTargetTriple(empty->getTargetTriple());
    if (passes)
      rewrite(*module, {"avx2", "f16c"});
    jit.setTargetAttributes(*module->getFunction("kernel"));
    jit.add(std::move(module));
    std::vector<uint16_t> result(a.size());
    jit.lookup<void(const uint16_t *, const uint16_t *, uint16_t *, float, int64_t)>("kernel")(
        a.data(), b.data(), result.data(), s, int64_t(a.size()));
    return result;
  }

  llvm::LLVMContext context_;
};

size_t count(const std::string &text, const std::string &word) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at)
    ++found;
  return found;
}

// A product of two bf16 with a scalar, rounded in between.
const std::string kScaledProduct = widen("u", "x") + "%m = fmul <16 x float> %u, %ss\n" + narrow("k", "m") +
                                   widen("v", "k") + widen("w", "y") + "%p = fmul <16 x float> %v, %w\n" +
                                   narrow("r", "p");

TEST_F(BfloatPasses, FloatsAreInTheOrderOfParity) {
  std::string text = rewritten(loop(kScaledProduct));
  EXPECT_EQ(count(text, "bitcast <16 x i16>"), 3U) << text; // what was rounded is widened in that order, too
  EXPECT_EQ(count(text, "zext <16 x i16>"), 0U) << text;
  EXPECT_EQ(count(text, "trunc"), 0U) << text;
}

TEST_F(BfloatPasses, OnlyOnChipsThatGain) {
  std::string text = loop(kScaledProduct);
  EXPECT_EQ(count(rewritten(text, {"f16c"}), "trunc"), 2U);
  EXPECT_EQ(count(rewritten(text, {"avx2", "f16c", "avx512f", "avx512bf16"}), "trunc"), 2U);
  EXPECT_EQ(count(rewritten(text, {"avx2", "f16c", "avx512f"}), "trunc"), 2U); // half of two registers
}

TEST_F(BfloatPasses, NotBesideFloatsInMemory) {
  // One operand of two is in the other order already.
  std::string text = rewritten(loop(productWithFloats()));
  EXPECT_EQ(count(text, "zext <16 x i16>"), 1U) << text;
  EXPECT_EQ(count(text, "trunc"), 1U) << text;
}

TEST_F(BfloatPasses, MasksStayInTheirLanes) {
  std::string text = rewritten(loop(widen("u", "x") + widen("v", "y") + R"(%less = fcmp olt <16 x float> %u, %v
%r = select <16 x i1> %less, <16 x i16> %x, <16 x i16> %y
)"));
  EXPECT_EQ(count(text, "zext <16 x i16>"), 2U) << text;
}

TEST_F(BfloatPasses, RoundingOfWhatIsComputedFromBfloatsKnowsNoNaN) {
  std::string text = rewritten(loop(kScaledProduct));
  EXPECT_EQ(count(text, "fcmp uno <16 x float>"), 0U) << text;
  EXPECT_EQ(count(text, "fcmp uno float"), 1U) << text; // the scalar, before the loop
  EXPECT_LT(text.find("fcmp uno float"), text.find("loop:")) << text;
}

TEST_F(BfloatPasses, FloatsFromElsewhereMayHaveAnyNaN) {
  std::string text = rewritten(loop(productWithFloats()));
  EXPECT_EQ(count(text, "fcmp uno <16 x float>"), 1U) << text;
  // A scalar of the loop itself would be looked at in each turn.
  std::string scalar = R"(%pf = getelementptr float, ptr %b, i64 %i
%f = load float, ptr %pf, align 4
%f0 = insertelement <16 x float> poison, float %f, i64 0
%fs = shufflevector <16 x float> %f0, <16 x float> poison, <16 x i32> zeroinitializer
)";
  text = rewritten(loop(scalar + widen("u", "x") + "%m = fmul <16 x float> %u, %fs\n" + narrow("r", "m")));
  EXPECT_EQ(count(text, "fcmp uno <16 x float>"), 1U) << text;
  EXPECT_EQ(count(text, "fcmp uno float"), 0U) << text;
}

bool isNaN(uint16_t bfloat) { return (bfloat & 0x7fff) > 0x7f80; }

// Every bf16 with scalars of all kinds, NaN with bits in the low half among them.
TEST_F(BfloatPasses, ResultsKeepTheirBits) {
  if (!llvm::sys::getHostCPUFeatures().lookup("avx2"))
    GTEST_SKIP() << "the machine has no AVX2";
  std::vector<uint16_t> a, b;
  for (uint32_t code = 0; code < 0x10000; ++code) {
    a.push_back(uint16_t(code));
    b.push_back(uint16_t(code * 40503 + 12345));
  }
  // The index of a lane is what an element is multiplied with: constants are reordered.
  std::string lanes =
      widen("u", "x") +
      "%m = fmul <16 x float> %u, <float 1.0, float 2.0, float 3.0, float 4.0, float 5.0, "
      "float 6.0, float 7.0, float 8.0, float 9.0, float 10.0, float 11.0, float 12.0, float 13.0, float "
      "14.0, float 15.0, float 16.0>\n" +
      narrow("r", "m");
  for (const std::string &body : {kScaledProduct, lanes})
    for (uint32_t bits : {0x3f800000U, 0x3fa12345U, 0x7f800000U, 0x7fffffffU, 0xffffffffU, 0x7f800001U, 0x00000123U}) {
      float s;
      std::memcpy(&s, &bits, sizeof s);
      std::vector<uint16_t> expected = run(loop(body), false, a, b, s);
      std::vector<uint16_t> got = run(loop(body), true, a, b, s);
      for (size_t i = 0; i < a.size(); ++i)
        ASSERT_TRUE(got[i] == expected[i] || (isNaN(got[i]) && isNaN(expected[i])))
            << std::hex << a[i] << ' ' << b[i] << ' ' << bits << ": " << got[i] << ", not " << expected[i];
    }
}

} // namespace
} // namespace tenon::codegen
