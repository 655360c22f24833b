// Reductions block by block in a balanced tree, and the groups that they are over.
#include "tenon/runtime/collectives/fold_group.h"
#include "tenon/runtime/collectives/groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace tenon::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kBlock = 4; // elements

// Neither associative nor commutative: left - 3 right, of as many elements as a block has.
void combine(void *const *buffers, int64_t begin, int64_t end, void *) {
  const auto *left = static_cast<const int64_t *>(buffers[0]), *right = static_cast<const int64_t *>(buffers[1]);
  for (int64_t i = begin; i < end; ++i)
    static_cast<int64_t *>(buffers[2])[i] = left[i] - 3 * right[i];
}

int64_t tree(const std::vector<int64_t> &values, size_t begin, size_t end) {
  if (end - begin == 1)
    return values[begin];
  size_t left = 1;
  while (2 * left < end - begin)
    left *= 2;
  return tree(values, begin, begin + left) - 3 * tree(values, begin + left, end);
}

// The rows that `where` names of arrays of `elements` numbers, reduced in two ranges.
void checkFold(size_t members, size_t elements, const FoldedRows &where) {
  std::vector<std::vector<int64_t>> arrays(members, std::vector<int64_t>(elements));
  for (size_t member = 0; member < members; ++member)
    for (size_t i = 0; i < elements; ++i)
      arrays[member][i] = static_cast<int64_t>((member + 1) * 7919 + i * i * 31);
  std::vector<const char *> pointers;
  for (const auto &array : arrays)
    pointers.push_back(reinterpret_cast<const char *>(array.data()));
  size_t count = where.bytes() / sizeof(int64_t);
  std::vector<int64_t> result(count + 1, -1), other(count + 1, -1);
  char *results[] = {reinterpret_cast<char *>(result.data()), reinterpret_cast<char *>(other.data())};
  constexpr size_t kBlockBytes = kBlock * sizeof(int64_t);
  size_t middle = where.bytes() / 2 / kBlockBytes * kBlockBytes;
  BlockKernel kernel{combine, kBlock};
  ASSERT_TRUE(foldRange(pointers, where, 0, middle, kernel, kBlockBytes, results));
  ASSERT_TRUE(foldRange(pointers, where, middle, where.bytes(), kernel, kBlockBytes, results));
  for (size_t i = 0; i < count; ++i) {
    size_t rowElements = where.rowBytes / sizeof(int64_t);
    size_t at = (where.offset + i / rowElements * where.stride) / sizeof(int64_t) + i % rowElements;
    std::vector<int64_t> values;
    for (const auto &array : arrays)
      values.push_back(array[at]);
    ASSERT_EQ(result[i], tree(values, 0, members)) << members << " members, element " << i;
  }
  EXPECT_EQ(result[count], -1); // nothing is written behind
  EXPECT_EQ(other, result);
}

TEST(FoldGroup, IsATreeOverAnyNumberOfMembers) {
  for (size_t members : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 31, 32, 33, 64, 100, 1000})
    for (size_t elements : {1, 4, 19})
      checkFold(members, elements, {1, elements * sizeof(int64_t), 0, 0});
}

TEST(FoldGroup, ReadsPartsOfRows) {
  constexpr size_t kSize = sizeof(int64_t);
  for (size_t part : {1, 3, 4, 6, 9}) // of rows of three parts, the last one
    for (size_t rows : {1, 2, 5, 8})
      for (size_t members : {1, 2, 5})
        checkFold(members, rows * part * 3, {rows, part * kSize, part * 3 * kSize, part * 2 * kSize});
}

TEST(FoldGroup, TakesLargeArraysInPieces) {
  constexpr size_t kSize = sizeof(int64_t), kHalf = (size_t(8) << 20) / kSize + 3;
  checkFold(3, 2 * kHalf - 1, {1, (2 * kHalf - 1) * kSize, 0, 0});
  checkFold(2, 2 * kHalf, {2, kHalf * kSize, kHalf * kSize, 0}); // one ends in another row
}

