#include "tenon/tools/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

namespace tenon::tools {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

// What was written, and a way to wait for a part of it.
class Terminal {
public:
  Progress::Write writer() {
    return [this](std::string_view text) {
      std::lock_guard lock(mutex_);
      all_ += text;
      changed_.notify_all();
    };
  }
  void waitFor(std::string_view part) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return all_.find(part) != std::string::npos; });
  }
  std::string text() {
    std::lock_guard lock(mutex_);
    return all_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string all_;
};

TEST(Progress, NamesTheStageAndGoesAway) {
  Terminal terminal;
  {
    Progress progress("compiling net.mlir", std::chrono::milliseconds(1), terminal.writer());
    terminal.waitFor("compiling net.mlir: 0 s");
    progress.reach("fuse");
    terminal.waitFor("s, done: fuse");
  }
  EXPECT_THAT(terminal.text(), StartsWith("\r\x1b[Kcompiling net.mlir: 0 s"));
  EXPECT_THAT(terminal.text(), EndsWith("\r\x1b[K"));
}

TEST(Progress, SaysNothingOfWhatIsQuick) {
  Terminal terminal;
  {
    Progress progress("compiling", std::chrono::hours(1), terminal.writer());
  }
  EXPECT_EQ(terminal.text(), "");
}

TEST(Progress, IsForTerminals) {
  // The tests' standard error is a pipe or a file; on a terminal there would be a line.
  if (!isatty(2))
    EXPECT_EQ(compileProgress("net.mlir"), nullptr);
}

} // namespace
} // namespace tenon::tools
