// Elementwise kernels, and those that move elements.
#include "tenon/codegen/llvm/loop/map.h"
#include "tenon/codegen/llvm/loop/test/check_testing.h"
#include "tenon/codegen/llvm/loop/test/sum_testing.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace tenon;
using namespace tenon::codegen::testing;

namespace {

TEST(LoopMap, Elementwise) {
  for (std::string shape : {"", "1x", "7x", "16x", "33x5x", "4096x", "3x1000x", "0x4x"}) {
    std::string t = "tensor<" + shape + "f32>";
    check("%x: " + t + ", %y: " + t, t, "%r = stablehlo.add %x, %y : " + t + "\nreturn %r : " + t);
    checkFusion("loop", {shape + "f32", shape + "f32"},
                "%0 = stablehlo.multiply %a, %b : " + t + "\n%1 = stablehlo.exponential %0 : " + t +
                    "\n%2 = stablehlo.subtract %1, %a : " + t,
                "%2, %0", t + ", " + t, {.magnitudeUlps = 4});
  }
}

TEST(LoopMap, ElementTypes) {
  for (std::string type : {"i1", "i8", "ui8", "i16", "i32", "i64", "ui32", "bf16", "f16", "f32", "f64", "complex<f32>",
                           "complex<f64>", "i4", "f8E4M3FN"}) {
    std::string t = "tensor<5x37x" + type + ">";
    check("%x: " + t + ", %y: " + t, t, "%r = stablehlo.add %x, %y : " + t + "\nreturn %r : " + t);
    std::string b = "tensor<37x5x" + type + ">";
    check("%x: " + t, b, "%r = stablehlo.transpose %x, dims = [1, 0] : (" + t + ") -> " + b + "\nreturn %r : " + b);
    std::string s = "tensor<5x12x" + type + ">";
    check("%x: " + t, s, "%r = stablehlo.slice %x [0:5, 1:37:3] : (" + t + ") -> " + s + "\nreturn %r : " + s);
    check("%x: " + t, t, "%r = stablehlo.reverse %x, dims = [1] : " + t + "\nreturn %r : " + t);
  }
}

TEST(LoopMap, Broadcast) {
  checkFusion("loop", {"40xf32", "33xf32", "f32"},
              R"(%0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<40xf32>) -> tensor<40x33xf32>
                 %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<33xf32>) -> tensor<40x33xf32>
                 %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<40x33xf32>
                 %3 = stablehlo.multiply %0, %1 : tensor<40x33xf32>
                 %4 = stablehlo.add %3, %2 : tensor<40x33xf32>)",
              "%4", "tensor<40x33xf32>", {.magnitudeUlps = 1});
}

// Dimensions with fewer elements than a register, last blocks that have some in common with those before, and last
// tiles that are shorter than a block.
TEST(LoopMap, TransposeShortDimensions) {
  for (const char *type : {"i8", "f32", "f64", "complex<f32>"})
    for (auto [rows, columns] :
         {std::pair("8", "40"), {"40", "8"}, {"9", "75"}, {"75", "9"}, {"15", "66"}, {"67", "23"}}) {
      auto shape = [&](const char *a, const char *b) {
        return std::string("tensor<") + a + "x" + b + "x" + type + ">";
      };
      std::string in = shape(rows, columns), out = shape(columns, rows);
      check("%x: " + in, out,
            "%r = stablehlo.transpose %x, dims = [1, 0] : (" + in + ") -> " + out + "\nreturn %r : " + out);
    }
}

// Tiles of one element, which is narrowed when it is stored: its neighbours belong to the next row.
TEST(LoopMap, TransposeAndNarrow) {
  for (auto [from, to] : {std::pair("i64", "i16"), {"i64", "i8"}, {"f64", "bf16"}, {"i32", "i8"}, {"f64", "f32"}})
    for (const char *rows : {"33", "65"}) {
      std::string in = std::string("tensor<") + rows + "x9x", out = std::string("tensor<9x") + rows + "x";
      check("%x: " + in + from + ">", out + to + ">",
            "%0 = stablehlo.transpose %x, dims = [1, 0] : (" + in + from + ">) -> " + out + from +
                ">\n%r = stablehlo.convert %0 : (" + out + from + ">) -> " + out + to + ">\nreturn %r : " + out + to +
                ">");
    }
}

