#include "tenon/runtime/core/device_streams.h"

#include "tenon/runtime/core/transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>

namespace tenon::runtime {
namespace {

using namespace std::chrono_literals;
using program::ElementType;
using testing::ElementsAre;
using testing::HasSubstr;

StreamType f32(std::vector<int64_t> dims, std::vector<int64_t> layout = {}) {
  return {{ElementType::kF32, std::move(dims)}, std::move(layout)};
}

StreamItem floats(std::vector<float> values) {
  StreamItem item;
  item.arrays.push_back(*StreamArray::copyOf(f32({int64_t(values.size())}), values.data()));
  return item;
}

std::vector<float> valuesOf(const StreamItem &item) {
  auto *data = static_cast<const float *>(item.arrays.at(0).data.data());
  return {data, data + item.arrays[0].type.shape.elementCount()};
}

// Until so many calls of push and pop wait.
void awaitWaiting(const StreamQueue &queue, int64_t count = 1) {
  while (queue.waiting() < count)
    std::this_thread::yield();
}

TEST(StreamQueue, GivesItemsInOrder) {
  StreamQueue queue("q");
  for (float value : {1.0f, 2.0f, 3.0f})
    ASSERT_TRUE(queue.push(floats({value})).ok());
  EXPECT_EQ(queue.itemCount(), 3);
  EXPECT_EQ(queue.bytes(), 12);
  for (float value : {1.0f, 2.0f, 3.0f})
    EXPECT_THAT(valuesOf(*queue.pop()), ElementsAre(value));
  EXPECT_EQ(queue.bytes(), 0);
}

TEST(StreamQueue, PopWaitsForPush) {
  StreamQueue queue("q");
  std::thread feeder([&] {
    awaitWaiting(queue);
    EXPECT_TRUE(queue.push(floats({7})).ok());
  });
  EXPECT_THAT(valuesOf(*queue.pop()), ElementsAre(7));
  feeder.join();
}

// A full queue holds back who fills it, so that its memory is bounded; an item larger than the queue still passes.
TEST(StreamQueue, IsBounded) {
  StreamQueue queue("q", /*capacityBytes=*/8);
  ASSERT_TRUE(queue.push(floats({1, 2, 3, 4, 5})).ok());
  Wait soon;
  soon.deadline = std::chrono::steady_clock::now() + 10ms;
  Status full = queue.push(floats({1}), soon);
  EXPECT_EQ(full.code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(full.message(), "the deadline passed while waiting for q to have room");
  std::atomic<int> pushed = 0;
  std::thread feeder([&] {
    for (int i = 0; i < 100; ++i) {
      EXPECT_TRUE(queue.push(floats({float(i)})).ok());
      ++pushed;
      EXPECT_LE(queue.bytes(), 20);
    }
  });
  EXPECT_EQ(valuesOf(*queue.pop()).size(), 5U);
  for (int i = 0; i < 100; ++i)
    EXPECT_THAT(valuesOf(*queue.pop()), ElementsAre(i));
  feeder.join();
}

TEST(StreamQueue, StopAndDeadlineEndWaiting) {
  StreamQueue queue("the infeed");
  std::stop_source source;
  Wait wait;
  wait.stop = source.get_token();
  std::thread canceller([&] {
    awaitWaiting(queue);
    source.request_stop();
  });
  Status status = queue.pop(wait).status();
  canceller.join();
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_EQ(status.message(), "cancelled while waiting for the infeed");
  // A stop counts even where there is something to take.
  ASSERT_TRUE(queue.push(floats({1})).ok());
  EXPECT_EQ(queue.pop(wait).status().code(), StatusCode::kCancelled);
  EXPECT_EQ(queue.itemCount(), 1);
  queue.reset();
  Wait late;
  late.deadline = std::chrono::steady_clock::now() - 1s;
  EXPECT_EQ(queue.pop(late).status().code(), StatusCode::kDeadlineExceeded);
}

TEST(StreamQueue, FinishedQueuesGiveWhatTheyHold) {
  StreamQueue queue("q");
  ASSERT_TRUE(queue.push(floats({1})).ok());
  queue.finish();
  EXPECT_EQ(queue.push(floats({2})).code(), StatusCode::kFailedPrecondition);
  EXPECT_TRUE(queue.pop().ok());
  Status status = queue.pop().status();
  EXPECT_EQ(status.code(), StatusCode::kOutOfRange);
  EXPECT_EQ(status.message(), "q has no more data: 1 item has been taken from it");
}

TEST(StreamQueue, ClosingWakesEverybody) {
  StreamQueue queue("q");
  std::vector<std::thread> waiting;
  std::atomic<int> woken = 0;
  for (int i = 0; i < 4; ++i)
    waiting.emplace_back([&] {
      EXPECT_EQ(queue.pop().status().message(), "the other end failed");
      ++woken;
    });
  awaitWaiting(queue, 4);
  queue.close({StatusCode::kAborted, "the other end failed"});
  for (std::thread &thread : waiting)
    thread.join();
  EXPECT_EQ(woken, 4);
  EXPECT_EQ(queue.push(floats({1})).code(), StatusCode::kAborted);
  queue.reset();
  EXPECT_TRUE(queue.push(floats({1})).ok());
}

TEST(StreamQueue, ManyThreadsLoseNothing) {
  StreamQueue queue("q", 64);
  std::vector<std::thread> threads;
  std::atomic<int64_t> sum = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i)
        ASSERT_TRUE(queue.push(floats({float(t * 500 + i)})).ok());
    });
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i)
        sum += int64_t(valuesOf(*queue.pop())[0]);
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(sum, 1999 * 1000);
  EXPECT_EQ(queue.itemCount(), 0);
}