TEST(FoldGroup, BeginsWithTheLargestNodesOfOneOsProcess) {
  auto nodes = [](const std::vector<int32_t> &where) { return nodesOf(where); };
  EXPECT_THAT(nodes({0, 0, 0, 0, 1, 1, 1, 1}), ElementsAre(FoldedNode{0, 2}, FoldedNode{4, 2}));
  EXPECT_THAT(nodes({0, 1, 1, 1, 1, 0}),
              ElementsAre(FoldedNode{0, 0}, FoldedNode{1, 0}, FoldedNode{2, 1}, FoldedNode{4, 0}, FoldedNode{5, 0}));
  EXPECT_THAT(nodes({0, 0, 0, 0, 1, 1}), ElementsAre(FoldedNode{0, 2}, FoldedNode{4, 1}));
  EXPECT_THAT(nodes({0, 0, 0, 0, 0}), ElementsAre(FoldedNode{0, 2}, FoldedNode{4, 0}));
}

//===- Groups ----------------------------------------------------------------------------------------------------===//

using Numbers = std::vector<int64_t>;

program::RuntimeCall callWith(const std::vector<std::pair<std::string, Numbers>> &lists) {
  program::RuntimeCall call;
  for (const auto &[name, numbers] : lists)
    call.attributes.push_back({name, {program::IntegerArrayAttribute{program::ElementType::kI64, numbers}}});
  return call;
}

TEST(Groups, ByAxesAreThoseOfTheOwnPlace) {
  auto groups = Groups::of(callWith({{"axes", {2, 6, 3, 1}}})); // of 2 x 2 x 3
  ASSERT_TRUE(groups.ok()) << groups.status().message();
  EXPECT_EQ(groups->largest(), 6u);
  EXPECT_THAT(*groups->ofProcess(0), ElementsAre(0, 1, 2, 6, 7, 8));
  EXPECT_THAT(*groups->ofProcess(10), ElementsAre(3, 4, 5, 9, 10, 11));
  EXPECT_THAT(*groups->ofProcess(3), ElementsAre(3, 4, 5, 9, 10, 11));
  auto minor = Groups::of(callWith({{"axes", {3, 1, 2, 6}}}));
  EXPECT_THAT(*minor->ofProcess(10), ElementsAre(3, 9, 4, 10, 5, 11));
  auto alone = Groups::of(callWith({{"axes", {}}}));
  EXPECT_THAT(*alone->ofProcess(7), ElementsAre(7));
}

TEST(Groups, ByListsMayDifferInSize) {
  auto groups = Groups::of(callWith({{"groups", {2, 0, 3}}, {"sizes", {2, 1}}}));
  ASSERT_TRUE(groups.ok()) << groups.status().message();
  EXPECT_EQ(groups->largest(), 2u);
  EXPECT_EQ(groups->smallest(), 1u);
  EXPECT_THAT(*groups->ofProcess(0), ElementsAre(2, 0));
  EXPECT_THAT(groups->ofProcess(1).status().message(), HasSubstr("process 1 is in no group"));
}

TEST(Groups, ThatAreImpossible) {
  auto message = [](const std::vector<std::pair<std::string, Numbers>> &lists) {
    return Groups::of(callWith(lists)).status().message();
  };
  EXPECT_THAT(message({{"axes", {2}}}), HasSubstr("a size and a stride each"));
  EXPECT_THAT(message({{"axes", {0, 1}}}), HasSubstr("impossible sizes"));
  EXPECT_THAT(message({{"axes", {2, 0}}}), HasSubstr("impossible sizes"));
  EXPECT_THAT(message({{"axes", {1 << 20, 1, 2, 1 << 20}}}), HasSubstr("impossible sizes"));
  EXPECT_THAT(message({{"axes", {2, 8, 3, 1}}}), HasSubstr("overlap"));
  EXPECT_THAT(message({{"axes", {2, 1, 4, 1}}}), HasSubstr("overlap"));
  EXPECT_THAT(message({{"groups", {1, 1}}, {"sizes", {2}}}), HasSubstr("each process once"));
  EXPECT_THAT(message({{"groups", {1}}, {"sizes", {2}}}), HasSubstr("do not fit"));
}

} // namespace
} // namespace tenon::runtime
