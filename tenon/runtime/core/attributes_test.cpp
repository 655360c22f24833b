#include "tenon/runtime/core/attributes.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

namespace tenon::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <typename T> T get(std::string_view text) {
  auto dict = parseAttributes("{x = " + std::string(text) + "}");
  EXPECT_TRUE(dict.ok()) << dict.status().message();
  if (!dict.ok() || dict->size() != 1)
    return T();
  const T *value = std::get_if<T>(&(*dict)[0].value.value);
  EXPECT_NE(value, nullptr) << text << " has kind " << (*dict)[0].value.value.index();
  return value ? *value : T();
}

TEST(Attributes, Empty) {
  EXPECT_TRUE(parseAttributes("")->empty());
  EXPECT_TRUE(parseAttributes(" {} ")->empty());
}

TEST(Attributes, Integers) {
  EXPECT_EQ(get<IntegerAttribute>("76 : ui8").value, 76);
  EXPECT_EQ(get<IntegerAttribute>("76 : ui8").type, "ui8");
  EXPECT_EQ(get<IntegerAttribute>("5").type, "i64");
  EXPECT_EQ(get<IntegerAttribute>("-9223372036854775808 : i64").value, INT64_MIN);
  EXPECT_EQ(get<IntegerAttribute>("9223372036854775807 : i64").value, INT64_MAX);
  EXPECT_EQ(uint64_t(get<IntegerAttribute>("18446744073709551615 : ui64").value), UINT64_MAX);
  EXPECT_EQ(get<IntegerAttribute>("3 : index").type, "index");
  EXPECT_FALSE(parseAttributes("{x = 9223372036854775808 : i64}").ok());
  EXPECT_FALSE(parseAttributes("{x = 99999999999999999999 : ui64}").ok());
}

TEST(Attributes, Floats) {
  EXPECT_EQ(get<FloatAttribute>("0.949999988 : f32").value, 0.949999988);
  EXPECT_EQ(get<FloatAttribute>("-1.000000e+00 : f64").value, -1);
  EXPECT_EQ(get<FloatAttribute>("1.5e-3").type, "f64");
  EXPECT_EQ(get<FloatAttribute>("0x7F800000 : f32").value, INFINITY);
  EXPECT_TRUE(std::isnan(get<FloatAttribute>("0x7FF8000000000000 : f64").value));
  EXPECT_TRUE(std::signbit(get<FloatAttribute>("-0.000000e+00 : f32").value));
  EXPECT_EQ(get<FloatAttribute>("0x3C00 : f16").value, 1);
  EXPECT_EQ(get<FloatAttribute>("0xFF80 : bf16").value, -INFINITY);
}

TEST(Attributes, BooleansStringsUnits) {
  EXPECT_TRUE(get<bool>("true"));
  EXPECT_FALSE(get<bool>("false"));
  EXPECT_EQ(get<std::string>(R"("a\"b\\c\0A\n")"), "a\"b\\c\n\n");
  EXPECT_EQ(get<std::string>(R"("x, }] = {")"), "x, }] = {");
  auto dict = parseAttributes("{flag, other = 1 : i32, \"quoted name\" = unit}");
  ASSERT_TRUE(dict.ok());
  ASSERT_EQ(dict->size(), 3u);
  EXPECT_EQ((*dict)[0].value.value.index(), 0u);
  EXPECT_EQ((*dict)[2].name, "quoted name");
}

