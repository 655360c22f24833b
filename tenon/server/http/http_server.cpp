#include "tenon/server/http/http_server.h"

#include "tenon/server/http/connection.h"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <set>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace tenon::server {

namespace {

constexpr size_t kHeaderBytes = 64 << 10;
constexpr size_t kPathBytes = 1024;
// The least that a peer must send or take of a body in a second.
constexpr size_t kBytesASecond = 256 << 10;

// The library's own would share the port with any other server that listens there, and give each some of the requests.
void setSocketOptions(int socket) {
  int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
}

HttpReply refusal(int status, const std::string &why) {
  return {status, R"({"error":")" + why + "\"}\n", "application/json", {}};
}

void put(HttpReply &&reply, httplib::Response &response) {
  response.status = reply.status;
  response.body = std::move(reply.body);
  response.set_header("Content-Type", reply.type);
  for (const auto &[name, value] : reply.headers)
    response.set_header(name, value);
}

HttpRequest requestOf(const httplib::Request &given) {
  HttpRequest request{given.method, given.path, {}, {}};
  for (const auto &[name, value] : given.headers) {
    std::string lower = name;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    request.headers[lower] = value;
  }
  return request;
}

bool hasBody(const HttpRequest &request) {
  return !request.header("transfer-encoding").empty() ||
         (!request.header("content-length").empty() && request.header("content-length") != "0");
}

} // namespace

class HttpServer::Impl final : public httplib::Server {
public:
  Impl(const HttpLimits &limits, Admission admission, Answer answer, std::unique_ptr<TransportMaker> transports)
      : limits_(limits), admission_(std::move(admission)), answer_(std::move(answer)),
        transports_(std::move(transports)) {
    set_socket_options(setSocketOptions);
    set_tcp_nodelay(true); // head and body are written one after the other
    set_payload_max_length(limits.bodyBytes);
    new_task_queue = [this] { return new Threads(*this); };
    set_pre_routing_handler([this](const httplib::Request &request, httplib::Response &response) {
      return begin(request, response) ? HandlerResponse::Handled : HandlerResponse::Unhandled;
    });
    Post(".*", [this](const httplib::Request &request, httplib::Response &response,
                      const httplib::ContentReader &read) { readAndAnswer(request, response, read); });
  }
  ~Impl() override {
    isStopping_ = true;
    stop();
    if (acceptor_.joinable())
      acceptor_.join();
  }