TEST(LoopMap, ReshapeAndTranspose) {
  checkFusion("loop", {"6x4x10xf32", "24x10xf32"},
              R"(%0 = stablehlo.reshape %a : (tensor<6x4x10xf32>) -> tensor<24x10xf32>
                 %1 = stablehlo.add %0, %b : tensor<24x10xf32>
                 %2 = stablehlo.reshape %1 : (tensor<24x10xf32>) -> tensor<2x12x10xf32>
                 %3 = stablehlo.transpose %2, dims = [1, 0, 2] : (tensor<2x12x10xf32>) -> tensor<12x2x10xf32>)",
              "%3", "tensor<12x2x10xf32>");
  checkFusion("loop", {"6x10xf32"},
              R"(%0 = stablehlo.reshape %a : (tensor<6x10xf32>) -> tensor<4x15xf32>
                 %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x15xf32>) -> tensor<15x4xf32>
                 %2 = stablehlo.reshape %1 : (tensor<15x4xf32>) -> tensor<6x10xf32>
                 %3 = stablehlo.add %2, %a : tensor<6x10xf32>)",
              "%3", "tensor<6x10xf32>");
}

TEST(LoopMap, Iota) {
  for (std::string type : {"i32", "i64", "f32", "bf16", "ui8", "complex<f32>"}) {
    std::string t = "tensor<9x21x" + type + ">";
    for (std::string dim : {"0", "1"})
      checkFusion("loop", {"9x21x" + type},
                  "%0 = stablehlo.iota dim = " + dim + " : " + t + "\n%1 = stablehlo.add %0, %a : " + t, "%1", t);
  }
}

TEST(LoopMap, CausalMask) {
  checkFusion("loop", {"3x20x20xf32", "3x20xi1"},
              R"(%0 = stablehlo.iota dim = 0 : tensor<20x20xi32>
                 %1 = stablehlo.iota dim = 1 : tensor<20x20xi32>
                 %2 = stablehlo.compare GE, %0, %1 : (tensor<20x20xi32>, tensor<20x20xi32>) -> tensor<20x20xi1>
                 %3 = stablehlo.broadcast_in_dim %2, dims = [1, 2] : (tensor<20x20xi1>) -> tensor<3x20x20xi1>
                 %4 = stablehlo.broadcast_in_dim %b, dims = [0, 2] : (tensor<3x20xi1>) -> tensor<3x20x20xi1>
                 %5 = stablehlo.and %3, %4 : tensor<3x20x20xi1>
                 %c = stablehlo.constant dense<-1.0e9> : tensor<3x20x20xf32>
                 %6 = stablehlo.select %5, %a, %c : tensor<3x20x20xi1>, tensor<3x20x20xf32>)",
              "%6", "tensor<3x20x20xf32>");
}

TEST(LoopMap, Pad) {
  auto pad = [](std::string from, std::string low, std::string high, std::string interior, std::string to) {
    std::string f = "tensor<" + from + ">", t = "tensor<" + to + ">";
    check("%x: " + f + ", %p: tensor<f32>", t,
          "%r = stablehlo.pad %x, %p, low = [" + low + "], high = [" + high + "], interior = [" + interior + "] : (" +
              f + ", tensor<f32>) -> " + t + "\nreturn %r : " + t);
  };
  pad("5x30xf32", "1, 2", "2, 3", "0, 0", "8x35xf32");
  pad("5x30xf32", "-1, -2", "2, -3", "0, 0", "6x25xf32");
  pad("5x30xf32", "0, 1", "0, 4", "1, 2", "9x93xf32");
  pad("40xf32", "-3", "-4", "1", "72xf32");
  pad("0xf32", "2", "3", "0", "5xf32");
  pad("4x40x4xf32", "3, -2, -1", "1, 3, -2", "0, 1, 0", "8x80x1xf32"); // the lanes share one index behind the end
}

