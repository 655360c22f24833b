// Custom calls that run FFI handlers: one instance for each call site.

#include "tenon/runtime/cpu/ffi.h"

#include "tenon/runtime/core/relayout.h"
#include "tenon/runtime/core/untyped_call.h"
#include "tenon/runtime/cpu/ffi_internal.h"

#include <memory>

namespace tenon::runtime {
namespace {

XLA_FFI_CallFrame makeFrame(XLA_FFI_InvokeContext &context, XLA_FFI_ExecutionStage stage) {
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.api = ffiApi();
  frame.ctx = &context;
  frame.stage = stage;
  frame.args.struct_size = XLA_FFI_Args_STRUCT_SIZE;
  frame.rets.struct_size = XLA_FFI_Rets_STRUCT_SIZE;
  frame.attrs.struct_size = XLA_FFI_Attrs_STRUCT_SIZE;
  return frame;
}

// Calls one stage, and waits for the handler if it continues in the background.
Status invoke(XLA_FFI_Handler *handler, XLA_FFI_CallFrame &frame) {
  TENON_RETURN_IF_ERROR(takeFfiError(handler(&frame)));
  if (!frame.future)
    return {};
  std::unique_ptr<XLA_FFI_Future> future(frame.future);
  std::unique_lock lock(future->mutex);
  future->changed.wait(lock, [&] { return future->available; });
  Status status = std::move(future->status);
  lock.unlock();
  return status;
}

// Operands or results as handlers see them.
struct Buffers {
  std::vector<XLA_FFI_Buffer> buffers;
  std::vector<void *> pointers;

  Buffers(std::vector<program::Shape> &shapes, std::span<void *const> data) {
    buffers.reserve(shapes.size());
    for (size_t i = 0; i < shapes.size(); ++i)
      buffers.push_back({XLA_FFI_Buffer_STRUCT_SIZE, nullptr, ffiDataType(shapes[i].type), data[i],
                         int64_t(shapes[i].dims.size()), shapes[i].dims.data()});
    for (XLA_FFI_Buffer &buffer : buffers)
      pointers.push_back(&buffer);
  }
};

// The handlers of one call site.
class FfiStages {
public:
  static StatusOr<std::unique_ptr<FfiStages>> create(const XLA_FFI_Handler_Bundle &bundle,
                                                     const program::RuntimeCall &runtimeCall) {
    TENON_ASSIGN_OR_RETURN(auto attributes, FfiAttributes::create(runtimeCall.attributes));
    std::unique_ptr<FfiStages> made(new FfiStages(bundle, runtimeCall, std::move(attributes)));
    if (bundle.instantiate) {
      XLA_FFI_InvokeContext context;
      context.states[XLA_FFI_ExecutionStage_INSTANTIATE] = &made->state_;
      XLA_FFI_CallFrame frame = makeFrame(context, XLA_FFI_ExecutionStage_INSTANTIATE);
      frame.attrs = made->attributes_->attrs();
      TENON_RETURN_IF_ERROR(invoke(bundle.instantiate, frame));
    }
    return made;
  }

  ~FfiStages() { destroyFfiState(state_); }
  FfiStages(const FfiStages &) = delete;
  FfiStages &operator=(const FfiStages &) = delete;

