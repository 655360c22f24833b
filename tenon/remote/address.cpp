#include "tenon/remote/address.h"

#include <arpa/inet.h>
#include <charconv>

namespace tenon::remote {

HostPort split(const std::string &address) {
  size_t colon = address.rfind(':');
  if (colon == std::string::npos)
    return {address, -1};
  HostPort parts{address.substr(0, colon), -1};
  const char *end = address.data() + address.size();
  auto result = std::from_chars(address.data() + colon + 1, end, parts.port);
  if (result.ec != std::errc() || result.ptr != end || parts.port > 65535)
    parts.port = -1;
  if (parts.host.size() > 2 && parts.host.front() == '[' && parts.host.back() == ']')
    parts.host = parts.host.substr(1, parts.host.size() - 2);
  return parts;
}

bool isUnix(const std::string &address) { return address.starts_with("unix:"); }

bool isLocal(const std::string &address) {
  if (isUnix(address))
    return true;
  std::string host = split(address).host;
  if (host == "localhost")
    return true;
  in_addr four{};
  if (inet_pton(AF_INET, host.c_str(), &four) == 1)
    return (ntohl(four.s_addr) >> 24) == 127;
  in6_addr six{};
  return inet_pton(AF_INET6, host.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

} // namespace tenon::remote
