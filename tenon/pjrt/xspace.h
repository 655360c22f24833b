// Recorded events in the form that profilers read: the message XSpace of tsl/profiler/protobuf/xplane.proto.
#pragma once

#include "tenon/support/trace.h"

#include <string>
#include <vector>

namespace tenon::pjrt {

std::string toXSpace(const std::vector<trace::ThreadEvents> &threads);

} // namespace tenon::pjrt
