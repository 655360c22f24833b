// XLA's FFI on Tenon's side: the table of functions that handlers call, and custom calls that run handlers.
//
// Built against version 0.4 of the interface; handlers of older 0.x headers (jaxlib 0.10 has 0.3) work too.
#pragma once

#include "tenon/runtime/core/runtime_call.h"
#include "tenon/status.h"

#include "xla/ffi/api/c_api.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace tenon::runtime {

// The table that every handler gets in its call frame. Filled once; lives as long as the process.
const XLA_FFI_Api *ffiApi();

// Where the arrays are that a handler works on: a GPU's are in its memory, and a stream comes with them.
enum class FfiPlatform : uint8_t { kHost, kGpu };
// None of a platform that there is no code for. "cuda" and "gpu", in any case, are GPUs'; "host", "cpu" and "tenon"
// not.
std::optional<FfiPlatform> ffiPlatformOf(std::string_view name);

// Registers a custom call target. Asks the handler for its metadata first and refuses one made for another major
// version of the interface. Stages that are null are skipped.
Status registerFfiHandler(std::string_view name, const XLA_FFI_Handler_Bundle &bundle,
                          XLA_FFI_Handler_Traits traits = 0, FfiPlatform platform = FfiPlatform::kHost);

// Names a type of state or user data; `id` 0 asks for a new id. The same name again gives the same id.
StatusOr<int64_t> registerFfiType(std::string_view name, int64_t id, const XLA_FFI_TypeInfo *info = nullptr);

} // namespace tenon::runtime
