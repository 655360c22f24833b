// Reductions, and rows that are computed from their reductions.
#include "tenon/codegen/llvm/loop/test/check_testing.h"
#include "tenon/codegen/llvm/loop/test/sum_testing.h"

#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <regex>

using namespace tenon;
using namespace tenon::codegen::testing;

namespace {

std::string reduceText(const std::string &op, const std::string &dims, const std::string &from, const std::string &type,
                       const std::string &to) {
  return "%r = stablehlo.reduce(%x init: %z) applies stablehlo." + op + " across dimensions = [" + dims +
         "] : (tensor<" + from + type + ">, tensor<" + type + ">) -> tensor<" + to + type + ">\nreturn %r : tensor<" +
         to + type + ">";
}

void checkReduce(const std::string &op, const std::string &dims, const std::string &from, const std::string &type,
                 const std::string &to) {
  Tolerance tolerance;
  if (op == "add")
    tolerance.magnitudeUlps = 2;
  else if (op == "multiply")
    tolerance.magnitudeUlps = 8; // a rounding at each step, and complex products cancel
  check("%x: tensor<" + from + type + ">, %z: tensor<" + type + ">", "tensor<" + to + type + ">",
        reduceText(op, dims, from, type, to), tolerance);
}

TEST(LoopReduce, Shapes) {
  checkReduce("add", "1", "37x100x", "f32", "37x");
  checkReduce("add", "0", "100x37x", "f32", "37x");
  checkReduce("add", "0, 1", "30x50x", "f32", "");
  checkReduce("add", "1", "6x40x70x", "f32", "6x70x");
  checkReduce("add", "0, 2", "6x40x70x", "f32", "40x");
  checkReduce("add", "1", "200x3x", "f32", "200x");
  for (std::string length : {"9", "31", "50", "63", "95", "4127"}) // each with another rest
    for (std::string op : {"add", "maximum"})
      checkReduce(op, "1", "5x" + length + "x", "f32", "5x");
  checkReduce("add", "1, 2", "5x3x23x", "f32", "5x");
  checkReduce("add", "1", "5x200x50x", "f32", "5x50x");
  checkReduce("maximum", "1", "5x7x15x", "f32", "5x15x");
  checkReduce("add", "0", "200x3x", "f32", "3x");
  checkReduce("add", "0", "0x3x", "f32", "3x");
  checkReduce("add", "0", "5x0x", "f32", "0x");
  checkReduce("add", "0", "1x", "f32", "");
  checkReduce("add", "1", "4x1x5x", "f32", "4x5x");
  checkReduce("maximum", "1", "7x1000x", "f32", "7x");
}

TEST(LoopReduce, Parts) {
  checkReduce("add", "0", "300001x", "i32", "");
  checkReduce("add", "0, 1", "301x1000x", "f32", "");
  checkReduce("maximum", "0", "5000x100x", "f32", "100x");
  checkReduce("add", "1", "3x100000x", "f64", "3x");
  checkReduce("add", "0, 2", "400x40x70x", "i32", "40x");
}

// Rows of large arrays that lie apart advance together, as many whole vectors of them as there are and what is left.
TEST(LoopReduce, RowsThatAdvanceTogether) {
  checkReduce("maximum", "1", "8x300x128x", "f32", "8x128x");
  checkReduce("minimum", "1", "9x100x333x", "f32", "9x333x");
  checkReduce("add", "1", "9x300x130x", "f32", "9x130x");
  checkReduce("add", "1", "9x97x333x", "f64", "9x333x");
  checkReduce("add", "1, 2", "9x10x33x100x", "f32", "9x100x");
  checkReduce("add", "1", "8x300x128x", "i32", "8x128x");
  checkReduce("maximum", "1", "9x300x260x", "bf16", "9x260x");
  checkReduce("add", "1", "8x100x200x", "complex<f32>", "8x200x");
  checkReduce("or", "1", "9x900x150x", "i1", "9x150x");
  checkReduce("add", "0", "64x16384x", "i32", "16384x"); // several tasks of one dimension
  checkReduce("maximum", "0", "70x15000x", "f32", "15000x");
}

// However tasks are cut, and as where each array is reduced alone, which then is too small for that.
TEST(LoopReduce, RowsThatAdvanceTogetherHaveTheSameBits) {
  constexpr size_t kArrays = 24;
  for (const tenon::codegen::CpuTarget *target : sumTargets())
    for (const char *op : {"add", "multiply", "maximum"})
      for (const char *rows : {"300", "97", "128"}) {
        auto make = [&](const std::string &arrays) {
          std::string from = arrays + "x" + rows + "x133x";
          return LoopKernel("func.func @main(%x: tensor<" + from + "f32>, %z: tensor<f32>) -> tensor<" + arrays +
                                "x133xf32> {\n" + reduceText(op, "1", from, "f32", arrays + "x133x") + "\n}",
                            *target);
        };
        LoopKernel together = make(std::to_string(kArrays)), alone = make("1");
        ASSERT_TRUE(together.ok() && alone.ok()) << together.error << alone.error;
        EXPECT_GT(together.kernel.scratchBytes, 0) << rows;
        EXPECT_EQ(alone.kernel.scratchBytes, 0) << rows;
        std::vector<Bytes> inputs = together.randomInputs(1);
        Bytes all = together.run(inputs).front(), each;
        EXPECT_EQ(together.run(inputs, 1).front(), all) << op << ' ' << rows;
        size_t bytes = inputs[0].size() / kArrays;
        for (size_t i = 0; i < kArrays; ++i) {
          auto begin = inputs[0].begin() + ptrdiff_t(i * bytes);
          Bytes result = alone.run({Bytes(begin, begin + ptrdiff_t(bytes)), inputs[1]}).front();
          each.insert(each.end(), result.begin(), result.end());
        }
        EXPECT_EQ(all, each) << op << ' ' << rows;
      }
}

TEST(LoopReduce, Types) {
  for (std::string type : {"i8", "ui8", "i16", "i32", "i64", "ui64", "f16", "bf16", "f32", "f64"})
    for (std::string op : {"add", "maximum", "minimum", "multiply"})
      for (const auto &[dims, to] : {std::pair<std::string, std::string>{"1", "9x"}, {"0", "45x"}})
        checkReduce(op, dims, "9x45x", type, to);
  for (std::string type : {"i1", "i32"})
    for (std::string op : {"and", "or", "xor"})
      for (std::string length : {"1", "5", "45", "1000"})
        checkReduce(op, "1", "9x" + length + "x", type, "9x");
  for (std::string op : {"add", "multiply", "maximum", "minimum"})
    for (std::string length : {"13", "333"})
      checkReduce(op, "1", "40x" + length + "x", "i1", "40x");
  checkReduce("and", "0", "300x70x", "i1", "70x");
  checkReduce("add", "1", "9x45x", "complex<f32>", "9x");
  checkReduce("multiply", "0", "9x45x", "complex<f32>", "45x");
}

std::string extremumText(const std::string &op, const std::string &from, const std::string &dim, const std::string &to,
                         const std::string &type = "f32") {
  return "func.func @main(%x: tensor<" + from + type + ">, %z: tensor<" + type + ">) -> tensor<" + to + type + "> {\n" +
         reduceText(op, dim, from, type, to) + "\n}";
}

// The extremum of each column, as a window.
std::string windowExtremumText(const std::string &op, int64_t length, int64_t columns, const std::string &type) {
  std::string from = "tensor<" + std::to_string(length) + "x" + std::to_string(columns) + "x" + type + ">",
              to = "tensor<1x" + std::to_string(columns) + "x" + type + ">", scalar = "tensor<" + type + ">";
  return "func.func @main(%x: " + from + ", %z: " + scalar + ") -> " + to +
         " {\n%r = \"stablehlo.reduce_window\"(%x, %z) <{window_dimensions = array<i64: " + std::to_string(length) +
         ", 1>}> ({\n^bb0(%p: " + scalar + ", %q: " + scalar + "):\n%0 = stablehlo." + op + " %p, %q : " + scalar +
         "\nstablehlo.return %0 : " + scalar + "\n}) : (" + from + ", " + scalar + ") -> " + to +
         "\nreturn %r : " + to + "\n}";
}

// As IEEE 754's maximum and minimum, with one NaN for all.
float extremumOf(float x, float y, bool isMaximum) {
  if (std::isnan(x) || std::isnan(y))
    return std::numeric_limits<float>::quiet_NaN();
  if (x == y)
    return std::signbit(x) == isMaximum ? y : x;
  return (x < y) == isMaximum ? y : x;
}

const llvm::fltSemantics &semanticsOf(const std::string &type) {
  return type == "f32"   ? llvm::APFloat::IEEEsingle()
         : type == "f16" ? llvm::APFloat::IEEEhalf()
                         : llvm::APFloat::BFloat();
}

Bytes encoded(const std::vector<float> &values, const std::string &type) {
  Bytes bytes;
  for (float value : values) {
    llvm::APFloat number(value);
    bool loses;
    number.convert(semanticsOf(type), llvm::APFloat::rmNearestTiesToEven, &loses);
    uint64_t bits = number.bitcastToAPInt().getZExtValue();
    const auto *first = reinterpret_cast<const uint8_t *>(&bits);
    bytes.insert(bytes.end(), first, first + (type == "f32" ? 4 : 2));
  }
  return bytes;
}

std::vector<float> decoded(const Bytes &bytes, const std::string &type) {
  size_t size = type == "f32" ? 4 : 2;
  std::vector<float> values;
  for (size_t i = 0; i < bytes.size(); i += size) {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[i], size);
    values.push_back(llvm::APFloat(semanticsOf(type), llvm::APInt(unsigned(8 * size), bits)).convertToFloat());
  }
  return values;
}

