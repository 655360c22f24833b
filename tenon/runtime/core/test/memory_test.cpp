#include "tenon/runtime/core/memory.h"

#include "tenon/runtime/core/call_memory.h"

#include "gtest/gtest.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include <unistd.h>

namespace tenon::runtime {
namespace {

// Read when the cache is first used.
const bool smallCache = setenv("TENON_BUFFER_CACHE_MB", "48", 1) == 0;

// The cache's thread leaves blocks where they are, but for the test of it.
const bool undisturbed = (setIdlePeriod(std::chrono::hours(24)), true);

TEST(Memory, IsAlignedAndWritable) {
  for (size_t bytes : {size_t(0), size_t(1), size_t(63), size_t(64), size_t(65), size_t(65535), size_t(65536),
                       size_t(100001), (size_t(2) << 20) - 1, size_t(2) << 20, (size_t(5) << 20) + 3}) {
    void *pointer = allocateBuffer(bytes);
    ASSERT_NE(pointer, nullptr) << bytes;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) % kBufferAlignment, 0u) << bytes;
    std::memset(pointer, 0x5a, bytes);
    freeBuffer(pointer, bytes);
  }
}

TEST(Memory, ReusesLargeBlocks) {
  releaseCachedMemory();
  size_t bytes = size_t(4) << 20;
  void *first = allocateBuffer(bytes);
  freeBuffer(first, bytes);
  EXPECT_GE(memoryStats().cachedBytes, int64_t(bytes));
  void *second = allocateBuffer(bytes - 100); // the same class
  EXPECT_EQ(first, second);
  freeBuffer(second, bytes - 100);
  releaseCachedMemory();
  EXPECT_EQ(memoryStats().cachedBytes, 0);
}

TEST(Memory, ReusesBlocksOfNearSizes) {
  releaseCachedMemory();
  const size_t larger = size_t(5) << 20, smaller = size_t(4) << 20, small = size_t(3) << 20;
  const int64_t before = memoryStats().bytesInUse;
  void *first = allocateBuffer(larger);
  freeBuffer(first, larger);
  void *second = allocateBuffer(smaller);
  EXPECT_EQ(first, second);
  EXPECT_EQ(memoryStats().bytesInUse, before + int64_t(larger)); // what is really taken
  EXPECT_EQ(memoryStats().cachedBytes, 0);
  freeBuffer(second, smaller);
  EXPECT_EQ(memoryStats().bytesInUse, before);
  EXPECT_EQ(memoryStats().cachedBytes, int64_t(larger));
  // It is still as large as it was, and too large for what is much smaller.
  void *third = allocateBuffer(small);
  EXPECT_NE(third, first);
  EXPECT_EQ(memoryStats().cachedBytes, int64_t(larger));
  void *fourth = allocateBuffer(larger);
  EXPECT_EQ(fourth, first);
  std::memset(fourth, 1, larger);
  // One of the very size goes first.
  freeBuffer(fourth, larger);
  void *exact = allocateBuffer(small);
  freeBuffer(third, small);
  EXPECT_EQ(allocateBuffer(small), third);
  freeBuffer(exact, small);
  freeBuffer(third, small);
  releaseCachedMemory();
  EXPECT_EQ(memoryStats().bytesInUse, before);
}

TEST(Memory, GivesBackWhatLiesIdle) {
  releaseCachedMemory();
  const size_t bytes = size_t(4) << 20, other = size_t(1) << 20;
  freeBuffer(allocateBuffer(bytes), bytes);
  releaseIdleMemory();
  freeBuffer(allocateBuffer(other), other);
  EXPECT_EQ(memoryStats().cachedBytes, int64_t(bytes + other));
  releaseIdleMemory();
  EXPECT_EQ(memoryStats().cachedBytes, int64_t(other)); // freed after the call before
  releaseIdleMemory();
  EXPECT_EQ(memoryStats().cachedBytes, 0);
  // Nobody has to ask: twice, since the thread sleeps in between.
  setIdlePeriod(std::chrono::milliseconds(1));
  for (int round = 0; round < 2; ++round) {
    freeBuffer(allocateBuffer(bytes), bytes);
    while (memoryStats().cachedBytes > 0)
      std::this_thread::yield();
  }
  setIdlePeriod(std::chrono::hours(24));
}

