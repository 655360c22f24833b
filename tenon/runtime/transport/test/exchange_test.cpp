#include "tenon/runtime/transport/exchange.h"
#include "tenon/runtime/transport/loopback.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

namespace tenon::runtime {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Message kMessage{.launch = 1, .ordinal = 2, .hash = 3, .description = "all_reduce of f32[4] at train.py:31"};

std::vector<std::byte> pattern(size_t size, uint64_t seed) {
  std::vector<std::byte> bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>((i * 31 + seed * 17) >> (i % 3));
  return bytes;
}

std::unique_ptr<Transfer> post(Transport &from, Peer to, Lane lane, const std::vector<std::byte> &bytes,
                               const Message &message = kMessage) {
  std::span<const std::byte> piece(bytes);
  return from.post(to, lane, message, {&piece, 1});
}

TEST(Exchange, MovesBytesOfEverySizeWhoeverComesFirst) {
  Loopback network({"process 0", "process 1"});
  uint32_t lane = 0;
  for (size_t size : {size_t{0}, size_t{1}, size_t{1000}, kMaxChunkBytes, kMaxChunkBytes + 1, 3 * kMaxChunkBytes + 5})
    for (bool isPostFirst : {false, true}) {
      std::vector<std::byte> bytes = pattern(size, size), into(size);
      std::unique_ptr<Transfer> sent, received;
      Lane own{lane++, 0};
      if (isPostFirst)
        sent = post(network.process(0), 1, own, bytes);
      received = network.process(1).take(0, own, kMessage, into);
      if (!isPostFirst)
        sent = post(network.process(0), 1, own, bytes);
      EXPECT_EQ(sent->wait().ToString(), "OK");
      EXPECT_EQ(received->wait().ToString(), "OK");
      EXPECT_EQ(into, bytes);
    }
}

TEST(Exchange, GathersPieces) {
  Loopback network({"process 0", "process 1"});
  std::vector<std::byte> bytes = pattern(3000, 1), into(3000), large = pattern(kMaxChunkBytes + 7, 2);
  std::vector<std::span<const std::byte>> pieces;
  for (size_t i = 0; i < bytes.size(); i += 3)
    pieces.emplace_back(std::span(bytes).subspan(i, 3));
  pieces.insert(pieces.begin() + 500, std::span<const std::byte>());
  pieces.emplace_back(large);
  into.resize(bytes.size() + large.size());
  auto received = network.process(1).take(0, {}, kMessage, into);
  auto sent = network.process(0).post(1, {}, kMessage, pieces);
  EXPECT_TRUE(sent->wait().ok());
  EXPECT_TRUE(received->wait().ok());
  bytes.insert(bytes.end(), large.begin(), large.end());
  EXPECT_EQ(into, bytes);
}

TEST(Exchange, SaysWhyAMessageDoesNotCome) {
  Loopback network({"process 0", "process 1"});
  std::vector<std::byte> bytes = pattern(100, 1), into(100);
  for (bool isRefusedFirst : {false, true}) {
    std::unique_ptr<Transfer> received;
    if (!isRefusedFirst)
      received = network.process(1).take(0, {}, kMessage, into);
    network.process(0).refuse(1, {}, kMessage, {StatusCode::kInternal, "it could not be computed"});
    if (isRefusedFirst)
      received = network.process(1).take(0, {}, kMessage, into);
    Status status = received->wait();
    EXPECT_EQ(status.code(), StatusCode::kAborted);
    EXPECT_EQ(status.message(), "process 0 has given up: it could not be computed");
    received = network.process(1).take(0, {}, kMessage, into);
    EXPECT_TRUE(post(network.process(0), 1, {}, bytes)->wait().ok()) << "the lane goes on";
    EXPECT_TRUE(received->wait().ok());
    EXPECT_EQ(into, bytes);
  }
}

// The n-th message of a lane is its n-th; lanes do not wait for each other.
TEST(Exchange, KeepsTheOrderWithinLanesOnly) {
  Loopback network({"process 0", "process 1"});
  std::vector<std::vector<std::byte>> bytes, into(6, std::vector<std::byte>(100));
  std::vector<std::unique_ptr<Transfer>> transfers;
  for (uint32_t i = 0; i < 6; ++i) {
    bytes.push_back(pattern(100, i));
    transfers.push_back(post(network.process(0), 1, {i % 2, 0}, bytes[i]));
  }
  for (uint32_t i : {1, 0, 3, 5, 2, 4})
    transfers.push_back(network.process(1).take(0, {i % 2, 0}, kMessage, into[i]));
  for (auto &transfer : transfers)
    EXPECT_EQ(transfer->wait().ToString(), "OK");
  EXPECT_EQ(into[0], bytes[0]);
  EXPECT_EQ(into[2], bytes[2]);
  EXPECT_EQ(into[4], bytes[4]);
  EXPECT_EQ(into[1], bytes[1]);
  EXPECT_EQ(into[3], bytes[3]);
  EXPECT_EQ(into[5], bytes[5]);
}

TEST(Exchange, ServesManyThreadsInOppositeOrders) {
  Loopback network({"process 0", "process 1", "process 2"});
  constexpr uint32_t kSlots = 16;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (Peer self = 0; self < 3; ++self)
    for (uint32_t thread = 0; thread < 4; ++thread)
      threads.emplace_back([&, self, thread] {
        for (int round = 0; round < 10; ++round)
          for (Peer peer = 0; peer < 3; ++peer) {
            if (peer == self)
              continue;
            std::vector<std::vector<std::byte>> out(kSlots), in(kSlots);
            std::vector<std::unique_ptr<Transfer>> transfers;
            for (uint32_t i = 0; i < kSlots; ++i) {
              uint32_t slot = self < peer ? i : kSlots - 1 - i;
              out[slot] = pattern(1000 * slot + 1, static_cast<uint64_t>(self) * 100 + thread);
              in[slot].resize(out[slot].size());
              Lane lane{thread, slot};
              transfers.push_back(post(network.process(self), peer, lane, out[slot]));
              transfers.push_back(network.process(self).take(peer, lane, kMessage, in[slot]));
            }
            for (auto &transfer : transfers)
              wrong += !transfer->wait().ok();
            for (uint32_t slot = 0; slot < kSlots; ++slot)
              wrong += in[slot] != pattern(1000 * slot + 1, static_cast<uint64_t>(peer) * 100 + thread);
          }
      });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Exchange, NamesBothWhereTheyDisagree) {
  for (bool isPostFirst : {false, true})
    for (int what = 0; what < 4; ++what) {
      Loopback network({"process 0", "process 1"});
      Message other = kMessage;
      other.description = "all_gather of f32[8] at train.py:7";
      (what == 0 ? other.launch : what == 1 ? other.ordinal : other.hash) += what < 3;
      std::vector<std::byte> bytes(16), into(what == 3 ? 17 : 16);
      std::unique_ptr<Transfer> sent, received;
      if (isPostFirst)
        sent = post(network.process(0), 1, {}, bytes);
      received = network.process(1).take(0, {}, other, into);
      if (!isPostFirst)
        sent = post(network.process(0), 1, {}, bytes);
      for (Transfer *transfer : {sent.get(), received.get()}) {
        Status status = transfer->wait();
        EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
        EXPECT_THAT(status.message(), AllOf(HasSubstr("process 0 sends: all_reduce of f32[4] at train.py:31 (launch 1"),
                                            HasSubstr("process 1 receives: all_gather of f32[8] at train.py:7")));
      }
      // What comes next is not concerned.
      into.resize(16);
      received = network.process(1).take(0, {}, kMessage, into);
      sent = post(network.process(0), 1, {}, bytes);
      EXPECT_TRUE(sent->wait().ok());
      EXPECT_TRUE(received->wait().ok());
    }
}

Wait stopped() {
  std::stop_source stop;
  stop.request_stop();
  return {stop.get_token()};
}

TEST(Exchange, TellsTheOtherOfGivingUp) {
  for (bool isSenderGone : {false, true}) {
    Loopback network({"process 0", "process 1"});
    std::vector<std::byte> bytes = pattern(100, 1), into(100);
    auto first = isSenderGone ? post(network.process(0), 1, {}, bytes) : network.process(1).take(0, {}, kMessage, into);
    EXPECT_EQ(first->wait(stopped()).code(), StatusCode::kCancelled);
    // Frames keep their order: when this has come, the news has.
    auto news = network.process(0).take(1, {9, 9}, kMessage, into);
    auto later = network.process(1).take(0, {9, 9}, kMessage, into);
    EXPECT_TRUE(post(network.process(0), 1, {9, 9}, bytes)->wait().ok());
    EXPECT_TRUE(post(network.process(1), 0, {9, 9}, bytes)->wait().ok());
    EXPECT_TRUE(news->wait().ok() && later->wait().ok());
    auto second =
        isSenderGone ? network.process(1).take(0, {}, kMessage, into) : post(network.process(0), 1, {}, bytes);
    Status status = second->wait();
    EXPECT_EQ(status.code(), StatusCode::kAborted);
    EXPECT_THAT(status.message(), HasSubstr(isSenderGone ? "process 0 has given up" : "process 1 has given up"));
    auto sent = post(network.process(0), 1, {}, bytes);
    auto received = network.process(1).take(0, {}, kMessage, into);
    EXPECT_TRUE(sent->wait().ok());
    EXPECT_TRUE(received->wait().ok());
    EXPECT_EQ(into, bytes);
  }
}

TEST(Exchange, MayBeGivenUpAtAnyTime) {
  Loopback network({"process 0", "process 1"});
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::byte> bytes = pattern(2 * kMaxChunkBytes, round), into(bytes.size());
    auto sent = post(network.process(0), 1, {}, bytes);
    auto received = network.process(1).take(0, {}, kMessage, into);
    Wait wait{{}, std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 800)};
    Transfer &hasty = round % 2 ? *sent : *received, &patient = round % 2 ? *received : *sent;
    Status one = hasty.wait(wait), other = patient.wait();
    EXPECT_TRUE(one.ok() || one.code() == StatusCode::kDeadlineExceeded) << one.ToString();
    EXPECT_TRUE(other.ok() || other.code() == StatusCode::kAborted) << other.ToString();
    if (received->wait().ok()) {
      EXPECT_EQ(into, bytes);
    }
  }
}

