// Drives the plugin as a framework does: by dlopen and the C API alone.
#pragma once

#include "xla/pjrt/c/pjrt_c_api.h"

#include "gtest/gtest.h"

#include <cstring>
#include <dlfcn.h>
#include <string>
#include <utility>
#include <vector>

namespace tenon::pjrt {

struct Outcome {
  PJRT_Error_Code code = PJRT_Error_Code_OK;
  std::string message;
  bool ok() const { return code == PJRT_Error_Code_OK; }
};

inline std::ostream &operator<<(std::ostream &out, const Outcome &outcome) {
  return out << "code " << outcome.code << ": " << outcome.message;
}

inline void *symbolOfPlugin(const char *name) {
  static void *library = dlopen(TENON_TEST_PLUGIN, RTLD_LAZY | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, name) : nullptr;
  if (!symbol) {
    ADD_FAILURE() << dlerror();
    std::abort();
  }
  return symbol;
}

inline const PJRT_Api *loadApi() {
  static const auto *api = reinterpret_cast<const PJRT_Api *(*)()>(symbolOfPlugin("GetPjrtApi"))();
  return api;
}

// The fake backend's slow programs do not end before all of these have let go.
class SlowHold {
public:
  SlowHold() { hold(1); }
  SlowHold(const SlowHold &) = delete;
  SlowHold &operator=(const SlowHold &) = delete;
  ~SlowHold() { letGo(); }
  void letGo() {
    if (std::exchange(isHeld_, false))
      hold(-1);
  }

private:
  static void hold(int change) { reinterpret_cast<void (*)(int)>(symbolOfPlugin("tenonFakeHold"))(change); }
  bool isHeld_ = true;
};

inline Outcome take(PJRT_Error *error) {
  if (!error)
    return {};
  const PJRT_Api *api = loadApi();
  PJRT_Error_Message_Args message{PJRT_Error_Message_Args_STRUCT_SIZE, nullptr, error, nullptr, 0};
  api->PJRT_Error_Message(&message);
  PJRT_Error_GetCode_Args code{PJRT_Error_GetCode_Args_STRUCT_SIZE, nullptr, error, PJRT_Error_Code_OK};
  EXPECT_EQ(api->PJRT_Error_GetCode(&code), nullptr);
  Outcome outcome{code.code, std::string(message.message, message.message_size)};
  PJRT_Error_Destroy_Args destroy{PJRT_Error_Destroy_Args_STRUCT_SIZE, nullptr, error};
  api->PJRT_Error_Destroy(&destroy);
  return outcome;
}

// Arguments of a call, zeroed, with their size filled in.
#define TENON_ARGS(name, variable)                                                                                     \
  name##_Args variable;                                                                                                \
  std::memset(&variable, 0, sizeof(variable));                                                                         \
  variable.struct_size = name##_Args_STRUCT_SIZE
#define TENON_CALL(name, variable) ::tenon::pjrt::take(::tenon::pjrt::loadApi()->name(&(variable)))
#define TENON_CHECK(name, variable)                                                                                    \
  do {                                                                                                                 \
    ::tenon::pjrt::Outcome outcome_ = TENON_CALL(name, variable);                                                      \
    EXPECT_TRUE(outcome_.ok()) << #name << ": " << outcome_;                                                           \
  } while (false)

class ApiTest : public ::testing::Test {
protected:
  void SetUp() override {
    setenv("TENON_NUM_DEVICES", "4", 1);
    TENON_ARGS(PJRT_Client_Create, args);
    TENON_CHECK(PJRT_Client_Create, args);
    client = args.client;
    TENON_ARGS(PJRT_Client_Devices, list);
    list.client = client;
    TENON_CHECK(PJRT_Client_Devices, list);
    devices.assign(list.devices, list.devices + list.num_devices);
  }
  void TearDown() override {
    TENON_ARGS(PJRT_Client_Destroy, args);
    args.client = client;
    TENON_CHECK(PJRT_Client_Destroy, args);
  }

  // A buffer from host memory; events are awaited.
  PJRT_Buffer *put(const std::vector<float> &values, PJRT_Device *device = nullptr) {
    std::vector<int64_t> dims = {static_cast<int64_t>(values.size())};
    TENON_ARGS(PJRT_Client_BufferFromHostBuffer, args);
    args.client = client;
    args.data = values.data();
    args.type = PJRT_Buffer_Type_F32;
    args.dims = dims.data();
    args.num_dims = 1;
    args.device = device ? device : devices[0];
    TENON_CHECK(PJRT_Client_BufferFromHostBuffer, args);
    awaitEvent(args.done_with_host_buffer);
    return args.buffer;
  }

  Outcome get(PJRT_Buffer *buffer, void *target, size_t size, PJRT_Buffer_MemoryLayout *layout = nullptr) {
    TENON_ARGS(PJRT_Buffer_ToHostBuffer, args);
    args.src = buffer;
    args.dst = target;
    args.dst_size = size;
    args.host_layout = layout;
    Outcome outcome = TENON_CALL(PJRT_Buffer_ToHostBuffer, args);
    return outcome.ok() ? awaitEvent(args.event) : outcome;
  }

