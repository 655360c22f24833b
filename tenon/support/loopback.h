// Hosts of which only this machine hears.
#pragma once

#include <string>

namespace tenon {

/// Whether a host's name or address (IPv6 without brackets) is "localhost" or a loopback address.
bool isLoopbackHost(const std::string &host);

} // namespace tenon
