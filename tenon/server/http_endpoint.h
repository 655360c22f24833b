// A small HTTP server for those who watch: /metrics for Prometheus, /health for people and load balancers.
#pragma once

#include "tenon/status.h"

#include <functional>
#include <memory>
#include <string>

namespace tenon::server {

class HttpEndpoint {
public:
  // Port 0: any. `metrics` gives the text, `isHealthy` whether calls are served; both are called from other threads.
  static StatusOr<std::unique_ptr<HttpEndpoint>>
  start(const std::string &host, int port, std::function<std::string()> metrics, std::function<bool()> isHealthy);
  ~HttpEndpoint();

  int port() const;

private:
  struct Impl;
  explicit HttpEndpoint(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace tenon::server
