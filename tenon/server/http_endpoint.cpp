#include "tenon/server/http_endpoint.h"

namespace tenon::server {

StatusOr<std::unique_ptr<HttpServer>> startHttpEndpoint(const std::string &host, int port,
                                                        std::function<std::string()> metrics,
                                                        std::function<bool()> isHealthy) {
  HttpLimits limits;
  limits.connections = 64;
  limits.bodyBytes = 1 << 16;
  limits.idle = std::chrono::seconds(5);
  auto answer = [metrics = std::move(metrics), isHealthy = std::move(isHealthy)](HttpRequest &request) -> HttpReply {
    if (request.path == "/metrics")
      return {200, metrics(), "text/plain; version=0.0.4; charset=utf-8", {}};
    if (request.path != "/health")
      return {404, "only /metrics and /health are here\n", "text/plain", {}};
    return isHealthy() ? HttpReply{200, "ok\n", "text/plain", {}} : HttpReply{503, "shutting down\n", "text/plain", {}};
  };
  auto admit = [](const HttpRequest &) { return std::optional<HttpReply>(); };
  return HttpServer::start(host, port, limits, admit, answer);
}

} // namespace tenon::server
