// Conversions between element types: every code of the narrow floats, rounding once, saturation.
#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/element/kind.h"
#include "tenon/codegen/llvm/element/test/element_testing.h"
#include "tenon/codegen/llvm/math/instruction_set.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Analysis/TargetFolder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using llvm::APFloat;
using llvm::APInt;

namespace tenon::codegen::testing {
namespace {

struct FloatFormat {
  const char *name;
  const llvm::fltSemantics &semantics;
  unsigned bits;
};

const FloatFormat kSmall[] = {
    {"f4E2M1FN", APFloat::Float4E2M1FN(), 4},     {"f6E2M3FN", APFloat::Float6E2M3FN(), 6},
    {"f6E3M2FN", APFloat::Float6E3M2FN(), 6},     {"f8E3M4", APFloat::Float8E3M4(), 8},
    {"f8E4M3", APFloat::Float8E4M3(), 8},         {"f8E4M3FN", APFloat::Float8E4M3FN(), 8},
    {"f8E4M3FNUZ", APFloat::Float8E4M3FNUZ(), 8}, {"f8E4M3B11FNUZ", APFloat::Float8E4M3B11FNUZ(), 8},
    {"f8E5M2", APFloat::Float8E5M2(), 8},         {"f8E5M2FNUZ", APFloat::Float8E5M2FNUZ(), 8},
};
const FloatFormat kHalves[] = {{"bf16", APFloat::BFloat(), 16}, {"f16", APFloat::IEEEhalf(), 16}};

uint64_t roundTo(const FloatFormat &to, APFloat value) {
  bool losesInfo;
  value.convert(to.semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

double decode(const FloatFormat &format, uint64_t code) {
  APFloat value(format.semantics, APInt(format.bits, code));
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

bool isNaNCode(const FloatFormat &format, uint64_t code) {
  return APFloat(format.semantics, APInt(format.bits, code)).isNaN();
}

// Doubles around everything the narrow formats can tell apart: all values of bf16 and f16, their neighbours and the
// points half way between.
std::vector<double> hardDoubles() {
  std::vector<double> values;
  for (const FloatFormat &format : kHalves)
    for (uint64_t code = 0; code < 0xffff; ++code) {
      double value = decode(format, code), next = decode(format, code + 1);
      values.push_back(value);
      if (!std::isfinite(value) || !std::isfinite(next) || code == 0x7fff)
        continue;
      double middle = (value + next) / 2;
      values.push_back(middle);
      values.push_back(std::nextafter(middle, 0));
      values.push_back(std::nextafter(middle, value * 4));
    }
  for (double special : {1e300, 5e-324, 1e-310, 3.4028235677973366e38, 65520.0, 65519.999999999})
    values.insert(values.end(), {special, -special});
  return values;
}

TEST(ElementConvert, DecodesEveryNarrowCode) {
  auto check = [](const FloatFormat &format) {
    std::vector<uint16_t> codes;
    for (unsigned code = 0; code < (1u << format.bits); ++code)
      codes.push_back(code);
    Bytes input;
    for (uint16_t code : codes) {
      input.push_back(code);
      if (format.bits == 16)
        input.push_back(code >> 8);
    }
    std::vector<float> floats = fromBytes<float>(runConvert(format.name, "f32", input, 16));
    std::vector<double> doubles = fromBytes<double>(runConvert(format.name, "f64", input, 8));
    for (size_t code = 0; code < codes.size(); ++code) {
      double want = decode(format, code);
      for (double got : {double(floats[code]), doubles[code]})
        ASSERT_TRUE(std::isnan(want) ? std::isnan(got) : got == want && std::signbit(got) == std::signbit(want))
            << format.name << " code " << code << ": " << got << ", not " << want;
    }
  };
  for (const FloatFormat &format : kSmall)
    check(format);
  for (const FloatFormat &format : kHalves)
    check(format);
}

template <typename Wide>
void checkEncoding(const FloatFormat &format, const std::vector<Wide> &values, const char *wideName, unsigned lanes) {
  Bytes output = runConvert(wideName, format.name, toBytes(values), lanes);
  std::vector<uint16_t> wideCodes = format.bits == 16 ? fromBytes<uint16_t>(output) : std::vector<uint16_t>();
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t got = format.bits == 16 ? wideCodes[i] : output[i];
    if (std::isnan(values[i])) {
      if (format.bits > 6) // the smaller ones have no NaN
        ASSERT_TRUE(isNaNCode(format, got)) << format.name;
      continue;
    }
    // The types without infinity and NaN saturate; APFloat makes zero of infinity.
    bool saturates = format.bits <= 6 && std::isinf(values[i]);
    uint64_t want = roundTo(format, saturates ? APFloat(std::copysign(1e30, values[i])) : APFloat(values[i]));
    bool bothNaN = isNaNCode(format, got) && isNaNCode(format, want);
    ASSERT_TRUE(got == want || bothNaN) << format.name << " from " << wideName << " " << std::hexfloat << values[i]
                                        << ": " << got << ", not " << want;
  }
}

TEST(ElementConvert, RoundsDoublesOnce) {
  std::vector<double> values = hardDoubles();
  for (const FloatFormat &format : kHalves)
    checkEncoding(format, values, "f64", 8);
  for (const FloatFormat &format : kSmall)
    checkEncoding(format, values, "f64", 8);
}

TEST(ElementConvert, RoundsFloats) {
  std::vector<float> values;
  for (double value : hardDoubles())
    values.push_back(static_cast<float>(value));
  for (const FloatFormat &format : kHalves)
    checkEncoding(format, values, "f32", 16);
  for (const FloatFormat &format : kSmall)
    checkEncoding(format, values, "f32", 16);
  checkEncoding(kSmall[5], std::vector<float>(values.begin(), values.begin() + 1000), "f32", 1);
}

// By the processor's instruction, if it has one that takes whole registers, and without: every bf16, its neighbours and
// the points half way to the next, NaN and subnormal numbers among them.
TEST(ElementConvert, BfloatsHaveTheSameBitsInAnyLanes) {
  std::vector<uint32_t> bits;
  for (uint32_t code = 0; code < 0x10000; ++code)
    for (uint32_t rest : {0x0000U, 0x0001U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU})
      bits.push_back(code << 16 | rest);
  auto alone = fromBytes<uint16_t>(runConvert("f32", "bf16", toBytes(bits), 1));
  const std::string andBack = "%x = stablehlo.convert %0 : (tensor<f32>) -> tensor<bf16>\n"
                              "%r = stablehlo.convert %x : (tensor<bf16>) -> tensor<f32>";
  for (unsigned lanes : {8, 16, 32, 64}) {
    auto together = fromBytes<uint16_t>(runConvert("f32", "bf16", toBytes(bits), lanes));
    for (size_t i = 0; i < bits.size(); ++i)
      ASSERT_EQ(together[i], alone[i]) << std::hex << bits[i] << " in " << std::dec << lanes << " lanes";
    auto back = fromBytes<uint32_t>(runRegion(andBack, {"f32"}, "f32", {toBytes(bits)}, lanes));
    for (size_t i = 0; i < bits.size(); ++i)
      ASSERT_EQ(back[i], uint32_t(alone[i]) << 16) << std::hex << bits[i] << " in " << std::dec << lanes << " lanes";
  }
  for (size_t i = 0; i < bits.size(); ++i) {
    APFloat value(APFloat::IEEEsingle(), APInt(32, bits[i]));
    if (!value.isNaN())
      ASSERT_EQ(alone[i], roundTo(kHalves[0], value)) << std::hex << bits[i];
    else
      ASSERT_TRUE(isNaNCode(kHalves[0], alone[i])) << std::hex << bits[i];
  }
}

class Pairs : public math::InstructionSet {
public:
  Pairs() : InstructionSet("pairs") {}
  bool widensBfloatPairs() const override { return true; }
};

// By words of two, where the chip does so and lanes are even: from constants, and whether each is extended by itself.
TEST(ElementConvert, WidensBfloatsByPairs) {
  static const auto *pairs = new Pairs();
  static const auto *none = new math::InstructionSet("no pairs");
  const std::vector<uint16_t> bits = {0x3f80, 0xc000, 0x7fc1, 0x0001, 0x8000, 0xff80};
  auto extendsEach = [&](unsigned lanes, const math::InstructionSet &instructions) {
    llvm::LLVMContext context;
    llvm::Module module("module", context);
    math::useInstructions(module, instructions);
    llvm::IRBuilder<llvm::TargetFolder> b(context, llvm::TargetFolder(module.getDataLayout()));
    auto *type = llvm::FixedVectorType::get(b.getInt16Ty(), lanes);
    auto *function = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), {type}, false),
                                            llvm::Function::ExternalLinkage, "f", module);
    b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
    auto *widened = llvm::dyn_cast<llvm::Constant>(
        bfloatToFloat(b, llvm::ConstantDataVector::get(context, llvm::ArrayRef(bits).take_front(lanes))));
    for (unsigned lane = 0; lane < lanes; ++lane) {
      auto *element = widened ? llvm::dyn_cast<llvm::ConstantFP>(widened->getAggregateElement(lane)) : nullptr;
      EXPECT_TRUE(element && element->getValueAPF().bitcastToAPInt() == uint64_t(bits[lane]) << 16) << lane;
    }
    bfloatToFloat(b, function->getArg(0));
    return llvm::any_of(llvm::instructions(function), [](auto &op) { return llvm::isa<llvm::ZExtInst>(op); });
  };
  EXPECT_FALSE(extendsEach(2, *pairs));
  EXPECT_FALSE(extendsEach(6, *pairs));
  EXPECT_TRUE(extendsEach(3, *pairs));
  EXPECT_TRUE(extendsEach(6, *none));
}

// On a chip without instructions for them: every f16, and what rounds to one.
TEST(ElementConvert, HalvesByIntegers) {
  auto convert = [](const char *from, const char *to, const Bytes &values, int64_t bytes, unsigned lanes) {
    std::string types = std::string("(tensor<") + from + ">) -> tensor<" + to + ">";
    ElementKernel kernel("%r = stablehlo.convert %0 : " + types, {from}, to, lanes, false, "x86-64");
    Bytes output(values.size() / kernel.inputBytes() * bytes);
    kernel({values.data()}, output.data(), int64_t(values.size()) / kernel.inputBytes());
    return output;
  };
  const FloatFormat &half = kHalves[1];
  std::vector<uint16_t> codes(0x10000);
  std::iota(codes.begin(), codes.end(), uint16_t(0));
  for (unsigned lanes : {1, 4}) {
    auto floats = fromBytes<float>(convert("f16", "f32", toBytes(codes), 4, lanes));
    for (uint16_t code : codes)
      ASSERT_TRUE(isNaNCode(half, code) ? std::isnan(floats[code])
                                        : floats[code] == decode(half, code) &&
                                              std::signbit(floats[code]) == std::signbit(decode(half, code)))
          << code << ": " << floats[code];
  }
  std::vector<double> doubles = hardDoubles();
  auto rounded = fromBytes<uint16_t>(convert("f64", "f16", toBytes(doubles), 2, 4));
  auto roundedFloats =
      fromBytes<uint16_t>(convert("f32", "f16", toBytes(std::vector<float>(doubles.begin(), doubles.end())), 2, 4));
  for (size_t i = 0; i < doubles.size(); ++i) {
    if (std::isnan(doubles[i])) {
      ASSERT_TRUE(isNaNCode(half, rounded[i]) && isNaNCode(half, roundedFloats[i])) << doubles[i];
      continue;
    }
    ASSERT_EQ(rounded[i], roundTo(half, APFloat(doubles[i]))) << doubles[i];
    ASSERT_EQ(roundedFloats[i], roundTo(half, APFloat(float(doubles[i])))) << doubles[i];
  }
}

TEST(ElementConvert, PowersOfTwoWithoutSign) {
  Bytes codes(256);
  for (int i = 0; i < 256; ++i)
    codes[i] = i;
  auto decoded = fromBytes<float>(runConvert("f8E8M0FNU", "f32", codes, 16));
  for (int i = 0; i < 255; ++i)
    EXPECT_EQ(decoded[i], std::ldexp(1.0f, i - 127));
  EXPECT_TRUE(std::isnan(decoded[255]));
  std::vector<float> values = {0,        -1,  1,          1.4f,       1.5f,      3,          12,
                               INFINITY, NAN, 0x1.8p127f, 0x1.7p127f, 0x1p-127f, 0x1.8p-127f};
  Bytes want = {255, 255, 127, 127, 128, 129, 131, 255, 255, 255, 254, 0, 1};
  EXPECT_EQ(runConvert("f32", "f8E8M0FNU", toBytes(values), 4), want);
}

TEST(ElementConvert, FloatsToIntegersSaturate) {
  std::vector<float> values = {0.9f,      -0.9f, 1.5f,   -1.5f, 1e10f, -1e10f, INFINITY,
                               -INFINITY, NAN,   127.9f, 128,   -129,  255.5f};
  auto bytes = toBytes(values);
  EXPECT_EQ(fromBytes<int8_t>(runConvert("f32", "i8", bytes, 4)),
            (std::vector<int8_t>{0, 0, 1, -1, 127, -128, 127, -128, 0, 127, 127, -128, 127}));
  EXPECT_EQ(fromBytes<uint8_t>(runConvert("f32", "ui8", bytes, 4)),
            (std::vector<uint8_t>{0, 0, 1, 0, 255, 0, 255, 0, 0, 127, 128, 0, 255}));
  EXPECT_EQ(fromBytes<int8_t>(runConvert("f32", "i4", bytes, 4)),
            (std::vector<int8_t>{0, 0, 1, -1, 7, -8, 7, -8, 0, 7, 7, -8, 7}));
  EXPECT_EQ(fromBytes<uint8_t>(runConvert("f32", "ui2", bytes, 8)),
            (std::vector<uint8_t>{0, 0, 1, 0, 3, 0, 3, 0, 0, 3, 3, 0, 3}));
  auto wide = fromBytes<int64_t>(runConvert("f32", "i64", bytes, 8));
  EXPECT_EQ(wide[4], 10000000000);
  EXPECT_EQ(wide[6], INT64_MAX);
  EXPECT_EQ(wide[7], INT64_MIN);
  EXPECT_EQ(wide[8], 0);
  auto unsignedWide = fromBytes<uint64_t>(runConvert("f32", "ui64", bytes, 8));
  EXPECT_EQ(unsignedWide[6], UINT64_MAX);
  EXPECT_EQ(unsignedWide[3], 0u);
}

// How many integers are chosen between where eight floats become integers.
unsigned integerSelects(mlir::Type to) {
  llvm::LLVMContext context;
  llvm::Module module("module", context);
  llvm::IRBuilder<> b(context);
  auto *floats = llvm::FixedVectorType::get(b.getFloatTy(), 8);
  auto *function = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), {floats}, false),
                                          llvm::Function::ExternalLinkage, "f", module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  emitConvert(b, mlir::Float32Type::get(to.getContext()), to, Element{function->getArg(0)});
  return unsigned(llvm::count_if(function->getEntryBlock(), [](llvm::Instruction &instruction) {
    return llvm::isa<llvm::SelectInst>(instruction) && instruction.getType()->isIntOrIntVectorTy();
  }));
}

