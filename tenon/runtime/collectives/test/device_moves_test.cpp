// Arrays that devices copy out of each other's memory: devices whose streams work when somebody waits.
#include "tenon/runtime/collectives/collectives.h"
#include "tenon/runtime/collectives/grid_run.h"
#include "tenon/runtime/core/device_call.h"
#include "tenon/runtime/core/thread_pool.h"

#include <gmock/gmock.h>

#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tenon::runtime {
namespace {

using testing::ElementsAre;
using Numbers = std::vector<int64_t>;

// Does its work when somebody waits, in its order.
struct Stream {
  std::deque<std::function<void()>> work;
  size_t done = 0;

  void drain(size_t end) {
    while (done < end) {
      auto first = std::move(work.front());
      work.pop_front();
      ++done;
      first();
    }
  }
  size_t end() const { return done + work.size(); }
};

// One for all streams.
std::recursive_mutex &streamMutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

struct FakePoint final : StreamPoint {
  FakePoint(Stream &stream, size_t position) : stream(stream), position(position) {}
  Stream &stream;
  size_t position;
};

class FakeCopies final : public DeviceCopies {
public:
  explicit FakeCopies(Stream &stream) : stream_(stream) {}

  void *device() const override { return &stream_; }
  Status copy(void *to, const void *from, void *device, int64_t bytes) override {
    EXPECT_TRUE(device);
    if (bytes == kRefused)
      return internalError("a copy is refused");
    enqueue([=] { std::memcpy(to, from, size_t(bytes)); });
    return {};
  }
  Status copyRows(const Rows &rows, void *device) override {
    EXPECT_GT(rows.count, 1);
    for (int64_t i = 0; i < rows.count; ++i)
      TENON_RETURN_IF_ERROR(copy(static_cast<char *>(rows.to) + i * rows.toStride,
                                 static_cast<const char *>(rows.from) + i * rows.fromStride, device, rows.bytes));
    return {};
  }
  Status clear(void *to, int64_t bytes) override {
    enqueue([=] { std::memset(to, 0, size_t(bytes)); });
    return {};
  }
  StatusOr<std::shared_ptr<StreamPoint>> mark() override {
    std::lock_guard lock(streamMutex());
    return std::shared_ptr<StreamPoint>(std::make_shared<FakePoint>(stream_, stream_.end()));
  }
  Status follow(const StreamPoint &point) override {
    const auto &awaited = static_cast<const FakePoint &>(point);
    EXPECT_NE(&awaited.stream, &stream_);
    enqueue([&stream = awaited.stream, position = awaited.position] { stream.drain(position); });
    return {};
  }
  Status wait() override {
    std::lock_guard lock(streamMutex());
    stream_.drain(stream_.end());
    return {};
  }

  static constexpr int64_t kRefused = 7 * sizeof(int64_t);

private:
  void enqueue(std::function<void()> work) {
    std::lock_guard lock(streamMutex());
    stream_.work.push_back(std::move(work));
  }

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

// What the devices of a grid have, and their streams.
struct Devices {
  Devices(const program::RuntimeCall &call, size_t count)
      : streams(count), operands(count, Numbers(call.operands[0].elementCount(), -1)),
        results(count, Numbers(call.results[0].elementCount(), -1)) {}

  // Process p gives 10 p, 10 p + 1, ..., which its stream has yet to write, and writes again afterwards.
  Status call(DeviceCallInstance &instance, const program::RuntimeCall &call, const RunOptions &options) {
    const auto self = size_t(options.process());
    FakeCopies copies(streams[self]);
    NoScratch scratch;
    push(self, [&operand = operands[self], self] {
      for (size_t i = 0; i < operand.size(); ++i)
        operand[i] = int64_t(self * 10 + i);
    });
    void *from[] = {operands[self].data()}, *to[] = {results[self].data()};
    TENON_RETURN_IF_ERROR(
        makeDeviceCall(instance, call, {from, to, nullptr, scratch, options, ThreadPool::global(), &copies}));
    push(self, [&operand = operands[self]] { operand.assign(operand.size(), -2); });
    return {};
  }

  void push(size_t device, std::function<void()> work) {
    std::lock_guard lock(streamMutex());
    streams[device].work.push_back(std::move(work));
  }

