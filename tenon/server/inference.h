// The Open Inference Protocol in this server: the store of models, and the ways to it.
#pragma once

#include "tenon/server/http/http_server.h"
#include "tenon/server/kserve/grpc_service.h"
#include "tenon/server/server.h"
#include "tenon/server/worker.h"

namespace tenon::server {

class Inference {
public:
  // `options` name a folder of models, which `backend` is for.
  Inference(const ServerOptions &options, backend::Backend &backend, Metrics &metrics);
  ~Inference() { stop(); }

  // Begins to load models, and listens for HTTP if the options say where.
  Status start(const ServerOptions &options);
  grpc::Service &grpcService() { return grpc_; }
  int httpPort() const { return http_ ? http_->port() : 0; }

  // Takes no more requests; those under way go on.
  void refuse() { service_.refuse(); }
  int callsUnderWay() const { return service_.callsUnderWay(); }
  void stop();

  std::string metricsText() const { return kserve::metricsText(store_); }

private:
  Metrics &metrics_;
  const std::string token_;
  WorkerBackend backend_;
  kserve::Store store_;
  kserve::Service service_;
  kserve::GrpcService grpc_;
  std::unique_ptr<HttpServer> http_;
};

} // namespace tenon::server
