// Meshes and shardings as structs: from and to the attributes of sdy and XLA's notation, and groups by axes. Random
// shardings go round through both notations; an oracle that counts devices one by one says what they mean.
#include "tenon/ir/mesh.h"

#include "tenon/ir/op_sharding.h"
#include "tenon/ir/register.h"
#include "tenon/program/sharding.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/DebugStringHelper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace tenon::ir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class MeshTest : public testing::Test {
protected:
  MeshTest() {
    loadAllDialects(context_);
    module_ = mlir::parseSourceString<mlir::ModuleOp>(R"(
      sdy.mesh @mesh = <["x"=2, "y"=16, "z"=3]>
      sdy.mesh @same = <["x"=2, "y"=16, "z"=3]>
      sdy.mesh @ordered = <["x"=4], device_ids=[0, 1, 2, 3]>
      sdy.mesh @turned = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
      sdy.mesh @one = <[], device_ids=[5]>
      sdy.mesh @dozen = <["w"=12]>
    )",
                                                      &context_);
    meshes_.emplace(*module_);
  }

  sdy::TensorShardingAttr attribute(const std::string &text) {
    auto attribute =
        llvm::dyn_cast_or_null<sdy::TensorShardingAttr>(mlir::parseAttribute("#sdy.sharding<" + text + ">", &context_));
    EXPECT_TRUE(attribute) << text;
    return attribute;
  }
  StatusOr<Sharding> read(const std::string &text, int64_t rank = 2) { return meshes_->read(attribute(text), rank); }

  // Sizes with many divisors and with few, parts of axes, axes behind one another that are one part, all in random
  // order over the dimensions.
  Sharding randomSharding(std::mt19937 &random, const Mesh *mesh) {
    auto below = [&](size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random); };
    SmallVector<Atom> atoms;
    for (auto [i, axis] : llvm::enumerate(mesh->axes))
      for (int64_t pre = 1; pre < axis.size;) {
        int64_t left = axis.size / pre, size = left;
        for (int64_t part = 2; part < left; ++part)
          if (left % part == 0 && below(3) == 0) {
            size = part;
            break;
          }
        atoms.push_back({static_cast<int>(i), pre, size});
        pre *= size;
      }
    llvm::shuffle(atoms.begin(), atoms.end(), random);
    Sharding sharding = Sharding::whole(mesh, 3, true);
    SmallVector<Atom> replicated, unreduced;
    for (const Atom &atom : atoms) {
      size_t place = below(6);
      if (place < 3)
        append(sharding.dims[place].axes, atom);
      else if (place == 3)
        replicated.push_back(atom);
      else if (place == 4)
        unreduced.push_back(atom);
    }
    for (auto [list, to] : {std::pair(&replicated, &sharding.replicated), std::pair(&unreduced, &sharding.unreduced)}) {
      llvm::sort(*list);
      for (const Atom &atom : *list)
        append(*to, atom);
    }
    return sharding;
  }

  template <typename T> using SmallVector = llvm::SmallVector<T>;

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::optional<MeshTable> meshes_;
};

// The tile of each dimension that the device at a place has, counted from the digits of its coordinates.
std::vector<int64_t> tilesAt(const Sharding &sharding, int64_t place) {
  std::vector<int64_t> coordinates(sharding.mesh->axes.size()), tiles;
  for (size_t i = coordinates.size(); i-- > 0; place /= sharding.mesh->axes[i].size)
    coordinates[i] = place % sharding.mesh->axes[i].size;
  for (const DimCut &dim : sharding.dims) {
    int64_t tile = 0;
    for (const Atom &atom : dim.axes) {
      int64_t minor = sharding.mesh->axes[atom.axis].size / (atom.pre * atom.size);
      tile = tile * atom.size + coordinates[atom.axis] / minor % atom.size;
    }
    tiles.push_back(tile);
  }
  return tiles;
}

