// Each program of test/e2e/programs runs in the reference interpreter and as native code: for this machine and for
// lower levels of x86-64, optimised and not. All must agree: integers exactly, floats to a few rounding errors of the
// largest.

#include "test/execution.h"

#include "tenon/frontend/import/import.h"
#include "tenon/interpreter/interpreter.h"
#include "tenon/ir/register.h"
#include "tenon/tools/array.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tenon;
using tools::Array;

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

  std::vector<Array> runNative(runtime::LoadedProgram &program) {
    std::vector<llvm::ArrayRef<uint8_t>> arguments;
    for (const Array &array : inputs)
      arguments.emplace_back(array.bytes);
    auto results = tenon::testing::run(program, arguments);
    std::vector<Array> arrays;
    if (!results.ok()) {
      ADD_FAILURE() << results.status().message();
      return arrays;
    }
    for (auto [result, bytes] : llvm::zip(program.program().results, *results))
      arrays.push_back({result.shape, std::move(bytes)});
    return arrays;
  }

  void makeInputs(const program::Program &program) {
    for (const program::Argument &argument : program.arguments)
      inputs.push_back(tools::randomArray(argument.shape, inputs.size() + 1));
  }

  std::vector<Array> runReference(const program::Program &program) {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    mlir::MLIRContext context(registry);
    auto module = frontend::importModule(source, context);
    auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
    std::vector<interpreter::Value> arguments;
    for (auto [type, array] : llvm::zip(main.getArgumentTypes(), inputs))
      arguments.emplace_back(
          *interpreter::Tensor::fromBytes(mlir::cast<mlir::RankedTensorType>(type), llvm::ArrayRef(array.bytes)));
    auto values = interpreter::interpret(*module, "main", arguments);
    std::vector<Array> arrays;
    if (!values.ok()) {
      ADD_FAILURE() << values.status().message();
      return arrays;
    }
    for (auto [result, value] : llvm::zip(program.results, *values)) {
      llvm::ArrayRef<uint8_t> bytes = value.tensor().bytes();
      arrays.push_back({result.shape, {bytes.begin(), bytes.end()}});
    }
    return arrays;
  }

  static void compare(const std::vector<Array> &actual, const std::vector<Array> &expected, const std::string &what) {
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < actual.size(); ++i)
      compareArray(actual[i], expected[i], what + ", result " + std::to_string(i));
  }

  static void compareArray(const Array &actual, const Array &expected, const std::string &what) {
    program::ElementType type = actual.shape.type;
    if (!tools::isFloatType(type) && !tools::isComplexType(type)) {
      EXPECT_EQ(actual.bytes, expected.bytes) << what;
      return;
    }
    double largest = 1e-30;
    int64_t count = actual.shape.elementCount();
    for (int64_t i = 0; i < count; ++i)
      if (double value = std::abs(tools::elementAsDouble(expected, i)); std::isfinite(value))
        largest = std::max(largest, value);
    double epsilon = program::byteSize(type) == 2 ? 0x1p-7 : type == program::ElementType::kF64 ? 0x1p-44 : 0x1p-16;
    for (int64_t i = 0; i < count; ++i)
      for (bool imaginary : {false, true}) {
        double a = tools::elementAsDouble(actual, i, imaginary), b = tools::elementAsDouble(expected, i, imaginary);
        if (std::isnan(a) && std::isnan(b))
          continue;
        ASSERT_LE(std::abs(a - b), epsilon * largest) << what << ", element " << i << ": " << a << " and " << b;
      }
  }

  std::string source;
  std::vector<Array> inputs;
};

TEST_P(DifferentialTest, AgreesWithTheInterpreter) {
  compiler::CompileOptions options;
  options.verifyStages = true;
  auto native = load(options);
  ASSERT_TRUE(native);
  makeInputs(native->program());
  std::vector<Array> expected = runReference(native->program());
  compare(runNative(*native), expected, "host");
  compare(runNative(*native), expected, "host, second run");
  for (const char *cpu : {"x86-64", "x86-64-v3"}) {
    options.targetCpu = cpu;
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
