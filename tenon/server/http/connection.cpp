#include "tenon/server/http/connection.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

namespace tenon::server {

namespace {

constexpr std::chrono::milliseconds kLinger{500};

void describe(const sockaddr_storage &address, socklen_t size, std::string &ip, int &port) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  if (getnameinfo(reinterpret_cast<const sockaddr *>(&address), size, host.data(), host.size(), service.data(),
                  service.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return;
  ip = host.data();
  port = std::atoi(service.data());
}

} // namespace

bool Connection::isReady(short events, Clock::time_point deadline) const {
  while (true) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd descriptor{socket_, events, 0};
    int ready = poll(&descriptor, 1, static_cast<int>(std::clamp<int64_t>(left, 0, 1'000'000)));
    if (ready > 0)
      return true; // also at an end or an error, which reading or writing tells
    if (ready == 0 && left <= 1'000'000)
      return false;
    if (ready < 0 && errno != EINTR)
      return false;
  }
}

ssize_t Connection::moved(Clock::time_point deadline, const std::function<ssize_t(short &wants)> &call) const {
  while (true) {
    short wants = 0;
    ssize_t size = call(wants);
    if (size >= 0 || wants == 0)
      return size;
    // What arrives may be nothing that the peer has to say, for ever.
    if (!isReady(wants, deadline) || Clock::now() >= deadline)
      return -1;
  }
}

bool Connection::begin(std::chrono::milliseconds time) {
  return moved(Clock::now() + time, [&](short &wants) { return transport_->begin(wants); }) > 0;
}

bool Connection::awaitRequest(std::chrono::milliseconds time) {
  if (at_ < end_)
    return true;
  char byte = 0;
  return moved(Clock::now() + time, [&](short &wants) { return transport_->peek(&byte, wants); }) > 0;
}

ssize_t Connection::read(char *to, size_t size) {
  if (at_ == end_) {
    // A peer may go on for ever, in small steps or large ones.
    if (left_ == 0)
      return -1;
    ssize_t received = moved(deadline_, [&](short &wants) {
      return transport_->receive(buffer_.data(), std::min(buffer_.size(), left_), wants);
    });
    if (received <= 0)
      return received;
    at_ = 0;
    end_ = static_cast<size_t>(received);
    left_ -= end_;
  }
  size_t taken = std::min(size, end_ - at_);
  std::memcpy(to, buffer_.data() + at_, taken);
  at_ += taken;
  return static_cast<ssize_t>(taken);
}

ssize_t Connection::write(const char *from, size_t size) {
  return moved(deadline_, [&](short &wants) { return transport_->send(from, size, wants); });
}

void Connection::finish() {
  transport_->end();
  shutdown(socket_, SHUT_WR);
  auto end = Clock::now() + kLinger;
  while (isReady(POLLIN, end) && recv(socket_, buffer_.data(), buffer_.size(), 0) > 0 && Clock::now() < end) {
  }
}

void Connection::get_remote_ip_and_port(std::string &ip, int &port) const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getpeername(socket_, reinterpret_cast<sockaddr *>(&address), &size) == 0)
    describe(address, size, ip, port);
}

void Connection::get_local_ip_and_port(std::string &ip, int &port) const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket_, reinterpret_cast<sockaddr *>(&address), &size) == 0)
    describe(address, size, ip, port);
}

} // namespace tenon::server
