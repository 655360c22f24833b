// Processes that meet, that do not come, that fail and that are stopped.
#include "tenon/runtime/collectives/rendezvous.h"

#include "tenon/runtime/core/fiber_group.h"
#include "tenon/runtime/core/thread_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <numeric>
#include <thread>

namespace tenon::runtime {
namespace {

using testing::HasSubstr;
using Members = std::vector<int64_t>;

std::vector<std::string> names(int64_t count) {
  std::vector<std::string> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back("process " + std::to_string(i));
  return result;
}

// Runs a function as each process, which then leaves with what it returned; what they returned. `threads`: so many have
// all of them, as fibers; 0: each has one.
std::vector<Status> runAll(Rendezvous &rendezvous, int64_t count, const std::function<Status(int64_t)> &process,
                           int64_t threads = 0) {
  std::vector<Status> outcomes(static_cast<size_t>(count));
  auto run = [&](int64_t i) {
    outcomes[static_cast<size_t>(i)] = process(i);
    rendezvous.leave(i, outcomes[static_cast<size_t>(i)]);
  };
  std::vector<std::jthread> running;
  for (int64_t i = 0; threads == 0 && i < count; ++i)
    running.emplace_back([&, i] { run(i); });
  for (int64_t thread = 0; thread < threads; ++thread)
    running.emplace_back([&, thread] {
      std::vector<std::function<void()>> bodies;
      for (int64_t i = thread; i < count; i += threads)
        bodies.emplace_back([&, i] { run(i); });
      std::unique_ptr<FiberGroup> group = FiberGroup::create(bodies.size());
      ASSERT_NE(group, nullptr);
      group->run(std::move(bodies), [](size_t) {});
    });
  running.clear();
  return outcomes;
}

// With a thread for each process, and with fibers on one and on two threads.
class RendezvousOnThreads : public testing::TestWithParam<int64_t> {};
INSTANTIATE_TEST_SUITE_P(Threads, RendezvousOnThreads, testing::Values(0, 1, 2));

// Adds up the members' numbers.
Status sum(Rendezvous &rendezvous, const Members &members, int64_t self, int64_t mine, int64_t &result,
           const Wait &wait = {}) {
  return rendezvous.meet(
      members, self, {&rendezvous.purpose("sum"), &mine},
      [&](std::span<const Rendezvous::Part> parts) -> Status {
        result = 0;
        for (const Rendezvous::Part &part : parts)
          result = result * 10 + *static_cast<const int64_t *>(part.content);
        return {};
      },
      wait);
}

TEST_P(RendezvousOnThreads, GivesEachAllPartsInTheGroupsOrder) {
  Rendezvous rendezvous(names(3));
  std::vector<int64_t> results(3);
  auto outcomes = runAll(
      rendezvous, 3, [&](int64_t self) { return sum(rendezvous, {2, 0, 1}, self, self + 1, results[self]); },
      GetParam());
  for (const Status &outcome : outcomes)
    EXPECT_TRUE(outcome.ok()) << outcome.message();
  EXPECT_THAT(results, testing::Each(312));
  EXPECT_TRUE(rendezvous.firstError().ok());
}

// What a process shows may change as soon as it has come back; groups do not wait for each other.
TEST(Rendezvous, EachGroupHasOneMemory) {
  Rendezvous rendezvous(names(4));
  auto *first = static_cast<std::byte *>(rendezvous.groupMemory(0, 4096));
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(rendezvous.groupMemory(0, 4096), first);
  auto *second = static_cast<std::byte *>(rendezvous.groupMemory(2, 4096));
  ASSERT_NE(second, nullptr);
  EXPECT_TRUE(second + 4096 <= first || first + 4096 <= second);
}

TEST_P(RendezvousOnThreads, ManyMeetingsInGroups) {
  constexpr int64_t kProcesses = 6, kTurns = 2000;
  Rendezvous rendezvous(names(kProcesses));
  auto outcomes = runAll(
      rendezvous, kProcesses,
      [&](int64_t self) -> Status {
        Members group = self % 2 ? Members{1, 3, 5} : Members{4, 2, 0};
        for (int64_t turn = 0; turn < kTurns; ++turn) {
          int64_t result = 0;
          TENON_RETURN_IF_ERROR(sum(rendezvous, group, self, turn % 7, result));
          if (result != turn % 7 * 111)
            return internalError("turn " + std::to_string(turn) + ": " + std::to_string(result));
          Members pair = self < 3 ? Members{self, self + 3} : Members{self - 3, self};
          TENON_RETURN_IF_ERROR(sum(rendezvous, pair, self, self % 3, result));
          if (result != self % 3 * 11)
            return internalError("pair of turn " + std::to_string(turn) + ": " + std::to_string(result));
        }
        return {};
      },
      GetParam());
  for (const Status &outcome : outcomes)
    EXPECT_TRUE(outcome.ok()) << outcome.message();
}

TEST_P(RendezvousOnThreads, AProcessThatHasEndedDoesNotCome) {
  Rendezvous rendezvous(names(2));
  auto outcomes = runAll(
      rendezvous, 2,
      [&](int64_t self) -> Status {
        int64_t result;
        return self ? sum(rendezvous, {0, 1}, self, 1, result) : Status();
      },
      GetParam());
  EXPECT_TRUE(outcomes[0].ok());
  EXPECT_EQ(outcomes[1].code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(outcomes[1].message(), HasSubstr("process 0 has ended"));
  EXPECT_EQ(rendezvous.firstError().message(), "process 1: " + outcomes[1].message());
}

TEST_P(RendezvousOnThreads, AProcessThatFailsTakesItsGroupAlong) {
  Rendezvous rendezvous(names(3));
  auto outcomes = runAll(
      rendezvous, 3,
      [&](int64_t self) -> Status {
        int64_t result;
        return self == 1 ? internalError("out of luck") : sum(rendezvous, {0, 1, 2}, self, 1, result);
      },
      GetParam());
  for (int64_t self : {0, 2}) {
    EXPECT_EQ(outcomes[self].code(), StatusCode::kAborted);
    EXPECT_THAT(outcomes[self].message(), HasSubstr("process 1 failed: out of luck"));
  }
  EXPECT_EQ(rendezvous.firstError().code(), StatusCode::kInternal);
  EXPECT_EQ(rendezvous.firstError().message(), "process 1: out of luck");
}

TEST_P(RendezvousOnThreads, ProcessesThatWaitForEachOtherAreTold) {
  Rendezvous rendezvous(names(3));
  auto outcomes = runAll(
      rendezvous, 3,
      [&](int64_t self) -> Status {
        int64_t result;
        return sum(rendezvous, {self, (self + 1) % 3}, self, 1, result);
      },
      GetParam());
  for (const Status &outcome : outcomes)
    EXPECT_FALSE(outcome.ok());
  EXPECT_EQ(rendezvous.firstError().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(rendezvous.firstError().message(), HasSubstr("all processes wait for each other"));
  EXPECT_THAT(rendezvous.firstError().message(), HasSubstr("process 2: sum"));
}

TEST(Rendezvous, KnowsWhoWaitsForAMessage) {
  Rendezvous rendezvous(names(3));
  bool hasCome = false;
  std::jthread receiver([&] {
    auto isReady = [&] { return hasCome; };
    auto nothing = [] { return Status(); };
    EXPECT_TRUE(rendezvous.waitUntil(1, "receives from channel 7", 2, isReady, nothing).ok());
  });
  std::vector<Rendezvous::Waiting> waiting;
  while ((waiting = rendezvous.waiting()).empty())
    std::this_thread::yield();
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0].process, 1);
  EXPECT_EQ(waiting[0].what, "receives from channel 7");
  EXPECT_EQ(waiting[0].missing, Members{2});
  auto send = [&] { return hasCome = true, Status(); };
  EXPECT_TRUE(rendezvous.waitUntil(2, "sends", -1, [] { return true; }, send).ok());
  receiver.join();
  EXPECT_TRUE(rendezvous.waiting().empty());
}

TEST(Rendezvous, KnowsWhoWaitsForWhom) {
  Rendezvous rendezvous(names(3));
  std::atomic<bool> mayCome{false};
  std::jthread others([&] {
    runAll(rendezvous, 3, [&](int64_t self) -> Status {
      if (self == 0)
        mayCome.wait(false);
      int64_t result;
      return sum(rendezvous, {2, 0, 1}, self, 1, result);
    });
  });
  std::vector<Rendezvous::Waiting> waiting;
  while ((waiting = rendezvous.waiting()).size() < 2)
    std::this_thread::yield();
  std::sort(waiting.begin(), waiting.end(), [](const auto &a, const auto &b) { return a.process < b.process; });
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(waiting[i].process, static_cast<int64_t>(i) + 1);
    EXPECT_EQ(waiting[i].what, "sum");
    EXPECT_EQ(waiting[i].number, Purpose("sum").number());
    EXPECT_EQ(waiting[i].turn, 0u);
    EXPECT_EQ(waiting[i].missing, Members{0});
  }
  mayCome = true;
  mayCome.notify_all();
  others.join();
  EXPECT_TRUE(rendezvous.waiting().empty());
}

TEST_P(RendezvousOnThreads, MembersMustDoTheSame) {
  Rendezvous rendezvous(names(2));
  auto read = [](std::span<const Rendezvous::Part>) { return Status(); };
  runAll(
      rendezvous, 2,
      [&](int64_t self) -> Status {
        return rendezvous.meet(Members{0, 1}, self, {&rendezvous.purpose(self ? "add f32[2]" : "add f32[3]")}, read);
      },
      GetParam());
  EXPECT_EQ(rendezvous.firstError().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(rendezvous.firstError().message(), HasSubstr("do different things"));
  EXPECT_THAT(rendezvous.firstError().message(), HasSubstr("add f32[3]"));
}

TEST(Rendezvous, MembersAreProcessesOfTheRun) {
  Rendezvous rendezvous(names(2));
  int64_t result;
  for (const Members &members : {Members{0, 2}, Members{0, -1}}) {
    Status status = sum(rendezvous, members, 0, 1, result);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("there is no process " + std::to_string(members[1])));
  }
  // Nor does anybody wait for them afterwards.
  auto outcomes = runAll(rendezvous, 2, [&](int64_t self) {
    int64_t own;
    return sum(rendezvous, {0, 1}, self, 1, own);
  });
  for (const Status &outcome : outcomes)
    EXPECT_TRUE(outcome.ok()) << outcome.message();
}

// A letter box between processes: what others put there ends the wait.
class Box {
public:
  explicit Box(Rendezvous &rendezvous) : rendezvous_(rendezvous) {}

