#include "tenon/server/http/transport.h"

#include "tenon/server/http/tls.h"

#include <cerrno>
#include <poll.h>
#include <sys/socket.h>

namespace tenon::server {

ssize_t movedBy(ssize_t size, short event, short &wants) {
  bool mayCome = size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  wants = mayCome ? event : short{0};
  return size;
}

namespace {

class Plain final : public Transport {
public:
  explicit Plain(int socket) : socket_(socket) {}

  ssize_t begin(short &) override { return 1; }
  ssize_t receive(char *to, size_t size, short &wants) override {
    return movedBy(recv(socket_, to, size, MSG_DONTWAIT), POLLIN, wants);
  }
  ssize_t peek(char *to, short &wants) override {
    return movedBy(recv(socket_, to, 1, MSG_PEEK | MSG_DONTWAIT), POLLIN, wants);
  }
  ssize_t send(const char *from, size_t size, short &wants) override {
    return movedBy(::send(socket_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT), POLLOUT, wants);
  }
  bool hasBytes() const override { return false; }
  void end() override {}

private:
  const int socket_;
};

class PlainMaker final : public TransportMaker {
public:
  std::unique_ptr<Transport> make(int socket) override { return std::make_unique<Plain>(socket); }
  bool isTls() const override { return false; }
};

} // namespace

StatusOr<std::unique_ptr<TransportMaker>> makeTransportMaker(const TlsIdentity &identity) {
  if (identity.certificate.empty())
    return std::unique_ptr<TransportMaker>(std::make_unique<PlainMaker>());
  return makeTls(identity);
}

} // namespace tenon::server
