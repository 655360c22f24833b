// Ctrl-C during computations of the service in this process, for languages whose own handler of SIGINT only notes that
// it came (Python's).
#pragma once

#include "tenon/types.h"
#include "tenon/xla_namespace.h"

namespace tenon::xla_2017 {

// Runs the language's handlers of the signals that have come, and says whether the computation shall end: it fails with
// CANCELLED then, otherwise it goes on. Called on the process's first thread, while it runs a computation.
using SignalCheck = bool (*)();

// From now on. Null, as at the beginning: computations do not look at signals.
TENON_API void SetSignalCheck(SignalCheck check);

} // namespace tenon::xla_2017