TEST(Exchange, TakesItsMemoryBackFromAPeerThatTakesNothing) {
  Loopback network({"process 0", "process 1"});
  std::vector<std::byte> bytes = pattern(3 * kMaxChunkBytes, 1), into(bytes.size());
  auto received = network.process(1).take(0, {}, kMessage, into);
  network.stop(1);
  auto sent = post(network.process(0), 1, {}, bytes);
  Wait wait{{}, std::chrono::steady_clock::now() + std::chrono::milliseconds(1)};
  EXPECT_EQ(sent->wait(wait).code(), StatusCode::kDeadlineExceeded);
  std::fill(bytes.begin(), bytes.end(), std::byte{0}); // a sanitizer sees who reads it still
  network.proceed(1);
  EXPECT_FALSE(received->wait().ok());
}

TEST(Exchange, EndsEverythingWithTheFirstFailure) {
  Loopback network({"process 0", "process 1", "process 2"});
  std::vector<std::byte> bytes(100), into(100);
  auto lost = network.process(0).take(1, {}, kMessage, into);
  auto posted = post(network.process(0), 1, {1, 1}, bytes);
  network.process(0).lost(1, {StatusCode::kUnavailable, "process 1 has been killed"});
  network.process(0).lost(1, {StatusCode::kUnavailable, "something else"});
  EXPECT_EQ(lost->wait().message(), "process 1 has been killed");
  EXPECT_EQ(posted->wait().message(), "process 1 has been killed");
  EXPECT_EQ(post(network.process(0), 1, {}, bytes)->wait().message(), "process 1 has been killed");
  auto sent = post(network.process(0), 2, {}, bytes);
  auto received = network.process(2).take(0, {}, kMessage, into);
  EXPECT_TRUE(sent->wait().ok()) << "another peer is not concerned";
  EXPECT_TRUE(received->wait().ok());
  network.process(0).fail({StatusCode::kAborted, "everything ends"});
  EXPECT_EQ(post(network.process(0), 2, {}, bytes)->wait().message(), "everything ends");
}