TEST_F(MeshTest, ReadsAndWritesAttributes) {
  for (const char *text : {R"(@mesh, [{"x", "z"}, {"y":(2)4, ?}p3], replicated={"y":(1)2}, unreduced={"y":(8)2})",
                           R"(@mesh, [{}, {?}], unreduced=max{"x"})", R"(@mesh, [{}, {?}], unreduced=min{"x", "z"})",
                           R"(@mesh, [{}, {?}])", R"(mesh<["a"=2]>, [{"a"}, {}])", R"(@turned, [{"y"}, {"x"}])"}) {
    auto sharding = read(text);
    ASSERT_TRUE(sharding.ok()) << text << sharding.status().message();
    EXPECT_EQ(mlir::debugString(meshes_->write(*sharding)), "#sdy.sharding<" + std::string(text) + ">");
  }
  EXPECT_EQ(mlir::debugString(attribute(R"(@mesh, [{}, {}], unreduced=sum{"x"})")),
            R"(#sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>)");
  EXPECT_EQ(mlir::debugString(attribute("@mesh, [{}, {}], unreduced=max{}")), "#sdy.sharding<@mesh, [{}, {}]>");
  auto sharding = read(R"(@mesh, [{"x", "y":(1)4, "y":(4)2}, {?}p1])");
  ASSERT_TRUE(sharding.ok());
  EXPECT_THAT(sharding->dims[0].axes, ElementsAre(Atom{0, 1, 2}, Atom{1, 1, 8})); // parts that are one
  EXPECT_TRUE(sharding->dims[0].isClosed);
  EXPECT_FALSE(sharding->dims[1].isClosed);
  EXPECT_EQ(sharding->dims[1].priority, 1);
}

TEST_F(MeshTest, EqualMeshesAreOne) {
  const Mesh *mesh = read("@mesh, [{}, {}]")->mesh;
  EXPECT_EQ(read("@same, [{}, {}]")->mesh, mesh);
  EXPECT_EQ(read(R"(mesh<["x"=2, "y"=16, "z"=3]>, [{}, {}])")->mesh, mesh);
  EXPECT_NE(read(R"(mesh<["x"=2, "z"=3, "y"=16]>, [{}, {}])")->mesh, mesh);
  EXPECT_EQ(read("@ordered, [{}, {}]")->mesh, read(R"(mesh<["x"=4]>, [{}, {}])")->mesh);
  EXPECT_EQ(mlir::debugString(meshes_->write(*read("@same, [{}, {}]"))), "#sdy.sharding<@mesh, [{}, {}]>");
  EXPECT_TRUE(read("@one, []", 2)->mesh->isMaximal());
}

TEST_F(MeshTest, SaysWhatIsWrong) {
  auto error = [&](const char *text) {
    auto sharding = read(text);
    EXPECT_FALSE(sharding.ok()) << text;
    return sharding.ok() ? "" : sharding.status().message();
  };
  EXPECT_EQ(error("@other, [{}, {}]"), "there is no mesh 'other'");
  EXPECT_EQ(error(R"(@mesh, [{"w"}, {}])"), "the mesh has no axis 'w'");
  EXPECT_EQ(error(R"(@mesh, [{"y":(3)2}, {}])"), "axis 'y' of size 16 has no part (3)2");
  EXPECT_EQ(error(R"(@mesh, [{"y":(2)4}, {"y":(4)4}])"), "axis 'y' is named twice");
  EXPECT_EQ(error(R"(@dozen, [{"w":(1)2}, {"w":(3)2}])"), "parts of an axis do not fit together");
  EXPECT_EQ(error(R"(@mesh, [{"y"}, {}], unreduced={"y":(2)2})"), "axis 'y' is named twice");
  EXPECT_EQ(error(R"(@mesh, [{"y"}])"), "a sharding of 1 dimensions for an array of 2");
  EXPECT_EQ(error(R"(mesh<["x"=2, "x"=2]>, [{}, {}])"), "the mesh has two axes 'x'");
  EXPECT_THAT(error(R"(mesh<["x"=2], device_ids=[1]>, [{}, {}])"), HasSubstr("names 1"));
  EXPECT_THAT(error(R"(mesh<["x"=4294967296, "y"=4294967296]>, [{}, {}])"), HasSubstr("devices"));
}

TEST_F(MeshTest, RandomShardingsGoThroughAttributes) {
  std::mt19937 random(1);
  const Mesh *mesh = meshes_->intern({{{"a", 12}, {"b", 8}, {"c", 2}, {"d", 5}}, {}});
  for (int i = 0; i < 1000; ++i) {
    Sharding sharding = randomSharding(random, mesh);
    auto again = meshes_->read(meshes_->write(sharding), 3);
    ASSERT_TRUE(again.ok()) << again.status().message();
    ASSERT_EQ(*again, sharding) << mlir::debugString(meshes_->write(sharding));
  }
}

