// Quotients and multiples, rounded up, of sizes that are not negative.
#pragma once

#include <cstdint>

namespace tenon {

inline int64_t ceilDiv(int64_t x, int64_t y) { return (x + y - 1) / y; }
inline int64_t roundUp(int64_t x, int64_t unit) { return ceilDiv(x, unit) * unit; }

} // namespace tenon
