// How fast gRPC on loopback, and shared memory, move large messages between two OS processes, as a multiple of a bare
// loop of send and recv in the same round, and the processor time of both; and how long a small message takes, there
// and back.
//
//   tenon_transport_benchmark [ROUNDS [MIB]]
#include "tenon/runtime/control/shared_network.h"
#include "tenon/runtime/grpc/grpc_network.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tenon::runtime {
namespace {

using Clock = std::chrono::steady_clock;

// The processor time of this process, of all threads and the system for them.
double processorSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval &time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void require(bool isTrue, const char *what) {
  if (isTrue)
    return;
  std::perror(what);
  std::exit(1);
}

void sendAll(int socket, const void *data, size_t size) {
  const char *bytes = static_cast<const char *>(data);
  while (size) {
    ssize_t count = send(socket, bytes, std::min(size, size_t{1} << 20), 0);
    require(count > 0, "send");
    bytes += count;
    size -= static_cast<size_t>(count);
  }
}

void receiveAll(int socket, void *data, size_t size) {
  char *bytes = static_cast<char *>(data);
  while (size) {
    ssize_t count = recv(socket, bytes, std::min(size, size_t{1} << 20), 0);
    require(count > 0, "recv");
    bytes += count;
    size -= static_cast<size_t>(count);
  }
}

void meet(int socket) {
  char byte = 0;
  sendAll(socket, &byte, 1);
  receiveAll(socket, &byte, 1);
}

// From process 0 to 1, and a byte back.
double bare(Peer self, int socket, std::vector<std::byte> &bytes) {
  meet(socket);
  auto start = Clock::now();
  char byte = 0;
  if (self == 0) {
    sendAll(socket, bytes.data(), bytes.size());
    receiveAll(socket, &byte, 1);
  } else {
    receiveAll(socket, bytes.data(), bytes.size());
    sendAll(socket, &byte, 1);
  }
  return secondsSince(start);
}

// A process's end of a network. `socket`: to the other one.
class End : Network::Events {
public:
  End(Peer self, int socket, bool sharesMemory)
      : self_(self), socket_(socket), exchange_({self,
                                                 {"process 0", "process 1"},
                                                 [this](Peer peer) { network_->wake(peer); },
                                                 [this](Peer peer) { network_->cut(peer); }}) {
    NetworkOptions options;
    options.listen = "127.0.0.1:0";
    auto network = GrpcNetwork::start(options);
    require(network.ok(), "network");
    network_ = *std::move(network);
    int own = network_->port(), other = 0;
    sendAll(socket_, &own, sizeof own);
    receiveAll(socket_, &other, sizeof other);
    std::vector<PeerAddress> addresses(2);
    addresses[static_cast<size_t>(self)] = {"127.0.0.1:" + std::to_string(own), "secret"};
    addresses[static_cast<size_t>(1 - self)] = {"127.0.0.1:" + std::to_string(other), "secret"};
    if (sharesMemory)
      shareMemory();
    network_->open(self, addresses, *this);
  }
  ~End() override { network_->shutDown(std::chrono::seconds(1), /*hasFailed=*/false); }

  double transported(std::vector<std::byte> &bytes) {
    meet(socket_);
    auto start = Clock::now();
    std::vector<std::byte> byte(1);
    self_ == 0 ? post(bytes) : take(bytes);
    self_ == 0 ? take(byte) : post(byte);
    return secondsSince(start);
  }

private:
  void shareMemory() {
    auto shared = SharedNetwork::create(network_);
    require(shared.ok(), "shared memory");
    std::string own = (*shared)->socketName(), other(own.size(), ' ');
    sendAll(socket_, own.data(), own.size());
    receiveAll(socket_, other.data(), other.size());
    (*shared)->setNeighbours({{self_, {own, "secret"}}, {1 - self_, {other, "secret"}}});
    network_ = *std::move(shared);
  }
  void post(std::span<const std::byte> bytes) { finish(*exchange_.post(1 - self_, {}, kMessage, {&bytes, 1})); }
  void take(std::span<std::byte> bytes) { finish(*exchange_.take(1 - self_, {}, kMessage, bytes)); }
  static void finish(Transfer &transfer) {
    Status status = transfer.wait();
    if (!status.ok())
      std::fprintf(stderr, "%s\n", status.ToString().c_str());
    require(status.ok(), "transfer");
  }

