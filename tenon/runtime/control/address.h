// Where a process listens.
#pragma once

#include "tenon/support/loopback.h"

#include <string>

namespace tenon::runtime {

// The host of "host:port", "[::1]:port".
std::string hostOf(const std::string &address);
// "host:port", with brackets around addresses that have colons.
std::string joined(const std::string &host, int port);
// The address of this machine on the way to other networks; "127.0.0.1" where there is none.
std::string routeAddress();

} // namespace tenon::runtime
