// Many clients at once, some of which are killed, and a server that is killed and started again: no wrong result, every
// failure a Status, and all memory back. TENON_LOAD_CLIENTS and TENON_LOAD_EXECUTIONS say how many (default 6 and 20;
// the full size is 32 and 1000).
#include "tenon/server/testing/server_fixture.h"

#include <csignal>
#include <cstdlib>
#include <random>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ;

namespace tenon::server {
namespace {

using std::chrono::milliseconds;
using xla::Literal;
using xla::LiteralUtil;
using xla::ShapeUtil;

int setting(const char *name, int otherwise) {
  const char *text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

// --- A client, in a process of its own: exit status 0, 2 for a wrong result, 3 for an error that is not the server's
// end ---

constexpr int64_t kSize = 5000;

StatusOr<bool> runOnce(xla::Client &client, const xla::Computation &computation, std::mt19937 &random) {
  std::uniform_int_distribution<int> values(-1000, 1000);
  Literal x(ShapeUtil::MakeShape(xla::F32, {kSize})), y(ShapeUtil::MakeShape(xla::F32, {kSize}));
  for (int64_t i = 0; i < kSize; ++i) {
    x.mutable_data<float>()[i] = static_cast<float>(values(random));
    y.mutable_data<float>()[i] = static_cast<float>(values(random));
  }
  auto alpha = static_cast<float>(values(random));
  std::vector<std::unique_ptr<xla::GlobalData>> data;
  Literal a = LiteralUtil::CreateR0<float>(alpha);
  for (const Literal *literal : {&a, &x, &y}) {
    TENON_ASSIGN_OR_RETURN(auto sent, client.TransferToServer(*literal));
    data.push_back(std::move(sent));
  }
  TENON_ASSIGN_OR_RETURN(auto result,
                         client.ExecuteAndTransfer(computation, {data[0].get(), data[1].get(), data[2].get()}));
  for (int64_t i = 0; i < kSize; ++i) // whole numbers below 2^24: exact
    if (result->data<float>()[static_cast<size_t>(i)] !=
        alpha * x.data<float>()[static_cast<size_t>(i)] + y.data<float>()[static_cast<size_t>(i)])
      return false;
  return true;
}

int clientMain(const std::string &address, int executions, unsigned seed) {
  std::mt19937 random(seed);
  auto computation = axpy(kSize);
  std::unique_ptr<xla::Client> client;
  auto end = std::chrono::steady_clock::now() + std::chrono::minutes(20);
  for (int done = 0; done < executions;) {
    Status status(StatusCode::kUnavailable, "");
    if (!client) {
      xla::RemoteOptions options;
      options.connect_timeout = std::chrono::seconds(2);
      auto connected = xla::ConnectRemote(address, options);
      status = connected.status();
      if (connected.ok())
        client = *std::move(connected);
    } else {
      auto isRight = runOnce(*client, *computation, random);
      if (isRight.ok() && !*isRight)
        return 2;
      done += isRight.ok() ? 1 : 0;
      status = isRight.status();
    }
    if (status.ok())
      continue;
    client.reset();
    if (status.code() != StatusCode::kUnavailable || std::chrono::steady_clock::now() > end) {
      std::fprintf(stderr, "client: %s\n", status.ToString().c_str());
      return 3;
    }
    std::this_thread::sleep_for(milliseconds(50));
  }
  return 0;
}

// --- The driver ---

pid_t startClient(const std::string &address, int executions, int seed) {
  std::vector<std::string> command{"/proc/self/exe", "client", address, std::to_string(executions),
                                   std::to_string(seed)};
  std::vector<char *> arguments;
  for (std::string &argument : command)
    arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_t pid = -1;
  EXPECT_EQ(posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ), 0);
  return pid;
}

class LoadTest : public ::testing::Test {
protected:
  int64_t metric(const std::string &name) { return metricIn(httpGet(server_->metricsPort(), "/metrics"), name); }

  // Waits until the server has executed so many programs since it was started.
  void awaitExecutions(int64_t count) {
    while (metric(R"(tenon_calls_total{method="Execute",code="OK"})") < count)
      std::this_thread::sleep_for(milliseconds(5));
  }

  // Clients run; one in ten is killed on its way, and the server too where asked for.
  void wave(bool restart) {
    int count = setting("TENON_LOAD_CLIENTS", 6), executions = setting("TENON_LOAD_EXECUTIONS", 20);
    int64_t before = std::max<int64_t>(metric(R"(tenon_calls_total{method="Execute",code="OK"})"), 0);
    std::vector<pid_t> clients, killed;
    for (int i = 0; i < count; ++i)
      clients.push_back(startClient(server_->address(), executions, ++seed_));
    for (int i = 0; i < (count + 9) / 10; ++i) {
      // The others execute more than that.
      awaitExecutions(before + int64_t(count) * executions / 4 * (i + 1) / ((count + 9) / 10));
      size_t which = std::uniform_int_distribution<size_t>(0, clients.size() - 1)(random_);
      kill(clients[which], SIGKILL);
      killed.push_back(clients[which]);
      clients.erase(clients.begin() + static_cast<std::ptrdiff_t>(which));
    }
    if (restart) {
      int port = server_->port();
      server_->end(SIGKILL);
      server_ = std::make_unique<ServerProcess>(kOptions, port);
    }
    for (pid_t client : killed)
      waitpid(client, nullptr, 0);
    for (pid_t client : clients) {
      int status = 0;
      waitpid(client, &status, 0);
      EXPECT_TRUE(WIFEXITED(status)) << "a client has crashed";
      EXPECT_EQ(WEXITSTATUS(status), 0) << "2: a wrong result, 3: an error that the server's end does not explain";
    }
  }

  // Nothing is left of clients that have gone.
  void expectEmpty() {
    for (int i = 0; i < 500 && metric("tenon_sessions") != 0; ++i)
      std::this_thread::sleep_for(milliseconds(20));
    for (const char *name : {"tenon_sessions", "tenon_data_bytes", "tenon_executables", "tenon_used_bytes"})
      EXPECT_EQ(metric(name), 0) << name;
  }

  const std::vector<std::string> kOptions{"--metrics=127.0.0.1:0"};
  std::unique_ptr<ServerProcess> server_ = std::make_unique<ServerProcess>(kOptions);
  std::mt19937 random_{1};
  int seed_ = 0;
};

TEST_F(LoadTest, ManyClients) {
  wave(/*restart=*/true);
  expectEmpty();
  wave(/*restart=*/false);
  expectEmpty();
  int64_t before = metric("process_resident_memory_bytes");
  wave(/*restart=*/false);
  expectEmpty();
  int64_t after = metric("process_resident_memory_bytes");
  RecordProperty("before", std::to_string(before));
  RecordProperty("after", std::to_string(after));
  std::printf("resident: %ld bytes, then %ld\n", static_cast<long>(before), static_cast<long>(after));
#if !__has_feature(address_sanitizer) // which keeps freed memory for a while
  EXPECT_LT(static_cast<double>(after), 1.05 * static_cast<double>(before));
#endif
}

} // namespace
} // namespace tenon::server

int main(int argc, char **argv) {
  if (argc == 5 && std::string(argv[1]) == "client")
    return tenon::server::clientMain(argv[2], std::atoi(argv[3]), static_cast<unsigned>(std::atoi(argv[4])));
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
