// Limits, workers, who may use the server, and what watches it.
#include "tenon/custom_call.h"
#include "tenon/remote/address.h"
#include "tenon/server/http/testing/tls_client.h"
#include "tenon/server/testing/server_fixture.h"
#include "test/endless_loop.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tenon::server {
namespace {

using ::testing::HasSubstr;
using xla::Literal;
using xla::LiteralUtil;
using xla::ShapeUtil;

class LimitsTest : public ServerTest {
protected:
  std::unique_ptr<xla::Client> startWith(const ClientLimits &limits) {
    ServerOptions options;
    options.limits = limits;
    start(options);
    return connect();
  }
};

TEST_F(LimitsTest, Memory) {
  ClientLimits limits;
  limits.memory = 1 << 20;
  auto client = startWith(limits);
  auto large = client->TransferToServer(Literal(ShapeUtil::MakeShape(xla::F32, {1 << 19})));
  EXPECT_EQ(large.status().code(), StatusCode::kResourceExhausted) << large.status().ToString();
  auto half = client->TransferToServer(Literal(ShapeUtil::MakeShape(xla::F32, {1 << 17})));
  ASSERT_TRUE(half.ok()) << half.status().ToString();
  EXPECT_FALSE(client->TransferToServer(Literal(ShapeUtil::MakeShape(xla::F32, {1 << 17}))).ok());
  EXPECT_TRUE(connect()->TransferToServer(Literal(ShapeUtil::MakeShape(xla::F32, {1 << 17}))).ok()) << "its own";
  half->reset();
  EXPECT_TRUE(client->TransferToServer(Literal(ShapeUtil::MakeShape(xla::F32, {1 << 17}))).ok());
  // What a run needs counts.
  auto grows = xla::Computation::FromStableHlo(R"(
    func.func @main(%x: tensor<f32>) -> tensor<1000000xf32> {
      %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1000000xf32>
      return %0 : tensor<1000000xf32>
    })")
                   .ConsumeValueOrDie();
  auto x = client->TransferToServer(LiteralUtil::CreateR0<float>(1)).ConsumeValueOrDie();
  EXPECT_EQ(client->Execute(*grows, {x.get()}).status().code(), StatusCode::kResourceExhausted);
}

TEST_F(LimitsTest, MemoryOfCompiledPrograms) {
  ClientLimits limits;
  limits.memory = 1 << 20;
  auto client = startWith(limits);
  auto large = xla::Computation::FromStableHlo(R"(
    func.func @main() -> tensor<2000x1000xf32> {
      %0 = stablehlo.iota dim = 0 : tensor<1000000xf32>
      %1 = stablehlo.constant dense<2> : tensor<2000x1000xf32>
      return %1 : tensor<2000x1000xf32>
    })")
                   .ConsumeValueOrDie();
  Status status = client->Compile(*large).status();
  EXPECT_TRUE(status.ok() || status.code() == StatusCode::kResourceExhausted) << status.ToString();
  EXPECT_EQ(client->Execute(*large, {}).status().code(), StatusCode::kResourceExhausted);
}

// Layouts can ask for any amount of padding.
TEST_F(LimitsTest, MemoryOfLayouts) {
  ClientLimits limits;
  limits.memory = 1 << 20;
  auto client = startWith(limits);
  Literal one = LiteralUtil::CreateR1<float>({1});
  auto data = client->TransferToServer(one).ConsumeValueOrDie();
  auto computation = xla::Computation::FromStableHlo(R"(
    func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
      %token = stablehlo.create_token : !stablehlo.token
      %0 = "stablehlo.outfeed"(%x, %token) {outfeed_config = ""} : (tensor<1xf32>, !stablehlo.token) -> !stablehlo.token
      return %x : tensor<1xf32>
    })")
                         .ConsumeValueOrDie();
  auto padded = [&](int64_t size) {
    xla::Shape shape = one.shape();
    *shape.mutable_layout() = xla::LayoutUtil::MakePaddedLayout({0}, {size}, xla::HIGHEST_PAD);
    return shape;
  };
  xla::ExecutionOptions options;
  for (int64_t size : {int64_t{1} << 20, int64_t{1} << 36, int64_t{1} << 45, int64_t{1} << 60}) {
    options.result_shape = padded(size);
    auto result = client->Execute(*computation, {data.get()}, &options);
    EXPECT_EQ(result.status().code(), StatusCode::kResourceExhausted) << result.status().ToString();
  }
  // What the client asks for is memory of its own, too.
  xla::Shape large = padded(1 << 20);
  EXPECT_EQ(client->Transfer(*data, &large.layout()).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(client->TransferFromOutfeed(large).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(*client->TransferFromOutfeed(one.shape()).ConsumeValueOrDie(), one);
}

std::unique_ptr<xla::Computation> sends(int64_t size) {
  std::string type = "tensor<" + std::to_string(size) + "xf32>";
  return xla::Computation::FromStableHlo("func.func @main(%x: " + type + R"() -> tensor<f32> {
      %t = stablehlo.create_token : !stablehlo.token
      %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>,
          is_host_transfer = false} : ()" +
                                         type + R"(, !stablehlo.token) -> !stablehlo.token
      %1 = stablehlo.constant dense<1.0> : tensor<f32>
      return %1 : tensor<f32>
    })")
      .ConsumeValueOrDie();
}