  std::vector<Stream> streams;
  std::vector<Numbers> operands, results;
};

// The result of each device. Nobody has waited for any before the programs are enqueued; whichever is waited for first
// then, the results are the same.
std::vector<Numbers> run(const program::RuntimeCall &call, int32_t processes) {
  registerCollectives();
  auto instance = instantiateDeviceCall(call);
  EXPECT_TRUE(instance.ok() && *instance) << instance.status().message();
  std::vector<std::vector<Numbers>> found;
  for (bool isReverse : {false, true}) {
    Devices devices(call, size_t(processes));
    Status status = runGrid(processes, 1, {}, [&](const RunOptions &options) -> Status {
      EXPECT_TRUE((*instance)->meets() && (*instance)->isFor(options) && !(*instance)->isCapturable());
      return devices.call(**instance, call, options);
    });
    EXPECT_TRUE(status.ok()) << status.message();
    for (size_t i = 0; i < devices.streams.size(); ++i) {
      EXPECT_EQ(devices.streams[i].done, 0u) << "somebody has waited for device " << i;
      EXPECT_THAT(devices.results[i], testing::Each(-1));
    }
    for (size_t i = 0; i < devices.streams.size(); ++i) {
      Stream &stream = devices.streams[isReverse ? devices.streams.size() - 1 - i : i];
      stream.drain(stream.end());
    }
    found.push_back(devices.results);
  }
  EXPECT_EQ(found[0], found[1]);
  return found[0];
}

TEST(DeviceMoves, GatherInTheOrderOfTheGroup) {
  EXPECT_THAT(run(callOf("gather_group", {2}, {3, 2}, {{"groups", {2, 0, 1}}, {"sizes", {3}}}), 3),
              testing::Each(ElementsAre(20, 21, 0, 1, 10, 11)));
  // Nobody gives what a smaller group lacks.
  EXPECT_THAT(run(callOf("gather_group", {1}, {2, 1}, {{"groups", {0, 2, 1}}, {"sizes", {2, 1}}}), 3),
              ElementsAre(ElementsAre(0, 20), ElementsAre(10, 0), ElementsAre(0, 20)));
}

program::RuntimeCall joined(int64_t dimension, const Numbers &operandDims, const Numbers &resultDims,
                            const std::vector<std::pair<const char *, Numbers>> &groups) {
  program::RuntimeCall call = callOf("gather_group", operandDims, resultDims, groups);
  call.attributes.insert(call.attributes.begin() + int64_t(groups.size()),
                         {"dimension", {program::IntegerAttribute{program::ElementType::kI64, dimension}}});
  return call;
}

TEST(DeviceMoves, JoinRows) {
  EXPECT_THAT(run(joined(0, {2, 1}, {4, 1}, {{"axes", {2, 1}}}), 2), testing::Each(ElementsAre(0, 1, 10, 11)));
  EXPECT_THAT(run(joined(1, {2, 1}, {2, 2}, {{"axes", {2, 1}}}), 2), testing::Each(ElementsAre(0, 10, 1, 11)));
  EXPECT_THAT(run(joined(1, {2, 2}, {2, 6}, {{"groups", {2, 0, 1}}, {"sizes", {3}}}), 3),
              testing::Each(ElementsAre(20, 21, 0, 1, 10, 11, 22, 23, 2, 3, 12, 13)));
  EXPECT_THAT(run(joined(1, {0, 2}, {0, 4}, {{"axes", {2, 1}}}), 2), testing::Each(ElementsAre()));
}

// Whose rows have zeros between them.
TEST(DeviceMoves, JoinedRowsOfUnequalGroupsAreTheHosts) {
  registerCollectives();
  auto instance = instantiateDeviceCall(joined(1, {2, 1}, {2, 2}, {{"groups", {0, 2, 1}}, {"sizes", {2, 1}}}));
  ASSERT_TRUE(instance.ok());
  EXPECT_FALSE(*instance);
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

// What a device has enqueued before one of its copies is refused has been done when others go on, which do not wait for
// it any more; and they learn of it.
TEST(DeviceMoves, WhoseCopyIsRefusedWaits) {
  program::RuntimeCall call = callOf("permute", {7}, {7}, {{"pairs", {0, 1, 1, 0}}});
  call.operands.push_back({program::ElementType::kI64, {2}});
  call.results.push_back(call.operands.back());
  std::swap(call.operands[0], call.operands[1]);
  std::swap(call.results[0], call.results[1]);
  registerCollectives();
  auto instance = instantiateDeviceCall(call);
  ASSERT_TRUE(instance.ok() && *instance) << instance.status().message();
  std::vector<Stream> streams(2);
  std::vector<Numbers> small(2, Numbers(2, 5)), large(2, Numbers(7)), results(2, Numbers(2, -1));
  Status status = runGrid(2, 1, {}, [&](const RunOptions &options) -> Status {
    const auto self = size_t(options.process());
    FakeCopies copies(streams[self]);
    NoScratch scratch;
    void *from[] = {small[self].data(), large[self].data()}, *to[] = {results[self].data(), large[self].data()};
    return makeDeviceCall(**instance, call, {from, to, nullptr, scratch, options, ThreadPool::global(), &copies});
  });
  EXPECT_THAT(status.message(), testing::HasSubstr("a copy is refused"));
  EXPECT_THAT(results, testing::Each(ElementsAre(5, 5)));
}

TEST(DeviceMoves, ArraysOfNothing) {
  EXPECT_THAT(run(callOf("gather_group", {0}, {2, 0}, {{"axes", {2, 1}}}), 2), testing::Each(ElementsAre()));
}

} // namespace
} // namespace tenon::runtime
