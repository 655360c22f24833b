// Attention as one kernel on a GPU that the host plays.

#include "test/e2e/emulated_checks_testing.h"
#include "test/e2e/program_texts.h"

using namespace tenon;
using namespace tenon::testing;

namespace {

// A GPU so small that a few blocks are work for it: each has as many rows as it may.
codegen::GpuTargetOptions smallGpu(const std::string &chip = "sm_90a") {
  codegen::GpuTargetOptions options;
  options.chip = chip;
  options.multiprocessors = 1;
  return options;
}

// Rows see the keys up to their own number: `masked` is what others have in place of their logits.
AttentionText causal(AttentionText text, const std::string &masked) {
  std::string array = text.scoresType(), numbers = tensor({text.rows, text.keys}, "i32"),
              bits = tensor({text.rows, text.keys}, "i1"), all = tensor({text.heads, text.rows, text.keys}, "i1");
  text.logits = "%c0 = stablehlo.iota dim = 0 : " + numbers + "\n%c1 = stablehlo.iota dim = 1 : " + numbers +
                "\n%c2 = stablehlo.compare GE, %c0, %c1 : (" + numbers + ", " + numbers + ") -> " + bits +
                "\n%c3 = stablehlo.broadcast_in_dim %c2, dims = [1, 2] : (" + bits + ") -> " + all +
                "\n%c4 = stablehlo.constant dense<" + masked + "> : " + array +
                "\n%l = stablehlo.select %c3, %s, %c4 : " + all + ", " + array + "\n";
  return text;
}

AttentionText biased(AttentionText text) {
  std::string array = text.scoresType(), bias = tensor({text.rows, text.keys}, "f32");
  text.arguments = "%b: " + bias;
  text.logits = "%c0 = stablehlo.broadcast_in_dim %b, dims = [1, 2] : (" + bias + ") -> " + array +
                "\n%l = stablehlo.add %s, %c0 : " + array + "\n";
  return text;
}

// Weights are left out by an argument, rows of all of them among these.
AttentionText masked(AttentionText text) {
  std::string array = text.scoresType(), bits = tensor({text.heads, text.keys}, "i1"),
              all = tensor({text.heads, text.rows, text.keys}, "i1");
  text.arguments = "%b: " + bits;
  text.logits = "%c0 = stablehlo.broadcast_in_dim %b, dims = [0, 2] : (" + bits + ") -> " + all +
                "\n%c1 = stablehlo.constant dense<0xFF800000> : " + array +
                "\n%l = stablehlo.select %c0, %s, %c1 : " + all + ", " + array + "\n";
  return text;
}

class EmulatedAttention : public EmulatedChecks, public ::testing::WithParamInterface<AttentionText> {};

TEST_P(EmulatedAttention, IsOneKernelAndAsTheInterpreters) {
  codegen::GpuTargetOptions options = smallGpu();
  int modules = 0;
  options.change = [&](llvm::Module &module) { modules += module.getFunction("tenon_emu_exp2") != nullptr; };
  checkForm(GetParam().text(), options);
  EXPECT_EQ(modules, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, EmulatedAttention,
    ::testing::Values(AttentionText{}, AttentionText{.rows = 128, .keys = 64, .size = 64, .valueSize = 64},
                      AttentionText{.rows = 20, .keys = 129, .size = 48, .valueSize = 80, .element = "f16"},
                      AttentionText{.rows = 70, .keys = 150, .scores = "bf16"},
                      AttentionText{.rows = 33, .keys = 72, .size = 128, .valueSize = 128},
                      AttentionText{.keys = 80, .isTransposed = true},
                      causal(AttentionText{.rows = 140, .keys = 140}, "0xFF800000"),
                      causal(AttentionText{.rows = 70, .keys = 200}, "-1.0e30"), biased({.rows = 65, .keys = 66}),
                      masked({.keys = 100})));

// Of heads that others' warp groups take.
TEST_F(EmulatedChecks, AttentionIsByWarpsWhereThereAreNoGroups) {
  codegen::GpuTargetOptions options = smallGpu("sm_80");
  bool isByWarps = false;
  options.change = [&](llvm::Module &module) { isByWarps = module.getFunction("tenon_emu_multiply"); };
  checkForm(AttentionText{.rows = 128, .keys = 72, .size = 64, .valueSize = 64}.text(), options);
  EXPECT_TRUE(isByWarps);
}

TEST_F(EmulatedChecks, NoticeWhatIsMissingAroundTheProductsOfAttention) {
  constexpr size_t kAll = 100;
  removeBarriers(AttentionText{.heads = 1, .rows = 64, .keys = 200, .size = 64, .valueSize = 64}.text(), smallGpu(),
                 kAll);
  EXPECT_EQ(noticed, removed);
  EXPECT_GE(removed, 11);
}

TEST_F(EmulatedChecks, NoticeBarriersThatAreMissingInAttention) {
  constexpr size_t kAll = 100;
  removeBarriers(AttentionText{.rows = 64, .keys = 200}.text(), smallGpu(), kAll);
  EXPECT_EQ(noticed, removed);
  EXPECT_GE(removed, 6);
}

} // namespace
