// Custom calls of C functions, from the program's text to the function.
#include "tenon/custom_call.h"

#include "tenon/backend/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tenon::backend {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Runs `source`, whose results are of two f32 each.
StatusOr<std::vector<std::vector<float>>> run(const std::string &source) {
  TENON_ASSIGN_OR_RETURN(auto executable, defaultBackend().compile(source, {}));
  size_t count = executable->program().results.size();
  std::vector<float> x{3, 5};
  std::vector<std::vector<float>> results(count, std::vector<float>(2));
  std::vector<void *> pointers;
  for (auto &result : results)
    pointers.push_back(result.data());
  const void *arguments[] = {x.data()};
  TENON_RETURN_IF_ERROR(executable->execute(arguments, pointers, {}));
  return results;
}

const float *floats(const void *pointer) { return static_cast<const float *>(pointer); }

// Doubles into the first result, negates into the second.
void twoResults(void *out, const void **in) {
  auto **results = static_cast<float **>(out);
  for (int i = 0; i < 2; ++i) {
    results[0][i] = 2 * floats(in[0])[i];
    results[1][i] = -floats(in[1])[i];
  }
}

void scale(void *out, const void **in, const char *opaque, size_t length, XlaCustomCallStatus *status) {
  if (length == 0)
    return XlaCustomCallStatusSetFailure(status, "no factor", 9);
  for (int i = 0; i < 2; ++i)
    static_cast<float *>(out)[i] = floats(in[0])[i] * std::stof(std::string(opaque, length));
}

TEST(CustomCall, FunctionsAreRegisteredByName) {
  EXPECT_EQ(Tenon_RegisterCustomCall("scale", reinterpret_cast<void *>(scale)), 0);
  EXPECT_EQ(Tenon_RegisterCustomCall("scale", nullptr), 1);
  auto results = run(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @scale(%x) {api_version = 3 : i32, backend_config = "2.5"} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })");
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_THAT((*results)[0], ElementsAre(7.5, 12.5));
}

TEST(CustomCall, FailuresNameTheOp) {
  EXPECT_EQ(Tenon_RegisterCustomCall("scale", reinterpret_cast<void *>(scale)), 0);
  auto results = run(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @scale(%x) {api_version = 3 : i32, backend_config = ""} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })");
  EXPECT_THAT(results.status().message(), HasSubstr("scale: no factor (at "));
}

// The same function as an op with two results, and with a tuple of two, of operands in a tuple.
TEST(CustomCall, TuplesAreTheirParts) {
  EXPECT_EQ(Tenon_RegisterCustomCall("two_results", reinterpret_cast<void *>(twoResults)), 0);
  for (const char *body : {R"(
    %0:2 = stablehlo.custom_call @two_results(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    return %0#0, %0#1 : tensor<2xf32>, tensor<2xf32>)",
                           R"(
    %t = stablehlo.tuple %x, %x : tuple<tensor<2xf32>, tensor<2xf32>>
    %0 = stablehlo.custom_call @two_results(%t) : (tuple<tensor<2xf32>, tensor<2xf32>>) -> tuple<tensor<2xf32>, tuple<tensor<2xf32>>>
    %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2xf32>, tuple<tensor<2xf32>>>) -> tensor<2xf32>
    %2 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2xf32>, tuple<tensor<2xf32>>>) -> tuple<tensor<2xf32>>
    %3 = stablehlo.get_tuple_element %2[0] : (tuple<tensor<2xf32>>) -> tensor<2xf32>
    return %1, %3 : tensor<2xf32>, tensor<2xf32>)"}) {
    auto results =
        run("func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {" + std::string(body) + "\n}");
    ASSERT_TRUE(results.ok()) << results.status().message();
    EXPECT_THAT(*results, ElementsAre(ElementsAre(6, 10), ElementsAre(-3, -5)));
  }
}

void reversed(void *out, const void **in) {
  auto *result = *static_cast<float **>(out); // a tuple of one is an array of one
  result[0] = floats(in[0])[1];
  result[1] = floats(in[0])[0];
}

TEST(CustomCall, ATupleOfOneIsBehindAPointer) {
  EXPECT_EQ(Tenon_RegisterCustomCall("reversed", reinterpret_cast<void *>(reversed)), 0);
  auto results = run(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @reversed(%x) {api_version = 0 : i32} : (tensor<2xf32>) -> tuple<tensor<2xf32>>
    %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2xf32>>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  })");
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_THAT((*results)[0], ElementsAre(5, 3));
}

TEST(CustomCall, UnknownTargetsAreErrorsWhenCompiled) {
  EXPECT_EQ(Tenon_RegisterCustomCall("two_results", reinterpret_cast<void *>(twoResults)), 0);
  auto executable = defaultBackend().compile(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @two_result(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
                                             {});
  EXPECT_EQ(executable.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(executable.status().message(), HasSubstr("custom call target 'two_result' is not registered (used at "));
  EXPECT_THAT(executable.status().message(), HasSubstr("Did you mean 'two_results'?"));
}

} // namespace
} // namespace tenon::backend
