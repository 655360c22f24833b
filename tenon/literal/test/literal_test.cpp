#include "tenon/literal.h"

#include "tenon/literal/primitive_type.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

namespace tenon::xla_2017 {
namespace {

using tenon::ElementKind;
using tenon::ElementTypeInfo;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Shape padded(PrimitiveType type, gtl::ArraySlice<int64> dimensions, gtl::ArraySlice<int64> order,
             gtl::ArraySlice<int64> sizes, PaddingValue value = ZERO_PAD) {
  Shape shape = ShapeUtil::MakeShape(type, dimensions);
  *shape.mutable_layout() = LayoutUtil::MakePaddedLayout(order, sizes, value);
  return shape;
}

// Bytes that the type has; padding as the layout says.
Literal random(const Shape &shape, unsigned seed = 1) {
  Literal dense(ShapeUtil::MakeShape(shape.element_type(), ShapeUtil::Dimensions(shape)));
  std::mt19937 engine(seed);
  auto *data = static_cast<unsigned char *>(dense.mutable_data());
  for (int64 i = 0; i < dense.size_bytes(); ++i)
    data[i] = static_cast<unsigned char>(engine());
  internal::makeCanonical(*internal::findType(shape.element_type()), data, dense.size_bytes());
  return dense.Relayout(shape);
}

template <typename T> std::vector<T> memoryOf(const Literal &literal) { return literal.data<T>().toVector(); }

Literal letters() { return LiteralUtil::CreateR2<uint8>({{'a', 'b', 'c'}, {'d', 'e', 'f'}}); }

std::string textOf(const Literal &literal) {
  std::string text;
  for (uint8 byte : literal.data<uint8>())
    text += static_cast<char>(byte ? byte : '0');
  return text;
}

// E0-03, E0-04, E0-05; SYS-31, SYS-32, LAY-1 ... LAY-4
TEST(Literal, LiesInMemoryAsTheDocumentSays) {
  EXPECT_EQ(textOf(letters().Relayout(LayoutUtil::MakeLayout({0, 1}))), "adbecf");
  EXPECT_EQ(textOf(letters().Relayout(LayoutUtil::MakeLayout({1, 0}))), "abcdef");
  EXPECT_EQ(textOf(letters().Relayout(LayoutUtil::MakePaddedLayout({0, 1}, {3, 5}))), "ad0be0cf0000000");
  // "This is equivalent to the layout of the following array with the same minor-to-major dimension order."
  EXPECT_EQ(textOf(LiteralUtil::CreateR2<uint8>({{'a', 'b', 'c', 0, 0}, {'d', 'e', 'f', 0, 0}, {0, 0, 0, 0, 0}})
                       .Relayout(LayoutUtil::MakeLayout({0, 1}))),
            "ad0be0cf0000000");
}

// SYS-32: every order, element size and padding value, element by element.
TEST(Literal, RelaysOutWithPadding) {
  const std::vector<int64> dims = {3, 1, 20, 2}, sizes = {4, 3, 20, 5};
  for (PrimitiveType type : {S8, S16, F32, F64, C128}) {
    int64 width = ShapeUtil::ByteSizeOfPrimitiveType(type);
    Literal dense = random(ShapeUtil::MakeShape(type, dims));
    auto *from = static_cast<const char *>(dense.untyped_data());
    std::vector<int64> order = {0, 1, 2, 3};
    do {
      for (PaddingValue value : {ZERO_PAD, ONE_PAD}) {
        Literal out = dense.Relayout(LayoutUtil::MakePaddedLayout(order, sizes, value));
        auto *to = static_cast<const char *>(out.untyped_data());
        Literal pad = value == ZERO_PAD ? LiteralUtil::Zero(type) : LiteralUtil::One(type);
        std::vector<int64> i(4);
        int64 paddings = 0;
        for (i[0] = 0; i[0] < sizes[0]; ++i[0])
          for (i[1] = 0; i[1] < sizes[1]; ++i[1])
            for (i[2] = 0; i[2] < sizes[2]; ++i[2])
              for (i[3] = 0; i[3] < sizes[3]; ++i[3]) {
                int64 position = 0, stride = 1;
                for (int64 d : order) {
                  position += i[size_t(d)] * stride;
                  stride *= sizes[size_t(d)];
                }
                bool isInside = i[0] < dims[0] && i[1] < dims[1] && i[3] < dims[3];
                paddings += !isInside;
                auto *expected =
                    isInside ? from + dense.LinearIndex(i) * width : static_cast<const char *>(pad.untyped_data());
                ASSERT_EQ(std::memcmp(to + position * width, expected, size_t(width)), 0);
              }
        ASSERT_EQ(paddings, 4 * 3 * 20 * 5 - 3 * 20 * 2);
        ASSERT_EQ(out, dense);
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(Literal, FillsPaddingWhenItIsMade) {
  EXPECT_THAT(memoryOf<float>(Literal(padded(F32, {1}, {0}, {3}, LOWEST_PAD))), ElementsAre(0, -INFINITY, -INFINITY));
  EXPECT_THAT(memoryOf<float>(Literal(padded(F32, {1}, {0}, {3}, HIGHEST_PAD))), ElementsAre(0, INFINITY, INFINITY));
  EXPECT_THAT(memoryOf<int32>(Literal(padded(S32, {0, 1}, {0, 1}, {1, 2}, ONE_PAD))), ElementsAre(1, 1));
  EXPECT_THAT(memoryOf<bool>(Literal(padded(PRED, {1}, {0}, {2}, HIGHEST_PAD))), ElementsAre(false, true));
  // Conversion fills it with the new type's value.
  Literal lowest = Literal(padded(S8, {1}, {0}, {2}, LOWEST_PAD));
  EXPECT_THAT(memoryOf<int16>(*lowest.Convert(S16)), ElementsAre(0, -32768));
  EXPECT_FALSE(lowest.Convert(C64).ok());
}

TEST(Literal, GetsAndSetsByIndex) {
  for (const Layout &layout : {LayoutUtil::MakeLayout({1, 0}), LayoutUtil::MakePaddedLayout({0, 1}, {4, 4})}) {
    Literal literal = LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}}).Relayout(layout);
    EXPECT_EQ(literal.Get<float>({1, 0}), 3);
    EXPECT_EQ(literal.GetFirstElement<float>(), 1);
    literal.Set<float>({0, 1}, 7);
    EXPECT_EQ(literal, LiteralUtil::CreateR2<float>({{1, 7}, {3, 4}}));
    EXPECT_NE(literal, LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}}));
  }
  EXPECT_EQ(LiteralUtil::CreateR0(true).Get<bool>({}), true);
  EXPECT_EQ(LiteralUtil::CreateR1<int4>({int4(-8), int4(7)}).Get<int4>({0}), int4(-8));
  EXPECT_EQ(LiteralUtil::CreateR1<half>({half(0.5)}).shape().element_type(), F16);
  EXPECT_EQ(LiteralUtil::CreateR1<bool>({true, false}).ToString(), "pred[2] {true, false}");
  EXPECT_EQ(LiteralUtil::CreateR3FromArray3D(Array3D<int32>(2, 1, 1, 5)).ToString(), "s32[2,1,1] {{{5}}, {{5}}}");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(Literal(ShapeUtil::MakeShape(S8, {3})).untyped_data()) % 64, 0u);
}