TEST(ElementConvert, FloatsSaturateBeforeTheyAreNarrowIntegers) {
  mlir::MLIRContext context;
  auto integer = [&](unsigned width, mlir::IntegerType::SignednessSemantics semantics) {
    return integerSelects(mlir::IntegerType::get(&context, width, semantics));
  };
  for (unsigned width : {4U, 8U, 16U}) {
    EXPECT_EQ(integer(width, mlir::IntegerType::Signless), 0U) << width;
    EXPECT_EQ(integer(width, mlir::IntegerType::Unsigned), 0U) << width;
  }
  // Their largest values are no floats.
  for (unsigned width : {32U, 64U})
    EXPECT_EQ(integer(width, mlir::IntegerType::Signless), 3U) << width;
}

TEST(ElementConvert, IntegersToFloatsRoundOnce) {
  std::vector<int64_t> values = {0, 1, -1, INT64_MIN, INT64_MAX, (int64_t(1) << 53) + 1};
  std::mt19937_64 random(5);
  for (int i = 0; i < 4096; ++i) {
    // Near the middle between neighbours of a narrow format, where a second rounding shows.
    int64_t base = int64_t(random() >> (random() % 63 + 1));
    values.insert(values.end(), {base, -base, (base & ~int64_t(0xffff)) | 0x8000, ((base >> 20) << 20) + 1});
    int shift = random() % 50;
    int64_t tie = int64_t(257 + 2 * (random() % 64)) << shift;
    values.insert(values.end(), {tie, tie + 1, tie - 1, -tie, -tie - 1, 1 - tie});
  }
  for (const FloatFormat &format : kHalves) {
    auto got = fromBytes<uint16_t>(runConvert("i64", format.name, toBytes(values), 8));
    auto gotUnsigned = fromBytes<uint16_t>(runConvert("ui64", format.name, toBytes(values), 8));
    for (size_t i = 0; i < values.size(); ++i) {
      APFloat exact(APFloat::IEEEquad()), exactUnsigned(APFloat::IEEEquad());
      exact.convertFromAPInt(APInt(64, values[i], true), true, APFloat::rmNearestTiesToEven);
      exactUnsigned.convertFromAPInt(APInt(64, values[i], true), false, APFloat::rmNearestTiesToEven);
      ASSERT_EQ(got[i], roundTo(format, exact)) << format.name << " " << values[i];
      ASSERT_EQ(gotUnsigned[i], roundTo(format, exactUnsigned)) << format.name << " " << uint64_t(values[i]);
    }
  }
  auto floats = fromBytes<float>(runConvert("ui64", "f32", toBytes(values), 16));
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(floats[i], static_cast<float>(static_cast<uint64_t>(values[i])));
}

