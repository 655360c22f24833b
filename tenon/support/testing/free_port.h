// A port of loopback for a test's server.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tenon::testing {

// One that nobody listens at now; 0 if there is none. Another program may take it before the caller does.
inline int freePort() {
  int probe = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto *at = reinterpret_cast<sockaddr *>(&address);
  bool isBound = bind(probe, at, size) == 0 && getsockname(probe, at, &size) == 0;
  close(probe);
  return isBound ? ntohs(address.sin_port) : 0;
}

} // namespace tenon::testing
