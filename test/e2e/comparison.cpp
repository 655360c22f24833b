#include "test/e2e/comparison.h"

#include "tenon/frontend/import/import.h"
#include "tenon/interpreter/interpreter.h"
#include "tenon/ir/register.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

namespace tenon::testing {

using xla::Literal;

static llvm::ArrayRef<uint8_t> bytesOf(const Literal &array) {
  return {static_cast<const uint8_t *>(array.untyped_data()), size_t(array.size_bytes())};
}

std::vector<Literal> randomInputs(const program::Program &program) {
  std::vector<Literal> inputs;
  for (const program::Argument &argument : program.arguments)
    inputs.push_back(tools::randomArray(argument.shape, inputs.size() + 1).ConsumeValueOrDie());
  return inputs;
}

StatusOr<std::vector<Literal>> runNative(runtime::LoadedProgram &program, const std::vector<Literal> &inputs) {
  std::vector<llvm::ArrayRef<uint8_t>> arguments;
  for (const Literal &input : inputs)
    arguments.push_back(bytesOf(input));
  TENON_ASSIGN_OR_RETURN(auto results, run(program, arguments));
  // Again with memory shared as far as the program allows it, and among threads.
  TENON_ASSIGN_OR_RETURN(
      auto again, run(program, arguments, {codegen::testing::Guard::kBefore, /*givesArguments=*/true, /*threads=*/3}));
  if (again != results)
    return internalError("a run on given arguments has other results");
  std::vector<Literal> arrays;
  for (auto [result, bytes] : llvm::zip(program.program().results, results))
    arrays.push_back(tools::makeArray(result.shape, bytes.data()).ConsumeValueOrDie());
  return tools::cutToSizes(program.program().results, std::move(arrays));
}

StatusOr<std::vector<Literal>> runReference(const std::string &source, const std::vector<Literal> &inputs,
                                            const program::Program &program) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  auto module = frontend::importModule(source, context);
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  std::vector<interpreter::Value> arguments;
  for (auto [type, array] : llvm::zip(main.getArgumentTypes(), inputs))
    arguments.emplace_back(*interpreter::Tensor::fromBytes(
        mlir::cast<mlir::RankedTensorType>(type).clone(tools::shapeOf(array).dims), bytesOf(array)));
  TENON_ASSIGN_OR_RETURN(auto values, interpreter::interpret(*module, "main", arguments));
  std::vector<Literal> arrays;
  for (auto [result, value] : llvm::zip(program.results, values)) {
    program::Shape shape{result.shape.type, value.tensor().shape().vec()};
    arrays.push_back(tools::makeArray(shape, value.tensor().bytes().data()).ConsumeValueOrDie());
  }
  return arrays;
}

void compareArrays(const Literal &actual, const Literal &expected, const std::string &what) {
  EXPECT_EQ(tools::describeDifference(actual, expected), "") << what;
}

} // namespace tenon::testing
