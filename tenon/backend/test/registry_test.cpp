// Targets by name, libraries with targets, and what they are given (requirement inventory SYS-16, SYS-17, SYS-18).
#include "tenon/backend/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

namespace tenon::backend {
namespace {

using target::Operation;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;

constexpr const char *kAxpy = R"(func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.multiply %x, %y : tensor<3xf32>
  %1 = stablehlo.add %0, %y : tensor<3xf32>
  return %1 : tensor<3xf32>
})";

// The result, of three f32, for (1, 2, 3) and (10, 20, 30).
StatusOr<std::vector<float>> runAxpy(const std::string &target, const runtime::RunOptions &options = {}) {
  TENON_ASSIGN_OR_RETURN(auto backend, backendOf(target));
  TENON_ASSIGN_OR_RETURN(auto executable, backend->compile(kAxpy, {}));
  EXPECT_EQ(executable->program().arguments.size(), 2u);
  EXPECT_EQ(executable->program().results[0].shape.toString(), "f32[3]");
  std::vector<float> x{1, 2, 3}, y{10, 20, 30}, result(3);
  const void *arguments[] = {x.data(), y.data()};
  void *results[] = {result.data()};
  TENON_RETURN_IF_ERROR(executable->execute(arguments, results, options));
  return result;
}

TEST(Targets, RunTheSameProgram) {
  setenv("TENON_GPU", "emulated:2", 1);
  ASSERT_EQ(*loadTarget(TENON_TARGET_good), "good");
  EXPECT_EQ(*loadTarget(TENON_TARGET_good), "good"); // again
  EXPECT_THAT(targetNames(), IsSupersetOf({"cpu", "good", "reference"}));
  for (const char *name : {"cpu", "cuda", "emulated", "reference", "good"})
    EXPECT_THAT(*runAxpy(name), ElementsAre(20, 60, 120)) << name;
}

TEST(Targets, LibrariesThatDoNotFitAreErrors) {
  auto failure = [](const char *library) { return loadTarget(library).status(); };
  EXPECT_EQ(failure("/no/such/library.so").code(), StatusCode::kNotFound);
  EXPECT_THAT(failure("/no/such/library.so").message(), HasSubstr("/no/such/library.so: cannot open"));
  EXPECT_EQ(failure(TENON_TARGET_old).code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(failure(TENON_TARGET_old).message(), HasSubstr("is for version 2 of the interface of targets"));
  EXPECT_THAT(failure(TENON_TARGET_no_target).message(), HasSubstr("is no target"));
  EXPECT_EQ(failure(TENON_TARGET_other_name).code(), StatusCode::kAlreadyExists);
  EXPECT_THAT(failure(TENON_TARGET_other_name).message(), HasSubstr("there is a target 'cpu' already"));
}

// Programs that may round f32 to tf32 are others than those that may not.
TEST(Targets, GpusTakeTf32AsAnOption) {
  setenv("TENON_GPU", "emulated:2", 1);
  Backend &backend = **backendOf("emulated");
  auto compiled = [&](const std::vector<std::pair<std::string, OptionValue>> &overrides) {
    CompileOptions options;
    options.overrides = overrides;
    return backend.compile(R"(func.func @main(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
      %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
      return %0 : tensor<3x3xf32> })",
                           options);
  };
  auto exact = compiled({}), same = compiled({{"tf32", false}}), rounded = compiled({{"tf32", true}});
  ASSERT_TRUE(exact.ok() && same.ok() && rounded.ok());
  EXPECT_EQ((*exact)->program().fingerprint, (*same)->program().fingerprint);
  EXPECT_NE((*exact)->program().fingerprint, (*rounded)->program().fingerprint);
  EXPECT_THAT(compiled({{"tf32", std::string("yes")}}).status().message(),
              HasSubstr("the compile option 'tf32' is true or false"));
}

