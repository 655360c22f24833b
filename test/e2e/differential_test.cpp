// Each program of test/e2e/programs runs in the reference interpreter and as native code: for this machine and for
// lower levels of x86-64, optimised and not. All must agree: integers exactly, floats to a few rounding errors of the
// largest.

#include "test/e2e/comparison.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tenon;
using xla::Literal;

namespace {

std::vector<std::string> programNames() {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(TENON_PROGRAMS))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string readProgram(const std::string &name) {
  std::ifstream file(std::string(TENON_PROGRAMS) + "/" + name + ".mlir");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class DifferentialTest : public ::testing::TestWithParam<std::string> {
protected:
  void SetUp() override { source = readProgram(GetParam()); }

  std::unique_ptr<runtime::LoadedProgram> load(const compiler::CompileOptions &options) {
    auto loaded = tenon::testing::compileAndLoad(source, options);
    if (!loaded.ok()) {
      ADD_FAILURE() << loaded.status().message();
      return nullptr;
    }
    return std::move(*loaded);
  }

  std::vector<Literal> runNative(runtime::LoadedProgram &program) {
    return resultsOf(tenon::testing::runNative(program, inputs));
  }

  std::vector<Literal> runReference(const program::Program &program) {
    return resultsOf(tenon::testing::runReference(source, inputs, program));
  }

  static std::vector<Literal> resultsOf(StatusOr<std::vector<Literal>> results) {
    if (results.ok())
      return std::move(*results);
    ADD_FAILURE() << results.status().message();
    return {};
  }

  static void compare(const std::vector<Literal> &actual, const std::vector<Literal> &expected,
                      const std::string &what) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i)
      tenon::testing::compareArrays(actual[i], expected[i], what + ", result " + std::to_string(i));
  }

  std::string source;
  std::vector<Literal> inputs;
};

TEST_P(DifferentialTest, AgreesWithTheInterpreter) {
  compiler::CompileOptions options;
  options.verifyStages = true;
  auto native = load(options);
  ASSERT_TRUE(native);
  inputs = tenon::testing::randomInputs(native->program());
  std::vector<Literal> expected = runReference(native->program());
  compare(runNative(*native), expected, "host");
  compare(runNative(*native), expected, "host, second run");
  for (const char *cpu : {"x86-64", "x86-64-v3"}) {
    options.targetCpu = cpu;
    options.splitKernels = !options.splitKernels;
    if (auto program = load(options))
      compare(runNative(*program), expected, cpu);
  }
  options.targetCpu = "host";
  options.optimize = false;
  if (auto program = load(options))
    compare(runNative(*program), expected, "without optimisation");
}

INSTANTIATE_TEST_SUITE_P(Programs, DifferentialTest, ::testing::ValuesIn(programNames()),
                         [](const auto &info) { return info.param; });

} // namespace
