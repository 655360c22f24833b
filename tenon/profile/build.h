// A profile, made of what was recorded.
#pragma once

#include "tenon/profile.h"
#include "tenon/support/trace.h"

namespace tenon::profile {

xla::Profile profileOf(const std::vector<trace::ThreadEvents> &threads, const xla::MachineLimits &machine);

} // namespace tenon::profile
