#include "tenon/runtime/control/process_watch.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tenon::runtime {
namespace {

// A child that waits until it is killed.
class ProcessWatchTest : public testing::Test {
protected:
  // `isFirstThreadGone`: another thread goes on alone.
  void start(bool isFirstThreadGone = false) {
    int pipes[2];
    ASSERT_EQ(pipe(pipes), 0);
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (isFirstThreadGone)
        endFirstThread(pipes[1]);
      say(pipes[1]);
      waitForEver(nullptr);
    }
    close(pipes[1]);
    ASSERT_EQ(read(pipes[0], &child_, sizeof child_), static_cast<ssize_t>(sizeof child_));
    close(pipes[0]);
  }
  ~ProcessWatchTest() override { end(); }
  void end() {
    if (pid_ <= 0)
      return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

  pid_t pid_ = 0;
  ProcessIdentity child_;

private:
  static void say(int file) {
    ProcessIdentity own = ownIdentity();
    (void)!write(file, &own, sizeof own);
  }
  static void *waitForEver(void *) {
    while (true)
      pause();
  }
  static void endFirstThread(int file) {
    pthread_t thread;
    pthread_create(&thread, nullptr, waitForEver, nullptr);
    say(file);
    syscall(SYS_exit, 0); // of this thread, without unwinding what the test is in
  }
};

TEST_F(ProcessWatchTest, KnowsItself) {
  ProcessIdentity own = ownIdentity();
  EXPECT_EQ(own.pid, getpid());
  EXPECT_NE(own.started, 0u);
  EXPECT_NE(own.namespaceId, 0u);
  ProcessWatch watch(own);
  EXPECT_TRUE(watch.isPossible());
  EXPECT_FALSE(watch.hasEnded());
}

TEST_F(ProcessWatchTest, SeesTheEndBeforeTheParentHasTakenNoteOfIt) {
  start();
  ProcessWatch watch(child_);
  EXPECT_TRUE(watch.isPossible());
  EXPECT_FALSE(watch.hasEnded());
  kill(pid_, SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(watch.hasEnded());
  end();
  EXPECT_TRUE(watch.hasEnded());
}

TEST_F(ProcessWatchTest, KeepsStoppedProcesses) {
  start();
  ProcessWatch watch(child_);
  kill(pid_, SIGSTOP);
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WNOWAIT), 0);
  EXPECT_FALSE(watch.hasEnded());
}

TEST_F(ProcessWatchTest, KeepsProcessesWhoseFirstThreadHasEnded) {
  start(/*isFirstThreadGone=*/true);
  ProcessWatch watch(child_);
  std::string path = "/proc/" + std::to_string(pid_) + "/stat";
  for (char line[64] = {}; !std::strstr(line, ") Z");) {
    FILE *file = std::fopen(path.c_str(), "r");
    ASSERT_TRUE(file && std::fgets(line, sizeof line, file));
    std::fclose(file);
  }
  EXPECT_TRUE(watch.isPossible());
  EXPECT_FALSE(watch.hasEnded());
  end();
  EXPECT_TRUE(watch.hasEnded());
}

TEST_F(ProcessWatchTest, WatchesNoOtherProcessOfTheSameNumber) {
  start();
  ProcessIdentity earlier = child_, elsewhere = child_, unknown = child_;
  --earlier.started;
  ++elsewhere.namespaceId;
  unknown.started = 0;
  for (const ProcessIdentity &each : {earlier, elsewhere, unknown}) {
    ProcessWatch watch(each);
    EXPECT_FALSE(watch.isPossible());
    EXPECT_FALSE(watch.hasEnded()) << "nothing is known of it";
  }
}

} // namespace
} // namespace tenon::runtime