std::unique_ptr<xla::Computation> receives(int64_t size) {
  std::string type = "tensor<" + std::to_string(size) + "xf32>";
  return xla::Computation::FromStableHlo("func.func @main() -> " + type + R"( {
      %t = stablehlo.create_token : !stablehlo.token
      %0, %1 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>,
          is_host_transfer = false} : (!stablehlo.token) -> ()" +
                                         type + R"(, !stablehlo.token)
      return %0 : )" + type + "\n}")
      .ConsumeValueOrDie();
}

// What waits to be received is memory too.
TEST_F(LimitsTest, MemoryOfWaitingData) {
  ClientLimits limits;
  limits.memory = 1 << 20;
  auto client = startWith(limits);
  Literal quarter(ShapeUtil::MakeShape(xla::F32, {1 << 16}));
  auto data = client->TransferToServer(quarter).ConsumeValueOrDie();
  auto send = sends(1 << 16), receive = receives(1 << 16);
  Status status;
  int64_t sent = 0;
  for (; status.ok() && sent < 10; ++sent)
    status = client->Execute(*send, {data.get()}).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status.ToString();
  EXPECT_EQ(sent, 3) << "and one that was too many";
  EXPECT_TRUE(client->Execute(*receive, {}).status().code() == StatusCode::kResourceExhausted) << "no room for it";
  data.reset();
  EXPECT_TRUE(client->Execute(*receive, {}).ok());

  client = connect();
  status = {};
  for (sent = 0; status.ok() && sent < 10; ++sent)
    status = client->TransferToInfeed(quarter);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status.ToString();
  EXPECT_EQ(sent, 3) << "and one that was too many, beside the one that arrives";
}

