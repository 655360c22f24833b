#include "tenon/tools/array.h"

#include "tenon/tools/npy.h"
#include "tenon/tools/png.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace tenon::tools {
namespace {

using program::ElementType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using xla::LiteralUtil;

template <typename T> Literal arrayOf(ElementType type, std::vector<int64_t> dims, std::initializer_list<T> values) {
  return makeArray({type, std::move(dims)}, values.begin()).ConsumeValueOrDie();
}

TEST(Npy, NamesWhatDoesNotFit) {
  std::string path = ::testing::TempDir() + "tenon_array_test.npy";
  ASSERT_TRUE(LiteralUtil::WriteNpy(LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}}), path).ok());
  auto read = [&](ElementType type, std::vector<int64_t> dims) {
    return readNpy(path, {"argument 0 (x)", {type, std::move(dims)}});
  };
  EXPECT_EQ(*read(ElementType::kF32, {2, 3}), LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}}));
  EXPECT_TRUE(read(ElementType::kF32, {-1, 3}).ok());
  auto message = [&](ElementType type, std::vector<int64_t> dims) {
    return read(type, std::move(dims)).status().message();
  };
  EXPECT_EQ(message(ElementType::kF32, {-1, 4}), "argument 0 (x): expected f32[?,4], found float32[2,3] in " + path);
  EXPECT_EQ(message(ElementType::kF32, {3, 2}), "argument 0 (x): expected f32[3,2], found float32[2,3] in " + path);
  EXPECT_EQ(message(ElementType::kI32, {2, 3}), "argument 0 (x): expected i32[2,3], found float32[2,3] in " + path);
  EXPECT_EQ(message(ElementType::kF32, {6}), "argument 0 (x): expected f32[6], found float32[2,3] in " + path);
  EXPECT_EQ(*readNpyShape(path), (program::Shape{ElementType::kF32, {2, 3}}));
  std::remove(path.c_str());
  EXPECT_THAT(message(ElementType::kF32, {6}), HasSubstr("No such file"));
}

TEST(Array, RandomValuesSuitTheirType) {
  for (int i = static_cast<int>(ElementType::kI1); i < static_cast<int>(ElementType::kToken); ++i) {
    program::Shape shape{static_cast<ElementType>(i), {50, 2}};
    Literal array = randomArray(shape, 7).ConsumeValueOrDie();
    EXPECT_EQ(shapeOf(array), shape);
    EXPECT_EQ(array, randomArray(shape, 7).ConsumeValueOrDie());
    EXPECT_NE(array, randomArray(shape, 8).ConsumeValueOrDie());
    bool isInteger = xla::IsIntegerType(array.shape().element_type());
    for (int64_t element = 0; element < 100; ++element) {
      double value = elementAsDouble(array, element);
      EXPECT_TRUE(isInteger ? value >= 0 && value < 8 : value >= -1 && value <= 1) << shape.toString() << " " << value;
    }
  }
  EXPECT_EQ(elementAsDouble(arrayOf<uint16_t>(ElementType::kBF16, {1}, {0x3F80}), 0), 1);
  EXPECT_EQ(elementAsDouble(arrayOf<double>(ElementType::kComplexF64, {1}, {1, -2}), 0, /*imaginary=*/true), -2);
  EXPECT_TRUE(std::isnan(elementAsDouble(arrayOf<uint8_t>(ElementType::kF8E8M0FNU, {1}, {0xFF}), 0)));
}

TEST(Array, FewIntegersAreKnown) {
  for (auto [type, least, most] : {std::tuple{ElementType::kI2, -2L, 1L},
                                   {ElementType::kUI4, 0L, 15L},
                                   {ElementType::kI32, -2147483648L, 2147483647L},
                                   {ElementType::kUI32, 0L, 4294967295L},
                                   {ElementType::kI64, INT64_MIN, INT64_MAX},
                                   {ElementType::kUI64, 0L, INT64_MAX}}) {
    auto array = integerArray({type, {-1}}, {least, most});
    ASSERT_TRUE(array.ok()) << array.status().message();
    EXPECT_THAT(*fewIntegers(*array), ElementsAre(least, most));
    if (least != INT64_MIN)
      EXPECT_FALSE(integerArray({type, {}}, {least - 1}).ok());
    if (most != INT64_MAX)
      EXPECT_FALSE(integerArray({type, {}}, {most + 1}).ok());
  }
  EXPECT_FALSE(integerArray({ElementType::kI32, {2}}, {1}).ok());
  EXPECT_FALSE(integerArray({ElementType::kF32, {}}, {1}).ok());
  EXPECT_FALSE(integerArray({ElementType::kI1, {}}, {1}).ok());
  EXPECT_FALSE(fewIntegers(arrayOf<float>(ElementType::kF32, {}, {1})));
  EXPECT_FALSE(fewIntegers(arrayOf<uint64_t>(ElementType::kUI64, {}, {~0ull})));
  EXPECT_FALSE(fewIntegers(arrayOf<int8_t>(ElementType::kI8, {1, 1}, {1})));
  EXPECT_FALSE(fewIntegers(Literal())); // a token
}

TEST(FormatArray, LooksLikeNumpy) {
  EXPECT_EQ(formatArray(arrayOf<float>(ElementType::kF32, {}, {1.5f})), "1.5");
  EXPECT_EQ(formatArray(arrayOf<float>(ElementType::kF32, {3}, {1, 0.1f, -20})), "[  1.    0.1 -20. ]");
  EXPECT_EQ(formatArray(arrayOf<float>(ElementType::kF32, {3}, {NAN, INFINITY, -0.0f})), "[nan inf -0.]");
  EXPECT_EQ(formatArray(arrayOf<double>(ElementType::kF64, {2}, {1e10, 1})), "[1.e+10 1.e+00]");
  EXPECT_EQ(formatArray(arrayOf<int8_t>(ElementType::kI8, {2, 2}, {-128, 1, 20, 127})), "[[-128    1]\n [  20  127]]");
  EXPECT_EQ(formatArray(arrayOf<uint64_t>(ElementType::kUI64, {1}, {~0ull})), "[18446744073709551615]");
  EXPECT_EQ(formatArray(arrayOf<uint8_t>(ElementType::kI1, {2}, {0, 1})), "[False  True]");
  EXPECT_EQ(formatArray(arrayOf<float>(ElementType::kComplexF32, {1}, {1, -2})), "[1.-2.j]");
  EXPECT_EQ(formatArray(arrayOf<float>(ElementType::kF32, {2, 0}, {})), "[]");
  EXPECT_EQ(
      formatArray(makeArray({ElementType::kUI8, {2000}}, std::vector<uint8_t>(2000, 7).data()).ConsumeValueOrDie()),
      "[7 7 7 ... 7 7 7]");
}

TEST(Png, RefusesWhatIsNotAnImage) {
  EXPECT_FALSE(writePng("/dev/null", arrayOf<float>(ElementType::kF32, {1, 1}, {1})).ok());
  EXPECT_FALSE(writePng("/dev/null", *makeArray({ElementType::kUI8, {2, 2, 2}})).ok());
  EXPECT_FALSE(writePng("/dev/null", *makeArray({ElementType::kUI8, {0, 2}})).ok());
  EXPECT_TRUE(writePng("/dev/null", *makeArray({ElementType::kUI8, {2, 2, 3}})).ok());
}

} // namespace
} // namespace tenon::tools
