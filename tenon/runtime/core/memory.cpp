#include "tenon/runtime/core/memory.h"

#include "tenon/support/cpu_quota.h"
#include "tenon/support/shown.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <unordered_map>

#if defined(__GLIBC__)
#include <malloc.h>
#endif
#if defined(__unix__)
#include <pthread.h>
#include <sys/mman.h>
#endif

namespace tenon::runtime {
namespace {

// Freed blocks of at least this size are kept for reuse. For smaller ones malloc is fast enough.
constexpr size_t kCachedFrom = size_t(64) << 10;
// Blocks of at least this size are mappings of their own, on huge pages.
constexpr size_t kHugePage = size_t(2) << 20;
// The size of the largest cached block that is given out for a request of `bytes`.
constexpr size_t largestFor(size_t bytes) { return bytes + bytes / 4; }

// Cached blocks come in eight sizes for each power of two, so at most an eighth of an (untouched) block is unused.
size_t roundToClass(size_t bytes) {
  if (bytes < kCachedFrom)
    return (std::max<size_t>(bytes, 1) + kBufferAlignment - 1) & ~(kBufferAlignment - 1);
  size_t step = size_t(1) << (std::bit_width(bytes) - 4);
  return (bytes + step - 1) & ~(step - 1);
}

// malloc with our alignment: aligned_alloc cuts a piece out of a larger one each time, ten times the work for blocks of
// a few bytes. How far the block lies behind what malloc gave stands in the byte before it.
void *alignedMalloc(size_t bytes) {
  void *base = std::malloc(bytes + kBufferAlignment);
  if (!base)
    return nullptr;
  size_t distance = kBufferAlignment - reinterpret_cast<uintptr_t>(base) % kBufferAlignment;
  uint8_t *block = static_cast<uint8_t *>(base) + distance;
  block[-1] = uint8_t(distance);
  return block;
}

void alignedFree(void *pointer) {
  uint8_t *block = static_cast<uint8_t *>(pointer);
  std::free(block - block[-1]);
}

void *systemAllocate(size_t bytes) {
#if defined(__unix__)
  if (bytes >= kHugePage) {
    size_t mapped = bytes + kHugePage;
    void *base = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
      return nullptr;
    char *begin = static_cast<char *>(base);
    char *aligned = reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(begin) + kHugePage - 1) & ~(kHugePage - 1));
    if (aligned > begin)
      munmap(begin, size_t(aligned - begin));
    size_t tail = size_t(begin + mapped - (aligned + bytes));
    if (tail > 0)
      munmap(aligned + bytes, tail);
#if defined(MADV_HUGEPAGE)
    madvise(aligned, bytes, MADV_HUGEPAGE);
#endif
    return aligned;
  }
#endif
  return alignedMalloc(bytes);
}

void systemFree(void *pointer, size_t bytes) {
#if defined(__unix__)
  if (bytes >= kHugePage) {
    munmap(pointer, bytes);
    return;
  }
#endif
  alignedFree(pointer);
}

// Blocks that came of malloc have gone back there: malloc keeps the memory of blocks between ones that are in use, and
// what once was large enough for a mapping of its own it later takes from its heap.
void trimHeap() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

// Freed blocks, by size; the links lie in the blocks themselves. When the limit is reached the block that was freed
// longest ago goes. Time is counted in rounds, so that freeing a block reads no clock.
class BlockCache {
public:
  BlockCache() {
    int64_t memory = usableMemory();
    limit_ = std::clamp<int64_t>(memory / 8, int64_t(64) << 20, int64_t(4) << 30);
    if (const char *text = std::getenv("TENON_BUFFER_CACHE_MB"))
      limit_ = std::max<int64_t>(0, std::strtoll(text, nullptr, 10)) << 20;
    physical_ = memory;
    age_.older = age_.newer = &age_;
  }

