#include "tenon/server/testing/server_fixture.h"

#include "tenon/server/http/testing/local_socket.h"
#include "test/endless_loop.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tenon::server {

// Other than that of this build: by TENON_SERVER_COMMAND, that for older systems.
static std::string command() {
  const char *other = std::getenv("TENON_SERVER_COMMAND");
  return other ? other : TENON_COMMAND;
}

ServerProcess::ServerProcess(const std::vector<std::string> &options, int port) {
  std::vector<std::string> line{command(), "serve", "--print-port", "--log-level=off",
                                "--listen=127.0.0.1:" + std::to_string(port)};
  line.insert(line.end(), options.begin(), options.end());
  std::vector<char *> arguments;
  for (std::string &argument : line)
    arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  pid_ = fork();
  if (pid_ == 0) {
    // A test that crashes leaves nothing behind.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(ends[1], 1);
    execv(arguments.front(), arguments.data());
    _exit(127);
  }
  EXPECT_GT(pid_, 0);
  close(ends[1]);
  FILE *output = fdopen(ends[0], "r");
  EXPECT_EQ(std::fscanf(output, "%d %d %d", &port_, &metricsPort_, &httpPort_), 3) << "the server has not started";
  std::fclose(output);
}

void ServerProcess::signal(int number) const { EXPECT_EQ(kill(pid_, number), 0); }

int ServerProcess::end(int number) {
  int status = 0;
  if (pid_ > 0) {
    kill(pid_, number);
    waitpid(pid_, &status, 0);
  }
  pid_ = -1;
  return status;
}

void ServerTest::start(ServerOptions options) {
  if (options.listen == ServerOptions().listen)
    options.listen = "127.0.0.1:0";
  options.limits.compile.command = {command(), "worker"};
  server_ = Server::start(options).ConsumeValueOrDie();
}

std::unique_ptr<xla::Client> ServerTest::connect(const xla::RemoteOptions &options) const {
  return xla::ConnectRemote(address(), options).ConsumeValueOrDie();
}

int connectedSocket(int port) {
  int socket = connectedTo(port);
  EXPECT_GE(socket, 0);
  return socket;
}

static std::string httpAnswer(int port, const std::string &text) {
  int socket = connectedSocket(port);
  std::string answer;
  if (write(socket, text.data(), text.size()) == static_cast<ssize_t>(text.size())) {
    std::array<char, 4096> buffer;
    for (ssize_t size = 0; (size = read(socket, buffer.data(), buffer.size())) > 0;)
      answer.append(buffer.data(), static_cast<size_t>(size));
  }
  close(socket);
  return answer;
}

std::string httpGet(int port, const std::string &path) {
  return httpAnswer(port, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
}

std::string httpPost(int port, const std::string &path, const std::string &body) {
  return httpAnswer(port, "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: " +
                              std::to_string(body.size()) + "\r\n\r\n" + body);
}

int64_t metricIn(const std::string &text, const std::string &name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name + " "))
      return std::stoll(line.substr(name.size() + 1));
  return -1;
}

int64_t ServerTest::metric(const std::string &name) const { return metricIn(server_->metricsText(), name); }

bool ServerTest::becomes(const std::string &name, int64_t value) const {
  for (int i = 0; i < 1000 && metric(name) != value; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return metric(name) == value;
}

std::unique_ptr<xla::Computation> axpy(int64_t size) {
  xla::ComputationBuilder builder(xla::ClientLibrary::ClientLibraryOrDie(), "axpy");
  xla::Shape shape = xla::ShapeUtil::MakeShape(xla::F32, {size});
  auto alpha = builder.Parameter(0, xla::ShapeUtil::MakeShape(xla::F32, {}), "alpha");
  auto x = builder.Parameter(1, shape, "x"), y = builder.Parameter(2, shape, "y");
  builder.Add(builder.Mul(alpha, x), y);
  return builder.Build().ConsumeValueOrDie();
}

const char *const kAnnounce = R"(
      %token = stablehlo.create_token : !stablehlo.token
      %number = stablehlo.constant dense<1.0> : tensor<f32>
      %announced = "stablehlo.outfeed"(%number, %token) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token
)";

std::unique_ptr<xla::Computation> endless() {
  return xla::Computation::FromStableHlo(R"(
    func.func @main(%x: tensor<i32>) -> tensor<i32> {
      )" + std::string(kAnnounce) + testing::endlessLoop("%x") +
                                         R"(      return %endless : tensor<i32>
    })")
      .ConsumeValueOrDie();
}

std::unique_ptr<xla::Computation> fed() {
  return xla::Computation::FromStableHlo(R"(
    func.func @main() -> tensor<2xf32> {
      )" + std::string(kAnnounce) + R"(
      %x, %t = "stablehlo.infeed"(%announced) : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
      %y = stablehlo.add %x, %x : tensor<2xf32>
      return %y : tensor<2xf32>
    })")
      .ConsumeValueOrDie();
}

void awaitBegin(xla::Client &client) {
  auto number = client.TransferFromOutfeed(xla::ShapeUtil::MakeShape(xla::F32, {}), 0, std::chrono::minutes(2));
  EXPECT_TRUE(number.ok()) << number.status().ToString();
}

} // namespace tenon::server
