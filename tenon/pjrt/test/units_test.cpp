// The parts behind the API that have logic of their own: protocol buffers, compile options, shardings, types.
#include "tenon/pjrt/compile_options.h"
#include "tenon/pjrt/proto.h"
#include "tenon/pjrt/sharding.h"
#include "tenon/pjrt/types.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <limits>

namespace tenon::pjrt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Proto, ReadsWhatItWrites) {
  ProtoWriter writer;
  writer.integer(1, -1);
  writer.bytes(300, "text");
  writer.packed(2, {0, 1, std::numeric_limits<int64_t>::min()});
  std::string bytes = writer.take();
  ProtoReader reader(bytes);
  ProtoField field;
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.asInt(), -1);
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.number, 300u);
  EXPECT_EQ(field.bytes, "text");
  ASSERT_TRUE(reader.next(field));
  std::vector<int64_t> numbers;
  EXPECT_TRUE(appendInts(field, numbers));
  EXPECT_THAT(numbers, ElementsAre(0, 1, std::numeric_limits<int64_t>::min()));
  EXPECT_FALSE(reader.next(field));
  EXPECT_TRUE(reader.ok());
  // Cut anywhere inside a field, it is malformed, never read beyond.
  for (size_t size = 1; size < bytes.size(); ++size) {
    ProtoReader cut(std::string_view(bytes).substr(0, size));
    while (cut.next(field)) {
    }
    bool atBoundary = size == 11 || size == 18;
    EXPECT_EQ(cut.ok(), atBoundary) << size;
  }
}

