// Numbers for people.
#pragma once

#include "tenon/profile.h"

#include <string_view>

namespace tenon::profile {

// "1.5 GB/s" of 1.5e9 and "B/s".
std::string scaled(double value, std::string_view unit);
// "1.50 us", "123 ms".
std::string duration(std::chrono::duration<double, std::nano> time);
// "12 %", "0.5 %".
std::string percent(double share);
// "train.py:41" of "/home/me/train.py:41".
std::string shortSource(std::string_view source);

} // namespace tenon::profile
