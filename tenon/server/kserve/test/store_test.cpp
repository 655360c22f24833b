// Models in a folder, and requests of them, compiled in this process.
#include "tenon/server/kserve/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace tenon::kserve {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The sums of rows, times a factor.
std::string program(float factor, const std::string &rows = "?") {
  std::string type = "tensor<" + rows + "x3xf32>";
  return "func.func @main(%x: " + type + " loc(\"x\")) -> (" + type +
         " {jax.result_info = \"y\"}) {\n  %w = stablehlo.constant dense<" + std::to_string(factor) +
         "> : tensor<3x3xf32>\n  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (" + type +
         ", tensor<3x3xf32>) -> " + type + "\n  return %y : " + type + "\n}\n";
}

class StoreTest : public ::testing::Test {
protected:
  StoreTest() : folder_(fs::temp_directory_path() / ("tenon_store_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~StoreTest() override {
    store_.reset();
    fs::remove_all(folder_);
  }
  void write(const std::string &path, const std::string &text) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path, std::ios::binary) << text;
  }
  void start() {
    StoreOptions options;
    options.folder = folder_;
    store_ = std::make_unique<Store>(backend::defaultBackend(), options);
    ASSERT_TRUE(store_->start().ok());
    service_ = std::make_unique<Service>(*store_, nullptr);
  }
  StatusOr<InferResponse> infer(const std::string &model, std::vector<int64_t> dims, std::vector<float> x,
                                const std::string &version = "") const {
    InferRequest request;
    request.model = model;
    request.version = version;
    request.inputs.push_back({"x",
                              {program::ElementType::kF32, std::move(dims)},
                              std::string(reinterpret_cast<const char *>(x.data()), x.size() * 4)});
    return service_->infer(request);
  }
  float first(const std::string &model, const std::string &version = "") const {
    auto response = infer(model, {1, 3}, {1, 1, 1}, version);
    EXPECT_TRUE(response.ok()) << response.status().ToString();
    float value = 0;
    if (response.ok())
      std::memcpy(&value, response->outputs[0].bytes.data(), sizeof value);
    return value;
  }
  std::string stateOf(const std::string &model) const {
    std::string text;
    for (const IndexEntry &entry : store_->index())
      if (entry.name == model)
        text += std::to_string(entry.version) + " " + entry.state + "; ";
    return text;
  }

  const fs::path folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Service> service_;
};

TEST_F(StoreTest, ServesWhatAppearsAndKeepsWhatServes) {
  start();
  EXPECT_EQ(store_->find("m", 0).status().code(), StatusCode::kNotFound);
  write("m/1/model.mlir", program(1));
  ASSERT_TRUE(store_->load("m").ok());
  EXPECT_EQ(first("m"), 3);
  // A newer one takes its place, an older one does not.
  write("m/10/model.mlir", program(2));
  write("m/9/model.mlir", program(9));
  ASSERT_TRUE(store_->load("m").ok());
  EXPECT_EQ(first("m"), 6);
  EXPECT_EQ(stateOf("m"), "10 READY; ");
  // One that cannot be compiled does not.
  write("m/11/model.mlir", "func.func @main( {");
  Status broken = store_->load("m");
  EXPECT_EQ(broken.code(), StatusCode::kInvalidArgument) << broken.ToString();
  EXPECT_EQ(first("m"), 6);
  EXPECT_EQ(stateOf("m"), "10 READY; 11 UNAVAILABLE; ");
  EXPECT_TRUE(store_->isReady()) << "it serves";
  // Nor a configuration that is none.
  write("m/config.json", "{");
  EXPECT_EQ(store_->load("m").message(), "config.json is no JSON");
  EXPECT_EQ(first("m"), 6);
  write("m/config.json", R"({"version_policy": {"specific": {"versions": [1]}}})");
  ASSERT_TRUE(store_->load("m").ok());
  EXPECT_EQ(first("m"), 3);
  // The same file, written anew.
  write("m/1/model.mlir", program(5));
  ASSERT_TRUE(store_->load("m").ok());
  EXPECT_EQ(first("m"), 15);
  fs::remove_all(folder_ / "m");
  EXPECT_EQ(store_->load("m").code(), StatusCode::kNotFound);
  EXPECT_EQ(stateOf("m"), "");
}

TEST_F(StoreTest, NamesArePlain) {
  write("m/1/model.mlir", program(1));
  start();
  for (const char *name : {"", ".", "..", "../m", "m/1", "/m", "m\n"})
    EXPECT_EQ(store_->load(name).code(), StatusCode::kNotFound) << name;
  EXPECT_EQ(store_->load("m").code(), StatusCode::kOk);
}

TEST_F(StoreTest, SaysWhyAProgramCannotBeServed) {
  start();
  // The configuration first: the store looks by itself, too, and the last program is good with the one before.
  auto errorOf = [&](const std::string &text, const std::string &config = "{}") {
    write("m/config.json", config);
    write("m/1/model.mlir", text);
    return store_->load("m").message();
  };
  EXPECT_THAT(errorOf("func.func @main(%x: tensor<complex<f32>> loc(\"x\")) -> tensor<complex<f32>> {\n  return %x : "
                      "tensor<complex<f32>>\n}"),
              HasSubstr("input 'x' is of type tensor<complex<f32>>, which the protocol has no datatype for"));
  EXPECT_THAT(errorOf(program(1, "4"), R"({"max_batch_size": 8})"),
              HasSubstr("the first size of 'x' is 4: the program has batches of this size alone"));
  EXPECT_THAT(errorOf("func.func @main(%x: tensor<?x2xf32>) -> tensor<2xf32> {\n  %z = stablehlo.constant dense<0.0> : "
                      "tensor<f32>\n  %y = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] "
                      ": (tensor<?x2xf32>, tensor<f32>) -> tensor<2xf32>\n  return %y : tensor<2xf32>\n}",
                      R"({"max_batch_size": 8})"),
              HasSubstr("the first size of 'output_0' is 2"));
  EXPECT_THAT(errorOf(program(1), R"({"inputs": ["a", "b"]})"), HasSubstr("names 2 inputs, and the program has 1"));
  fs::remove(folder_ / "m/1/model.mlir");
  fs::remove(folder_ / "m/config.json");
  EXPECT_THAT(store_->load("m").message(), HasSubstr("has no program"));
  EXPECT_FALSE(store_->isReady()) << "it does not serve";
}

