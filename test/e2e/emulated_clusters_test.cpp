// Rows that are too long for a block, on a GPU that the host plays: each is for the blocks of a cluster.

#include "test/e2e/emulated_checks_testing.h"
#include "test/e2e/program_texts.h"

#include "tenon/codegen/llvm/module_compiler.h"

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

// Of two blocks, and, with what is left over at its end, of four.
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
  codegen::GpuTarget target = emulatedTarget();
  llvm::LLVMContext context;
  llvm::Module empty("empty", context);
  target.prepareModule(empty);
  auto gpu = target.makeBuilder(context);
  gpu->formClusters(*gpu->startKernel(empty, "empty", {}, 32), 2);
  gpu->emitClusterBarrier();
  gpu->b.CreateRetVoid();
  auto code = codegen::compileModule(empty, target);
  ASSERT_TRUE(code.ok()) << code.status().message();
  ModuleHandle *module = nullptr;
  FunctionHandle *function = nullptr;
  check(d.moduleLoadData(&module, code->data()));
  check(d.moduleGetFunction(&function, module, "empty"));
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