// SYS-23, API-T08, SYS-34: every element type in layouts, and through the wire.
TEST(Literal, GoesThroughProtos) {
  std::vector<Literal> all;
  for (const ElementTypeInfo &info : tenon::elementTypes()) {
    all.push_back(random(ShapeUtil::MakeShape(primitiveTypeOf(info.type), {})));
    all.push_back(random(ShapeUtil::MakeShape(primitiveTypeOf(info.type), {2, 0, 3})));
    all.push_back(random(ShapeUtil::MakeShapeWithLayout(primitiveTypeOf(info.type), {4, 5}, {0, 1})));
    all.push_back(random(padded(primitiveTypeOf(info.type), {2, 3}, {0, 1}, {3, 5}, ONE_PAD)));
  }
  std::vector<Literal> inner;
  inner.emplace_back();
  inner.push_back(LiteralUtil::CreateR0<float>(1));
  all.push_back(LiteralUtil::MakeTuple(std::move(inner)));
  all.emplace_back();
  Literal tuple = LiteralUtil::MakeTuple(std::move(all));
  auto check = [](const Literal &literal) {
    LiteralProto proto;
    ASSERT_TRUE(proto.ParseFromString(literal.ToProto().SerializeAsString()));
    auto back = Literal::CreateFromProto(proto);
    ASSERT_TRUE(back.ok()) << back.status().message();
    EXPECT_EQ(*back, literal);
    EXPECT_TRUE(ShapeUtil::Equal(back->shape(), literal.shape()));
    EXPECT_EQ(back->ToProto().SerializeAsString(), literal.ToProto().SerializeAsString());
    EXPECT_EQ(literal.Clone(), literal);
  };
  check(tuple);
  for (Literal &element : tuple.DecomposeTuple())
    check(element);
  EXPECT_TRUE(ShapeUtil::IsEmptyTuple(tuple.shape()));
}

