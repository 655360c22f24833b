#include "tenon/literal/primitive_type.h"
#include "tenon/padding.h"
#include "tenon/shape.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <numeric>

namespace tenon::xla_2017 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::string errorOf(const Shape &shape) { return ShapeUtil::Validate(shape).message(); }

Shape padded(PrimitiveType type, gtl::ArraySlice<int64> dimensions, gtl::ArraySlice<int64> order,
             gtl::ArraySlice<int64> sizes, PaddingValue value = ZERO_PAD) {
  Shape shape = ShapeUtil::MakeShape(type, dimensions);
  *shape.mutable_layout() = LayoutUtil::MakePaddedLayout(order, sizes, value);
  return shape;
}

// SYS-30, API-T13, API-T14
TEST(ShapeUtil, DescribesArraysAndTuples) {
  Shape matrix = ShapeUtil::MakeShape(F32, {1, 3});
  EXPECT_EQ(ShapeUtil::Rank(matrix), 2);
  EXPECT_EQ(ShapeUtil::TrueRank(matrix), 1);
  EXPECT_EQ(ShapeUtil::ElementsIn(matrix), 3);
  EXPECT_EQ(ShapeUtil::ByteSizeOf(matrix), 12);
  EXPECT_THAT(ShapeUtil::Dimensions(matrix), ElementsAre(1, 3));
  EXPECT_TRUE(ShapeUtil::IsArray(matrix));
  EXPECT_TRUE(ShapeUtil::IsScalar(ShapeUtil::MakeShape(PRED, {})));
  EXPECT_EQ(ShapeUtil::ElementsIn(ShapeUtil::MakeShape(PRED, {})), 1);
  EXPECT_EQ(ShapeUtil::ElementsIn(ShapeUtil::MakeShape(PRED, {7, 0})), 0);
  Shape tuple = ShapeUtil::MakeTupleShape({matrix, ShapeUtil::MakeShape(S4, {4}), ShapeUtil::MakeNil()});
  EXPECT_TRUE(ShapeUtil::Validate(tuple).ok());
  EXPECT_TRUE(ShapeUtil::IsNestedTuple(tuple));
  EXPECT_TRUE(ShapeUtil::IsEmptyTuple(tuple.tuple_shapes(2)));
  EXPECT_EQ(ShapeUtil::ByteSizeOf(tuple), 16);
  EXPECT_EQ(ShapeUtil::Leaves(tuple).size(), 2u);
  EXPECT_EQ(ShapeUtil::HumanString(tuple), "(f32[1,3], s4[4], ())");
}

TEST(ShapeUtil, Compares) {
  Shape rows = ShapeUtil::MakeShape(F32, {2, 3}), columns = ShapeUtil::MakeShapeWithLayout(F32, {2, 3}, {0, 1});
  Shape bare = rows;
  bare.clear_layout();
  EXPECT_TRUE(ShapeUtil::Equal(rows, bare));
  EXPECT_FALSE(ShapeUtil::Equal(rows, columns));
  EXPECT_TRUE(ShapeUtil::Compatible(rows, columns));
  EXPECT_FALSE(ShapeUtil::Compatible(rows, ShapeUtil::MakeShape(S32, {2, 3})));
  EXPECT_TRUE(ShapeUtil::SameDimensions(rows, ShapeUtil::MakeShape(S32, {2, 3})));
  EXPECT_FALSE(ShapeUtil::SameDimensions(rows, ShapeUtil::MakeShape(F32, {2})));
  EXPECT_FALSE(ShapeUtil::Equal(ShapeUtil::MakeTupleShape({rows}), ShapeUtil::MakeTupleShape({columns})));
  EXPECT_TRUE(ShapeUtil::Compatible(ShapeUtil::MakeTupleShape({rows}), ShapeUtil::MakeTupleShape({columns})));
}

