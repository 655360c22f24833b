#include "tenon/runtime/cpu/element_check.h"

#include "tenon/program/testing/attributes.h"

#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/cpu/library.h"

#include <gtest/gtest.h>

namespace tenon::runtime {
namespace {

using namespace program::attribute;

using program::ElementType;

program::RuntimeCall runtimeCall(std::string target, program::AttributeDict attributes,
                                 ElementType type = ElementType::kF32) {
  program::RuntimeCall runtimeCall;
  runtimeCall.kind = program::RuntimeCall::Kind::kCustomCall;
  runtimeCall.target = std::move(target);
  runtimeCall.attributes = std::move(attributes);
  runtimeCall.apiVersion = 4;
  runtimeCall.operands = {{type, {2}}, {type, {2}}};
  return runtimeCall;
}

Status run(const program::RuntimeCall &runtimeCall, std::vector<void *> operands, std::vector<void *> results = {}) {
  registerCpuLibrary();
  TENON_ASSIGN_OR_RETURN(auto instance, instantiateRuntimeCall(runtimeCall));
  ThreadPool pool(1);
  RunOptions options;
  return instance->call({operands, results, options, pool});
}

TEST(CheckCall, FollowsItsAttributes) {
  float actual[] = {1, 1.0000001F}, expected[] = {1, 1};
  EXPECT_TRUE(run(runtimeCall("check.expect_close", {}), {actual, expected}).ok());
  EXPECT_TRUE(run(runtimeCall("check.expect_close", {{"max_ulp_difference", ui64(1)}}), {actual, expected}).ok());
  Status status = run(runtimeCall("check.expect_close", {{"max_ulp_difference", i64(0)}}), {actual, expected});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "element [1] is 1.0000001 but 1 is expected (1 ULP apart, at most 0 allowed); 1 of 2 "
                              "elements differ");
  EXPECT_TRUE(run(runtimeCall("check.expect_almost_eq", {{"tolerance", f64(0.1)}}), {actual, expected}).ok());
  EXPECT_FALSE(run(runtimeCall("check.eq", {{"tolerance", f64(0.0)}}), {actual, expected}).ok());
  EXPECT_FALSE(run(runtimeCall("check.expect_eq", {}), {actual, expected}).ok());
}

TEST(CheckCall, GivesItsVerdict) {
  uint8_t verdict = 0;
  float values[] = {1, 2};
  program::RuntimeCall check = runtimeCall("check.eq", {});
  check.results = {{ElementType::kI1, {}}};
  EXPECT_TRUE(run(check, {values, values}, {&verdict}).ok());
  EXPECT_EQ(verdict, 1);
}

TEST(CheckCall, RefusesWhatIsNoCheck) {
  program::RuntimeCall three = runtimeCall("check.eq", {}), differing = three, result = three;
  three.operands.resize(3);
  differing.operands[1].dims = {3};
  result.results = {{ElementType::kF32, {}}};
  for (const program::RuntimeCall &wrong :
       {three, differing, result, runtimeCall("check.expect_close", {{"max_ulp_difference", i64(-1)}})})
    EXPECT_EQ(run(wrong, {}).code(), StatusCode::kInvalidArgument);
}

// Also one that was there before the library.
TEST(CheckCall, GivesWayToTargetsFromOutside) {
  registerCustomCall("check.expect_eq", [](const program::RuntimeCall &) {
    return StatusOr<std::unique_ptr<RuntimeCallInstance>>(
        makeRuntimeCall([](const CallBuffers &) { return internalError("from outside"); }));
  });
  float values[] = {1, 2};
  EXPECT_EQ(run(runtimeCall("check.expect_eq", {}), {values, values}).message(), "from outside");
}

} // namespace
} // namespace tenon::runtime
