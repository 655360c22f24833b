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
                      causal(AttentionText{.rows = 70, .keys = 200}, "-1.0e30"),
                      causal(AttentionText{.rows = 70, .keys = 200}, "-1.0"), biased({.rows = 65, .keys = 66}),
                      masked({.keys = 100})));

// What a mask hides is left out, where that changes nothing: zero times infinity does.
TEST_F(EmulatedChecks, AttentionSeesValuesThatAreNotFiniteBehindItsMask) {
  constexpr size_t kColumn = 3, kInfinity = 0x7f80;
  AttentionText text{.heads = 2, .rows = 140, .keys = 140};
  std::string source = causal(text, "-1.0e30").text();
  codegen::GpuTargetOptions options = smallGpu();
  options.checksAccesses = true;
  program::Program program;
  auto executable = load(source, program, options);
  ASSERT_TRUE(executable) << failure;
  std::vector<Literal> inputs = randomInputs(program);
  auto *values = static_cast<uint16_t *>(const_cast<void *>(inputs[2].untyped_data()));
  values[size_t(text.keys * text.valueSize) + size_t(139 * text.valueSize) + kColumn] = kInfinity; // the last head's
  auto expected = runReference(source, inputs, program);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  std::vector<Bytes> results = run(*executable, program, inputs);
  Literal array = tools::makeArray(program.results[0].shape, results[0].data()).ConsumeValueOrDie();
  compareArrays(array, expected->at(0), "the result");
  auto *first = static_cast<const uint16_t *>(array.untyped_data()) + text.rows * text.valueSize + kColumn;
  EXPECT_GT(*first & 0x7fff, 0x7f80) << "a row that does not see it is no number there, either";
}

TEST_F(EmulatedChecks, AttentionAsksForValuesBehindAMaskAlone) {
  for (const auto &[text, phases] :
       {std::pair(causal({}, "0xFF800000").text(), 2U), std::pair(AttentionText{}.text(), 1U)}) {
    program::DeviceProgram device;
    auto compiled = compiler::compileFor(emulatedTarget(&device, smallGpu()), text, {});
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    ASSERT_EQ(device.modules.size(), 1U);
    EXPECT_EQ(device.modules[0].kernels.size(), phases);
  }
}

// Heads that are for warp groups, on a chip without.
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
  removeBarriers(causal({.heads = 1, .rows = 128, .keys = 200}, "-1.0e30").text(), smallGpu(), kAll);
  EXPECT_EQ(noticed, removed);
  EXPECT_GE(removed, 6);
}

} // namespace
