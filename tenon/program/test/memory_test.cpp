#include "tenon/program/memory.h"

#include "gtest/gtest.h"

namespace tenon::program {
namespace {

// Three steps; a buffer through all, one used twice with a gap, one that shares its bytes in that gap.
Program sample() {
  Program program;
  program.arguments.resize(1);
  program.arguments[0].shape = {ElementType::kF32, {10}};
  program.arguments[0].name = "x";
  program.results.emplace_back().shape = {ElementType::kF32, {5}};
  program.constants = {{{1, 2, 3}}};
  program.report.kernels.push_back({"loop_add_0", "loop", "add", "", 3, 1, 1});
  program.kernelCalls = {{0, "", {}}, {0, "", {}}, {0, "", {}}};
  for (int i = 0; i < 3; ++i)
    program.report.steps.push_back({StepEntry::Kind::kKernel, i, 0, "stablehlo.add", ""});
  using Kind = BufferEntry::Kind;
  program.report.buffers = {{Kind::kTemporary, -1, "", 0, 100, {{0, 5}}, {}},
                            {Kind::kTemporary, -1, "", 128, 40, {{0, 1}, {4, 5}}, {}},
                            {Kind::kWorkspace, -1, "of a kernel", 128, 60, {{2, 3}}, {}},
                            {Kind::kArgument, 0, "", -1, 40, {{0, 5}}, {}},
                            {Kind::kTemporary, -1, "", 256, 8, {}, {}}};
  program.arenaBytes = 320;
  return program;
}

TEST(Memory, Summary) {
  MemorySummary summary = summarizeMemory(sample());
  EXPECT_EQ(summary.argumentBytes, 40);
  EXPECT_EQ(summary.resultBytes, 20);
  EXPECT_EQ(summary.constantBytes, 3);
  EXPECT_EQ(summary.liveBytes, (std::vector<int64_t>{140, 140, 160, 160, 140, 140}));
  EXPECT_EQ(summary.peakBytes, 160);
  EXPECT_EQ(summary.peakStep, 1);
  EXPECT_EQ(summary.aliveAtPeak, (std::vector<int32_t>{0, 2}));
  EXPECT_DOUBLE_EQ(summary.fragmentation, 0.5);
}

TEST(Memory, NothingInTheArena) {
  MemorySummary summary = summarizeMemory(Program());
  EXPECT_EQ(summary.peakStep, -1);
  EXPECT_EQ(summary.peakBytes, 0);
  EXPECT_EQ(summary.fragmentation, 0);
}

TEST(Memory, OfTheDescription) {
  EXPECT_EQ(descriptionBytes(Program()), 0);
  Program program = sample();
  int64_t before = descriptionBytes(program);
  EXPECT_GE(before, int64_t(3 * (sizeof(StepEntry) + sizeof(KernelCall)) + 5 * sizeof(BufferEntry)));
  program.report.buffers[0].values.push_back({"stablehlo.add", {ElementType::kF32, {10}}, std::string(1000, 'x'), ""});
  int64_t value = descriptionBytes(program) - before;
  EXPECT_GE(value, int64_t(1000 + sizeof(ValueEntry)));
  program.runtimeCalls.emplace_back().opaque = std::string(5000, 'x');
  EXPECT_GE(descriptionBytes(program), before + value + 5000);
}

TEST(Memory, Names) {
  Program program = sample();
  EXPECT_EQ(describeBuffer(program, program.report.buffers[0]), "temporary");
  EXPECT_EQ(describeBuffer(program, program.report.buffers[2]), "workspace: of a kernel");
  EXPECT_EQ(describeBuffer(program, program.report.buffers[3]), "argument 0 (x)");
  EXPECT_EQ(describeStep(program, 1), "loop_add_0");
  program.report.steps.push_back({StepEntry::Kind::kEnd, 0, 0, "stablehlo.while", ""});
  EXPECT_EQ(describeStep(program, 3), "end of stablehlo.while");
}

} // namespace
} // namespace tenon::program
