#include "tenon/support/loopback.h"

#include "tenon/support/shown.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace tenon {

TENON_SHOWN bool isLoopbackHost(const std::string &host) {
  if (host == "localhost")
    return true;
  in_addr four{};
  if (inet_pton(AF_INET, host.c_str(), &four) == 1)
    return (ntohl(four.s_addr) >> 24) == 127;
  in6_addr six{};
  return inet_pton(AF_INET6, host.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

} // namespace tenon
