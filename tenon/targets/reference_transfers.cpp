#include "tenon/targets/reference_transfers.h"

#include "tenon/codegen/common/service.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/core/transfer.h"

namespace tenon::targets {

interpreter::TransferHandler transferAsCompiled(const runtime::RunOptions &run) {
  runtime::registerTransfers();
  return [&run](mlir::Operation *op,
                llvm::ArrayRef<interpreter::Value> payload) -> StatusOr<std::vector<interpreter::Value>> {
    llvm::FailureOr<program::Service> service = codegen::makeService(op);
    if (llvm::failed(service))
      return internalError("no routine for " + op->getName().getStringRef().str());
    auto instance = runtime::instantiateService(*service);
    if (!instance.ok())
      return instance.status();
    std::vector<interpreter::Tensor> inputs, outputs;
    std::vector<void *> operands(op->getNumOperands()), results(op->getNumResults());
    for (const interpreter::Value &value : payload)
      inputs.push_back(value.tensor());
    for (auto [i, input] : llvm::enumerate(inputs))
      operands[i] = input.mutableData(); // the token comes last
    for (mlir::Type type : llvm::drop_end(op->getResultTypes())) {
      auto tensor = llvm::cast<mlir::RankedTensorType>(type);
      outputs.emplace_back(tensor.getShape(), tensor.getElementType());
    }
    for (auto [i, output] : llvm::enumerate(outputs))
      results[i] = output.mutableData();
    runtime::ThreadPool &pool = run.pool ? *run.pool : runtime::ThreadPool::global();
    if (Status status = (*instance)->call({operands, results, run, pool}); !status.ok())
      return status;
    return std::vector<interpreter::Value>(outputs.begin(), outputs.end());
  };
}

} // namespace tenon::targets
