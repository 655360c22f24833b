// Ops without native code: the program carries each as a module of its own, run here by the reference interpreter.

#include "tenon/client/interpreter_service.h"

#include "tenon/frontend/import/import.h"
#include "tenon/interpreter/interpreter.h"
#include "tenon/ir/register.h"
#include "tenon/runtime/core/service.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include <cstring>
#include <mutex>

using namespace mlir;

namespace tenon::client {
namespace {

class InterpretedOp : public runtime::ServiceInstance {
public:
  static StatusOr<std::unique_ptr<runtime::ServiceInstance>> create(const program::Service &service) {
    auto instance = std::make_unique<InterpretedOp>();
    instance->name_ = service.target;
    DialectRegistry registry;
    registerAllDialects(registry);
    instance->context_ = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
    instance->context_->printOpOnDiagnostic(false);
    instance->module_ = frontend::importModule(service.payload, *instance->context_);
    if (!instance->module_)
      return internalError("the program's module for " + service.target + " can't be read");
    return std::unique_ptr<runtime::ServiceInstance>(std::move(instance));
  }

  Status call(const runtime::ServiceCall &call) override {
    std::lock_guard lock(mutex_); // the context is not thread-safe with threading disabled
    auto main = module_->lookupSymbol<func::FuncOp>("main");
    std::vector<interpreter::Value> arguments;
    for (auto [type, pointer] : llvm::zip(main.getArgumentTypes(), call.operands)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor) {
        arguments.emplace_back(interpreter::Token{});
        continue;
      }
      int64_t bytes = interpreter::Tensor(tensor.getShape(), tensor.getElementType()).byteCount();
      auto value =
          interpreter::Tensor::fromBytes(tensor, llvm::ArrayRef(static_cast<const uint8_t *>(pointer), size_t(bytes)));
      if (!value.ok())
        return value.status();
      arguments.emplace_back(std::move(*value));
    }
    auto results = interpreter::interpret(*module_, "main", arguments);
    if (!results.ok())
      return results.status();
    for (auto [value, pointer] : llvm::zip(*results, call.results))
      if (value.isTensor() && value.tensor().byteCount() > 0)
        std::memcpy(pointer, value.tensor().data(), value.tensor().byteCount());
    return {};
  }

private:
  std::string name_;
  std::mutex mutex_;
  std::unique_ptr<MLIRContext> context_;
  OwningOpRef<ModuleOp> module_;
};

} // namespace

void registerInterpreterService() { runtime::setInterpreterProvider(InterpretedOp::create); }

} // namespace tenon::client
