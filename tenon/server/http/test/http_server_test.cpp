// Peers that keep to no rule.
#include "tenon/server/http/http_server.h"
#include "tenon/server/http/testing/local_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace tenon::server {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class HttpServerTest : public ::testing::Test {
protected:
  void start(const HttpLimits &limits) {
    auto admit = [](const HttpRequest &request) -> std::optional<HttpReply> {
      return request.header("authorization") == "none" ? std::optional(HttpReply{401, "who?", "text/plain", {}})
                                                       : std::nullopt;
    };
    auto answer = [](HttpRequest &request) -> HttpReply {
      return {200, request.method + " " + request.path + " " + std::to_string(request.body.size()), "text/plain", {}};
    };
    server_ = HttpServer::start("127.0.0.1", 0, limits, admit, answer).ConsumeValueOrDie();
  }

  int connected() const {
    int socket = connectedTo(server_->port());
    EXPECT_GE(socket, 0);
    return socket;
  }
  // What the server says to these bytes, up to the end of the connection.
  std::string exchange(const std::string &text, bool ends = true) const {
    int socket = connected();
    for (size_t sent = 0; sent < text.size();) {
      ssize_t size = send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (size <= 0)
        break;
      sent += static_cast<size_t>(size);
    }
    if (ends)
      shutdown(socket, SHUT_WR);
    std::string answer = readAll(socket);
    close(socket);
    return answer;
  }
  static std::string readAll(int socket) {
    std::string answer;
    std::array<char, 4096> buffer;
    for (ssize_t size = 0; (size = recv(socket, buffer.data(), buffer.size(), 0)) > 0;)
      answer.append(buffer.data(), static_cast<size_t>(size));
    return answer;
  }

  std::unique_ptr<HttpServer> server_;
};

std::string post(const std::string &headers, const std::string &body) {
  return "POST /a HTTP/1.1\r\n" + headers + "\r\n" + body;
}

TEST_F(HttpServerTest, AnswersRequestsOfOneConnection) {
  start({});
  std::string answer =
      exchange("GET /a%20b?c=d HTTP/1.1\r\n\r\n" + post("Content-Length: 3\r\n", "abc") +
               post("Transfer-Encoding: chunked\r\n", "2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n") + post("", ""));
  for (const char *each : {"GET /a b 0", "POST /a 3", "POST /a 5", "POST /a 0"})
    EXPECT_THAT(answer, HasSubstr(each));
}

TEST_F(HttpServerTest, RefusesWhatItDoesNotServe) {
  start({});
  EXPECT_THAT(exchange("PUT /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(exchange("GET /" + std::string(5000, 'a') + " HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 414"));
  EXPECT_THAT(exchange("GET /a HTTP/1.1\r\nRange: bytes=0-1,2-3\r\n\r\n"), StartsWith("HTTP/1.1 416"));
  EXPECT_THAT(exchange(post("Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1\r\n", "a")),
              StartsWith("HTTP/1.1 415"));
  EXPECT_THAT(exchange(post("Authorization: none\r\nContent-Length: 1\r\n", "a")), HasSubstr("who?"));
  EXPECT_THAT(exchange("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_EQ(exchange(""), "");
}

TEST_F(HttpServerTest, BodiesHaveALargestSize) {
  HttpLimits limits;
  limits.bodyBytes = 1000;
  start(limits);
  EXPECT_THAT(exchange(post("Content-Length: 1000\r\n", std::string(1000, 'a'))), HasSubstr("POST /a 1000"));
  EXPECT_THAT(exchange(post("Content-Length: 1001\r\n", std::string(1001, 'a'))), StartsWith("HTTP/1.1 413"));
  // Nobody waits for what is only announced.
  EXPECT_THAT(exchange(post("Content-Length: 99999999999\r\n", ""), /*ends=*/false), StartsWith("HTTP/1.1 413"));
  std::string chunk = "1f4\r\n" + std::string(500, 'a') + "\r\n";
  EXPECT_THAT(exchange(post("Transfer-Encoding: chunked\r\n", chunk + chunk + chunk + "0\r\n\r\n")),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(exchange(post("Content-Length: 9\r\n", "abc")), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(exchange(post("Content-Length: 3\r\n", "abc")), HasSubstr("POST /a 3")) << "it goes on";
}

TEST_F(HttpServerTest, BodiesHaveALargestSizeTogether) {
  HttpLimits limits;
  limits.allBytes = 100;
  start(limits);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(exchange(post("Content-Length: 101\r\n", std::string(101, 'a'))), StartsWith("HTTP/1.1 503"));
    EXPECT_THAT(exchange(post("Content-Length: 100\r\n", std::string(100, 'a'))), StartsWith("HTTP/1.1 200"));
  }
}

// Neither one line nor many may go on for ever.
TEST_F(HttpServerTest, HeadersHaveALargestSize) {
  start({});
  EXPECT_THAT(exchange("GET /a HTTP/1.1\r\nX: " + std::string(1 << 20, 'a')), Not(StartsWith("HTTP/1.1 200")));
  std::string many = "GET /a HTTP/1.1\r\n";
  for (int i = 0; i < 100000; ++i)
    many += "X-" + std::to_string(i) + ": a\r\n";
  EXPECT_THAT(exchange(many + "\r\n"), Not(StartsWith("HTTP/1.1 200")));
  EXPECT_THAT(exchange(std::string(1 << 20, 'a')), Not(StartsWith("HTTP/1.1 200")));
  EXPECT_THAT(exchange("GET /a HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 200"));
}

// A peer that says a little now and then ends, too, at the deadline, which is what is tested.
TEST_F(HttpServerTest, RequestsHaveATime) {
  HttpLimits limits;
  limits.request = std::chrono::milliseconds(100);
  limits.idle = std::chrono::milliseconds(100);
  start(limits);
  for (const std::string &begin : {std::string("GET /a HT"), post("Content-Length: 9\r\n", "abc"), std::string()})
    EXPECT_THAT(exchange(begin, /*ends=*/false), Not(HasSubstr("200 OK")));
}

TEST_F(HttpServerTest, ConnectionsHaveALargestNumber) {
  HttpLimits limits;
  limits.connections = 2;
  start(limits);
  std::vector<int> open{connected(), connected()};
  // Only when both are served is there no room.
  const std::string text = "GET /a HTTP/1.1\r\n\r\n";
  std::array<char, 4096> buffer;
  for (int socket : open) {
    EXPECT_EQ(send(socket, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    EXPECT_GT(recv(socket, buffer.data(), buffer.size(), 0), 0);
  }
  EXPECT_THAT(exchange(""), StartsWith("HTTP/1.1 503"));
  for (int socket : open)
    close(socket);
  std::string answer;
  for (int i = 0; i < 1000 && !answer.starts_with("HTTP/1.1 200"); ++i, usleep(1000))
    answer = exchange(text);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, EndsBesideOpenConnections) {
  start({});
  int socket = connected();
  server_.reset();
  EXPECT_EQ(readAll(socket), "");
  close(socket);
}

} // namespace
} // namespace tenon::server
