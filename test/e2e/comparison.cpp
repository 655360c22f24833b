#include "test/e2e/comparison.h"

#include "tenon/frontend/import/import.h"
#include "tenon/interpreter/interpreter.h"
#include "tenon/ir/register.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tenon::testing {

using tools::Array;

namespace {

bool isEqual(double a, double b, double tolerance) {
  return (std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= tolerance;
}

double epsilonOf(program::ElementType type) {
  switch (type) {
  case program::ElementType::kF64:
  case program::ElementType::kComplexF64:
    return 0x1p-44;
  case program::ElementType::kF32:
  case program::ElementType::kComplexF32:
    return 0x1p-16;
  default:
    return program::byteSize(type) == 2 ? 0x1p-7 : 0x1p-2;
  }
}

} // namespace

std::vector<Array> randomInputs(const program::Program &program) {
  std::vector<Array> inputs;
  for (const program::Argument &argument : program.arguments)
    inputs.push_back(tools::randomArray(argument.shape, inputs.size() + 1));
  return inputs;
}

StatusOr<std::vector<Array>> runNative(runtime::LoadedProgram &program, const std::vector<Array> &inputs) {
  std::vector<llvm::ArrayRef<uint8_t>> arguments;
  for (const Array &input : inputs)
    arguments.emplace_back(input.bytes);
  auto results = run(program, arguments);
  if (!results.ok())
    return results.status();
  std::vector<Array> arrays;
  for (auto [result, bytes] : llvm::zip(program.program().results, *results))
    arrays.push_back({result.shape, std::move(bytes)});
  return tools::cutToSizes(program.program().results, std::move(arrays));
}

StatusOr<std::vector<Array>> runReference(const std::string &source, const std::vector<Array> &inputs,
                                          const program::Program &program) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  auto module = frontend::importModule(source, context);
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  std::vector<interpreter::Value> arguments;
  for (auto [type, array] : llvm::zip(main.getArgumentTypes(), inputs))
    arguments.emplace_back(
        *interpreter::Tensor::fromBytes(mlir::cast<mlir::RankedTensorType>(type), llvm::ArrayRef(array.bytes)));
  auto values = interpreter::interpret(*module, "main", arguments);
  if (!values.ok())
    return values.status();
  std::vector<Array> arrays;
  for (auto [result, value] : llvm::zip(program.results, *values)) {
    llvm::ArrayRef<uint8_t> bytes = value.tensor().bytes();
    llvm::ArrayRef<int64_t> dims = value.tensor().shape();
    arrays.push_back({{result.shape.type, {dims.begin(), dims.end()}}, {bytes.begin(), bytes.end()}});
  }
  return arrays;
}

void compareArrays(const Array &actual, const Array &expected, const std::string &what) {
  program::ElementType type = actual.shape.type;
  if (!tools::isFloatType(type) && !tools::isComplexType(type)) {
    EXPECT_EQ(actual.bytes, expected.bytes) << what;
    return;
  }
  std::vector<bool> parts{false};
  if (tools::isComplexType(type))
    parts.push_back(true);
  double largest = 1e-30;
  int64_t count = actual.shape.elementCount();
  for (int64_t i = 0; i < count; ++i)
    for (bool imaginary : parts)
      if (double value = std::abs(tools::elementAsDouble(expected, i, imaginary)); std::isfinite(value))
        largest = std::max(largest, value);
  for (int64_t i = 0; i < count; ++i)
    for (bool imaginary : parts) {
      double a = tools::elementAsDouble(actual, i, imaginary), b = tools::elementAsDouble(expected, i, imaginary);
      ASSERT_TRUE(isEqual(a, b, epsilonOf(type) * largest)) << what << ", element " << i << ": " << a << ", not " << b;
    }
}

} // namespace tenon::testing