TEST(LoopMap, Concatenate) {
  checkFusion("loop", {"5x30xf32", "5x7xf32", "5x1xf32"},
              R"(%0 = stablehlo.concatenate %a, %b, %c, dim = 1 :
                   (tensor<5x30xf32>, tensor<5x7xf32>, tensor<5x1xf32>) -> tensor<5x38xf32>
                 %1 = stablehlo.negate %0 : tensor<5x38xf32>)",
              "%1", "tensor<5x38xf32>");
  checkFusion("loop", {"5x8xf32", "2x8xf32"},
              R"(%0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<5x8xf32>, tensor<2x8xf32>) -> tensor<7x8xf32>
                 %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<7x8xf32>) -> tensor<8x7xf32>)",
              "%1", "tensor<8x7xf32>");
  // No piece is read where a lane belongs to another.
  checkFusion("loop", {"2x160xi64", "2x160xi64", "2x160xi64", "i32"},
              R"(%0 = stablehlo.concatenate %a, %b, %c, dim = 1 :
                   (tensor<2x160xi64>, tensor<2x160xi64>, tensor<2x160xi64>) -> tensor<2x480xi64>
                 %z = stablehlo.constant dense<0> : tensor<i32>
                 %1 = stablehlo.dynamic_slice %0, %z, %d, sizes = [2, 2] :
                   (tensor<2x480xi64>, tensor<i32>, tensor<i32>) -> tensor<2x2xi64>)",
              "%1", "tensor<2x2xi64>");
}

// Parts of rows that begin and end inside of vectors, which are read by mask where a target can, beside NaN and
// infinities of the other parts.
TEST(LoopMap, PartsOfRows) {
  for (const char *element : {"f32", "f64", "bf16", "i8", "i32"})
    for (int64_t extent : {15, 16, 24, 32, 33, 40, 64})
      for (int64_t first : {1, 7, 8, 9}) {
        auto shape = [&](int64_t columns) { return "19x" + std::to_string(columns) + "x" + element; };
        auto tensor = [&](int64_t columns) { return "tensor<" + shape(columns) + ">"; };
        int64_t rest = extent - first - 3;
        std::string types = "(" + tensor(first) + ", " + tensor(rest) + ", " + tensor(3) + ") -> " + tensor(extent);
        checkFusion("loop", {shape(first), shape(rest), shape(3)},
                    "%0 = stablehlo.negate %a : " + tensor(first) + "\n%1 = stablehlo.divide %b, %b : " + tensor(rest) +
                        "\n%2 = stablehlo.concatenate %0, %1, %c, dim = 1 : " + types + "\n%3 = stablehlo.abs %2 : " +
                        tensor(extent) + "\n%4 = stablehlo.add %2, %3 : " + tensor(extent),
                    "%4", tensor(extent), {.magnitudeUlps = 1});
      }
}

// Vectors of which no lane is in a part, far outside of it.
TEST(LoopMap, RolledTwice) {
  for (int64_t n : {2, 7, 9, 64, 515, 4096}) {
    auto tensor = [](int64_t size) { return "tensor<" + std::to_string(size) + "xf32>"; };
    // Names the value that is `name` rolled by one, in four lines of the body.
    auto roll = [&](const std::string &name, const std::string &as) {
      std::string last = std::to_string(n - 1), size = std::to_string(n), t = tensor(n);
      return "%" + as + "_0 = stablehlo.slice %" + name + " [" + last + ":" + size + "] : (" + t + ") -> " + tensor(1) +
             "\n%" + as + "_1 = stablehlo.slice %" + name + " [0:" + last + "] : (" + t + ") -> " + tensor(n - 1) +
             "\n%" + as + " = stablehlo.concatenate %" + as + "_0, %" + as + "_1, dim = 0 : (" + tensor(1) + ", " +
             tensor(n - 1) + ") -> " + t + "\n";
    };
    checkFusion("loop", {std::to_string(n) + "xf32"},
                roll("a", "b") + "%c = stablehlo.subtract %a, %b : " + tensor(n) + "\n" + roll("c", "d") +
                    "%e = stablehlo.multiply %c, %d : " + tensor(n) + "\n" + roll("e", "f") +
                    "%g = stablehlo.maximum %e, %f : " + tensor(n),
                "%g", tensor(n), {.magnitudeUlps = 4});
  }
}

