// Messages between processes of a grid that are in several OS processes, for which a transport in this one stands.
#include "tenon/runtime/collectives/remote_channels.h"

#include "tenon/runtime/collectives/test/spread_grid_testing.h"
#include "tenon/runtime/core/transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace tenon::runtime {
namespace {

using program::ElementType;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using Numbers = std::vector<float>;
using Pairs = std::vector<std::pair<int64_t, int64_t>>;

StreamType f32(int64_t size) { return {{ElementType::kF32, {size}}, {}}; }

Status send(const RunOptions &options, const ChannelUse &channel, Numbers numbers) {
  TransferArray array{f32(static_cast<int64_t>(numbers.size())), numbers.data()};
  return sendMessage(options, channel, {&array, 1});
}

StatusOr<Numbers> receive(const RunOptions &options, const ChannelUse &channel, int64_t size) {
  Numbers numbers(static_cast<size_t>(size), -1);
  TransferArray array{f32(size), numbers.data()};
  TENON_RETURN_IF_ERROR(receiveMessage(options, channel, {&array, 1}));
  return numbers;
}

// Runs `process` in each process of the grid, which uses these channels.
std::vector<Status> run(const Spread &spread, const std::vector<ChannelUse> &channels,
                        const std::function<Status(const RunOptions &)> &process) {
  SpreadGrid grid(spread);
  return grid.run([&](const RunOptions &options) -> Status {
    TENON_RETURN_IF_ERROR(process(options));
    return finishMessages(options, channels);
  });
}

const ChannelUse kThere{1, false, {{0, 2}}}, kBack{2, false, {{2, 0}}};

TEST(RemoteChannels, GoRoundHoweverTheDevicesAreSpread) {
  const ChannelUse ring{5, false, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}};
  for (const Spread &spread : {Spread{0, 0, 0, 0}, Spread{0, 0, 1, 1}, Spread{0, 1, 0, 1}, Spread{0, 1, 2, 3}}) {
    std::vector<Numbers> results(4);
    auto outcomes = run(spread, {ring}, [&](const RunOptions &options) -> Status {
      Numbers numbers{static_cast<float>(options.partitionId), -0.0F, std::numeric_limits<float>::infinity()};
      for (int turn = 0; turn < 5; ++turn) {
        TENON_RETURN_IF_ERROR(send(options, ring, numbers));
        TENON_ASSIGN_OR_RETURN(numbers, receive(options, ring, 3));
      }
      results[static_cast<size_t>(options.partitionId)] = numbers;
      return {};
    });
    EXPECT_THAT(messagesOf(outcomes), Each("")) << testing::PrintToString(spread);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(results[i][0], static_cast<float>((i + 3) % 4));
      EXPECT_TRUE(std::signbit(results[i][1]));
    }
  }
}

TEST(RemoteChannels, AreEachFirstInFirstOut) {
  const ChannelUse other{-7, false, {{0, 2}}};
  std::vector<Numbers> results;
  auto outcomes = run({0, 0, 1}, {kThere, other}, [&](const RunOptions &options) -> Status {
    if (options.partitionId == 0) // sends without waiting for who receives
      for (float number : {1.0F, 2.0F, 3.0F}) {
        TENON_RETURN_IF_ERROR(send(options, kThere, {number}));
        TENON_RETURN_IF_ERROR(send(options, other, Numbers(2'000'000, 10 * number)));
      }
    for (int turn = 0; options.partitionId == 2 && turn < 6; ++turn) { // in another order
      TENON_ASSIGN_OR_RETURN(Numbers numbers, receive(options, turn < 3 ? other : kThere, turn < 3 ? 2'000'000 : 1));
      results.push_back({numbers.back()});
    }
    return {};
  });
  EXPECT_THAT(messagesOf(outcomes), Each(""));
  EXPECT_THAT(results, ElementsAre(Numbers{10}, Numbers{20}, Numbers{30}, Numbers{1}, Numbers{2}, Numbers{3}));
}

