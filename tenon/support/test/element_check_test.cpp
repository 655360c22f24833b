#include "tenon/support/element_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

namespace tenon {
namespace {

using ::testing::HasSubstr;
using Kind = ElementCheck::Kind;

constexpr const char *kSmallFloats[] = {"f4E2M1FN",   "f6E2M3FN",      "f6E3M2FN", "f8E3M4",     "f8E4M3",   "f8E4M3FN",
                                        "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2",   "f8E5M2FNUZ", "f8E8M0FNU"};

// The message of a check of rank-1 arrays; empty if it holds.
template <typename T>
std::string check(const ElementCheck &check, const char *type, std::vector<T> actual, std::vector<T> expected) {
  int64_t dims[] = {int64_t(actual.size())};
  return compareElements(check, elementTypeNamed(type), dims, actual.data(), expected.data()).message();
}

// The message of a check of two values; empty if it holds.
template <typename T> std::string one(const ElementCheck &check, const char *type, T actual, T expected) {
  return compareElements(check, elementTypeNamed(type), {}, &actual, &expected).message();
}

ElementCheck close(uint64_t most, uint64_t least = 0) { return {Kind::Close, 0, least, most}; }
ElementCheck almost(double tolerance) { return {Kind::AlmostEqual, tolerance}; }
const ElementCheck kEqual{Kind::Equal};
const ElementCheck kAll[] = {kEqual, almost(1e-4), close(3)};

template <typename T> class CheckedInteger : public ::testing::Test {};
using Integers = ::testing::Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
TYPED_TEST_SUITE(CheckedInteger, Integers);

TYPED_TEST(CheckedInteger, IsEqualOrNot) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  std::string type = (Limits::is_signed ? "i" : "ui") + std::to_string(8 * sizeof(T));
  for (const ElementCheck &kind : kAll) {
    EXPECT_EQ(check<T>(kind, type.c_str(), {Limits::min(), 0, Limits::max()}, {Limits::min(), 0, Limits::max()}), "");
    EXPECT_EQ(check<T>(kind, type.c_str(), {T(1), Limits::min(), T(2)}, {T(1), Limits::max(), T(3)}),
              "element [1] is " + std::to_string(Limits::min()) + " but " + std::to_string(Limits::max()) +
                  " is expected; 2 of 3 elements differ");
  }
}

TEST(ElementCheck, ComparesNarrowIntegersAndBooleans) {
  for (const ElementCheck &kind : kAll) {
    for (const char *type : {"i2", "i4"}) {
      EXPECT_EQ(one<int8_t>(kind, type, -1, -1), "");
      EXPECT_EQ(one<int8_t>(kind, type, -2, 1), "the value is -2 but 1 is expected");
    }
    for (const char *type : {"ui2", "ui4"})
      EXPECT_EQ(one<uint8_t>(kind, type, 3, 2), "the value is 3 but 2 is expected");
    EXPECT_EQ(one<uint8_t>(kind, "i1", 1, 1), "");
    EXPECT_EQ(one<uint8_t>(kind, "i1", 1, 0), "the value is true but false is expected");
  }
}

// Every pair of codes of every format of at most eight bits.
TEST(ElementCheck, ComparesEverySmallFloat) {
  for (const char *type : kSmallFloats) {
    const FloatFormat &format = floatFormat(elementTypeNamed(type));
    std::vector<std::pair<double, int>> places; // finite values, and where each is in their order
    for (uint32_t code = 0; code < 1u << format.bits(); ++code)
      if (double value = decodeFloat(format, code); std::isfinite(value))
        places.emplace_back(value, 0);
    std::sort(places.begin(), places.end());
    for (size_t i = 1; i < places.size(); ++i)
      places[i].second = places[i - 1].second + (places[i].first != places[i - 1].first);
    auto placeOf = [&](double value) {
      return std::lower_bound(places.begin(), places.end(), std::pair(value, 0))->second;
    };
    for (uint32_t a = 0; a < 1u << format.bits(); ++a)
      for (uint32_t b = 0; b < 1u << format.bits(); ++b) {
        double x = decodeFloat(format, a), y = decodeFloat(format, b);
        bool same = x == y || (std::isnan(x) && std::isnan(y)), finite = std::isfinite(x) && std::isfinite(y);
        bool near = finite && std::abs(placeOf(x) - placeOf(y)) <= 3;
        EXPECT_EQ(one(kEqual, type, uint8_t(a), uint8_t(b)).empty(), same) << type << " " << x << " " << y;
        EXPECT_EQ(one(close(3), type, uint8_t(a), uint8_t(b)).empty(), same || near) << type << " " << x << " " << y;
        EXPECT_EQ(one(almost(0.5), type, uint8_t(a), uint8_t(b)).empty(),
                  same || (finite && std::abs(x - y) <= std::max(0.5, 0.5 * std::abs(y))))
            << type << " " << x << " " << y;
      }
  }
}

TEST(ElementCheck, ComparesHalves) {
  EXPECT_EQ(one<uint16_t>(kEqual, "f16", 0x8000, 0x0000), "");
  EXPECT_EQ(one<uint16_t>(kEqual, "f16", 0x7e00, 0xfe01), "");
  EXPECT_EQ(one<uint16_t>(close(3), "f16", 0x0001, 0x8002), "");
  EXPECT_EQ(one<uint16_t>(close(2), "f16", 0x0001, 0x8002),
            "the value is 5.9604645e-08 but -1.1920929e-07 is expected (3 ULP apart, at most 2 allowed)");
  EXPECT_EQ(one<uint16_t>(close(3), "f16", 0x7c00, 0x7bff),
            "the value is inf but 65504 is expected (no number of ULP apart, at most 3 allowed)");
  EXPECT_EQ(one<uint16_t>(close(3), "bf16", 0x3f80, 0x3f83), "");
  EXPECT_EQ(one<uint16_t>(close(3), "bf16", 0x3f80, 0x3f84),
            "the value is 1 but 1.03125 is expected (4 ULP apart, at most 3 allowed)");
  EXPECT_EQ(one<uint16_t>(almost(0.01), "bf16", 0x3f80, 0x3f81), "");
}

template <typename T> class CheckedFloat : public ::testing::Test {
protected:
  const char *type = sizeof(T) == 4 ? "f32" : "f64", *complexType = sizeof(T) == 4 ? "complex<f32>" : "complex<f64>";
  const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::denorm_min();
};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CheckedFloat, Floats);

