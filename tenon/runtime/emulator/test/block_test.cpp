#include "tenon/runtime/emulator/block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <fstream>
#include <numeric>
#include <string>
#include <tuple>
#include <unistd.h>
#include <vector>

namespace tenon::runtime::emulator {
namespace {

using program::MemoryAccess, program::ThreadNumber;
using ::testing::HasSubstr;

constexpr uint32_t kThreads = 128, kBlocks = 5;

Launch launchOf(ThreadOrder order, size_t sharedBytes = 0) { return {kBlocks, kThreads, sharedBytes, order}; }

template <typename T> T parameter(void **parameters, int index) { return *static_cast<T *>(parameters[index]); }
// The entry of a kernel's parameters for an argument.
template <typename T> void *entryOf(T &argument) { return static_cast<void *>(&argument); }

void numberThreads(void **parameters) {
  auto *out = parameter<uint32_t *>(parameters, 0);
  uint32_t index = tenon_emu_number(ThreadNumber::kBlock) * tenon_emu_number(ThreadNumber::kThreads) +
                   tenon_emu_number(ThreadNumber::kThread);
  out[index] = index * 10 + tenon_emu_number(ThreadNumber::kBlocks);
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
  uint32_t thread = tenon_emu_number(ThreadNumber::kThread), block = tenon_emu_number(ThreadNumber::kBlock);
  uint32_t sum = in[block * kThreads + thread];
  for (uint32_t lanes = 16; lanes > 0; lanes /= 2)
    sum += tenon_emu_shuffle_xor(sum, lanes);
  if (thread % kWarpThreads == 0)
    shared[thread / kWarpThreads] = sum;
  if constexpr (kHasBarrier)
    tenon_emu_barrier();
  if (thread == 0)
    out[block] = std::accumulate(shared, shared + kThreads / kWarpThreads, 0u);
}

std::vector<uint32_t> sums(EmulatedKernel kernel, ThreadOrder order) {
  std::vector<uint32_t> in(kThreads * kBlocks), out(kBlocks);
  std::iota(in.begin(), in.end(), 1u);
  const uint32_t *from = in.data();
  uint32_t *to = out.data();
  void *parameters[] = {entryOf(from), entryOf(to)};
  EXPECT_TRUE(runKernel(kernel, parameters, launchOf(order, kThreads / kWarpThreads * 4)).ok());
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
  std::atomic<uint32_t> &count = counts[tenon_emu_number(ThreadNumber::kBlock)];
  uint32_t thread = tenon_emu_number(ThreadNumber::kThread), left = kThreads;
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
  if (tenon_emu_number(ThreadNumber::kThread) % 2 == 0)
    tenon_emu_shuffle_xor(0, 1);
}

void barrierOrShuffle(void **) {
  if (tenon_emu_number(ThreadNumber::kThread) == 7)
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
  parameter<float *>(parameters, 0)[tenon_emu_number(ThreadNumber::kBlock)] = *static_cast<float *>(tenon_emu_shared());
}

TEST(EmulatedBlock, SharedMemoryBeginsAsNoNumber) {
  std::vector<float> out(kBlocks, 0);
  float *data = out.data();
  void *parameters[] = {entryOf(data)};
  ASSERT_TRUE(runKernel(readShared, parameters, launchOf(ThreadOrder::kForward, 16)).ok());
  EXPECT_THAT(out, ::testing::Each(::testing::IsNan()));
}

// --- Checked accesses ---

enum class Mistake : uint32_t { kNone, kRace, kOtherBlock, kOutside, kUnaligned, kUnwritten };

uint32_t readChecked(const uint32_t *from, uint32_t alignment = 4) {
  tenon_emu_access(from, sizeof(*from), alignment, MemoryAccess::kRead);
  return *from;
}

void writeChecked(uint32_t *to, uint32_t value) {
  tenon_emu_access(to, sizeof(*to), sizeof(*to), MemoryAccess::kWrite);
  *to = value;
}

// Each thread writes to shared memory, and to global memory what its neighbour has written.
void exchange(void **parameters) {
  auto *out = parameter<uint32_t *>(parameters, 0);
  auto mistake = parameter<Mistake>(parameters, 1);
  auto *shared = static_cast<uint32_t *>(tenon_emu_shared());
  uint32_t thread = tenon_emu_number(ThreadNumber::kThread), block = tenon_emu_number(ThreadNumber::kBlock);
  if (mistake != Mistake::kUnwritten)
    writeChecked(shared + thread, thread);
  if (mistake != Mistake::kRace)
    tenon_emu_barrier();
  uint32_t value = readChecked(shared + (thread ^ 1), mistake == Mistake::kUnaligned ? 16 : 4);
  uint32_t place = block * kThreads + thread;
  if (mistake == Mistake::kOtherBlock)
    place = thread;
  if (mistake == Mistake::kOutside)
    ++place;
  writeChecked(out + place, value);
}

std::string problemOf(Mistake mistake, ThreadOrder order) {
  std::vector<uint32_t> out(kThreads * kBlocks);
  uint32_t *data = out.data();
  void *parameters[] = {entryOf(data), entryOf(mistake)};
  Launch launch = launchOf(order, kThreads * sizeof(uint32_t));
  launch.isDeviceMemory = [&](const void *address, size_t bytes) {
    const auto *at = static_cast<const char *>(address), *begin = reinterpret_cast<const char *>(data);
    return at >= begin && at + bytes <= begin + out.size() * sizeof(uint32_t);
  };
  return runKernel(exchange, parameters, launch).message();
}

TEST(EmulatedBlock, WrongAccessesAreErrors) {
  EXPECT_EQ(problemOf(Mistake::kNone, ThreadOrder::kRandom), "");
  EXPECT_EQ(problemOf(Mistake::kUnwritten, ThreadOrder::kForward), "thread 0 of block 0 reads what nobody has written");
  EXPECT_EQ(problemOf(Mistake::kOutside, ThreadOrder::kForward),
            "thread 127 of block 4 writes 4 bytes outside of allocated memory");
  EXPECT_EQ(problemOf(Mistake::kUnaligned, ThreadOrder::kForward),
            "thread 0 of block 0 reads what is not aligned to 16 bytes");
}

TEST(EmulatedBlock, RacesAreErrorsInAnyOrder) {
  for (ThreadOrder order : {ThreadOrder::kForward, ThreadOrder::kReverse, ThreadOrder::kRandom}) {
    // The first of two neighbours reads what nobody has written yet.
    EXPECT_THAT(problemOf(Mistake::kRace, order), HasSubstr("reads what nobody has written"));
    EXPECT_THAT(problemOf(Mistake::kOtherBlock, order), HasSubstr("has written, without a barrier between them"));
  }
}

// --- Blocks that wait for each other ---

enum class Message : uint32_t { kRight, kRelaxedStore, kRelaxedLoad, kLateWrite, kNoBarrier, kNoStore };

// A block gives the next one a word of its last thread's, by way of its first.
void passOn(void **parameters) {
  auto *data = parameter<uint32_t *>(parameters, 0);
  auto *flags = parameter<std::atomic<uint32_t> *>(parameters, 1);
  auto mistake = parameter<Message>(parameters, 2);
  uint32_t thread = tenon_emu_number(ThreadNumber::kThread), block = tenon_emu_number(ThreadNumber::kBlock),
           last = kThreads - 1;
  if (thread == 0 && block > 0)
    for (;;) {
      tenon_emu_access(&flags[block - 1], 4, 4,
                       mistake == Message::kRelaxedLoad ? MemoryAccess::kAtomic : MemoryAccess::kAcquire);
      if (flags[block - 1].load(std::memory_order_acquire) != 0)
        break;
      tenon_emu_pause();
    }
  tenon_emu_barrier();
  if (thread == last)
    writeChecked(data + block, block == 0 ? 1 : readChecked(data + block - 1) + 1);
  if (mistake != Message::kNoBarrier)
    tenon_emu_barrier();
  if (thread == 0 && mistake != Message::kNoStore) {
    tenon_emu_access(&flags[block], 4, 4,
                     mistake == Message::kRelaxedStore ? MemoryAccess::kAtomic : MemoryAccess::kRelease);
    flags[block].store(1, std::memory_order_release);
  }
  if (thread == last && mistake == Message::kLateWrite)
    writeChecked(data + block, block + 1);
}

std::string problemOf(Message mistake, ThreadOrder order, bool isChecked = true) {
  std::vector<uint32_t> data(kBlocks, 0);
  std::vector<std::atomic<uint32_t>> flags(kBlocks);
  uint32_t *words = data.data();
  std::atomic<uint32_t> *first = flags.data();
  void *parameters[] = {entryOf(words), entryOf(first), entryOf(mistake)};
  Launch launch = launchOf(order);
  if (isChecked)
    launch.isDeviceMemory = [](const void *, size_t) { return true; };
  std::string problem = runKernel(passOn, parameters, launch).message();
  if (problem.empty())
    EXPECT_THAT(data, ::testing::ElementsAre(1, 2, 3, 4, 5));
  return problem;
}

TEST(EmulatedBlock, KnowsWhatAnotherHasReleased) {
  for (ThreadOrder order : {ThreadOrder::kForward, ThreadOrder::kReverse, ThreadOrder::kRandom}) {
    EXPECT_EQ(problemOf(Message::kRight, order), "");
    EXPECT_EQ(problemOf(Message::kRight, order, /*isChecked=*/false), "");
    for (Message mistake : {Message::kRelaxedStore, Message::kRelaxedLoad, Message::kNoBarrier})
      EXPECT_THAT(problemOf(mistake, order), HasSubstr("reads what thread 127 of block 0 has written"));
    EXPECT_THAT(problemOf(Message::kLateWrite, order), HasSubstr("without a barrier between them"));
    EXPECT_EQ(problemOf(Message::kNoStore, order), "thread 0 of block 1 waits for what no block writes");
  }
}

// --- Products of matrices by a warp ---

// The lane's words, as matrix.h places them, of lhs[row][k] = row + k and rhs[k][column] = k - column.
void multiplySmall(void **parameters) {
  auto *out = parameter<int32_t *>(parameters, 0);
  uint32_t lane = tenon_emu_number(ThreadNumber::kThread), row = lane / 4, word = lane % 4;
  auto pack = [](uint32_t number, auto element) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 4; ++i)
      bits |= uint32_t(uint8_t(element(number * 4 + i))) << (8 * i);
    return bits;
  };
  auto lhs = [&](uint32_t of, uint32_t number) { return pack(number, [&](uint32_t k) { return int(of + k); }); };
  auto rhs = [&](uint32_t number) { return pack(number, [&](uint32_t k) { return int(k) - int(row); }); };
  uint32_t words[] = {lhs(row, word),
                      lhs(row + 8, word),
                      lhs(row, word + 4),
                      lhs(row + 8, word + 4),
                      rhs(word),
                      rhs(word + 4),
                      1000,
                      0,
                      0,
                      0};
  uint32_t sums[kMatrixSums];
  tenon_emu_multiply(MatrixKind::kInt8, words, sums);
  for (uint32_t i = 0; i < kMatrixSums; ++i)
    out[(row + i / 2 * 8) * 8 + word * 2 + i % 2] = int32_t(sums[i]);
}

