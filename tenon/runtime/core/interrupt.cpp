#include "tenon/runtime/core/interrupt.h"
#include "tenon/runtime/core/abi.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace tenon::runtime {

namespace {

using Clock = std::chrono::steady_clock;

// Sets flags at their times: one thread for the process, begun with the first deadline.
class Alarm {
public:
  // Never destroyed: runs may outlive main's statics.
  static Alarm &ofProcess() {
    static auto *instance = new Alarm;
    return *instance;
  }

  void add(Clock::time_point time, int32_t *flag) {
    std::lock_guard lock(mutex_);
    bool isFirst = flags_.empty() || time < flags_.begin()->first;
    flags_.emplace(time, flag);
    if (!thread_.joinable())
      thread_ = std::thread([this] { run(); });
    else if (isFirst)
      changed_.notify_one();
  }

  // Afterwards the flag is no more written to.
  void remove(Clock::time_point time, int32_t *flag) {
    std::lock_guard lock(mutex_);
    auto [first, end] = flags_.equal_range(time);
    for (; first != end; ++first)
      if (first->second == flag) {
        flags_.erase(first);
        return;
      }
  }

private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      if (flags_.empty()) {
        changed_.wait(lock);
      } else if (auto first = flags_.begin(); Clock::now() < first->first) {
        changed_.wait_until(lock, first->first);
      } else {
        __atomic_store_n(first->second, kStop, __ATOMIC_RELAXED);
        flags_.erase(first);
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<Clock::time_point, int32_t *> flags_;
  std::thread thread_;
};

int32_t never = 0; // stays so
thread_local int32_t *currentFlag = &never;

} // namespace

Interrupt::Interrupt(const Wait &wait, int32_t *flag) : wait_(wait), flag_(flag), signals_(flag) {
  if (wait_.deadline != Clock::time_point::max())
    Alarm::ofProcess().add(wait_.deadline, flag_);
  if (wait_.stop.stop_possible())
    onStop_.emplace(wait_.stop, SetFlag{flag_});
}

Interrupt::~Interrupt() {
  if (wait_.deadline != Clock::time_point::max())
    Alarm::ofProcess().remove(wait_.deadline, flag_);
}

Status Interrupt::reason() const {
  if (__atomic_load_n(flag_, __ATOMIC_RELAXED) == kStopBySignal)
    return {StatusCode::kCancelled, "the program was interrupted by a signal"};
  return wait_.status();
}

RunFlag RunFlag::ofThread() {
  RunFlag flag;
  flag.flag_ = currentFlag;
  return flag;
}

void RunFlag::use() const { currentFlag = flag_ ? flag_ : &never; }

CurrentRun::CurrentRun(int32_t *flag) : before_(currentFlag) { currentFlag = flag; }
CurrentRun::~CurrentRun() { currentFlag = before_; }

} // namespace tenon::runtime

extern "C" int32_t tenon_stopped() {
  int32_t *flag = tenon::runtime::currentFlag;
  return __atomic_load_n(flag, __ATOMIC_RELAXED) != 0 && tenon::runtime::confirmsStop(flag);
}