TYPED_TEST(CheckedFloat, EdgesAreEqualOnlyToThemselves) {
  using T = TypeParam;
  std::vector<T> edges = {this->nan, -this->infinity, -this->most, -1,         -this->least,
                          0,         this->least,     1,           this->most, this->infinity};
  for (T a : edges)
    for (T b : edges) {
      bool same = a == b || (std::isnan(a) && std::isnan(b)), tiny = std::abs(a) < T(0.5) && std::abs(b) < T(0.5);
      EXPECT_EQ(one(kEqual, this->type, a, b).empty(), same) << a << " " << b;
      EXPECT_EQ(one(almost(1e-4), this->type, a, b).empty(), same || tiny) << a << " " << b;
      EXPECT_EQ(one(close(3), this->type, a, b).empty(), same || tiny) << a << " " << b;
      EXPECT_EQ(one(close(0), this->type, a, b).empty(), same) << a << " " << b;
    }
  for (const ElementCheck &kind : kAll) {
    EXPECT_EQ(one<T>(kind, this->type, T(-0.0), T(0)), "");
    EXPECT_EQ(one<T>(kind, this->type, -this->nan, this->nan), "");
  }
}

TYPED_TEST(CheckedFloat, UlpsAreCounted) {
  using T = TypeParam;
  T next = std::nextafter(std::nextafter(T(1), T(2)), T(2));
  EXPECT_EQ(one<T>(close(2), this->type, next, 1), "");
  EXPECT_EQ(one<T>(close(2, 2), this->type, 1, next), "");
  EXPECT_THAT(one<T>(close(1), this->type, next, 1), HasSubstr(" but 1 is expected (2 ULP apart, at most 1 allowed)"));
  EXPECT_EQ(check<T>(close(4, 3), this->type, {1, 1}, {next, 1}).substr(0, 17), "element [0] is 1 ");
  EXPECT_EQ(check<T>(close(4, 1), this->type, {1, 2}, {1, 2}),
            "element [0] is 1 but 1 is expected (0 ULP apart, at least 1 required); 2 of 2 elements fail");
  // All values from one end to the other, and no infinity even then.
  EXPECT_THAT(one<T>(close(3), this->type, -this->most, this->most),
              HasSubstr(sizeof(T) == 4 ? "(4278190078 ULP apart" : "(18437736874454810622 ULP apart"));
}

