// Permutations by axes: they are what lists of pairs are, and take the same room for any number of processes.
#include "tenon/ir/permutation.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

namespace tenon::ir {
namespace {

using SourceOf = std::function<std::optional<int64_t>(int64_t place)>;

// The pairs of a grid in which each process gets its array from `sourceOf` its place along an axis.
ProcessPairs pairsAlong(const ProcessAxis &axis, int64_t processes, const SourceOf &sourceOf) {
  ProcessPairs pairs;
  for (int64_t process = 0; process < processes; ++process) {
    int64_t place = process / axis.stride % axis.size;
    if (std::optional<int64_t> source = sourceOf(place))
      pairs.emplace_back(process + (*source - place) * axis.stride, process);
  }
  return pairs;
}

void expectFound(const ProcessAxis &axis, int64_t processes, const SourceOf &source) {
  ProcessPairs pairs = pairsAlong(axis, processes, source);
  std::optional<GroupPermutation> found = findPermutation(pairs, processes);
  ASSERT_TRUE(found) << axis.size << ':' << axis.stride << " of " << processes;
  EXPECT_EQ(pairsOf(*found, processes), pairs);
  mlir::MLIRContext context;
  mlir::Builder builder(&context);
  std::optional<GroupPermutation> read = readPermutation(permutationAttributes(builder, *found));
  ASSERT_TRUE(read);
  EXPECT_EQ(pairsOf(*read, processes), pairs);
}

TEST(Permutation, ShiftsAlongAnAxisAreFound) {
  for (int64_t processes : {8, 12, 64})
    for (const ProcessAxis &axis : {ProcessAxis{4, 1}, {4, 2}, {2, 4}, {processes / 4, 4}, {processes, 1}}) {
      if (processes % (axis.size * axis.stride) != 0 || axis.size < 2)
        continue;
      expectFound(axis, processes, [&](int64_t place) { return (place + 1) % axis.size; });
      expectFound(axis, processes, [&](int64_t place) { return axis.size - 1 - place; });
      expectFound(axis, processes, [&](int64_t) { return axis.size - 1; });
      expectFound(axis, processes, [&](int64_t place) { return place > 0 ? std::optional(place - 1) : std::nullopt; });
    }
}

TEST(Permutation, OthersAreNot) {
  EXPECT_FALSE(findPermutation({}, 4));
  EXPECT_FALSE(findPermutation({{0, 1}}, 4));                                 // of one pair of neighbours alone
  EXPECT_FALSE(findPermutation({{0, 1}, {1, 2}, {2, 0}}, 4));                 // three of four
  EXPECT_FALSE(findPermutation({{0, 2}, {2, 1}, {1, 3}, {3, 0}}, 4));         // no two at the same distance
  EXPECT_FALSE(findPermutation({{0, 1}, {1, 0}, {2, 2}, {3, 3}}, 4));         // in one group only
  EXPECT_FALSE(findPermutation({{0, 1}, {5, 0}}, 4));                         // there is no process 5
  EXPECT_FALSE(findPermutation({{1, 0}, {1, 0}, {1, 1}, {2, 3}, {3, 2}}, 4)); // 0 is sent two arrays
}

TEST(Permutation, ExchangesAxes) {
  GroupPermutation exchange{{{2, 4}, {2, 2}}, {{2, 2}, {2, 4}}};
  EXPECT_EQ(pairsOf(exchange, 8), (ProcessPairs{{0, 0}, {1, 1}, {4, 2}, {5, 3}, {2, 4}, {3, 5}, {6, 6}, {7, 7}}));
  GroupPermutation order{{{2, 1}, {3, 2}}, {{3, 2}, {2, 1}}}; // of parts that do not nest
  EXPECT_EQ(pairsOf(order, 6), (ProcessPairs{{0, 0}, {3, 1}, {1, 2}, {4, 3}, {2, 4}, {5, 5}}));
}

TEST(Permutation, TakesTheSameRoomForAnyNumberOfProcesses) {
  mlir::MLIRContext context;
  mlir::Builder builder(&context);
  for (int64_t processes : {8, 64, 1024}) {
    ProcessPairs pairs =
        pairsAlong({processes / 2, 2}, processes, [&](int64_t place) { return (place + 1) % (processes / 2); });
    std::optional<GroupPermutation> found = findPermutation(pairs, processes);
    ASSERT_TRUE(found);
    auto lengthOf = [attributes = permutationAttributes(builder, *found)](llvm::StringRef name) {
      return attributes.getAs<mlir::DenseI64ArrayAttr>(name).size();
    };
    EXPECT_EQ(lengthOf("axes"), 2);
    EXPECT_EQ(lengthOf("sources"), 2);
    EXPECT_EQ(lengthOf("map"), 3);
  }
}

} // namespace
} // namespace tenon::ir
