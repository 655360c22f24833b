// How a loop is shared.
//
// One loop at a time occupies the workers. Its owner writes the loop's description, then opens the gate: one atomic
// word with the loop's number, an "open" bit and the count of workers inside. A worker enters by incrementing the count
// with compare-and-swap while the bit is set and leaves by decrementing it. When the owner finds no work left it clears
// the bit and waits for the count to reach zero. A worker that wakes too late finds the gate shut and touches nothing,
// so the owner never waits for a sleeper, and the loop's description can be reused at once. If no worker ever comes
// (they were lost in a fork, or the machine is busy), the owner does all the work itself.
//
// Inside, the range is cut into one stretch for each participant: first one's own, then the others'. Who comes takes
// half of what is left of a stretch, so the last pieces are small, and nobody waits long for another at the end.

#include "tenon/runtime/core/thread_pool.h"

#include "tenon/runtime/core/pause.h"
#include "tenon/support/cpu_quota.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <csignal>
#include <pthread.h>
#endif

namespace tenon::runtime {
namespace {

constexpr size_t kCacheLine = 64;
// How long an idle worker watches the gate before it sleeps. Waking a sleeper costs the caller a system call and the
// worker tens of microseconds, so programs whose kernels follow each other closely must not pay it.
constexpr auto kSpinTime = std::chrono::microseconds(100);

// Work below this is not worth waking anybody for. It is guessed from a small part of the loop, unless that is coarse.
constexpr auto kWorthWaking = std::chrono::microseconds(15);
constexpr int64_t kTriedParts = 32, kCoarseLoop = 8;
// Loops further apart than this do not add up.
constexpr auto kForgetSkipped = std::chrono::milliseconds(1);

using Clock = std::chrono::steady_clock;

constexpr uint64_t kOpen = uint64_t(1) << 31;
constexpr uint64_t kCountMask = kOpen - 1;

uint32_t loopNumber(uint64_t gate) { return uint32_t(gate >> 32); }

// True on threads that are running a part of some loop: their own loops run in place.
thread_local bool insideLoop = false;

struct alignas(kCacheLine) Stretch {
  std::atomic<int64_t> next{0};
  int64_t end = 0;

  struct Piece {
    int64_t begin, end;
    bool isEmpty() const { return begin >= end; }
  };
  // `least`: what a piece has at least, if there is as much.
  Piece takeHalf(int64_t least) {
    // A stretch that is used up is the common case, and reading does not take the cache line.
    int64_t begin = next.load(std::memory_order_relaxed), after = begin;
    do {
      if (begin >= end)
        return {end, end};
      after = std::min(end, begin + std::max(least, (end - begin) / 2));
    } while (!next.compare_exchange_weak(begin, after, std::memory_order_relaxed));
    return {begin, after};
  }
};

} // namespace

struct ThreadPool::State {
  explicit State(int size) : size(size), stretches(size) {}

  const int size;
  // Workers beyond the CPUs that can run them only steal time by spinning.
  bool spin = true;

  alignas(kCacheLine) std::atomic<uint64_t> gate{0};
  // Futex word of sleeping workers: changes with every loop.
  alignas(kCacheLine) std::atomic<uint32_t> wakeWord{0};
  std::atomic<int> sleepers{0};
  std::atomic<bool> stop{false};
  // Futex word of an owner that waits for the last worker to leave.
  alignas(kCacheLine) std::atomic<uint32_t> leftWord{0};
  std::atomic<bool> ownerSleeps{false};
  alignas(kCacheLine) std::atomic<bool> busy{false};

  // The loop. Written by the owner while the gate is shut.
  const RangeBody *body = nullptr;
  int participants = 0;
  int64_t grain = 1;
  std::vector<Stretch> stretches;
  // Work done alone although others could have been woken; only the owner touches these.
  Clock::duration skipped{0};
  Clock::time_point skippedLast{};

  std::vector<std::thread> threads;