TEST(Exchange, RefusesWhoIsNotThere) {
  Loopback network({"process 0", "process 1"});
  std::vector<std::byte> bytes(1);
  for (Peer peer : {-1, 0, 2})
    EXPECT_EQ(post(network.process(0), peer, {}, bytes)->wait().code(), StatusCode::kInvalidArgument);
}

TEST(Exchange, KnowsWhoWaits) {
  Loopback network({"process 0", "process 1"});
  std::vector<std::byte> into(1);
  EXPECT_TRUE(network.process(0).waiting().empty());
  auto transfer = network.process(0).take(1, {3, 0}, kMessage, into);
  std::vector<Exchange::Waiting> waiting = network.process(0).waiting();
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0].peer, 1);
  EXPECT_EQ(waiting[0].description, kMessage.description);
  EXPECT_EQ(waiting[0].lane, (Lane{3, 0}));
  EXPECT_EQ(waiting[0].launch, kMessage.launch);
  EXPECT_EQ(waiting[0].ordinal, kMessage.ordinal);
  EXPECT_EQ(waiting[0].hash, kMessage.hash);
  transfer.reset();
  EXPECT_TRUE(network.process(0).waiting().empty());
}

// A device goes on behind what it sends on a channel. What it waits for at last, it has not waited for before.
TEST(Exchange, CountsMessagesOnChannelsOnceTheyAreAwaited) {
  Loopback network({"process 0", "process 1"});
  std::vector<std::byte> bytes = pattern(100, 1), into(100);
  const Lane lane{3 | kMessages, 0, -7};
  auto sent = post(network.process(0), 1, lane, bytes);
  EXPECT_TRUE(network.process(0).waiting().empty());
  EXPECT_FALSE(sent->isOver());
  auto posted = std::chrono::steady_clock::now();
  std::jthread waiter([&] { EXPECT_EQ(sent->wait().ToString(), "OK"); });
  std::vector<Exchange::Waiting> waiting;
  while ((waiting = network.process(0).waiting()).empty())
    std::this_thread::yield();
  EXPECT_EQ(waiting[0].lane, lane);
  EXPECT_GE(waiting[0].since, posted);
  auto received = network.process(1).take(0, lane, kMessage, into);
  EXPECT_EQ(received->wait().ToString(), "OK");
  waiter.join();
  EXPECT_TRUE(sent->isOver());
  EXPECT_EQ(into, bytes);
}

