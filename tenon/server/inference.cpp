#include "tenon/server/inference.h"

#include "tenon/backend/backend.h"
#include "tenon/remote/address.h"
#include "tenon/remote/wire.h"
#include "tenon/server/kserve/rest.h"
#include "tenon/server/log.h"
#include "tenon/server/token.h"

#include <new>

namespace tenon::server {

namespace {

void logModel(const std::string &event, const std::string &model, int64_t version, const Status &status) {
  log(status.ok() ? Level::kInfo : Level::kWarning, "model",
      {{"what", event}, {"model", model}, {"version", version}, {"message", status.message().substr(0, 400)}});
}

kserve::StoreOptions storeOptions(const ServerOptions &options) {
  kserve::StoreOptions result;
  result.folder = options.models;
  result.poll = options.modelPoll;
  result.limits = {options.limits.deadline, options.limits.memory};
  result.log = logModel;
  return result;
}

// How the log and the metrics name a call of this protocol: a client can give a model any name.
kserve::Service::Observer observerOf(Metrics &metrics) {
  return [&metrics](const char *method, const std::string &model, const Status &status, std::chrono::nanoseconds time) {
    metrics.countCall(method, status.code(), time);
    log(status.ok() ? Level::kDebug : Level::kInfo, "call",
        {{"method", method},
         {"model", model.substr(0, 128)},
         {"status", statusCodeName(status.code())},
         {"seconds", std::chrono::duration<double>(time).count()},
         {"message", status.message().substr(0, 400)}});
  };
}

std::string_view authorizationOf(const grpc::ServerContext &context) {
  auto found = context.client_metadata().find(remote::kAuthorization);
  if (found == context.client_metadata().end())
    return {};
  return {found->second.data(), found->second.size()};
}

} // namespace

Inference::Inference(const ServerOptions &options, backend::Backend &backend, Metrics &metrics)
    : metrics_(metrics), token_(options.token), backend_(backend, options.limits.compile, metrics),
      store_(backend_, storeOptions(options)), service_(store_, observerOf(metrics)),
      grpc_(service_,
            [this](const grpc::ServerContext &context) { return checkToken(authorizationOf(context), token_); }) {}

Status Inference::start(const ServerOptions &options) {
  TENON_RETURN_IF_ERROR(store_.start());
  if (options.http.empty())
    return {};
  HttpLimits limits;
  limits.connections = static_cast<size_t>(options.maxClients);
  limits.bodyBytes = static_cast<size_t>(options.requestBytes);
  // Numbers in JSON take up to eight times as much once they are read, and then there are the tensors.
  limits.allBytes = static_cast<size_t>(std::max(options.limits.memory / 16, options.requestBytes));
  // Whoever asks whether the server lives has no token.
  auto admit = [this](const HttpRequest &request) -> std::optional<HttpReply> {
    if (request.path.starts_with("/v2/health/"))
      return std::nullopt;
    Status status = checkToken(request.header("authorization"), token_);
    return status.ok() ? std::nullopt : std::optional(kserve::errorReply(status));
  };
  auto answer = [this](HttpRequest &request) {
    metrics_.receivedBytes += static_cast<int64_t>(request.body.size());
    HttpReply reply;
    try {
      reply = kserve::answer(service_, request);
    } catch (const std::bad_alloc &) {
      reply = kserve::errorReply({StatusCode::kResourceExhausted, "the server has no memory left"});
    }
    metrics_.sentBytes += static_cast<int64_t>(reply.body.size());
    return reply;
  };
  remote::HostPort at = remote::split(options.http);
  TlsIdentity identity{options.certificate, options.privateKey, options.clientAuthorities};
  TENON_ASSIGN_OR_RETURN(http_, HttpServer::start(at.host, at.port, limits, admit, answer, identity));
  return {};
}

void Inference::stop() {
  backend_.stop();
  store_.stop();
  http_.reset();
}

} // namespace tenon::server
