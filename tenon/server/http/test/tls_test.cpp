// HTTPS: who is let in, and peers that keep to no rule.
#include "tenon/server/http/http_server.h"
#include "tenon/server/http/testing/local_socket.h"
#include "tenon/server/http/testing/tls_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <csignal>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace tenon::server {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class HttpsTest : public ::testing::Test {
protected:
  static void SetUpTestSuite() { certificates = new Certificates; }
  static void TearDownTestSuite() { delete certificates; }
  void SetUp() override {
    if (!certificates->areMade())
      GTEST_SKIP() << "no openssl command";
    identity_ = {certificates->read("server.pem"), certificates->read("server.key"), ""};
    client_.authorities = certificates->path("ca.pem");
  }

  Status tryStart(const HttpLimits &limits = {}) {
    auto admit = [](const HttpRequest &) -> std::optional<HttpReply> { return std::nullopt; };
    auto answer = [](HttpRequest &request) -> HttpReply {
      return {200, request.method + " " + std::to_string(request.body.size()) + " " + request.body, "text/plain", {}};
    };
    auto started = HttpServer::start("127.0.0.1", 0, limits, admit, answer, identity_);
    if (!started.ok())
      return started.status();
    server_ = *std::move(started);
    return {};
  }
  std::string exchange(const std::string &text) const { return exchangeByTls(server_->port(), text, client_); }
  int connected() const {
    int socket = connectedTo(server_->port());
    EXPECT_GE(socket, 0);
    return socket;
  }
  // How long the server keeps a connection on which these bytes have come.
  std::chrono::milliseconds keeps(const std::string &bytes) const {
    int socket = connected();
    auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    std::array<char, 256> buffer;
    while (recv(socket, buffer.data(), buffer.size(), 0) > 0) {
    }
    close(socket);
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  }

  static Certificates *certificates;
  TlsIdentity identity_;
  TlsClient client_;
  std::unique_ptr<HttpServer> server_;
};

Certificates *HttpsTest::certificates = nullptr;

const std::string kGet = "GET /a HTTP/1.1\r\nConnection: close\r\n\r\n";

std::string post(const std::string &body, bool isLast = true) {
  return std::string("POST /a HTTP/1.1\r\n") + (isLast ? "Connection: close\r\n" : "") +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST_F(HttpsTest, AnswersRequests) {
  ASSERT_TRUE(tryStart().ok());
  EXPECT_THAT(exchange(kGet), HasSubstr("GET 0 "));
  std::string both = exchange(post("abc", /*isLast=*/false) + post("defgh"));
  EXPECT_THAT(both, HasSubstr("POST 3 abc"));
  EXPECT_THAT(both, HasSubstr("POST 5 defgh"));
}

// More than a record, than the buffer, and than a socket takes at once.
TEST_F(HttpsTest, LongBodiesArriveAndLeaveAsTheyAre) {
  ASSERT_TRUE(tryStart().ok());
  std::string body(5'000'000, 'a');
  for (size_t i = 0; i < body.size(); ++i)
    body[i] = static_cast<char>('a' + i * i % 23);
  std::string answer = exchange(post(body));
  ASSERT_NE(answer.find("\r\n\r\n"), std::string::npos) << answer.substr(0, 200);
  EXPECT_TRUE(answer.substr(answer.find("\r\n\r\n") + 4) == "POST 5000000 " + body);
}

TEST_F(HttpsTest, ShowsItsCertificate) {
  ASSERT_TRUE(tryStart().ok());
  client_.authorities = certificates->path("other.pem");
  EXPECT_THAT(exchange(kGet), HasSubstr("certificate verify failed"));
}

TEST_F(HttpsTest, AsksForCertificatesOfClients) {
  identity_.clientAuthorities = certificates->read("ca.pem");
  ASSERT_TRUE(tryStart().ok());
  EXPECT_THAT(exchange(kGet), HasSubstr("certificate required"));
  client_.certificate = certificates->path("other.pem");
  client_.key = certificates->path("other.key");
  EXPECT_THAT(exchange(kGet), StartsWith("no TLS"));
  client_.certificate = certificates->path("client.pem");
  client_.key = certificates->path("client.key");
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(exchange(kGet), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpsTest, RefusesIdentitiesThatAreNone) {
  auto errorWith = [&](const std::string &certificate, const std::string &key, const std::string &authorities) {
    identity_ = {certificate, key, authorities};
    Status status = tryStart();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    return status.message();
  };
  std::string certificate = certificates->read("server.pem"), key = certificates->read("server.key");
  EXPECT_EQ(errorWith(certificate, certificates->read("other.key"), ""),
            "certificate and private key do not fit together");
  EXPECT_EQ(errorWith("nothing", key, ""), "the certificate is none, or a damaged one");
  EXPECT_EQ(errorWith(certificate + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", key, ""),
            "the certificate is none, or a damaged one");
  EXPECT_EQ(errorWith(certificate, certificate, ""), "the private key is none, is a damaged one, or has a password");
  EXPECT_EQ(errorWith(certificate, key, key), "the clients' authorities are none, or damaged ones");
}

// What is no TLS, half of a greeting, and nothing at all.
TEST_F(HttpsTest, GreetingsHaveATime) {
  HttpLimits limits;
  limits.request = std::chrono::milliseconds(300);
  ASSERT_TRUE(tryStart(limits).ok());
  EXPECT_LT(keeps("GET / HTTP/1.1\r\n\r\n").count(), 20'000);
  EXPECT_GE(keeps(std::string("\x16\x03\x01\x02", 4)).count(), 250);
  EXPECT_GE(keeps("").count(), 250);
  EXPECT_THAT(exchange(kGet), StartsWith("HTTP/1.1 200")) << "it goes on";
}

TEST_F(HttpsTest, PeersThatGoEndNothing) {
  ASSERT_TRUE(tryStart().ok());
  std::signal(SIGPIPE, SIG_DFL);
  for (int i = 0; i < 20; ++i) {
    int socket = connected();
    linger at{1, 0}; // which resets the connection
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &at, sizeof at);
    close(socket);
  }
  EXPECT_THAT(exchange(kGet), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpsTest, ConnectionsHaveALargestNumber) {
  HttpLimits limits;
  limits.connections = 1;
  ASSERT_TRUE(tryStart(limits).ok());
  int socket = connected();
  std::string answer = exchange(kGet);
  EXPECT_THAT(answer, StartsWith("no TLS"));
  close(socket);
  for (int i = 0; i < 1000 && !answer.starts_with("HTTP/1.1 200"); ++i, usleep(1000))
    answer = exchange(kGet);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpsTest, EndsBesideOpenConnections) {
  ASSERT_TRUE(tryStart().ok());
  int socket = connected();
  server_.reset();
  char byte = 0;
  EXPECT_LE(recv(socket, &byte, 1, 0), 0);
  close(socket);
}

} // namespace
} // namespace tenon::server