TEST(EmulatedBlock, WarpsMultiplyMatrices) {
  std::vector<int32_t> out(16 * 8, 0);
  int32_t *data = out.data();
  void *parameters[] = {entryOf(data)};
  ASSERT_TRUE(runKernel(multiplySmall, parameters, {1, kWarpThreads, 0, ThreadOrder::kRandom}).ok());
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      int32_t sum = row < 8 && column % 2 == 0 ? 1000 : 0;
      for (int k = 0; k < 32; ++k)
        sum += (row + k) * (k - column);
      EXPECT_EQ(out[size_t(row * 8 + column)], sum) << row << ' ' << column;
    }
}

TEST(EmulatedMatrices, AreOfFloatsOf16BitsToo) {
  for (auto [kind, one, two] :
       {std::tuple(MatrixKind::kBf16, 0x3f80U, 0x4000U), {MatrixKind::kF16, 0x3c00U, 0x4000U}}) {
    MatrixWords words;
    for (auto &lane : words)
      lane = {one | two << 16, one, two, two << 16, one | one << 16, two, 0, 0, 0, 0};
    MatrixSums sums = multiplyMatrices(kind, words);
    // A word of each column pairs with each of the row: four of them have the same two products.
    EXPECT_EQ(std::bit_cast<float>(sums[5][0]), 4 * (1 + 2 + 4));
    EXPECT_EQ(std::bit_cast<float>(sums[5][3]), 4 * 1);
  }
}