TEST_F(MeshTest, RandomShardingsGoThroughXlasNotation) {
  std::mt19937 random(2);
  const Mesh *mesh = meshes_->intern({{{"a", 12}, {"b", 8}, {"c", 2}, {"d", 5}}, {}});
  for (int i = 0; i < 1000; ++i) {
    Sharding sharding = randomSharding(random, mesh);
    auto tiled = toOpSharding(sharding);
    ASSERT_TRUE(tiled);
    std::string text = program::toString(*tiled);
    auto parsed = program::parseSharding(text);
    ASSERT_TRUE(parsed.ok()) << text;
    // By the axes that it came from.
    auto again = fromOpSharding(*parsed, mesh, 3);
    ASSERT_TRUE(again.ok()) << again.status().message();
    for (auto [dim, expected] : llvm::zip(again->sharding.dims, sharding.dims))
      ASSERT_EQ(dim.axes, expected.axes) << text;
    ASSERT_EQ(again->sharding.unreduced, sharding.unreduced) << text;
    // With the devices listed, and in another order.
    program::Sharding listed = *parsed;
    listed.devices = program::devicesOfTiles(*parsed);
    listed.iotaDims.clear();
    listed.iotaPermutation.clear();
    std::vector<int64_t> order(mesh->size());
    std::iota(order.begin(), order.end(), 0);
    for (bool isShuffled : {false, true}) {
      if (parsed->kind != program::Sharding::Kind::kTiled)
        break;
      if (isShuffled)
        std::shuffle(order.begin(), order.end(), random);
      program::Sharding renamed = listed;
      for (int64_t &device : renamed.devices)
        device = order[device];
      auto iota = asIota(renamed, isShuffled ? llvm::ArrayRef(order) : llvm::ArrayRef<int64_t>());
      ASSERT_TRUE(iota) << text;
      ASSERT_EQ(program::devicesOfTiles(*iota), listed.devices) << text;
      auto same = fromOpSharding(*iota, mesh, 3);
      ASSERT_TRUE(same.ok()) << text << program::toString(*iota);
      ASSERT_EQ(same->sharding, again->sharding) << text;
    }
    // By those of a mesh that is known from the notation alone, every device has the same tile.
    std::optional<Mesh> made = meshForOpShardings({*parsed}, mesh->size());
    if (!made)
      continue; // cut at places that are no multiples of one another
    auto other = fromOpSharding(*parsed, meshes_->intern(*made), 3);
    ASSERT_TRUE(other.ok()) << other.status().message();
    for (int64_t place = 0; place < mesh->size(); ++place)
      ASSERT_EQ(tilesAt(other->sharding, place), tilesAt(sharding, place)) << text;
  }
}

TEST_F(MeshTest, NotEveryListIsAnIota) {
  auto iota = [](const std::string &text, llvm::ArrayRef<int64_t> order = {}) {
    auto found = asIota(*program::parseSharding(text), order);
    return found ? program::toString(*found) : "none";
  };
  EXPECT_EQ(iota("{devices=[4]0,2,1,3}"), "{devices=[4]<=[2,2]T(1,0)}");
  EXPECT_EQ(iota("{devices=[1]0}"), "{devices=[1]<=[1]}");
  EXPECT_EQ(iota("{devices=[2,2]0,1,2,3}"), "{devices=[2,2]<=[4]}");
  EXPECT_EQ(iota("{devices=[4]3,1,2,0}", {3, 1, 2, 0}), "{devices=[4]<=[4]}");
  EXPECT_EQ(iota("{devices=[4]<=[4]}", {0, 2, 1, 3}), "{devices=[4]<=[2,2]T(1,0)}");
  for (const char *text : {"{devices=[4]3,2,1,0}", "{devices=[4]0,1,3,2}", "{devices=[4]0,1,1,2}",
                           "{devices=[4]0,2,4,6}", "{devices=[6]0,1,2,3,5,4}", "{devices=[4]0,0,0,0}"})
    EXPECT_EQ(iota(text), "none") << text;
  EXPECT_EQ(iota("{devices=[4]0,1,2,3}", {0, 1}), "none");
  EXPECT_EQ(iota("{devices=[4]0,1,2,3}", {0, 1, 1, 2}), "none");
}

