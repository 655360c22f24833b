#include "tenon/runtime/core/untyped_call.h"

#include "tenon/runtime/core/thread_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

// Found by its name in the process.
extern "C" __attribute__((visibility("default"), used)) void tenon_test_symbol(void *out, const void **in) {
  *static_cast<float *>(out) = *static_cast<const float *>(in[0]) * 3;
}

namespace tenon::runtime {
namespace {

using program::ElementType;
using program::RuntimeCall;
using testing::HasSubstr;

RuntimeCall call(const std::string &target, int32_t apiVersion, size_t results = 1) {
  RuntimeCall runtimeCall;
  runtimeCall.kind = RuntimeCall::Kind::kCustomCall;
  runtimeCall.target = target;
  runtimeCall.apiVersion = apiVersion;
  runtimeCall.location = "model.py:3:1";
  runtimeCall.operands.assign(2, {ElementType::kF32, {}});
  runtimeCall.results.assign(results, {ElementType::kF32, {}});
  return runtimeCall;
}

struct Outcome {
  Status status;
  std::vector<float> results;
};

Outcome run(const RuntimeCall &runtimeCall) {
  auto instance = instantiateRuntimeCall(runtimeCall);
  if (!instance.ok())
    return {instance.status(), {}};
  float operands[] = {5, 2};
  Outcome outcome{{}, std::vector<float>(runtimeCall.results.size(), -1)};
  std::vector<void *> in{&operands[0], &operands[1]}, out;
  for (float &result : outcome.results)
    out.push_back(&result);
  RunOptions options;
  outcome.status = (*instance)->call({in, out, options, ThreadPool::global()});
  return outcome;
}

template <typename Function> void registerFunction(const char *name, Function *function) {
  registerUntypedCall(name, reinterpret_cast<void *>(function));
}

float value(const void *pointer) { return *static_cast<const float *>(pointer); }

void subtract(void *out, const void **in) { *static_cast<float *>(out) = value(in[0]) - value(in[1]); }

// Both, in this order, behind pointers.
void sumAndProduct(void *out, const void **in) {
  auto **results = static_cast<float **>(out);
  *results[0] = value(in[0]) + value(in[1]);
  *results[1] = value(in[0]) * value(in[1]);
}

void toTuple(void *out, const void **in) { **static_cast<float **>(out) = value(in[0]); }

void failing(void *, const void **, XlaCustomCallStatus *status) {
  XlaCustomCallStatusSetFailure(status, "no luck today", 7);
}

void recovering(void *out, const void **in, XlaCustomCallStatus *status) {
  XlaCustomCallStatusSetFailure(status, "x", 1);
  XlaCustomCallStatusSetSuccess(status);
  *static_cast<float *>(out) = value(in[0]);
}

void configured(void *out, const void **, const char *opaque, size_t length, XlaCustomCallStatus *status) {
  if (std::string(opaque, length) != std::string("a\0b", 3))
    XlaCustomCallStatusSetFailure(status, opaque, length);
  *static_cast<float *>(out) = float(length);
}

TEST(UntypedCall, GetsPointersToOperandsAndResult) {
  registerFunction("subtract", subtract);
  for (int32_t version : {0, 1}) {
    Outcome outcome = run(call("subtract", version));
    ASSERT_TRUE(outcome.status.ok()) << outcome.status.message();
    EXPECT_EQ(outcome.results[0], 3);
  }
}

TEST(UntypedCall, SeveralResultsAreAnArrayOfPointers) {
  registerFunction("sum_and_product", sumAndProduct);
  Outcome outcome = run(call("sum_and_product", 1, 2));
  ASSERT_TRUE(outcome.status.ok()) << outcome.status.message();
  EXPECT_THAT(outcome.results, testing::ElementsAre(7, 10));
}

TEST(UntypedCall, SoIsATupleOfOne) {
  registerFunction("to_tuple", toTuple);
  RuntimeCall runtimeCall = call("to_tuple", 1);
  runtimeCall.isTupleResult = true;
  EXPECT_EQ(run(runtimeCall).results[0], 5);
}

TEST(UntypedCall, StatusOfVersionTwo) {
  registerFunction("failing", failing);
  registerFunction("recovering", recovering);
  Status status = run(call("failing", 2)).status;
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_EQ(status.message(), "no luck");
  EXPECT_EQ(run(call("recovering", 2)).results[0], 5);
}

TEST(UntypedCall, OpaqueStringOfVersionThree) {
  registerFunction("configured", configured);
  RuntimeCall runtimeCall = call("configured", 3);
  runtimeCall.opaque = std::string("a\0b", 3);
  Outcome outcome = run(runtimeCall);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status.message();
  EXPECT_EQ(outcome.results[0], 3);
  runtimeCall.opaque = "bad";
  EXPECT_EQ(run(runtimeCall).status.message(), "bad");
}

TEST(UntypedCall, SymbolsOfTheProcessAreTargets) {
  EXPECT_EQ(run(call("tenon_test_symbol", 1)).results[0], 15);
  EXPECT_FALSE(run(call("tenon_test_symbol", 4)).status.ok()); // no handler of the FFI
}

TEST(UntypedCall, InterfacesAreNotMixed) {
  registerFunction("plain", subtract);
  EXPECT_THAT(
      run(call("plain", 4)).status.message(),
      HasSubstr("'plain' is registered as a plain function, but called with api_version = 4 (used at model.py:3:1)"));
  registerCustomCall(
      "typed", [](const RuntimeCall &) { return makeRuntimeCall([](const CallBuffers &) { return Status(); }); },
      CallInterface::kTyped);
  EXPECT_TRUE(run(call("typed", 4)).status.ok());
  EXPECT_THAT(run(call("typed", 2)).status.message(),
              HasSubstr("registered as a handler of the FFI (api_version = 4), but called with api_version = 2"));
}

TEST(UntypedCall, UnknownTargetsNameTheirPlaceAndTheirLikes) {
  registerFunction("my_solver", subtract);
  std::string message = run(call("my_solvr", 1)).status.message();
  EXPECT_THAT(message, HasSubstr("custom call target 'my_solvr' is not registered (used at model.py:3:1)"));
  EXPECT_THAT(message, HasSubstr("Did you mean 'my_solver'?"));
  EXPECT_THAT(run(call("nothing_like_it", 1)).status.message(), testing::Not(HasSubstr("Did you mean")));
}

} // namespace
} // namespace tenon::runtime
