#include "tenon/aot/lapack/tenon_lapack.h"

#include "tenon/program/serialization.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/cpu/library.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>

namespace {

using namespace tenon;

struct Routine {
  program::RuntimeCall runtimeCall;
  std::unique_ptr<runtime::RuntimeCallInstance> instance;
};

StatusOr<Routine> makeRoutine(std::string_view description) {
  runtime::registerCpuLibrary();
  TENON_ASSIGN_OR_RETURN(program::Program program, program::deserialize(description));
  Routine routine{program.runtimeCalls.at(0), nullptr};
  TENON_ASSIGN_OR_RETURN(routine.instance, runtime::instantiateRuntimeCall(routine.runtimeCall));
  return routine;
}

// The routine of the runtime call that this describes, whoever asks: libraries that are closed leave their addresses to
// others. Kept for the process's life; what failed is tried again.
StatusOr<const Routine *> routineOf(std::string_view description) {
  static std::mutex mutex;
  static auto *routines = new std::map<std::string, Routine, std::less<>>;
  std::lock_guard lock(mutex);
  auto found = routines->find(description);
  if (found == routines->end()) {
    TENON_ASSIGN_OR_RETURN(Routine routine, makeRoutine(description));
    found = routines->emplace(description, std::move(routine)).first;
  }
  return &found->second;
}

Status callRoutine(std::string_view description, void *const *operands, void *const *results) {
  TENON_ASSIGN_OR_RETURN(const Routine *routine, routineOf(description));
  // The caller's thread alone: a program says itself which threads it uses.
  static auto *pool = new runtime::ThreadPool(1);
  runtime::RunOptions options;
  const program::RuntimeCall &runtimeCall = routine->runtimeCall;
  return routine->instance->call(
      {{operands, runtimeCall.operands.size()}, {results, runtimeCall.results.size()}, options, *pool});
}

} // namespace

int32_t tenon_lapack_call(const char *runtimeCall, int64_t call_bytes, void *const *operands, void *const *results,
                          char *message, int64_t message_bytes) {
  Status status = callRoutine({runtimeCall, static_cast<size_t>(call_bytes)}, operands, results);
  if (status.ok())
    return 0;
  size_t length = std::min(status.message().size(), static_cast<size_t>(message_bytes) - 1);
  status.message().copy(message, length);
  message[length] = 0;
  return 1;
}