TEST_F(MeshTest, ReadsXlasNotation) {
  auto axes = [&](const std::string &text, int64_t rank = 2) {
    program::Sharding sharding = *program::parseSharding(text);
    auto made = meshForOpShardings({sharding}, 8);
    const Mesh *mesh = meshes_->intern(made ? *made : meshOfTiles(sharding));
    auto read = fromOpSharding(sharding, mesh, rank);
    if (!read.ok())
      return read.status().message();
    std::string manual;
    for (const Atom &atom : read->manual)
      manual += " manual " + mesh->axes[atom.axis].name;
    return mlir::debugString(meshes_->write(read->sharding)).substr(13) + manual;
  };
  EXPECT_EQ(axes("{devices=[2,1,4]<=[8] last_tile_dim_replicate}"),
            R"(<mesh<["axis_0"=2, "axis_1"=4]>, [{"axis_0"}, {}]>)");
  EXPECT_EQ(axes("{devices=[4,2]<=[2,4]T(1,0)}"), R"(<mesh<["axis_0"=2, "axis_1"=4]>, [{"axis_1"}, {"axis_0"}]>)");
  EXPECT_EQ(axes("{devices=[8,1]<=[2,4]T(1,0)}"), R"(<mesh<["axis_0"=2, "axis_1"=4]>, [{"axis_1", "axis_0"}, {}]>)");
  EXPECT_EQ(axes("{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"),
            R"(<mesh<["axis_0"=2, "axis_1"=4]>, [{}, {}]> manual axis_0)");
  EXPECT_EQ(axes("{devices=[2,2]3,1,2,0}"),
            R"(<mesh<["axis_0"=2, "axis_1"=2], device_ids=[3, 1, 2, 0]>, [{"axis_0"}, {"axis_1"}]>)");
  EXPECT_EQ(axes("{unknown}"), R"(<mesh<["axis_0"=8]>, [{?}, {?}]>)");
  EXPECT_EQ(axes("{manual}"), R"(<mesh<["axis_0"=8]>, [{}, {}]> manual axis_0)");
  EXPECT_EQ(axes("{maximal device=5}"), "<@one, [{}, {}]>");
  EXPECT_THAT(axes("{devices=[8,1]<=[8]}", 3), HasSubstr("is not for an array of 3 dimensions"));
  const Mesh *whole = meshes_->intern({{{"a", 3}, {"b", 2}}, {}});
  EXPECT_THAT(fromOpSharding(*program::parseSharding("{devices=[2,3]<=[6]}"), whole, 2).status().message(),
              HasSubstr("is not one by axes of the mesh"));
}

TEST_F(MeshTest, GroupsAreOfDevicesThatDifferAlongTheirAxesOnly) {
  const Mesh *mesh = read(R"(mesh<["x"=2, "y"=4]>, [{}, {}])")->mesh;
  EXPECT_THAT(groupOf(*mesh, {{1, 1, 4}}, 6), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(groupOf(*mesh, {{1, 2, 2}, {0, 1, 2}}, 6), ElementsAre(2, 6, 3, 7));
  EXPECT_THAT(groupOf(*mesh, {}, 6), ElementsAre(6));
  EXPECT_THAT(groupsAlong(*mesh, {{0, 1, 2}}),
              ElementsAre(ElementsAre(0, 4), ElementsAre(1, 5), ElementsAre(2, 6), ElementsAre(3, 7)));
  EXPECT_THAT(groupsAlong(*read("@turned, [{}, {}]")->mesh, {{1, 1, 2}}),
              ElementsAre(ElementsAre(3, 2), ElementsAre(1, 0)));
}

TEST_F(MeshTest, FindsTheAxesOfGroups) {
  std::mt19937 random(3);
  for (const Mesh *mesh : {meshes_->intern({{{"a", 6}, {"b", 4}, {"c", 2}}, {}}), read("@turned, [{}, {}]")->mesh})
    for (int i = 0; i < 300; ++i) {
      Sharding sharding = randomSharding(random, mesh);
      const Axes &axes = sharding.dims[0].axes;
      ProcessGroups groups = groupsAlong(*mesh, axes);
      auto found = axesOfGroups(*mesh, groups);
      ASSERT_TRUE(found);
      ASSERT_EQ(groupsAlong(*mesh, *found), groups);
    }
  const Mesh *mesh = meshes_->intern({{{"x", 2}, {"y", 4}}, {}});
  EXPECT_EQ(axesOfGroups(*mesh, {{0, 1}, {2, 3}, {4, 5}, {6, 7}}), Axes({{1, 2, 2}}));
  EXPECT_EQ(axesOfGroups(*mesh, {{0, 1, 2, 3, 4, 5, 6, 7}}), Axes({{0, 1, 2}, {1, 1, 4}}));
  EXPECT_FALSE(axesOfGroups(*mesh, {{0, 1, 2}, {3, 4, 5}}));
  EXPECT_FALSE(axesOfGroups(*mesh, {{1, 0}, {3, 2}, {5, 4}, {7, 6}}));
  EXPECT_FALSE(axesOfGroups(*mesh, {{0, 1}, {2, 3}, {4, 6}, {5, 7}}));
  EXPECT_FALSE(axesOfGroups(*mesh, {{0, 8}}));
}

} // namespace
} // namespace tenon::ir