// Lanes of several channels between two devices do not wait for each other.
TEST(Exchange, KeepsChannelsApart) {
  Loopback network({"process 0", "process 1"});
  std::vector<std::byte> one = pattern(10, 1), two = pattern(10, 2), into(10);
  const Lane first{3 | kMessages, 0, 1}, second{3 | kMessages, 0, 2};
  auto sentFirst = post(network.process(0), 1, first, one), sentSecond = post(network.process(0), 1, second, two);
  EXPECT_EQ(network.process(1).take(0, second, kMessage, into)->wait().ToString(), "OK");
  EXPECT_EQ(into, two);
  EXPECT_EQ(network.process(1).take(0, first, kMessage, into)->wait().ToString(), "OK");
  EXPECT_EQ(into, one);
}

// A frame that is yet to go counts as sent: who waits for it is not waiting for nothing.
TEST(Exchange, CountsFramesOfBothWays) {
  Loopback network({"process 0", "process 1"});
  std::vector<std::byte> bytes(2 * kMaxChunkBytes), into(bytes.size());
  std::vector<Exchange::Counts> counts;
  network.stop(1);
  auto received = network.process(0).take(1, {}, kMessage, into);
  network.process(0).waiting(&counts);
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts[1].sent, 1u);
  EXPECT_EQ(counts[1].received, 0u);
  network.process(1).waiting(&counts);
  EXPECT_EQ(counts[0].received, 0u);
  network.proceed(1);
  auto sent = post(network.process(1), 0, {}, bytes);
  EXPECT_TRUE(received->wait().ok());
  network.process(0).waiting(&counts);
  EXPECT_EQ(counts[1].received, 2u);
  network.process(1).waiting(&counts);
  EXPECT_EQ(counts[0].sent, 2u);
  EXPECT_EQ(counts[0].received, 1u);
}

// An exchange whose peer is the test.
class Hostile : public testing::Test {
protected:
  Hostile()
      : exchange_({0, {"process 0", "process 1"}, [](Peer) {}, [this](Peer peer) { exchange_.lost(peer, {}); }}) {}

  Status receive(Frame frame, const std::string &behind = {}) {
    frame.size = static_cast<uint32_t>(behind.size());
    FrameHeader header = writeHeader(frame);
    std::span<const std::byte> pieces[] = {std::span(header).first(10), std::span(header).subspan(10),
                                           std::as_bytes(std::span(behind))};
    return exchange_.received(1, pieces);
  }

  Exchange exchange_;
};