TEST(Targets, ProgramsRunOnAnyOfSeveralGpus) {
  setenv("TENON_GPU", "emulated:2", 1);
  Backend &backend = **backendOf("emulated");
  EXPECT_EQ(backend.devices().size(), 2U);
  CompileOptions second;
  second.deviceAssignment = {1};
  for (const CompileOptions &options : {CompileOptions(), second}) {
    auto compiled = backend.compile(R"(func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %0 = stablehlo.add %x, %x : tensor<3xf32>
      return %0 : tensor<3xf32> })",
                                    options);
    ASSERT_TRUE(compiled.ok()) << compiled.status().message();
    const std::vector<float> x{1, 2, 3};
    for (int32_t device : {0, 1, 0}) {
      std::vector<float> result(3);
      const void *arguments[] = {x.data()};
      void *results[] = {result.data()};
      runtime::RunOptions run;
      run.deviceOrdinal = device;
      Status status = (*compiled)->execute(arguments, results, run);
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_THAT(result, ElementsAre(2, 4, 6)) << device;
      run.deviceOrdinal = 2;
      EXPECT_THAT((*compiled)->execute(arguments, results, run).message(), HasSubstr("there is no GPU 2, there are 2"));
    }
  }
  second.deviceAssignment = {2};
  EXPECT_THAT(backend.compile("func.func @main() { return }", second).status().message(),
              HasSubstr("there is no GPU 2, there are 2"));
}

// As another process does, which has none of the GPUs.
TEST(Targets, ProgramsForGpusAreCompiledElsewhere) {
  setenv("TENON_GPU", "emulated:2", 1);
  EXPECT_EQ(*compilerName("cpu"), "cpu");
  EXPECT_EQ(*compilerName("emulated"), "emulated:sm_90a");
  Backend &backend = **backendOf("emulated"), &compiler = **compilerOf("emulated:sm_90a");
  EXPECT_EQ(*compilerOf("cpu"), &defaultBackend());
  EXPECT_EQ(compiler.target(), backend.target());
  EXPECT_TRUE(compiler.devices().empty());
  auto compiled = compiler.compile(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %x, %x : tensor<2xf32>
    return %0 : tensor<2xf32> })",
                                   {});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  std::vector<float> x{2, 3}, result(2);
  const void *arguments[] = {x.data()};
  void *results[] = {result.data()};
  EXPECT_THAT((*compiled)->execute(arguments, results, {}).message(), HasSubstr("there is no GPU 0, there are 0"));
  auto loaded = backend.deserialize(*(*compiled)->serialize());
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_TRUE((*loaded)->execute(arguments, results, {}).ok());
  EXPECT_THAT(result, ElementsAre(4, 6));
  EXPECT_THAT((*compilerOf("cuda:sm_12"))->compile("func.func @main() { return }", {}).status().message(),
              HasSubstr("sm_12"));
}

TEST(Targets, ProgramsForGpusAreStored) {
  Backend &backend = **backendOf("emulated");
  auto compiled = backend.compile(R"(func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.add %x, %x : tensor<2x2xf32>
    %1 = stablehlo.cholesky %0, lower = true : tensor<2x2xf32>
    return %1 : tensor<2x2xf32> })",
                                  {});
  ASSERT_TRUE(compiled.ok()) << compiled.status().message();
  auto bytes = (*compiled)->serialize();
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  auto loaded = backend.deserialize(*bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  std::vector<float> x{2, 0, 1, 4}, result(4);
  const void *arguments[] = {x.data()};
  void *results[] = {result.data()};
  Status status = (*loaded)->execute(arguments, results, {});
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(result[0], 2);
  EXPECT_THAT(*(*loaded)->optimizedModule(), HasSubstr("cholesky"));
  EXPECT_FALSE(backend.deserialize(std::string_view(*bytes).substr(0, bytes->size() / 2)).ok());
  EXPECT_FALSE(backend.deserialize(*(*defaultBackend().compile(kAxpy, {}))->serialize()).ok());
}

TEST(Targets, UnknownNamesAreErrors) {
  setenv("TENON_TARGETS", "/no/such/one.so:" TENON_TARGET_old, 1);
  Status status = backendOf("abacus").status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("there is no platform 'abacus'; known are: cpu, "));
  EXPECT_THAT(status.message(), HasSubstr("\nTENON_TARGETS: /no/such/one.so"));
  EXPECT_THAT(status.message(), HasSubstr("is for version 2"));
}

