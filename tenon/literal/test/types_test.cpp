#include "tenon/literal.h"
#include "tenon/literal/primitive_type.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "llvm/ADT/APFloat.h"

#include <array>
#include <cmath>

namespace tenon::xla_2017 {
namespace {

using llvm::APFloat;
using llvm::APInt;
using types_internal::decode;
using types_internal::encode;

struct Format {
  PrimitiveType type;
  const llvm::fltSemantics &semantics;
};

std::vector<Format> formats() {
  return {{F4E2M1FN, APFloat::Float4E2M1FN()},
          {F6E2M3FN, APFloat::Float6E2M3FN()},
          {F6E3M2FN, APFloat::Float6E3M2FN()},
          {F8E3M4, APFloat::Float8E3M4()},
          {F8E4M3, APFloat::Float8E4M3()},
          {F8E4M3FN, APFloat::Float8E4M3FN()},
          {F8E4M3B11FNUZ, APFloat::Float8E4M3B11FNUZ()},
          {F8E4M3FNUZ, APFloat::Float8E4M3FNUZ()},
          {F8E5M2, APFloat::Float8E5M2()},
          {F8E5M2FNUZ, APFloat::Float8E5M2FNUZ()},
          {F8E8M0FNU, APFloat::Float8E8M0FNU()},
          {BF16, APFloat::BFloat()},
          {F16, APFloat::IEEEhalf()}};
}

double valueOf(APFloat value) {
  bool lossy;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
  return value.convertToDouble();
}

unsigned codeOf(const Format &format, double value) {
  APFloat number(value);
  bool lossy;
  number.convert(format.semantics, APFloat::rmNearestTiesToEven, &lossy);
  return static_cast<unsigned>(number.bitcastToAPInt().getZExtValue());
}

// API-T37: every code against LLVM's formats, and every number half way between two, and on both sides of that.
TEST(SmallFloat, AgreesWithLlvm) {
  for (const Format &format : formats()) {
    std::string name = PrimitiveTypeName(format.type);
    unsigned width = APFloat::getSizeInBits(format.semantics);
    for (unsigned code = 0; code < 1u << width; ++code) {
      double value = decode(format.type, static_cast<std::uint16_t>(code));
      APFloat number(format.semantics, APInt(width, code));
      double expected = valueOf(number);
      if (number.isNaN()) { // which LLVM makes an infinity of in E8M0
        EXPECT_TRUE(std::isnan(value)) << name << " " << code;
        EXPECT_TRUE(std::isnan(decode(format.type, encode(format.type, value)))) << name << " " << code;
        continue;
      }
      ASSERT_EQ(value, expected) << name << " " << code;
      ASSERT_EQ(std::signbit(value), std::signbit(expected)) << name << " " << code;
      ASSERT_EQ(encode(format.type, value), code) << name;
      // The middle of two powers of two is not a tie to even: E8M0 rounds up.
      double next = decode(format.type, static_cast<std::uint16_t>(code + 1));
      if (format.type == F8E8M0FNU || !std::isfinite(next) || !std::isfinite(value) ||
          std::signbit(next) != std::signbit(value))
        continue;
      double middle = (value + next) / 2;
      for (double number : {middle, std::nextafter(middle, 1e9), std::nextafter(middle, -1e9)})
        ASSERT_EQ(encode(format.type, number), codeOf(format, number)) << name << " " << number;
    }
    if (format.type == F8E8M0FNU)
      continue;
    double largest = valueOf(APFloat::getLargest(format.semantics));
    for (double number : {largest * 1.01, largest * 1.9, largest * 1e9})
      for (double sign : {1.0, -1.0}) {
        double found = decode(format.type, encode(format.type, sign * number));
        double expected = valueOf(APFloat(format.semantics, APInt(width, codeOf(format, sign * number))));
        EXPECT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected))) << name << " " << sign * number;
      }
  }
  EXPECT_EQ(double(float4_e2m1fn(double(INFINITY))), 6);
  EXPECT_EQ(double(float6_e3m2fn(-double(INFINITY))), -28);
  EXPECT_EQ(double(half(double(INFINITY))), INFINITY);
  EXPECT_TRUE(std::isnan(double(float8_e4m3fn(double(INFINITY)))));
  EXPECT_EQ(double(float8_e8m0fnu(1.5)), 2);
  EXPECT_TRUE(std::isnan(double(float8_e8m0fnu(-1.0))));
  EXPECT_EQ(double(float4_e2m1fn(double(NAN))), 0);
}