  // Runs the stages of a call; `context` says where.
  Status run(XLA_FFI_InvokeContext &context, std::span<void *const> operandData, std::span<void *const> resultData) {
    RunState run;
    context.states[XLA_FFI_ExecutionStage_INSTANTIATE] = &state_;
    context.states[XLA_FFI_ExecutionStage_PREPARE] = &run.prepare;
    context.states[XLA_FFI_ExecutionStage_INITIALIZE] = &run.initialize;
    Buffers operands(operands_, operandData), results(results_, resultData);
    const std::pair<XLA_FFI_ExecutionStage, XLA_FFI_Handler *> stages[] = {
        {XLA_FFI_ExecutionStage_PREPARE, bundle_.prepare},
        {XLA_FFI_ExecutionStage_INITIALIZE, bundle_.initialize},
        {XLA_FFI_ExecutionStage_EXECUTE, bundle_.execute}};
    for (auto [stage, handler] : stages) {
      if (!handler)
        continue;
      XLA_FFI_CallFrame frame = makeFrame(context, stage);
      frame.args.size = int64_t(operands.pointers.size());
      frame.args.types = argumentTypes_.data();
      frame.args.args = operands.pointers.data();
      frame.rets.size = int64_t(results.pointers.size());
      frame.rets.types = resultTypes_.data();
      frame.rets.rets = results.pointers.data();
      frame.attrs = attributes_->attrs();
      TENON_RETURN_IF_ERROR(invoke(handler, frame));
    }
    return {};
  }

private:
  // The state that the stages of one run pass on to later ones.
  struct RunState {
    FfiState prepare, initialize;
    ~RunState() {
      destroyFfiState(initialize);
      destroyFfiState(prepare);
    }
  };

  FfiStages(const XLA_FFI_Handler_Bundle &bundle, const program::RuntimeCall &runtimeCall,
            std::unique_ptr<FfiAttributes> attributes)
      : bundle_(bundle), attributes_(std::move(attributes)), operands_(runtimeCall.operands),
        results_(runtimeCall.results), argumentTypes_(runtimeCall.operands.size(), XLA_FFI_ArgType_BUFFER),
        resultTypes_(runtimeCall.results.size(), XLA_FFI_RetType_BUFFER) {}