TEST(Literal, RejectsHostileProtos) {
  auto errorOf = [](const LiteralProto &proto) {
    auto literal = Literal::CreateFromProto(proto);
    EXPECT_FALSE(literal.ok());
    return literal.ok() ? "" : literal.status().message();
  };
  EXPECT_THAT(errorOf({}), HasSubstr("no element type"));
  LiteralProto good = LiteralUtil::CreateR1<float>({1, 2}).ToProto(), proto = good;
  proto.mutable_data()->pop_back();
  EXPECT_THAT(errorOf(proto), HasSubstr("7 bytes of data where f32[2] has 8"));
  proto = good;
  proto.mutable_shape()->set_dimensions(0, INT64_MAX / 4);
  EXPECT_THAT(errorOf(proto), HasSubstr("8 bytes of data"));
  proto.mutable_shape()->set_dimensions(0, INT64_MAX);
  EXPECT_THAT(errorOf(proto), HasSubstr("2^63"));
  proto.mutable_shape()->set_dimensions(0, -2);
  EXPECT_THAT(errorOf(proto), HasSubstr("size -2"));
  proto = good;
  proto.mutable_shape()->mutable_layout()->set_minor_to_major(0, 1);
  EXPECT_THAT(errorOf(proto), HasSubstr("minor_to_major"));
  proto = good;
  *proto.add_tuple_literals() = good;
  EXPECT_THAT(errorOf(proto), HasSubstr("1 elements where f32[2] has 0"));
  proto = LiteralUtil::CreateR0(true).ToProto();
  proto.set_data("\2");
  EXPECT_THAT(errorOf(proto), HasSubstr("bytes that no pred has"));
  proto = LiteralUtil::CreateR0(int4(1)).ToProto();
  proto.set_data("\x0F");
  EXPECT_THAT(errorOf(proto), HasSubstr("bytes that no s4 has"));
  LiteralProto tuple;
  *tuple.mutable_shape() = ShapeUtil::MakeTupleShape({good.shape(), good.shape()});
  *tuple.add_tuple_literals() = good;
  EXPECT_THAT(errorOf(tuple), HasSubstr("1 elements where (f32[2], f32[2]) has 2"));
  *tuple.add_tuple_literals() = LiteralUtil::CreateR1<int32>({1, 2}).ToProto();
  EXPECT_THAT(errorOf(tuple), HasSubstr("an element of shape s32[2]{0}"));
  tuple.set_data("x");
  EXPECT_THAT(errorOf(tuple), HasSubstr("1 bytes of data"));
  LiteralProto token;
  token.mutable_shape()->set_element_type(TOKEN);
  EXPECT_THAT(errorOf(token), HasSubstr("cannot be on the host"));
  for (int i = 0; i < 70; ++i) {
    LiteralProto outer;
    *outer.mutable_shape() = ShapeUtil::MakeTupleShape({token.shape()});
    *outer.add_tuple_literals() = std::move(token);
    token = std::move(outer);
  }
  EXPECT_THAT(errorOf(token), HasSubstr("deep"));
  // Padding is filled, whatever was sent.
  LiteralProto filled = Literal(padded(U8, {1}, {0}, {3})).ToProto();
  filled.set_data("abc");
  EXPECT_THAT(memoryOf<uint8>(*Literal::CreateFromProto(filled)), ElementsAre('a', 0, 0));
}

