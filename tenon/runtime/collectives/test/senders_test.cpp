#include "tenon/runtime/collectives/senders.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace tenon::runtime {
namespace {

using Numbers = std::vector<int64_t>;

StatusOr<Senders> sendersOf(const std::vector<std::pair<const char *, Numbers>> &attributes) {
  program::RuntimeCall call;
  for (const auto &[name, numbers] : attributes)
    call.attributes.push_back({name, {program::IntegerArrayAttribute{program::ElementType::kI64, numbers}}});
  return Senders::of(call);
}

// The process that sends to each; -1 for none.
Numbers sourcesOf(const Senders &senders, int64_t processes) {
  Numbers sources;
  for (int64_t process = 0; process < processes; ++process) {
    Numbers members = *senders.members(process);
    std::optional<size_t> source;
    if (!members.empty())
      source = senders.sourceOf(placeIn(members, process));
    sources.push_back(source ? members[*source] : -1);
  }
  return sources;
}

TEST(Senders, OfPairsAreThoseOfTheList) {
  StatusOr<Senders> senders = sendersOf({{"pairs", {0, 3, 3, 1, 5, 5}}});
  ASSERT_TRUE(senders.ok());
  EXPECT_EQ(sourcesOf(*senders, 6), (Numbers{-1, 3, -1, 0, -1, 5}));
  EXPECT_EQ(*senders->members(1), (Numbers{0, 1, 3, 5}));
  EXPECT_EQ(*senders->members(2), Numbers());
}

std::vector<std::pair<const char *, Numbers>> byAxes(const Numbers &targets, const Numbers &sources,
                                                     const Numbers &map) {
  return {{"axes", targets}, {"sources", sources}, {"map", map}};
}

TEST(Senders, AlongAxesMeetInGroups) {
  // A grid of 2 x 3: each gets the array of its right neighbour, in a ring or in a row.
  StatusOr<Senders> ring = sendersOf(byAxes({3, 1}, {3, 1}, {1, 1, 1}));
  StatusOr<Senders> row = sendersOf(byAxes({3, 1}, {3, 1}, {1, 1, 0}));
  ASSERT_TRUE(ring.ok() && row.ok());
  EXPECT_EQ(sourcesOf(*ring, 6), (Numbers{1, 2, 0, 4, 5, 3}));
  EXPECT_EQ(sourcesOf(*row, 6), (Numbers{1, 2, -1, 4, 5, -1}));
  EXPECT_EQ(*row->members(4), (Numbers{3, 4, 5}));
  StatusOr<Senders> reflected = sendersOf(byAxes({3, 1}, {3, 1}, {-1, 4, 1})); // the last keeps its own
  ASSERT_TRUE(reflected.ok()) << reflected.status().ToString();
  EXPECT_EQ(sourcesOf(*reflected, 6), (Numbers{1, 0, 2, 4, 3, 5}));
  // The first and the last axis of 2 x 2 x 2 are exchanged.
  StatusOr<Senders> exchanged = sendersOf(byAxes({2, 4, 2, 1}, {2, 1, 2, 4}, {1, 0, 0}));
  ASSERT_TRUE(exchanged.ok());
  EXPECT_EQ(sourcesOf(*exchanged, 8), (Numbers{0, 4, 2, 6, 1, 5, 3, 7}));
  EXPECT_EQ(*exchanged->members(3), (Numbers{2, 3, 6, 7}));
}

TEST(Senders, ImpossibleOnesAreRefused) {
  for (const auto &attributes : {byAxes({4, 1}, {4, 1}, {1, 0}),          // a map of two numbers
                                 byAxes({4, 1}, {4}, {1, 0, 0}),          // an axis without a stride
                                 byAxes({4, 1}, {0, 1}, {1, 0, 0}),       // of no processes
                                 byAxes({4, 1}, {4, 0}, {1, 0, 0}),       // at no distance
                                 byAxes({4, 1}, {4, 1}, {1 << 30, 0, 0}), // far out
                                 byAxes({4, 1}, {2, 1, 2, 4}, {1, 0, 0}), // to processes of other groups
                                 byAxes({4, 1}, {4, 2}, {1, 0, 0})})
    EXPECT_EQ(sendersOf(attributes).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(sendersOf({{"pairs", {0, 1, 2}}}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(sendersOf({}).status().code(), StatusCode::kInvalidArgument);
}

} // namespace
} // namespace tenon::runtime
