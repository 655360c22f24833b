// Which of several ways a small loop is computed in, against what these ways have taken on hardware.

#include "test/e2e/emulated_checks_testing.h"
#include "test/gpu/loop_programs.h"

#include <fstream>

using namespace tenon;
using namespace tenon::testing;

namespace {

// Microseconds that an iteration took on an H100 (docs/benchmarks-gpu.md), by the team that the loop was given to.
struct MeasuredLoop {
  std::string name; // of one of loopPrograms()
  double nodes, block, cluster2, cluster4, cluster8, grid;
};

const MeasuredLoop kMeasured[] = {
    {"chain of 1, 2048", 8.018, 0.399, 0.958, 0.918, 0.927, 1.100},
    {"chain of 2, 2048", 7.922, 0.770, 1.879, 1.898, 1.898, 2.287},
    {"chain of 4, 2048", 10.711, 1.505, 3.640, 3.736, 3.727, 4.082},
    {"chain of 8, 2048", 16.387, 2.918, 7.114, 7.138, 7.118, 8.091},
    {"chain of 1, 8192", 7.976, 1.370, 1.807, 1.370, 0.986, 1.335},
    {"chain of 2, 8192", 8.185, 2.727, 4.326, 2.925, 1.962, 2.445},
    {"chain of 4, 8192", 11.279, 5.487, 8.200, 5.594, 3.836, 4.993},
    {"chain of 8, 8192", 17.415, 14.778, 16.283, 11.229, 7.689, 9.929},
    {"elementwise, 1024", 6.312, 0.071, 0.866, 0.857, 0.861, 0.950},
    {"elementwise, 2048", 6.365, 0.146, 0.858, 0.873, 0.873, 0.924},
    {"elementwise, 4096", 6.372, 0.264, 1.101, 0.873, 0.887, 0.944},
    {"elementwise, 8192", 6.320, 0.392, 1.378, 1.120, 0.897, 1.097},
    {"elementwise, 16384", 6.383, 0.657, 1.717, 1.413, 1.136, 1.131},
    {"elementwise, 32768", 6.475, 2.136, 2.521, 1.687, 1.383, 1.110},
    {"elementwise, 65536", 6.451, 6.730, 4.189, 2.581, 1.829, 1.140},
    {"elementwise, 131072", 6.609, 13.184, 7.590, 4.395, 2.764, 1.243},
    {"elementwise, 262144", 6.636, 26.011, 14.222, 7.719, 4.441, 1.478},
    {"elementwise, 524288", 7.040, 51.756, 27.427, 14.550, 7.993, 1.913},
    {"elementwise, 1048576", 7.594, 102.823, 53.853, 27.916, 14.825, 2.787},
    {"reverse, 2048", 7.780, 0.154, 0.861, 0.856, 0.855, 0.907},
    {"reverse, 8192", 7.779, 0.403, 1.478, 1.131, 0.907, 1.139},
    {"reverse, 16384", 7.924, 1.041, 2.159, 1.471, 1.129, 1.158},
    {"reverse, 32768", 7.937, 3.173, 3.646, 2.176, 1.488, 1.181},
    {"reverse, 131072", 8.157, 22.648, 12.594, 6.889, 3.968, 1.287},
    {"sums of rows of 64, 16384", 7.633, 2.833, 5.010, 4.332, 3.964, 4.192},
    {"product by 128x128, 2048", 12.646, 4.054, 12.732, 12.626, 12.614, 17.978},
    {"product by 128x128, 8192", 12.721, 9.103, 17.530, 17.436, 17.549, 15.000},
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
    std::map<std::string, double> times = {{"nodes", loop.nodes},       {"block", loop.block},
                                           {"cluster2", loop.cluster2}, {"cluster4", loop.cluster4},
                                           {"cluster8", loop.cluster8}, {"grid", loop.grid}};
    double least = std::ranges::min_element(times, {}, [](const auto &entry) { return entry.second; })->second;
    std::string form = formOf(sourceOf(loop.name));
    ASSERT_TRUE(times.contains(form)) << loop.name << ": " << form;
    EXPECT_LE(times[form], 1.1 * least) << loop.name << ": " << form;
  }
}

// Where a block or a cluster takes longer than a barrier of a grid, and not where it does not.
TEST_F(EmulatedLoopCosts, OfGridsAreThoseOfLargeArrays) {
  EXPECT_EQ(formOf(elementwiseLoop(131072)), "grid");
  EXPECT_EQ(formOf(reversingLoop(131072)), "grid");
  EXPECT_EQ(formOf(elementwiseLoop(32768)), "grid");
  EXPECT_EQ(formOf(reversingLoop(16384)), "cluster8");
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