TEST(Literal, ReportsWhatDoesNotFit) {
  auto huge = Literal::Create(ShapeUtil::MakeShape(F32, {int64{1} << 60}));
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(Literal::Create(ShapeUtil::MakeShape(S8, {INT64_MAX})).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(Literal::Create(ShapeUtil::MakeShape(F32, {-1})).status().code(), StatusCode::kInvalidArgument);
  Shape token;
  token.set_element_type(TOKEN);
  EXPECT_EQ(Literal::Create(ShapeUtil::MakeTupleShape({token})).status().code(), StatusCode::kInvalidArgument);
}

TEST(Literal, BorrowsAndAdoptsMemory) {
  const float values[] = {1, 2, 3, 4};
  Literal view = Literal::Borrow(ShapeUtil::MakeShapeWithLayout(F32, {2, 2}, {0, 1}), values);
  EXPECT_EQ(view.untyped_data(), values);
  EXPECT_EQ(view, LiteralUtil::CreateR2<float>({{1, 3}, {2, 4}}));
  Literal copy = view.Clone();
  copy.Set<float>({0, 0}, 9);
  EXPECT_EQ(values[0], 1);
  int released = 0;
  int32 owned[2] = {5, 6};
  {
    Literal literal = Literal::Adopt(
        ShapeUtil::MakeShape(S32, {2}), owned, [](void *, void *count) { ++*static_cast<int *>(count); }, &released);
    Literal moved = std::move(literal);
    EXPECT_EQ(moved.Get<int32>({1}), 6);
    // NOLINTNEXTLINE(bugprone-use-after-move): what a move leaves behind is defined.
    EXPECT_TRUE(ShapeUtil::IsEmptyTuple(literal.shape()));
    moved.Set<int32>({1}, 7);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
  EXPECT_EQ(owned[1], 7);
}

TEST(LiteralDeathTest, SaysWhatIsWrong) {
  Literal literal = LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}});
  EXPECT_DEATH((void)literal.Get<int32>({0, 0}), "f32\\[2,2\\] is used as an array of s32");
  EXPECT_DEATH((void)literal.Get<float>({0}), "f32\\[2,2\\] has no element at \\{0\\}");
  EXPECT_DEATH((void)literal.Get<float>({0, 2}), "no element at \\{0, 2\\}");
  EXPECT_DEATH((void)literal.Get<float>({-1, 0}), "no element at");
  EXPECT_DEATH((void)literal.tuple_literal(0), "has no element 0");
  EXPECT_DEATH((void)Literal().data<float>(), "is used as an array");
  EXPECT_DEATH((void)Literal().untyped_data(), "is used as an array");
  EXPECT_DEATH(Literal(ShapeUtil::MakeShape(F32, {-1})), "size -1");
  EXPECT_DEATH((void)LiteralUtil::CreateR2<int32>({{1, 2}, {3}}), "row 1");
  EXPECT_DEATH((void)LiteralUtil::FromDense<float>({3}, {1, 2}), "2 elements for f32\\[3\\]");
  EXPECT_DEATH((void)LiteralUtil::MinValue(C64), "MinValue: c64");
  EXPECT_DEATH((void)literal.Relayout(LayoutUtil::MakeLayout({0})), "minor_to_major");
  float value = 0;
  EXPECT_DEATH((void)Literal::Borrow(ShapeUtil::MakeShape(F32, {}), &value).mutable_data(), "cannot be changed");
  EXPECT_DEATH((void)Literal::Borrow(ShapeUtil::MakeShape(F32, {}), reinterpret_cast<char *>(&value) + 1), "aligned");
}

