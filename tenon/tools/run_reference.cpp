#include "tenon/interpreter/interpreter.h"
#include "tenon/targets/reference_transfers.h"
#include "tenon/tools/executor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <chrono>

namespace tenon::tools {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

namespace {

StatusOr<interpreter::Value> toValue(const Array &array, mlir::Type type) {
  if (array.shape.type == program::ElementType::kToken)
    return interpreter::Value(interpreter::Token{});
  auto tensorType = llvm::cast<mlir::RankedTensorType>(type);
  TENON_ASSIGN_OR_RETURN(auto tensor,
                         interpreter::Tensor::fromBytes(
                             mlir::RankedTensorType::get(array.shape.dims, tensorType.getElementType()), array.bytes));
  return interpreter::Value(std::move(tensor));
}

StatusOr<Array> toArray(const interpreter::Value &value, program::Shape shape) {
  if (value.isToken())
    return Array{{program::ElementType::kToken, {}}, {}};
  if (!value.isTensor())
    return unimplemented("a result is a tuple, which the command line cannot show");
  const interpreter::Tensor &tensor = value.tensor();
  shape.dims.assign(tensor.shape().begin(), tensor.shape().end());
  return Array{shape, tensor.bytes().vec()};
}

} // namespace

StatusOr<std::vector<Array>> runOnReference(const ExecutionRequest &request, ExecutionTimes &times) {
  if (request.file.compiled)
    return invalidArgument(request.file.path + " is compiled, which the interpreter cannot run: use --target cpu");
  auto main = request.file.module->lookupSymbol<mlir::func::FuncOp>("main");
  TENON_ASSIGN_OR_RETURN(auto results, request.file.results());
  std::vector<interpreter::Value> arguments;
  for (auto [array, type] : llvm::zip_equal(request.arguments, main.getArgumentTypes())) {
    TENON_ASSIGN_OR_RETURN(auto value, toValue(array, type));
    arguments.push_back(std::move(value));
  }
  request.file.module->getContext()->enableMultithreading(); // the devices of a mesh are threads
  std::vector<interpreter::Value> values;
  for (int i = 0; i < request.repeat; ++i) {
    Status status = request.host.attend(i + 1 == request.repeat, [&](const runtime::RunOptions &run) -> Status {
      interpreter::Options options;
      options.transfer = targets::transferAsCompiled(run);
      options.devices = targets::devicesOf(run);
      options.seed = request.seed;
      double start = now();
      auto outcome = interpreter::interpret(*request.file.module, "main", arguments, options);
      times.runSeconds.push_back(now() - start);
      if (!outcome.ok())
        return outcome.status();
      values = std::move(*outcome);
      return {};
    });
    if (!status.ok())
      return status;
  }
  std::vector<Array> arrays;
  for (auto [value, result] : llvm::zip_equal(values, results)) {
    TENON_ASSIGN_OR_RETURN(auto array, toArray(value, result.shape));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

} // namespace tenon::tools
