// The profiler extension: what jax.profiler shows of Tenon. A profiler is one session of support/trace.h.
#include "tenon/pjrt/error.h"
#include "tenon/pjrt/extensions.h"
#include "tenon/pjrt/xspace.h"
#include "tenon/profile/calls.h"

#include "xla/pjrt/c/pjrt_c_api_profiler_extension.h"

#include <memory>

struct PLUGIN_Profiler {
  std::shared_ptr<tenon::trace::Session> session; // null before the start
  std::string data;                               // as collect_data gave the size of
};
struct PLUGIN_Profiler_Error {
  tenon::Status status;
};

namespace tenon::pjrt {
namespace {

std::string collect(const PLUGIN_Profiler &profiler) {
  if (!profiler.session)
    return {};
  std::vector<trace::ThreadEvents> threads = profiler.session->events();
  // To measure the machine takes a while.
  static const xla::MachineLimits unknown;
  return toXSpace(threads, profile::kernelCalls(threads).empty() ? unknown : xla::GetMachineLimits());
}

Status start(PLUGIN_Profiler_Start_Args &args) {
  args.profiler->session = trace::Session::start();
  return args.profiler->session ? Status() : failedPrecondition("another profiler of tenon is running");
}

Status stop(PLUGIN_Profiler_Stop_Args &args) {
  if (args.profiler->session)
    args.profiler->session->stop();
  return {};
}

// Called twice: for the size, then for the bytes, says the header. jaxlib calls once and reads from where `buffer` then
// points to; so it points to our own copy.
Status collectData(PLUGIN_Profiler_CollectData_Args &args) {
  PLUGIN_Profiler &profiler = *args.profiler;
  if (!args.buffer) {
    profiler.data = collect(profiler);
    args.buffer = reinterpret_cast<uint8_t *>(profiler.data.data());
    args.buffer_size_in_bytes = profiler.data.size();
    return {};
  }
  if (args.buffer_size_in_bytes < profiler.data.size())
    return invalidArgument("the buffer for the profile is too small");
  if (args.buffer != reinterpret_cast<uint8_t *>(profiler.data.data()))
    std::memcpy(args.buffer, profiler.data.data(), profiler.data.size());
  return {};
}

PLUGIN_Profiler_Error *toProfilerError(Status status) {
  return status.ok() ? nullptr : new PLUGIN_Profiler_Error{std::move(status)};
}

// PJRT's checks with the profiler's type of error. Not that of the size: jaxlib leaves it unset in some calls.
template <typename Args, typename Function>
PLUGIN_Profiler_Error *callProfiler(const char *name, Args *args, Function function) noexcept {
  return toProfilerError(statusOfCall(name, 0, args, function));
}

#define TENON_PROFILER_SLOT(table, slot, name, function)                                                               \
  (table).slot = [](name##_Args *args) -> PLUGIN_Profiler_Error * { return callProfiler(#name, args, function); }

// jaxlib takes this very size and no other; what the header has beyond came later.
constexpr size_t kApiSize = PROFILER_STRUCT_SIZE(PLUGIN_Profiler_Api, collect_data);

PLUGIN_Profiler_Api makeProfilerApi() {
  PLUGIN_Profiler_Api api{};
  api.struct_size = kApiSize;
  api.error_destroy = [](PLUGIN_Profiler_Error_Destroy_Args *args) { delete args->error; };
  api.error_message = [](PLUGIN_Profiler_Error_Message_Args *args) {
    args->message = args->error->status.message().data();
    args->message_size = args->error->status.message().size();
  };
  TENON_PROFILER_SLOT(api, error_get_code, PLUGIN_Profiler_Error_GetCode,
                      [](PLUGIN_Profiler_Error_GetCode_Args &args) -> Status {
                        args.code = static_cast<int>(args.error->status.code());
                        return {};
                      });
  TENON_PROFILER_SLOT(api, create, PLUGIN_Profiler_Create, [](PLUGIN_Profiler_Create_Args &args) -> Status {
    args.profiler = new PLUGIN_Profiler();
    return {};
  });
  TENON_PROFILER_SLOT(api, destroy, PLUGIN_Profiler_Destroy, [](PLUGIN_Profiler_Destroy_Args &args) -> Status {
    if (args.profiler && args.profiler->session)
      args.profiler->session->stop();
    delete args.profiler;
    return {};
  });
  TENON_PROFILER_SLOT(api, start, PLUGIN_Profiler_Start, start);
  TENON_PROFILER_SLOT(api, stop, PLUGIN_Profiler_Stop, stop);
  TENON_PROFILER_SLOT(api, collect_data, PLUGIN_Profiler_CollectData, collectData);
  return api;
}

} // namespace

PJRT_Extension_Base *profilerExtension(PJRT_Extension_Base *next) {
  static PLUGIN_Profiler_Api api = makeProfilerApi();
  static PJRT_Profiler_Extension extension = {
      {PJRT_Profiler_Extension_STRUCT_SIZE, PJRT_Extension_Type_Profiler, next}, &api, -1};
  extension.base.next = next;
  return &extension.base;
}

} // namespace tenon::pjrt
