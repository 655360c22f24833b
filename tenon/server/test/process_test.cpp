// `tenon serve` as users run it, a process with workers of its own: what one program, one worker or one end of the
// server does to the others.
#include "tenon/server/testing/server_fixture.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <thread>

namespace tenon::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using xla::Literal;
using xla::LiteralUtil;

class ProcessTest : public ::testing::Test {
protected:
  void start(std::vector<std::string> options = {}) {
    options.emplace_back("--metrics=127.0.0.1:0");
    process_ = std::make_unique<ServerProcess>(options);
    client_ = connect();
  }
  std::unique_ptr<xla::Client> connect() const { return xla::ConnectRemote(process_->address()).ConsumeValueOrDie(); }
  int64_t metric(const std::string &name) const { return metricIn(httpGet(process_->metricsPort(), "/metrics"), name); }

  // Another client is served.
  void expectAlive() const {
    auto other = connect();
    auto data = other->TransferToServer(LiteralUtil::CreateR0<float>(3)).ConsumeValueOrDie();
    EXPECT_EQ(*other->Transfer(*data).ConsumeValueOrDie(), LiteralUtil::CreateR0<float>(3));
  }

  // The processes that the server has started; there are none but its workers.
  std::vector<pid_t> workers() const {
    std::vector<pid_t> found;
    for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
      pid_t pid = std::atoi(entry.path().filename().c_str());
      if (pid <= 0)
        continue;
      std::ifstream file(entry.path() / "stat");
      std::string text((std::istreambuf_iterator<char>(file)), {});
      // "pid (name) state parent ..."; nothing of a process that has ended meanwhile.
      size_t behind = text.rfind(')');
      if (behind != std::string::npos && std::atoi(text.c_str() + behind + 4) == process_->pid())
        found.push_back(pid);
    }
    return found;
  }

  std::unique_ptr<ServerProcess> process_;
  std::unique_ptr<xla::Client> client_;
};

// Takes long to compile on any machine: dozens of kernels of hundreds of operations, no two alike.
std::unique_ptr<xla::Computation> slowToCompile() {
  xla::ComputationBuilder builder(xla::ClientLibrary::ClientLibraryOrDie(), "slow");
  auto x = builder.Parameter(0, xla::ShapeUtil::MakeShape(xla::F32, {100}), "x");
  for (int i = 0; i < 10000; ++i) {
    auto number = builder.ConstantR0<float>(1 + float(i) / 10000);
    x = builder.Max(builder.Mul(x, number), builder.Sub(number, x));
  }
  return builder.Build().ConsumeValueOrDie();
}

TEST_F(ProcessTest, CompilingHasATime) {
  start({"--compile-timeout=0.5"});
  auto executable = client_->Compile(*slowToCompile());
  EXPECT_EQ(executable.status().code(), StatusCode::kDeadlineExceeded) << executable.status().ToString();
  EXPECT_THAT(executable.status().message(), HasSubstr("compiling took longer than the server gives a program: 0.5"));
  EXPECT_EQ(metric("tenon_compile_workers_killed_total"), 1);
  EXPECT_TRUE(workers().empty());
  expectAlive();
}

#if !__has_feature(address_sanitizer) // whose shadow no limit leaves room for
TEST_F(ProcessTest, CompilingHasMemory) {
  start({"--compile-memory=256MB"});
  xla::ComputationBuilder builder(xla::ClientLibrary::ClientLibraryOrDie(), "large");
  std::vector<float> values(32 << 20);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i);
  builder.ConstantR1<float>(values);
  auto computation = builder.Build().ConsumeValueOrDie();
  auto executable = client_->Compile(*computation);
  EXPECT_EQ(executable.status().code(), StatusCode::kResourceExhausted) << executable.status().ToString();
  EXPECT_THAT(executable.status().message(), HasSubstr("the compiler needs more memory"));
  expectAlive();
}
#endif

TEST_F(ProcessTest, AWorkerThatIsKilledIsAStatus) {
  start();
  auto computation = slowToCompile();
  Status status;
  std::thread compiles([&] { status = client_->Compile(*computation).status(); });
  while (workers().empty())
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (pid_t worker : workers())
    kill(worker, SIGKILL);
  compiles.join();
  EXPECT_EQ(status.code(), StatusCode::kInternal) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("the compiler has crashed on the program (signal Killed)"));
  EXPECT_EQ(metric("tenon_compile_workers_crashed_total"), 1);
  // The same client goes on.
  auto small = axpy(1);
  EXPECT_TRUE(client_->Compile(*small).ok());
}

