#pragma once

#include "tenon/runtime/core/runtime_call.h"

namespace tenon::runtime {

// A demand on sizes that only a run can check. Operands: the condition (i1), then integers that `error_message` names
// by {0}, {1}, ...
StatusOr<std::unique_ptr<RuntimeCallInstance>> makeShapeAssertion(const program::RuntimeCall &runtimeCall);

} // namespace tenon::runtime