TEST(Targets, WhatTheyDoNotHaveIsAnError) {
  ASSERT_TRUE(loadTarget(TENON_TARGET_good).ok());
  auto compile = [](const char *source) { return (*backendOf("good"))->compile(source, {}).status(); };
  Status status = compile("func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
                          "  %0 = stablehlo.tanh %x : tensor<3xf32>\n  return %0 : tensor<3xf32>\n}");
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_EQ(status.message(), "<program>:2:8: error: 'tanh' cannot be compiled for this target");
  EXPECT_EQ(compile("not a program").code(), StatusCode::kInvalidArgument);
  // More than its memory.
  auto big = (*backendOf("good"))
                 ->compile("func.func @main(%x: tensor<1000000xf32>) -> tensor<1000000xf32> {\n"
                           "  %0 = stablehlo.add %x, %x : tensor<1000000xf32>\n"
                           "  return %0 : tensor<1000000xf32>\n}",
                           {});
  ASSERT_TRUE(big.ok()) << big.status().message();
  std::vector<float> x(1000000), y(1000000);
  const void *arguments[] = {x.data()};
  void *results[] = {y.data()};
  status = (*big)->execute(arguments, results, {});
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "the device has no memory for f32[1000000]");
}

// What the interpreter does not know before it runs, it gives when it does.
TEST(Targets, ReferenceHasResultsOfOpenSizes) {
  constexpr const char *text = R"(
func.func @main(%x: tensor<?xf32>, %shape: tensor<1xi32>) -> tensor<?x?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %0 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %1 = stablehlo.concatenate %shape, %0, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %2 = stablehlo.dynamic_broadcast_in_dim %x, %1, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
})";
  Backend &reference = **backendOf("reference");
  EXPECT_EQ(reference.compile(text, {}).status().code(), StatusCode::kUnimplemented);
  CompileOptions options;
  options.argumentShapes = {{2}};
  EXPECT_EQ(reference.compile(text, options).status().code(), StatusCode::kInvalidArgument);
  options.argumentShapes = {{2}, {1}};
  auto executable = reference.compile(text, options);
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  EXPECT_EQ((*executable)->program().results[0].shape.dims, (std::vector<int64_t>{-1, -1}));
  std::vector<float> x{1, 2}, y;
  int32_t rows = 3;
  const void *arguments[] = {x.data(), &rows};
  void *results[] = {nullptr};
  EXPECT_EQ((*executable)->execute(arguments, results, {}).code(), StatusCode::kUnimplemented);
  auto memory = [&](size_t, const program::Shape &shape) {
    EXPECT_EQ(shape.toString(), "f32[3,2]");
    y.resize(static_cast<size_t>(shape.elementCount()));
    return y.data();
  };
  Status status = (*executable)->executeInto(arguments, memory, {});
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_THAT(y, ElementsAre(1, 2, 1, 2, 1, 2));
  auto none = [](size_t, const program::Shape &) { return nullptr; };
  EXPECT_EQ((*executable)->executeInto(arguments, none, {}).code(), StatusCode::kResourceExhausted);
}

TEST(Targets, RunsAreStopped) {
  ASSERT_TRUE(loadTarget(TENON_TARGET_good).ok());
  for (const char *name : {"reference", "good"}) {
    std::stop_source stop;
    stop.request_stop();
    runtime::RunOptions options;
    options.wait.stop = stop.get_token();
    EXPECT_EQ(runAxpy(name, options).status().code(), StatusCode::kCancelled) << name;
    options = {};
    options.wait.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
    EXPECT_EQ(runAxpy(name, options).status().code(), StatusCode::kDeadlineExceeded) << name;
  }
}

// Keeps what it is given, and compiles nothing.
class Witness : public target::Target {
public:
  explicit Witness(target::Program &seen) : seen_(seen) {}
  StatusOr<std::unique_ptr<target::Executable>> compile(const target::Program &program) override {
    seen_ = program;
    return unimplemented("seen");
  }

private:
  target::Program &seen_;
};

