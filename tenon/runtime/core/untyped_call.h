// Custom calls that are plain C functions: XLA's interface of before its FFI, with which a call names one of these
// forms by its api_version:
//
//   0, 1  void (*)(void *out, const void **in)
//   2     void (*)(void *out, const void **in, XlaCustomCallStatus *status)
//   3     void (*)(void *out, const void **in, const char *opaque, size_t opaque_len, XlaCustomCallStatus *status)
//
// `in` points to the operands. `out` is the result, or, of calls with none, several, or a tuple for their result,
// points to the results. Tuples count as their parts. `opaque` is the call's backend_config, with no zero behind it.
#pragma once

#include "tenon/runtime/core/runtime_call.h"

extern "C" {

// A function that finds that it failed says so to its status.
typedef struct XlaCustomCallStatus_ XlaCustomCallStatus;
__attribute__((visibility("default"))) void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus *status);
__attribute__((visibility("default"))) void XlaCustomCallStatusSetFailure(XlaCustomCallStatus *status,
                                                                          const char *message, size_t message_len);
}

namespace tenon::runtime {

inline constexpr int32_t kTypedApiVersion = 4; // the FFI

StatusOr<std::unique_ptr<RuntimeCallInstance>> makeUntypedCall(const program::RuntimeCall &runtimeCall, void *function);

} // namespace tenon::runtime
