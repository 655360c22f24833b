// Recorded events in the form that profilers read: the message XSpace of tsl/profiler/protobuf/xplane.proto.
#pragma once

#include "tenon/profile.h"
#include "tenon/support/trace.h"

#include <string>
#include <vector>

namespace tenon::pjrt {

// Kernels' events have what their call reaches, of the machine's limits, too.
std::string toXSpace(const std::vector<trace::ThreadEvents> &threads, const xla::MachineLimits &machine);

} // namespace tenon::pjrt
