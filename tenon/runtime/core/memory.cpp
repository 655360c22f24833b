#include "tenon/runtime/core/memory.h"

#include "tenon/runtime/core/cpu_quota.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <unordered_map>

#if defined(__unix__)
#include <sys/mman.h>
#endif

namespace tenon::runtime {
namespace {

// Below this malloc is at its best; from here on freed blocks are kept.
constexpr size_t kCachedFrom = size_t(64) << 10;
// From here on blocks are mapped by themselves, on huge pages.
constexpr size_t kHugePage = size_t(2) << 20;

// Cached blocks come in eight sizes for each power of two, so at most an eighth of an (untouched) block is unused.
size_t roundToClass(size_t bytes) {
  if (bytes < kCachedFrom)
    return (std::max<size_t>(bytes, 1) + kBufferAlignment - 1) & ~(kBufferAlignment - 1);
  size_t step = size_t(1) << (std::bit_width(bytes) - 4);
  return (bytes + step - 1) & ~(step - 1);
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
  return std::aligned_alloc(kBufferAlignment, bytes);
}

void systemFree(void *pointer, size_t bytes) {
#if defined(__unix__)
  if (bytes >= kHugePage) {
    munmap(pointer, bytes);
    return;
  }
#endif
  std::free(pointer);
}

// Freed blocks, by size; the links lie in the blocks themselves. When the limit is reached the block that was freed
// longest ago goes.
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

  void *take(size_t bytes) {
    std::lock_guard lock(mutex_);
    auto it = bySize_.find(bytes);
    if (it == bySize_.end() || !it->second)
      return nullptr;
    Block *block = it->second;
    unlink(block);
    return block;
  }

  void put(void *pointer, size_t bytes) {
    if (int64_t(bytes) > limit_) {
      systemFree(pointer, bytes);
      return;
    }
    Block *evicted = nullptr;
    {
      std::lock_guard lock(mutex_);
      while (cached_ + int64_t(bytes) > limit_) {
        Block *oldest = age_.newer;
        unlink(oldest);
        oldest->nextOfSize = evicted;
        evicted = oldest;
      }
      link(static_cast<Block *>(pointer), bytes);
    }
    freeChain(evicted);
  }

  void clear() {
    Block *all = nullptr;
    {
      std::lock_guard lock(mutex_);
      while (age_.newer != &age_) {
        Block *block = age_.newer;
        unlink(block);
        block->nextOfSize = all;
        all = block;
      }
    }
    freeChain(all);
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
  };

  void link(Block *block, size_t bytes) {
    block->bytes = bytes;
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
  std::unordered_map<size_t, Block *> bySize_;
  Block age_; // ring: newer of the anchor is the oldest block, older of it the newest
  int64_t cached_ = 0, limit_ = 0, physical_ = 0;
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

void *allocateBuffer(size_t bytes) {
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

void freeBuffer(void *pointer, size_t bytes) {
  if (!pointer)
    return;
  size_t rounded = roundToClass(bytes);
  counters.inUse.fetch_sub(int64_t(rounded), std::memory_order_relaxed);
  if (rounded >= kCachedFrom)
    cache().put(pointer, rounded);
  else
    systemFree(pointer, rounded);
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

} // namespace tenon::runtime