TEST_F(LimitsTest, MessagesStayWithTheirClient) {
  auto client = startWith({}), other = connect();
  auto send = sends(1), receive = receives(1), receiveOther = receives(1);
  auto data = client->TransferToServer(LiteralUtil::CreateR1<float>({3})).ConsumeValueOrDie();
  ASSERT_TRUE(client->Execute(*send, {data.get()}).ok());
  xla::ExecutionOptions options;
  options.timeout = std::chrono::milliseconds(50);
  EXPECT_EQ(other->Execute(*receiveOther, {}, &options).status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(*client->ExecuteAndTransfer(*receive, {}).ConsumeValueOrDie(), LiteralUtil::CreateR1<float>({3}));
}

// A process is a thread.
TEST_F(LimitsTest, DevicesOfAProgram) {
  ClientLimits limits;
  limits.processes = 4;
  auto client = startWith(limits);
  auto over = [](int64_t devices) {
    std::string count = std::to_string(devices);
    return xla::Computation::FromStableHlo("module attributes {mhlo.num_partitions = " + count +
                                           " : i32} {\n  sdy.mesh @mesh = <[\"x\"=" + count + "]>" + R"(
      func.func @main() -> tensor<i32> {
        %0 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, []>] manual_axes={"x"} () {
          %1 = stablehlo.partition_id : tensor<ui32>
          %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i32>
          sdy.return %2 : tensor<i32>
        } : () -> tensor<i32>
        return %0 : tensor<i32>
      }
    })")
        .ConsumeValueOrDie();
  };
  auto four = over(4), five = over(5);
  EXPECT_EQ(*client->ExecuteAndTransfer(*four, {}).ConsumeValueOrDie(), LiteralUtil::CreateR0<xla::int32>(0));
  Status status = client->Compile(*five).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("a grid may have 4 processes, and not 5"));
}

TEST_F(LimitsTest, ProgramsAndClients) {
  ServerOptions options;
  options.limits.programs = 1;
  options.maxClients = 1;
  start(options);
  auto client = connect();
  auto first = axpy(1), second = axpy(2);
  ASSERT_TRUE(client->Compile(*first).ok());
  EXPECT_THAT(client->Compile(*second).status().ToString(),
              HasSubstr("RESOURCE_EXHAUSTED: the client holds 1 programs"));
  first.reset();
  EXPECT_TRUE(client->Compile(*second).ok());
  EXPECT_THAT(xla::ConnectRemote(address()).status().ToString(), HasSubstr("the server has its 1 clients"));
}

TEST_F(LimitsTest, ExecutionsWaitInLine) {
  ClientLimits limits;
  limits.concurrent = 1;
  auto client = startWith(limits);
  auto waiting = fed(), quick = axpy(1);
  ASSERT_TRUE(client->Compile(*waiting).ok() && client->Compile(*quick).ok());
  std::thread waits([&] { EXPECT_TRUE(client->Execute(*waiting, {}).ok()); });
  awaitBegin(*client);
  auto x = client->TransferToServer(LiteralUtil::CreateR0<float>(1)).ConsumeValueOrDie();
  auto y = client->TransferToServer(LiteralUtil::CreateR1<float>({1})).ConsumeValueOrDie();
  xla::ExecutionOptions options;
  options.timeout = std::chrono::milliseconds(50);
  auto late = client->Execute(*quick, {x.get(), y.get(), y.get()}, &options);
  EXPECT_EQ(late.status().code(), StatusCode::kDeadlineExceeded) << late.status().ToString();
  ASSERT_TRUE(client->TransferToInfeed(LiteralUtil::CreateR1<float>({1, 2})).ok());
  waits.join();
  EXPECT_TRUE(client->Execute(*quick, {x.get(), y.get(), y.get()}).ok());
}

TEST_F(LimitsTest, EndlessProgramsEndWithTheirTimeOrTheirClient) {
  ClientLimits limits;
  limits.deadline = std::chrono::milliseconds(300);
  auto client = startWith(limits);
  auto computation = endless();
  auto x = client->TransferToServer(LiteralUtil::CreateR0<xla::int32>(1)).ConsumeValueOrDie();
  EXPECT_EQ(client->Execute(*computation, {x.get()}).status().code(), StatusCode::kDeadlineExceeded);
  server_.reset();

  start();
  client = connect();
  x = client->TransferToServer(LiteralUtil::CreateR0<xla::int32>(1)).ConsumeValueOrDie();
  ASSERT_TRUE(client->Compile(*computation).ok());
  std::thread runs([&] { EXPECT_FALSE(client->Execute(*computation, {x.get()}).ok()); });
  awaitBegin(*client);
  server_.reset(); // ends sessions
  runs.join();
}