TEST(Attributes, Arrays) {
  EXPECT_THAT(get<IntegerArrayAttribute>("array<i64: 1, -2, 3>").values, ElementsAre(1, -2, 3));
  EXPECT_THAT(get<IntegerArrayAttribute>("array<i32>").values, ElementsAre());
  EXPECT_THAT(get<IntegerArrayAttribute>("array<i1: true, false>").values, ElementsAre(1, 0));
  EXPECT_THAT(get<FloatArrayAttribute>("array<f32: 1.5, -0.25>").values, ElementsAre(1.5, -0.25));
  EXPECT_THAT(get<IntegerArrayAttribute>("dense<[1, 2, 0]> : tensor<3xindex>").values, ElementsAre(1, 2, 0));
  EXPECT_THAT(get<IntegerArrayAttribute>("dense<7> : tensor<2x2xi32>").values, ElementsAre(7, 7, 7, 7));
  EXPECT_THAT(get<IntegerArrayAttribute>("dense<> : tensor<0xindex>").values, ElementsAre());
  EXPECT_THAT(get<IntegerArrayAttribute>("dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>").values, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(get<IntegerArrayAttribute>("dense<\"0x0100FFFF\"> : tensor<2xi16>").values, ElementsAre(1, -1));
  EXPECT_THAT(get<FloatArrayAttribute>("dense<1.0> : tensor<1xf32>").values, ElementsAre(1));
  EXPECT_FALSE(parseAttributes("{x = dense<[1, 2]> : tensor<3xi64>}").ok());
  auto mixed = get<std::vector<Attribute>>("[1 : i32, \"two\", [3.0 : f32]]");
  ASSERT_EQ(mixed.size(), 3u);
  EXPECT_EQ(std::get<std::string>(mixed[1].value), "two");
}

TEST(Attributes, NestedAndOpaque) {
  auto dict = parseAttributes("{a = {b = 1 : i64, c = {}}, l = #stablehlo.alias<x = [0], y = \"}\">, "
                              "t = (i32) -> tensor<2xf32>, s = @symbol, z = 2 : i8}");
  ASSERT_TRUE(dict.ok()) << dict.status().message();
  ASSERT_EQ(dict->size(), 5u);
  auto &inner = std::get<AttributeDict>((*dict)[0].value.value);
  EXPECT_EQ(*integerAttribute(inner, "b"), 1);
  EXPECT_EQ(std::get<OpaqueAttribute>((*dict)[1].value.value).text, "#stablehlo.alias<x = [0], y = \"}\">");
  EXPECT_EQ(std::get<OpaqueAttribute>((*dict)[2].value.value).text, "(i32) -> tensor<2xf32>");
  EXPECT_EQ(*integerAttribute(*dict, "z"), 2);
}

TEST(Attributes, Accessors) {
  auto dict = parseAttributes("{i = 3 : i32, b = true, s = \"x\", a = [1 : i64, 2 : i64], d = array<i64: 5>}");
  ASSERT_TRUE(dict.ok());
  EXPECT_EQ(*integerAttribute(*dict, "i"), 3);
  EXPECT_TRUE(*booleanAttribute(*dict, "b"));
  EXPECT_EQ(*stringAttribute(*dict, "s"), "x");
  EXPECT_THAT(*integerArrayAttribute(*dict, "a"), ElementsAre(1, 2));
  EXPECT_THAT(*integerArrayAttribute(*dict, "d"), ElementsAre(5));
  EXPECT_THAT(integerAttribute(*dict, "nope").status().message(), HasSubstr("'nope' is missing"));
  EXPECT_THAT(integerAttribute(*dict, "s").status().message(), HasSubstr("'s' is not an integer"));
  EXPECT_FALSE(stringAttribute(*dict, "i").ok());
}

TEST(Attributes, MalformedTextIsAnError) {
  for (const char *text : {"{", "}", "{x}y", "{x = }", "{x = 1 : i64", "{= 1}", "{x = \"abc}", "{x = \"\\q\"}",
                           "{x = array<i64: 1, >}", "{x = dense<1>}", "{x = [1, 2}", "{x = #foo<}", "x = 1", "{x = -}",
                           "{x = dense<\"0x123\"> : tensor<1xi16>}", "{x = 1.5 : i32}"})
    EXPECT_FALSE(parseAttributes(text).ok()) << text;
  std::string deep = "{x = ";
  for (int i = 0; i < 100000; ++i)
    deep += '[';
  EXPECT_FALSE(parseAttributes(deep).ok());
  EXPECT_FALSE(parseAttributes("{x = dense<1> : tensor<99999999999x99999999999xi8>}").ok());
}

TEST(Attributes, RandomTextNeverCrashes) {
  const std::string text =
      "{a = {b = 1 : i64}, c = dense<[[1, 2]]> : tensor<1x2xi64>, d = \"s\\0A\", e = array<f32: 1.0>}";
  const std::string alphabet = "{}[]<>\"\\=:,-x0129.eEaui";
  std::mt19937 random(3);
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = text;
    for (int i = 0; i < 3; ++i)
      damaged[random() % damaged.size()] = alphabet[random() % alphabet.size()];
    damaged.resize(random() % (damaged.size() + 1));
    (void)parseAttributes(damaged);
  }
}

} // namespace
} // namespace tenon::runtime