Frame ready(uint64_t sequence, Lane lane = {}) { return {FrameKind::kReady, {}, lane, sequence, 1, 2, 3, 4}; }
Frame data(uint64_t offset) { return {FrameKind::kData, {}, {}, 0, 1, 2, 3, 4, offset}; }

TEST_F(Hostile, IsGivenUpWithAReason) {
  std::vector<std::byte> into(4);
  auto transfer = exchange_.take(1, {}, kMessage, into);
  EXPECT_TRUE(receive(data(0), "ab").ok());
  EXPECT_EQ(receive(data(1), "bcd").code(), StatusCode::kDataLoss) << "out of order";
  EXPECT_THAT(transfer->wait().message(), HasSubstr("from process 1: a damaged message"));
  EXPECT_FALSE(receive(ready(0)).ok()) << "it stays given up";
}

TEST_F(Hostile, SendsBytesNobodyAwaits) { EXPECT_EQ(receive(data(0), "abcd").code(), StatusCode::kDataLoss); }
TEST_F(Hostile, SkipsNumbers) { EXPECT_EQ(receive(ready(1)).code(), StatusCode::kDataLoss); }
TEST_F(Hostile, WithdrawsWhatItNeverAwaited) {
  EXPECT_EQ(receive({FrameKind::kWithdraw, StatusCode::kAborted}).code(), StatusCode::kDataLoss);
}
TEST_F(Hostile, RefusesWhatNobodyAwaits) {
  EXPECT_EQ(receive({FrameKind::kRefuse, StatusCode::kAborted}).code(), StatusCode::kDataLoss);
}

TEST_F(Hostile, ClosesWhatIsAwaited) {
  std::vector<std::byte> into(4);
  auto transfer = exchange_.take(1, {}, kMessage, into);
  EXPECT_EQ(receive({FrameKind::kClosed}).code(), StatusCode::kDataLoss);
  EXPECT_FALSE(transfer->wait().ok());
}

TEST_F(Hostile, CannotMakeItKeepMuch) {
  Status status;
  uint64_t count = 0;
  while (status.ok() && count < 1'000'000)
    status = receive(ready(count++));
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_LT(count, 100'000u);
}

TEST_F(Hostile, CannotUseManyLanes) {
  Status status;
  uint32_t count = 0;
  while (status.ok() && count < 1'000'000)
    status = receive(ready(0, {count++, 0}));
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
}

// Any frames at all: no transfer waits for ever, nothing is written outside of what was asked for.
TEST_F(Hostile, AnyFramesEndWell) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    Exchange exchange({0,
                       {"process 0", "process 1"},
                       [](Peer) {},
                       [&exchange](Peer peer) { exchange.lost(peer, {StatusCode::kUnavailable, "cut"}); }});
    std::vector<std::byte> out = pattern(8, 1), in(8);
    std::vector<std::unique_ptr<Transfer>> transfers;
    for (int i = 0; i < 2; ++i) {
      transfers.push_back(post(exchange, 1, {0, static_cast<uint32_t>(i)}, out));
      transfers.push_back(exchange.take(1, {0, static_cast<uint32_t>(i)}, kMessage, in));
    }
    Status status;
    for (int i = 0; i < 20 && status.ok(); ++i) {
      Frame frame{
          static_cast<FrameKind>(random() % 5 + 1), {}, {0, static_cast<uint32_t>(random() % 3)}, random() % 2, 1, 2, 3,
          random() % 4 ? 8 : random() % 10};
      if (frame.kind == FrameKind::kRefuse || frame.kind == FrameKind::kWithdraw)
        frame.code = random() % 2 ? StatusCode::kAborted : StatusCode::kInvalidArgument;
      if (frame.kind == FrameKind::kData && random() % 2)
        frame.offset = random() % 9;
      std::string behind(random() % 9, 'x');
      frame.size = static_cast<uint32_t>(behind.size());
      FrameHeader header = writeHeader(frame);
      if (random() % 8 == 0)
        header[random() % header.size()] = static_cast<std::byte>(random());
      std::span<const std::byte> pieces[] = {header, std::as_bytes(std::span(behind))};
      status = exchange.received(1, pieces);
      while (random() % 2 && exchange.nextFrame(1))
        ;
    }
    exchange.fail({StatusCode::kAborted, "the end"});
    for (auto &transfer : transfers)
      (void)transfer->wait();
  }
}

} // namespace
} // namespace tenon::runtime