TEST(LoopMap, ConcatPadSlice) {
  checkFusion("loop", {"20x64xf32", "20x64xf32"},
              R"(%0 = stablehlo.slice %a [0:20, 10:64] : (tensor<20x64xf32>) -> tensor<20x54xf32>
                 %1 = stablehlo.slice %b [0:20, 0:64:2] : (tensor<20x64xf32>) -> tensor<20x32xf32>
                 %2 = stablehlo.slice %a [0:20, 0:10] : (tensor<20x64xf32>) -> tensor<20x10xf32>
                 %3 = stablehlo.concatenate %0, %1, %2, dim = 1 :
                   (tensor<20x54xf32>, tensor<20x32xf32>, tensor<20x10xf32>) -> tensor<20x96xf32>
                 %4 = stablehlo.slice %3 [1:20, 0:96] : (tensor<20x96xf32>) -> tensor<19x96xf32>
                 %c = stablehlo.constant dense<0.0> : tensor<f32>
                 %5 = stablehlo.pad %4, %c, low = [1, 2], high = [1, 2], interior = [0, 0] :
                   (tensor<19x96xf32>, tensor<f32>) -> tensor<21x100xf32>)",
              "%5", "tensor<21x100xf32>");
}

TEST(LoopMap, DynamicSliceAndUpdate) {
  checkFusion("loop", {"50x20xf32", "ui8", "ui8"},
              R"(%0 = stablehlo.dynamic_slice %a, %b, %c, sizes = [30, 9] :
                   (tensor<50x20xf32>, tensor<ui8>, tensor<ui8>) -> tensor<30x9xf32>
                 %1 = stablehlo.negate %0 : tensor<30x9xf32>)",
              "%1", "tensor<30x9xf32>");
  std::string update = R"(stablehlo.dynamic_update_slice %a, %b, %c, %d :
                   (tensor<50x20xf32>, tensor<3x17xf32>, tensor<i64>, tensor<i64>) -> tensor<50x20xf32>)";
  check("%a: tensor<50x20xf32>, %b: tensor<3x17xf32>, %c: tensor<i64>, %d: tensor<i64>", "tensor<50x20xf32>",
        "%r = " + update + "\nreturn %r : tensor<50x20xf32>");
  checkFusion("loop", {"50x20xf32", "3x17xf32", "i64", "i64"}, "%0 = " + update, "%0", "tensor<50x20xf32>");
  checkFusion("loop", {"50x20xf32", "3x17xf32", "i64", "i64"},
              "%0 = " + update + "\n%1 = stablehlo.add %0, %a : tensor<50x20xf32>", "%1", "tensor<50x20xf32>");
}

