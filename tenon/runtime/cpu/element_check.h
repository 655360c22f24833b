#pragma once

#include "tenon/runtime/core/runtime_call.h"

namespace tenon::runtime {

// check.eq and the like (tenon/support/element_check.h): two operands of one shape, and no result, or an i1, which a
// check that does not fail sets.
StatusOr<std::unique_ptr<RuntimeCallInstance>> makeCheck(const program::RuntimeCall &runtimeCall);

} // namespace tenon::runtime