TEST_F(StoreTest, ShapesThatTheProgramLeavesOpen) {
  write("m/1/model.mlir", program(1));
  start();
  ASSERT_TRUE(store_->load("m").ok());
  for (int64_t rows : {1, 4, 0, 2}) {
    auto response = infer("m", {rows, 3}, std::vector<float>(static_cast<size_t>(rows) * 3, 1));
    ASSERT_TRUE(response.ok()) << response.status().ToString();
    EXPECT_THAT(response->outputs[0].shape.dims, ElementsAre(rows, 3));
  }
  EXPECT_EQ(infer("m", {2, 4}, std::vector<float>(8, 1)).status().message(),
            "input 'x' must be FP32[-1,3], and is FP32[2,4]");
}

// A program of one size, as most exporters write it.
TEST_F(StoreTest, ABatchOfAStaticSize) {
  write("m/1/model.mlir", program(1, "4"));
  write("m/config.json", R"({"max_batch_size": 4})");
  start();
  ASSERT_TRUE(store_->load("m").ok());
  auto all = infer("m", {4, 3}, {0.1F, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12.7F}).ConsumeValueOrDie().outputs[0].bytes;
  EXPECT_EQ(infer("m", {1, 3}, {0.1F, 2, 3})->outputs[0].bytes, all.substr(0, 12));
  EXPECT_EQ(infer("m", {2, 3}, {7, 8, 9, 10, 11, 12.7F})->outputs[0].bytes, all.substr(24));
  EXPECT_EQ(infer("m", {5, 3}, std::vector<float>(15)).status().message(),
            "input 'x' has 5 rows, and a request may have 1 to 4");
  EXPECT_EQ(infer("m", {0, 3}, {}).status().message(), "input 'x' has 0 rows, and a request may have 1 to 4");
}

// The others of a batch do not fail with one of them. This program fails where there is an element below zero.
TEST_F(StoreTest, ARequestFailsAlone) {
  write("m/1/model.mlir", R"(
    func.func @main(%x: tensor<?x3xf32> loc("x")) -> (tensor<?x3xf32> {jax.result_info = "y"}) {
      %zero = stablehlo.subtract %x, %x : tensor<?x3xf32>
      %low = stablehlo.minimum %x, %zero : tensor<?x3xf32>
      stablehlo.custom_call @check.expect_eq(%low, %zero) {has_side_effect = true}
        : (tensor<?x3xf32>, tensor<?x3xf32>) -> ()
      return %x : tensor<?x3xf32>
    })");
  write("m/config.json", R"({"max_batch_size": 2, "dynamic_batching": {"max_queue_delay_microseconds": 2000000000}})");
  start();
  Status loaded = store_->load("m");
  ASSERT_TRUE(loaded.ok()) << loaded.ToString();
  StatusOr<InferResponse> good = internalError(""), bad = internalError("");
  std::thread other([&] { good = infer("m", {1, 3}, {1, 2, 3}); });
  bad = infer("m", {1, 3}, {1, -2, 3});
  other.join();
  EXPECT_TRUE(good.ok()) << good.status().ToString();
  EXPECT_FALSE(bad.ok());
}

TEST_F(StoreTest, DeadlinesAndTheEnd) {
  write("m/1/model.mlir", program(1));
  write("m/config.json", R"({"max_batch_size": 2, "dynamic_batching": {"max_queue_delay_microseconds": 2000000000}})");
  start();
  ASSERT_TRUE(store_->load("m").ok());
  InferRequest request;
  request.model = "m";
  request.inputs.push_back({"x", {program::ElementType::kF32, {1, 3}}, std::string(12, 0)});
  ASSERT_TRUE(setTimeout(request, 1).ok());
  EXPECT_EQ(service_->infer(request).status().code(), StatusCode::kDeadlineExceeded);
  service_->refuse();
  EXPECT_EQ(service_->infer(request).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(service_->load("m").code(), StatusCode::kUnavailable);
  EXPECT_FALSE(service_->isReady());
}

TEST_F(StoreTest, Metrics) {
  write("m/1/model.mlir", program(1));
  write("m/config.json", R"({"max_batch_size": 4})");
  start();
  ASSERT_TRUE(store_->load("m").ok());
  EXPECT_TRUE(infer("m", {3, 3}, std::vector<float>(9)).ok());
  EXPECT_FALSE(infer("m", {3, 2}, std::vector<float>(6)).ok());
  std::string text = metricsText(*store_);
  for (const char *line : {"tenon_model_requests_total{model=\"m\",version=\"1\",result=\"success\"} 1\n",
                           "tenon_model_requests_total{model=\"m\",version=\"1\",result=\"failure\"} 1\n",
                           "tenon_model_inferences_total{model=\"m\",version=\"1\"} 3\n",
                           "tenon_model_executions_total{model=\"m\",version=\"1\"} 1\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

} // namespace
} // namespace tenon::kserve