enum class Along : uint8_t { kRows, kColumns, kWindows };

// Rows, or columns, of values from one list, so short that each row has few kinds of them, and its extremum.
void checkExtrema(const tenon::codegen::CpuTarget &target, bool isMaximum, Along along, int64_t length,
                  const std::string &type) {
  bool alongRows = along == Along::kRows;
  constexpr int64_t kRows = 96;
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  // Numbers of each type.
  const float least = type == "f32" ? 1e-45F : type == "f16" ? 0x1p-24F : 0x1p-133F;
  const float most = type == "f16" ? 0x1.8p15F : 0x1.8p127F;
  const float values[] = {0.0F, -0.0F, 1.5F, -1.5F, least, -least, infinity, -infinity, nan, -nan, most, -most};
  std::string from = alongRows ? std::to_string(kRows) + "x" + std::to_string(length) + "x"
                               : std::to_string(length) + "x" + std::to_string(kRows) + "x";
  const char *op = isMaximum ? "maximum" : "minimum";
  LoopKernel kernel(along == Along::kWindows
                        ? windowExtremumText(op, length, kRows, type)
                        : extremumText(op, from, alongRows ? "1" : "0", std::to_string(kRows) + "x", type),
                    target);
  ASSERT_TRUE(kernel.ok()) << kernel.error;
  std::vector<float> x(kRows * length), expected(kRows);
  uint32_t random = 1;
  for (int64_t row = 0; row < kRows; ++row) {
    float init = isMaximum ? -infinity : infinity;
    size_t kinds = 1 + row % 3, first = row % std::size(values);
    for (int64_t i = 0; i < length; ++i) {
      random = random * 1664525 + 1013904223;
      float value = values[(first + (random >> 16) % kinds * (1 + row / 36)) % std::size(values)];
      x[alongRows ? row * length + i : i * kRows + row] = value;
      init = extremumOf(init, value, isMaximum);
    }
    expected[row] = init;
  }
  const float init = isMaximum ? -infinity : infinity;
  std::vector<float> results = decoded(kernel.run({encoded(x, type), encoded({init}, type)}).front(), type);
  for (int64_t row = 0; row < kRows; ++row) {
    float result = results[row];
    if (std::isnan(expected[row]))
      EXPECT_TRUE(std::isnan(result)) << row << ", " << length << " long";
    else
      EXPECT_EQ(std::bit_cast<uint32_t>(result), std::bit_cast<uint32_t>(expected[row]))
          << row << ", " << length << " long: " << result << ", not " << expected[row];
  }
}