  XLA_FFI_Handler_Bundle bundle_;
  std::unique_ptr<FfiAttributes> attributes_;
  std::vector<program::Shape> operands_, results_;
  std::vector<XLA_FFI_ArgType> argumentTypes_;
  std::vector<XLA_FFI_RetType> resultTypes_;
  FfiState state_;
};

void setDevice(XLA_FFI_InvokeContext &, const CallBuffers &) {}
void setDevice(XLA_FFI_InvokeContext &context, const DeviceCallBuffers &call) {
  context.stream = call.stream;
  context.scratch = &call.scratch;
}

// A call on the host, or on a device with memory of its own.
template <typename Instance, typename CallOfInstance> class FfiCall : public Instance {
public:
  template <typename Made>
  static StatusOr<std::unique_ptr<Instance>> create(const XLA_FFI_Handler_Bundle &bundle,
                                                    const program::RuntimeCall &runtimeCall) {
    TENON_ASSIGN_OR_RETURN(auto stages, FfiStages::create(bundle, runtimeCall));
    return std::unique_ptr<Instance>(std::make_unique<Made>(std::move(stages)));
  }

  explicit FfiCall(std::unique_ptr<FfiStages> stages) : stages_(std::move(stages)) {}

  Status call(const CallOfInstance &call) override {
    XLA_FFI_InvokeContext context;
    context.options = &call.options;
    context.pool = &call.pool;
    setDevice(context, call);
    return stages_->run(context, call.operands, call.results);
  }

private:
  std::unique_ptr<FfiStages> stages_;
};
using FfiHostCall = FfiCall<RuntimeCallInstance, CallBuffers>;
using FfiDeviceCall = FfiCall<DeviceCallInstance, DeviceCallBuffers>;

// The call of a handler that says that graphs may have what it does.
class CapturableFfiCall final : public FfiDeviceCall {
public:
  using FfiDeviceCall::FfiDeviceCall;
  bool isCapturable() const override { return true; }
};

// Whether all arrays are in the order in which programs have them.
bool isInOrder(const std::vector<program::Shape> &shapes, const std::vector<std::vector<int64_t>> &layouts) {
  for (size_t i = 0; i < layouts.size(); ++i)
    if (!layouts[i].empty() && !isRowMajor(shapes[i].dims, layouts[i]))
      return false;
  return true;
}

StatusOr<std::unique_ptr<DeviceCallInstance>> makeFfiDeviceCall(const XLA_FFI_Handler_Bundle &bundle, bool isCapturable,
                                                                const program::RuntimeCall &runtimeCall) {
  if (runtimeCall.apiVersion != kTypedApiVersion)
    return invalidArgument("it is a handler of the FFI (api_version = 4), but called with api_version = " +
                           std::to_string(runtimeCall.apiVersion));
  if (!isInOrder(runtimeCall.operands, runtimeCall.operandLayouts) ||
      !isInOrder(runtimeCall.results, runtimeCall.resultLayouts))
    return unimplemented("handlers on GPUs are given row-major arrays alone, and this call asks for another order");
  return isCapturable ? FfiDeviceCall::create<CapturableFfiCall>(bundle, runtimeCall)
                      : FfiDeviceCall::create<FfiDeviceCall>(bundle, runtimeCall);
}

// Asks a handler which interface it was built for, and what it says of itself.
StatusOr<XLA_FFI_Handler_Traits> traitsOf(std::string_view name, XLA_FFI_Handler *handler) {
  XLA_FFI_Metadata metadata = {};
  metadata.struct_size = XLA_FFI_Metadata_STRUCT_SIZE;
  metadata.api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
  XLA_FFI_Metadata_Extension extension = {{XLA_FFI_Metadata_Extension_STRUCT_SIZE, XLA_FFI_Extension_Metadata, nullptr},
                                          &metadata};
  XLA_FFI_InvokeContext context;
  XLA_FFI_CallFrame frame = makeFrame(context, XLA_FFI_ExecutionStage_EXECUTE);
  frame.extension_start = &extension.extension_base;
  if (Status status = takeFfiError(handler(&frame)); !status.ok())
    return Status(status.code(), "handler '" + std::string(name) + "' does not tell its version: " + status.message());
  if (metadata.api_version.major_version != XLA_FFI_API_MAJOR)
    return failedPrecondition("handler '" + std::string(name) + "' was built for version " +
                              std::to_string(metadata.api_version.major_version) + "." +
                              std::to_string(metadata.api_version.minor_version) + " of the FFI; this runtime has " +
                              std::to_string(XLA_FFI_API_MAJOR) + "." + std::to_string(XLA_FFI_API_MINOR));
  return metadata.traits;
}

} // namespace

std::optional<FfiPlatform> ffiPlatformOf(std::string_view name) {
  std::string lower(name);
  for (char &c : lower)
    c = char(c >= 'A' && c <= 'Z' ? c + 32 : c);
  if (lower == "cuda" || lower == "gpu")
    return FfiPlatform::kGpu;
  if (lower == "host" || lower == "cpu" || lower == "tenon")
    return FfiPlatform::kHost;
  return std::nullopt;
}

Status registerFfiHandler(std::string_view name, const XLA_FFI_Handler_Bundle &bundle, XLA_FFI_Handler_Traits traits,
                          FfiPlatform platform) {
  if (!bundle.execute)
    return invalidArgument("handler '" + std::string(name) + "' has no execute stage");
  TENON_ASSIGN_OR_RETURN(XLA_FFI_Handler_Traits own, traitsOf(name, bundle.execute));
  const bool isCapturable = (traits | own) & XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE;
  if (platform == FfiPlatform::kGpu)
    registerDeviceCall(program::RuntimeCall::Kind::kCustomCall, name,
                       [bundle, isCapturable](const program::RuntimeCall &call) {
                         return makeFfiDeviceCall(bundle, isCapturable, call);
                       });
  else
    registerCustomCall(
        name, [bundle](const program::RuntimeCall &call) { return FfiHostCall::create<FfiHostCall>(bundle, call); },
        CallInterface::kTyped);
  return {};
}

} // namespace tenon::runtime
