#include "test/e2e/comparison.h"

#include "tenon/frontend/import/import.h"
#include "tenon/interpreter/interpreter.h"
#include "tenon/ir/register.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

namespace tenon::testing {

using tools::Array;

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
  TENON_ASSIGN_OR_RETURN(auto results, run(program, arguments));
  // Again with memory shared as far as the program allows it, and among threads.
  TENON_ASSIGN_OR_RETURN(
      auto again, run(program, arguments, {codegen::testing::Guard::kBefore, /*givesArguments=*/true, /*threads=*/3}));
  if (again != results)
    return internalError("a run on given arguments has other results");
  std::vector<Array> arrays;
  for (auto [result, bytes] : llvm::zip(program.program().results, results))
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
    arguments.emplace_back(*interpreter::Tensor::fromBytes(
        mlir::cast<mlir::RankedTensorType>(type).clone(array.shape.dims), llvm::ArrayRef(array.bytes)));
  TENON_ASSIGN_OR_RETURN(auto values, interpreter::interpret(*module, "main", arguments));
  std::vector<Array> arrays;
  for (auto [result, value] : llvm::zip(program.results, values)) {
    llvm::ArrayRef<uint8_t> bytes = value.tensor().bytes();
    llvm::ArrayRef<int64_t> dims = value.tensor().shape();
    arrays.push_back({{result.shape.type, {dims.begin(), dims.end()}}, {bytes.begin(), bytes.end()}});
  }
  return arrays;
}

void compareArrays(const Array &actual, const Array &expected, const std::string &what) {
  EXPECT_EQ(tools::describeDifference(actual, expected), "") << what;
}

} // namespace tenon::testing
