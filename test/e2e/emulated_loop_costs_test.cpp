// Which of several ways a small loop is computed in, against what these ways have taken on hardware.

#include "test/e2e/emulated_checks_testing.h"
#include "test/gpu/loop_programs.h"

#include <fstream>

using namespace tenon;
using namespace tenon::testing;

namespace {

// Microseconds that an iteration took on an H100 (docs/benchmarks-gpu.md), by the team that the loop was given to. Of a
// grid its barrier was timed, with a load and a store of each thread.
constexpr double kGridBarrier = 1.602;
struct MeasuredLoop {
  std::string name; // of one of loopPrograms()
  double nodes, block, cluster2, cluster4, cluster8;
};

const MeasuredLoop kMeasured[] = {
    {"chain of 1, 2048", 8.006, 0.397, 0.950, 0.941, 0.950},
    {"chain of 2, 2048", 7.990, 0.768, 1.866, 1.913, 1.907},
    {"chain of 4, 2048", 10.728, 1.500, 3.611, 3.781, 3.803},
    {"chain of 8, 2048", 16.465, 2.928, 7.098, 7.252, 7.251},
    {"chain of 1, 8192", 8.000, 1.363, 1.809, 1.368, 0.988},
    {"chain of 2, 8192", 8.087, 2.737, 4.336, 2.926, 1.959},
    {"chain of 4, 8192", 11.077, 5.494, 8.196, 5.640, 3.826},
    {"elementwise, 1024", 6.321, 0.071, 0.863, 0.871, 0.867},
    {"elementwise, 2048", 6.340, 0.148, 0.858, 0.887, 0.881},
    {"elementwise, 4096", 6.311, 0.264, 1.100, 0.876, 0.894},
    {"elementwise, 8192", 6.327, 0.393, 1.378, 1.122, 0.903},
    {"elementwise, 16384", 6.411, 0.662, 1.723, 1.418, 1.140},
    {"elementwise, 32768", 6.483, 2.147, 2.527, 1.696, 1.364},
    {"elementwise, 65536", 6.481, 6.746, 4.202, 2.593, 1.850},
    {"elementwise, 131072", 6.596, 13.170, 7.574, 4.422, 2.792},
    {"reverse, 2048", 7.926, 0.154, 0.858, 0.864, 0.861},
    {"reverse, 8192", 7.830, 0.404, 1.478, 1.137, 0.910},
    {"reverse, 16384", 8.033, 1.044, 2.161, 1.474, 1.124},
    {"reverse, 32768", 7.928, 3.172, 3.644, 2.176, 1.489},
    {"sums of rows of 64, 16384", 7.692, 2.835, 5.008, 4.343, 3.976},
    {"product by 128x128, 2048", 12.752, 4.079, 12.728, 12.730, 12.733},
    {"product by 128x128, 8192", 12.841, 9.085, 17.515, 17.564, 17.702},
};

std::string sourceOf(const std::string &name) {
  for (const LoopProgram &program : loopPrograms())
    if (program.name == name)
      return program.source;
  ADD_FAILURE() << "there is no loop '" << name << "'";
  return "";
}

class EmulatedLoopCosts : public EmulatedChecks {
protected:
  // "nodes", "grid", "cluster8" and so on.
  std::string formOf(const std::string &source, codegen::GpuTargetOptions options = {}) {
    program::DeviceProgram device;
    auto compiled = compiler::compileFor(emulatedTarget(&device, std::move(options)), source, {});
    EXPECT_TRUE(compiled.ok()) << compiled.status().message();
    for (const program::DeviceStep &step : device.steps)
      if (std::holds_alternative<program::LoopStep>(step.what))
        return "nodes";
    for (const program::DeviceModule &module : device.modules)
      for (const program::DeviceKernel &kernel : module.kernels)
        if (kernel.name.starts_with("loop_") && !kernel.name.ends_with("_clear"))
          return kernel.isCooperative      ? "grid"
                 : kernel.tasks > 1        ? "cluster" + std::to_string(kernel.tasks)
                 : kernel.blockThreads > 1 ? "block"
                                           : "thread";
    return "no loop";
  }
};

TEST_F(EmulatedLoopCosts, AreThoseOfTheFastestTeam) {
  for (const MeasuredLoop &loop : kMeasured) {
    std::map<std::string, double> times = {{"nodes", loop.nodes},
                                           {"block", loop.block},
                                           {"cluster2", loop.cluster2},
                                           {"cluster4", loop.cluster4},
                                           {"cluster8", loop.cluster8}};
    double least = std::ranges::min_element(times, {}, [](const auto &entry) { return entry.second; })->second;
    std::string form = formOf(sourceOf(loop.name));
    if (form == "grid") {
      EXPECT_GT(least, kGridBarrier) << loop.name;
      continue;
    }
    ASSERT_TRUE(times.contains(form)) << loop.name << ": " << form;
    EXPECT_LE(times[form], 1.1 * least) << loop.name << ": " << form;
  }
}

// Where a block or a cluster takes long enough for a barrier of a grid, and not where it does not.
TEST_F(EmulatedLoopCosts, OfGridsAreThoseOfLargeArrays) {
  EXPECT_EQ(formOf(elementwiseLoop(131072)), "grid");
  EXPECT_EQ(formOf(reversingLoop(131072)), "grid");
  EXPECT_EQ(formOf(elementwiseLoop(32768)), "cluster8");
  EXPECT_EQ(formOf(elementwiseLoop(16384)), "block");
  EXPECT_EQ(formOf(chainLoop(4, 8192)), "cluster8");
  EXPECT_EQ(formOf(elementwiseLoop(1 << 24)), "nodes");
}

TEST_F(EmulatedLoopCosts, OfTestProgramsAreThoseOfTheirNames) {
  for (const char *form : {"cluster", "grid"}) {
    std::ifstream file(std::string(TENON_PROGRAMS "/loop_of_a_") + form + ".mlir");
    std::string source(std::istreambuf_iterator<char>(file), {});
    EXPECT_THAT(formOf(source), ::testing::StartsWith(form));
  }
}

TEST_F(EmulatedLoopCosts, DoNotCountWhereAFormIsAskedFor) {
  for (const char *form : {"nodes", "block", "cluster2", "cluster4", "cluster8", "grid"}) {
    codegen::GpuTargetOptions options;
    options.loops = form;
    EXPECT_EQ(formOf(elementwiseLoop(2048), options), form);
  }
}

TEST_F(EmulatedLoopCosts, RefuseFormsThatThereAreNot) {
  codegen::GpuTargetOptions options;
  options.loops = "cluster3";
  EXPECT_THAT(codegen::GpuTarget::create(options).status().message(), ::testing::HasSubstr("'cluster3'"));
  options.loops = "cluster4";
  options.chip = "sm_80";
  EXPECT_THAT(codegen::GpuTarget::create(options).status().message(), ::testing::HasSubstr("clusters of at most 1"));
}

} // namespace