// Complex numbers that are moved: reversed, with others left out, rolled (read by mask) and looked up.
TEST(LoopMap, MovedPairs) {
  for (std::string type : {"complex<f32>", "complex<f64>"})
    for (int64_t n : {1, 2, 7, 8, 33, 300}) {
      auto shape = [&](int64_t size) { return std::to_string(size) + "x" + type; };
      std::string t = "tensor<" + shape(n) + ">", twice = "tensor<" + shape(2 * n) + ">";
      check("%x: " + t, t, "%r = stablehlo.reverse %x, dims = [0] : " + t + "\nreturn %r : " + t);
      checkFusion("loop", {shape(n)},
                  "%0 = stablehlo.reverse %a, dims = [0] : " + t + "\n%1 = stablehlo.multiply %0, %a : " + t, "%1", t,
                  {.magnitudeUlps = 1});
      for (int64_t step : {2, 3, 5}) {
        std::string part = "tensor<" + shape((n + step - 1) / step) + ">";
        check("%x: " + t, part,
              "%r = stablehlo.slice %x [0:" + std::to_string(n) + ":" + std::to_string(step) + "] : (" + t + ") -> " +
                  part + "\nreturn %r : " + part);
      }
      checkFusion("loop", {shape(n), "ui8"},
                  "%0 = stablehlo.concatenate %a, %a, dim = 0 : (" + t + ", " + t + ") -> " + twice +
                      "\n%1 = stablehlo.dynamic_slice %0, %b, sizes = [" + std::to_string(n) + "] : (" + twice +
                      ", tensor<ui8>) -> " + t,
                  "%1", t);
      checkFusion("loop", {shape(n), "37x1xi32"},
                  R"(%1 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<
                     collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
                     slice_sizes = array<i64: 1>}> : ()" +
                      t + ", tensor<37x1xi32>) -> tensor<37x" + type + ">",
                  "%1", "tensor<37x" + type + ">");
    }
}

TEST(LoopMap, PairsAtStridesAreShuffled) {
  setenv("TENON_TEST_DUMP", "1", 1); // for LoopKernel::ir
  auto gathers = [](const std::string &body, const std::string &result, const std::string &element) {
    LoopKernel kernel(fusionProgram("loop", {"300xcomplex<f32>", "300x1xi32"}, body, "%1", result),
                      *sumTargets().back());
    EXPECT_TRUE(kernel.ok()) << kernel.error;
    return kernel.ir.find("@llvm.masked.gather.v8" + element) != std::string::npos;
  };
  std::string t = "tensor<300xcomplex<f32>>", half = "tensor<150xcomplex<f32>>";
  EXPECT_FALSE(gathers("%1 = stablehlo.reverse %a, dims = [0] : " + t, t, ""));
  EXPECT_FALSE(gathers("%1 = stablehlo.slice %a [0:300:2] : (" + t + ") -> " + half, half, ""));
  // At places that are known at run time both parts of a number are one word.
  std::string atPlaces = R"(%1 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<
                 collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
                 slice_sizes = array<i64: 1>}> : ()" +
                         t + ", tensor<300x1xi32>) -> " + t;
  EXPECT_TRUE(gathers(atPlaces, t, "i64"));
  EXPECT_FALSE(gathers(atPlaces, t, "f32"));
}

TEST(LoopMap, Gather) {
  checkFusion("loop", {"100x48xf32", "13xi32"},
              R"(%0 = stablehlo.reshape %b : (tensor<13xi32>) -> tensor<13x1xi32>
                 %1 = "stablehlo.gather"(%a, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
                     collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
                     slice_sizes = array<i64: 1, 48>}> : (tensor<100x48xf32>, tensor<13x1xi32>) -> tensor<13x48xf32>)",
              "%1", "tensor<13x48xf32>");
  checkFusion("loop", {"40x60xf32", "33x2xi32"},
              R"(%1 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<
                     collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>,
                     slice_sizes = array<i64: 1, 1>}> : (tensor<40x60xf32>, tensor<33x2xi32>) -> tensor<33xf32>)",
              "%1", "tensor<33xf32>");
  // A batching dimension, along which the windows' places change.
  checkFusion("loop", {"15x15xf32", "15x2x1xi32"},
              R"(%1 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [2],
                     operand_batching_dims = [1], start_indices_batching_dims = [0], start_index_map = [0],
                     index_vector_dim = 2>,
                     slice_sizes = array<i64: 9, 1>}> : (tensor<15x15xf32>, tensor<15x2x1xi32>) -> tensor<15x2x9xf32>)",
              "%1", "tensor<15x2x9xf32>");
}