  std::vector<float> getFloats(PJRT_Buffer *buffer, size_t count) {
    std::vector<float> values(count, -1234);
    Outcome outcome = get(buffer, values.data(), count * sizeof(float));
    EXPECT_TRUE(outcome.ok()) << outcome;
    return values;
  }

  Outcome awaitEvent(PJRT_Event *event) {
    TENON_ARGS(PJRT_Event_Await, args);
    args.event = event;
    Outcome outcome = TENON_CALL(PJRT_Event_Await, args);
    TENON_ARGS(PJRT_Event_Destroy, destroy);
    destroy.event = event;
    TENON_CHECK(PJRT_Event_Destroy, destroy);
    return outcome;
  }

  bool isReady(PJRT_Event *event) {
    TENON_ARGS(PJRT_Event_IsReady, args);
    args.event = event;
    TENON_CHECK(PJRT_Event_IsReady, args);
    return args.is_ready;
  }

  Outcome awaitBuffer(PJRT_Buffer *buffer) {
    TENON_ARGS(PJRT_Buffer_ReadyEvent, args);
    args.buffer = buffer;
    TENON_CHECK(PJRT_Buffer_ReadyEvent, args);
    return awaitEvent(args.event);
  }

  void *pointer(PJRT_Buffer *buffer) {
    TENON_ARGS(PJRT_Buffer_UnsafePointer, args);
    args.buffer = buffer;
    TENON_CHECK(PJRT_Buffer_UnsafePointer, args);
    return reinterpret_cast<void *>(args.buffer_pointer);
  }

  bool isDeleted(PJRT_Buffer *buffer) {
    TENON_ARGS(PJRT_Buffer_IsDeleted, args);
    args.buffer = buffer;
    TENON_CHECK(PJRT_Buffer_IsDeleted, args);
    return args.is_deleted;
  }

  void destroy(PJRT_Buffer *buffer) {
    TENON_ARGS(PJRT_Buffer_Destroy, args);
    args.buffer = buffer;
    TENON_CHECK(PJRT_Buffer_Destroy, args);
  }

  Outcome tryCompile(const std::string &module, const std::string &options, PJRT_LoadedExecutable **executable,
                     const std::string &format = "mlir") {
    std::string code = module;
    PJRT_Program program{PJRT_Program_STRUCT_SIZE, nullptr, code.data(), code.size(), format.data(), format.size()};
    TENON_ARGS(PJRT_Client_Compile, args);
    args.client = client;
    args.program = &program;
    args.compile_options = options.data();
    args.compile_options_size = options.size();
    Outcome outcome = TENON_CALL(PJRT_Client_Compile, args);
    *executable = args.executable;
    return outcome;
  }

  PJRT_LoadedExecutable *compile(const std::string &module, const std::string &options = {}) {
    PJRT_LoadedExecutable *executable = nullptr;
    Outcome outcome = tryCompile(module, options, &executable);
    EXPECT_TRUE(outcome.ok()) << outcome;
    return executable;
  }

  void destroy(PJRT_LoadedExecutable *executable) {
    TENON_ARGS(PJRT_LoadedExecutable_Destroy, args);
    args.executable = executable;
    TENON_CHECK(PJRT_LoadedExecutable_Destroy, args);
  }

  struct RunResult {
    Outcome outcome;
    std::vector<PJRT_Buffer *> results; // one for each device
    std::vector<PJRT_Event *> events;
  };

  RunResult run(PJRT_LoadedExecutable *executable, const std::vector<std::vector<PJRT_Buffer *>> &arguments,
                std::vector<int64_t> nonDonatable = {}) {
    size_t count = arguments.size();
    RunResult result{{}, std::vector<PJRT_Buffer *>(count), std::vector<PJRT_Event *>(count)};
    std::vector<PJRT_Buffer *const *> argumentLists;
    std::vector<PJRT_Buffer **> outputLists;
    for (size_t i = 0; i < count; ++i) {
      argumentLists.push_back(arguments[i].data());
      outputLists.push_back(&result.results[i]);
    }
    PJRT_ExecuteOptions options{};
    options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
    options.non_donatable_input_indices = nonDonatable.data();
    options.num_non_donatable_input_indices = nonDonatable.size();
    TENON_ARGS(PJRT_LoadedExecutable_Execute, args);
    args.executable = executable;
    args.options = &options;
    args.argument_lists = argumentLists.data();
    args.num_devices = count;
    args.num_args = arguments[0].size();
    args.output_lists = outputLists.data();
    args.device_complete_events = result.events.data();
    result.outcome = TENON_CALL(PJRT_LoadedExecutable_Execute, args);
    return result;
  }

  PJRT_Client *client = nullptr;
  std::vector<PJRT_Device *> devices;
};

} // namespace tenon::pjrt
