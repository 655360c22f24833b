#include "tenon/runtime/emulator/block.h"
#include "tenon/runtime/emulator/warp_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

namespace tenon::runtime::emulator {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kColumns = 8, kSums = 4, kRowBytes = 128;
constexpr size_t kSharedBytes = (kGroupRows + kColumns) * kRowBytes;

enum class Mistake : uint8_t {
  kNone,
  kNoFence,
  kNoStart,
  kOtherSums,
  kNoWait,
  kOtherTile,
  kEarlyWrite,
  kMissingThread
};

// Elements of 8 bits: row r of the lhs is all r, column c of the rhs all c.
template <Mistake kMistake> void multiply(void **parameters) {
  auto *out = *static_cast<int32_t **>(parameters[0]);
  auto *shared = static_cast<uint8_t *>(tenon_emu_shared());
  uint32_t thread = tenon_emu_number(program::ThreadNumber::kThread);
  auto write = [&](uint32_t row, uint32_t value) {
    tenon_emu_access(shared + row * kRowBytes, kRowBytes, 1, program::MemoryAccess::kWrite);
    std::fill_n(shared + row * kRowBytes, kRowBytes, uint8_t(value));
  };
  if (thread < kGroupRows + kColumns)
    write(thread, thread % kGroupRows);
  if (kMistake != Mistake::kNoFence)
    tenon_emu_fence_for_groups();
  tenon_emu_barrier();
  if (kMistake == Mistake::kMissingThread && thread == 5)
    return;
  if (kMistake != Mistake::kNoStart)
    tenon_emu_start_of_products();
  std::array<uint32_t, kSums> sums{1, 1, 1, 1};
  for (int i = 0; i < 2; ++i) {
    const uint8_t *rhs = shared + (kMistake == Mistake::kOtherTile && thread == 7 ? 0 : kGroupRows * kRowBytes);
    tenon_emu_multiply_in_group(MatrixKind::kInt8, kColumns, shared, 0, rhs, 0, sums.data());
    if (kMistake == Mistake::kOtherSums)
      sums[0] += 1;
  }
  tenon_emu_end_of_products();
  if (kMistake == Mistake::kEarlyWrite)
    write(thread, 0);
  if (kMistake != Mistake::kNoWait)
    tenon_emu_wait_for_products(0, sums.data(), kSums);
  for (uint32_t i = 0; i < kSums; ++i) {
    uint32_t row = thread / kWarpThreads * 16 + thread % kWarpThreads / 4 + i / 2 * 8;
    out[row * kColumns + thread % 4 * 2 + i % 2] = int32_t(sums[i]);
  }
}

std::array<int32_t, kGroupRows * kColumns> results;

std::string problemOf(EmulatedKernel kernel, ThreadOrder order = ThreadOrder::kForward) {
  int32_t *out = results.data();
  void *parameters[] = {static_cast<void *>(&out)};
  Launch launch{1, kGroupThreads, kSharedBytes, order};
  launch.isDeviceMemory = [](const void *, size_t) { return true; };
  return runKernel(kernel, parameters, launch).message();
}

TEST(EmulatedWarpGroups, MultiplyWhenTheyAreWaitedFor) {
  for (ThreadOrder order : {ThreadOrder::kForward, ThreadOrder::kReverse, ThreadOrder::kRandom}) {
    results.fill(0);
    ASSERT_EQ(problemOf(multiply<Mistake::kNone>, order), "");
    for (uint32_t i = 0; i < results.size(); ++i)
      ASSERT_EQ(results[i], int32_t(1 + 2 * kGroupStepBytes * (i / kColumns) * (i % kColumns))) << i;
  }
}

TEST(EmulatedWarpGroups, SayWhatIsWrong) {
  EXPECT_THAT(problemOf(multiply<Mistake::kNoFence>), HasSubstr("has written without a fence before the barrier"));
  EXPECT_THAT(problemOf(multiply<Mistake::kNoStart>), HasSubstr("without a fence of its registers"));
  EXPECT_THAT(problemOf(multiply<Mistake::kOtherSums>), HasSubstr("brings other sums than those of a product"));
  EXPECT_THAT(problemOf(multiply<Mistake::kNoWait>), HasSubstr("ends before the products of its warp group"));
  EXPECT_THAT(problemOf(multiply<Mistake::kOtherTile>), HasSubstr("brings another product than other threads"));
  EXPECT_THAT(problemOf(multiply<Mistake::kEarlyWrite>), HasSubstr("a product that nobody has waited for may read"));
  EXPECT_THAT(problemOf(multiply<Mistake::kMissingThread>),
              HasSubstr("for threads of its warp group that do not come"));
}

} // namespace
} // namespace tenon::runtime::emulator