TEST(LoopReduce, ExtremaMindNaNAndSignedZeros) {
  for (const tenon::codegen::CpuTarget *target : sumTargets())
    for (bool isMaximum : {true, false})
      for (Along along : {Along::kRows, Along::kColumns, Along::kWindows})
        for (int64_t length : {3, 7, 20, 47, 64, 77, 300})
          for (const char *type : {"f32", "bf16", "f16"})
            checkExtrema(*target, isMaximum, along, length, type);
}

// Three extrema of the bits, where a processor with AVX2 has one of floats: not in sums, and not of doubles, for which
// it has no such instructions.
TEST(LoopReduce, ExtremaOfFloatsAreThoseOfBits) {
  setenv("TENON_TEST_DUMP", "1", 1); // for LoopKernel::ir
  auto hasThree = [](const std::string &op, const std::string &type) {
    LoopKernel kernel(extremumText(op, "96x64x", "1", "96x", type), *sumTargets().back());
    EXPECT_TRUE(kernel.ok()) << kernel.error;
    auto has = [&](const char *name) { return kernel.ir.find(name) != std::string::npos; };
    return has("@llvm.smax.v") && has("@llvm.umin.v") && has("@llvm.umax.v");
  };
  EXPECT_TRUE(hasThree("maximum", "f32"));
  EXPECT_TRUE(hasThree("minimum", "f32"));
  EXPECT_FALSE(hasThree("maximum", "f64"));
  EXPECT_FALSE(hasThree("add", "f32"));
  auto hasBitsOfWindow = [](int64_t length) { // with enough elements
    LoopKernel kernel(windowExtremumText("maximum", length, 96, "f32"), *sumTargets().back());
    return kernel.ir.find("@llvm.umin.v8i32(") != std::string::npos;
  };
  EXPECT_TRUE(hasBitsOfWindow(5));
  EXPECT_FALSE(hasBitsOfWindow(3));
}

