// Rows that are too long for a block, on a GPU that the host plays: each is for the blocks of a cluster.

#include "test/e2e/emulated_checks_testing.h"
#include "test/e2e/program_texts.h"

using namespace tenon;
using namespace tenon::testing;
using ::testing::HasSubstr;

namespace {

using EmulatedClusters = EmulatedChecks;

bool hasClusters(const std::string &chip, const std::string &source) {
  bool found = false;
  codegen::GpuTargetOptions options;
  options.chip = chip;
  options.change = [&](llvm::Module &module) { found |= module.getFunction("tenon_emu_shared_of") != nullptr; };
  codegen::GpuTarget target = emulatedTarget(nullptr, std::move(options));
  EXPECT_TRUE(compiler::compileFor(target, source, {}).ok());
  return found;
}

// Clusters of two blocks, and, for a row with something left over at its end, of four.
TEST_F(EmulatedClusters, GiveTheInterpretersRows) {
  for (const std::string &source : {softmax(8, 20000), softmax(8, 40004)}) {
    EXPECT_TRUE(hasClusters("sm_90a", source));
    EXPECT_FALSE(hasClusters("sm_80", source));
    checkForm(source);
  }
}

// A row that one block has in its registers is for one.
TEST_F(EmulatedClusters, AreForLongRowsAlone) { EXPECT_FALSE(hasClusters("sm_90a", softmax(2, 16000))); }

TEST_F(EmulatedClusters, NoticeBarriersThatAreMissing) {
  constexpr size_t kAll = 100;
  removeBarriers(softmax(8, 17000), {}, kAll); // one kernel
  EXPECT_EQ(noticed, removed);
  EXPECT_GE(removed, 5);
}

TEST_F(EmulatedGpu, RefusesGridsWithoutWholeClusters) {
  ModuleHandle *module = loadModule([](llvm::Module &module, codegen::GpuBuilder &gpu) {
    gpu.formClusters(*gpu.startKernel(module, "empty", {}, 32), 2);
    gpu.emitClusterBarrier();
    gpu.b.CreateRetVoid();
  });
  ASSERT_TRUE(module);
  FunctionHandle *function = functionOf(module, "empty");
  auto start = [&](unsigned blocks) {
    return d.launchKernel(function, blocks, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr);
  };
  EXPECT_EQ(start(3), Result::kInvalidValue);
  EXPECT_THAT(runtime::emulator::takeFailure(), HasSubstr("a grid of 3 blocks has no whole clusters of 2"));
  EXPECT_EQ(start(4), Result::kSuccess);
  check(d.streamSynchronize(stream));
  check(d.moduleUnload(module));
}

} // namespace