// API-T17, API-T18, API-T37
TEST(ShapeUtil, KnowsEveryElementType) {
  int arrays = 0;
  for (int number = PrimitiveType_MIN; number <= PrimitiveType_MAX; ++number) {
    auto type = static_cast<PrimitiveType>(number);
    if (!PrimitiveType_IsValid(number) || type == PRIMITIVE_TYPE_INVALID)
      continue;
    auto parsed = ParsePrimitiveType(PrimitiveTypeName(type));
    ASSERT_TRUE(parsed.ok()) << PrimitiveType_Name(type);
    EXPECT_EQ(*parsed, type);
    bool isArray = type != TUPLE && type != TOKEN && type != OPAQUE_TYPE;
    arrays += isArray;
    EXPECT_EQ(ShapeUtil::ByteSizeOfPrimitiveType(type) > 0, isArray);
    EXPECT_EQ(IsFloatType(type) + IsComplexType(type) + IsSignedIntegerType(type) + IsUnsignedIntegerType(type) +
                  (type == PRED),
              isArray);
  }
  EXPECT_EQ(static_cast<size_t>(arrays), tenon::elementTypes().size());
  EXPECT_EQ(ShapeUtil::ByteSizeOfPrimitiveType(S4), 1);
  EXPECT_EQ(ShapeUtil::ByteSizeOfPrimitiveType(C128), 16);
  EXPECT_FALSE(ParsePrimitiveType("f31").ok());
  EXPECT_FALSE(ParsePrimitiveType("invalid").ok());
}

TEST(ShapeUtil, RejectsWhatIsNoShape) {
  EXPECT_THAT(errorOf(Shape()), HasSubstr("no element type of number 0"));
  EXPECT_THAT(errorOf(ShapeUtil::MakeShape(static_cast<PrimitiveType>(99), {})), HasSubstr("number 99"));
  EXPECT_THAT(errorOf(ShapeUtil::MakeShape(F32, {3, -1})), HasSubstr("dimension 1 has size -1"));
  EXPECT_THAT(errorOf(ShapeUtil::MakeShape(F32, {int64{1} << 31, int64{1} << 31})), HasSubstr("2^63"));
  EXPECT_THAT(errorOf(ShapeUtil::MakeShape(F32, {0, int64{1} << 62, 8})), HasSubstr("2^63"));
  EXPECT_TRUE(ShapeUtil::Validate(ShapeUtil::MakeShape(S8, {INT64_MAX})).ok());
  Shape large = ShapeUtil::MakeShape(S8, {INT64_MAX});
  EXPECT_THAT(errorOf(ShapeUtil::MakeTupleShape({large, large})), HasSubstr("2^63"));
  EXPECT_THAT(errorOf(ShapeUtil::MakeShape(F32, std::vector<int64>(257, 1))), HasSubstr("256 dimensions"));
  Shape tuple = ShapeUtil::MakeNil();
  tuple.add_dimensions(1);
  EXPECT_THAT(errorOf(tuple), HasSubstr("neither dimensions nor layout"));
  Shape array = ShapeUtil::MakeShape(F32, {});
  *array.add_tuple_shapes() = array;
  EXPECT_THAT(errorOf(array), HasSubstr("no elements"));
  EXPECT_THAT(errorOf(ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(F32, {-1})})), HasSubstr("size -1"));
  Shape deep = ShapeUtil::MakeNil();
  for (int i = 0; i < ShapeUtil::kMaxTupleDepth; ++i)
    deep = ShapeUtil::MakeTupleShape({deep});
  EXPECT_TRUE(ShapeUtil::Validate(deep).ok());
  EXPECT_THAT(errorOf(ShapeUtil::MakeTupleShape({deep})), HasSubstr("deep"));
  Shape token;
  token.set_element_type(TOKEN);
  EXPECT_TRUE(ShapeUtil::Validate(token).ok());
  EXPECT_EQ(ShapeUtil::HumanString(token), "token[]");
}

