#include "tenon/tools/npy.h"
#include "tenon/tools/png.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace tenon::tools {
namespace {

using program::ElementType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string npy(const std::string &header, const std::string &data, char version = 1) {
  std::string out = "\x93NUMPY";
  out += version;
  out += '\0';
  out += static_cast<char>(header.size() & 0xFF);
  out += static_cast<char>(header.size() >> 8);
  if (version > 1)
    out += std::string(2, '\0');
  return out + header + data;
}

template <typename T> std::string bytesOf(std::initializer_list<T> values) {
  std::string out;
  for (T value : values)
    out.append(reinterpret_cast<const char *>(&value), sizeof value);
  return out;
}

template <typename T> std::vector<T> valuesOf(const Array &array) {
  std::vector<T> values(array.bytes.size() / sizeof(T));
  std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

StatusOr<Array> parse(const std::string &contents, ElementType type, std::vector<int64_t> dims) {
  return parseNpy(contents, "file.npy", {"argument 0 (x)", {type, std::move(dims)}});
}

const char *kFloat23 = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";

TEST(Npy, ReadsEveryVersion) {
  for (char version : {1, 2, 3}) {
    auto array = parse(npy(kFloat23, bytesOf<float>({1, 2, 3, 4, 5, 6}), version), ElementType::kF32, {2, 3});
    ASSERT_TRUE(array.ok()) << array.status().message();
    EXPECT_THAT(valuesOf<float>(*array), ElementsAre(1, 2, 3, 4, 5, 6));
  }
  EXPECT_THAT(parse(npy(kFloat23, "", 4), ElementType::kF32, {2, 3}).status().message(), HasSubstr("version 4"));
}

TEST(Npy, ReadsFortranOrderAndBigEndian) {
  auto array = parse(npy("{'shape': (2, 3), 'fortran_order': True, 'descr': '>i2'}",
                         bytesOf<uint8_t>({0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6})),
                     ElementType::kI16, {2, 3});
  ASSERT_TRUE(array.ok()) << array.status().message();
  EXPECT_THAT(valuesOf<int16_t>(*array), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Npy, SwapsThePartsOfComplexNumbers) {
  auto array = parse(
      npy("{'descr': '>c8', 'fortran_order': False, 'shape': ()}", bytesOf<uint8_t>({0x3F, 0x80, 0, 0, 0xC0, 0, 0, 0})),
      ElementType::kComplexF32, {});
  ASSERT_TRUE(array.ok()) << array.status().message();
  EXPECT_THAT(valuesOf<float>(*array), ElementsAre(1, -2));
}

TEST(Npy, TakesStorageForTypesThatNumpyLacks) {
  auto array = parse(npy("{'descr': '|V2', 'fortran_order': False, 'shape': (1,)}", bytesOf<uint16_t>({0x3F80})),
                     ElementType::kBF16, {1});
  ASSERT_TRUE(array.ok()) << array.status().message();
  EXPECT_EQ(elementAsDouble(*array, 0), 1.0);
  auto narrow = parse(npy("{'descr': '|i1', 'fortran_order': False, 'shape': (2,)}", bytesOf<uint8_t>({0x0F, 0x07})),
                      ElementType::kI4, {2});
  ASSERT_TRUE(narrow.ok());
  EXPECT_THAT(valuesOf<int8_t>(*narrow), ElementsAre(-1, 7));
}

TEST(Npy, AcceptsAnySizeForDynamicDimensions) {
  EXPECT_TRUE(parse(npy(kFloat23, bytesOf<float>({1, 2, 3, 4, 5, 6})), ElementType::kF32, {-1, 3}).ok());
  EXPECT_FALSE(parse(npy(kFloat23, bytesOf<float>({1, 2, 3, 4, 5, 6})), ElementType::kF32, {-1, 4}).ok());
}

TEST(Npy, NamesWhatDoesNotFit) {
  std::string file = npy(kFloat23, bytesOf<float>({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(parse(file, ElementType::kF32, {3, 2}).status().message(),
            "argument 0 (x): expected f32[3,2], found float32[2,3] in file.npy");
  EXPECT_EQ(parse(file, ElementType::kI32, {2, 3}).status().message(),
            "argument 0 (x): expected i32[2,3], found float32[2,3] in file.npy");
  EXPECT_EQ(parse(file, ElementType::kF32, {6}).status().message(),
            "argument 0 (x): expected f32[6], found float32[2,3] in file.npy");
}

TEST(Npy, RefusesMalformedFiles) {
  auto message = [](const std::string &contents) {
    auto array = parse(contents, ElementType::kF32, {2, 3});
    EXPECT_FALSE(array.ok());
    return array.ok() ? "" : array.status().message();
  };
  EXPECT_THAT(message(""), HasSubstr("wrong magic"));
  EXPECT_THAT(message("\x93NUMPY\1"), HasSubstr("wrong magic"));
  EXPECT_THAT(message(npy(kFloat23, "abc")), HasSubstr("truncated: 3 bytes of data where 24 are needed"));
  EXPECT_THAT(message(std::string(npy(kFloat23, "")).substr(0, 30)), HasSubstr("truncated header"));
  for (const char *header : {"", "{", "{}", "[]", "{'descr': '<f4'}", "{'descr': '<f4', 'descr': '<f4', 'shape': ()}",
                             "{'descr': '<f4', 'fortran_order': 1, 'shape': (2, 3)}", "{'shape': (2,",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x",
                             "{'descr': '<f99999999999', 'fortran_order': False, 'shape': (2, 3)}"})
    EXPECT_THAT(message(npy(header, "")), StartsWith("file.npy: not a .npy file")) << header;
  EXPECT_THAT(message(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "")),
              HasSubstr("structured"));
  EXPECT_THAT(message(npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "")), HasSubstr("Python objects"));
}

TEST(Npy, RefusesSizesThatOverflow) {
  auto array = parse(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 8)}", ""),
                     ElementType::kF32, {-1, -1});
  EXPECT_THAT(array.status().message(), HasSubstr("more than 2^63 - 1 bytes"));
}

TEST(Npy, ReadsBackWhatItWrites) {
  for (int i = static_cast<int>(ElementType::kI1); i < static_cast<int>(ElementType::kToken); ++i) {
    auto type = static_cast<ElementType>(i);
    for (const std::vector<int64_t> &dims : {std::vector<int64_t>{}, {3}, {2, 0, 4}, {2, 3, 4}}) {
      Array array = randomArray({type, dims}, 7);
      auto read = parse(formatNpy(array), type, dims);
      ASSERT_TRUE(read.ok()) << read.status().message();
      EXPECT_EQ(read->shape, array.shape);
      EXPECT_EQ(read->bytes, array.bytes) << program::elementTypeName(type);
      EXPECT_EQ(formatNpy(array).size() % 64, array.bytes.size() % 64);
    }
  }
}

template <typename T> Array arrayOf(ElementType type, std::vector<int64_t> dims, std::initializer_list<T> values) {
  std::string bytes = bytesOf(values);
  return {{type, std::move(dims)}, std::vector<uint8_t>(bytes.begin(), bytes.end())};
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
  EXPECT_EQ(formatArray({{ElementType::kUI8, {2000}}, std::vector<uint8_t>(2000, 7)}), "[7 7 7 ... 7 7 7]");
}

TEST(Png, RefusesWhatIsNotAnImage) {
  EXPECT_FALSE(writePng("/dev/null", arrayOf<float>(ElementType::kF32, {1, 1}, {1})).ok());
  EXPECT_FALSE(writePng("/dev/null", {{ElementType::kUI8, {2, 2, 2}}, std::vector<uint8_t>(8)}).ok());
  EXPECT_FALSE(writePng("/dev/null", {{ElementType::kUI8, {0, 2}}, {}}).ok());
  EXPECT_TRUE(writePng("/dev/null", {{ElementType::kUI8, {2, 2, 3}}, std::vector<uint8_t>(12)}).ok());
}

} // namespace
} // namespace tenon::tools