// Those of two bytes as they are, but for rows of few vectors, which are folded in groups.
TEST(LoopReduce, ExtremaOfNarrowFloatsAreNotWidened) {
  setenv("TENON_TEST_DUMP", "1", 1); // for LoopKernel::ir
  auto isNarrow = [](const std::string &type, const std::string &length) {
    LoopKernel kernel(extremumText("maximum", "96x" + length + "x", "1", "96x", type), *sumTargets().back());
    EXPECT_TRUE(kernel.ok()) << kernel.error;
    std::string::size_type at = kernel.ir.find("call <");
    return kernel.ir.find("x i16> @llvm.smax.v", at) != std::string::npos;
  };
  EXPECT_TRUE(isNarrow("bf16", "4096"));
  EXPECT_TRUE(isNarrow("f16", "4096"));
  EXPECT_TRUE(isNarrow("bf16", "48"));
  EXPECT_FALSE(isNarrow("bf16", "32"));
  EXPECT_FALSE(isNarrow("f8E5M2", "4096"));
}

// Booleans are carried as bytes where there are no registers of masks.
TEST(LoopReduce, BooleansAreCarriedAsBytes) {
  setenv("TENON_TEST_DUMP", "1", 1); // for LoopKernel::ir
  auto carries = [](const tenon::codegen::CpuTarget &target, const std::string &lanes) {
    LoopKernel kernel(extremumText("or", "96x4096x", "1", "96x", "i1"), target);
    EXPECT_TRUE(kernel.ok()) << kernel.error;
    return std::regex_search(kernel.ir, std::regex("phi <[0-9]+ x " + lanes + ">"));
  };
  EXPECT_TRUE(carries(*sumTargets().back(), "i8"));
  EXPECT_FALSE(carries(*sumTargets().back(), "i1"));
  tenon::codegen::CpuTargetOptions options;
  options.cpu = "x86-64-v4";
  EXPECT_FALSE(carries(*tenon::codegen::CpuTarget::create(options), "i8"));
}

// Whether a maximum of so many operations over a dimension reads vectors of so many lanes, where loads have no masks.
bool readsVectors(const std::string &shape, int dim, const std::string &kept, unsigned lanes, int operations) {
  setenv("TENON_TEST_DUMP", "1", 1); // for LoopKernel::ir
  std::string row = "tensor<" + shape + ">", result = "tensor<" + kept + "xf32>";
  std::string text = "%0 = stablehlo.sine %a : " + row;
  for (int i = 1; i < operations; ++i)
    text += "\n%" + std::to_string(i) + " = stablehlo.add %" + std::to_string(i - 1) + ", %a : " + row;
  text += "\n%r = stablehlo.reduce(%" + std::to_string(operations - 1) +
          " init: %b) applies stablehlo.maximum across dimensions = [" + std::to_string(dim) + "] : (" + row +
          ", tensor<f32>) -> " + result;
  LoopKernel kernel(fusionProgram("reduce", {shape, "f32"}, text, "%r", result), *sumTargets().back());
  EXPECT_TRUE(kernel.ok()) << kernel.error;
  return kernel.ir.find("load <" + std::to_string(lanes) + " x float>") != std::string::npos;
}

