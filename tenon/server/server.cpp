#include "tenon/server/server.h"

#include "tenon/backend/registry.h"
#include "tenon/remote/address.h"
#include "tenon/remote/wire.h"
#include "tenon/server/compute.h"
#include "tenon/server/http_endpoint.h"
#include "tenon/server/inference.h"
#include "tenon/server/log.h"

#include <grpcpp/ext/health_check_service_server_builder_option.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <netdb.h>
#include <optional>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace tenon::server {

using remote::isLocal;
using remote::isUnix;
using remote::split;

namespace {

Status checkFiles(const ServerOptions &options) {
  if (options.certificate.empty() != options.privateKey.empty())
    return invalidArgument("a certificate needs its private key, and the other way about");
  for (const auto &[name, text] : {std::pair("the certificate", &options.certificate),
                                   {"the private key", &options.privateKey},
                                   {"the clients' authorities", &options.clientAuthorities}})
    TENON_RETURN_IF_ERROR(remote::checkPem(name, *text));
  if (!options.clientAuthorities.empty() && options.certificate.empty())
    return invalidArgument("clients show certificates only to a server that has one");
  return {};
}

// What other machines can reach must have a certificate, and know its clients.
Status checkReach(const ServerOptions &options, const std::string &address) {
  bool knowsClients = !options.clientAuthorities.empty() || !options.token.empty();
  if (isLocal(address) || (!options.certificate.empty() && knowsClients))
    return {};
  return invalidArgument("'" + address +
                         "' can be reached from other machines: that needs a certificate, and clients that show one "
                         "of theirs or a token");
}

Status checkAddresses(const ServerOptions &options) {
  if (!isUnix(options.listen) && split(options.listen).port < 0)
    return invalidArgument("an address is host:port or unix:/path, and not '" + options.listen + "'");
  TENON_RETURN_IF_ERROR(checkReach(options, options.listen));
  if (!options.metrics.empty() && (isUnix(options.metrics) || split(options.metrics).port < 0))
    return invalidArgument("an address is host:port, and not '" + options.metrics + "'");
  if (!options.metrics.empty() && !isLocal(options.metrics))
    return invalidArgument("metrics are for this machine alone, and '" + options.metrics +
                           "' can be reached from others");
  if (!options.http.empty() && options.models.empty())
    return invalidArgument("HTTP serves models, and no folder of models is given");
  if (!options.http.empty() && (isUnix(options.http) || split(options.http).port < 0))
    return invalidArgument("an address is host:port, and not '" + options.http + "'");
  return options.http.empty() ? Status() : checkReach(options, options.http);
}

std::shared_ptr<grpc::ServerCredentials> credentialsOf(const ServerOptions &options) {
  if (options.certificate.empty())
    return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions tls(options.clientAuthorities.empty()
                                            ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                                            : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  tls.pem_root_certs = options.clientAuthorities;
  tls.pem_key_cert_pairs.push_back({options.privateKey, options.certificate});
  return grpc::SslServerCredentials(tls);
}

// Whether some address of the host has the port free: gRPC says why it has not on the error output, in its own form.
Status checkPort(const std::string &address) {
  remote::HostPort at = split(address);
  if (at.port == 0)
    return {};
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  if (int error = getaddrinfo(at.host.c_str(), std::to_string(at.port).c_str(), &hints, &found))
    return invalidArgument("cannot listen on " + address + ": " + gai_strerror(error));
  int why = 0;
  bool isFree = false;
  for (const addrinfo *each = found; each && !isFree; each = each->ai_next) {
    int socket = ::socket(each->ai_family, each->ai_socktype, each->ai_protocol);
    int on = 1;
    if (socket >= 0)
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    isFree = socket >= 0 && bind(socket, each->ai_addr, each->ai_addrlen) == 0;
    why = errno;
    if (socket >= 0)
      close(socket);
  }
  freeaddrinfo(found);
  if (isFree)
    return {};
  return {StatusCode::kUnavailable,
          "cannot listen on " + address + ": " +
              (why == EADDRINUSE ? "another program listens there" : std::generic_category().message(why))};
}

// A client that has gone silent is noticed within half a minute.
void setChannelArguments(grpc::ServerBuilder &builder) {
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 15'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 15'000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 500);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, remote::kHeaderBytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 64);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

} // namespace

// The workers know what to compile for.
static StatusOr<ServerOptions> withCompiler(ServerOptions options) {
  TENON_ASSIGN_OR_RETURN(std::string compiler, backend::compilerName(options.platform));
  if (!options.limits.compile.command.empty())
    options.limits.compile.command.push_back("--target=" + compiler);
  return options;
}