// A gather of short rows at places in two dimensions.
std::string shortRows() {
  return R"(%0 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2],
                   collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
                   slice_sizes = array<i64: 1, 60, 3>}>
                   : (tensor<40x60x3xf32>, tensor<13x1xi32>) -> tensor<13x60x3xf32>
            %1 = "stablehlo.gather"(%0, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2],
                   collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>,
                   slice_sizes = array<i64: 13, 1, 3>}>
                   : (tensor<13x60x3xf32>, tensor<17x1xi32>) -> tensor<13x17x3xf32>)";
}

TEST(LoopMap, GatherShortRows) {
  checkFusion("loop", {"40x60x3xf32", "13x1xi32", "17x1xi32"}, shortRows(), "%1", "tensor<13x17x3xf32>");
}

// What is left behind whole vectors is never empty, and what is equal for its lanes not read again for each.
TEST(LoopMap, PlacesAreReadOutsideOfMasks) {
  setenv("TENON_TEST_DUMP", "1", 1); // for LoopKernel::ir
  codegen::CpuTargetOptions options;
  options.cpu = "x86-64-v4";
  LoopKernel kernel(
      fusionProgram("loop", {"40x60x3xf32", "13x1xi32", "17x1xi32"}, shortRows(), "%1", "tensor<13x17x3xf32>"),
      *codegen::CpuTarget::create(options));
  ASSERT_TRUE(kernel.ok()) << kernel.error;
  size_t masked = kernel.ir.find("@llvm.masked.load");
  ASSERT_NE(masked, std::string::npos);
  std::string loop = kernel.ir.substr(0, masked);
  loop = loop.substr(loop.rfind(":  ")); // the label of its block
  size_t read = loop.find("load i32");
  ASSERT_NE(read, std::string::npos) << loop;
  EXPECT_EQ(loop.find("load i32", read + 1), std::string::npos) << loop;
}

// What long kernels leave behind vectors of bytes is up to 31 elements, too many to be computed one by one.
TEST(LoopMap, BytesLeftBehindVectors) {
  setenv("TENON_TEST_DUMP", "1", 1); // for LoopKernel::ir
  auto hasPairs = [](const std::string &type) {
    std::string row = "tensor<9x127x" + type + ">", column = "tensor<9x1x" + type + ">",
                t = "tensor<9x128x" + type + ">";
    std::string body = "%h = stablehlo.slice %a [0:9, 1:128] : (" + t + ") -> " + row +
                       "\n%l = stablehlo.slice %a [0:9, 0:1] : (" + t + ") -> " + column +
                       "\n%0 = stablehlo.concatenate %h, %l, dim = 1 : (" + row + ", " + column + ") -> " + t + "\n";
    for (int i = 0; i < 24; ++i)
      body += "%" + std::to_string(i + 1) + " = stablehlo.add %" + std::to_string(i) + ", %" +
              (i ? std::to_string(i - 1) : "a") + " : " + t + "\n";
    LoopKernel kernel(fusionProgram("loop", {"9x128x" + type}, body, "%24", t), *sumTargets().back());
    EXPECT_TRUE(kernel.ok()) << kernel.error;
    return kernel.ir.find("load <2 x i") != std::string::npos;
  };
  EXPECT_TRUE(hasPairs("ui8"));
  EXPECT_FALSE(hasPairs("ui16"));
}

TEST(LoopMap, DenseConstant) {
  checkFusion("loop", {"3x4xf32"},
              R"(%0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
                 %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
                 %2 = stablehlo.multiply %1, %a : tensor<3x4xf32>)",
              "%2", "tensor<3x4xf32>");
}