  std::optional<Exchange::Outgoing> nextFrame(Peer peer) override { return exchange_.nextFrame(peer); }
  Status received(Peer peer, Pieces frame) override { return exchange_.received(peer, frame); }
  void controlled(Peer, const std::string &) override {}
  void disconnected(Peer peer, bool, const Status &why) override {
    exchange_.lost(peer, why.ok() ? Status(StatusCode::kUnavailable, "it has ended") : why);
  }

  static constexpr Message kMessage{1, 2, 3, "benchmark"};
  const Peer self_;
  const int socket_;
  std::unique_ptr<Network> network_;
  Exchange exchange_;
};

// A connection with itself, over TCP.
void connectPair(int pair[2]) {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto *at = reinterpret_cast<sockaddr *>(&address);
  require(bind(listener, at, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, at, &size) == 0, "listen");
  pair[0] = socket(AF_INET, SOCK_STREAM, 0);
  require(connect(pair[0], at, size) == 0, "connect");
  pair[1] = accept(listener, nullptr, nullptr);
  int on = 1;
  for (int i = 0; i < 2; ++i)
    setsockopt(pair[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  close(listener);
}

// What one way has taken.
struct Measured {
  const char *name;
  End end;
  std::vector<double> ratios; // of the bare rate
  double processor = 0, small = 0;
};

void measure(Peer self, int socket, int rounds, size_t mebibytes) {
  Measured ways[] = {{"gRPC", {self, socket, false}, {}}, {"shared memory", {self, socket, true}, {}}};
  std::vector<std::byte> large(mebibytes << 20), little(4);
  bare(self, socket, large);
  for (Measured &way : ways)
    way.end.transported(large);
  double bareProcessor = 0, bareSmall = 0;
  for (int round = 0; round < rounds; ++round) {
    double start = processorSeconds(), seconds = bare(self, socket, large);
    bareProcessor += processorSeconds() - start;
    for (Measured &way : ways) {
      start = processorSeconds();
      way.ratios.push_back(seconds / way.end.transported(large));
      way.processor += processorSeconds() - start;
    }
    if (self == 0)
      std::printf("%zu MiB: bare %.2f GiB/s, gRPC %.2f of it, shared memory %.2f\n", mebibytes,
                  static_cast<double>(mebibytes) / 1024 / seconds, ways[0].ratios.back(), ways[1].ratios.back());
  }
  constexpr int kSmall = 500;
  for (int i = 0; i < kSmall; ++i) {
    bareSmall += bare(self, socket, little);
    for (Measured &way : ways)
      way.small += way.end.transported(little);
  }
  double gibibytes = static_cast<double>(mebibytes) / 1024 * rounds;
  std::printf("%s: processor time %.2f s a GiB bare, %.2f by gRPC, %.2f by shared memory\n",
              self ? "receiver" : "sender", bareProcessor / gibibytes, ways[0].processor / gibibytes,
              ways[1].processor / gibibytes);
  for (Measured &way : ways) {
    std::sort(way.ratios.begin(), way.ratios.end());
    if (self == 0)
      std::printf("%s: median %.2f of the bare rate; 4 bytes there and 1 back: %.0f us, bare %.0f us\n", way.name,
                  way.ratios[way.ratios.size() / 2], way.small / kSmall * 1e6, bareSmall / kSmall * 1e6);
  }
}

} // namespace
} // namespace tenon::runtime

int main(int argc, char **argv) {
  int pair[2];
  tenon::runtime::connectPair(pair);
  pid_t child = fork(); // before there are threads
  tenon::runtime::measure(child ? 0 : 1, pair[child ? 0 : 1], argc > 1 ? std::atoi(argv[1]) : 10,
                          argc > 2 ? static_cast<size_t>(std::atoi(argv[2])) : 64);
  if (child)
    waitpid(child, nullptr, 0);
  return 0;
}