TEST_F(LimitsTest, CompilingHasATime) {
  ClientLimits limits;
  limits.compile.timeout = std::chrono::milliseconds(1);
  auto client = startWith(limits);
  Status status = client->Compile(*axpy(1)).status();
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded) << status.ToString();
  EXPECT_EQ(metric("tenon_compile_workers_killed_total"), 1);
}

#if !__has_feature(address_sanitizer) // whose shadow no limit leaves room for
TEST_F(LimitsTest, AWorkerThatDiesIsAStatus) {
  ClientLimits limits;
  limits.compile.memory = 32 << 20; // it cannot even start
  auto client = startWith(limits);
  Status status = client->Compile(*axpy(1)).status();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr("memory")) << status.ToString();
  EXPECT_TRUE(client->GetStatistics().ok()) << "the server lives";
}
#endif

TEST_F(LimitsTest, ProgramsCallNoSymbolsOfTheProcess) {
  ServerProcess process;
  auto client = xla::ConnectRemote(process.address()).ConsumeValueOrDie();
  auto hostile = xla::Computation::FromStableHlo(R"(
    func.func @main() -> tensor<i32> {
      %0 = stablehlo.custom_call @abort() : () -> tensor<i32>
      return %0 : tensor<i32>
    })")
                     .ConsumeValueOrDie();
  EXPECT_EQ(client->Execute(*hostile, {}).status().code(), StatusCode::kNotFound);
  EXPECT_TRUE(client->GetStatistics().ok());
}

// --- Who may use it ---

TEST(AddressTest, OfServersHavePortsAndTokensAreNotShown) {
  auto message = [](const std::string &address, const std::string &token) {
    xla::RemoteOptions options;
    options.token = token;
    return xla::ConnectRemote(address, options).status().message();
  };
  EXPECT_EQ(message("nowhere", ""), "an address is host:port or unix:/path, and not 'nowhere'");
  EXPECT_EQ(message("example.org:8470", "secret"),
            "a token travels encrypted, or on this machine alone: 'example.org:8470' needs TLS");
}

TEST(AddressTest, OnlyThisMachine) {
  for (const char *local : {"127.0.0.1:80", "127.3.2.1:0", "localhost:1", "[::1]:80", "unix:/tmp/x"})
    EXPECT_TRUE(remote::isLocal(local)) << local;
  for (const char *open : {"0.0.0.0:80", "[::]:80", "10.0.0.1:80", "example.org:80", "127.0.0.1.example.org:80", ":80"})
    EXPECT_FALSE(remote::isLocal(open)) << open;
  ServerOptions options;
  options.listen = "0.0.0.0:0";
  EXPECT_THAT(Server::start(options).status().message(), HasSubstr("can be reached from other machines"));
  options.listen = "nowhere";
  EXPECT_EQ(Server::start(options).status().code(), StatusCode::kInvalidArgument);
  options.listen = "127.0.0.1:0";
  options.metrics = "0.0.0.0:0";
  EXPECT_EQ(Server::start(options).status().code(), StatusCode::kInvalidArgument);
}

class TlsTest : public ServerTest {
protected:
  void SetUp() override {
    if (!certificates_.areMade())
      GTEST_SKIP() << "no openssl command";
    options_.listen = "0.0.0.0:0";
    options_.certificate = read("server.pem");
    options_.privateKey = read("server.key");
    client_.ca_certificates = read("ca.pem");
    client_.server_name = "localhost";
    client_.connect_timeout = std::chrono::seconds(3);
  }

  std::string read(const std::string &name) const { return certificates_.read(name); }
  Status tryConnect() const { return xla::ConnectRemote(address(), client_).status(); }

  Certificates certificates_;
  ServerOptions options_;
  xla::RemoteOptions client_;
};

