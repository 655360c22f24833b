// Plans on meshes: every device does the moves on arrays of its own, by what each collective is said to do, and must
// then have its part of the whole array.
#include "tenon/passes/partition/redistribute/plan.h"
#include "tenon/passes/partition/redistribute/test/random_shardings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <random>

namespace tenon::passes::redistribution {
namespace {

using ir::Atom;
using ir::Axes;
using ir::Mesh;
using llvm::ArrayRef;
using llvm::SmallVector;

constexpr int64_t kPadding = -1'000'000; // also after anything has been added to it

//===- Arrays of devices -----------------------------------------------------------------------------------------===//

using Index = SmallVector<int64_t, 4>;

struct Tile {
  Index sizes;
  std::vector<int64_t> elements;

  explicit Tile(ArrayRef<int64_t> sizes) : sizes(sizes) {
    elements.assign(std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>()), kPadding);
  }
  int64_t *find(ArrayRef<int64_t> index) {
    int64_t at = 0;
    for (auto [i, size] : llvm::zip_equal(index, sizes)) {
      if (i < 0 || i >= size)
        return nullptr;
      at = at * size + i;
    }
    return &elements[at];
  }
  template <typename Visit> void forEach(Visit visit) {
    Index index(sizes.size(), 0);
    for (int64_t &element : elements) {
      visit(index, element);
      for (size_t dim = sizes.size(); dim-- > 0;) {
        if (++index[dim] < sizes[dim])
          break;
        index[dim] = 0;
      }
    }
  }
};

// The elements from `start` on, with padding beyond the end.
Tile part(Tile &whole, size_t dim, int64_t start, int64_t size) {
  Index sizes = whole.sizes;
  sizes[dim] = size;
  Tile result(sizes);
  result.forEach([&](Index index, int64_t &element) {
    index[dim] += start;
    if (int64_t *found = whole.find(index))
      element = *found;
  });
  return result;
}

Tile joined(ArrayRef<Tile> tiles, size_t dim) {
  Index sizes = tiles.front().sizes;
  int64_t size = sizes[dim];
  sizes[dim] *= static_cast<int64_t>(tiles.size());
  Tile result(sizes);
  result.forEach([&](Index index, int64_t &element) {
    Tile tile = tiles[index[dim] / size];
    index[dim] %= size;
    element = *tile.find(index);
  });
  return result;
}

// By place on the mesh.
using Tiles = std::vector<Tile>;

Tiles cutUp(Tile &whole, const Mesh &mesh, const Cut &cut) {
  Tiles tiles;
  SmallVector<int64_t> sizes = localSizes(whole.sizes, cut);
  for (int64_t place = 0; place < mesh.size(); ++place) {
    Tile tile = whole;
    for (auto [dim, axes] : llvm::enumerate(cut.dims))
      tile = part(tile, dim, numberOf(mesh, axes, place) * sizes[dim], sizes[dim]);
    // All but the first have what cancels out.
    int64_t summands = ir::partsOf(cut.unreduced), number = numberOf(mesh, cut.unreduced, place);
    for (int64_t &element : tile.elements)
      if (summands > 1 && element != kPadding)
        element = number == 0 ? element + summands * (summands - 1) / 2 : -number;
    tiles.push_back(std::move(tile));
  }
  return tiles;
}

Tile sumOf(const Tiles &tiles, ArrayRef<int64_t> group) {
  Tile sum = tiles[group.front()];
  for (int64_t member : group.drop_front())
    for (auto [a, b] : llvm::zip_equal(sum.elements, tiles[member].elements))
      a = a < -1000 || b < -1000 ? kPadding : a + b;
  return sum;
}

// The same by axes, where the mesh does not list its devices.
void checkAxes(const Move &move, const std::vector<int64_t> &sources) {
  std::optional<ir::GroupPermutation> permutation = permutationByAxes(move);
  EXPECT_EQ(permutation.has_value(), move.mesh->ids.empty());
  for (int64_t place = 0; permutation && place < move.mesh->size(); ++place)
    EXPECT_EQ(ir::sourceOf(*permutation, place), sources[place]);
}

// Turns bring what an exchange would have left with the sources.
void checkTurns(const Move &move, const std::vector<int64_t> &sources) {
  const Mesh &mesh = *move.mesh;
  std::optional<Spread> spread = spreadByAxes(move);
  ASSERT_EQ(spread.has_value(), mesh.ids.empty());
  int64_t count = ir::partsOf(move.axes);
  EXPECT_LE(count, kMaxSpread);
  for (int64_t turn = 0; spread && turn < count; ++turn)
    for (int64_t place = 0; place < mesh.size(); ++place) {
      std::optional<int64_t> sender = ir::sourceOf(spread->turns[turn], place);
      ASSERT_TRUE(sender.has_value());
      int64_t number = numberOf(mesh, move.axes, *sender);
      SmallVector<int64_t, 8> group = ir::groupOf(mesh, move.axes, sources[place]);
      EXPECT_EQ(group[number], *sender);                                                   // of the right group,
      EXPECT_EQ(group[(number + turn) % count], sources[place]);                           // the right part,
      EXPECT_EQ((numberOf(mesh, spread->received, place) + count - turn) % count, number); // and put at its place
    }
}

// The device's array after a move; of no particular size along dimensions whose end is padding.
Tile after(const Move &move, const Tiles &tiles, int64_t place, ArrayRef<int64_t> sizes, ArrayRef<int64_t> wholeSizes) {
  const Mesh &mesh = *move.mesh;
  SmallVector<int64_t, 8> group = ir::groupOf(mesh, move.axes, place);
  auto count = static_cast<int64_t>(group.size());
  Tile own = tiles[place];
  int64_t number = numberOf(mesh, move.axes, place), size = move.to < 0 ? 0 : sizes[move.to];
  switch (move.kind) {
  case MoveKind::kSlice:
    return part(own, move.to, number * size, size);
  case MoveKind::kSplitSum:
    for (int64_t &element : own.elements)
      element = number == 0 ? element : 0;
    return own;
  case MoveKind::kReduceScatter: {
    Tile sum = sumOf(tiles, group);
    return part(sum, move.to, number * size, size);
  }
  case MoveKind::kAllReduce:
    return sumOf(tiles, group);
  case MoveKind::kAllToAll:
  case MoveKind::kAllGather: {
    std::vector<Tile> parts;
    for (int64_t member : group) {
      Tile given = tiles[member];
      parts.push_back(move.kind == MoveKind::kAllGather ? given : part(given, move.to, number * size, size));
    }
    Tile all = joined(parts, move.dim);
    EXPECT_EQ(static_cast<int64_t>(parts.size()), count);
    return part(all, move.dim, 0, sizes[move.dim]);
  }
  case MoveKind::kPermute: {
    std::vector<int64_t> sources = permutationOf(move);
    if (place == 0)
      checkAxes(move, sources);
    return tiles[sources[place]];
  }
  case MoveKind::kSpread: {
    Move exchange = exchangeOf(move);
    std::vector<int64_t> sources = permutationOf(permutationAfterExchange(move));
    if (place == 0)
      checkTurns(move, sources);
    return after(exchange, tiles, sources[place], localSizes(wholeSizes, exchange.after), wholeSizes);
  }
  }
  return own;
}

Tiles doMoves(const Plan &plan, Tiles tiles, const Mesh &from, ArrayRef<int64_t> sizes) {
  const Mesh *now = &from;
  auto changeTo = [&](const Mesh &mesh) {
    Tiles other(tiles);
    std::vector<int64_t> placeOf(mesh.size());
    for (int64_t place = 0; place < mesh.size(); ++place)
      placeOf[mesh.device(place)] = place;
    for (int64_t place = 0; place < mesh.size(); ++place)
      other[placeOf[now->device(place)]] = tiles[place];
    tiles = other;
    now = &mesh;
  };
  for (const Move &move : plan.moves) {
    changeTo(*move.mesh);
    SmallVector<int64_t> local = localSizes(sizes, move.after);
    Tiles moved;
    for (int64_t place = 0; place < now->size(); ++place) {
      moved.push_back(after(move, tiles, place, local, sizes));
      EXPECT_EQ(ArrayRef<int64_t>(moved.back().sizes), ArrayRef<int64_t>(local));
    }
    tiles = std::move(moved);
  }
  Mesh line;
  line.axes.push_back({"", from.size()});
  changeTo(line);
  return tiles;
}

// What is not padding; where there are summands, their sum.
void expectParts(Tile &whole, Tiles tiles, const ir::Sharding &to) {
  const Mesh &mesh = *to.mesh;
  Cut cut = cutOf(to);
  SmallVector<int64_t> sizes = localSizes(whole.sizes, cut);
  Tiles byPlace;
  for (int64_t place = 0; place < mesh.size(); ++place)
    byPlace.push_back(tiles[mesh.device(place)]);
  for (int64_t place = 0; place < mesh.size(); ++place) {
    Tile sum = sumOf(byPlace, ir::groupOf(mesh, cut.unreduced, place));
    ASSERT_EQ(ArrayRef<int64_t>(sum.sizes), ArrayRef<int64_t>(sizes));
    sum.forEach([&](Index index, int64_t &element) {
      for (auto [dim, axes] : llvm::enumerate(cut.dims))
        index[dim] += numberOf(mesh, axes, place) * sizes[dim];
      if (int64_t *expected = whole.find(index))
        ASSERT_EQ(element, *expected);
    });
  }
}

//===- Tests -----------------------------------------------------------------------------------------------------===//

void expectRight(const ir::Sharding &from, const ir::Sharding &to, ArrayRef<int64_t> sizes, Planner &planner) {
  Tile whole((Index(sizes)));
  std::iota(whole.elements.begin(), whole.elements.end(), 1);
  Tiles tiles = doMoves(planner.plan(from, to, sizes), cutUp(whole, *from.mesh, cutOf(from)), *from.mesh, sizes);
  expectParts(whole, tiles, to);
}

TEST(RedistributionPlan, GivesEachDeviceItsPart) {
  RandomShardings random(1);
  Planner planner;
  const Mesh meshes[] = {meshOf({8}),    meshOf({2, 4}),    meshOf({4, 2}),
                         meshOf({3, 2}), meshOf({2, 2, 2}), meshOf({4}, {2, 0, 3, 1}),
                         meshOf({1, 5}), meshOf({6})};
  for (int turn = 0; turn < 600 && !testing::Test::HasFailure(); ++turn) {
    const Mesh &mesh = meshes[random.below(std::size(meshes))];
    int64_t rank = 1 + static_cast<int64_t>(random.below(3));
    expectRight(random.on(mesh, rank), random.on(mesh, rank), random.sizes(rank), planner);
  }
}

TEST(RedistributionPlan, OfMeshesThatDiffer) {
  RandomShardings random(2);
  Planner planner;
  const Mesh meshes[] = {meshOf({8}), meshOf({2, 4}), meshOf({2, 2, 2}), meshOf({4, 2}, {0, 4, 1, 5, 2, 6, 3, 7}),
                         meshOf({8}, {7, 1, 0, 2, 3, 6, 5, 4})};
  for (int turn = 0; turn < 300 && !testing::Test::HasFailure(); ++turn) {
    const Mesh &mesh = meshes[random.below(std::size(meshes))], &other = meshes[random.below(std::size(meshes))];
    expectRight(random.on(mesh, 2), random.on(other, 2), random.sizes(2), planner);
  }
}

// Axes that lie otherwise over the same devices are no reason to move anything.
TEST(RedistributionPlan, KnowsEqualPlaces) {
  Mesh line = meshOf({8}), box = meshOf({2, 4}), turned = meshOf({4, 2}, {0, 4, 1, 5, 2, 6, 3, 7});
  auto cutBy = [](const Mesh &mesh, ArrayRef<Atom> axes) {
    ir::Sharding sharding = ir::Sharding::whole(&mesh, 1, true);
    sharding.dims[0].axes.assign(axes.begin(), axes.end());
    return sharding;
  };
  Planner planner;
  ir::Sharding whole = cutBy(line, {{0, 1, 8}}), same = cutBy(box, {{0, 1, 2}, {1, 1, 4}});
  ir::Sharding alike = cutBy(turned, {{1, 1, 2}, {0, 1, 4}}), part = cutBy(turned, {{1, 1, 2}});
  EXPECT_TRUE(planner.plan(whole, same, {16}).moves.empty());
  EXPECT_TRUE(planner.plan(same, alike, {16}).moves.empty());
  Plan plan = planner.plan(whole, part, {16});
  ASSERT_EQ(plan.moves.size(), 1U);
  EXPECT_EQ(plan.moves[0].kind, MoveKind::kAllGather);
  EXPECT_EQ(plan.received, 2 * 3);
  EXPECT_EQ(planner.plan(whole, part, {32}).received, 2 * 6);
  EXPECT_EQ(planner.plan(whole, part, {32}).visited, 0);
}

// Each device then has of the array what several others had; it receives that and no more.
TEST(RedistributionPlan, ExchangesAxesOfDifferentSizes) {
  Planner planner;
  for (const Mesh &mesh : {meshOf({2, 4}), meshOf({4, 2}), meshOf({2, 6}), meshOf({2, 2, 4})}) {
    ir::Sharding from = ir::Sharding::whole(&mesh, 2, true), to = from;
    int last = static_cast<int>(mesh.axes.size()) - 1;
    Atom first{0, 1, mesh.axes[0].size}, second{last, 1, mesh.axes[last].size};
    from.dims[0].axes = to.dims[1].axes = {first};
    from.dims[1].axes = to.dims[0].axes = {second};
    Plan plan = planner.plan(from, to, {24, 24});
    EXPECT_EQ(plan.received, 24 * 24 / (first.size * second.size));
    EXPECT_TRUE(llvm::any_of(plan.moves, [](const Move &move) { return move.kind == MoveKind::kSpread; }));
    expectRight(from, to, {24, 24}, planner);
    expectRight(from, to, {25, 23}, planner);
  }
}

// More axes than a search is made for.
TEST(RedistributionPlan, OfManyAxes) {
  Mesh mesh = meshOf({2, 2, 2, 2, 2, 2, 2, 2, 2, 2});
  RandomShardings random(4);
  Planner planner;
  for (int turn = 0; turn < 8; ++turn) {
    Plan plan = planner.plan(random.on(mesh, 3), random.on(mesh, 3), {1024, 2048, 4096});
    EXPECT_GE(plan.received, 0);
  }
}

} // namespace
} // namespace tenon::passes::redistribution
