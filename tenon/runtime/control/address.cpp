#include "tenon/runtime/control/address.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tenon::runtime {

std::string hostOf(const std::string &address) {
  std::string host = address.substr(0, address.rfind(':'));
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    return host.substr(1, host.size() - 2);
  return host;
}

std::string joined(const std::string &host, int port) {
  bool hasColons = host.find(':') != std::string::npos;
  return (hasColons ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string routeAddress() {
  std::string result = "127.0.0.1";
  int probe = socket(AF_INET, SOCK_DGRAM, 0);
  if (probe < 0)
    return result;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  inet_pton(AF_INET, "192.0.2.1", &address.sin_addr); // of documentation; nothing is sent to it
  auto *at = reinterpret_cast<sockaddr *>(&address);
  socklen_t size = sizeof address;
  char text[INET_ADDRSTRLEN] = {};
  if (connect(probe, at, size) == 0 && getsockname(probe, at, &size) == 0 &&
      inet_ntop(AF_INET, &address.sin_addr, text, sizeof text))
    result = text;
  close(probe);
  return result;
}

} // namespace tenon::runtime
