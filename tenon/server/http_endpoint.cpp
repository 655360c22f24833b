#include "tenon/server/http_endpoint.h"

#include <httplib.h>

#include <sys/socket.h>
#include <thread>

namespace tenon::server {
namespace {

constexpr size_t kThreads = 8;

// The library's own would share the port with any other server that listens there, and give each some of the requests.
void setSocketOptions(int socket) {
  int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
}

} // namespace

struct HttpEndpoint::Impl {
  httplib::Server server;
  std::thread thread;
  int port = 0;
};

HttpEndpoint::HttpEndpoint(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpEndpoint::~HttpEndpoint() {
  impl_->server.stop();
  if (impl_->thread.joinable())
    impl_->thread.join();
}

int HttpEndpoint::port() const { return impl_->port; }

StatusOr<std::unique_ptr<HttpEndpoint>> HttpEndpoint::start(const std::string &host, int port,
                                                            std::function<std::string()> metrics,
                                                            std::function<bool()> isHealthy) {
  auto impl = std::make_unique<Impl>();
  impl->server.set_payload_max_length(1 << 16);
  impl->server.set_socket_options(setSocketOptions);
  // A connection has a thread as long as it is open: it is for one request, which has to come soon.
  impl->server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  impl->server.set_keep_alive_max_count(1);
  impl->server.set_keep_alive_timeout(1);
  impl->server.set_read_timeout(1);
  impl->server.Get("/metrics", [metrics = std::move(metrics)](const httplib::Request &, httplib::Response &response) {
    response.set_content(metrics(), "text/plain; version=0.0.4; charset=utf-8");
  });
  impl->server.Get("/health",
                   [isHealthy = std::move(isHealthy)](const httplib::Request &, httplib::Response &response) {
                     bool healthy = isHealthy();
                     response.status = healthy ? 200 : 503;
                     response.set_content(healthy ? "ok\n" : "shutting down\n", "text/plain");
                   });
  bool isBound = true;
  if (port == 0)
    impl->port = impl->server.bind_to_any_port(host);
  else if ((isBound = impl->server.bind_to_port(host, port)))
    impl->port = port;
  if (!isBound || impl->port <= 0)
    return Status(StatusCode::kUnavailable, "cannot listen on " + host + ":" + std::to_string(port));
  impl->thread = std::thread([server = &impl->server] { server->listen_after_bind(); });
  while (!impl->server.is_running())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return std::unique_ptr<HttpEndpoint>(new HttpEndpoint(std::move(impl)));
}

} // namespace tenon::server
