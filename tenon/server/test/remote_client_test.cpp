// Clients of a server: its calls, what sessions own, and servers and clients that die (inventory SYS-19, 21, 22, 24).
// The tests of the C++ interface run against a server, too: tenon_remote_api_test.
#include "tenon/remote/remote_service.h"
#include "tenon/server/testing/server_fixture.h"
#include "tenon/tracing.h"

#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tenon::server {
namespace {

using ::testing::HasSubstr;
using xla::Client;
using xla::Literal;
using xla::LiteralUtil;
using xla::ShapeUtil;

using RemoteClientTest = ServerTest;

StatusOr<std::unique_ptr<Literal>> runAxpy(Client &client, const xla::Computation &computation, float alpha, float x,
                                           int64_t size) {
  std::vector<float> values(static_cast<size_t>(size), x);
  auto a = client.TransferToServer(LiteralUtil::CreateR0<float>(alpha));
  auto data = client.TransferToServer(LiteralUtil::CreateR1<float>(values));
  if (!a.ok() || !data.ok())
    return a.ok() ? data.status() : a.status();
  return client.ExecuteAndTransfer(computation, {a->get(), data->get(), data->get()});
}

TEST_F(RemoteClientTest, Axpy) { // SYS-22
  start();
  auto client = connect();
  EXPECT_EQ(client->platform_name(), "cpu");
  auto computation = axpy(3);
  auto result = runAxpy(*client, *computation, 2, 5, 3);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(**result, LiteralUtil::CreateR1<float>({15, 15, 15}));
  EXPECT_EQ(metric("tenon_compile_workers_total"), 1);
}

TEST_F(RemoteClientTest, LargeArraysGoInPieces) {
  start();
  auto client = connect();
  Literal large(ShapeUtil::MakeShape(xla::F32, {3, 1000, 1000}));
  for (int64_t i = 0; i < 3000000; ++i)
    large.mutable_data<float>()[i] = static_cast<float>(i % 9973);
  std::vector<Literal> parts;
  parts.push_back(std::move(large));
  parts.push_back(LiteralUtil::CreateR0<xla::int32>(7));
  parts.emplace_back(ShapeUtil::MakeShape(xla::F32, {0, 5}));
  Literal tuple = LiteralUtil::MakeTuple(std::move(parts));
  auto data = client->TransferToServer(tuple).ConsumeValueOrDie();
  EXPECT_EQ(*client->Transfer(*data).ConsumeValueOrDie(), tuple);
  EXPECT_EQ(client->GetStatistics().ConsumeValueOrDie().bytes, 12000004);
}

TEST_F(RemoteClientTest, DataIsFreedWithoutAnotherCall) { // SYS-24
  start();
  auto client = connect();
  auto data = client->TransferToServer(LiteralUtil::CreateR0<float>(1)).ConsumeValueOrDie();
  EXPECT_EQ(metric("tenon_allocations"), 1);
  data.reset();
  EXPECT_TRUE(becomes("tenon_allocations", 0));
}

// Also where the release travels by itself, which it does here at once.
TEST_F(RemoteClientTest, DataIsFreedBeforeTheNextCall) {
  start();
  xla::Client client(remote::RemoteService::connect(address(), {}, std::chrono::milliseconds(0)).ConsumeValueOrDie());
  for (int i = 0; i < 300; ++i) {
    client.TransferToServer(LiteralUtil::CreateR0<float>(1)).ConsumeValueOrDie().reset();
    EXPECT_EQ(client.GetStatistics().ConsumeValueOrDie().allocations, 0);
  }
}

TEST_F(RemoteClientTest, SessionsSeeOnlyWhatIsTheirs) {
  start();
  auto one = connect(), other = connect();
  auto data = one->TransferToServer(LiteralUtil::CreateR0<float>(1)).ConsumeValueOrDie();
  auto stolen = other->service()->TransferFromServer(data->handle(), data->shape());
  EXPECT_EQ(stolen.status().code(), StatusCode::kNotFound);
  EXPECT_EQ(other->service()->Execute({1, {data->handle()}, {}, {}}, nullptr).status().code(), StatusCode::kNotFound);
  EXPECT_TRUE(one->Transfer(*data).ok());
}

TEST_F(RemoteClientTest, ErrorsAreThoseOfTheService) {
  start();
  auto client = connect();
  auto &service = *client->service();
  EXPECT_EQ(service.DeconstructTuple(77).status().code(), StatusCode::kNotFound);
  xla::ProgramShape shape;
  *shape.mutable_result() = ShapeUtil::MakeShape(xla::F32, {});
  auto bad = service.Compile({"bad", "func.func @main( {", shape});
  EXPECT_EQ(bad.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(bad.status().message(), HasSubstr("error"));
  auto data = client->TransferToServer(LiteralUtil::CreateR0<float>(1)).ConsumeValueOrDie();
  auto wrong = service.TransferFromServer(data->handle(), ShapeUtil::MakeShape(xla::F32, {2}));
  EXPECT_THAT(wrong.status().ToString(), HasSubstr("the data is f32[], and not f32[2]"));
}

TEST_F(RemoteClientTest, InfeedAndOutfeed) {
  start();
  auto client = connect();
  auto computation = fed();
  ASSERT_TRUE(client->TransferToInfeed(LiteralUtil::CreateR1<float>({1, 2})).ok());
  EXPECT_EQ(*client->ExecuteAndTransfer(*computation, {}).ConsumeValueOrDie(), LiteralUtil::CreateR1<float>({2, 4}));
  EXPECT_TRUE(client->TransferFromOutfeed(ShapeUtil::MakeShape(xla::F32, {})).ok());
  auto none = client->TransferFromOutfeed(ShapeUtil::MakeShape(xla::F32, {}), 0, std::chrono::milliseconds(50));
  EXPECT_EQ(none.status().code(), StatusCode::kDeadlineExceeded) << none.status().ToString();
  xla::ExecutionOptions options;
  options.timeout = std::chrono::milliseconds(50);
  EXPECT_EQ(client->Execute(*computation, {}, &options).status().code(), StatusCode::kDeadlineExceeded);
}

TEST_F(RemoteClientTest, TracesWhereTheServerRuns) { // SYS-42
  start();
  auto client = connect();
  std::vector<std::string> lines;
  xla::SetTraceSink(
      [&](const std::string &tag, const Literal &value) { lines.push_back(tag + " " + value.ToString()); });
  xla::ComputationBuilder builder(client.get(), "traced");
  auto x = builder.ConstantR1<float>({1, 2});
  builder.Trace("x", x);
  builder.Add(x, x);
  auto result = client->ExecuteAndTransfer(*builder.Build().ConsumeValueOrDie(), {});
  xla::SetTraceSink(nullptr);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(**result, LiteralUtil::CreateR1<float>({2, 4}));
  EXPECT_THAT(lines, ::testing::ElementsAre("x f32[2] {1, 2}"));
}

TEST_F(RemoteClientTest, WhatAClientOwnsGoesWithIt) { // SYS-22
  start();
  auto computation = axpy(1000);
  {
    auto client = connect();
    auto data = client->TransferToServer(Literal(ShapeUtil::MakeShape(xla::F32, {1000}))).ConsumeValueOrDie();
    ASSERT_TRUE(client->Compile(*computation).ok());
    EXPECT_EQ(metric("tenon_data_bytes"), 4000);
    client.reset();
    EXPECT_EQ(metric("tenon_sessions"), 1) << "data keeps the session";
  }
  computation.reset(); // it keeps its executables' service
  EXPECT_TRUE(becomes("tenon_sessions", 0));
  EXPECT_EQ(metric("tenon_data_bytes"), 0);
  EXPECT_EQ(metric("tenon_executables"), 0);
}

TEST_F(RemoteClientTest, AServerThatIsKilledIsAStatus) { // SYS-22: kill -> Status error not crash
  auto process = std::make_unique<ServerProcess>();
  auto client = xla::ConnectRemote(process->address()).ConsumeValueOrDie();
  auto computation = axpy(2);
  ASSERT_TRUE(runAxpy(*client, *computation, 1, 1, 2).ok());
  auto waiting = fed();
  ASSERT_TRUE(client->Compile(*waiting).ok());
  auto data = client->TransferToServer(LiteralUtil::CreateR0<float>(1)).ConsumeValueOrDie();
  Status ended;
  std::thread waits([&] { ended = client->Execute(*waiting, {}).status(); });
  awaitBegin(*client);
  int port = process->port();
  process->end(SIGKILL);
  waits.join();
  EXPECT_EQ(ended.code(), StatusCode::kUnavailable) << ended.ToString();
  EXPECT_EQ(client->Transfer(*data).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(client->GetStatistics().status().code(), StatusCode::kUnavailable);

  ServerProcess again({}, port);
  EXPECT_EQ(client->Transfer(*data).status().code(), StatusCode::kUnavailable) << "its data are gone";
  auto anew = xla::ConnectRemote(again.address()).ConsumeValueOrDie();
  auto result = runAxpy(*anew, *computation, 2, 1, 2);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(**result, LiteralUtil::CreateR1<float>({3, 3}));
}

TEST_F(RemoteClientTest, AServerThatHangsIsLost) {
  ServerProcess process;
  xla::RemoteOptions options;
  options.keepalive = std::chrono::seconds(2);
  auto client = xla::ConnectRemote(process.address(), options).ConsumeValueOrDie();
  process.signal(SIGSTOP);
  EXPECT_EQ(client->GetStatistics().status().code(), StatusCode::kUnavailable);
}

TEST_F(RemoteClientTest, NobodyAnswers) {
  xla::RemoteOptions options;
  options.connect_timeout = std::chrono::hours(24); // it is not waited for
  Status status = xla::ConnectRemote("127.0.0.1:1", options).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("cannot connect to 127.0.0.1:1 without TLS: nobody listens there"));
  status = xla::ConnectRemote("unix:/nowhere/tenon", options).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("there is no such socket"));
}

TEST_F(RemoteClientTest, ShutDownLetsCallsEnd) {
  ServerProcess process;
  auto client = xla::ConnectRemote(process.address()).ConsumeValueOrDie();
  auto computation = fed();
  ASSERT_TRUE(client->Compile(*computation).ok());
  Status ended(StatusCode::kUnknown, "");
  xla::ExecutionOptions options;
  options.timeout = std::chrono::milliseconds(500);
  std::thread waits([&] { ended = client->Execute(*computation, {}, &options).status(); });
  // The run has begun, or on a slow machine its time has passed before.
  (void)client->TransferFromOutfeed(ShapeUtil::MakeShape(xla::F32, {}), 0, std::chrono::seconds(20));
  int status = process.end(SIGTERM);
  waits.join();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(ended.code(), StatusCode::kDeadlineExceeded) << ended.ToString();
}

} // namespace
} // namespace tenon::server
