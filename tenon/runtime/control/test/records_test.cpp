// What processes tell each other, as bytes, which may be any; and how they start.
#include "tenon/runtime/control/address.h"
#include "tenon/runtime/control/heartbeat.h"
#include "tenon/runtime/control/node.h"
#include "tenon/runtime/control/test/network_testing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

namespace tenon::runtime {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

Node exampleNode() {
  return {"tenon 1",   "boot", "host", {1234, 5678, 90},   "127.0.0.1:4711",
          "x86-64-v3", "abc",  4,      "0123456789abcdef", "socket"};
}

WaitReport exampleReport() {
  OpenMeeting sum{77, "all_reduce at train.py:31", {0, 1}, {{1, 4}, {2, 8}}};
  return {5, {sum, {UINT64_MAX, "", {}, {}}}, {{1, 10, 20}, {2, UINT64_MAX, 0}}};
}

std::vector<ControlMessage> exampleMessages() {
  Activity running{Activity::State::kRunning, 3, 7, "all_reduce at train.py:31", 1500ms};
  return {Heartbeat{},
          Heartbeat{{running, {}, {Activity::State::kCompiling, 1, 0, "jit_step", 0ms}}},
          Heartbeat{{running}, 9},
          WaitReport{},
          exampleReport(),
          Failure{"process 2: it broke"},
          Goodbye{}};
}

TEST(Records, AreReadAsTheyWereWritten) {
  StatusOr<Node> node = readNode(writeNode(exampleNode()));
  ASSERT_TRUE(node.ok()) << node.status().ToString();
  EXPECT_EQ(*node, exampleNode());
  for (const ControlMessage &message : exampleMessages()) {
    StatusOr<ControlMessage> read = readControl(writeControl(message));
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_EQ(*read, message);
  }
}

TEST(Records, AreCutWhereTheyAreLong) {
  Heartbeat heartbeat{std::vector<Activity>(1000, {Activity::State::kRunning, 1, 1, std::string(10'000, 'x'), 1s})};
  StatusOr<ControlMessage> read = readControl(writeControl(heartbeat));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(std::get<Heartbeat>(*read).activities.size(), kMaxActivities);
  EXPECT_LE(writeControl(heartbeat).size(), size_t{1} << 16);
  read = readControl(writeControl(Failure{std::string(100'000, 'y')}));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(std::get<Failure>(*read).cause.size(), kMaxCauseText);
}

TEST(Records, OfWaitsSayNothingWhereTheyAreLong) {
  WaitReport most = exampleReport();
  most.meetings.assign(kMaxMeetings,
                       {1, std::string(10'000, 'x'), std::vector<uint32_t>(kMaxMeetingDevices / kMaxMeetings),
                        std::vector<OpenMeeting::Awaited>(kMaxMeetingDevices / kMaxMeetings)});
  most.traffic.assign(kMaxTraffic, {});
  std::string bytes = writeControl(most);
  EXPECT_LE(bytes.size(), size_t{1} << 16);
  StatusOr<ControlMessage> read = readControl(bytes);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(std::get<WaitReport>(*read).meetings.size(), kMaxMeetings);
  for (int i = 0; i < 3; ++i) {
    WaitReport more = most;
    if (i == 0)
      more.meetings[0].devices.push_back(1);
    else if (i == 1)
      more.meetings[0].awaited.push_back({});
    else
      more.traffic.push_back({});
    read = readControl(writeControl(more));
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_EQ(std::get<WaitReport>(*read), (WaitReport{5, {}, {}}));
  }
}

TEST(Records, SurviveAnyBytes) {
  std::mt19937_64 random(3);
  std::vector<std::string> originals = {writeNode(exampleNode())};
  for (const ControlMessage &message : exampleMessages())
    originals.push_back(writeControl(message));
  int refused = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string bytes = originals[random() % originals.size()];
    for (uint64_t changes = random() % 3 + 1; changes; --changes)
      switch (random() % 3) {
      case 0:
        bytes.resize(random() % (bytes.size() + 2));
        break;
      case 1:
        bytes += static_cast<char>(random());
        break;
      default:
        if (!bytes.empty())
          bytes[random() % bytes.size()] = static_cast<char>(random());
      }
    if (StatusOr<Node> node = readNode(bytes); node.ok())
      EXPECT_EQ(writeNode(*node), bytes);
    StatusOr<ControlMessage> message = readControl(bytes);
    if (message.ok())
      EXPECT_EQ(writeControl(*message), bytes);
    else
      ++refused;
  }
  EXPECT_GT(refused, 0);
}

TEST(ExchangeNodes, NamesTheMissing) {
  MemoryKeys keys;
  keys.add(2, exampleNode());
  StatusOr<std::vector<Node>> nodes = exchangeNodes(keys, "", 0, 5, exampleNode(), 100s);
  EXPECT_EQ(nodes.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(nodes.status().message(), HasSubstr("of 5 processes, 3 have not started within 100 s: 1, 3, 4"));
  EXPECT_THAT(exchangeNodes(keys, "", 0, 100, exampleNode(), 1s).status().message(), HasSubstr("11 and 88 more"));
}

TEST(ExchangeNodes, GivesAllInOrder) {
  MemoryKeys keys;
  Node other = exampleNode();
  other.process.pid = 99;
  keys.add(0, other);
  StatusOr<std::vector<Node>> nodes = exchangeNodes(keys, "", 1, 2, exampleNode(), 1s);
  ASSERT_TRUE(nodes.ok()) << nodes.status().ToString();
  EXPECT_EQ(*nodes, (std::vector<Node>{other, exampleNode()}));
}

TEST(ExchangeNodes, KeepsStartsApart) {
  MemoryKeys keys;
  Node later = exampleNode();
  later.process.pid = 99;
  EXPECT_TRUE(exchangeNodes(keys, "", 0, 1, exampleNode(), 1s).ok());
  keys.values["start1/node/1"] = writeNode(later);
  StatusOr<std::vector<Node>> nodes = exchangeNodes(keys, "start1/", 0, 2, later, 1s);
  ASSERT_TRUE(nodes.ok()) << nodes.status().ToString();
  EXPECT_EQ(*nodes, (std::vector<Node>{later, later}));
  EXPECT_EQ(keys.values["node/0"], writeNode(exampleNode()));
}

TEST(ExchangeNodes, RefusesOtherVersionsAndUnreachableMachines) {
  MemoryKeys keys;
  Node other = exampleNode();
  other.version = "tenon 2";
  keys.add(0, other);
  EXPECT_THAT(exchangeNodes(keys, "", 1, 2, exampleNode(), 1s).status().message(),
              AllOf(HasSubstr("process 1 (host, pid 1234)"), HasSubstr("process 0"), HasSubstr("'tenon 2'")));
  other = exampleNode();
  other.bootId = "another";
  keys.add(0, other);
  EXPECT_THAT(exchangeNodes(keys, "", 1, 2, exampleNode(), 1s).status().message(), HasSubstr("only its own machine"));
  other.address = "10.0.0.7:4711";
  keys.add(0, other);
  EXPECT_TRUE(exchangeNodes(keys, "", 1, 2, exampleNode(), 1s).ok());
  keys.values["node/0"] = "something else";
  EXPECT_THAT(exchangeNodes(keys, "", 1, 2, exampleNode(), 1s).status().message(), HasSubstr("process 0: "));
}

TEST(Tokens, Differ) {
  EXPECT_EQ(randomToken().size(), 32u);
  EXPECT_NE(randomToken(), randomToken());
}

TEST(Addresses, AreTakenApart) {
  EXPECT_EQ(hostOf("[::1]:80"), "::1");
  EXPECT_EQ(hostOf("host:80"), "host");
  EXPECT_EQ(joined("::1", 5), "[::1]:5");
  EXPECT_EQ(joined("10.0.0.1", 5), "10.0.0.1:5");
  for (const char *host : {"localhost", "127.0.0.1", "127.9.9.9", "::1"})
    EXPECT_TRUE(isLoopbackHost(host)) << host;
  for (const char *host : {"10.0.0.1", "127.0.0.1.example.com", "example.com", "::", "0.0.0.0", ""})
    EXPECT_FALSE(isLoopbackHost(host)) << host;
}

} // namespace
} // namespace tenon::runtime
