#include "tenon/runtime/cpu/element_check.h"

#include "tenon/program/testing/attributes.h"

#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/cpu/library.h"

#include <gtest/gtest.h>

namespace tenon::runtime {
namespace {

using namespace program::attribute;

using program::ElementType;

program::Service service(std::string target, program::AttributeDict attributes, ElementType type = ElementType::kF32) {
  program::Service service;
  service.kind = program::Service::Kind::kCustomCall;
  service.target = std::move(target);
  service.attributes = std::move(attributes);
  service.apiVersion = 4;
  service.operands = {{type, {2}}, {type, {2}}};
  return service;
}

Status run(const program::Service &service, std::vector<void *> operands, std::vector<void *> results = {}) {
  registerCpuLibrary();
  TENON_ASSIGN_OR_RETURN(auto instance, instantiateService(service));
  ThreadPool pool(1);
  RunOptions options;
  return instance->call({operands, results, options, pool});
}

TEST(CheckService, FollowsItsAttributes) {
  float actual[] = {1, 1.0000001F}, expected[] = {1, 1};
  EXPECT_TRUE(run(service("check.expect_close", {}), {actual, expected}).ok());
  EXPECT_TRUE(run(service("check.expect_close", {{"max_ulp_difference", ui64(1)}}), {actual, expected}).ok());
  Status status = run(service("check.expect_close", {{"max_ulp_difference", i64(0)}}), {actual, expected});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "element [1] is 1.0000001 but 1 is expected (1 ULP apart, at most 0 allowed); 1 of 2 "
                              "elements differ");
  EXPECT_TRUE(run(service("check.expect_almost_eq", {{"tolerance", f64(0.1)}}), {actual, expected}).ok());
  EXPECT_FALSE(run(service("check.eq", {{"tolerance", f64(0.0)}}), {actual, expected}).ok());
  EXPECT_FALSE(run(service("check.expect_eq", {}), {actual, expected}).ok());
}

TEST(CheckService, GivesItsVerdict) {
  uint8_t verdict = 0;
  float values[] = {1, 2};
  program::Service check = service("check.eq", {});
  check.results = {{ElementType::kI1, {}}};
  EXPECT_TRUE(run(check, {values, values}, {&verdict}).ok());
  EXPECT_EQ(verdict, 1);
}

TEST(CheckService, RefusesWhatIsNoCheck) {
  program::Service three = service("check.eq", {}), differing = three, result = three;
  three.operands.resize(3);
  differing.operands[1].dims = {3};
  result.results = {{ElementType::kF32, {}}};
  for (const program::Service &wrong :
       {three, differing, result, service("check.expect_close", {{"max_ulp_difference", i64(-1)}})})
    EXPECT_EQ(run(wrong, {}).code(), StatusCode::kInvalidArgument);
}

// Also one that was there before the library.
TEST(CheckService, GivesWayToTargetsFromOutside) {
  registerCustomCall("check.expect_eq", [](const program::Service &) {
    return StatusOr<std::unique_ptr<ServiceInstance>>(
        makeService([](const ServiceCall &) { return internalError("from outside"); }));
  });
  float values[] = {1, 2};
  EXPECT_EQ(run(service("check.expect_eq", {}), {values, values}).message(), "from outside");
}

} // namespace
} // namespace tenon::runtime