// What whole vectors along a row of 50 leave, in vectors of 16 and of 2 floats: nothing is left of 64, and too much
// code would be made of what 63 leave behind many operations.
TEST(LoopReduce, WhatIsLeftOfARowTakesFewerLanes) {
  auto reads = [](int64_t length, unsigned lanes, int operations) {
    return readsVectors("96x" + std::to_string(length) + "xf32", 1, "96", lanes, operations);
  };
  EXPECT_TRUE(reads(50, 2, 1));
  EXPECT_FALSE(reads(50, 4, 1));
  EXPECT_FALSE(reads(64, 2, 1));
  EXPECT_TRUE(reads(62, 2, 1));
  EXPECT_FALSE(reads(62, 2, 40));
}

// The same of columns. The loop over a column of 17 is there once, that over 6 as often.
TEST(LoopReduce, WhatIsLeftOfColumnsTakesFewerLanes) {
  EXPECT_TRUE(readsVectors("17x50xf32", 0, "50", 2, 3));
  EXPECT_TRUE(readsVectors("6x50xf32", 0, "50", 2, 3));
  EXPECT_FALSE(readsVectors("6x50xf32", 0, "50", 2, 20));
  EXPECT_FALSE(readsVectors("17x48xf32", 0, "48", 2, 3));
}

std::string argmaxBody(const std::string &comparison, const std::string &shape, const std::string &kept,
                       const std::string &dim) {
  std::string f = "tensor<" + shape + "xf32>", i = "tensor<" + shape + "xi32>", rf = "tensor<" + kept + "f32>",
              ri = "tensor<" + kept + "i32>";
  return "%z = stablehlo.constant dense<0> : tensor<i32>\n%i = stablehlo.iota dim = " + dim + " : " + i +
         "\n%0:2 = stablehlo.reduce(%a init: %b), (%i init: %z) across dimensions = [" + dim + "] : (" + f + ", " + i +
         ", tensor<f32>, tensor<i32>) -> (" + rf + ", " + ri + R"()
   reducer(%p: tensor<f32>, %q: tensor<f32>) (%s: tensor<i32>, %t: tensor<i32>) {
    %1 = stablehlo.compare )" +
         comparison + R"(, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %p, %p, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %s, %t, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %p, %q : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %s, %t : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  })";
}

TEST(LoopReduce, Argument) {
  checkFusion("reduce", {"20x333xf32", "f32"}, argmaxBody("GT", "20x333", "20x", "1"), "%0#0, %0#1",
              "tensor<20xf32>, tensor<20xi32>");
  checkFusion("reduce", {"20x333xf32", "f32"}, argmaxBody("LT", "20x333", "333x", "0"), "%0#0, %0#1",
              "tensor<333xf32>, tensor<333xi32>");
  for (const char *length : {"9", "10", "12", "13"}) // up to 12, a row in each lane
    checkFusion("reduce", {std::string("1003x") + length + "xf32", "f32"},
                argmaxBody("GT", std::string("1003x") + length, "1003x", "1"), "%0#0, %0#1",
                "tensor<1003xf32>, tensor<1003xi32>");
  checkFusion("reduce", {"200000xf32", "f32"}, argmaxBody("GT", "200000", "", "0"), "%0#0, %0#1",
              "tensor<f32>, tensor<i32>");
}

// The first of equal elements counts, and of NaN, whichever of them are behind whole vectors.
TEST(LoopReduce, ArgumentIsTheFirstOfEqualElements) {
  constexpr int64_t kRows = 45;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const tenon::codegen::CpuTarget *target : sumTargets())
    for (int64_t length : {17, 23, 31, 67, 300}) {
      std::string shape = std::to_string(kRows) + "x" + std::to_string(length);
      LoopKernel kernel(fusionProgram("reduce", {shape + "xf32", "f32"}, argmaxBody("GT", shape, "45x", "1"),
                                      "%0#0, %0#1", "tensor<45xf32>, tensor<45xi32>"),
                        *target);
      ASSERT_TRUE(kernel.ok()) << kernel.error;
      std::vector<float> x(kRows * length, -1.0F);
      std::vector<int32_t> expected(kRows);
      const float init = -std::numeric_limits<float>::infinity();
      for (int64_t row = 0; row < kRows; ++row) {
        float *elements = &x[row * length];
        int64_t first = length - 1 - (row * 7) % length, second = (first + row) % length;
        elements[first] = elements[second] = row % 3 == 0 ? nan : 2.0F;
        expected[row] = int32_t(std::min(first, second));
      }
      Bytes data(x.size() * sizeof(float)), start(sizeof(float));
      std::memcpy(data.data(), x.data(), data.size());
      std::memcpy(start.data(), &init, sizeof(float));
      Bytes positions = kernel.run({data, start})[1];
      for (int64_t row = 0; row < kRows; ++row) {
        int32_t position;
        std::memcpy(&position, &positions[row * sizeof(int32_t)], sizeof(int32_t));
        EXPECT_EQ(position, expected[row]) << "row " << row << " of length " << length;
      }
    }
}

