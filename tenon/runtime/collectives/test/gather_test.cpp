// When processes of one OS process write what they gather into memory that they have in common.
#include "tenon/program/attributes.h"
#include "tenon/runtime/collectives/collectives.h"
#include "tenon/runtime/collectives/rendezvous.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/runtime/core/thread_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>

namespace tenon::runtime {
namespace {

using program::ElementType;
using testing::Each;
using testing::ElementsAre;
using Numbers = std::vector<int64_t>;

// Two arrays of two rows, of which each of two processes has a column.
program::RuntimeCall gather(Numbers programResults) {
  auto list = [](Numbers numbers) {
    return program::Attribute{program::IntegerArrayAttribute{ElementType::kI64, std::move(numbers)}};
  };
  program::RuntimeCall call;
  call.target = "gather_group";
  call.operands = {{ElementType::kF32, {2, 1}}, {ElementType::kF32, {2, 1}}};
  call.results = {{ElementType::kF32, {2, 2}}, {ElementType::kF32, {2, 2}}};
  call.attributes = {{"axes", list({2, 1})},
                     {"dimension", {program::IntegerAttribute{ElementType::kI64, 1}}},
                     {"op", {std::string("all_gather")}},
                     {std::string(program::kProgramResults), list(std::move(programResults))}};
  return call;
}

struct Outcome {
  StatusCode code;
  std::array<float, 4> first{-1, -1, -1, -1}, second{-1, -1, -1, -1};
};

// What the second of both processes has written once it no longer waits for the first one, which does not come.
Outcome gatherAlone(const Numbers &programResults, bool sharesResults) {
  registerCollectives();
  Rendezvous rendezvous({"process 0", "process 1"});
  if (sharesResults)
    rendezvous.shareResults();
  RunOptions options;
  options.partitionId = 1;
  options.numPartitions = 2;
  options.rendezvous = &rendezvous;
  options.wait.deadline = std::chrono::steady_clock::now();
  std::array<float, 2> one{3, 5}, two{7, 9};
  Outcome outcome{};
  std::array<void *, 2> operands{one.data(), two.data()}, results{outcome.first.data(), outcome.second.data()};
  auto instance = instantiateRuntimeCall(gather(programResults));
  EXPECT_TRUE(instance.ok()) << instance.status().message();
  outcome.code = (*instance)->call({operands, results, options, ThreadPool::global()}).code();
  return outcome;
}

TEST(Gather, WritesResultsThatAllShareBeforeTheOthersHaveCome) {
  Outcome outcome = gatherAlone({0, 2}, /*sharesResults=*/true);
  EXPECT_EQ(outcome.code, StatusCode::kDeadlineExceeded);
  EXPECT_THAT(outcome.first, ElementsAre(-1, 3, -1, 5));
  EXPECT_THAT(outcome.second, ElementsAre(-1, 7, -1, 9));
}

TEST(Gather, WaitsForTheOthersWhereItsMemoryMayBeInUse) {
  for (const auto &[results, areShared] : {std::pair{Numbers{0, 2}, false}, {Numbers{0, -1}, true}}) {
    Outcome outcome = gatherAlone(results, areShared);
    EXPECT_EQ(outcome.code, StatusCode::kDeadlineExceeded);
    EXPECT_THAT(outcome.first, Each(-1));
    EXPECT_THAT(outcome.second, Each(-1));
  }
}

} // namespace
} // namespace tenon::runtime
