#include "tenon/runtime/emulator/block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <vector>

namespace tenon::runtime::emulator {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kThreads = 128, kBlocks = 5;

Launch launchOf(ThreadOrder order, size_t sharedBytes = 0) { return {kBlocks, kThreads, sharedBytes, order}; }

template <typename T> T parameter(void **parameters, int index) { return *static_cast<T *>(parameters[index]); }
// The entry of a kernel's parameters for an argument.
template <typename T> void *entryOf(T &argument) { return static_cast<void *>(&argument); }

void numberThreads(void **parameters) {
  auto *out = parameter<uint32_t *>(parameters, 0);
  uint32_t index = tenon_emu_number(kEmuBlock) * tenon_emu_number(kEmuThreads) + tenon_emu_number(kEmuThread);
  out[index] = index * 10 + tenon_emu_number(kEmuBlocks);
}

TEST(EmulatedBlock, EveryThreadRunsOnceAndKnowsItsNumber) {
  for (ThreadOrder order : {ThreadOrder::kForward, ThreadOrder::kReverse, ThreadOrder::kRandom}) {
    std::vector<uint32_t> out(kThreads * kBlocks, 0);
    uint32_t *data = out.data();
    void *parameters[] = {entryOf(data)};
    ASSERT_TRUE(runKernel(numberThreads, parameters, launchOf(order)).ok());
    for (uint32_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], i * 10 + kBlocks);
  }
}

// Sums the numbers of a block: within warps by shuffles, then by one warp through shared memory.
template <bool kHasBarrier> void sumBlock(void **parameters) {
  auto *in = parameter<const uint32_t *>(parameters, 0);
  auto *out = parameter<uint32_t *>(parameters, 1);
  auto *shared = static_cast<uint32_t *>(tenon_emu_shared());
  uint32_t thread = tenon_emu_number(kEmuThread), block = tenon_emu_number(kEmuBlock);
  uint32_t sum = in[block * kThreads + thread];
  for (uint32_t lanes = 16; lanes > 0; lanes /= 2)
    sum += tenon_emu_shuffle_xor(sum, lanes);
  if (thread % kWarpLanes == 0)
    shared[thread / kWarpLanes] = sum;
  if constexpr (kHasBarrier)
    tenon_emu_barrier();
  if (thread == 0)
    out[block] = std::accumulate(shared, shared + kThreads / kWarpLanes, 0u);
}

std::vector<uint32_t> sums(EmulatedKernel kernel, ThreadOrder order) {
  std::vector<uint32_t> in(kThreads * kBlocks), out(kBlocks);
  std::iota(in.begin(), in.end(), 1u);
  const uint32_t *from = in.data();
  uint32_t *to = out.data();
  void *parameters[] = {entryOf(from), entryOf(to)};
  EXPECT_TRUE(runKernel(kernel, parameters, launchOf(order, kThreads / kWarpLanes * 4)).ok());
  return out;
}

TEST(EmulatedBlock, SumsThroughShufflesAndSharedMemory) {
  std::vector<uint32_t> expected;
  for (uint32_t block = 0; block < kBlocks; ++block)
    expected.push_back(kThreads * (2 * block * kThreads + kThreads + 1) / 2);
  for (ThreadOrder order : {ThreadOrder::kForward, ThreadOrder::kReverse, ThreadOrder::kRandom})
    EXPECT_EQ(sums(sumBlock<true>, order), expected);
}

// That is what the orders are for.
TEST(EmulatedBlock, AMissingBarrierShowsInTheOrders) {
  EXPECT_NE(sums(sumBlock<false>, ThreadOrder::kForward), sums(sumBlock<false>, ThreadOrder::kReverse));
}

// Each thread counts, and sees after each barrier that all have.
void countTogether(void **parameters) {
  auto *counts = parameter<std::atomic<uint32_t> *>(parameters, 0);
  auto *wrong = parameter<std::atomic<uint32_t> *>(parameters, 1);
  std::atomic<uint32_t> &count = counts[tenon_emu_number(kEmuBlock)];
  uint32_t thread = tenon_emu_number(kEmuThread), left = kThreads;
  for (uint32_t turn = 1; turn <= 3; ++turn) {
    ++count;
    tenon_emu_barrier();
    *wrong += count < left;
    tenon_emu_barrier();
    if (turn == 1 && thread % 3 == 0)
      return; // who has ended is not waited for
    if (turn == 1)
      left = kThreads;
    left += kThreads - (kThreads + 2) / 3;
  }
}

TEST(EmulatedBlock, BarriersWaitForAllThatHaveNotEnded) {
  std::vector<std::atomic<uint32_t>> counts(kBlocks);
  std::atomic<uint32_t> *data = counts.data(), wrong{0}, *wrongs = &wrong;
  void *parameters[] = {entryOf(data), entryOf(wrongs)};
  ASSERT_TRUE(runKernel(countTogether, parameters, launchOf(ThreadOrder::kRandom)).ok());
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(counts[0], 3 * kThreads - 2 * ((kThreads + 2) / 3));
}

void halfShuffles(void **) {
  if (tenon_emu_number(kEmuThread) % 2 == 0)
    tenon_emu_shuffle_xor(0, 1);
}

void barrierOrShuffle(void **) {
  if (tenon_emu_number(kEmuThread) == 7)
    tenon_emu_shuffle_xor(0, 1);
  tenon_emu_barrier();
}

TEST(EmulatedBlock, ADeadlockIsAnError) {
  Status shuffles = runKernel(halfShuffles, nullptr, launchOf(ThreadOrder::kForward));
  ASSERT_EQ(shuffles.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(shuffles.message(), HasSubstr("thread 0 of block 0 waits for lanes of its warp that do not come"));
  Status barrier = runKernel(barrierOrShuffle, nullptr, launchOf(ThreadOrder::kForward));
  ASSERT_EQ(barrier.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(barrier.message(), HasSubstr("waits at a barrier that not all threads of the block come to"));
}

void readShared(void **parameters) {
  parameter<float *>(parameters, 0)[tenon_emu_number(kEmuBlock)] = *static_cast<float *>(tenon_emu_shared());
}

TEST(EmulatedBlock, SharedMemoryBeginsAsNoNumber) {
  std::vector<float> out(kBlocks, 0);
  float *data = out.data();
  void *parameters[] = {entryOf(data)};
  ASSERT_TRUE(runKernel(readShared, parameters, launchOf(ThreadOrder::kForward, 16)).ok());
  EXPECT_THAT(out, ::testing::Each(::testing::IsNan()));
}

TEST(EmulatedBlock, BlocksMayHaveOneThreadOrPartsOfAWarp) {
  for (uint32_t threads : {1u, 7u, 33u, 1024u}) {
    std::vector<uint32_t> out(threads * 2, 0);
    uint32_t *data = out.data();
    void *parameters[] = {entryOf(data)};
    ASSERT_TRUE(runKernel(numberThreads, parameters, {2, threads, 0, ThreadOrder::kForward}).ok());
    EXPECT_EQ(out.back(), (threads * 2 - 1) * 10 + 2);
  }
}

} // namespace
} // namespace tenon::runtime::emulator