  // A block of `bytes`, or somewhat more: then `bytes` says how much.
  void *take(size_t &bytes) {
    std::lock_guard lock(mutex_);
    const size_t largest = largestFor(bytes);
    auto it = bySize_.lower_bound(bytes);
    while (it != bySize_.end() && it->first <= largest && !it->second)
      ++it;
    if (it == bySize_.end() || it->first > largest)
      return nullptr;
    Block *block = it->second;
    unlink(block);
    if (block->bytes != bytes)
      lent_.emplace(block, bytes = block->bytes);
    return block;
  }

  // `bytes` is what was asked for when the block was allocated. Returns how much it is.
  size_t put(void *pointer, size_t bytes) {
    Block *evicted = nullptr;
    {
      std::lock_guard lock(mutex_);
      if (!lent_.empty())
        if (auto lent = lent_.extract(pointer))
          bytes = lent.mapped();
      bool fits = int64_t(bytes) <= limit_;
      while (fits && cached_ + int64_t(bytes) > limit_) {
        Block *oldest = age_.newer;
        unlink(oldest);
        oldest->nextOfSize = evicted;
        evicted = oldest;
      }
      if (fits) {
        link(static_cast<Block *>(pointer), bytes);
        wakeKeeper();
      } else {
        evicted = new (pointer) Block{.bytes = bytes};
      }
    }
    freeChain(evicted);
    return bytes;
  }

  void clear() { releaseUntil(std::numeric_limits<uint64_t>::max()); }

  // Ends a round: what was freed before it began goes.
  void endRound() {
    std::unique_lock lock(mutex_);
    uint64_t round = round_++;
    lock.unlock();
    releaseUntil(round);
  }

  void setIdlePeriod(std::chrono::milliseconds period) {
    {
      std::lock_guard lock(mutex_);
      idlePeriod_ = period;
    }
    periodChanged_.notify_one();
  }

  int64_t cached() {
    std::lock_guard lock(mutex_);
    return cached_;
  }
  int64_t limit() const { return limit_; }
  int64_t physical() const { return physical_; }

private:
  struct Block {
    Block *nextOfSize = nullptr, *previousOfSize = nullptr;
    Block *older = nullptr, *newer = nullptr;
    size_t bytes = 0;
    uint64_t round = 0; // in which it was freed
  };

  // Gives the blocks back that were freed before this round.
  void releaseUntil(uint64_t round) {
    Block *idle = nullptr;
    bool isOfHeap = false;
    {
      std::lock_guard lock(mutex_);
      while (age_.newer != &age_ && age_.newer->round < round) {
        Block *block = age_.newer;
        unlink(block);
        isOfHeap |= block->bytes < kHugePage;
        block->nextOfSize = idle;
        idle = block;
      }
    }
    freeChain(idle);
    if (isOfHeap)
      trimHeap();
  }

  // Wakes the thread that gives idle blocks back, or makes it. Called with the lock held. Where no thread can be made,
  // and in a child of fork(), blocks stay cached until the limit pushes them out.
  void wakeKeeper() {
    if (!std::exchange(keeperSleeps_, false))
      return;
    if (hasKeeper_) {
      wakeUps_.fetch_add(1);
      wakeUps_.notify_one();
      return;
    }
    hasKeeper_ = true;
    try {
      std::thread([this] { keep(); }).detach(); // the cache is never destroyed
    } catch (const std::system_error &) {
      return;
    }
  }

  // Waits for the end of the period. False if the period was changed meanwhile.
  bool periodPasses() {
    std::unique_lock lock(mutex_);
    auto period = idlePeriod_;
    return !periodChanged_.wait_for(lock, period, [&] { return idlePeriod_ != period; });
  }

  // Sleeps as long as nothing is cached at the end of a round.
  void keep() {
#if defined(__linux__)
    pthread_setname_np(pthread_self(), "tenon-memory");
#endif
    while (true) {
      if (!periodPasses())
        continue;
      endRound();
      uint32_t seen = wakeUps_.load();
      bool sleeps = false;
      {
        std::lock_guard lock(mutex_);
        sleeps = keeperSleeps_ = cached_ == 0;
      }
      if (sleeps)
        wakeUps_.wait(seen);
    }
  }

