#include "tenon/server/http/testing/local_socket.h"

#include <arpa/inet.h>
#include <cstdint>
#include <sys/socket.h>
#include <unistd.h>

namespace tenon::server {

int connectedTo(int port) {
  int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket, reinterpret_cast<sockaddr *>(&to), sizeof to) == 0)
    return socket;
  close(socket);
  return -1;
}

} // namespace tenon::server
