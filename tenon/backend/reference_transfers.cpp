#include "tenon/backend/reference_transfers.h"

#include "tenon/codegen/common/interface/runtime_call.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/runtime/collectives/grid_run.h"
#include "tenon/runtime/collectives/rendezvous.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/core/transfer.h"

#include <chrono>

namespace tenon::backend {

interpreter::TransferHandler transferAsCompiled(const runtime::RunOptions &run) {
  runtime::registerTransfers();
  return [&run](mlir::Operation *op,
                llvm::ArrayRef<interpreter::Value> payload) -> StatusOr<std::vector<interpreter::Value>> {
    llvm::FailureOr<program::RuntimeCall> runtimeCall = codegen::makeRuntimeCall(op);
    if (llvm::failed(runtimeCall))
      return internalError("no routine for " + op->getName().getStringRef().str());
    TENON_ASSIGN_OR_RETURN(auto instance, runtime::instantiateRuntimeCall(*runtimeCall));
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
    TENON_RETURN_IF_ERROR(instance->call({operands, results, run, pool}));
    return std::vector<interpreter::Value>(outputs.begin(), outputs.end());
  };
}

interpreter::ExchangeHandler exchangeAt(const runtime::RunOptions &run) {
  using Values = std::vector<interpreter::Value>;
  // Types belong to the program of each process, so that others see the bytes.
  using Content = std::vector<llvm::ArrayRef<uint8_t>>;
  return [&run](mlir::Operation *op, llvm::ArrayRef<int64_t> members,
                llvm::ArrayRef<interpreter::Value> given) -> StatusOr<std::vector<Values>> {
    Content mine;
    std::string what = op->getName().getStringRef().str() + " of";
    for (const interpreter::Value &value : given) {
      mine.push_back(value.tensor().bytes());
      llvm::raw_string_ostream(what) << " " << value.tensor().type();
    }
    std::vector<Values> all;
    auto read = [&](std::span<const runtime::Rendezvous::Part> parts) -> Status {
      for (const runtime::Rendezvous::Part &part : parts) {
        Values &values = all.emplace_back();
        for (auto [bytes, own] : llvm::zip_equal(*static_cast<const Content *>(part.content), given)) {
          TENON_ASSIGN_OR_RETURN(auto tensor, interpreter::Tensor::fromBytes(own.tensor().type(), bytes));
          values.emplace_back(std::move(tensor));
        }
      }
      return {};
    };
    TENON_RETURN_IF_ERROR(
        run.rendezvous->meet(members, run.process(), {&run.rendezvous->purpose(what), &mine}, read, run.wait));
    return all;
  };
}

interpreter::DevicesHandler devicesOf(const runtime::RunOptions &run) {
  return [&run](const interpreter::Options &base, int64_t count,
                llvm::function_ref<Status(const interpreter::Options &)> process) {
    return runtime::runGrid(1, static_cast<int32_t>(count), run, [&](const runtime::RunOptions &own) {
      interpreter::Options options = base;
      options.grid = {1, count};
      options.process = own.process();
      options.transfer = transferAsCompiled(own);
      options.exchange = exchangeAt(own);
      options.stop = [&own] { return !checkWait(own.wait).ok(); };
      return process(options);
    });
  };
}

// Between ops, which is often enough: each of them ends.
Status checkWait(const runtime::Wait &wait) {
  if (wait.stop.stop_requested())
    return {StatusCode::kCancelled, "the run has been cancelled"};
  if (std::chrono::steady_clock::now() >= wait.deadline)
    return {StatusCode::kDeadlineExceeded, "the run takes longer than it may"};
  return {};
}

} // namespace tenon::backend