TEST_F(TlsTest, CertificatesOfClients) {
  EXPECT_FALSE(Server::start(options_).ok()) << "who may be a client must be said";
  ServerOptions mixed = options_;
  mixed.token = "secret";
  mixed.privateKey = read("other.key");
  EXPECT_THAT(Server::start(mixed).status().message(), HasSubstr("certificate and private key do not fit together"));
  options_.clientAuthorities = read("ca.pem");
  start(options_);
  EXPECT_THAT(tryConnect().message(), HasSubstr("the server may ask for a client's certificate, and none was given"));
  client_.certificate = read("other.pem");
  client_.private_key = read("other.key");
  EXPECT_THAT(tryConnect().message(), HasSubstr("the server may not trust the client's certificate"));
  client_.certificate = read("client.pem");
  client_.private_key = read("client.key");
  auto client = connect(client_);
  auto data = client->TransferToServer(LiteralUtil::CreateR0<float>(1)).ConsumeValueOrDie();
  EXPECT_TRUE(client->Transfer(*data).ok());
  client_.ca_certificates = read("other.pem");
  EXPECT_EQ(tryConnect().code(), StatusCode::kUnavailable);
  EXPECT_THAT(tryConnect().message(),
              HasSubstr("the server's certificate is not trusted: none of ca_certificates has signed it"));
  client_.ca_certificates = read("ca.pem");
  client_.server_name = "elsewhere";
  EXPECT_THAT(tryConnect().message(), HasSubstr("the server's certificate is for another name"));
  client_.ca_certificates = certificates_.path("ca.pem");
  EXPECT_EQ(tryConnect().message(), "ca_certificates must be the contents of a PEM file, and has no '-----BEGIN '");
}

TEST_F(TlsTest, Tokens) {
  options_.token = "secret";
  start(options_);
  EXPECT_EQ(tryConnect().code(), StatusCode::kUnauthenticated);
  client_.token = "secreT";
  EXPECT_EQ(tryConnect().code(), StatusCode::kUnauthenticated);
  client_.token = "secret";
  EXPECT_TRUE(connect(client_)->GetStatistics().ok());
  xla::RemoteOptions plain;
  plain.connect_timeout = std::chrono::milliseconds(500);
  EXPECT_THAT(xla::ConnectRemote(address(), plain).status().message(), HasSubstr("without TLS"));
}

TEST_F(TlsTest, TheCommandReadsItsFiles) {
  auto path = [&](const char *name) { return certificates_.path(name); };
  std::ofstream(path("token")) << "secret\n";
  ServerProcess process({"--tls-cert=" + path("server.pem"), "--tls-key=" + path("server.key"),
                         "--tls-client-ca=" + path("ca.pem"), "--token-file=" + path("token"), "--max-memory=1MB",
                         "--max-programs=1"});
  auto code = [&] { return xla::ConnectRemote(process.address(), client_).status().code(); };
  client_.token = "secret";
  EXPECT_EQ(code(), StatusCode::kUnavailable) << "without a certificate";
  client_.certificate = read("client.pem");
  client_.private_key = read("client.key");
  client_.token = "other";
  EXPECT_EQ(code(), StatusCode::kUnauthenticated);
  client_.token = "secret";
  auto client = xla::ConnectRemote(process.address(), client_).ConsumeValueOrDie();
  EXPECT_EQ(client->TransferToServer(Literal(ShapeUtil::MakeShape(xla::F32, {1 << 18}))).status().code(),
            StatusCode::kResourceExhausted);
  auto first = axpy(1), second = axpy(2);
  EXPECT_TRUE(client->Compile(*first).ok());
  EXPECT_EQ(client->Compile(*second).status().code(), StatusCode::kResourceExhausted);
}

