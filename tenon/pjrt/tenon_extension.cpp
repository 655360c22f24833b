#include "tenon/pjrt/tenon_extension.h"

#include "tenon/pjrt/error.h"
#include "tenon/pjrt/extensions.h"
#include "tenon/pjrt/failure_news.h"
#include "tenon/pjrt/python_bridge.h"
#include "tenon/pjrt/types.h"
#include "tenon/pjrt/work_queue.h"
#include "tenon/program/attributes.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/runtime/cpu/ffi.h"
#include "tenon/runtime/cpu/lapack_library.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace tenon::pjrt {
namespace {

Status registerHandler(Tenon_RegisterHandler_Args &args) {
  auto handler = [](void *function) { return reinterpret_cast<XLA_FFI_Handler *>(function); };
  XLA_FFI_Handler_Bundle bundle{};
  bundle.instantiate = handler(args.instantiate);
  bundle.prepare = handler(args.prepare);
  bundle.initialize = handler(args.initialize);
  bundle.execute = handler(args.execute);
  return runtime::registerFfiHandler({args.target_name, args.target_name_size}, bundle, args.traits,
                                     args.on_gpu ? runtime::FfiPlatform::kGpu : runtime::FfiPlatform::kHost);
}

Status registerFunction(Tenon_RegisterFunction_Args &args) {
  if (!args.function)
    return invalidArgument("a custom call target needs a function");
  runtime::registerUntypedCall({args.target_name, args.target_name_size}, args.function);
  return {};
}

// What JAX's runtime attaches to a run with host callbacks: xla::FfiLoadedHostCallbacks of xla/pjrt/host_callback.h.
struct LoadedCallbacks {
  void **functions;
  uint32_t count;
};

class CallbackCall : public runtime::RuntimeCallInstance {
public:
  static StatusOr<std::unique_ptr<runtime::RuntimeCallInstance>> create(const program::RuntimeCall &runtimeCall,
                                                                        Tenon_CallFunction call) {
    TENON_ASSIGN_OR_RETURN(int64_t index, program::integerAttribute(runtimeCall.attributes, "index"));
    auto instance = std::make_unique<CallbackCall>();
    instance->call_ = call;
    instance->index_ = index;
    for (const program::Shape &shape : runtimeCall.operands)
      instance->operands_.push_back(makeBufferType(shape));
    for (const program::Shape &shape : runtimeCall.results)
      instance->results_.push_back(makeBufferType(shape));
    return std::unique_ptr<runtime::RuntimeCallInstance>(std::move(instance));
  }

  Status call(const runtime::CallBuffers &call) override {
    void *function = nullptr;
    TENON_RETURN_IF_ERROR(findFunction(call.options, function));
    std::vector<Tenon_HostArray> arguments, results;
    for (size_t i = 0; i < operands_.size(); ++i)
      arguments.push_back(hostArray(*operands_[i], call.operands[i]));
    for (size_t i = 0; i < results_.size(); ++i)
      results.push_back(hostArray(*results_[i], call.results[i]));
    std::array<char, 8192> error{};
    WorkQueue::Pause pause; // the function may use the device, and wait for another thread that does
    if (call_(function, arguments.size(), arguments.data(), results.size(), results.data(), error.data(), error.size()))
      return internalError(error.data());
    for (size_t i = 0; i < results_.size(); ++i)
      normalizeElements(results_[i]->shape.type, call.results[i], results_[i]->shape.elementCount());
    return {};
  }

private:
  static Tenon_HostArray hostArray(const BufferType &type, void *data) {
    return {data, type.bytes, type.shape.dims.data(), static_cast<int32_t>(type.shape.dims.size()),
            static_cast<int32_t>(type.pjrtType)};
  }

  // The list's type id is known to the framework alone, but it is the only thing attached.
  Status findFunction(const runtime::RunOptions &options, void *&function) const {
    if (!options.userData || options.userData->size() != 1)
      return failedPrecondition("a host callback was reached in a run to which the framework attached none");
    auto *callbacks = static_cast<const LoadedCallbacks *>(options.userData->begin()->second);
    if (index_ < 0 || index_ >= callbacks->count)
      return internalError("host callback number " + std::to_string(index_) + " of " +
                           std::to_string(callbacks->count) + " was asked for");
    function = callbacks->functions[index_];
    return {};
  }

  Tenon_CallFunction call_ = nullptr;
  int64_t index_ = 0;
  std::vector<BufferTypeRef> operands_, results_;
};

Status registerCallback(Tenon_RegisterCallback_Args &args) {
  markPythonBridged();
  markHostCallback({args.target_name, args.target_name_size});
  runtime::registerCustomCall(
      {args.target_name, args.target_name_size},
      [call = args.call](const program::RuntimeCall &runtimeCall) { return CallbackCall::create(runtimeCall, call); });
  return {};
}

Status suggestLapack(Tenon_SuggestLapack_Args &args) {
  runtime::LapackLibrary::suggest({args.path, args.path_size});
  return {};
}

Status tellFailure(Tenon_Failure_Args &args) {
  if (!args.message || !args.message_size)
    return invalidArgument("there must be memory for the message");
  std::string message = args.waits ? FailureNews::ofAll().await() : FailureNews::ofAll().failure();
  size_t size = std::min(message.size(), args.message_size - 1);
  std::memcpy(args.message, message.data(), size);
  args.message[size] = 0;
  return {};
}

Tenon_Extension makeExtension() {
  Tenon_Extension extension{};
  extension.base = {sizeof(Tenon_Extension), static_cast<PJRT_Extension_Type>(TENON_EXTENSION_TYPE), nullptr};
  extension.register_handler = [](Tenon_RegisterHandler_Args *args) -> PJRT_Error * {
    return callSlot("Tenon_RegisterHandler", sizeof(Tenon_RegisterHandler_Args), args, registerHandler);
  };
  extension.register_callback = [](Tenon_RegisterCallback_Args *args) -> PJRT_Error * {
    return callSlot("Tenon_RegisterCallback", sizeof(Tenon_RegisterCallback_Args), args, registerCallback);
  };
  extension.suggest_lapack = [](Tenon_SuggestLapack_Args *args) -> PJRT_Error * {
    return callSlot("Tenon_SuggestLapack", sizeof(Tenon_SuggestLapack_Args), args, suggestLapack);
  };
  extension.register_function = [](Tenon_RegisterFunction_Args *args) -> PJRT_Error * {
    return callSlot("Tenon_RegisterFunction", sizeof(Tenon_RegisterFunction_Args), args, registerFunction);
  };
  extension.failure = [](Tenon_Failure_Args *args) -> PJRT_Error * {
    return callSlot("Tenon_Failure", sizeof(Tenon_Failure_Args), args, tellFailure);
  };
  return extension;
}

} // namespace

PJRT_Extension_Base *tenonExtension(PJRT_Extension_Base *next) {
  static Tenon_Extension extension = makeExtension();
  extension.base.next = next;
  return &extension.base;
}

} // namespace tenon::pjrt