TEST(SmallFloat, ComparesAsNumbers) {
  EXPECT_EQ(half(0.0), half(-0.0));
  EXPECT_NE(half(double(NAN)), half(double(NAN)));
  EXPECT_LT(bfloat16(-2.0f), bfloat16(1));
  EXPECT_EQ(float(half::fromCode(0x3C00)), 1.0f);
  EXPECT_EQ(bfloat16(1.0f).code(), 0x3F80);
}

TEST(SmallInteger, KeepsItsLowestBits) {
  for (int value = -300; value < 300; ++value) {
    EXPECT_EQ(int(uint2(value)), value & 3);
    EXPECT_EQ(int(uint4(value)), value & 15);
    EXPECT_EQ(int(int2(value)), ((value & 3) ^ 2) - 2);
    EXPECT_EQ(int(int4(value)), ((value & 15) ^ 8) - 8);
  }
  static_assert(int4(-1) < int4(3) && int4(9) == int4(-7));
}

// API-T18
static_assert(NativeToPrimitiveType<bool>() == PRED && NativeToPrimitiveType<int32>() == S32 &&
              NativeToPrimitiveType<int64>() == S64 && NativeToPrimitiveType<uint32>() == U32 &&
              NativeToPrimitiveType<uint64>() == U64 && NativeToPrimitiveType<float>() == F32 &&
              NativeToPrimitiveType<double>() == F64 && NativeToPrimitiveType<long long>() == S64 &&
              NativeToPrimitiveType<half>() == F16 && NativeToPrimitiveType<bfloat16>() == BF16 &&
              NativeToPrimitiveType<int4>() == S4 && NativeToPrimitiveType<complex64>() == C64);

int64 sum(gtl::ArraySlice<int64> values) {
  int64 result = 0;
  for (int64 value : values)
    result += value;
  return result;
}

// API-T25
TEST(ArraySlice, ViewsWhatHoldsElements) {
  EXPECT_EQ(sum({}), 0);
  EXPECT_EQ(sum({1, 2}), 3);
  EXPECT_EQ(sum(std::vector<int64>{1, 2, 3}), 6);
  EXPECT_EQ(sum(std::array<int64, 2>{4, 5}), 9);
  int64 values[] = {7, 8};
  EXPECT_EQ(sum(values), 15);
  Shape shape = ShapeUtil::MakeShape(F32, {2, 5});
  EXPECT_EQ(sum(shape.dimensions()), 7);
  EXPECT_EQ((gtl::ArraySlice<int64>{1, 2}), gtl::ArraySlice<int64>(std::vector<int64>{1, 2}));
}

// API-T26, API-T27, API-T28
TEST(HostArrays, AreRowMajor) {
  Array2D<float> matrix = {{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(matrix.height(), 2);
  EXPECT_EQ(matrix.width(), 3);
  EXPECT_EQ(matrix(1, 0), 4);
  EXPECT_EQ(matrix.data()[5], 6);
  Array3D<int32> cube(2, 3, 4, 7);
  cube(1, 2, 3) = 9;
  EXPECT_EQ(cube.data()[23], 9);
  EXPECT_EQ(cube(0, 0, 0), 7);
  Array4D<bool> flags(1, 2, 3, 4);
  flags(0, 1, 2, 3) = true;
  EXPECT_TRUE(flags.data()[23]);
  EXPECT_FALSE(flags(0, 0, 0, 0));
  EXPECT_EQ(flags.planes() * flags.depth() * flags.height() * flags.width(), 24);
  EXPECT_EQ(Array2D<float>().num_elements(), 0);
}

TEST(HostArraysDeathTest, RefuseSizes) {
  using Rows = Array2D<int>;
  EXPECT_DEATH((Rows{{1, 2}, {3}}), "row 1 has 1 elements, row 0 has 2");
  EXPECT_DEATH(Rows(2, -1), "no array has -1 elements");
  EXPECT_DEATH(Rows(int64{1} << 40, int64{1} << 40), "no array has");
}

} // namespace
} // namespace tenon::xla_2017
