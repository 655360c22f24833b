// HTTP for anybody: whatever comes, headers and bodies have a largest size and a longest time, and a connection more
// than there may be is refused. One thread for each connection.
#pragma once

#include "tenon/server/http/transport.h"
#include "tenon/status.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace tenon::server {

struct HttpRequest {
  std::string method, path;                   // the path without what follows a "?", decoded
  std::map<std::string, std::string> headers; // names in lower case; of several with one name the last
  std::string body;

  // "" where there is none.
  std::string header(const std::string &name) const {
    auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

struct HttpReply {
  int status = 200;
  std::string body;
  std::string type = "application/json";
  std::map<std::string, std::string> headers;
};

struct HttpLimits {
  size_t connections = 256;
  size_t bodyBytes = size_t{64} << 20; // as it is when it is decompressed
  size_t allBytes = size_t{1} << 30;   // of the bodies that are there at a time
  // For a request to arrive as a whole, and for the peer to take the reply. Long bodies have a second more for each 256
  // KiB.
  std::chrono::milliseconds request{30'000};
  std::chrono::milliseconds idle{60'000}; // between two requests
};

class HttpServer {
public:
  // The reply, from threads of the server's.
  using Answer = std::function<HttpReply(HttpRequest &request)>;
  // Asked before the body is read: a reply that refuses the request, or nothing.
  using Admission = std::function<std::optional<HttpReply>(const HttpRequest &request)>;

  // Port 0: any. UNAVAILABLE where it cannot listen. With a certificate it speaks HTTPS alone: INVALID_ARGUMENT for one
  // that cannot be used.
  static StatusOr<std::unique_ptr<HttpServer>> start(const std::string &host, int port, const HttpLimits &limits,
                                                     Admission admission, Answer answer,
                                                     const TlsIdentity &identity = {});
  // Requests under way are answered; connections end.
  ~HttpServer();

  int port() const;

private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace tenon::server
