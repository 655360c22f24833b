#include "tenon/remote/address.h"

#include "tenon/support/loopback.h"

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

bool isLocal(const std::string &address) { return isUnix(address) || isLoopbackHost(split(address).host); }

} // namespace tenon::remote