TEST(LoopReduce, OrderedBody) {
  // Keeps the later element: associative, not commutative.
  for (const auto &[dim, to] : {std::pair<std::string, std::string>{"1", "9x"}, {"0", "45x"}})
    check("%x: tensor<9x45xf32>, %z: tensor<f32>", "tensor<" + to + "f32>",
          "%r = stablehlo.reduce(%x init: %z) across dimensions = [" + dim +
              "] : (tensor<9x45xf32>, tensor<f32>) -> tensor<" + to + R"(f32>
             reducer(%p: tensor<f32>, %q: tensor<f32>) {
               %0 = stablehlo.abs %q : tensor<f32>
               %1 = stablehlo.negate %0 : tensor<f32>
               stablehlo.return %1 : tensor<f32>
             }
             return %r : tensor<)" +
              to + "f32>");
}

TEST(LoopReduce, Fused) {
  checkFusion("reduce", {"33x70xbf16", "70xf32"},
              R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
                 %0 = stablehlo.convert %a : (tensor<33x70xbf16>) -> tensor<33x70xf32>
                 %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<70xf32>) -> tensor<33x70xf32>
                 %2 = stablehlo.multiply %0, %1 : tensor<33x70xf32>
                 %3 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [1] :
                   (tensor<33x70xf32>, tensor<f32>) -> tensor<33xf32>
                 %4 = stablehlo.multiply %2, %2 : tensor<33x70xf32>
                 %5 = stablehlo.reduce(%4 init: %z) applies stablehlo.add across dimensions = [1] :
                   (tensor<33x70xf32>, tensor<f32>) -> tensor<33xf32>
                 %6 = stablehlo.sqrt %5 : tensor<33xf32>
                 %7 = stablehlo.divide %3, %6 : tensor<33xf32>)",
              "%7, %5", "tensor<33xf32>, tensor<33xf32>", {.magnitudeUlps = 2});
}

// Sums of columns, rows or all elements, and an array of that many elements, which the same pass writes.
void checkWithWholeResult(const std::string &rows, const std::string &columns, const std::string &dims,
                          const std::string &to) {
  std::string full = "tensor<" + rows + "x" + columns + "xf32>", sums = "tensor<" + to + "f32>";
  checkFusion("reduce", {full.substr(7, full.size() - 8), columns + "xf32"},
              "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
              "%0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<" +
                  columns + "xf32>) -> " + full + "\n%1 = stablehlo.multiply %a, %0 : " + full +
                  "\n%2 = stablehlo.abs %1 : " + full +
                  "\n%3 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [" + dims + "] : (" +
                  full + ", tensor<f32>) -> " + sums + "\n%4 = stablehlo.multiply %3, %3 : " + sums,
              "%1, %4, %2, %3", full + ", " + sums + ", " + full + ", " + sums, {.magnitudeUlps = 4});
}

TEST(LoopReduce, WithResultsOfAllElements) {
  for (std::string columns : {"40", "16", "7", "100"}) {
    checkWithWholeResult("5003", columns, "0", columns + "x"); // in parts
    checkWithWholeResult("30", columns, "0", columns + "x");
    checkWithWholeResult("30", columns, "1", "30x");
  }
  checkWithWholeResult("601", "700", "0, 1", "");
  checkWithWholeResult("5", "70001", "1", "5x");
}

std::string softmaxBody(const std::string &f, const std::string &r, const std::string &dim, const std::string &kept) {
  return R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %m) applies stablehlo.maximum across dimensions = [)" +
         dim + "] : (" + f + ", tensor<f32>) -> " + r + "\n%1 = stablehlo.broadcast_in_dim %0, dims = [" + kept +
         "] : (" + r + ") -> " + f + "\n%2 = stablehlo.subtract %a, %1 : " + f +
         "\n%3 = stablehlo.exponential %2 : " + f +
         "\n%4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [" + dim + "] : (" + f +
         ", tensor<f32>) -> " + r + "\n%5 = stablehlo.broadcast_in_dim %4, dims = [" + kept + "] : (" + r + ") -> " +
         f + "\n%6 = stablehlo.divide %3, %5 : " + f;
}

