#include "tenon/codegen/common/interface/runtime_call_attributes.h"

#include "tenon/ir/register.h"
#include "tenon/program/attributes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>

namespace tenon::codegen {
namespace {

using program::AttributeDict;
using program::ElementType;
using program::FloatArrayAttribute;
using program::FloatAttribute;
using program::IntegerArrayAttribute;
using program::IntegerAttribute;
using program::OpaqueAttribute;
using testing::ElementsAre;

class RuntimeCallAttributesTest : public testing::Test {
protected:
  RuntimeCallAttributesTest() { loadAllDialects(context_); }

  mlir::FailureOr<AttributeDict> convert(const std::string &text) {
    mlir::ScopedDiagnosticHandler handler(&context_, [](mlir::Diagnostic &) { return mlir::success(); });
    auto dict = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(mlir::parseAttribute(text, &context_));
    EXPECT_TRUE(dict) << text;
    return runtimeCallAttributes(dict, mlir::UnknownLoc::get(&context_));
  }

  // The attribute that the text says.
  template <typename T> T get(const std::string &text) {
    mlir::FailureOr<AttributeDict> dict = convert("{x = " + text + "}");
    EXPECT_TRUE(mlir::succeeded(dict) && dict->size() == 1) << text;
    const T *value = std::get_if<T>(&dict->front().value.value);
    EXPECT_NE(value, nullptr) << text << " has kind " << dict->front().value.value.index();
    return value ? *value : T();
  }

  mlir::MLIRContext context_;
};

TEST_F(RuntimeCallAttributesTest, Integers) {
  EXPECT_EQ(get<IntegerAttribute>("200 : ui8").value, 200);
  EXPECT_EQ(get<IntegerAttribute>("200 : ui8").type, ElementType::kUI8);
  EXPECT_EQ(get<IntegerAttribute>("-1 : si16").type, ElementType::kI16);
  EXPECT_EQ(get<IntegerAttribute>("-1 : i8").value, -1);
  EXPECT_EQ(get<IntegerAttribute>("5").type, ElementType::kI64);
  EXPECT_EQ(get<IntegerAttribute>("-9223372036854775808 : i64").value, INT64_MIN);
  EXPECT_EQ(uint64_t(get<IntegerAttribute>("18446744073709551615 : ui64").value), UINT64_MAX);
  EXPECT_EQ(get<IntegerAttribute>("3 : index").type, ElementType::kI64);
}

TEST_F(RuntimeCallAttributesTest, Floats) {
  EXPECT_EQ(get<FloatAttribute>("0.1 : f32").value, double(0.1F));
  EXPECT_EQ(get<FloatAttribute>("0.1 : f64").value, 0.1);
  EXPECT_EQ(get<FloatAttribute>("0x7F800000 : f32").value, INFINITY);
  EXPECT_TRUE(std::isnan(get<FloatAttribute>("0x7FF8000000000000 : f64").value));
  EXPECT_TRUE(std::signbit(get<FloatAttribute>("-0.0 : f32").value));
  EXPECT_EQ(get<FloatAttribute>("1.0 : f16").type, ElementType::kF16);
  EXPECT_EQ(get<FloatAttribute>("0xFF80 : bf16").value, -INFINITY);
  EXPECT_EQ(get<FloatAttribute>("1.401298464324817e-45 : f32").value, std::ldexp(1.0, -149));
}

TEST_F(RuntimeCallAttributesTest, BooleansStringsUnits) {
  EXPECT_TRUE(get<bool>("true"));
  EXPECT_FALSE(get<bool>("false"));
  EXPECT_EQ(get<std::string>(R"("a\"b\\c\0A\00")"), std::string("a\"b\\c\n\0", 7));
  get<std::monostate>("unit");
}

TEST_F(RuntimeCallAttributesTest, Arrays) {
  EXPECT_THAT(get<IntegerArrayAttribute>("array<i64: 1, -2, 3>").values, ElementsAre(1, -2, 3));
  EXPECT_THAT(get<IntegerArrayAttribute>("array<i32>").values, ElementsAre());
  EXPECT_EQ(get<IntegerArrayAttribute>("array<i1: true, false>").type, ElementType::kI1);
  EXPECT_THAT(get<IntegerArrayAttribute>("array<i1: true, false>").values, ElementsAre(1, 0));
  EXPECT_THAT(get<FloatArrayAttribute>("array<f32: 1.5, -0.25>").values, ElementsAre(1.5, -0.25));
  EXPECT_THAT(get<IntegerArrayAttribute>("dense<[1, 2, 0]> : tensor<3xindex>").values, ElementsAre(1, 2, 0));
  EXPECT_THAT(get<IntegerArrayAttribute>("dense<7> : tensor<2x2xi32>").values, ElementsAre(7, 7, 7, 7));
  EXPECT_THAT(get<IntegerArrayAttribute>("dense<[true, false]> : tensor<2xi1>").values, ElementsAre(1, 0));
  EXPECT_THAT(get<IntegerArrayAttribute>("dense<> : tensor<0xi64>").values, ElementsAre());
  EXPECT_THAT(get<IntegerArrayAttribute>("dense<\"0x0100FFFF\"> : tensor<2xi16>").values, ElementsAre(1, -1));
  EXPECT_THAT(get<IntegerArrayAttribute>("dense<[255, 1]> : tensor<2xui8>").values, ElementsAre(255, 1));
  EXPECT_THAT(get<FloatArrayAttribute>("dense<[0.5, 2.0]> : tensor<2xbf16>").values, ElementsAre(0.5, 2));
  auto mixed = get<std::vector<program::Attribute>>("[1 : i32, \"two\", [3.0 : f32]]");
  ASSERT_EQ(mixed.size(), 3U);
  EXPECT_EQ(std::get<std::string>(mixed[1].value), "two");
}

TEST_F(RuntimeCallAttributesTest, NamesOfEnumerations) {
  EXPECT_EQ(get<std::string>("#stablehlo<fft_type IRFFT>"), "IRFFT");
  EXPECT_EQ(get<std::string>("#stablehlo<transpose ADJOINT>"), "ADJOINT");
}

TEST_F(RuntimeCallAttributesTest, OthersAsTheirText) {
  EXPECT_EQ(get<OpaqueAttribute>("tensor<2xf32>").text, "tensor<2xf32>");
  EXPECT_EQ(get<OpaqueAttribute>("@symbol").text, "@symbol");
  EXPECT_EQ(get<OpaqueAttribute>("3 : i3").text, "3 : i3");
  EXPECT_EQ(get<OpaqueAttribute>("dense<(1.0, 2.0)> : tensor<1xcomplex<f32>>").text,
            "dense<(1.000000e+00,2.000000e+00)> : tensor<1xcomplex<f32>>");
}

TEST_F(RuntimeCallAttributesTest, RefusesWhatIsTooDeepOrTooLarge) {
  auto nested = [](int depth) { return "{x = " + std::string(depth, '[') + std::string(depth, ']') + "}"; };
  EXPECT_TRUE(mlir::succeeded(convert(nested(60))));
  EXPECT_TRUE(mlir::failed(convert(nested(70))));
  EXPECT_TRUE(mlir::failed(convert("{x = dense<1> : tensor<1000000000xi8>}")));
}

} // namespace
} // namespace tenon::codegen