// What a target gets for the body of a function of one argument.
target::Program viewOf(const std::string &text) {
  static target::Program seen;
  static const bool done = registerTarget("witness", std::make_unique<Witness>(seen)).ok();
  EXPECT_TRUE(done);
  seen = {};
  EXPECT_EQ((*backendOf("witness"))->compile(text, {}).status().message(), "seen");
  return seen;
}

TEST(View, HasWhatTheProgramSays) {
  target::Program program = viewOf(R"(module @products {
  func.func @main(%x: tensor<2x3x4xbf16>, %y: tensor<2x4x5xbf16>) -> tensor<2x3x5xf32> {
    %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1],
        precision = [HIGH, DEFAULT] : (tensor<2x3x4xbf16>, tensor<2x4x5xbf16>) -> tensor<2x3x5xf32>
    return %0 : tensor<2x3x5xf32>
  }})");
  EXPECT_EQ(program.name, "products");
  ASSERT_EQ(program.main.operations.size(), 1u);
  const Operation &dot = program.main.operations[0];
  EXPECT_EQ(dot.name, "dot_general");
  EXPECT_EQ(dot.location, "<program>:3:10");
  EXPECT_EQ(dot.operands, program.main.arguments);
  EXPECT_EQ(dot.results, program.main.results);
  using Integers = std::vector<int64_t>;
  EXPECT_EQ(dot.get<Integers>("lhs_batching_dimensions"), (Integers{0}));
  EXPECT_EQ(dot.get<Integers>("rhs_contracting_dimensions"), (Integers{1}));
  EXPECT_EQ(dot.get<std::vector<std::string>>("precision_config"), (std::vector<std::string>{"HIGH", "DEFAULT"}));
  EXPECT_EQ(dot.get<int64_t>("no_such_attribute", 7), 7);
  const target::Type &x = program.values[static_cast<size_t>(dot.operands[0])];
  EXPECT_EQ(x.element, "bf16");
  EXPECT_EQ(x.elementBytes, 2);
  EXPECT_EQ(x.dims, (Integers{2, 3, 4}));
  EXPECT_EQ(x.byteSize(), 48);
}

TEST(View, HasRegionsConstantsAndEnumerations) {
  target::Program program =
      viewOf(R"(func.func @main(%x: tensor<i32>, %y: tensor<2x3xf32>) -> (tensor<i32>, tensor<2xf32>, tensor<3xf32>) {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.while(%i = %x) : tensor<i32>
    cond {
      %limit = stablehlo.constant dense<10> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %data = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    return %0, %sum, %data : tensor<i32>, tensor<2xf32>, tensor<3xf32>
  })");
  std::map<std::string, const Operation *> found;
  std::vector<std::vector<uint8_t>> constants;
  for (const Operation &operation : program.main.operations) {
    found[operation.name] = &operation;
    if (operation.name == "constant")
      constants.push_back(operation.get<target::Constant>("value").bytes);
  }
  float data[] = {1, 2, 3};
  std::vector<uint8_t> bytes(sizeof data);
  std::memcpy(bytes.data(), data, sizeof data);
  EXPECT_THAT(constants, Contains(bytes));
  ASSERT_TRUE(found.contains("while") && found.contains("reduce"));
  const Operation &loop = *found["while"], &reduce = *found["reduce"];
  ASSERT_EQ(loop.regions.size(), 2u);
  EXPECT_EQ(loop.regions[0].operations.back().name, "compare");
  EXPECT_EQ(loop.regions[0].operations.back().get<std::string>("comparison_direction"), "LT");
  EXPECT_EQ(loop.regions[1].results.size(), 1u);
  EXPECT_EQ(reduce.get<std::vector<int64_t>>("dimensions"), std::vector<int64_t>{1});
  EXPECT_EQ(reduce.regions[0].arguments.size(), 2u);
}

} // namespace
} // namespace tenon::backend