// Models by HTTPS, for other machines: who has no token is told so, who trusts nobody hears nothing.
TEST_F(TlsTest, ServesModelsByHttps) {
  std::filesystem::path models = certificates_.path("models");
  std::filesystem::create_directories(models / "same/1");
  std::ofstream(models / "same/1/model.mlir") << "func.func @main(%x: tensor<2xf32> loc(\"x\")) -> tensor<2xf32> {\n"
                                                 "  return %x : tensor<2xf32>\n}\n";
  options_.models = models;
  options_.http = "0.0.0.0:0";
  EXPECT_THAT(Server::start(options_).status().message(), HasSubstr("can be reached from other machines"));
  options_.token = "secret";
  start(options_);
  TlsClient client{certificates_.path("ca.pem"), "", ""};
  auto ask = [&](const std::string &path, const std::string &headers) {
    return exchangeByTls(server_->httpPort(), "GET " + path + " HTTP/1.1\r\nConnection: close\r\n" + headers + "\r\n",
                         client);
  };
  for (int i = 0; i < 6000 && ask("/v2/health/ready", "").find("200 OK") == std::string::npos; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_THAT(ask("/v2/models/same", ""), HasSubstr("401"));
  EXPECT_THAT(ask("/v2/models/same", "Authorization: Bearer secret\r\n"), HasSubstr("\"name\":\"x\""));
  client.authorities = certificates_.path("other.pem");
  EXPECT_THAT(ask("/v2/health/live", ""), HasSubstr("no TLS"));
  EXPECT_EQ(httpGet(server_->httpPort(), "/v2/health/live").find("200 OK"), std::string::npos) << "without TLS";
}

// --- What watches it ---

TEST_F(ServerTest, MetricsAndHealth) {
  ServerOptions options;
  options.metrics = "127.0.0.1:0";
  start(options);
  auto client = connect();
  auto data = client->TransferToServer(LiteralUtil::CreateR1<float>({1, 2})).ConsumeValueOrDie();
  std::string text = httpGet(server_->metricsPort(), "/metrics");
  EXPECT_THAT(text, HasSubstr("tenon_calls_total{method=\"TransferToServer\",code=\"OK\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("tenon_call_seconds_bucket{method=\"TransferToServer\",le=\"+Inf\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("tenon_received_bytes_total 8\n"));
  EXPECT_THAT(text, HasSubstr("tenon_data_bytes 8\n"));
  EXPECT_THAT(httpGet(server_->metricsPort(), "/health"), HasSubstr("200 OK"));
  EXPECT_THAT(httpGet(server_->metricsPort(), "/else"), HasSubstr("404"));
}

TEST_F(ServerTest, HasItsPortAlone) {
  start();
  ServerOptions options;
  options.listen = address();
  Status status = Server::start(options).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(status.message(), "cannot listen on " + address() + ": another program listens there");
}

// Another server at the same port would answer some of the requests.
TEST_F(ServerTest, MetricsHaveTheirPortAlone) {
  ServerOptions options;
  options.metrics = "127.0.0.1:0";
  start(options);
  options.metrics = "127.0.0.1:" + std::to_string(server_->metricsPort());
  Status status = Server::start(options).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("cannot listen on " + options.metrics));
}

TEST_F(ServerTest, HealthAnswersBesideIdleConnections) {
  ServerOptions options;
  options.metrics = "127.0.0.1:0";
  start(options);
  std::vector<int> idle;
  for (int i = 0; i < 16; ++i)
    idle.push_back(connectedSocket(server_->metricsPort()));
  EXPECT_THAT(httpGet(server_->metricsPort(), "/health"), HasSubstr("200 OK"));
  for (int socket : idle)
    close(socket);
}

// As gRPC's protocol for health has it: field 1 of the request is the service's name, field 1 of the reply 1 where it
// serves and 2 where it does not.
std::string healthOf(const std::string &address, const std::string &service) {
  grpc::GenericStub stub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  std::string request = service.empty() ? "" : std::string("\x0a") + static_cast<char>(service.size()) + service;
  grpc::Slice slice(request);
  grpc::ByteBuffer message(&slice, 1), reply;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  std::promise<grpc::Status> done;
  stub.UnaryCall(&context, "/grpc.health.v1.Health/Check", {}, &message, &reply,
                 [&](grpc::Status status) { done.set_value(std::move(status)); });
  grpc::Status status = done.get_future().get();
  if (!status.ok())
    return "code " + std::to_string(status.error_code());
  EXPECT_TRUE(reply.DumpToSingleSlice(&slice).ok());
  return {reinterpret_cast<const char *>(slice.begin()), slice.size()};
}

// A run that is within a custom call until it may end.
struct {
  std::promise<void> hasBegun, mayEnd;
} heldRun;

void holdRun(void *out, const void **) {
  heldRun.hasBegun.set_value();
  heldRun.mayEnd.get_future().wait();
  *static_cast<float *>(out) = 1;
}

TEST_F(ServerTest, HealthToTheEnd) {
  ServerOptions options;
  options.listen = options.metrics = "127.0.0.1:0";
  server_ = Server::start(options).ConsumeValueOrDie(); // without workers: they would not know the custom call
  EXPECT_EQ(healthOf(address(), ""), "\x08\x01");
  EXPECT_EQ(healthOf(address(), "tenon.v1.Compute"), "\x08\x01");
  EXPECT_EQ(healthOf(address(), "tenon.v1.Other"), "code 5") << "NOT_FOUND";
  // While it shuts down and a call is under way.
  auto client = connect();
  heldRun = {};
  ASSERT_EQ(Tenon_RegisterCustomCall("tenon_server_test_hold", reinterpret_cast<void *>(holdRun)), 0);
  auto computation = xla::Computation::FromStableHlo(R"(
    func.func @main() -> tensor<f32> {
      %0 = stablehlo.custom_call @tenon_server_test_hold() {has_side_effect = true} : () -> tensor<f32>
      return %0 : tensor<f32>
    })")
                         .ConsumeValueOrDie();
  std::thread runs([&] { EXPECT_TRUE(client->Execute(*computation, {}).ok()); });
  EXPECT_EQ(heldRun.hasBegun.get_future().wait_for(std::chrono::minutes(2)), std::future_status::ready);
  int metricsPort = server_->metricsPort();
  std::thread ends([&] { server_->shutDown(std::chrono::minutes(5)); });
  for (int i = 0; i < 2000 && healthOf(address(), "tenon.v1.Compute") != "\x08\x02"; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(healthOf(address(), "tenon.v1.Compute"), "\x08\x02");
  EXPECT_THAT(httpGet(metricsPort, "/health"), HasSubstr("503"));
  EXPECT_EQ(client->GetStatistics().status().code(), StatusCode::kUnavailable) << "no new calls";
  heldRun.mayEnd.set_value();
  runs.join();
  ends.join();
}

// Also a loop in the computation of another operation.
TEST(ServerProcessTest, EndsWhateverRuns) {
  ServerProcess process({"--grace=0.1"});
  auto client = xla::ConnectRemote(process.address()).ConsumeValueOrDie();
  auto computation = xla::Computation::FromStableHlo(R"(
    func.func @main(%x: tensor<2xi32>, %z: tensor<i32>) -> tensor<i32> {
      )" + std::string(kAnnounce) + R"(
      %r = "stablehlo.reduce"(%x, %z) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        )" + testing::endlessLoop("%s") + R"(        stablehlo.return %endless : tensor<i32>
      }) {dimensions = array<i64: 0>} : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
      return %r : tensor<i32>
    })")
                         .ConsumeValueOrDie();
  ASSERT_TRUE(client->Compile(*computation).ok());
  auto x = client->TransferToServer(LiteralUtil::CreateR1<xla::int32>({1, 2})).ConsumeValueOrDie();
  auto z = client->TransferToServer(LiteralUtil::CreateR0<xla::int32>(0)).ConsumeValueOrDie();
  std::thread runs([&] { EXPECT_FALSE(client->Execute(*computation, {x.get(), z.get()}).ok()); });
  awaitBegin(*client);
  int status = process.end(SIGTERM);
  runs.join();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(ServerTest, UnixSockets) {
  ServerOptions options;
  std::string path =
      "unix:" + (std::filesystem::temp_directory_path() / "tenon_server_test_").string() + std::to_string(getpid());
  options.listen = path;
  start(options);
  EXPECT_TRUE(xla::ConnectRemote(path).ok());
}

} // namespace
} // namespace tenon::server