TYPED_TEST(CheckedFloat, ToleranceIsAbsoluteOrRelative) {
  using T = TypeParam;
  EXPECT_EQ(one<T>(almost(0.25), this->type, T(0.25), 0), "");
  EXPECT_EQ(one<T>(almost(0.25), this->type, T(-0.125), T(0.125)), "");
  EXPECT_EQ(one<T>(almost(0.25), this->type, 1000, 800), "");
  EXPECT_EQ(one<T>(almost(0.25), this->type, 1001, 800),
            "the value is 1001 but 800 is expected (201 apart, tolerance 0.25)");
  EXPECT_EQ(one<T>(almost(0.25), this->type, this->infinity, 0),
            "the value is inf but 0 is expected (not both finite, tolerance 0.25)");
  EXPECT_NE(one<T>(almost(HUGE_VAL), this->type, this->nan, 0), "");
}

TYPED_TEST(CheckedFloat, ComplexPartsCountForThemselves) {
  using T = TypeParam;
  using C = std::complex<T>;
  T next = std::nextafter(T(1), T(2));
  EXPECT_EQ(one<C>(close(1), this->complexType, {1, this->nan}, {next, this->nan}), "");
  EXPECT_EQ(one<C>(close(0), this->complexType, {1, 2}, {1, 4}).substr(0, 44),
            "the value is (1, 2) but (1, 4) is expected (");
  EXPECT_EQ(one<C>(kEqual, this->complexType, {0, 1}, {T(-0.0), 1}), "");
  EXPECT_EQ(one<C>(kEqual, this->complexType, {1, 2}, {2, 2}), "the value is (1, 2) but (2, 2) is expected");
  EXPECT_EQ(one<C>(almost(0.5), this->complexType, {1, 2}, {1, 5}),
            "the value is (1, 2) but (1, 5) is expected (3 apart, tolerance 0.5)");
}

TEST(ElementCheck, SaysWhere) {
  int64_t dims[] = {3, 4};
  std::vector<float> actual(12, 1), expected(12, 1);
  actual[3] = 1.5F, expected[3] = 1.25F, actual[7] = 2;
  EXPECT_EQ(
      compareElements(close(3), ElementType::kF32, dims, actual.data(), expected.data()).message(),
      "element [0, 3] is 1.5 but 1.25 is expected (2097152 ULP apart, at most 3 allowed); 2 of 12 elements differ");
  int64_t none[] = {3, 0};
  EXPECT_TRUE(compareElements(close(3, 1), ElementType::kF32, none, nullptr, nullptr).ok());
  EXPECT_EQ(compareElements(kEqual, ElementType::kToken, dims, nullptr, nullptr).message(),
            "elements of type token cannot be compared");
}

TEST(ElementCheck, RefusesWrongAttributes) {
  auto message = [](Kind kind, std::vector<CheckAttribute> attributes) {
    return makeElementCheck(kind, attributes).status().message();
  };
  EXPECT_EQ(message(Kind::Close, {{"max_ulp_difference", uint64_t{7}}, {"min_ulp_difference", uint64_t{7}}}), "");
  EXPECT_EQ(message(Kind::AlmostEqual, {{"tolerance", 0.0}}), "");
  EXPECT_EQ(message(Kind::Close, {{"min_ulp_difference", uint64_t{4}}}),
            "min_ulp_difference must not be above max_ulp_difference, got 4 and 3");
  EXPECT_EQ(message(Kind::Close, {{"max_ulp_difference", {}}}),
            "'max_ulp_difference' must be an integer that is not negative");
  EXPECT_EQ(message(Kind::AlmostEqual, {{"tolerance", std::nan("")}}),
            "'tolerance' must be a float that is not negative");
  EXPECT_EQ(message(Kind::AlmostEqual, {{"tolerance", uint64_t{1}}}),
            "'tolerance' must be a float that is not negative");
  EXPECT_EQ(message(Kind::Equal, {{"tolerance", 1.0}}), "there is no attribute 'tolerance'");
  EXPECT_EQ(message(Kind::Close, {{"max_ulps", uint64_t{1}}}), "there is no attribute 'max_ulps'");
}

} // namespace
} // namespace tenon