TEST(LoopRows, Softmax) {
  for (std::string shape : {"5x100x7", "3x64x1", "2x9x1000", "4x3x16"}) {
    std::string f = "tensor<" + shape + "xf32>";
    size_t first = shape.find('x'), second = shape.rfind('x');
    std::string a = shape.substr(0, first), b = shape.substr(first + 1, second - first - 1),
                c = shape.substr(second + 1);
    checkFusion("rows", {shape + "xf32"}, softmaxBody(f, "tensor<" + a + "x" + b + "xf32>", "2", "0, 1"), "%6", f,
                {.ulps = 16});
    checkFusion("rows", {shape + "xf32"}, softmaxBody(f, "tensor<" + a + "x" + c + "xf32>", "1", "0, 2"), "%6", f,
                {.ulps = 16});
    checkFusion("rows", {shape + "xf32"}, softmaxBody(f, "tensor<" + b + "x" + c + "xf32>", "0", "1, 2"), "%6", f,
                {.ulps = 16});
    checkFusion("rows", {shape + "xf32"}, softmaxBody(f, "tensor<" + a + "xf32>", "1, 2", "0"), "%6", f, {.ulps = 16});
  }
}

TEST(LoopRows, LayerNormThroughReshape) {
  checkFusion("rows", {"4x6x50xf32", "50xf32"},
              R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
                 %n = stablehlo.constant dense<50.0> : tensor<4x6x1xf32>
                 %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [2] :
                   (tensor<4x6x50xf32>, tensor<f32>) -> tensor<4x6xf32>
                 %1 = stablehlo.reshape %0 : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
                 %2 = stablehlo.divide %1, %n : tensor<4x6x1xf32>
                 %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<4x6x1xf32>) -> tensor<4x6x50xf32>
                 %4 = stablehlo.subtract %a, %3 : tensor<4x6x50xf32>
                 %5 = stablehlo.multiply %4, %4 : tensor<4x6x50xf32>
                 %6 = stablehlo.reduce(%5 init: %z) applies stablehlo.add across dimensions = [2] :
                   (tensor<4x6x50xf32>, tensor<f32>) -> tensor<4x6xf32>
                 %7 = stablehlo.rsqrt %6 : tensor<4x6xf32>
                 %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<4x6xf32>) -> tensor<4x6x50xf32>
                 %9 = stablehlo.multiply %4, %8 : tensor<4x6x50xf32>
                 %10 = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<50xf32>) -> tensor<4x6x50xf32>
                 %11 = stablehlo.multiply %9, %10 : tensor<4x6x50xf32>
                 %12 = stablehlo.reshape %11 : (tensor<4x6x50xf32>) -> tensor<24x50xf32>)",
              "%12, %6", "tensor<24x50xf32>, tensor<4x6xf32>", {.magnitudeUlps = 4});
}

std::string logSoftmaxBody(const std::string &f, const std::string &r) {
  return R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %m) applies stablehlo.maximum across dimensions = [1] : ()" +
         f + ", tensor<f32>) -> " + r + "\n%1 = stablehlo.broadcast_in_dim %0, dims = [0] : (" + r + ") -> " + f +
         "\n%2 = stablehlo.subtract %a, %1 : " + f + "\n%3 = stablehlo.exponential %2 : " + f +
         "\n%4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [1] : (" + f +
         ", tensor<f32>) -> " + r + "\n%5 = stablehlo.log %4 : " + r +
         "\n%6 = stablehlo.broadcast_in_dim %5, dims = [0] : (" + r + ") -> " + f +
         "\n%7 = stablehlo.subtract %2, %6 : " + f + "\n%8 = stablehlo.add %5, %0 : " + r;
}

std::string logSoftmaxProgram(int64_t rows, int64_t length) {
  std::string kept = std::to_string(rows) + "x", shape = kept + std::to_string(length) + "xf32";
  std::string f = "tensor<" + shape + ">", r = "tensor<" + kept + "f32>";
  return fusionProgram("rows", {shape}, logSoftmaxBody(f, r), "%7, %8", f + ", " + r);
}

