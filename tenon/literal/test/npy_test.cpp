#include "tenon/literal/npy.h"

#include "tenon/literal/primitive_type.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstdio>
#include <sstream>

namespace tenon::xla_2017 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A file of format 1.0.
std::string npy(const std::string &header, const std::string &data, char version = 1) {
  std::string file = "\x93NUMPY";
  file += version;
  file += '\0';
  file += static_cast<char>(header.size());
  file += std::string(version == 1 ? 1 : 3, '\0');
  return file + header + data;
}

template <typename T> std::string bytesOf(std::initializer_list<T> values) {
  return {reinterpret_cast<const char *>(values.begin()), values.size() * sizeof(T)};
}

StatusOr<Literal> parse(const std::string &contents, PrimitiveType type = PRIMITIVE_TYPE_INVALID) {
  std::istringstream file(contents);
  TENON_ASSIGN_OR_RETURN(auto header, ReadNpyHeader(file, "x.npy"));
  TENON_ASSIGN_OR_RETURN(auto found, NpyElementType(header, "x.npy", type));
  return ReadNpyData(file, "x.npy", header, found);
}

TEST(Npy, ReadsEitherOrder) {
  Literal expected = LiteralUtil::CreateR2<int16>({{1, 2, 3}, {4, 5, 6}});
  std::string rows = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }";
  EXPECT_EQ(*parse(npy(rows, bytesOf<int16>({1, 2, 3, 4, 5, 6}))), expected);
  EXPECT_EQ(*parse(npy(rows, bytesOf<int16>({1, 2, 3, 4, 5, 6}), 2)), expected);
  EXPECT_EQ(*parse(npy(rows, bytesOf<int16>({1, 2, 3, 4, 5, 6}), 3)), expected);
  auto columns = parse(npy("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3)}",
                           bytesOf<int16>({0x100, 0x400, 0x200, 0x500, 0x300, 0x600})));
  EXPECT_EQ(*columns, expected);
  EXPECT_TRUE(LayoutUtil::IsDefault(columns->shape().layout()));
  auto complex = parse(npy("{'descr': '>c8', 'fortran_order': False, 'shape': ()}", {"\x3f\x80\0\0\xc0\0\0\0", 8}));
  EXPECT_EQ(complex->Get<complex64>({}), complex64(1, -2));
}

TEST(Npy, TakesStorageForTypesWithoutAName) {
  auto narrow = parse(npy("{'descr': '|i1', 'fortran_order': False, 'shape': (2,)}", bytesOf<uint8>({0x0F, 0x07})), S4);
  EXPECT_THAT(narrow->data<int4>().toVector(), ElementsAre(int4(-1), int4(7)));
  auto flags = parse(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", bytesOf<uint8>({0, 9})));
  EXPECT_THAT(flags->data<bool>().toVector(), ElementsAre(false, true));
  std::string raw = npy("{'descr': '|V2', 'fortran_order': False, 'shape': ()}", bytesOf<uint16>({0x3F80}));
  EXPECT_EQ(double(parse(raw, BF16)->Get<bfloat16>({})), 1);
  EXPECT_THAT(parse(raw).status().message(), HasSubstr("expected an element type of Tenon, found 'V2'"));
  EXPECT_THAT(parse(raw, F16).status().message(), HasSubstr("expected f16, found 'V2'"));
}

TEST(Npy, RefusesMalformedFiles) {
  auto message = [](const std::string &contents) {
    auto array = parse(contents);
    EXPECT_FALSE(array.ok());
    return array.ok() ? "" : array.status().message();
  };
  EXPECT_THAT(message(""), HasSubstr("wrong magic"));
  EXPECT_THAT(message("\x93NUMPY\1"), HasSubstr("wrong magic"));
  EXPECT_THAT(message(npy("{}", "", 4)), HasSubstr("version 4"));
  std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}";
  EXPECT_THAT(message(npy(good, "abc")), HasSubstr("truncated: 3 bytes of data where 24 are needed"));
  EXPECT_THAT(message(npy(good, "").substr(0, 30)), HasSubstr("truncated header"));
  EXPECT_THAT(message(std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12)), HasSubstr("a header of 4294967295 bytes"));
  for (const char *header : {"", "{", "{}", "[]", "{'descr': '<f4'}", "{'descr': '<f4', 'descr': '<f4', 'shape': ()}",
                             "{'descr': '<f4', 'fortran_order': 1, 'shape': (2, 3)}", "{'shape': (2,",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x",
                             "{'descr': '<f99999999999999999999', 'fortran_order': False, 'shape': (2, 3)}"})
    EXPECT_THAT(message(npy(header, "")), HasSubstr("x.npy: not a .npy file")) << header;
  EXPECT_THAT(message(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "")),
              HasSubstr("structured"));
  EXPECT_THAT(message(npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "")), HasSubstr("Python objects"));
  EXPECT_THAT(message(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 8)}", "")),
              HasSubstr("2^63"));
  // What the header says is not there is not asked for: memory is taken as it is read.
  EXPECT_THAT(message(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1152921504606846976,)}", "")),
              HasSubstr("no memory"));
}

TEST(Npy, ReadsBackWhatItWrites) {
  std::string path = ::testing::TempDir() + "tenon_npy_test.npy";
  for (const tenon::ElementTypeInfo &info : tenon::elementTypes())
    for (const std::vector<int64> &dims : {std::vector<int64>{}, {3}, {2, 0, 4}, {2, 3, 4}}) {
      std::vector<int64> order(dims.size());
      for (size_t i = 0; i < order.size(); ++i)
        order[i] = static_cast<int64>(i);
      Literal literal(ShapeUtil::MakeShapeWithLayout(primitiveTypeOf(info.type), dims, order));
      auto *data = static_cast<unsigned char *>(literal.mutable_data());
      for (int64 i = 0; i < literal.size_bytes(); ++i)
        data[i] = static_cast<unsigned char>(i * 7);
      internal::makeCanonical(info, data, literal.size_bytes());
      ASSERT_TRUE(LiteralUtil::WriteNpy(literal, path).ok());
      auto back = LiteralUtil::ReadNpy(path, primitiveTypeOf(info.type));
      ASSERT_TRUE(back.ok()) << back.status().message();
      EXPECT_EQ(*back, literal);
    }
  std::remove(path.c_str());
  EXPECT_EQ(LiteralUtil::ReadNpy(path).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(LiteralUtil::WriteNpy(Literal(), path).code(), tenon::StatusCode::kInvalidArgument);
  for (const char *place : {"/nowhere/x.npy", "/dev/full"}) {
    tenon::Status status = LiteralUtil::WriteNpy(LiteralUtil::CreateR0(1), place);
    EXPECT_EQ(status.code(), tenon::StatusCode::kFailedPrecondition);
    EXPECT_EQ(status.message().substr(0, std::string(place).size()), place);
  }
}

} // namespace
} // namespace tenon::xla_2017
