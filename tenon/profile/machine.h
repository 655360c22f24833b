// What the machine can do, measured.
#pragma once

#include "tenon/profile.h"

namespace tenon::profile {

// Takes a few hundred milliseconds, with a pool of threads of its own.
xla::MachineLimits measureMachine(int threads);

} // namespace tenon::profile