  Status start(const std::string &host, int port) {
    bool isBound = true;
    if (port == 0)
      port_ = bind_to_any_port(host);
    else if ((isBound = bind_to_port(host, port)))
      port_ = port;
    if (!isBound || port_ <= 0)
      return {StatusCode::kUnavailable, "cannot listen on " + host + ":" + std::to_string(port)};
    acceptor_ = std::thread([this, host] {
      listen_after_bind();
      // The library gives up where a connection has an error before it is taken.
      while (!isStopping_ && bind_to_port(host, port_))
        listen_after_bind();
    });
    while (!is_running())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return {};
  }
  int port() const { return port_; }

private:
  // A thread for each connection, up to the limit; the others are told so by the thread that takes connections.
  class Threads final : public httplib::TaskQueue {
  public:
    explicit Threads(Impl &server) : server_(server) {}
    void enqueue(std::function<void()> serve) override {
      if (start(serve))
        return;
      isRefusing = true;
      serve();
      isRefusing = false;
    }
    void shutdown() override {
      server_.endConnections();
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return running_ == 0; });
    }

  private:
    // False where there is no thread for it.
    bool start(const std::function<void()> &serve) {
      std::lock_guard lock(mutex_);
      if (running_ >= server_.limits_.connections)
        return false;
      try {
        std::thread([this, serve] {
          serve();
          std::lock_guard ended(mutex_);
          --running_;
          changed_.notify_all();
        }).detach();
      } catch (const std::system_error &) {
        return false;
      }
      ++running_;
      return true;
    }

    Impl &server_;
    std::mutex mutex_;
    std::condition_variable changed_;
    size_t running_ = 0;
  };

  bool process_and_close_socket(socket_t socket) override {
    if (isRefusing) {
      // Where that is TLS nobody could read a word before both sides have agreed, which the thread has no time for.
      static const std::string kText =
          "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
      if (!transports_->isTls())
        (void)!::send(socket, kText.data(), kText.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    } else if (keep(socket)) {
      serve(socket);
      std::lock_guard lock(mutex_);
      sockets_.erase(socket);
    }
    ::close(socket);
    return true;
  }

  void serve(int socket) {
    std::unique_ptr<Transport> transport = transports_->make(socket);
    if (!transport)
      return;
    Connection connection(socket, std::move(transport));
    current = &connection;
    bool goesOn = connection.begin(limits_.request);
    while (goesOn && !isStopping_ && connection.awaitRequest(limits_.idle)) {
      connection.limit(kHeaderBytes, Connection::Clock::now() + limits_.request);
      bool isLast = false;
      goesOn = process_request(connection, /*close_connection=*/false, isLast, nullptr) && !isLast &&
               !connection.isAbandoned();
    }
    current = nullptr;
    connection.finish();
  }

  // Before the body is read. True where that is the answer.
  bool begin(const httplib::Request &given, httplib::Response &response) {
    std::optional<HttpReply> reply = refuse(given);
    HttpRequest request = requestOf(given);
    if (!reply)
      reply = admission_(request);
    if (!reply && given.method == "GET")
      reply = answer_(request);
    if (!reply)
      return false;
    if (hasBody(request))
      current->abandon();
    send(response, *std::move(reply));
    return true;
  }

  std::optional<HttpReply> refuse(const httplib::Request &given) const {
    if (given.path.size() > kPathBytes)
      return refusal(414, "the path is longer than any");
    if (given.method != "GET" && given.method != "POST")
      return refusal(405, "the method is neither GET nor POST");
    if (given.is_multipart_form_data())
      return refusal(415, "forms are not taken");
    if (given.has_header("Range"))
      return refusal(416, "parts of answers are not given");
    if (given.get_header_value<uint64_t>("Content-Length") > limits_.bodyBytes)
      return tooLong();
    return std::nullopt;
  }
  HttpReply tooLong() const {
    return refusal(413, "the body is longer than the " + std::to_string(limits_.bodyBytes) + " bytes that it may have");
  }

  void readAndAnswer(const httplib::Request &given, httplib::Response &response, const httplib::ContentReader &read) {
    HttpRequest request = requestOf(given);
    Held held(held_);
    std::optional<HttpReply> refused;
    if (hasBody(request))
      refused = readBody(request, held, read);
    if (refused)
      current->abandon();
    send(response, refused ? *std::move(refused) : answer_(request));
  }

  // Bytes that bodies hold together.
  class Held {
  public:
    explicit Held(std::atomic<size_t> &all) : all_(all) {}
    ~Held() { all_ -= own_; }
    Held(const Held &) = delete;
    Held &operator=(const Held &) = delete;
    size_t add(size_t bytes) {
      own_ += bytes;
      return all_ += bytes;
    }

  private:
    std::atomic<size_t> &all_;
    size_t own_ = 0;
  };

  std::optional<HttpReply> readBody(HttpRequest &request, Held &held, const httplib::ContentReader &read) {
    // Beside the body there may be the lengths of chunks.
    uint64_t size = 0;
    std::string length = request.header("content-length");
    std::from_chars(length.data(), length.data() + length.size(), size);
    current->limit(2 * limits_.bodyBytes + kHeaderBytes, timeFor(static_cast<size_t>(size)));
    std::optional<HttpReply> refused;
    bool isRead = read([&](const char *data, size_t size) {
      if (size > limits_.bodyBytes - request.body.size())
        refused = tooLong();
      else if (held.add(size) > limits_.allBytes)
        refused = refusal(503, "the server has as many bodies as it may; try again later");
      else
        request.body.append(data, size);
      return !refused;
    });
    if (!isRead && !refused)
      refused = refusal(400, "the body has not come as a whole");
    return refused;
  }

  void send(httplib::Response &response, HttpReply reply) {
    // The peer has its time again to take it.
    current->limit(kHeaderBytes, timeFor(reply.body.size()));
    put(std::move(reply), response);
    if (current->isAbandoned())
      response.set_header("Connection", "close");
  }

  // Until when a body of this size must have come or gone.
  Connection::Clock::time_point timeFor(size_t bytes) const {
    return Connection::Clock::now() + limits_.request + std::chrono::seconds(bytes / kBytesASecond);
  }

  // False where connections end.
  bool keep(int socket) {
    std::lock_guard lock(mutex_);
    if (isStopping_)
      return false;
    sockets_.insert(socket);
    return true;
  }
  void endConnections() {
    std::lock_guard lock(mutex_);
    // What has been read is answered; nothing more comes.
    for (int socket : sockets_)
      ::shutdown(socket, SHUT_RD);
  }

  // What the thread serves, if it serves a connection.
  static thread_local Connection *current;
  static thread_local bool isRefusing;

  const HttpLimits limits_;
  const Admission admission_;
  const Answer answer_;
  const std::unique_ptr<TransportMaker> transports_;
  std::atomic<bool> isStopping_{false};
  std::atomic<size_t> held_{0};
  std::thread acceptor_;
  int port_ = 0;
  std::mutex mutex_;
  std::set<int> sockets_; // open, to be woken
};

thread_local Connection *HttpServer::Impl::current = nullptr;
thread_local bool HttpServer::Impl::isRefusing = false;

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;
int HttpServer::port() const { return impl_->port(); }

StatusOr<std::unique_ptr<HttpServer>> HttpServer::start(const std::string &host, int port, const HttpLimits &limits,
                                                        Admission admission, Answer answer,
                                                        const TlsIdentity &identity) {
  TENON_ASSIGN_OR_RETURN(auto transports, makeTransportMaker(identity));
  auto impl = std::make_unique<Impl>(limits, std::move(admission), std::move(answer), std::move(transports));
  TENON_RETURN_IF_ERROR(impl->start(host, port));
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

} // namespace tenon::server