TEST_F(ProcessTest, TheEndOfTheServerIsThatOfItsWorkers) {
  start({"--grace=0.1"});
  auto computation = slowToCompile();
  Status status;
  std::thread compiles([&] { status = client_->Compile(*computation).status(); });
  while (workers().empty())
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  pid_t worker = workers().front();
  int ended = process_->end(SIGTERM);
  compiles.join();
  EXPECT_TRUE(WIFEXITED(ended) && WEXITSTATUS(ended) == 0) << ended;
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(client_->GetStatistics().status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(kill(worker, 0), -1) << "it is gone";
}

// Errors are those of the compiler: with the place in the program and the rule that it breaks.
TEST_F(ProcessTest, ProgramsThatAreNoneAreStatuses) {
  start();
  xla::ProgramShape shape;
  *shape.mutable_result() = xla::ShapeUtil::MakeShape(xla::F32, {});
  auto compile = [&](const std::string &program) {
    return client_->service()->Compile({"bad", program, shape}).status();
  };
  EXPECT_EQ(compile("").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(compile("func.func @main( {").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(compile(std::string("ML\xefR\x05") + std::string(100, '\xff')).code(), StatusCode::kInvalidArgument);
  Status broken = compile("func.func @main() -> tensor<f32> {\n"
                          "  %0 = stablehlo.constant dense<1.0> : tensor<2xf32>\n"
                          "  %1 = stablehlo.slice %0 [0:3] : (tensor<2xf32>) -> tensor<3xf32>\n"
                          "  return %1 : tensor<3xf32>\n}");
  EXPECT_EQ(broken.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(broken.message(), AllOf(HasSubstr(":3:8: "), HasSubstr("slice_c3: "))) << broken.ToString();
  EXPECT_EQ(compile("func.func @main() -> tensor<i32> {\n  %0 = stablehlo.constant dense<1> : tensor<i32>\n"
                    "  return %0 : tensor<i32>\n}")
                .message(),
            "bad: the program's results are not the result of the request");
  EXPECT_EQ(metric("tenon_compile_workers_crashed_total"), 0);
  expectAlive();
}

// One that the host plays. Workers compile for it, and have none.
TEST_F(ProcessTest, RunsProgramsOnAGpu) {
  start({"--target=emulated"});
  EXPECT_EQ(client_->platform_name(), "emulated");
  auto computation = axpy(3);
  auto alpha = client_->TransferToServer(LiteralUtil::CreateR0<float>(2)).ConsumeValueOrDie();
  auto x = client_->TransferToServer(LiteralUtil::CreateR1<float>({1, 2, 3})).ConsumeValueOrDie();
  auto result = client_->ExecuteAndTransfer(*computation, {alpha.get(), x.get(), x.get()});
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(**result, LiteralUtil::CreateR1<float>({3, 6, 9}));
  EXPECT_EQ(metric("tenon_compile_workers_total"), 1);
  EXPECT_EQ(metric("tenon_compile_workers_crashed_total"), 0);
}

// A folder of models, over HTTP.
TEST_F(ProcessTest, ServesModels) {
  namespace fs = std::filesystem;
  fs::path folder = fs::temp_directory_path() / ("tenon_process_models_" + std::to_string(getpid()));
  fs::create_directories(folder / "twice/1");
  std::ofstream(folder / "twice/1/model.mlir") << "func.func @main(%x: tensor<?xf32> loc(\"x\")) -> tensor<?xf32> {\n"
                                                  "  %y = stablehlo.add %x, %x : tensor<?xf32>\n"
                                                  "  return %y : tensor<?xf32>\n}\n";
  start({"--models=" + folder.string(), "--http=127.0.0.1:0"});
  int port = process_->httpPort();
  while (httpGet(port, "/v2/health/ready").find("200 OK") == std::string::npos)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_THAT(httpPost(port, "/v2/models/twice/infer",
                       R"({"inputs":[{"name":"x","shape":[3],"datatype":"FP32","data":[1,2.5,-3]}]})"),
              AllOf(HasSubstr("200 OK"), HasSubstr("\"data\":[2,5,-6]")));
  // The library compresses answers for those who take them so.
  EXPECT_THAT(httpGet(port, "/v2/models/twice HTTP/1.1\r\nAccept-Encoding: br\r\nX: "),
              HasSubstr("Content-Encoding: br"));
  EXPECT_EQ(metric("tenon_model_inferences_total{model=\"twice\",version=\"1\"}"), 1);
  process_.reset();
  fs::remove_all(folder);
}

} // namespace
} // namespace tenon::server