TEST(Proto, RefusesOverlongNumbersAndUnknownWires) {
  ProtoField field;
  ProtoReader overlong("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  EXPECT_FALSE(overlong.next(field));
  EXPECT_FALSE(overlong.ok());
  ProtoReader group("\x0b");
  EXPECT_FALSE(group.next(field));
  EXPECT_FALSE(group.ok());
}

std::string buildOptions(ProtoWriter &build) {
  ProtoWriter options;
  options.bytes(3, build.take());
  return options.take();
}

TEST(CompileOptions, ReadsTheGrid) {
  ProtoWriter build;
  build.integer(1, -1);
  build.integer(4, 2);
  build.integer(5, 3);
  build.integer(6, 1);
  build.bytes(9, serializeDeviceAssignment(2, 3, {5, 4, 3, 2, 1, 0}));
  build.packed(12, {1, 0});
  build.integer(18, 1);
  build.integer(19, 1);
  auto options = parseCompileOptions(buildOptions(build));
  ASSERT_TRUE(options.ok()) << options.status().message();
  EXPECT_EQ(options->numReplicas, 2);
  EXPECT_EQ(options->numPartitions, 3);
  EXPECT_TRUE(options->useSpmdPartitioning);
  EXPECT_TRUE(options->useShardyPartitioner);
  EXPECT_THAT(options->deviceAssignment, ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_THAT(options->allowShardingPropagationToOutput, ElementsAre(true, false));
  EXPECT_THAT(options->allowShardingPropagationToParameters, ElementsAre(true));
}

TEST(CompileOptions, ReadsOverrides) {
  auto entry = [](const char *name, ProtoWriter value) {
    ProtoWriter map;
    map.bytes(1, name);
    map.bytes(2, value.take());
    return map.take();
  };
  ProtoWriter options, text, flag, number;
  text.bytes(1, "fast");
  flag.integer(2, 1);
  number.integer(3, -5);
  options.bytes(7, entry("a", std::move(text)));
  options.bytes(7, entry("b", std::move(flag)));
  options.bytes(7, entry("c", std::move(number)));
  auto parsed = parseCompileOptions(options.take());
  ASSERT_TRUE(parsed.ok());
  ASSERT_EQ(parsed->overrides.size(), 3u);
  EXPECT_EQ(std::get<std::string>(parsed->overrides[0].second), "fast");
  EXPECT_EQ(std::get<bool>(parsed->overrides[1].second), true);
  EXPECT_EQ(std::get<int64_t>(parsed->overrides[2].second), -5);
}

TEST(CompileOptions, RefusesWhatIsWrong) {
  auto fails = [](ProtoWriter build) { return !parseCompileOptions(buildOptions(build)).ok(); };
  ProtoWriter tooFew, autoPartition, negative;
  tooFew.integer(4, 2);
  tooFew.bytes(9, serializeDeviceAssignment(1, 1, {0}));
  EXPECT_TRUE(fails(std::move(tooFew)));
  autoPartition.integer(7, 1);
  EXPECT_TRUE(fails(std::move(autoPartition)));
  negative.integer(4, -2);
  EXPECT_TRUE(fails(std::move(negative)));
  ProtoWriter tupled;
  tupled.integer(2, 1);
  EXPECT_EQ(parseCompileOptions(tupled.take()).status().code(), StatusCode::kUnimplemented);
  EXPECT_TRUE(parseCompileOptions("").ok());
}

// The fields of an OpSharding.
struct Sharding {
  int64_t type = 0;
  std::vector<int64_t> tile, devices, lastDims, iota, permutation;
  bool replicateLast = false;
  size_t tuple = 0;
};

Sharding parse(std::string_view text) {
  StatusOr<std::string> bytes = shardingToProto(text);
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  Sharding sharding;
  ProtoReader reader(*bytes);
  for (ProtoField field; reader.next(field);) {
    switch (field.number) {
    case 1:
      sharding.type = field.asInt();
      break;
    case 3:
      appendInts(field, sharding.tile);
      break;
    case 4:
      appendInts(field, sharding.devices);
      break;
    case 5:
      ++sharding.tuple;
      break;
    case 6:
      sharding.replicateLast = field.value;
      break;
    case 8:
      appendInts(field, sharding.lastDims);
      break;
    case 9:
      appendInts(field, sharding.iota);
      break;
    case 10:
      appendInts(field, sharding.permutation);
      break;
    default:
      ADD_FAILURE() << "field " << field.number;
    }
  }
  return sharding;
}

TEST(Sharding, ReadsXlasNotation) {
  EXPECT_EQ(parse("").type, 0);
  EXPECT_EQ(parse("{replicated}").type, 0);
  EXPECT_EQ(parse("{manual}").type, 4);
  Sharding maximal = parse("{maximal device=3}");
  EXPECT_EQ(maximal.type, 1);
  EXPECT_THAT(maximal.devices, ElementsAre(3));
  Sharding list = parse("{devices=[2,1]1,0}");
  EXPECT_EQ(list.type, 3);
  EXPECT_THAT(list.tile, ElementsAre(2, 1));
  EXPECT_THAT(list.devices, ElementsAre(1, 0));
  Sharding iota = parse("{devices=[2,1,4]<=[2,4]T(1,0) last_tile_dim_replicate}");
  EXPECT_THAT(iota.tile, ElementsAre(2, 1, 4));
  EXPECT_THAT(iota.iota, ElementsAre(2, 4));
  EXPECT_THAT(iota.permutation, ElementsAre(1, 0));
  EXPECT_TRUE(iota.replicateLast);
  Sharding manual = parse("{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}");
  EXPECT_THAT(manual.lastDims, ElementsAre(4, 0));
  EXPECT_THAT(manual.permutation, ElementsAre(0));
  EXPECT_EQ(parse("{{replicated}, {devices=[2]<=[2]}}").tuple, 2u);
}

TEST(Sharding, ReadsShardys) {
  Sharding first = parse(R"(#sdy.sharding<mesh<["x"=2, "y"=4]>, [{"x"}, {}]>)");
  EXPECT_EQ(first.type, 3);
  EXPECT_THAT(first.tile, ElementsAre(2, 1, 4));
  EXPECT_TRUE(first.replicateLast);
  EXPECT_THAT(first.iota, ElementsAre(2, 4));
  EXPECT_THAT(first.permutation, ElementsAre(0, 1));
  Sharding swapped = parse(R"(#sdy.sharding<mesh<["x"=2, "y"=4]>, [{"y", ?}, {"x"}p1], replicated={}>)");
  EXPECT_THAT(swapped.tile, ElementsAre(4, 2));
  EXPECT_THAT(swapped.permutation, ElementsAre(1, 0));
  EXPECT_FALSE(swapped.replicateLast);
  Sharding both = parse(R"(#sdy.sharding<mesh<["x"=2, "y"=4]>, [{"y", "x"}]>)");
  EXPECT_THAT(both.tile, ElementsAre(8));
  // Half of an axis.
  Sharding part = parse(R"(#sdy.sharding<mesh<["x"=4]>, [{"x":(2)2}]>)");
  EXPECT_THAT(part.tile, ElementsAre(2, 2));
  EXPECT_THAT(part.iota, ElementsAre(2, 2));
  EXPECT_THAT(part.permutation, ElementsAre(1, 0));
  // Devices in another order than the mesh's.
  Sharding ids = parse(R"(#sdy.sharding<mesh<["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>, [{"y"}]>)");
  EXPECT_THAT(ids.devices, ElementsAre(3, 1, 2, 0));
  EXPECT_THAT(ids.iota, IsEmpty());
  EXPECT_EQ(parse(R"(#sdy.sharding<mesh<["x"=8]>, [{}, {?}]>)").type, 0);
}

TEST(Sharding, TellsWhichTilesPartitionsHold) {
  auto tiles = [](std::string_view text, size_t rank, int partitions) {
    StatusOr<Tiling> tiling = shardingTiling(text, rank, partitions);
    EXPECT_TRUE(tiling.ok()) << tiling.status().message();
    return *tiling;
  };
  EXPECT_TRUE(tiles("", 2, 4).isWhole());
  EXPECT_THAT(tiles("{devices=[2,1]1,0}", 2, 2).tileOf, ElementsAre(1, 0));
  Tiling copies = tiles("{devices=[2,1,2]<=[4] last_tile_dim_replicate}", 2, 4);
  EXPECT_THAT(copies.tiles, ElementsAre(2, 1));
  EXPECT_THAT(copies.tileOf, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(tiles(R"(#sdy.sharding<mesh<["x"=2, "y"=2]>, [{"y"}, {"x"}]>)", 2, 4).tileOf, ElementsAre(0, 2, 1, 3));
  EXPECT_FALSE(shardingTiling("{devices=[2]<=[2]}", 1, 4).ok());
  EXPECT_FALSE(shardingTiling("{devices=[4]0,1,2,7}", 1, 4).ok());
  EXPECT_EQ(shardingTiling("{manual}", 1, 4).status().code(), StatusCode::kUnimplemented);
}

TEST(Sharding, RefusesNonsense) {
  for (const char *text :
       {"{", "{replicate}", "{devices=[2]}", "{devices=[2<=[2]}", "{replicated} x", R"(#sdy.sharding<@mesh, [{}]>)",
        R"(#sdy.sharding<mesh<["x"=2]>, [{"y"}]>)", R"(#sdy.sharding<mesh<["x"=2]>, [{"x"}, {"x"}]>)"})
    EXPECT_FALSE(shardingToProto(text).ok()) << text;
}

TEST(Types, ConvertBothWays) {
  for (int i = PJRT_Buffer_Type_PRED; i <= PJRT_Buffer_Type_F6E3M2FN; ++i) {
    if (i == PJRT_Buffer_Type_S1 || i == PJRT_Buffer_Type_U1)
      continue;
    auto type = static_cast<PJRT_Buffer_Type>(i);
    StatusOr<program::ElementType> element = fromPjrt(type);
    ASSERT_TRUE(element.ok()) << i;
    EXPECT_EQ(toPjrt(*element), type);
  }
  EXPECT_FALSE(fromPjrt(static_cast<PJRT_Buffer_Type>(63)).ok());
}

TEST(Types, StridesOfDimensionsOfSizeOneDoNotMatter) {
  program::Shape shape{program::ElementType::kF32, {2, 1, 3}};
  std::vector<int64_t> rowMajor = {12, 12, 4}, other = {12, 999, 4}, columnMajor = {4, 4, 8};
  EXPECT_TRUE(sameStrides(shape, rowMajor, other));
  EXPECT_FALSE(sameStrides(shape, rowMajor, columnMajor));
  shape.dims[0] = 0;
  EXPECT_TRUE(sameStrides(shape, rowMajor, columnMajor));
}

TEST(Types, LayoutsAreText) {
  EXPECT_EQ(layoutText(std::vector<int64_t>{1, 0}), "{1,0}");
  program::Shape cube{program::ElementType::kI4, {2, 3, 4}};
  EXPECT_THAT(*parseLayout("{1,0,2}", cube), ElementsAre(1, 0, 2));
  EXPECT_THAT(*parseLayout("{1,0,2:E(4)}", cube), ElementsAre(1, 0, 2));
  EXPECT_THAT(*parseLayout("{}", program::Shape{program::ElementType::kI4, {}}), IsEmpty());
  EXPECT_FALSE(parseLayout("{1,0:E(4)}", program::Shape{program::ElementType::kI8, {2, 3}}).ok());
  for (const char *text : {"{1,0}", "{0,1,1}", "{0,1,3}", "0,1,2", "{0,1,2", "{0,,1,2}", "{0,1,x}", "{-1,0,1}",
                           "{0,1,2:E(2)}", "{0,1,2:T(8)}"})
    EXPECT_FALSE(parseLayout(text, cube).ok()) << text;
  program::Shape shape{program::ElementType::kF32, {2, 3}};
  BufferTypeRef columnMajor = makeBufferType(shape, {0, 1});
  EXPECT_FALSE(columnMajor->isRowMajor);
  EXPECT_THAT(columnMajor->strides, ElementsAre(4, 8));
  EXPECT_TRUE(makeBufferType(program::Shape{program::ElementType::kF32, {1, 3}}, {0, 1})->isRowMajor);
}

} // namespace
} // namespace tenon::pjrt
