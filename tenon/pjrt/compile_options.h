// xla.CompileOptionsProto, as frameworks send it with every compilation.
#pragma once

#include "tenon/backend/backend.h"

#include <string_view>

namespace tenon::pjrt {

// Fields that only concern XLA (its debug options, autotuning, profiles) are passed over; those that ask for another
// meaning of the program are errors if we do not have it.
StatusOr<backend::CompileOptions> parseCompileOptions(std::string_view bytes);

// xla.DeviceAssignmentProto of a replica-major assignment.
std::string serializeDeviceAssignment(int32_t replicas, int32_t partitions, const std::vector<int32_t> &devices);

} // namespace tenon::pjrt