TEST(StreamQueue, NamesBothTypesWhereTheyDiffer) {
  StreamQueue queue("the infeed of device 3");
  ASSERT_TRUE(queue.push(floats({1, 2})).ok());
  std::vector<StreamType> expected{f32({2, 3}), {{ElementType::kI32, {}}, {}}};
  Status status = queue.pop(expected).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "the infeed of device 3 holds f32[2] where (f32[2,3], i32[]) is expected");
}

TEST(StreamQueue, LayoutsMustAgreeWhereTheyMatter) {
  StreamQueue queue("q");
  std::vector<float> data(6);
  auto push = [&](StreamType type) {
    StreamItem item;
    item.arrays.push_back(*StreamArray::copyOf(std::move(type), data.data()));
    ASSERT_TRUE(queue.push(std::move(item)).ok());
  };
  push(f32({2, 3}, {0, 1}));
  std::vector<StreamType> rowMajor{f32({2, 3})};
  EXPECT_EQ(queue.pop(rowMajor).status().message(), "q holds f32[2,3]{0,1} where f32[2,3] is expected");
  push(f32({2, 3}, {1, 0}));
  EXPECT_TRUE(queue.pop(rowMajor).ok());
  push(f32({6, 1}, {0, 1})); // the same places
  std::vector<StreamType> column{f32({6, 1})};
  EXPECT_TRUE(queue.pop(column).ok());
  EXPECT_FALSE(StreamArray::copyOf(f32({2, 3}, {0, 0}), data.data()).ok());
}

// --- The routines ---

struct Host {
  DeviceStreams streams{0};
  Channels channels;
  RunOptions options(int32_t replica = 0) {
    RunOptions options;
    options.streams = &streams;
    options.channels = &channels;
    options.replicaId = replica;
    return options;
  }
};

TEST(Transfer, TransposesWhatIsFedInAnotherOrder) {
  Host host;
  std::vector<float> fed{1, 4, 2, 5, 3, 6}, read(6);
  StreamItem item;
  item.arrays.push_back(*StreamArray::copyOf(f32({2, 3}, {0, 1}), fed.data()));
  ASSERT_TRUE(host.streams.infeed.push(std::move(item)).ok());
  std::vector<TransferArray> arrays{{f32({2, 3}, {0, 1}), read.data()}};
  ASSERT_TRUE(readInfeed(host.options(), arrays).ok());
  EXPECT_THAT(read, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Transfer, NothingIsReadForNothing) {
  Host host;
  EXPECT_TRUE(readInfeed(host.options(), {}).ok());
  EXPECT_TRUE(writeOutfeed(host.options(), {}, "").ok());
  EXPECT_EQ(host.streams.outfeed.itemCount(), 0);
}

TEST(Transfer, OutfeedKeepsItsConfiguration) {
  Host host;
  float value = 3;
  std::vector<TransferArray> arrays{{f32({}), &value}};
  ASSERT_TRUE(writeOutfeed(host.options(), arrays, "config").ok());
  value = 4; // what was written does not change any more
  StatusOr<StreamItem> item = host.streams.outfeed.pop();
  ASSERT_TRUE(item.ok());
  EXPECT_EQ(item->config, "config");
  EXPECT_EQ(*static_cast<const float *>(item->arrays[0].data.data()), 3);
}

TEST(Transfer, MessagesGoToTheProcessesThatArePaired) {
  Host host;
  ChannelUse ring{1, false, {{0, 1}, {1, 2}}};
  std::vector<float> received(3, -1);
  std::vector<std::thread> processes;
  for (int32_t i = 0; i < 3; ++i)
    processes.emplace_back([&, i] {
      float sent = float(10 + i);
      std::vector<TransferArray> out{{f32({}), &sent}}, in{{f32({}), &received[size_t(i)]}};
      ASSERT_TRUE(sendMessage(host.options(i), ring, out).ok());
      ASSERT_TRUE(receiveMessage(host.options(i), ring, in).ok());
    });
  for (std::thread &process : processes)
    process.join();
  EXPECT_THAT(received, ElementsAre(0, 10, 11)); // nobody sends to process 0
}

TEST(Transfer, HostChannelsAreApartFromThoseBetweenDevices) {
  Host host;
  float value = 5, received = 0;
  std::vector<TransferArray> out{{f32({}), &value}}, in{{f32({}), &received}};
  ASSERT_TRUE(sendMessage(host.options(), {7, true, {}}, out).ok());
  EXPECT_EQ(valuesOf(*host.streams.toHost(7).pop()).size(), 1U);
  ASSERT_TRUE(host.streams.fromHost(7)
                  .push(*[&]() -> StatusOr<StreamItem> {
                    StreamItem item;
                    item.arrays.push_back(*StreamArray::copyOf(f32({}), &value));
                    return item;
                  }())
                  .ok());
  ASSERT_TRUE(receiveMessage(host.options(), {7, true, {}}, in).ok());
  EXPECT_EQ(received, 5);
  // Between devices nobody has sent.
  Channels alone(/*alone=*/true);
  RunOptions options = host.options();
  options.channels = &alone;
  EXPECT_THAT(receiveMessage(options, {7, false, {}}, in).message(), HasSubstr("nobody has sent"));
}

TEST(Transfer, AFailingDeviceWakesThoseThatWaitForIt) {
  Host host;
  std::thread failing([&] {
    awaitWaiting(host.channels.queue({1, 0, -1, -1}));
    host.channels.close({StatusCode::kAborted, "process 0 failed"});
  });
  float value = 0;
  std::vector<TransferArray> in{{f32({}), &value}};
  EXPECT_EQ(receiveMessage(host.options(), {1, false, {}}, in).code(), StatusCode::kAborted);
  failing.join();
}

} // namespace
} // namespace tenon::runtime