TEST(RemoteChannels, OfSeveralArraysAndOfNone) {
  auto outcomes = run({0, 1, 2}, {kThere}, [&](const RunOptions &options) -> Status {
    Numbers one{1, 2}, none;
    int8_t scalar = -128;
    std::vector<TransferArray> arrays{
        {f32(2), one.data()}, {f32(0), none.data()}, {{{ElementType::kI8, {}}, {}}, &scalar}};
    if (options.partitionId == 0) {
      TENON_RETURN_IF_ERROR(sendMessage(options, kThere, arrays));
      return sendMessage(options, kThere, std::span(arrays).subspan(1, 1));
    }
    one = {0, 0};
    scalar = 0;
    if (options.partitionId != 2)
      return {};
    TENON_RETURN_IF_ERROR(receiveMessage(options, kThere, arrays));
    TENON_RETURN_IF_ERROR(receiveMessage(options, kThere, std::span(arrays).subspan(1, 1)));
    EXPECT_EQ(one, Numbers({1, 2}));
    EXPECT_EQ(scalar, -128);
    return {};
  });
  EXPECT_THAT(messagesOf(outcomes), Each(""));
}

TEST(RemoteChannels, DropWhatNobodyReceivesAndServeTheNextRun) {
  SpreadGrid grid({0, 0, 1});
  for (float run : {1.0F, 2.0F}) {
    auto outcomes = grid.run([&](const RunOptions &options) -> Status {
      GridChannels channels(*options.rendezvous); // of this run
      RunOptions own = options;
      own.channels = &channels;
      if (options.partitionId == 0)
        for (float number : {run, 100.0F})
          TENON_RETURN_IF_ERROR(send(own, kThere, {number}));
      if (options.partitionId == 2) {
        TENON_ASSIGN_OR_RETURN(Numbers numbers, receive(own, kThere, 1));
        EXPECT_EQ(numbers, Numbers({run}));
      }
      return finishMessages(own, std::vector{kThere});
    });
    EXPECT_THAT(messagesOf(outcomes), Each(""));
  }
}

TEST(RemoteChannels, NameAPartnerThatHasEnded) {
  auto outcomes = run({0, 0, 1}, {kThere, kBack}, [&](const RunOptions &options) -> Status {
    if (options.partitionId != 2)
      return {};
    for (int turn = 0; turn < 2; ++turn) { // and once more
      StatusOr<Numbers> received = receive(options, kThere, 1);
      EXPECT_EQ(received.status().code(), StatusCode::kFailedPrecondition);
      EXPECT_THAT(received.status().message(),
                  HasSubstr("receives f32[1] on channel 1 from device 0 to device 2, but that process's program has "
                            "ended without sending it"));
    }
    return {};
  });
  EXPECT_THAT(messagesOf(outcomes), Each(""));
}

TEST(RemoteChannels, LearnThatAPartnerHasFailed) {
  auto outcomes = run({0, 0, 1}, {kThere}, [&](const RunOptions &options) -> Status {
    if (options.partitionId == 0)
      return invalidArgument("no such number");
    return options.partitionId == 2 ? receive(options, kThere, 1).status() : Status();
  });
  EXPECT_THAT(outcomes[2].message(), HasSubstr("no such number"));
}

TEST(RemoteChannels, HaveTheTypesThatAreExpected) {
  auto outcomes = run({0, 0, 1}, {kThere}, [&](const RunOptions &options) -> Status {
    if (options.partitionId == 0)
      return send(options, kThere, {1, 2});
    return options.partitionId == 2 ? receive(options, kThere, 3).status() : Status();
  });
  EXPECT_THAT(outcomes[2].message(),
              HasSubstr("channel 1 from device 0 to device 2 holds f32[2] where f32[3] is expected"));
}

TEST(RemoteChannels, NeedPairsOfProcessesThatThereAre) {
  for (const auto &[channel, message] :
       {std::pair<ChannelUse, const char *>{{1, false, {}}, "need source_target_pairs"},
        {{1, false, {{0, 3}}}, "name 3, which the grid has not"}}) {
    auto outcomes = run({0, 0, 1}, {}, [&](const RunOptions &options) -> Status {
      return options.partitionId == 0 ? send(options, channel, {1}) : Status();
    });
    EXPECT_THAT(outcomes[0].message(), HasSubstr(message));
  }
}

TEST(RemoteChannels, EndWithTheRunThatWaits) {
  std::stop_source stop;
  stop.request_stop();
  auto outcomes = run({0, 1}, {}, [&](const RunOptions &options) -> Status {
    RunOptions own = options;
    own.wait.stop = stop.get_token();
    return options.partitionId == 0 ? receive(own, {1, false, {{1, 0}}}, 1).status() : Status();
  });
  EXPECT_EQ(outcomes[0].code(), StatusCode::kCancelled) << outcomes[0].message();
}

} // namespace
} // namespace tenon::runtime
