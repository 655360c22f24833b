// Kernels of the emulation that are checked while they run: fixtures for tests.
#pragma once

#include "test/e2e/emulated_gpu_testing.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace tenon::testing {

// The barriers of a kernel, and what orders its copies, in the order of the code.
inline std::vector<llvm::Instruction *> barriersOf(llvm::Module &module) {
  std::vector<llvm::Instruction *> found;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
          call && call->getCalledFunction() &&
          llvm::is_contained({"tenon_emu_barrier", "tenon_emu_end_of_copies", "tenon_emu_wait_for_copies",
                              "tenon_emu_fence_for_groups", "tenon_emu_start_of_products", "tenon_emu_end_of_products",
                              "tenon_emu_wait_for_products", "tenon_emu_use_map", "tenon_emu_start_of_phases",
                              "tenon_emu_expect_bytes", "tenon_emu_wait_for_phase", "tenon_emu_cluster_barrier"},
                             call->getCalledFunction()->getName()))
        found.push_back(call);
  return found;
}

class EmulatedChecks : public EmulatedGpu {
protected:
  void SetUp() override {
    EmulatedGpu::SetUp();
    runtime::emulator::setChecksAccesses(true);
  }

  // Runs a program whose kernels `change` has changed: what was noticed, or nothing.
  std::string problemOf(const std::string &source, ThreadOrder order, std::function<void(llvm::Module &)> change,
                        codegen::GpuTargetOptions options = {}) {
    options.checksAccesses = true;
    options.change = std::move(change);
    program::Program program;
    auto executable = load(source, program, std::move(options));
    EXPECT_TRUE(executable) << failure;
    if (!executable)
      return "";
    runtime::emulator::setThreadOrder(order);
    std::vector<DeviceAddress> arguments, results;
    std::vector<Literal> inputs = randomInputs(program);
    for (const Literal &input : inputs)
      arguments.push_back(allocate(size_t(input.size_bytes()), input.untyped_data()));
    for (const program::Result &result : program.results)
      results.push_back(allocate(size_t(result.shape.byteSize())));
    Status status = executable->run({arguments, results, {}});
    std::string problem = runtime::emulator::takeFailure();
    EXPECT_EQ(status.ok(), problem.empty());
    for (const auto &list : {arguments, results})
      for (DeviceAddress address : list)
        check(d.memFree(address));
    return problem;
  }

  // The program passes all checks, and agrees with the interpreter, in whatever order threads take their turns.
  void checkForm(const std::string &source, codegen::GpuTargetOptions options = {}) {
    options.checksAccesses = true;
    program::Program program;
    auto executable = load(source, program, std::move(options));
    ASSERT_TRUE(executable) << failure;
    std::vector<Literal> inputs = randomInputs(program);
    auto expected = runReference(source, inputs, program);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    std::vector<Bytes> first;
    for (ThreadOrder order : kOrders) {
      runtime::emulator::setThreadOrder(order);
      std::vector<Bytes> results = run(*executable, program, inputs);
      ASSERT_EQ(results.size(), 1u);
      if (order == ThreadOrder::kForward)
        first = results;
      EXPECT_EQ(results, first) << "the order of threads shows";
      Literal array = tools::makeArray(program.results[0].shape, results[0].data()).ConsumeValueOrDie();
      compareArrays(array, expected->at(0), "the result");
    }
  }

  // Takes barriers out of a program, one by one, of many a sample, and counts those that are noticed. All of them with
  // TENON_TEST_WHOLE=1.
  void removeBarriers(const std::string &source, const codegen::GpuTargetOptions &options = {}, size_t sample = 8) {
    size_t barriers = 0;
    auto countBarriers = [&](llvm::Module &module) { barriers += barriersOf(module).size(); };
    EXPECT_EQ(problemOf(source, ThreadOrder::kForward, countBarriers, options), "");
    EXPECT_GT(barriers, 0u);
    if (std::getenv("TENON_TEST_WHOLE"))
      sample = barriers;
    for (size_t number = 0; number < barriers; number += (barriers + sample - 1) / sample) {
      auto remove = [&](llvm::Module &module) { barriersOf(module)[number]->eraseFromParent(); };
      ThreadOrder order = removed % 2 == 0 ? ThreadOrder::kForward : ThreadOrder::kRandom;
      std::string problem = problemOf(source, order, remove, options);
      ++removed;
      noticed += !problem.empty();
      using ::testing::HasSubstr;
      EXPECT_THAT(problem, ::testing::AnyOf("", HasSubstr("without a barrier"), HasSubstr("nobody has written"),
                                            HasSubstr("nobody has waited for"), HasSubstr("without a fence"),
                                            HasSubstr("have been waited for"), HasSubstr("has not been"),
                                            HasSubstr("does not end"), HasSubstr("may not have begun")));
    }
  }

  int removed = 0, noticed = 0; // barriers
};

} // namespace tenon::testing
