// Sizes of shapes that are not known to be valid.
#pragma once

#include "tenon/shape.h"

#include <optional>

namespace tenon::xla_2017::internal {

// Bytes of an array's storage, padding included; sizes of zero count as one where `zero_is_one`. None beyond 2^63 - 1,
// for negative sizes, and where padded_dimensions has not an entry for each dimension.
std::optional<int64> storageBytes(const Shape &array, bool zero_is_one);

} // namespace tenon::xla_2017::internal
