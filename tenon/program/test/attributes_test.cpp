#include "tenon/program/attributes.h"

#include "tenon/program/testing/attributes.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::program {
namespace {

using namespace attribute;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Attributes, AreFoundByNameAndKind) {
  AttributeDict dict = {{"a", {std::vector<Attribute>{i64(1), i32(2)}}},
                        {"b", boolean(true)},
                        {"d", i64s({5})},
                        {"i", i32(3)},
                        {"s", string("x")},
                        {"u", {}}};
  EXPECT_EQ(*integerAttribute(dict, "i"), 3);
  EXPECT_EQ(*integerAttribute(dict, "b"), 1);
  EXPECT_TRUE(*booleanAttribute(dict, "b"));
  EXPECT_EQ(*stringAttribute(dict, "s"), "x");
  EXPECT_THAT(*integerArrayAttribute(dict, "a"), ElementsAre(1, 2));
  EXPECT_THAT(*integerArrayAttribute(dict, "d"), ElementsAre(5));
  EXPECT_NE(findAttribute(dict, "u"), nullptr);
  EXPECT_EQ(findAttribute(dict, "nope"), nullptr);
}

TEST(Attributes, SayWhatIsMissingOrOfAnotherKind) {
  AttributeDict dict = {{"mixed", {std::vector<Attribute>{i64(1), string("two")}}}, {"s", string("x")}};
  EXPECT_THAT(integerAttribute(dict, "nope").status().message(), HasSubstr("'nope' is missing"));
  EXPECT_THAT(integerAttribute(dict, "s").status().message(), HasSubstr("'s' is not an integer"));
  EXPECT_THAT(booleanAttribute(dict, "s").status().message(), HasSubstr("'s' is not an integer"));
  EXPECT_THAT(stringAttribute(dict, "mixed").status().message(), HasSubstr("'mixed' is not a string"));
  EXPECT_THAT(integerArrayAttribute(dict, "mixed").status().message(), HasSubstr("not an array of integers"));
}

} // namespace
} // namespace tenon::program