  Status put(int64_t self) {
    return rendezvous_.waitUntil(self, "puts", -1, [&] { return !full_; }, [&] { return set(true); });
  }
  Status take(int64_t self, const Wait &wait = {}) {
    return rendezvous_.waitUntil(self, "takes", -1, [&] { return full_; }, [&] { return set(false); }, wait);
  }

private:
  Status set(bool full) {
    full_ = full;
    return {};
  }

  Rendezvous &rendezvous_;
  bool full_ = false;
};

// Whoever has been given what it waits for does not wait, even if it has not noticed yet.
TEST(Rendezvous, WaitsOfAllKindsInTurns) {
  constexpr int64_t kTurns = 3000;
  Rendezvous rendezvous(names(2));
  Box there(rendezvous), back(rendezvous);
  auto outcomes = runAll(rendezvous, 2, [&](int64_t self) -> Status {
    for (int64_t turn = 0; turn < kTurns; ++turn) {
      int64_t result;
      TENON_RETURN_IF_ERROR(self ? there.take(self) : there.put(self));
      if (turn % 3 == 0)
        TENON_RETURN_IF_ERROR(sum(rendezvous, {0, 1}, self, 1, result));
      TENON_RETURN_IF_ERROR(self ? back.put(self) : back.take(self));
    }
    return {};
  });
  for (const Status &outcome : outcomes)
    EXPECT_TRUE(outcome.ok()) << outcome.message();
}

TEST(Rendezvous, ProcessesThatWaitInDifferentWaysAreTold) {
  Rendezvous rendezvous(names(3));
  Box box(rendezvous);
  auto outcomes = runAll(rendezvous, 3, [&](int64_t self) -> Status {
    int64_t result;
    return self == 0 ? Status() : self == 1 ? box.take(self) : sum(rendezvous, {1, 2}, self, 1, result);
  });
  EXPECT_TRUE(outcomes[0].ok());
  EXPECT_FALSE(outcomes[1].ok());
  EXPECT_FALSE(outcomes[2].ok());
  EXPECT_EQ(rendezvous.firstError().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(rendezvous.firstError().message(), HasSubstr("all processes that have not ended wait:"));
  EXPECT_THAT(rendezvous.firstError().message(), HasSubstr("process 1: takes"));
  EXPECT_THAT(rendezvous.firstError().message(), HasSubstr("process 2: sum"));
}

TEST(Rendezvous, WaitingEndsByStopAndDeadline) {
  Rendezvous rendezvous(names(3));
  std::stop_source stop;
  Wait stopped, late;
  stopped.stop = stop.get_token();
  late.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  int64_t result;
  std::jthread other([&] {
    EXPECT_EQ(sum(rendezvous, {0, 2}, 0, 1, result, stopped).code(), StatusCode::kCancelled);
    rendezvous.leave(0);
  });
  int64_t mine;
  EXPECT_EQ(sum(rendezvous, {1, 2}, 1, 1, mine, late).code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Box(rendezvous).take(1, late).code(), StatusCode::kDeadlineExceeded);
  stop.request_stop();
}

TEST(Rendezvous, WaitsOfFibersEndByStopAndDeadline) {
  for (bool isStopped : {false, true}) {
    Rendezvous rendezvous(names(3));
    std::stop_source stop;
    Wait wait;
    if (isStopped)
      wait.stop = stop.get_token();
    else
      wait.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    std::jthread stopper([&] {
      while (isStopped && rendezvous.waiting().size() < 2)
        std::this_thread::yield();
      stop.request_stop();
    });
    auto waitForThird = [&](int64_t self) {
      int64_t result;
      return sum(rendezvous, {0, 1, 2}, self, 1, result, wait);
    };
    for (const Status &outcome : runAll(rendezvous, 2, waitForThird, 1))
      EXPECT_FALSE(outcome.ok());
    EXPECT_EQ(rendezvous.firstError().code(), isStopped ? StatusCode::kCancelled : StatusCode::kDeadlineExceeded);
  }
}

TEST_P(RendezvousOnThreads, ErrorsOfReadingAreTheReaders) {
  Rendezvous rendezvous(names(2));
  auto outcomes = runAll(
      rendezvous, 2,
      [&](int64_t self) -> Status {
        return rendezvous.meet(Members{0, 1}, self, {&rendezvous.purpose("read")},
                               [&](std::span<const Rendezvous::Part>) -> Status {
                                 return self ? internalError("cannot read") : Status();
                               });
      },
      GetParam());
  EXPECT_TRUE(outcomes[0].ok());
  EXPECT_EQ(outcomes[1].message(), "cannot read");
}

// Adds up numbers that each member shows as a copy, or in place.
Status sumShown(Rendezvous &rendezvous, const Purpose &purpose, const Members &members, int64_t self, int64_t mine,
                bool isCopied, int64_t &result, const Wait &wait = {}) {
  auto read = [&](std::span<const Rendezvous::Part> parts) -> Status {
    result = 0;
    for (const Rendezvous::Part &part : parts)
      result += *static_cast<const int64_t *>(part.content);
    return {};
  };
  return rendezvous.meet(members, self, {&purpose, &mine, isCopied ? sizeof mine : 0}, read, wait);
}

// Who has shown copies of arrays may write to these before others have read. Where many wait for few processors, larger
// ones are copied.
TEST(Rendezvous, CopiesTablesOfArrays) {
  const auto many = static_cast<int64_t>(ThreadPool::defaultThreadCount()) + 1;
  Rendezvous rendezvous(names(many));
  ASSERT_GT(rendezvous.mostCopied(), Rendezvous::kCopiedBytes);
  const Rendezvous::Sent sent{.bytes = {rendezvous.mostCopied() - 8, 0, 8}};
  std::promise<void> haveWritten;
  auto outcomes = runAll(rendezvous, many, [&](int64_t self) -> Status {
    if (self > 1)
      return {};
    std::vector<int64_t> first(sent.bytes[0] / 8, self + 1), last{self + 10};
    std::array<const void *, 3> table{first.data(), nullptr, last.data()};
    auto read = [&](std::span<const Rendezvous::Part> parts) -> Status {
      if (self == 0)
        haveWritten.get_future().wait();
      const auto *of1 = static_cast<const int64_t *>(parts[1].content);
      bool isRight = of1[0] == 2 && of1[first.size() - 1] == 2 && of1[first.size()] == 11;
      return isRight ? Status() : internalError("the copies are others");
    };
    Rendezvous::Part part{.purpose = &rendezvous.purpose("read"), .content = static_cast<const void *>(table.data())};
    part.copied = rendezvous.mostCopied();
    part.sent = &sent;
    Status status = rendezvous.meet(Members{0, 1}, self, part, read);
    std::fill(first.begin(), first.end(), 0);
    last[0] = 0;
    if (self == 1)
      haveWritten.set_value();
    return status;
  });
  for (const Status &outcome : outcomes)
    EXPECT_TRUE(outcome.ok()) << outcome.message();
}

// Nobody waits until copies have been read: a member is at most one meeting ahead, whose copies are others.
TEST_P(RendezvousOnThreads, CopiesAndOthersInTurns) {
  constexpr int64_t kTurns = 3000;
  Rendezvous rendezvous(names(4));
  const Purpose &purpose = rendezvous.purpose("sum");
  auto outcomes = runAll(
      rendezvous, 4,
      [&](int64_t self) -> Status {
        for (int64_t turn = 0; turn < kTurns; ++turn) {
          int64_t result = 0;
          TENON_RETURN_IF_ERROR(
              sumShown(rendezvous, purpose, {0, 1, 2, 3}, self, turn * (self + 1), turn % 5 < 3, result));
          if (result != 10 * turn)
            return internalError("turn " + std::to_string(turn) + ": " + std::to_string(result));
        }
        return {};
      },
      GetParam());
  for (const Status &outcome : outcomes)
    EXPECT_TRUE(outcome.ok()) << outcome.message();
}

// Adds up the members' numbers, of which each shows a table that stays until the next meeting.
Status sumStaying(Rendezvous &rendezvous, int64_t self, int64_t &mine, uint64_t joined, int64_t &result) {
  const void *const table[] = {&mine};
  return rendezvous.meet(Members{0, 1, 2, 3}, self,
                         {.purpose = &rendezvous.purpose("sum"),
                          .content = static_cast<const void *>(table),
                          .staying = sizeof table,
                          .joined = joined},
                         [&](std::span<const Rendezvous::Part> parts) -> Status {
                           result = 0;
                           for (const Rendezvous::Part &part : parts)
                             result += *static_cast<const int64_t *>(*static_cast<const void *const *>(part.content));
                           return {};
                         });
}

// What a member has shown may change when it has come to the next meeting, whoever reads slowly.
TEST_P(RendezvousOnThreads, ArraysThatStayAreReadBeforeTheNextMeeting) {
  constexpr int64_t kTurns = 3000;
  Rendezvous rendezvous(names(4));
  const Purpose &purpose = rendezvous.purpose("sum");
  auto outcomes = runAll(
      rendezvous, 4,
      [&](int64_t self) -> Status {
        std::array<int64_t, 2> shown{};
        for (int64_t turn = 0; turn < kTurns; ++turn) {
          int64_t result = 0;
          if (turn % 7 == 6) {
            TENON_RETURN_IF_ERROR(
                sumShown(rendezvous, purpose, {0, 1, 2, 3}, self, turn * (self + 1), turn % 2, result));
          } else {
            int64_t &mine = shown[static_cast<size_t>(turn % 2)];
            mine = turn * (self + 1);
            TENON_RETURN_IF_ERROR(sumStaying(rendezvous, self, mine, 0, result));
          }
          if (turn > 0)
            shown[static_cast<size_t>((turn - 1) % 2)] = -1; // that of the meeting before
          if (result != 10 * turn)
            return internalError("turn " + std::to_string(turn) + ": " + std::to_string(result));
        }
        rendezvous.awaitReaders(self);
        return {};
      },
      GetParam());
  for (const Status &outcome : outcomes)
    EXPECT_TRUE(outcome.ok()) << outcome.message();
}

TEST_P(RendezvousOnThreads, WhoEndsEarlyWaitsForReaders) {
  for (int round = 0; round < 200; ++round) {
    Rendezvous rendezvous(names(4));
    auto outcomes = runAll(
        rendezvous, 4,
        [&](int64_t self) -> Status {
          auto mine = std::make_unique<int64_t>(self + 1);
          int64_t result = 0;
          TENON_RETURN_IF_ERROR(sumStaying(rendezvous, self, *mine, 0, result));
          rendezvous.awaitReaders(self);
          *mine = -1;
          return result == 10 ? Status() : internalError(std::to_string(result));
        },
        GetParam());
    for (const Status &outcome : outcomes)
      EXPECT_TRUE(outcome.ok()) << outcome.message();
  }
}

TEST(Rendezvous, MembersMustJoinTheSame) {
  Rendezvous rendezvous(names(4));
  runAll(rendezvous, 4, [&](int64_t self) -> Status {
    int64_t mine = 1, result;
    return sumStaying(rendezvous, self, mine, self == 2, result);
  });
  EXPECT_EQ(rendezvous.firstError().code(), StatusCode::kInvalidArgument);
}

TEST(Rendezvous, MembersMustShowInTheSameWay) {
  Rendezvous rendezvous(names(2));
  runAll(rendezvous, 2, [&](int64_t self) -> Status {
    int64_t result;
    return sumShown(rendezvous, rendezvous.purpose("sum"), {0, 1}, self, 1, self == 0, result);
  });
  EXPECT_EQ(rendezvous.firstError().code(), StatusCode::kInvalidArgument);
}

// What may go wrong for one process, at some turn. All end, whoever waits for whom; the test would hang otherwise.
TEST(Rendezvous, EndsWhateverHappens) {
  enum Accident { kEnds, kFails, kDiffers, kIsElsewhere, kIsStopped, kIsLate, kAccidents };
  for (unsigned run = 0; run < 240; ++run) {
    constexpr int64_t kProcesses = 4;
    Rendezvous rendezvous(names(kProcesses));
    auto accident = static_cast<Accident>(run % kAccidents);
    int64_t culprit = run / kAccidents % kProcesses, when = run * 7 % 23;
    std::stop_source stop;
    auto outcomes = runAll(rendezvous, kProcesses, [&](int64_t self) -> Status {
      for (int64_t turn = 0; turn < 40; ++turn) {
        bool isNow = self == culprit && turn == when;
        Members group = turn % 3 ? Members{0, 1, 2, 3} : self % 2 ? Members{3, 1} : Members{0, 2};
        if (isNow && accident == kEnds)
          return {};
        if (isNow && accident == kFails)
          return internalError("out of luck");
        if (isNow && accident == kIsElsewhere)
          group = {3, 2, 1, 0};
        Wait wait;
        wait.stop = stop.get_token();
        if (isNow && accident == kIsStopped)
          stop.request_stop();
        if (isNow && accident == kIsLate)
          wait.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
        int64_t result = 0;
        TENON_RETURN_IF_ERROR(sumShown(rendezvous, rendezvous.purpose(isNow && accident == kDiffers ? "other" : "sum"),
                                       group, self, 1, turn % 2, result, wait));
        if (result != static_cast<int64_t>(group.size()))
          return internalError("a wrong sum");
      }
      return {};
    });
    for (const Status &outcome : outcomes)
      EXPECT_NE(outcome.message(), "a wrong sum");
    if (accident == kFails)
      EXPECT_EQ(rendezvous.firstError().message(), names(4)[culprit] + ": out of luck");
    if (accident != kIsStopped && accident != kIsLate) // these may go unnoticed by who does not wait
      EXPECT_FALSE(rendezvous.firstError().ok()) << "accident " << accident;
  }
}

} // namespace
} // namespace tenon::runtime