// LAY-1, LAY-2, SYS-31, API-T15
TEST(LayoutUtil, OrdersDimensions) {
  EXPECT_THAT(LayoutUtil::Strides(ShapeUtil::MakeShape(F32, {2, 3, 4})), ElementsAre(12, 4, 1));
  EXPECT_THAT(LayoutUtil::Strides(ShapeUtil::MakeShapeWithLayout(F32, {2, 3, 4}, {0, 1, 2})), ElementsAre(1, 2, 6));
  EXPECT_THAT(LayoutUtil::Strides(ShapeUtil::MakeShapeWithLayout(F32, {2, 3, 4}, {1, 2, 0})), ElementsAre(12, 1, 3));
  EXPECT_TRUE(LayoutUtil::IsDefault(LayoutUtil::MakeLayout({2, 1, 0})));
  EXPECT_FALSE(LayoutUtil::IsDefault(LayoutUtil::MakeLayout({0, 1})));
  using Order = std::vector<int64>;
  for (const Order &order : {Order{}, {0}, {0, 0}, {1, 2}, {-1, 0}, {0, 1, 2}, {0, int64{1} << 40}})
    EXPECT_THAT(errorOf(ShapeUtil::MakeShapeWithLayout(F32, {2, 3}, order)), HasSubstr("minor_to_major"));
}

// LAY-3, LAY-4, SYS-32, API-T16
TEST(LayoutUtil, ChecksPadding) {
  Shape shape = padded(F32, {2, 3}, {0, 1}, {3, 5});
  EXPECT_TRUE(ShapeUtil::Validate(shape).ok());
  EXPECT_EQ(ShapeUtil::ByteSizeOf(shape), 60);
  EXPECT_EQ(ShapeUtil::ElementsIn(shape), 6);
  EXPECT_THAT(LayoutUtil::PaddedDimensions(shape), ElementsAre(3, 5));
  EXPECT_TRUE(LayoutUtil::IsPadded(shape.layout(), shape));
  EXPECT_FALSE(LayoutUtil::IsPadded(padded(F32, {2, 3}, {0, 1}, {2, 3}).layout(), shape));
  EXPECT_THAT(errorOf(padded(F32, {2, 3}, {0, 1}, {3})), HasSubstr("1 entries for 2 dimensions"));
  EXPECT_THAT(errorOf(padded(F32, {2, 3}, {0, 1}, {3, 2})), HasSubstr("size 3 is padded to 2"));
  EXPECT_THAT(errorOf(padded(F32, {2, 3}, {0, 1}, {3, INT64_MAX})), HasSubstr("2^63"));
  EXPECT_THAT(errorOf(padded(F32, {2, 3}, {0, 1}, {3, 5}, INVALID_PAD)), HasSubstr("padding value"));
  EXPECT_THAT(errorOf(padded(F32, {2}, {0}, {3}, static_cast<PaddingValue>(17))), HasSubstr("number 17"));
  EXPECT_THAT(errorOf(padded(C64, {2}, {0}, {3}, LOWEST_PAD)), HasSubstr("no lowest value"));
  EXPECT_TRUE(LayoutUtil::Equal(padded(F32, {2}, {0}, {3}).layout(), LayoutUtil::MakePaddedLayout({0}, {3}, ZERO_PAD)));
  EXPECT_FALSE(
      LayoutUtil::Equal(LayoutUtil::MakePaddedLayout({0}, {3}, ONE_PAD), LayoutUtil::MakePaddedLayout({0}, {3})));
}