  void link(Block *block, size_t bytes) {
    block->bytes = bytes;
    block->round = round_;
    Block *&head = bySize_[bytes];
    block->nextOfSize = head;
    block->previousOfSize = nullptr;
    if (head)
      head->previousOfSize = block;
    head = block;
    block->older = age_.older;
    block->newer = &age_;
    age_.older->newer = block;
    age_.older = block;
    cached_ += int64_t(bytes);
  }

  void unlink(Block *block) {
    if (block->previousOfSize)
      block->previousOfSize->nextOfSize = block->nextOfSize;
    else
      bySize_[block->bytes] = block->nextOfSize;
    if (block->nextOfSize)
      block->nextOfSize->previousOfSize = block->previousOfSize;
    block->older->newer = block->newer;
    block->newer->older = block->older;
    cached_ -= int64_t(block->bytes);
  }

  static void freeChain(Block *block) {
    while (block) {
      Block *next = block->nextOfSize;
      systemFree(block, block->bytes);
      block = next;
    }
  }

  std::mutex mutex_;
  std::map<size_t, Block *> bySize_;
  std::unordered_map<void *, size_t> lent_; // in use for a smaller size: how much they are
  Block age_;                               // ring: newer of the anchor is the oldest block, older of it the newest
  int64_t cached_ = 0, limit_ = 0, physical_ = 0;
  uint64_t round_ = 1;
  bool keeperSleeps_ = true, hasKeeper_ = false;
  std::chrono::milliseconds idlePeriod_{2000}; // blocks are given back that lay idle for once to twice this time
  std::condition_variable periodChanged_;
  std::atomic<uint32_t> wakeUps_{0};
};

BlockCache &cache() {
  static BlockCache *instance = new BlockCache(); // buffers may be freed during exit
  return *instance;
}

struct Counters {
  std::atomic<int64_t> inUse{0}, peak{0}, largest{0}, allocations{0};

  void allocated(int64_t bytes) {
    int64_t now = inUse.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    raise(peak, now);
    raise(largest, bytes);
    allocations.fetch_add(1, std::memory_order_relaxed);
  }
  static void raise(std::atomic<int64_t> &maximum, int64_t value) {
    int64_t seen = maximum.load(std::memory_order_relaxed);
    while (seen < value && !maximum.compare_exchange_weak(seen, value, std::memory_order_relaxed))
      ;
  }
};
Counters counters;

} // namespace

TENON_SHOWN void *allocateBuffer(size_t bytes) {
  if (bytes > size_t(std::numeric_limits<int64_t>::max()) / 2)
    return nullptr;
  size_t rounded = roundToClass(bytes);
  void *pointer = rounded >= kCachedFrom ? cache().take(rounded) : nullptr;
  if (!pointer)
    pointer = systemAllocate(rounded);
  if (!pointer) {
    cache().clear();
    pointer = systemAllocate(rounded);
  }
  if (pointer)
    counters.allocated(int64_t(rounded));
  return pointer;
}

TENON_SHOWN void freeBuffer(void *pointer, size_t bytes) {
  if (!pointer)
    return;
  size_t rounded = roundToClass(bytes);
  if (rounded >= kCachedFrom)
    rounded = cache().put(pointer, rounded);
  else
    systemFree(pointer, rounded);
  counters.inUse.fetch_sub(int64_t(rounded), std::memory_order_relaxed);
}

MemoryStats memoryStats() {
  MemoryStats stats;
  stats.bytesInUse = counters.inUse.load(std::memory_order_relaxed);
  stats.peakBytesInUse = counters.peak.load(std::memory_order_relaxed);
  stats.largestAllocation = counters.largest.load(std::memory_order_relaxed);
  stats.allocations = counters.allocations.load(std::memory_order_relaxed);
  stats.cachedBytes = cache().cached();
  stats.cacheLimit = cache().limit();
  stats.physicalBytes = cache().physical();
  return stats;
}

void releaseCachedMemory() { cache().clear(); }
void releaseIdleMemory() { cache().endRound(); }
void setIdlePeriod(std::chrono::milliseconds period) { cache().setIdlePeriod(period); }

} // namespace tenon::runtime
