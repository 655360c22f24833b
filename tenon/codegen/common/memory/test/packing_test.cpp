#include "tenon/codegen/common/memory/packing.h"

#include <gtest/gtest.h>

namespace tenon::codegen {
namespace {

constexpr int64_t kArray = int64_t(4) << 20;

BufferClass classOf(int64_t begin, int64_t end, int64_t bytes = kArray) {
  BufferClass buffer;
  buffer.bytes = bytes;
  buffer.addLife(BufferClass::Interval{begin, end});
  return buffer;
}

ResultMemory resultOf(int32_t index, int64_t computedFrom, int64_t bytes = kArray) {
  return {index, bytes, /*alignment=*/4, /*lentUntil=*/-1, computedFrom};
}

bool isInResult(const BufferClass &buffer, int32_t result) {
  return buffer.storage == BufferClass::Storage::kResult && buffer.index == result;
}
bool isInArena(const BufferClass &buffer) { return buffer.storage == BufferClass::Storage::kArena; }

// Arrays in a group's memory are not in the arena, and lie on the same bytes where they are not alive together.
TEST(Packing, ArraysOfAGroupHaveMemoryOfTheirOwn) {
  std::vector<BufferClass> classes{classOf(2, 9), classOf(4, 12), classOf(10, 14), classOf(2, 14)};
  for (size_t i = 0; i < 3; ++i)
    classes[i].storage = BufferClass::Storage::kGroup;
  EXPECT_EQ(packClasses(classes, {4, 4, 4, 4}, {resultOf(0, 20)}), 0);
  EXPECT_TRUE(isInResult(classes[3], 0)); // which those of the group, that others write, never are
  EXPECT_EQ(classes[0].offset, 0);
  EXPECT_EQ(classes[1].offset, kArray);
  EXPECT_EQ(classes[2].offset, 0);
}

// What a device may write early is free from when all have come to the one before.
TEST(Packing, ArraysOfAGroupThatAreWrittenEarly) {
  std::vector<BufferClass> classes{classOf(2, 4), classOf(6, 8), classOf(10, 12), classOf(14, 16)};
  for (BufferClass &buffer : classes)
    buffer.placeInGroup({0, /*isEarly=*/true});
  packClasses(classes, {4, 4, 4, 4}, {});
  EXPECT_EQ(classes[0].offset, 0);
  EXPECT_EQ(classes[1].offset, kArray);
  EXPECT_EQ(classes[2].offset, 0);
  EXPECT_EQ(classes[3].offset, kArray);
}

// Two arrays that are alive together: one of them is where the result will be.
TEST(Packing, ArraysLieWhereResultsWillBe) {
  std::vector<BufferClass> classes{classOf(2, 9), classOf(4, 12)};
  EXPECT_EQ(packClasses(classes, {4, 4}, {resultOf(0, 10)}), kArray);
  EXPECT_TRUE(isInResult(classes[0], 0));
  EXPECT_EQ(classes[0].offset, 0);
  EXPECT_TRUE(isInArena(classes[1])); // the result is made before it ends
}

TEST(Packing, NotBesideTheResult) {
  std::vector<BufferClass> classes{classOf(2, 10)};
  EXPECT_EQ(packClasses(classes, {4}, {resultOf(0, 10)}), kArray);
  EXPECT_TRUE(isInArena(classes[0]));
}

// The argument may be there, as long as it is read.
TEST(Packing, NotBesideADonatedArgument) {
  ResultMemory result = resultOf(0, 20);
  result.lentUntil = 6;
  std::vector<BufferClass> classes{classOf(6, 9), classOf(7, 12)};
  EXPECT_EQ(packClasses(classes, {4, 4}, {result}), kArray);
  EXPECT_TRUE(isInArena(classes[0]));
  EXPECT_TRUE(isInResult(classes[1], 0));
}

TEST(Packing, NotWhereTheyDoNotFit) {
  std::vector<BufferClass> classes{classOf(2, 4)};
  EXPECT_EQ(packClasses(classes, {4}, {resultOf(0, 10, kArray - 4)}), kArray);
  EXPECT_TRUE(isInArena(classes[0]));
}

// A caller's bytes may begin at any address; and kernels' own memory is not what values are made of.
TEST(Packing, NotWhereNobodyAlignsThem) {
  ResultMemory bytes = resultOf(0, 10);
  bytes.alignment = 1;
  std::vector<BufferClass> classes{classOf(2, 4), classOf(2, 4)};
  EXPECT_EQ(packClasses(classes, {4, 0}, {bytes}), 2 * kArray);
  EXPECT_TRUE(isInArena(classes[0]));
  EXPECT_TRUE(isInArena(classes[1]));
}

// What lives longer needs the results that are made later.
TEST(Packing, TheResultThatIsMadeFirst) {
  std::vector<BufferClass> classes{classOf(2, 9), classOf(2, 19)};
  EXPECT_EQ(packClasses(classes, {4, 4}, {resultOf(0, 20), resultOf(1, 10)}), 0);
  EXPECT_TRUE(isInResult(classes[0], 1));
  EXPECT_TRUE(isInResult(classes[1], 0));
}

TEST(Packing, SeveralArraysInOneResult) {
  std::vector<BufferClass> classes{classOf(2, 5, kArray / 2), classOf(3, 8, kArray / 2), classOf(6, 9, kArray / 2)};
  EXPECT_EQ(packClasses(classes, {4, 4, 4}, {resultOf(0, 10)}), 0);
  EXPECT_EQ(classes[0].offset, 0);
  EXPECT_EQ(classes[1].offset, kArray / 2);
  EXPECT_EQ(classes[2].offset, 0);
  for (const BufferClass &buffer : classes)
    EXPECT_TRUE(isInResult(buffer, 0));
}

// Less than a mebibyte is not worth it: such arrays stay in the cache, where one follows the other in one place.
TEST(Packing, SmallArraysStay) {
  constexpr int64_t kSmall = 512 << 10;
  std::vector<BufferClass> classes{classOf(2, 5, kSmall)};
  EXPECT_EQ(packClasses(classes, {4}, {resultOf(0, 10)}), kSmall);
  EXPECT_TRUE(isInArena(classes[0]));
}

} // namespace
} // namespace tenon::codegen