struct Server::Impl {
  Impl(const ServerOptions &options, backend::Backend &backend)
      : sessions(options.platform, backend, options.limits, options.maxClients, metrics),
        compute(sessions, options.limits, options.token, metrics) {
    if (!options.models.empty())
      inference.emplace(options, backend, metrics);
  }

  std::string text() {
    Metrics::Gauges gauges;
    sessions.measure(gauges);
    gauges["calls_under_way"] = callsUnderWay();
    return metrics.text(gauges) + (inference ? inference->metricsText() : "");
  }
  int callsUnderWay() const { return compute.callsUnderWay() + (inference ? inference->callsUnderWay() : 0); }

  Metrics metrics;
  Sessions sessions;
  ComputeService compute;
  std::optional<Inference> inference;
  std::atomic<bool> isServing{true};
  int port = 0;
  std::unique_ptr<grpc::Server> server;
  std::unique_ptr<HttpServer> http;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() { shutDown(std::chrono::nanoseconds(0)); }
int Server::port() const { return impl_->port; }
int Server::metricsPort() const { return impl_->http ? impl_->http->port() : 0; }
int Server::httpPort() const { return impl_->inference ? impl_->inference->httpPort() : 0; }
std::string Server::metricsText() const { return impl_->text(); }

StatusOr<std::unique_ptr<Server>> Server::start(const ServerOptions &given) {
  TENON_ASSIGN_OR_RETURN(backend::Backend * backend, backend::backendOf(given.platform));
  TENON_ASSIGN_OR_RETURN(ServerOptions options, withCompiler(given));
  TENON_RETURN_IF_ERROR(checkFiles(options));
  TENON_RETURN_IF_ERROR(checkAddresses(options));
  TENON_RETURN_IF_ERROR(isUnix(options.listen) ? Status() : checkPort(options.listen));
  auto impl = std::make_unique<Impl>(options, *backend);
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(options.listen, credentialsOf(options), &impl->port);
  setChannelArguments(builder);
  grpc::ResourceQuota quota("tenon");
  // A thread holds each session's stream, and each call.
  quota.SetMaxThreads(options.maxClients * 4 + 64);
  builder.RegisterService(&impl->compute);
  if (impl->inference) {
    builder.RegisterService(&impl->inference->grpcService());
    builder.SetMaxReceiveMessageSize(static_cast<int>(std::min<int64_t>(options.requestBytes, INT_MAX)));
    // A message is read before anybody knows whose it is.
    quota.Resize(static_cast<size_t>(std::max(options.limits.memory, options.requestBytes)));
  }
  builder.SetResourceQuota(quota);
  impl->server = builder.BuildAndStart();
  if (!impl->server || (impl->port == 0 && !isUnix(options.listen)))
    return Status(StatusCode::kUnavailable,
                  "cannot listen on " + options.listen +
                      (options.certificate.empty() ? "" : ", or certificate and private key do not fit together"));
  if (auto *health = impl->server->GetHealthCheckService())
    health->SetServingStatus("tenon.v1.Compute", true);
  if (impl->inference)
    TENON_RETURN_IF_ERROR(impl->inference->start(options));
  if (!options.metrics.empty()) {
    remote::HostPort at = split(options.metrics);
    auto text = [impl = impl.get()] { return impl->text(); };
    auto isServing = [impl = impl.get()] { return impl->isServing.load(); };
    TENON_ASSIGN_OR_RETURN(impl->http, startHttpEndpoint(at.host, at.port, text, isServing));
  }
  log(Level::kInfo, "serving",
      {{"address", options.listen},
       {"port", int64_t{impl->port}},
       {"metrics_port", int64_t{impl->http ? impl->http->port() : 0}},
       {"http_port", int64_t{impl->inference ? impl->inference->httpPort() : 0}},
       {"tls", std::string(options.certificate.empty() ? "no" : "yes")}});
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

void Server::shutDown(std::chrono::nanoseconds grace) {
  if (!impl_->server)
    return;
  impl_->isServing = false;
  if (auto *health = impl_->server->GetHealthCheckService())
    health->SetServingStatus(false);
  impl_->compute.refuse();
  if (impl_->inference)
    impl_->inference->refuse();
  auto end = std::chrono::steady_clock::now() + grace;
  while (impl_->callsUnderWay() > 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  impl_->sessions.closeAll();
  if (impl_->inference)
    impl_->inference->stop();
  // Calls that have ended may still be sending their replies; a stream that a client keeps open would never end.
  auto left = std::clamp<std::chrono::nanoseconds>(end - std::chrono::steady_clock::now(), {}, std::chrono::seconds(1));
  impl_->server->Shutdown(std::chrono::system_clock::now() + left);
  impl_->http.reset();
  impl_->server.reset();
  log(Level::kInfo, "ended");
}

} // namespace tenon::server
