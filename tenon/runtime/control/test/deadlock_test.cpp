#include "tenon/runtime/control/deadlock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::runtime {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A meeting that `devices` of a process wait in for others.
OpenMeeting meeting(uint64_t id, std::vector<uint32_t> devices, std::vector<OpenMeeting::Awaited> awaited) {
  return {id, "meeting " + std::to_string(id) + " at train.py:" + std::to_string(id), std::move(devices),
          std::move(awaited)};
}

// Device n is of process n, unless a test says something else.
class Deadlock : public testing::Test {
protected:
  // All say in one round how they stand. What process 0 makes of it.
  std::optional<std::string> round(std::vector<WaitReport> reports) {
    std::optional<std::string> found;
    for (Peer process = 0; process < 3; ++process) {
      reports.resize(3);
      WaitReport report = reports[static_cast<size_t>(process)];
      report.round = detector.round();
      found = detector.report(process, report);
    }
    return found;
  }

  DeadlockDetector detector{{"process 0 (a, pid 7)", "process 1 (b, pid 8)", "process 2 (c, pid 9)"}};
};

TEST_F(Deadlock, NamesAllOfACircleAndWhatEachWaitsFor) {
  std::vector<WaitReport> stuck = {
      {0, {meeting(1, {0}, {{1, 1}})}, {}}, {0, {meeting(2, {1}, {{2, 2}})}, {}}, {0, {meeting(3, {2}, {{0, 0}})}, {}}};
  EXPECT_FALSE(round(stuck)) << "one round may be seen at different times";
  std::optional<std::string> found = round(stuck);
  ASSERT_TRUE(found);
  EXPECT_THAT(
      *found,
      AllOf(HasSubstr("deadlock"),
            HasSubstr("process 0 (a, pid 7): device 0 waits for device 1 of process 1 in meeting 1 at train.py:1"),
            HasSubstr("process 1 (b, pid 8): device 1 waits for device 2 of process 2 in meeting 2 at train.py:2"),
            HasSubstr("process 2 (c, pid 9): device 2 waits for device 0 of process 0 in meeting 3")));
}

TEST_F(Deadlock, LeavesOutWhoOnlyWaitsForThem) {
  std::vector<WaitReport> stuck = {
      {0, {meeting(1, {0}, {{1, 1}})}, {}}, {0, {meeting(2, {1}, {{2, 2}})}, {}}, {0, {meeting(3, {2}, {{1, 1}})}, {}}};
  round(stuck);
  std::optional<std::string> found = round(stuck);
  ASSERT_TRUE(found);
  EXPECT_THAT(*found, testing::Not(HasSubstr("process 0 (")));
}

TEST_F(Deadlock, IsNoneWhereADeviceMayStillCome) {
  std::vector<WaitReport> reports = {{0, {meeting(1, {0}, {{1, 1}})}, {}}, {0, {meeting(2, {1}, {{2, 2}})}, {}}};
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(round(reports)) << "device 2 runs no program, or computes";
}

TEST_F(Deadlock, IsNoneWhereAWaitHasEndedBetweenTheRounds) {
  std::vector<WaitReport> reports = {{0, {meeting(1, {0}, {{1, 1}})}, {}}, {0, {meeting(2, {1}, {{0, 0}})}, {}}};
  round(reports);
  for (uint64_t id = 3; id < 6; ++id) {
    reports[1].meetings[0].id = id;
    EXPECT_FALSE(round(reports));
  }
}

TEST_F(Deadlock, IsNoneWhereBothWaitInOneMeeting) {
  std::vector<WaitReport> reports = {{0, {meeting(1, {0}, {{1, 1}})}, {}}, {0, {meeting(1, {1}, {{0, 0}})}, {}}};
  round(reports);
  EXPECT_FALSE(round(reports)) << "what they have sent is on its way";
}

// Process 1 has sent five frames to process 0, of which four have come: the fifth may be what device 0 waits for.
TEST_F(Deadlock, IsNoneWhileMessagesAreOnTheirWay) {
  std::vector<WaitReport> reports = {{0, {meeting(1, {0}, {{1, 1}})}, {{1, 3, 4}}},
                                     {0, {meeting(2, {1}, {{0, 0}})}, {{0, 5, 3}}}};
  round(reports);
  EXPECT_FALSE(round(reports));
  reports[0].traffic[0].received = 5;
  EXPECT_TRUE(round(reports));
}

// In process 1, device 1 waits for device 11 to come to what process 0 is at; that waits for process 0.
TEST_F(Deadlock, FollowsWaitsInsideAProcess) {
  std::vector<WaitReport> stuck = {{0, {meeting(1, {0}, {{1, 1}})}, {}},
                                   {0, {meeting(1, {1}, {{1, 11}}), meeting(2, {11}, {{0, 0}})}, {}}};
  round(stuck);
  std::optional<std::string> found = round(stuck);
  ASSERT_TRUE(found);
  EXPECT_THAT(*found, AllOf(HasSubstr("device 1 waits for device 11 in meeting 1"),
                            HasSubstr("device 11 waits for device 0 of process 0 in meeting 2")));
}

TEST_F(Deadlock, DoesNotWaitForProcessesThatHaveEnded) {
  detector.left(2);
  std::vector<WaitReport> stuck = {{0, {meeting(1, {0}, {{1, 1}})}, {}}, {0, {meeting(2, {1}, {{0, 0}})}, {}}};
  std::optional<std::string> found;
  for (int i = 0; i < 2; ++i)
    for (Peer process : {0, 1}) {
      WaitReport report = stuck[static_cast<size_t>(process)];
      report.round = detector.round();
      found = detector.report(process, report);
    }
  EXPECT_TRUE(found);
}

// A report that is late, or hostile, is of no round.
TEST_F(Deadlock, TakesNoReportOfAnotherRound) {
  WaitReport stuck{0, {meeting(1, {0}, {{1, 1}, {7, 7}, {-1, 0}})}, {{9, 1, 1}}};
  for (uint64_t wrong : {uint64_t{0}, detector.round() + 1, UINT64_MAX}) {
    stuck.round = wrong;
    for (Peer process : {0, 1, 2})
      EXPECT_FALSE(detector.report(process, stuck));
  }
  EXPECT_EQ(detector.round(), 1u);
  for (int i = 0; i < 2; ++i)
    EXPECT_FALSE(round({stuck, stuck, stuck})) << "what no process has waits for nothing";
}

TEST(MeetingId, TellsMeetingsApart) {
  EXPECT_EQ(meetingId(1, 2, 3), meetingId(1, 2, 3));
  EXPECT_NE(meetingId(1, 2, 3), meetingId(2, 1, 3));
  EXPECT_NE(meetingId(1, 2, 3), meetingId(1, 2, 4));
  EXPECT_NE(meetingId(0, 0, 0), meetingId(0, 1, 0));
  EXPECT_NE(meetingId(0, 0, 0), meetingId(1, 0, 1));
}

} // namespace
} // namespace tenon::runtime