#if defined(__GLIBC__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
int64_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// Blocks of less than a huge page are of malloc, which keeps what lies between blocks in use.
TEST(Memory, SystemGetsBackWhatMallocWouldKeep) {
  freeBuffer(allocateBuffer(1 << 20), 1 << 20); // malloc makes no mappings of their own for smaller blocks afterwards
  releaseCachedMemory();
  const size_t bytes = size_t(256) << 10, count = 160;
  std::vector<Buffer> kept;
  int64_t before = residentBytes();
  {
    std::vector<Buffer> buffers;
    for (size_t i = 0; i < count; ++i) {
      std::memset(buffers.emplace_back(bytes).data(), 1, bytes);
      kept.emplace_back(4096);
    }
    EXPECT_GT(residentBytes(), before + int64_t(count * bytes / 2));
  }
  releaseIdleMemory();
  releaseIdleMemory();
  EXPECT_LT(residentBytes(), before + int64_t(count * bytes / 4));
}
#endif

TEST(Memory, SmallCallsTakeNoBlock) {
  for (size_t bytes : {size_t(0), size_t(1), size_t(2048), size_t(2049), size_t(1) << 20}) {
    int64_t allocations = memoryStats().allocations;
    CallMemory memory(bytes);
    ASSERT_TRUE(memory) << bytes;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % kBufferAlignment, 0u) << bytes;
    EXPECT_EQ(memoryStats().allocations - allocations, bytes > 2048) << bytes;
    std::memset(memory.data(), 0x5a, bytes);
  }
  EXPECT_FALSE(CallMemory(SIZE_MAX));
}

TEST(Memory, CountsWhatIsInUse) {
  int64_t before = memoryStats().bytesInUse;
  {
    Buffer buffer(1 << 20);
    EXPECT_GE(memoryStats().bytesInUse, before + (1 << 20));
    EXPECT_GE(memoryStats().peakBytesInUse, before + (1 << 20));
    Buffer moved = std::move(buffer);
    EXPECT_FALSE(buffer); // NOLINT(bugprone-use-after-move): what is tested
    EXPECT_EQ(moved.size(), size_t(1) << 20);
  }
  EXPECT_EQ(memoryStats().bytesInUse, before);
}

TEST(Memory, RefusesTheImpossible) {
  EXPECT_EQ(allocateBuffer(~size_t(0)), nullptr);
  EXPECT_EQ(allocateBuffer(size_t(1) << 62), nullptr);
}

TEST(Memory, CacheStaysBelowItsLimit) {
  int64_t limit = memoryStats().cacheLimit;
  ASSERT_TRUE(smallCache);
  ASSERT_EQ(limit, 48 << 20);
  size_t bytes = size_t(8) << 20;
  std::vector<Buffer> buffers;
  for (int64_t total = 0; total < 2 * limit; total += int64_t(bytes))
    buffers.emplace_back(bytes); // never touched, so no memory is used
  buffers.clear();
  EXPECT_LE(memoryStats().cachedBytes, limit);
  EXPECT_GT(memoryStats().cachedBytes, 0);
  Buffer tooBig(size_t(limit) + 1);
  tooBig = Buffer();
  EXPECT_LE(memoryStats().cachedBytes, limit);
  releaseCachedMemory();
}

TEST(Memory, IsThreadSafe) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 500; ++i) {
        size_t bytes = size_t(1000 + 40000 * ((i * 7 + t) % 11));
        Buffer buffer(bytes);
        std::memset(buffer.data(), t, bytes);
        for (size_t k = 0; k < bytes; k += 997)
          ASSERT_EQ(static_cast<char *>(buffer.data())[k], char(t));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
} // namespace tenon::runtime