TEST(ElementConvert, IntegersWrapAndExtend) {
  std::vector<int32_t> values = {0, 1, -1, 7, 8, 9, 15, 16, 127, 128, 255, 256, -8, -9, INT32_MIN};
  auto bytes = toBytes(values);
  auto nibbles = fromBytes<int8_t>(runConvert("i32", "i4", bytes, 8));
  auto unsignedNibbles = runConvert("i32", "ui4", bytes, 8);
  auto unsignedWide = fromBytes<uint64_t>(runConvert("i32", "ui64", bytes, 8));
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(nibbles[i], int8_t(values[i] << 4) >> 4);
    EXPECT_EQ(unsignedNibbles[i], values[i] & 15);
    EXPECT_EQ(unsignedWide[i], uint64_t(int64_t(values[i])));
  }
}

TEST(ElementConvert, ToAndFromBooleans) {
  EXPECT_EQ(runConvert("f32", "i1", toBytes(std::vector<float>{0, -0.0f, 0.5f, NAN, 1e-45f, -3}), 4),
            (Bytes{0, 0, 1, 1, 1, 1}));
  // The imaginary part does not count.
  EXPECT_EQ(runConvert("complex<f32>", "i1", toBytes(std::vector<float>{0, 0, 0, 1, 2, 0, -0.0f, NAN, NAN, 0}), 5),
            (Bytes{0, 0, 1, 0, 1}));
  EXPECT_EQ(runConvert("complex<f64>", "i1", toBytes(std::vector<double>{0, 3, 1e-320, 0, -0.0, -1}), 3),
            (Bytes{0, 1, 0}));
  Bytes flags = {0, 1, 1, 0, 1};
  EXPECT_EQ(fromBytes<int32_t>(runConvert("i1", "i32", flags, 4)), (std::vector<int32_t>{0, 1, 1, 0, 1}));
  EXPECT_EQ(fromBytes<float>(runConvert("i1", "f32", flags, 4)), (std::vector<float>{0, 1, 1, 0, 1}));
}

