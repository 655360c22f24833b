// The functions that handlers call, and the table that leads to them.

#include "tenon/runtime/core/memory.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/cpu/ffi.h"
#include "tenon/runtime/cpu/ffi_internal.h"
#include "tenon/runtime/cpu/task_queue.h"

#include <cstddef>
#include <map>

namespace tenon::runtime {
namespace {

XLA_FFI_Error *makeError(Status status) { return new XLA_FFI_Error(std::move(status)); }
XLA_FFI_Error *makeError(StatusCode code, std::string message) { return makeError(Status(code, std::move(message))); }

// Structs from handlers built with older headers are shorter; newer ones have fields that nobody here reads.
XLA_FFI_Error *checkSize(const char *name, size_t expected, size_t actual) {
  if (actual >= expected)
    return nullptr;
  return makeError(StatusCode::kInvalidArgument, std::string(name) + " has " + std::to_string(actual) +
                                                     " bytes, expected at least " + std::to_string(expected));
}
#define TENON_CHECK_SIZE(args, name)                                                                                   \
  if (XLA_FFI_Error *error = checkSize(#name, name##_STRUCT_SIZE, (args)->struct_size))                                \
  return error

// Types of states and user data, by name and by id.
class TypeRegistry {
public:
  static TypeRegistry &instance() {
    static TypeRegistry *registry = new TypeRegistry();
    return *registry;
  }

  StatusOr<int64_t> add(std::string_view name, int64_t id, const XLA_FFI_TypeInfo *info) {
    std::lock_guard lock(mutex_);
    auto it = ids_.find(name);
    if (it != ids_.end()) {
      if (id != 0 && id != it->second)
        return invalidArgument("FFI type '" + std::string(name) + "' is registered with another id");
      return it->second;
    }
    if (id == 0)
      while (deleters_.contains(next_))
        ++next_;
    else if (deleters_.contains(id))
      return invalidArgument("FFI type id " + std::to_string(id) + " belongs to another type");
    if (id == 0)
      id = next_;
    ids_.emplace(name, id);
    deleters_[id] = info ? info->deleter : nullptr;
    return id;
  }

  void (*deleter(int64_t id))(void *) {
    std::lock_guard lock(mutex_);
    auto it = deleters_.find(id);
    return it == deleters_.end() ? nullptr : it->second;
  }

private:
  std::mutex mutex_;
  std::map<std::string, int64_t, std::less<>> ids_;
  std::map<int64_t, void (*)(void *)> deleters_;
  int64_t next_ = 1;
};

XLA_FFI_Error *errorCreate(XLA_FFI_Error_Create_Args *args) {
  TENON_CHECK_SIZE(args, XLA_FFI_Error_Create_Args);
  return makeError(StatusCode(args->errc), args->message ? args->message : "");
}

// Up to version 0.3 this was GetMessage, and its struct ended with the message.
void errorGetDetails(XLA_FFI_Error_GetDetails_Args *args) {
  args->message = args->error->status->message().c_str();
  if (args->struct_size >= XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE)
    args->errc = XLA_FFI_Error_Code(args->error->status->code());
}

void errorDestroy(XLA_FFI_Error_Destroy_Args *args) { delete args->error; }

// Version 0.3's arguments: its bundle lacks the `record` stage.
struct HandlerRegisterArgs3 {
  size_t structSize;
  void *extensionStart;
  XLA_FFI_ByteSpan name, platform;
  XLA_FFI_Handler *instantiate, *prepare, *initialize, *execute;
  XLA_FFI_Handler_Traits traits;
};

XLA_FFI_Error *handlerRegister(XLA_FFI_Handler_Register_Args *args) {
  constexpr size_t size3 = offsetof(HandlerRegisterArgs3, traits) + sizeof(XLA_FFI_Handler_Traits);
  if (XLA_FFI_Error *error = checkSize("XLA_FFI_Handler_Register_Args", size3, args->struct_size))
    return error;
  std::string_view name(args->platform.ptr, args->platform.len);
  std::optional<FfiPlatform> platform = ffiPlatformOf(name);
  if (!platform)
    return makeError(StatusCode::kInvalidArgument,
                     "handlers for platform '" + std::string(name) + "' cannot run on CPUs or NVIDIA's GPUs");
  XLA_FFI_Handler_Bundle bundle = {};
  XLA_FFI_Handler_Traits traits;
  if (args->struct_size >= XLA_FFI_Handler_Register_Args_STRUCT_SIZE) {
    bundle = args->bundle;
    traits = args->traits;
  } else {
    const auto &old = *reinterpret_cast<const HandlerRegisterArgs3 *>(args);
    bundle.instantiate = old.instantiate;
    bundle.prepare = old.prepare;
    bundle.initialize = old.initialize;
    bundle.execute = old.execute;
    traits = old.traits;
  }
  Status status = registerFfiHandler({args->name.ptr, args->name.len}, bundle, traits, *platform);
  return status.ok() ? nullptr : makeError(std::move(status));
}

XLA_FFI_Error *streamGet(XLA_FFI_Stream_Get_Args *args) {
  static const Status error(StatusCode::kUnimplemented, "the CPU has no streams");
  if (!args->ctx || !args->ctx->scratch)
    return new XLA_FFI_Error(&error);
  args->stream = args->ctx->stream;
  return nullptr;
}

XLA_FFI_Error *typeRegister(XLA_FFI_Type_Register_Args *args) {
  TENON_CHECK_SIZE(args, XLA_FFI_Type_Register_Args);
  StatusOr<int64_t> id = registerFfiType({args->name.ptr, args->name.len}, args->type_id->type_id, args->type_info);
  if (!id.ok())
    return makeError(id.status());
  args->type_id->type_id = *id;
  return nullptr;
}

XLA_FFI_Error *executionContextGet(XLA_FFI_InvokeContext_Get_Args *args) {
  TENON_CHECK_SIZE(args, XLA_FFI_InvokeContext_Get_Args);
  const RunOptions *options = args->ctx->options;
  if (options && options->userData)
    if (auto it = options->userData->find(args->type_id->type_id); it != options->userData->end()) {
      args->data = it->second;
      return nullptr;
    }
  return makeError(StatusCode::kNotFound,
                   "the execution context holds no user data of type " + std::to_string(args->type_id->type_id));
}

XLA_FFI_Error *stateSet(XLA_FFI_State_Set_Args *args) {
  TENON_CHECK_SIZE(args, XLA_FFI_State_Set_Args);
  FfiState *state = args->stage < kFfiStages ? args->ctx->states[args->stage] : nullptr;
  if (!state || state->object)
    return makeError(StatusCode::kFailedPrecondition, state ? "the state is set already" : "no state in this stage");
  *state = {args->type_id->type_id, args->state};
  return nullptr;
}

XLA_FFI_Error *stateGet(XLA_FFI_State_Get_Args *args) {
  TENON_CHECK_SIZE(args, XLA_FFI_State_Get_Args);
  FfiState *state = args->stage < kFfiStages ? args->ctx->states[args->stage] : nullptr;
  if (!state || !state->object)
    return makeError(StatusCode::kNotFound, "the state is not set");
  if (state->type != args->type_id->type_id)
    return makeError(StatusCode::kInvalidArgument, "the state is of another type");
  args->state = state->object;
  return nullptr;
}

XLA_FFI_Error *deviceMemoryAllocate(XLA_FFI_DeviceMemory_Allocate_Args *args) {
  TENON_CHECK_SIZE(args, XLA_FFI_DeviceMemory_Allocate_Args);
  if (args->alignment > kBufferAlignment)
    return makeError(StatusCode::kUnimplemented,
                     "memory aligned to " + std::to_string(args->alignment) + " bytes is not available");
  if (DeviceScratch *scratch = args->ctx->scratch) {
    StatusOr<void *> memory = scratch->allocate(int64_t(args->size));
    args->data = memory.ok() ? *memory : nullptr;
    return memory.ok() ? nullptr : makeError(memory.status());
  }
  args->data = allocateBuffer(args->size);
  return args->data ? nullptr
                    : makeError(StatusCode::kResourceExhausted,
                                "out of memory: cannot allocate " + std::to_string(args->size) + " bytes");
}

XLA_FFI_Error *deviceMemoryFree(XLA_FFI_DeviceMemory_Free_Args *args) {
  TENON_CHECK_SIZE(args, XLA_FFI_DeviceMemory_Free_Args);
  if (!args->ctx->scratch) // which frees all of it when the call has ended
    freeBuffer(args->data, args->size);
  return nullptr;
}

XLA_FFI_Error *threadPoolSchedule(XLA_FFI_ThreadPool_Schedule_Args *args) {
  TENON_CHECK_SIZE(args, XLA_FFI_ThreadPool_Schedule_Args);
  TaskQueue::global().schedule(args->task, args->data);
  return nullptr;
}

XLA_FFI_Error *threadPoolNumThreads(XLA_FFI_ThreadPool_NumThreads_Args *args) {
  TENON_CHECK_SIZE(args, XLA_FFI_ThreadPool_NumThreads_Args);
  *args->num_threads = TaskQueue::global().size();
  return nullptr;
}

XLA_FFI_Error *futureCreate(XLA_FFI_Future_Create_Args *args) {
  args->future = new XLA_FFI_Future();
  return nullptr;
}

XLA_FFI_Error *completeFuture(XLA_FFI_Future *future, Status status) {
  std::lock_guard lock(future->mutex);
  if (future->available)
    return makeError(StatusCode::kFailedPrecondition, "the future is complete already");
  future->available = true;
  future->status = std::move(status);
  future->changed.notify_all(); // under the lock: the waiter destroys the future
  return nullptr;
}

XLA_FFI_Error *futureSetAvailable(XLA_FFI_Future_SetAvailable_Args *args) {
  TENON_CHECK_SIZE(args, XLA_FFI_Future_SetAvailable_Args);
  return completeFuture(args->future, {});
}

XLA_FFI_Error *futureSetError(XLA_FFI_Future_SetError_Args *args) {
  TENON_CHECK_SIZE(args, XLA_FFI_Future_SetError_Args);
  return completeFuture(args->future, takeFfiError(args->error));
}

XLA_FFI_Error *runIdGet(XLA_FFI_RunId_Get_Args *args) {
  TENON_CHECK_SIZE(args, XLA_FFI_RunId_Get_Args);
  if (!args->ctx->options)
    return makeError(StatusCode::kFailedPrecondition, "no run in this stage");
  args->run_id = args->ctx->options->runId;
  return nullptr;
}

XLA_FFI_Error *deviceOrdinalGet(XLA_FFI_DeviceOrdinal_Get_Args *args) {
  TENON_CHECK_SIZE(args, XLA_FFI_DeviceOrdinal_Get_Args);
  if (!args->ctx->options)
    return makeError(StatusCode::kFailedPrecondition, "no device in this stage");
  args->device_ordinal = args->ctx->options->deviceOrdinal;
  return nullptr;
}

XLA_FFI_Error *findExtension(XLA_FFI_InvokeContext_FindExtension_Args *args) {
  TENON_CHECK_SIZE(args, XLA_FFI_InvokeContext_FindExtension_Args);
  args->extension = nullptr; // no extensions are attached
  return nullptr;
}

XLA_FFI_Api makeApi() {
  XLA_FFI_Api api = {};
  api.struct_size = XLA_FFI_Api_STRUCT_SIZE;
  api.api_version = {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR};
  api.XLA_FFI_Error_Create = errorCreate;
  api.XLA_FFI_Error_GetDetails = errorGetDetails;
  api.XLA_FFI_Error_Destroy = errorDestroy;
  api.XLA_FFI_Handler_Register = handlerRegister;
  api.XLA_FFI_Stream_Get = streamGet;
  api.XLA_FFI_Type_Register = typeRegister;
  api.XLA_FFI_InvokeContext_Get = executionContextGet;
  api.XLA_FFI_State_Set = stateSet;
  api.XLA_FFI_State_Get = stateGet;
  api.XLA_FFI_DeviceMemory_Allocate = deviceMemoryAllocate;
  api.XLA_FFI_DeviceMemory_Free = deviceMemoryFree;
  api.XLA_FFI_ThreadPool_Schedule = threadPoolSchedule;
  api.XLA_FFI_ThreadPool_NumThreads = threadPoolNumThreads;
  api.XLA_FFI_Future_Create = futureCreate;
  api.XLA_FFI_Future_SetAvailable = futureSetAvailable;
  api.XLA_FFI_Future_SetError = futureSetError;
  api.XLA_FFI_RunId_Get = runIdGet;
  api.XLA_FFI_DeviceOrdinal_Get = deviceOrdinalGet;
  api.XLA_FFI_InvokeContext_FindExtension = findExtension;
  return api;
}

} // namespace

const XLA_FFI_Api *ffiApi() {
  static const XLA_FFI_Api api = makeApi();
  return &api;
}

StatusOr<int64_t> registerFfiType(std::string_view name, int64_t id, const XLA_FFI_TypeInfo *info) {
  return TypeRegistry::instance().add(name, id, info);
}

void destroyFfiState(FfiState &state) {
  if (state.object)
    if (auto *deleter = TypeRegistry::instance().deleter(state.type))
      deleter(state.object);
  state = {};
}

Status takeFfiError(XLA_FFI_Error *error) {
  if (!error)
    return {};
  Status status = *error->status;
  delete error;
  // A handler that reports "OK" as an error still failed.
  return status.ok() ? Status(StatusCode::kUnknown, "the handler failed without a reason") : status;
}

} // namespace tenon::runtime