TEST(ShapeUtil, ReadsWhatItPrints) {
  std::vector<Shape> shapes = {ShapeUtil::MakeShape(F32, {}),
                               ShapeUtil::MakeShape(F8E4M3B11FNUZ, {0, 12, 3}),
                               ShapeUtil::MakeShapeWithLayout(PRED, {2, 3}, {0, 1}),
                               padded(S4, {2, 3}, {0, 1}, {3, 5}),
                               padded(S4, {2, 3}, {1, 0}, {3, 5}, LOWEST_PAD),
                               padded(S4, {2}, {0}, {3}, UNKNOWN_PAD),
                               ShapeUtil::MakeNil()};
  shapes.push_back(ShapeUtil::MakeTupleShape(shapes));
  for (const Shape &shape : shapes) {
    auto parsed = ShapeUtil::ParseShapeString(ShapeUtil::HumanStringWithLayout(shape));
    ASSERT_TRUE(parsed.ok()) << parsed.status().message();
    EXPECT_TRUE(ShapeUtil::Equal(*parsed, shape)) << ShapeUtil::HumanStringWithLayout(shape);
    parsed = ShapeUtil::ParseShapeString(ShapeUtil::HumanString(shape));
    ASSERT_TRUE(parsed.ok()) << parsed.status().message();
    EXPECT_TRUE(ShapeUtil::Compatible(*parsed, shape));
  }
  EXPECT_EQ(ShapeUtil::HumanStringWithLayout(shapes[2]), "pred[2,3]{0,1}");
  EXPECT_EQ(ShapeUtil::HumanStringWithLayout(shapes[3]), "s4[2,3]{0,1:p(3,5)}");
  EXPECT_EQ(ShapeUtil::HumanStringWithLayout(shapes[4]), "s4[2,3]{1,0:p(3,5)=lowest}");
  EXPECT_TRUE(ShapeUtil::ParseShapeString(" ( f32 [ 2 , 3 ] { 1 , 0 } ,\n() ) ").ok());
  for (const char *text : {"",
                           "f32",
                           "f32[",
                           "f32[2",
                           "f32[2,]",
                           "f32[-1]",
                           "f32[2]]",
                           "f32[99999999999999999999]",
                           "f33[2]",
                           "tuple[]",
                           "(f32[]",
                           "(f32[],)",
                           "f32[2]{",
                           "f32[2]{0",
                           "f32[2]{1}",
                           "f32[2]{0:}",
                           "f32[2]{0:p(1)}",
                           "f32[2]{0:p(3)=two}",
                           "f32[2]{0:p(3}",
                           "f32[2]{}",
                           "token[2]",
                           "()()"})
    EXPECT_FALSE(ShapeUtil::ParseShapeString(text).ok()) << text;
  EXPECT_FALSE(ShapeUtil::ParseShapeString(std::string(100000, '(')).ok());
}

// The numbers of windows along one dimension under some padding.
int64 windows(int64 input, int64 window, int64 stride) { return input < window ? 0 : (input - window) / stride + 1; }

// API-T20, API-T21, X-32: as many windows as it says, by as little padding as will do, the greater half behind.
TEST(MakePadding, AgreesWithTheDefinition) {
  for (int64 input = 1; input < 12; ++input)
    for (int64 window = 1; window < 6; ++window)
      for (int64 stride = 1; stride < 6; ++stride) {
        auto [low, high] = MakePadding({input}, {window}, {stride}, Padding::kSame)[0];
        int64 wanted = (input + stride - 1) / stride, total = 0;
        while (windows(input + total, window, stride) < wanted)
          ++total;
        EXPECT_EQ(low + high, total) << input << " " << window << " " << stride;
        EXPECT_EQ(low, total / 2);
        EXPECT_THAT(MakePadding({input}, {window}, {stride}, Padding::kValid), ElementsAre(Pair(0, 0)));
      }
  // DV-5
  EXPECT_THAT(MakePadding({4}, {3}, {2}, Padding::kSame), ElementsAre(Pair(0, 1)));
  EXPECT_THAT(MakePadding({4, 5}, {3, 3}, {1, 1}, Padding::kSame), ElementsAre(Pair(1, 1), Pair(1, 1)));
  EXPECT_THAT(MakePadding({0}, {3}, {1}, Padding::kSame), ElementsAre(Pair(1, 1)));
  EXPECT_THAT(MakePadding({INT64_MAX}, {INT64_MAX}, {INT64_MAX - 1}, Padding::kSame),
              ElementsAre(Pair(INT64_MAX / 2, INT64_MAX / 2)));
}

TEST(MakePaddingDeathTest, RefusesWhatIsNoWindow) {
  EXPECT_DEATH((void)MakePadding({4, 4}, {3}, {1}, Padding::kSame), "2, 1 and 1 dimensions");
  EXPECT_DEATH((void)MakePadding({4}, {0}, {1}, Padding::kSame), "window 0");
  EXPECT_DEATH((void)MakePadding({4}, {1}, {0}, Padding::kValid), "stride 0");
}

} // namespace
} // namespace tenon::xla_2017
