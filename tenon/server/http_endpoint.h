// HTTP for those who watch: /metrics for Prometheus, /health for people and load balancers.
#pragma once

#include "tenon/server/http/http_server.h"

namespace tenon::server {

// Port 0: any. `metrics` gives the text, `isHealthy` whether calls are served; both are called from other threads.
StatusOr<std::unique_ptr<HttpServer>> startHttpEndpoint(const std::string &host, int port,
                                                        std::function<std::string()> metrics,
                                                        std::function<bool()> isHealthy);

} // namespace tenon::server