TEST(LoopRows, ShortRowsInGroups) {
  for (std::string length : {"5", "16", "17", "23", "31", "64", "100"}) {
    std::string f = "tensor<1003x" + length + "xf32>", r = "tensor<1003xf32>";
    checkFusion("rows", {"1003x" + length + "xf32"}, logSoftmaxBody(f, r), "%7, %8", f + ", " + r,
                {.ulps = 16, .magnitudeUlps = 2});
  }
  // Several reduced dimensions, and kept ones of which the last has fewer rows than a group.
  checkReduce("add", "2, 3", "7x13x3x11x", "f32", "7x13x");
  checkReduce("maximum", "1, 2", "1001x5x6x", "f64", "1001x");
  for (std::string type : {"i8", "ui16", "i64", "f16", "bf16", "f64", "complex<f32>"})
    checkReduce("add", "1", "1003x24x", type, "1003x");
  for (std::string op : {"and", "or"})
    for (std::string length : {"16", "37"})
      checkReduce(op, "1", "1003x" + length + "x", "i1", "1003x");
  for (const char *length : {"16", "17", "27"})
    checkFusion("reduce", {std::string("1003x") + length + "xf32", "f32"},
                argmaxBody("GT", std::string("1003x") + length, "1003x", "1"), "%0#0, %0#1",
                "tensor<1003xf32>, tensor<1003xi32>");
}

// What a row's result or its elements take of an array that has one element for each row.
TEST(LoopRows, GroupedRowsReadOneElementForEach) {
  std::string shape = "1003x21", f = "tensor<1003x21xf32>", r = "tensor<1003xf32>";
  checkFusion("rows", {shape + "xf32", "1003xf32"},
              R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
                 %0 = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [1] :
                   (tensor<1003x21xf32>, tensor<f32>) -> tensor<1003xf32>
                 %1 = stablehlo.divide %0, %b : tensor<1003xf32>
                 %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<1003xf32>) -> tensor<1003x21xf32>
                 %3 = stablehlo.multiply %a, %2 : tensor<1003x21xf32>
                 %4 = stablehlo.multiply %1, %b : tensor<1003xf32>)",
              "%3, %4", f + ", " + r, {.ulps = 2});
}

// Equal rows have equal results, wherever they are in a group and in whatever task.
TEST(LoopRows, TheBitsOfARowDoNotDependOnItsPlace) {
  constexpr int64_t kRows = 259;
  for (const tenon::codegen::CpuTarget *target : sumTargets())
    for (int64_t length : {7, 16, 19, 63, 128}) {
      LoopKernel kernel(logSoftmaxProgram(kRows, length), *target);
      ASSERT_TRUE(kernel.ok()) << kernel.error;
      Bytes x = kernel.randomInputs(3).front();
      size_t rowBytes = size_t(length) * sizeof(float);
      for (int64_t row = 1; row < kRows; ++row)
        std::copy_n(x.begin(), rowBytes, x.begin() + row * rowBytes);
      for (int64_t piece : {0, 1}) {
        std::vector<Bytes> results = kernel.run({x}, piece);
        for (size_t result : {0, 1}) {
          size_t bytes = results[result].size() / kRows;
          for (int64_t row = 1; row < kRows; ++row)
            EXPECT_TRUE(std::equal(results[result].begin(), results[result].begin() + bytes,
                                   results[result].begin() + row * bytes))
                << "row " << row << " of length " << length;
        }
      }
    }
}

// A NaN, infinities and subnormal numbers stay in their own rows.
TEST(LoopRows, GroupedRowsMindTheirOwnValues) {
  constexpr int64_t kRows = 41, kLength = 19;
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const tenon::codegen::CpuTarget *target : sumTargets()) {
    LoopKernel kernel(logSoftmaxProgram(kRows, kLength), *target);
    ASSERT_TRUE(kernel.ok()) << kernel.error;
    std::vector<float> x(kRows * kLength, 1e-42F);
    for (int64_t row = 0; row < kRows; ++row)
      if (row % 4 > 0)
        x[row * kLength + row % kLength] = row % 4 == 1 ? nan : row % 4 == 2 ? infinity : -infinity;
    Bytes data(x.size() * sizeof(float));
    std::memcpy(data.data(), x.data(), data.size());
    Bytes sums = kernel.run({data})[1];
    for (int64_t row = 0; row < kRows; ++row) {
      float sum;
      std::memcpy(&sum, &sums[row * sizeof(float)], sizeof(float));
      if (row % 4 == 1 || row % 4 == 2) // infinity less infinity
        EXPECT_TRUE(std::isnan(sum)) << row;
      else
        EXPECT_NEAR(sum, std::log(row % 4 == 3 ? kLength - 1 : kLength), 1e-6) << row;
    }
  }
}

} // namespace