TEST(ElementConvert, ComplexNumbers) {
  std::vector<float> values = {1.5f, -2, 3, 4};
  EXPECT_EQ(fromBytes<float>(runConvert("complex<f32>", "f32", toBytes(values), 2)), (std::vector<float>{1.5f, 3}));
  EXPECT_EQ(fromBytes<double>(runConvert("complex<f32>", "complex<f64>", toBytes(values), 2)),
            (std::vector<double>{1.5, -2, 3, 4}));
  EXPECT_EQ(fromBytes<float>(runConvert("i32", "complex<f32>", toBytes(std::vector<int32_t>{-7}), 2)),
            (std::vector<float>{-7, 0}));
}

TEST(ElementConvert, ReducePrecisionActsLikeTheNarrowTypes) {
  std::vector<float> values;
  for (double value : hardDoubles())
    values.push_back(static_cast<float>(value));
  auto reduced = fromBytes<float>(runElementwise("%r = stablehlo.reduce_precision %0, format = e8m7 : tensor<f32>",
                                                 {"f32"}, "f32", {toBytes(values)}, 16));
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      ASSERT_TRUE(std::isnan(reduced[i]));
      continue;
    }
    ASSERT_EQ(reduced[i], decode(kHalves[0], roundTo(kHalves[0], APFloat(values[i])))) << values[i];
  }
  auto halves =
      fromBytes<float>(runElementwise("%r = stablehlo.reduce_precision %0, format = e5m10 : tensor<f32>", {"f32"},
                                      "f32", {toBytes(std::vector<float>{65519, 65520, 1.0005f, -1e-6f, NAN})}, 4));
  EXPECT_EQ(halves[0], 65504);
  EXPECT_EQ(halves[1], INFINITY);
  EXPECT_EQ(halves[2], 1.0009765625f);
  EXPECT_TRUE(halves[3] == 0 && std::signbit(halves[3])); // below the normal range
  EXPECT_TRUE(std::isnan(halves[4]));
}