TEST(EmulatedMatrices, AreReadAsTheyAreOrTransposed) {
  // Four matrices of 8 rows of 16 bytes, one after the other: elements are 100 * matrix + 8 * row + column.
  std::array<std::array<uint16_t, 8>, kWarpThreads> elements;
  MatrixRows rows;
  for (unsigned lane = 0; lane < kWarpThreads; ++lane) {
    for (unsigned column = 0; column < 8; ++column)
      elements[lane][column] = uint16_t(100 * (lane / 8) + 8 * (lane % 8) + column);
    rows[lane] = elements[lane].data();
  }
  auto pair = [](uint32_t low, uint32_t high) { return low | high << 16; };
  // Lane 6 has row 1 and elements 4 and 5 of it; or column 1 and elements 4 and 5 of that.
  EXPECT_EQ(loadMatrices(rows, false)[6],
            (std::array<uint32_t, kMatrixSums>{pair(12, 13), pair(112, 113), pair(212, 213), pair(312, 313)}));
  EXPECT_EQ(loadMatrices(rows, true)[6],
            (std::array<uint32_t, kMatrixSums>{pair(33, 41), pair(133, 141), pair(233, 241), pair(333, 341)}));
}

// --- Asynchronous copies ---

enum class Order : uint8_t { kRight, kNoWait, kNoEnd, kNoBarrier, kEarlyRead };

