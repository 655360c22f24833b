#include "tenon/tools/progress.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::tools {

// To the line's begin, and nothing behind.
static constexpr const char *kClear = "\r\x1b[K";

Progress::Progress(std::string what, std::chrono::milliseconds interval, Write write)
    : what_(std::move(what)), interval_(interval), write_(std::move(write)), thread_([this] { writeLines(); }) {}

Progress::~Progress() {
  {
    std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  thread_.join();
  if (hasLine_)
    write_(kClear);
}

void Progress::reach(std::string_view stage) {
  std::lock_guard lock(mutex_);
  stage_ = stage;
}

void Progress::writeLines() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, interval_, [this] { return done_; })) {
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start_).count();
    std::string line = kClear + what_ + ": " + std::to_string(seconds) + " s";
    if (!stage_.empty())
      line += ", done: " + stage_;
    write_(line);
    hasLine_ = true;
  }
}

std::unique_ptr<Progress> compileProgress(const std::string &file) {
  if (!llvm::sys::Process::StandardErrHasColors()) // no terminal, or one that cannot write over a line
    return nullptr;
  return std::make_unique<Progress>("compiling " + file, std::chrono::seconds(2),
                                    [](std::string_view text) { llvm::errs() << text; });
}

} // namespace tenon::tools