// SYS-55, API-T09, X-09
TEST(LiteralUtil, MakesSpecialValues) {
  EXPECT_EQ(LiteralUtil::MinValue(F32).Get<float>({}), -INFINITY);
  EXPECT_EQ(LiteralUtil::MaxValue(F64).Get<double>({}), INFINITY);
  EXPECT_EQ(LiteralUtil::MinValue(S32).Get<int32>({}), INT32_MIN);
  EXPECT_EQ(LiteralUtil::MaxValue(U64).Get<uint64>({}), UINT64_MAX);
  EXPECT_EQ(LiteralUtil::MinValue(S2).Get<int2>({}), int2(-2));
  EXPECT_EQ(LiteralUtil::MaxValue(U4).Get<uint4>({}), uint4(15));
  EXPECT_EQ(LiteralUtil::MaxValue(PRED).Get<bool>({}), true);
  EXPECT_EQ(LiteralUtil::MinValue(F8E4M3FN).ToString(), "f8e4m3fn[] -448");
  EXPECT_EQ(double(LiteralUtil::MinValue(F8E4M3FN).Get<float8_e4m3fn>({})), -448);
  EXPECT_EQ(double(LiteralUtil::MaxValue(F8E8M0FNU).Get<float8_e8m0fnu>({})), 0x1p127);
  EXPECT_EQ(double(LiteralUtil::MinValue(F16).Get<half>({})), -INFINITY);
  // Nothing of the type is outside.
  for (const ElementTypeInfo &info : tenon::elementTypes()) {
    if (info.kind == ElementKind::kComplex)
      continue;
    auto value = [](const Literal &literal) { return literal.Convert(F64)->Get<double>({}); };
    double low = value(LiteralUtil::MinValue(primitiveTypeOf(info.type))),
           high = value(LiteralUtil::MaxValue(primitiveTypeOf(info.type)));
    EXPECT_EQ(value(LiteralUtil::One(primitiveTypeOf(info.type))), 1) << info.xlaName;
    for (unsigned code = 0; info.bits <= 8 && code < 1u << info.bits; ++code) {
      Literal literal(ShapeUtil::MakeShape(primitiveTypeOf(info.type), {}));
      *static_cast<uint8 *>(literal.mutable_data()) = static_cast<uint8>(code);
      internal::makeCanonical(info, literal.mutable_data(), 1);
      double one = value(literal);
      EXPECT_TRUE(std::isnan(one) || (one >= low && one <= high)) << info.xlaName << " " << code;
    }
  }
  EXPECT_EQ(LiteralUtil::FromDouble(S8, 2.5)->Get<int8>({}), 2);
  EXPECT_EQ(LiteralUtil::FromDouble(S8, 1e9)->Get<int8>({}), 127);
  EXPECT_FALSE(LiteralUtil::FromDouble(S8, NAN).ok());
  EXPECT_FALSE(LiteralUtil::FromDouble(TUPLE, 1).ok());
  EXPECT_EQ(LiteralUtil::FromDouble(C64, 2)->Get<complex64>({}), complex64(2, 0));
}

template <typename To, typename From> std::vector<To> converted(gtl::ArraySlice<From> values) {
  return memoryOf<To>(*LiteralUtil::CreateR1<From>(values).Convert(NativeToPrimitiveType<To>()));
}

