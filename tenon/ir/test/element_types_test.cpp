// The table of element types against MLIR and LLVM, which have tables of their own.
#include "tenon/ir/element_types.h"
#include "tenon/ir/register.h"
#include "tenon/ir/types.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>
#include <vector>

namespace tenon::ir {
namespace {

using llvm::APFloat;

uint64_t codeOf(const APFloat &value) { return value.bitcastToAPInt().getZExtValue(); }

TEST(ElementTypes, NamesAndNumbersAreThoseOfOneType) {
  std::set<std::string> names, xlaNames, numpyNames;
  std::set<int> numbers;
  for (const ElementTypeInfo &info : elementTypes()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_TRUE(xlaNames.insert(info.xlaName).second) << info.name;
    EXPECT_TRUE(numpyNames.insert(info.numpyName).second) << info.name;
    EXPECT_TRUE(numbers.insert(info.number).second) << info.name;
    EXPECT_EQ(elementTypeNamed(info.name), info.type);
    EXPECT_EQ(elementTypeNumbered(info.number), info.type);
  }
  EXPECT_EQ(elementTypeNamed("f3"), ElementType::kInvalid);
  EXPECT_EQ(elementTypeNumbered(13), ElementType::kInvalid); // a tuple
  EXPECT_EQ(elementTypeNumbered(17), ElementType::kToken);
}

TEST(ElementTypes, AreMlirsOfTheSameName) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  for (const ElementTypeInfo &info : elementTypes()) {
    mlir::Type type = fromElementType(&context, info.type);
    EXPECT_EQ(type, mlir::parseType(info.name, &context)) << info.name;
    EXPECT_EQ(toElementType(type), info.type) << info.name;
    EXPECT_EQ(isBool(type), info.kind == ElementKind::kBool) << info.name;
    EXPECT_EQ(isSignedInt(type), info.kind == ElementKind::kSigned) << info.name;
    EXPECT_EQ(isUnsignedInt(type), info.kind == ElementKind::kUnsigned) << info.name;
    EXPECT_EQ(ir::isFloat(type), info.kind == ElementKind::kFloat) << info.name;
    EXPECT_EQ(ir::isComplex(type), info.kind == ElementKind::kComplex) << info.name;
    EXPECT_EQ(partWidth(type) * (isComplex(info.type) ? 2 : 1), info.bits) << info.name;
    EXPECT_EQ(storedBytes(mlir::RankedTensorType::get({}, type)), info.bytes) << info.name;
  }
  for (const char *text : {"index", "tf32", "i3", "complex<f16>", "!stablehlo.token", "none"})
    EXPECT_EQ(toElementType(mlir::parseType(text, &context)), ElementType::kInvalid) << text;
  EXPECT_EQ(toElementType(mlir::parseType("!quant.uniform<u8:f32, 0.5>", &context)), ElementType::kUI8);
  EXPECT_FALSE(fromElementType(&context, ElementType::kToken));
}

TEST(ElementTypes, FormatsAreLlvms) {
  mlir::MLIRContext context;
  for (const ElementTypeInfo &info : elementTypes()) {
    if (info.kind != ElementKind::kFloat)
      continue;
    const auto &semantics = llvm::cast<mlir::FloatType>(fromElementType(&context, info.type)).getFloatSemantics();
    const FloatFormat &format = info.format;
    EXPECT_EQ(format.mantissaBits + 1u, APFloat::semanticsPrecision(semantics)) << info.name;
    EXPECT_EQ(info.bits, APFloat::semanticsSizeInBits(semantics)) << info.name;
    // Powers of two only have no subnormal numbers: their least exponent is that of code 0.
    bool hasSubnormals = format.special != FloatFormat::Special::Scale;
    EXPECT_EQ(int(hasSubnormals) - format.bias, APFloat::semanticsMinExponent(semantics)) << info.name;
    EXPECT_EQ(format.special == FloatFormat::Special::Ieee, APFloat::semanticsHasInf(semantics)) << info.name;
    EXPECT_EQ(format.special != FloatFormat::Special::Finite, APFloat::semanticsHasNaN(semantics)) << info.name;
    if (info.bits > 16)
      continue;
    EXPECT_EQ(maxFiniteCode(format), codeOf(APFloat::getLargest(semantics))) << info.name;
    if (APFloat::semanticsHasNaN(semantics))
      EXPECT_EQ(encodeFloat(format, std::numeric_limits<double>::quiet_NaN()), codeOf(APFloat::getNaN(semantics)))
          << info.name;
  }
}

// Every value of the types of up to 16 bits, into every other type.
TEST(ElementTypes, ExactConversionsLoseNothing) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  std::vector<mlir::Type> types;
  for (const ElementTypeInfo &info : elementTypes())
    if (mlir::Type type = fromElementType(&context, info.type); type && type.isIntOrFloat())
      types.push_back(type);
  auto isUnsigned = [](mlir::Type type) { return type.isUnsignedInteger() || type.isInteger(1); };
  auto holds = [&](mlir::Type to, const llvm::APSInt &value) {
    if (auto format = llvm::dyn_cast<mlir::FloatType>(to)) {
      APFloat rounded(format.getFloatSemantics());
      return rounded.convertFromAPInt(value, value.isSigned(), APFloat::rmNearestTiesToEven) == APFloat::opOK;
    }
    llvm::APSInt wide = value.extend(80);
    wide.setIsSigned(true);
    unsigned width = to.getIntOrFloatBitWidth();
    return isUnsigned(to) ? !wide.isNegative() && wide.getActiveBits() <= width : wide.isSignedIntN(width);
  };
  int exact = 0;
  for (mlir::Type from : types) {
    if (from.getIntOrFloatBitWidth() > 16)
      continue;
    for (mlir::Type to : types) {
      if (!convertsExactly(from, to))
        continue;
      ++exact;
      for (uint64_t code = 0; code < uint64_t(1) << from.getIntOrFloatBitWidth(); ++code) {
        llvm::APInt bits(from.getIntOrFloatBitWidth(), code);
        bool isHeld = true;
        if (auto format = llvm::dyn_cast<mlir::FloatType>(from)) {
          APFloat value(format.getFloatSemantics(), bits);
          bool loses = false;
          value.convert(llvm::cast<mlir::FloatType>(to).getFloatSemantics(), APFloat::rmNearestTiesToEven, &loses);
          isHeld = !loses || value.isNaN();
        } else {
          isHeld = holds(to, llvm::APSInt(bits, isUnsigned(from)));
        }
        ASSERT_TRUE(isHeld) << mlir::debugString(from) << " to " << mlir::debugString(to) << ": " << code;
      }
    }
  }
  EXPECT_GT(exact, 100);
  mlir::Builder builder(&context);
  EXPECT_TRUE(convertsExactly(builder.getIntegerType(8), builder.getBF16Type()));
  EXPECT_TRUE(convertsExactly(builder.getIntegerType(8, false), builder.getIntegerType(16)));
  EXPECT_TRUE(convertsExactly(builder.getF16Type(), builder.getF32Type()));
  EXPECT_FALSE(convertsExactly(builder.getF16Type(), builder.getBF16Type()));
  EXPECT_FALSE(convertsExactly(builder.getIntegerType(32), builder.getF32Type()));
  EXPECT_FALSE(convertsExactly(builder.getIntegerType(8), builder.getIntegerType(16, false)));
  EXPECT_FALSE(convertsExactly(builder.getF32Type(), builder.getIntegerType(64)));
}

} // namespace
} // namespace tenon::ir
