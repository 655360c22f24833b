#include "tenon/program/sharding.h"

#include "tenon/support/proto.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::program {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = Sharding::Kind;

Sharding parse(std::string_view text) {
  StatusOr<Sharding> sharding = parseSharding(text);
  EXPECT_TRUE(sharding.ok()) << sharding.status().message();
  return sharding.ok() ? *sharding : Sharding();
}

TEST(Sharding, ReadsXlasNotation) {
  EXPECT_EQ(parse("{replicated}"), Sharding());
  EXPECT_EQ(parse("{manual}").kind, Kind::kManual);
  EXPECT_EQ(parse("{unreduced}").kind, Kind::kUnreduced);
  Sharding maximal = parse("{maximal device=3}");
  EXPECT_EQ(maximal.kind, Kind::kMaximal);
  EXPECT_THAT(maximal.devices, ElementsAre(3));
  Sharding list = parse("{devices=[2,1]1,0 metadata={op_name=\"{}\"}}");
  EXPECT_EQ(list.kind, Kind::kTiled);
  EXPECT_THAT(list.tiles, ElementsAre(2, 1));
  EXPECT_THAT(list.devices, ElementsAre(1, 0));
  EXPECT_THAT(list.subgroups, IsEmpty());
  Sharding iota = parse("{devices=[2,1,4]<=[2,4]T(1,0) last_tile_dim_replicate}");
  EXPECT_THAT(iota.tiles, ElementsAre(2, 1, 4));
  EXPECT_THAT(iota.iotaDims, ElementsAre(2, 4));
  EXPECT_THAT(iota.iotaPermutation, ElementsAre(1, 0));
  EXPECT_THAT(iota.subgroups, ElementsAre(Kind::kReplicated));
  Sharding manual = parse("{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}");
  EXPECT_THAT(manual.subgroups, ElementsAre(Kind::kManual, Kind::kReplicated));
  EXPECT_THAT(manual.iotaPermutation, ElementsAre(0));
}

TEST(Sharding, IsWrittenAsItIsRead) {
  for (const char *text : {"{replicated}", "{maximal device=3}", "{manual}", "{unknown}", "{unreduced}",
                           "{devices=[2,1]1,0}", "{devices=[2,1,4]<=[2,4]T(1,0) last_tile_dim_replicate}",
                           "{devices=[4]<=[4]}", "{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}"})
    EXPECT_EQ(toString(parse(text)), text);
}

TEST(Sharding, ListsDevicesInTheOrderOfTiles) {
  EXPECT_THAT(devicesOfTiles(parse("{devices=[2,1]1,0}")), ElementsAre(1, 0));
  EXPECT_THAT(devicesOfTiles(parse("{devices=[4]<=[4]}")), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(devicesOfTiles(parse("{devices=[6]<=[2,3]T(1,0)}")), ElementsAre(0, 3, 1, 4, 2, 5));
}

std::string shown(std::string_view bytes) {
  auto all = parseAnnotation(bytes);
  if (!all.ok())
    return all.status().message();
  std::string text;
  for (const AnnotatedSharding &one : *all)
    text += toString(one.sharding) + (one.group ? " in " + std::to_string(*one.group) : "") + ";";
  return text;
}

TEST(Annotation, IsOfOneValueOrOfSeveral) {
  EXPECT_EQ(shown("{replicated}"), "{replicated};");
  EXPECT_EQ(shown("{}"), "");
  EXPECT_EQ(shown("{{replicated}}"), "{replicated};");
  EXPECT_EQ(shown("{{replicated}, {devices=[2]<=[2]}, {manual}}"), "{replicated};{devices=[2]<=[2]};{manual};");
  EXPECT_EQ(shown("{unknown shard_as 7}"), "{unknown} in 7;");
  EXPECT_EQ(shown("{{devices=[2]0,1 shard_like 0},{replicated}}"), "{devices=[2]0,1} in 0;{replicated};");
  for (const char *text : {"{{replicated}", "{{replicated}}}", "{{replicated},}", "{,}", "{unknown shard_as}",
                           "{{devices=[2]}}", "{{{replicated}}}", "{replicated}, {replicated}"})
    EXPECT_THAT(shown(text), HasSubstr("cannot read the sharding '" + std::string(text))) << text;
}

TEST(Annotation, IsReadFromMessages) {
  for (const char *text : {"{replicated}", "{maximal device=3}", "{manual}", "{unknown}", "{unreduced}",
                           "{devices=[2,1]1,0}", "{devices=[2,1,4]<=[2,4]T(1,0) last_tile_dim_replicate}",
                           "{devices=[4]<=[4]}", "{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}"})
    EXPECT_EQ(shown(toProto(parse(text))), text + std::string(";"));
  ProtoWriter tuple;
  tuple.integer(1, 2);
  for (const char *text : {"{replicated}", "{devices=[2]<=[2]}"})
    tuple.bytes(5, toProto(parse(text)));
  const std::string message = tuple.take();
  EXPECT_EQ(shown(message), "{replicated};{devices=[2]<=[2]};");
  ProtoWriter group;
  group.integer(1, 5);
  group.integer(11, 1);
  group.integer(12, 4);
  EXPECT_EQ(shown(group.take()), "{unknown} in 4;");
  ProtoWriter nested, named, list;
  nested.integer(1, 2);
  nested.bytes(5, message);
  named.integer(1, 3);
  named.bytes(14, "");
  list.integer(1, 3);
  list.packed(3, {3});
  list.packed(4, {0, 1});
  for (const std::string &bytes :
       {nested.take(), named.take(), list.take(), std::string("\x08"), std::string("\x08\x09")})
    EXPECT_THAT(shown(bytes), HasSubstr("cannot read a sharding that is a serialized xla.OpSharding"));
}

TEST(Sharding, RefusesNonsense) {
  for (const char *text : {"", "{", "{replicate}", "{devices=[2]}", "{devices=[2<=[2]}", "{replicated} x", "{maximal}",
                           "{devices=[2]0}", "{replicated device=1}", "{devices=[2]<=[2] last_tile_dims={maximal}}",
                           "{{replicated}, {manual}}", "{devices=[1]<=[999999999999999999]}",
                           "{devices=[2,1]<=[2]T(7)}", "{devices=[2,2]<=[2,2]T(0,0)}", "{devices=[0]<=[0]}"})
    EXPECT_FALSE(parseSharding(text).ok()) << text;
  EXPECT_THAT(parseSharding("{replicated maximum}").status().message(),
              HasSubstr("cannot read the sharding '{replicated maximum}' at 'maximum}'"));
}

} // namespace
} // namespace tenon::program
