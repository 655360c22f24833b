// Arrays that devices copy out of each other's memory: devices whose streams work when somebody waits.
#include "tenon/runtime/collectives/collectives.h"
#include "tenon/runtime/collectives/grid_run.h"
#include "tenon/runtime/core/device_call.h"
#include "tenon/runtime/core/thread_pool.h"

#include <gmock/gmock.h>

#include <cstring>
#include <functional>
#include <utility>
#include <vector>

namespace tenon::runtime {
namespace {

using testing::ElementsAre;
using Numbers = std::vector<int64_t>;

struct Stream {
  std::vector<std::function<void()>> work;
};

class FakeCopies final : public DeviceCopies {
public:
  explicit FakeCopies(Stream &stream) : stream_(stream) {}

  void *device() const override { return &stream_; }
  Status copy(void *to, const void *from, void *device, int64_t bytes) override {
    EXPECT_TRUE(device);
    stream_.work.emplace_back([=] { std::memcpy(to, from, size_t(bytes)); });
    return {};
  }
  Status clear(void *to, int64_t bytes) override {
    stream_.work.emplace_back([=] { std::memset(to, 0, size_t(bytes)); });
    return {};
  }
  Status wait() override {
    for (const auto &work : std::exchange(stream_.work, {}))
      work();
    return {};
  }

private:
  Stream &stream_;
};

class NoScratch final : public DeviceScratch {
public:
  StatusOr<void *> allocate(int64_t /*bytes*/) override { return internalError("moves need no memory"); }
};

program::RuntimeCall callOf(const std::string &target, const Numbers &operandDims, const Numbers &resultDims,
                            const std::vector<std::pair<const char *, Numbers>> &lists) {
  program::RuntimeCall call;
  call.target = target;
  call.operands = {{program::ElementType::kI64, operandDims}};
  call.results = {{program::ElementType::kI64, resultDims}};
  for (const auto &[name, numbers] : lists)
    call.attributes.push_back({name, {program::IntegerArrayAttribute{program::ElementType::kI64, numbers}}});
  call.attributes.push_back({"op", {std::string("moves")}});
  return call;
}

// The result of each device: process p gives 10 p, 10 p + 1, ..., which its stream has yet to write.
std::vector<Numbers> run(const program::RuntimeCall &call, int32_t processes) {
  registerCollectives();
  auto instance = instantiateDeviceCall(call);
  EXPECT_TRUE(instance.ok() && *instance) << instance.status().message();
  std::vector<Numbers> results(static_cast<size_t>(processes), Numbers(call.results[0].elementCount(), -1));
  Status status = runGrid(processes, 1, {}, [&](const RunOptions &options) -> Status {
    EXPECT_TRUE((*instance)->waits() && (*instance)->isFor(options) && !(*instance)->isCapturable());
    Numbers operand(call.operands[0].elementCount(), -1);
    Stream stream;
    stream.work.emplace_back([&] {
      for (size_t i = 0; i < operand.size(); ++i)
        operand[i] = options.process() * 10 + int64_t(i);
    });
    FakeCopies copies(stream);
    NoScratch scratch;
    void *from[] = {operand.data()}, *to[] = {results[size_t(options.process())].data()};
    Status made =
        makeDeviceCall(**instance, call, {from, to, nullptr, scratch, options, ThreadPool::global(), &copies});
    EXPECT_TRUE(stream.work.empty());
    operand.assign(operand.size(), -2); // all others have read it
    return made;
  });
  EXPECT_TRUE(status.ok()) << status.message();
  return results;
}

TEST(DeviceMoves, GatherInTheOrderOfTheGroup) {
  EXPECT_THAT(run(callOf("gather_group", {2}, {3, 2}, {{"groups", {2, 0, 1}}, {"sizes", {3}}}), 3),
              testing::Each(ElementsAre(20, 21, 0, 1, 10, 11)));
  // Nobody gives what a smaller group lacks.
  EXPECT_THAT(run(callOf("gather_group", {1}, {2, 1}, {{"groups", {0, 2, 1}}, {"sizes", {2, 1}}}), 3),
              ElementsAre(ElementsAre(0, 20), ElementsAre(10, 0), ElementsAre(0, 20)));
}

TEST(DeviceMoves, JoinedRowsOfManyAreTheHosts) {
  program::RuntimeCall call = callOf("gather_group", {2, 1}, {2, 2}, {{"axes", {2, 1}}});
  call.attributes.insert(call.attributes.begin() + 1,
                         {"dimension", {program::IntegerAttribute{program::ElementType::kI64, 1}}});
  registerCollectives();
  auto instance = instantiateDeviceCall(call);
  ASSERT_TRUE(instance.ok());
  EXPECT_FALSE(*instance);
  call.attributes[1].value = {program::IntegerAttribute{program::ElementType::kI64, 0}};
  call.results = {{program::ElementType::kI64, {4, 1}}};
  EXPECT_THAT(run(call, 2), testing::Each(ElementsAre(0, 1, 10, 11)));
}

TEST(DeviceMoves, ExchangeParts) {
  EXPECT_THAT(run(callOf("exchange_group", {2, 2}, {2, 2}, {{"axes", {2, 1}}}), 2),
              ElementsAre(ElementsAre(0, 1, 10, 11), ElementsAre(2, 3, 12, 13)));
}

// Who is sent nothing has zeros, whether it meets others or not.
TEST(DeviceMoves, Permute) {
  EXPECT_THAT(run(callOf("permute", {2}, {2}, {{"pairs", {0, 1, 2, 0}}}), 4),
              ElementsAre(ElementsAre(20, 21), ElementsAre(0, 1), ElementsAre(0, 0), ElementsAre(0, 0)));
}

TEST(DeviceMoves, ArraysOfNothing) {
  EXPECT_THAT(run(callOf("gather_group", {0}, {2, 0}, {{"axes", {2, 1}}}), 2), testing::Each(ElementsAre()));
}

} // namespace
} // namespace tenon::runtime