  void runShare(int worker);
  void workerMain(int worker);
  bool tryEnter(uint32_t &seen);
  void leave();
  void open(const RangeBody &loopBody, int64_t extent, int64_t least);
  void wake();
  void wakeIfWorthwhile(int64_t extent);
  void closeAndWait();
  void sleepUntilLoop(uint32_t seen);
  bool hasNewLoop(uint32_t seen) const {
    uint64_t value = gate.load(std::memory_order_seq_cst);
    return (value & kOpen) && loopNumber(value) != seen;
  }
};

void ThreadPool::State::runShare(int worker) {
  insideLoop = true;
  for (int i = 0; i < participants; ++i) {
    Stretch &stretch = stretches[(worker + i) % participants];
    for (Stretch::Piece piece = stretch.takeHalf(grain); !piece.isEmpty(); piece = stretch.takeHalf(grain))
      (*body)(piece.begin, piece.end, worker);
  }
  insideLoop = false;
}

// Enters the open loop unless it is the one seen last.
bool ThreadPool::State::tryEnter(uint32_t &seen) {
  uint64_t value = gate.load(std::memory_order_acquire);
  while ((value & kOpen) && loopNumber(value) != seen)
    if (gate.compare_exchange_weak(value, value + 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
      seen = loopNumber(value);
      return true;
    }
  return false;
}

void ThreadPool::State::leave() {
  uint64_t before = gate.fetch_sub(1, std::memory_order_seq_cst);
  if ((before & kCountMask) == 1 && !(before & kOpen) && ownerSleeps.load(std::memory_order_seq_cst)) {
    leftWord.fetch_add(1, std::memory_order_release);
    leftWord.notify_one();
  }
}

// Sleeps until a loop other than the one seen last is opened. That one may still be open while its owner works on.
void ThreadPool::State::sleepUntilLoop(uint32_t seen) {
  uint32_t word = wakeWord.load(std::memory_order_seq_cst);
  if (hasNewLoop(seen) || stop.load(std::memory_order_seq_cst))
    return;
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  wakeWord.wait(word, std::memory_order_seq_cst);
  sleepers.fetch_sub(1, std::memory_order_seq_cst);
}

void ThreadPool::State::workerMain(int worker) {
  uint32_t seen = 0;
  while (!stop.load(std::memory_order_relaxed)) {
    if (tryEnter(seen)) {
      runShare(worker);
      leave();
      continue;
    }
    bool found = false;
    if (spin)
      for (auto until = Clock::now() + kSpinTime; !found && Clock::now() < until;)
        for (int i = 0; i < 32 && !found; ++i) {
          pauseCpu();
          found = hasNewLoop(seen);
        }
    if (!found)
      sleepUntilLoop(seen);
  }
}

void ThreadPool::State::open(const RangeBody &loopBody, int64_t extent, int64_t least) {
  body = &loopBody;
  grain = least;
  participants = int(std::min<int64_t>(size, (extent + grain - 1) / grain));
  int64_t step = extent / participants, longer = extent % participants;
  int64_t begin = 0;
  for (int i = 0; i < participants; ++i) {
    stretches[i].next.store(begin, std::memory_order_relaxed);
    begin += step + (i < longer);
    stretches[i].end = begin;
  }
  uint64_t number = (gate.load(std::memory_order_relaxed) >> 32) + 1;
  if (uint32_t(number) == 0) // 0 is what a new worker believes to have seen
    number = 1;
  gate.store(number << 32 | kOpen, std::memory_order_seq_cst);
  wakeWord.fetch_add(1, std::memory_order_seq_cst);
}

void ThreadPool::State::wake() {
  int asleep = sleepers.load(std::memory_order_seq_cst);
  if (participants > asleep)
    wakeWord.notify_all();
  else
    for (int i = 1; i < participants; ++i)
      wakeWord.notify_one();
  skipped = Clock::duration(0);
}

// A wake-up costs the owner many microseconds. So it does a first part of the loop alone, sees what the rest will take,
// and lets short loops be, until they add up: a program of many short loops must not run alone to its end. Workers that
// are still awake come by themselves, and coarse loops, of which a part is much, do not wait for it.
void ThreadPool::State::wakeIfWorthwhile(int64_t extent) {
  int64_t parts = std::min(extent / grain, kTriedParts);
  if (parts < kCoarseLoop)
    return wake();
  Clock::time_point start = Clock::now();
  int64_t tried = extent / parts, begin = stretches[0].next.fetch_add(tried, std::memory_order_relaxed);
  if (begin < stretches[0].end) {
    insideLoop = true;
    (*body)(begin, std::min(begin + tried, stretches[0].end), 0);
    insideLoop = false;
  }
  Clock::time_point now = Clock::now();
  if (now - skippedLast > kForgetSkipped)
    skipped = Clock::duration(0);
  skipped += (now - start) * (parts - 1);
  skippedLast = now;
  if (skipped > kWorthWaking)
    wake();
}

void ThreadPool::State::closeAndWait() {
  uint64_t value = gate.fetch_and(~kOpen, std::memory_order_seq_cst);
  if ((value & kCountMask) == 0)
    return;
  for (int i = 0; i < 20000; ++i) {
    if ((gate.load(std::memory_order_acquire) & kCountMask) == 0)
      return;
    pauseCpu();
  }
  ownerSleeps.store(true, std::memory_order_seq_cst);
  while (true) {
    uint32_t word = leftWord.load(std::memory_order_acquire);
    if ((gate.load(std::memory_order_seq_cst) & kCountMask) == 0)
      break;
    leftWord.wait(word, std::memory_order_acquire);
  }
  ownerSleeps.store(false, std::memory_order_relaxed);
}

ThreadPool::ThreadPool(int threads) {
  int size = std::max(1, threads > 0 ? threads : defaultThreadCount());
  state_ = std::make_unique<State>(size);
  state_->spin = size <= usableCpus();
#if defined(__linux__)
  // Signals belong to the application's threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
#endif
  for (int worker = 1; worker < size; ++worker) {
    try {
      state_->threads.emplace_back([state = state_.get(), worker] { state->workerMain(worker); });
    } catch (const std::system_error &) {
      break; // No more threads to be had: those that run do the work of the missing.
    }
#if defined(__linux__)
    // Linux allows 15 characters.
    std::string name = "tenon-worker-" + std::to_string(worker % 100);
    pthread_setname_np(state_->threads.back().native_handle(), name.c_str());
#endif
  }
#if defined(__linux__)
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
#endif
}

ThreadPool::~ThreadPool() {
  state_->stop = true;
  state_->wakeWord.fetch_add(1);
  state_->wakeWord.notify_all();
  for (std::thread &thread : state_->threads)
    thread.join();
}

ThreadPool &ThreadPool::global() {
  // Never destroyed: a program may still run on another thread while the process exits.
  static ThreadPool *pool = new ThreadPool();
  return *pool;
}

int ThreadPool::defaultThreadCount() {
  if (const char *text = std::getenv("TENON_NUM_THREADS")) {
    long count = std::strtol(text, nullptr, 10);
    if (count > 0)
      return int(std::min(count, 1024L));
  }
  return usableCpus();
}

int ThreadPool::size() const { return state_->size; }
int ThreadPool::sleepers() const { return state_->sleepers.load(); }

void ThreadPool::parallelFor(int64_t extent, RangeBody body, int64_t grain, bool isLong) {
  if (extent <= 0)
    return;
  grain = std::max<int64_t>(grain, 1);
  State &state = *state_;
  if (extent <= grain || state.size == 1 || insideLoop || state.busy.load(std::memory_order_relaxed) ||
      state.busy.exchange(true, std::memory_order_acquire)) {
    body(0, extent, 0);
    return;
  }
  state.open(body, extent, grain);
  if (state.sleepers.load(std::memory_order_seq_cst) != 0) {
    if (isLong)
      state.wake();
    else
      state.wakeIfWorthwhile(extent);
  }
  state.runShare(0);
  state.closeAndWait();
  state.busy.store(false, std::memory_order_release);
}

} // namespace tenon::runtime
