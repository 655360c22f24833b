// A connection as the HTTP library reads and writes it, which ends at its deadline and takes no more than it may.
#pragma once

#include "tenon/server/http/transport.h"

#include <httplib.h>

#include <array>
#include <chrono>
#include <memory>
#include <poll.h>

namespace tenon::server {

class Connection final : public httplib::Stream {
public:
  using Clock = std::chrono::steady_clock;
  using httplib::Stream::write;

  // Takes no ownership of the socket, which the transport is of.
  Connection(int socket, std::unique_ptr<Transport> transport) : socket_(socket), transport_(std::move(transport)) {}

  // Agrees with the peer on what the transport needs. False: they have not in this time.
  bool begin(std::chrono::milliseconds time);
  // Waits for the first byte of a request. False: there is none in this time, or the peer has gone.
  bool awaitRequest(std::chrono::milliseconds time);
  // What follows may be so many bytes until that time.
  void limit(size_t bytes, Clock::time_point deadline) {
    left_ = bytes;
    deadline_ = deadline;
  }
  // The connection is of no use after this request: what the peer has sent is not read to its end.
  void abandon() { isAbandoned_ = true; }
  bool isAbandoned() const { return isAbandoned_; }
  // Tells the peer that nothing comes any more, and reads for a moment what it still sends: it would lose the reply.
  void finish();

  bool is_readable() const override { return at_ < end_ || transport_->hasBytes() || isReady(POLLIN, Clock::now()); }
  bool is_writable() const override { return isReady(POLLOUT, Clock::now()); }
  ssize_t read(char *to, size_t size) override;
  ssize_t write(const char *from, size_t size) override;
  void get_remote_ip_and_port(std::string &ip, int &port) const override;
  void get_local_ip_and_port(std::string &ip, int &port) const override;
  socket_t socket() const override { return socket_; }

private:
  bool isReady(short events, Clock::time_point deadline) const;
  // What a call of the transport gives, which is made again where it has to wait, until the deadline.
  ssize_t moved(Clock::time_point deadline, const std::function<ssize_t(short &wants)> &call) const;

  const int socket_;
  const std::unique_ptr<Transport> transport_;
  size_t left_ = 0;
  Clock::time_point deadline_;
  bool isAbandoned_ = false;
  std::array<char, 1 << 14> buffer_;
  size_t at_ = 0, end_ = 0;
};

} // namespace tenon::server