//
TEST(Literal, Converts) {
  EXPECT_THAT((converted<int8, float>({1.9f, -1.9f, 300, -300, NAN, INFINITY})), ElementsAre(1, -1, 127, -128, 0, 127));
  EXPECT_THAT((converted<uint64, double>({-1, 1.8e19, 2e19, 9.3e18})),
              ElementsAre(0u, 18000000000000000000u, UINT64_MAX, 9300000000000000000u));
  EXPECT_THAT((converted<int64, double>({-1e19, 1e19, -0.5})), ElementsAre(INT64_MIN, INT64_MAX, 0));
  EXPECT_THAT((converted<int4, int32>({7, 8, -9})), ElementsAre(int4(7), int4(-8), int4(7)));
  EXPECT_THAT((converted<uint8, int32>({-1, 256, 257})), ElementsAre(255, 0, 1));
  EXPECT_THAT((converted<int64, uint32>({UINT32_MAX})), ElementsAre(4294967295));
  EXPECT_THAT((converted<bool, float>({0, -0.0f, 0.1f, NAN})), ElementsAre(false, false, true, true));
  EXPECT_THAT((converted<bool, complex64>({{0, 0}, {0, 1}})), ElementsAre(false, true));
  EXPECT_THAT((converted<float, complex128>({{2, 3}})), ElementsAre(2));
  EXPECT_THAT((converted<complex64, int32>({-3})), ElementsAre(complex64(-3, 0)));
  EXPECT_THAT((converted<float, bool>({true, false})), ElementsAre(1, 0));
  // Rounded once: by way of double it would be a tie, and go to even.
  int64 sticky = (int64{1} << 60) + (int64{1} << 36) + 1;
  EXPECT_THAT((converted<float, int64>({sticky, -sticky})), ElementsAre(float(sticky), -float(sticky)));
  EXPECT_EQ(float(sticky), 0x1p60f + 0x1p37f);
  int64 wide = (int64{1} << 62) + (int64{1} << 54) + 1;
  EXPECT_EQ(float(converted<bfloat16, int64>({wide})[0]), 0x1p62f + 0x1p55f);
  EXPECT_THAT((converted<double, uint64>({UINT64_MAX, (uint64{1} << 53) + 1})), ElementsAre(0x1p64, 0x1p53));
  EXPECT_EQ((converted<float4_e2m1fn, double>({100, -0.4})[0]).code(), 7);
  EXPECT_FALSE(Literal().Convert(F32).ok());
  EXPECT_FALSE(LiteralUtil::CreateR0(1).Convert(TUPLE).ok());
}

TEST(Literal, Reshapes) {
  Literal columns = LiteralUtil::CreateR2<int32>({{1, 2, 3}, {4, 5, 6}}).Relayout(LayoutUtil::MakeLayout({0, 1}));
  auto reshaped = columns.Reshape({3, 2});
  ASSERT_TRUE(reshaped.ok());
  EXPECT_EQ(*reshaped, LiteralUtil::CreateR2<int32>({{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_FALSE(columns.Reshape({4}).ok());
  EXPECT_FALSE(columns.Reshape({-1, -6}).ok());
  EXPECT_FALSE(Literal().Reshape({}).ok());
}

TEST(Literal, Prints) {
  EXPECT_EQ(LiteralUtil::CreateR0<float>(1).ToString(), "f32[] 1");
  EXPECT_EQ(LiteralUtil::CreateR2<double>({{0.1, -2}, {1e300, -INFINITY}}).ToString(),
            "f64[2,2] {{0.1, -2}, {1e+300, -inf}}");
  EXPECT_EQ(LiteralUtil::CreateR1<half>({half(0.1), half(65504.0), half(double(NAN))}).ToString(),
            "f16[3] {0.1, 65504, nan}");
  EXPECT_EQ(LiteralUtil::CreateR1<bfloat16>({bfloat16(0.1), bfloat16(-0.0)}).ToString(), "bf16[2] {0.1, -0}");
  EXPECT_EQ(LiteralUtil::CreateR1<int4>({int4(-8)}).ToString(), "s4[1] {-8}");
  EXPECT_EQ(LiteralUtil::CreateR0<complex64>({1, -2}).ToString(), "c64[] (1, -2)");
  EXPECT_EQ(Literal(ShapeUtil::MakeShape(F32, {2, 0})).ToString(), "f32[2,0] {{}, {}}");
  std::vector<Literal> elements;
  elements.push_back(LiteralUtil::CreateR1<int32>({1, 2}));
  elements.emplace_back();
  EXPECT_EQ(LiteralUtil::MakeTuple(std::move(elements)).ToString(), "(s32[2] {1, 2}, ())");
  std::vector<int32> many(2000);
  std::iota(many.begin(), many.end(), 0);
  EXPECT_EQ(LiteralUtil::CreateR1<int32>(many).ToString(), "s32[2000] {0, 1, 2, ..., 1997, 1998, 1999}");
  EXPECT_EQ(Literal(ShapeUtil::MakeShape(F32, {1000000, 0})).ToString(),
            "f32[1000000,0] {{}, {}, {}, ..., {}, {}, {}}");
}

} // namespace
} // namespace tenon::xla_2017
