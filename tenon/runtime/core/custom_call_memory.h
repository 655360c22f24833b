// The buffers that a custom call's target sees.
#pragma once

#include "tenon/runtime/core/runtime_call.h"

#include <memory>

namespace tenon::runtime {

// Wraps an instance so that it finds operands and results in the layouts the runtime call asks for, and aliased results
// sharing their operand's address and holding its contents. Returns the instance itself if nothing is asked for;
// INVALID_ARGUMENT if the layouts or aliases do not fit the shapes.
StatusOr<std::unique_ptr<RuntimeCallInstance>> adaptMemory(std::unique_ptr<RuntimeCallInstance> instance,
                                                           const program::RuntimeCall &runtimeCall);

} // namespace tenon::runtime
