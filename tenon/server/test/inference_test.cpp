// Models in the whole server: compiled by workers, for those who bear the token, over both protocols.
#include "tenon/open_inference.grpc.pb.h"
#include "tenon/server/testing/server_fixture.h"

#include <grpcpp/create_channel.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace tenon::server {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class InferenceTest : public ServerTest {
protected:
  InferenceTest() : folder_(fs::temp_directory_path() / ("tenon_inference_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "twice/1");
    // Sizes are open: the worker learns those of the request.
    std::ofstream(folder_ / "twice/1/model.mlir") << "func.func @main(%x: tensor<?xf32> loc(\"x\")) -> tensor<?xf32> "
                                                     "{\n  %y = stablehlo.add %x, %x : tensor<?xf32>\n"
                                                     "  return %y : tensor<?xf32>\n}\n";
  }
  ~InferenceTest() override {
    server_.reset();
    fs::remove_all(folder_);
  }
  void startWithModels(ServerOptions options = {}) {
    options.models = folder_;
    options.http = "127.0.0.1:0";
    start(options);
    for (int i = 0; i < 6000 && httpGet(server_->httpPort(), "/v2/health/ready").find("200 OK") == std::string::npos;
         ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  grpc::Status infer(const std::string &token, std::string &bytes) const {
    auto stub =
        inference::GRPCInferenceService::NewStub(grpc::CreateChannel(address(), grpc::InsecureChannelCredentials()));
    grpc::ClientContext context;
    if (!token.empty())
      context.AddMetadata("authorization", "Bearer " + token);
    inference::ModelInferRequest request;
    inference::ModelInferResponse response;
    request.set_model_name("twice");
    auto &input = *request.add_inputs();
    input.set_name("x");
    input.set_datatype("FP32");
    input.add_shape(static_cast<int64_t>(bytes.size() / 4));
    request.add_raw_input_contents(bytes);
    grpc::Status status = stub->ModelInfer(&context, request, &response);
    if (status.ok())
      bytes = response.raw_output_contents(0);
    return status;
  }

  const fs::path folder_;
};

std::string bytesOf(std::vector<float> values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float)};
}

TEST_F(InferenceTest, IsBesideTheOtherProtocol) {
  startWithModels();
  std::string bytes = bytesOf({1, 2.5, -3});
  grpc::Status status = infer("", bytes);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(bytes, bytesOf({2, 5, -6}));
  auto client = connect();
  auto data = client->TransferToServer(xla::LiteralUtil::CreateR0<float>(3)).ConsumeValueOrDie();
  EXPECT_EQ(*client->Transfer(*data).ConsumeValueOrDie(), xla::LiteralUtil::CreateR0<float>(3));
  EXPECT_GE(metric("tenon_compile_workers_total"), 1);
  EXPECT_EQ(metric("tenon_model_inferences_total{model=\"twice\",version=\"1\"}"), 1);
  EXPECT_EQ(metric("tenon_calls_total{method=\"ModelInfer\",code=\"OK\"}"), 1);
}

TEST_F(InferenceTest, IsForThoseWhoBearTheToken) {
  ServerOptions options;
  options.token = "secret";
  startWithModels(options);
  EXPECT_THAT(httpGet(server_->httpPort(), "/v2/health/live"), HasSubstr("200 OK"));
  EXPECT_THAT(httpGet(server_->httpPort(), "/v2/models/twice"), HasSubstr("401"));
  EXPECT_THAT(httpGet(server_->httpPort(), "/v2/models/twice HTTP/1.1\r\nAuthorization: Bearer secret\r\nX: "),
              HasSubstr("\"versions\":[\"1\"]"));
  std::string bytes = bytesOf({1});
  EXPECT_EQ(infer("", bytes).error_code(), grpc::UNAUTHENTICATED);
  EXPECT_TRUE(infer("secret", bytes).ok());
}

// Messages are no longer than requests may be, and the server goes on behind those that are.
TEST_F(InferenceTest, RequestsHaveALargestSize) {
  ServerOptions options;
  options.requestBytes = 1 << 16;
  startWithModels(options);
  std::string large(1 << 17, 0), small = bytesOf({1});
  EXPECT_EQ(infer("", large).error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(infer("", small).ok());
}

TEST_F(InferenceTest, FoldersAndAddressesAreChecked) {
  auto errorOf = [&](const std::string &models, const std::string &http) {
    ServerOptions options;
    options.listen = "127.0.0.1:0";
    options.models = models;
    options.http = http;
    return Server::start(options).status().message();
  };
  EXPECT_EQ(errorOf("", "127.0.0.1:0"), "HTTP serves models, and no folder of models is given");
  EXPECT_EQ(errorOf("/nowhere", ""), "there is no folder of models '/nowhere'");
  EXPECT_THAT(errorOf(folder_, "0.0.0.0:0"), HasSubstr("'0.0.0.0:0' can be reached from other machines"));
  EXPECT_THAT(errorOf(folder_, "somewhere"), HasSubstr("an address is host:port"));
}

TEST_F(InferenceTest, EndsWhileRequestsWait) {
  std::ofstream(folder_ / "twice/config.json")
      << R"({"max_batch_size": 2, "dynamic_batching": {"max_queue_delay_microseconds": 2000000000}})";
  startWithModels();
  std::string bytes = bytesOf({1});
  grpc::Status status;
  std::thread asks([&] { status = infer("", bytes); });
  EXPECT_TRUE(becomes("tenon_model_waiting{model=\"twice\",version=\"1\"}", 1));
  server_->shutDown(std::chrono::milliseconds(10));
  asks.join();
  EXPECT_FALSE(status.ok());
}

} // namespace
} // namespace tenon::server
