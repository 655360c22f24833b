// Addresses of servers: "host:port", "[::1]:port", "unix:/path".
#pragma once

#include <string>

namespace tenon::remote {

struct HostPort {
  std::string host;
  int port = -1; // none
};
// The host without brackets.
HostPort split(const std::string &address);

bool isUnix(const std::string &address);

// Whether an address can be reached from this machine alone: loopback addresses, "localhost" and Unix sockets.
bool isLocal(const std::string &address);

} // namespace tenon::remote
