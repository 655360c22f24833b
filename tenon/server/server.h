// The server (docs/server.md).
#pragma once

#include "tenon/server/session.h"

#include <chrono>
#include <memory>
#include <string>

namespace tenon::server {

struct ServerOptions {
  // "host:port" (port 0: any), "[::1]:port" or "unix:/path". Anything but this machine needs a certificate, and clients
  // that show one of theirs or the token.
  std::string listen = "127.0.0.1:8470";
  // What programs are compiled for and run on, as backend::backendOf knows it: "cpu", "cuda" or "emulated".
  std::string platform = "cpu";
  // PEM's text. The server's certificate and its key; whose clients to let in, where these must show a certificate.
  std::string certificate, privateKey, clientAuthorities;
  // The token that each call must carry. Empty: none.
  std::string token;
  // The address of /metrics and /health, on this machine only. Empty: they are not served.
  std::string metrics;
  int maxClients = 256;
  ClientLimits limits;
  // The models that clients of the Open Inference Protocol find, over gRPC where `listen` says and over HTTP. Empty:
  // the protocol is not served.
  std::string models;
  // The address of HTTP, and of HTTPS where there is a certificate; for other machines as `listen`. Empty: none.
  std::string http;
  std::chrono::nanoseconds modelPoll = std::chrono::seconds(2); // kserve::StoreOptions::poll
  // The most that a request of that protocol may take in memory.
  int64_t requestBytes = int64_t{64} << 20;
};

class Server {
public:
  // INVALID_ARGUMENT for what the options may not be, UNAVAILABLE where it cannot listen.
  static StatusOr<std::unique_ptr<Server>> start(const ServerOptions &options);
  // Does what shutDown(0) does.
  ~Server();

  // The ports that the server listens at. 0: none.
  int port() const;
  int metricsPort() const;
  int httpPort() const;
  std::string metricsText() const;

  // Takes no new calls, lets those under way end for as long as `grace`, and ends what is left.
  void shutDown(std::chrono::nanoseconds grace);

private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace tenon::server