// Two groups of copies: of the thread's own 16 bytes, and of zeros. Then each reads those of its neighbour, which are
// in the first group.
template <Order kOrder> void copyBlock(void **parameters) {
  auto *in = parameter<const uint8_t *>(parameters, 0);
  auto *out = parameter<uint32_t *>(parameters, 1);
  auto *shared = static_cast<uint8_t *>(tenon_emu_shared());
  uint32_t thread = tenon_emu_number(ThreadNumber::kThread);
  tenon_emu_copy(shared + 16 * thread, in + 16 * thread, 1);
  if (kOrder != Order::kNoEnd)
    tenon_emu_end_of_copies();
  tenon_emu_copy(shared + 16 * (kWarpThreads + thread), nullptr, 0);
  tenon_emu_end_of_copies();
  if (kOrder == Order::kEarlyRead)
    tenon_emu_access(shared + 16 * thread, 4, 4, MemoryAccess::kRead);
  if (kOrder != Order::kNoWait)
    tenon_emu_wait_for_copies(1);
  if (kOrder != Order::kNoBarrier)
    tenon_emu_barrier();
  const uint8_t *from = shared + 16 * (thread ^ 1);
  tenon_emu_access(from, 4, 4, MemoryAccess::kRead);
  out[thread] = *reinterpret_cast<const uint32_t *>(from);
}

std::string problemOfCopies(EmulatedKernel kernel) {
  alignas(16) std::array<uint32_t, kWarpThreads * 4> in;
  std::iota(in.begin(), in.end(), 0u);
  std::array<uint32_t, kWarpThreads> out{};
  const uint32_t *from = in.data();
  uint32_t *to = out.data();
  void *parameters[] = {entryOf(from), entryOf(to)};
  Launch launch{1, kWarpThreads, 2 * 16 * kWarpThreads, ThreadOrder::kForward};
  launch.isDeviceMemory = [](const void *, size_t) { return true; };
  Status status = runKernel(kernel, parameters, launch);
  if (!status.ok())
    return status.message();
  for (uint32_t i = 0; i < kWarpThreads; ++i)
    EXPECT_EQ(out[i], 4 * (i ^ 1));
  return "";
}

TEST(EmulatedBlock, CopiesAreThereWhenTheirThreadHasWaited) {
  EXPECT_EQ(problemOfCopies(copyBlock<Order::kRight>), "");
  for (EmulatedKernel early : {copyBlock<Order::kNoWait>, copyBlock<Order::kNoEnd>, copyBlock<Order::kEarlyRead>})
    EXPECT_THAT(problemOfCopies(early), HasSubstr("reads what a copy that nobody has waited for may write"));
  EXPECT_NE(problemOfCopies(copyBlock<Order::kNoBarrier>), "");
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

size_t reservedBytes() {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * size_t(sysconf(_SC_PAGESIZE));
}

void measureStacks(void **parameters) {
  tenon_emu_barrier(); // where all threads of the block have stacks
  auto *most = parameter<size_t *>(parameters, 0);
  if (tenon_emu_number(ThreadNumber::kThread) == 0)
    *most = std::max(*most, reservedBytes());
}

// A large grid has 8,192 threads, whose stacks would be 16 GiB.
TEST(EmulatedBlock, StacksOfAGridAreNoMoreThanAProcessMayReserve) {
  size_t most = 0, *address = &most;
  void *parameters[] = {entryOf(address)};
  Launch launch{16, 512, 0, ThreadOrder::kForward};
  launch.isCooperative = true;
  const size_t before = reservedBytes();
  ASSERT_TRUE(runKernel(measureStacks, parameters, launch).ok());
  EXPECT_GT(most, before + (size_t{3} << 30));
  EXPECT_LT(most, before + (size_t{5} << 30));
}

} // namespace
} // namespace tenon::runtime::emulator
