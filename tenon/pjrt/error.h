// PJRT_Error, and how functions that return Status become slots of PJRT_Api.
#pragma once

#include "tenon/status.h"

#include "xla/pjrt/c/pjrt_c_api.h"

#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>

namespace tenon::pjrt {

// Null for an OK status; otherwise the caller owns the error.
PJRT_Error *toError(Status status);
Status toStatus(PJRT_Error_Code code, const char *message, size_t size);
// The PJRT_CallbackError that framework callbacks get.
PJRT_Error *callbackError(PJRT_Error_Code code, const char *message, size_t size);
// The status of an error that a callback of the framework has made. Frees the error.
Status takeStatus(PJRT_Error *error);

Status checkStructSize(const char *name, size_t expected, size_t actual);

// Calls `function(*args)` behind the checks that every slot makes. Nothing may throw into the framework.
template <typename Args, typename Function>
Status statusOfCall(const char *name, size_t expectedSize, Args *args, Function function) noexcept {
  try {
    if (!args)
      return invalidArgument(std::string(name) + ": no arguments given");
    if (args->struct_size < expectedSize)
      return checkStructSize(name, expectedSize, args->struct_size);
    return function(*args);
  } catch (const std::bad_alloc &) {
    return {StatusCode::kResourceExhausted, std::string(name) + ": out of memory"};
  } catch (const std::exception &error) {
    return internalError(std::string(name) + ": " + error.what());
  }
}

template <typename Args, typename Function>
PJRT_Error *callSlot(const char *name, size_t expectedSize, Args *args, Function function) noexcept {
  return toError(statusOfCall(name, expectedSize, args, function));
}

void fillErrorSlots(PJRT_Api &api);

} // namespace tenon::pjrt

// Fills slot `name` of `table` with a function Status(name_Args &): the last argument.
#define TENON_PJRT_SLOT(table, name, ...)                                                                              \
  TENON_PJRT_SLOT_SINCE(table, name, static_cast<size_t>(name##_Args_STRUCT_SIZE), __VA_ARGS__)
// The same for a call whose arguments have grown: frameworks that pass only the first `size` bytes are served too.
#define TENON_PJRT_SLOT_SINCE(table, name, size, ...)                                                                  \
  (table).name = [](name##_Args *args) -> PJRT_Error * {                                                               \
    return ::tenon::pjrt::callSlot(#name, size, args, __VA_ARGS__);                                                    \
  }