TEST(LoopMap, SmallReductionInside) {
  checkFusion("loop", {"50x3xf32", "50x3xf32"},
              R"(%z = stablehlo.constant dense<0.0> : tensor<f32>
                 %0 = stablehlo.subtract %a, %b : tensor<50x3xf32>
                 %1 = stablehlo.multiply %0, %0 : tensor<50x3xf32>
                 %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [1] :
                   (tensor<50x3xf32>, tensor<f32>) -> tensor<50xf32>
                 %3 = stablehlo.rsqrt %2 : tensor<50xf32>)",
              "%3", "tensor<50xf32>", {.ulps = 2});
}

// Results beyond the last cache are written around it.
TEST(LoopMap, LargeResults) {
  int64_t rows = std::max<int64_t>(codegen::CpuTarget::host().lastLevelCacheBytes() / 4 / 1024 + 16, 64);
  std::string n = std::to_string(rows), t = "tensor<" + n + "x1024xf32>", r = "tensor<1024x" + n + "xf32>";
  LoopKernel negate("func.func @main(%x: " + t + ") -> " + t + " {\n%r = stablehlo.negate %x : " + t +
                        "\nreturn %r : " + t + "\n}",
                    codegen::CpuTarget::host());
  LoopKernel transpose("func.func @main(%x: " + t + ") -> " + r + " {\n%r = stablehlo.transpose %x, dims = [1, 0] : (" +
                           t + ") -> " + r + "\nreturn %r : " + r + "\n}",
                       codegen::CpuTarget::host());
  ASSERT_TRUE(negate.ok() && transpose.ok());
  std::vector<Bytes> inputs = negate.randomInputs(3);
  Bytes negated = negate.run(inputs, 7)[0], transposed = transpose.run(inputs, 5)[0];
  auto at = [](const Bytes &bytes, int64_t i) {
    float value;
    std::memcpy(&value, &bytes[4 * i], 4);
    return value;
  };
  int64_t wrong = 0;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < 1024; ++j)
      wrong += at(negated, i * 1024 + j) != -at(inputs[0], i * 1024 + j) ||
               at(transposed, j * rows + i) != at(inputs[0], i * 1024 + j);
  EXPECT_EQ(wrong, 0);
}

// A target for plans alone, with a cache that all of a test's arrays fit into.
class LargeCache final : public codegen::KernelTarget {
public:
  LargeCache() {
    vectorBits_ = 512;
    hasMaskedMemory_ = hasStreamingStores_ = true;
    lastLevelCacheBytes_ = int64_t{1} << 30;
  }
  bool hasFeature(std::string_view) const override { return false; }
  bool canOutlineComputation(mlir::Region &) const override { return false; }
  std::unique_ptr<llvm::TargetMachine> createTargetMachine() const override { return nullptr; }
  void prepareModule(llvm::Module &) const override {}
};

// Large transposed results are, too, even where they would fit.
TEST(LoopMap, LargeTransposedResults) {
  auto streams = [](int64_t rows, const std::string &op, const std::string &type) {
    std::string n = std::to_string(rows), from = "tensor<" + n + "x2048xf32>";
    auto module =
        mlir::parseSourceString<mlir::ModuleOp>("func.func @main(%x: " + from + ") -> " + type + " {\n%r = " + op +
                                                    " : (" + from + ") -> " + type + "\nreturn %r : " + type + "\n}",
                                                &testContext());
    codegen::KernelSource source = codegen::kernelSource(kernelOf(*module));
    return codegen::loop::planMapKernel(source, "kernel", LargeCache()).streams;
  };
  const std::string transpose = "stablehlo.transpose %x, dims = [1, 0]";
  EXPECT_TRUE(streams(2048, transpose, "tensor<2048x2048xf32>"));
  EXPECT_FALSE(streams(1024, transpose, "tensor<2048x1024xf32>")) << "it may be read from a cache";
  EXPECT_FALSE(streams(2056, transpose, "tensor<2048x2056xf32>")) << "vectors are no whole lines";
  EXPECT_FALSE(streams(4096, "\"stablehlo.negate\"(%x)", "tensor<4096x2048xf32>")) << "in order, and it fits";
}

} // namespace