// As many exponent bits as the type has take nothing away; below its normal range bits count from its least exponent.
TEST(ElementConvert, ReducePrecisionOfNarrowTypes) {
  // Codes of f8E4M3FN: 1, 3, 5 and 7 eighths of 2^-6, and 1.875.
  Bytes codes{0x01, 0x03, 0x85, 0x07, 0x3f, 0x7f};
  auto reduce = [&](const char *format) {
    return runElementwise(std::string("%r = stablehlo.reduce_precision %0, format = ") + format + " : tensor<f8E4M3FN>",
                          {"f8E4M3FN"}, "f8E4M3FN", {codes}, 4);
  };
  EXPECT_EQ(reduce("e4m3"), codes);
  EXPECT_EQ(reduce("e8m30"), codes);
  EXPECT_EQ(reduce("e4m1"), (Bytes{0x00, 0x04, 0x84, 0x08, 0x40, 0x7f}));
}

TEST(ElementConvert, BitcastKeepsBits) {
  std::vector<float> values = {1, -0.0f, NAN};
  Bytes bytes = toBytes(values);
  EXPECT_EQ(
      runElementwise("%r = stablehlo.bitcast_convert %0 : (tensor<f32>) -> tensor<i32>", {"f32"}, "i32", {bytes}, 2),
      bytes);
  EXPECT_EQ(runElementwise("%r = stablehlo.bitcast_convert %0 : (tensor<ui4>) -> tensor<i4>", {"ui4"}, "i4",
                           {Bytes{7, 8, 15}}, 2),
            (Bytes{7, 0xf8, 0xff}));
  EXPECT_FALSE(isSupported("%r = stablehlo.bitcast_convert %0 : (tensor<4xi8>) -> tensor<i32>", {"4xi8"}, "i32"));
}

} // namespace
} // namespace tenon::codegen::testing
