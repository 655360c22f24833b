// Where ComputationBuilder::Trace logs to.
#pragma once

#include "tenon/literal.h"
#include "tenon/xla_namespace.h"

#include <functional>

namespace tenon::xla_2017 {

// Called by the thread that runs the computation, each time it comes to a Trace; several threads may call at a time.
using TraceSink = std::function<void(const std::string &tag, const Literal &value)>;

// Where the traces of the computations that the service in this process runs go from now on. Empty: a line to standard
// error, which is also what happens before the first call.
TENON_API void SetTraceSink(TraceSink sink);

} // namespace tenon::xla_2017
