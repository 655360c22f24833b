// What may go wrong in code that is not ours.
#pragma once

#include "tenon/program/program.h"
#include "tenon/status.h"

#include <functional>

namespace tenon::runtime {

// Calls the function, which does what the runtime call asks for. Exceptions become errors, and these name the call and
// the location of the op, which is what a user can act on.
Status guardedCall(const program::RuntimeCall &runtimeCall, const std::function<Status()> &function);

} // namespace tenon::runtime
