// Windows, cumulative operations and scatters.
#include "tenon/codegen/llvm/loop/test/check_testing.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::codegen::testing;

namespace {

std::string windowText(const std::string &op, const std::string &attributes, const std::string &from,
                       const std::string &to) {
  return R"(%r = "stablehlo.reduce_window"(%x, %z) <{)" + attributes + R"(}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %0 = stablehlo.)" +
         op + R"( %p, %q : tensor<f32>
      stablehlo.return %0 : tensor<f32>
  }) : (tensor<)" +
         from + "xf32>, tensor<f32>) -> tensor<" + to + "xf32>\nreturn %r : tensor<" + to + "xf32>";
}

TEST(LoopWindow, Pooling) {
  auto window = [](std::string op, std::string attributes, std::string from, std::string to) {
    check("%x: tensor<" + from + "xf32>, %z: tensor<f32>", "tensor<" + to + "xf32>",
          windowText(op, attributes, from, to), {.magnitudeUlps = 2});
  };
  window("maximum",
         "window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, "
         "padding = dense<[[0, 0], [0, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>",
         "2x12x13x20", "2x6x7x20");
  window("add", "window_dimensions = array<i64: 1, 2, 5>, window_strides = array<i64: 1, 1, 2>", "3x10x41", "3x9x19");
  window("add",
         "window_dimensions = array<i64: 3>, base_dilations = array<i64: 2>, window_dilations = array<i64: 3>, "
         "padding = dense<[[2, 3]]> : tensor<1x2xi64>",
         "30", "58");
  window("subtract",
         "window_dimensions = array<i64: 2, 3>, base_dilations = array<i64: 2, 1>, window_strides = array<i64: 1, 2>, "
         "padding = dense<[[1, 0], [2, 2]]> : tensor<2x2xi64>",
         "7x41", "13x22");
}

// Where masks of loads of narrow elements are lane by lane, whole vectors are loaded, which lie inside of the array.
TEST(LoopWindow, NarrowElementsAreLoadedWithoutMasks) {
  setenv("TENON_TEST_DUMP", "1", 1); // for LoopKernel::ir
  auto masks = [](const std::string &type, const std::string &cpu) {
    codegen::CpuTargetOptions options;
    options.cpu = cpu;
    std::string array = "tensor<100x100x" + type + ">", scalar = "tensor<" + type + ">";
    LoopKernel kernel("func.func @main(%x: " + array + ", %z: " + scalar + ") -> " + array + R"( {
  %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
    ^bb0(%p: )" + scalar + ", %q: " +
                          scalar + "):\n%0 = stablehlo.add %p, %q : " + scalar + "\nstablehlo.return %0 : " + scalar +
                          "\n}) : (" + array + ", " + scalar + ") -> " + array + "\nreturn %r : " + array + "\n}",
                      *codegen::CpuTarget::create(options));
    EXPECT_TRUE(kernel.ok()) << kernel.error;
    return kernel.ir.find("call <") != std::string::npos && kernel.ir.find("@llvm.masked.load") != std::string::npos;
  };
  for (const char *type : {"i1", "ui8", "i16", "bf16"}) {
    EXPECT_FALSE(masks(type, "x86-64-v3")) << type;
    EXPECT_TRUE(masks(type, "x86-64-v4")) << type;
  }
  EXPECT_TRUE(masks("f32", "x86-64-v3"));
  EXPECT_FALSE(masks("f32", "x86-64"));
}

TEST(LoopWindow, Cumulative) {
  auto scan = [](std::string op, std::string shape, std::string window, std::string padding) {
    bool sum = op == "add";
    check("%x: tensor<" + shape + "xf32>" + (sum ? "" : ", %z: tensor<f32>"), "tensor<" + shape + "xf32>",
          (sum ? "%z = stablehlo.constant dense<0.0> : tensor<f32>\n" : "") +
              windowText(op,
                         "window_dimensions = array<i64: " + window + ">, padding = dense<" + padding + "> : tensor<" +
                             std::to_string(1 + std::count(window.begin(), window.end(), ',')) + "x2xi64>",
                         shape, shape),
          {.magnitudeUlps = 8});
  };
  check("%x: tensor<9x100xf32>, %z: tensor<f32>", "tensor<9x100xf32>",
        windowText("add", "window_dimensions = array<i64: 9, 1>, padding = dense<[[8, 0], [0, 0]]> : tensor<2x2xi64>",
                   "9x100", "9x100"),
        {.magnitudeUlps = 2});
  scan("add", "9x100", "1, 100", "[[0, 0], [99, 0]]");
  scan("add", "9x100", "1, 100", "[[0, 0], [0, 99]]");
  scan("maximum", "9x100", "9, 1", "[[8, 0], [0, 0]]");
  scan("minimum", "4x33x5", "1, 33, 1", "[[0, 0], [0, 32], [0, 0]]");
  scan("add", "70", "70", "[[69, 0]]");
  scan("add", "7x1", "1, 1", "[[0, 0], [0, 0]]");
  // Computations that are not recognised, which depend on the order.
  scan("subtract", "9x50", "1, 50", "[[0, 0], [49, 0]]");
  scan("subtract", "9x50", "1, 50", "[[0, 0], [0, 49]]");
  scan("divide", "40x37", "40, 1", "[[39, 0], [0, 0]]");
  scan("power", "60", "60", "[[59, 0]]");
}

// log(e^p + e^q), as JAX writes it.
TEST(LoopWindow, CumulativeLogarithmsOfSums) {
  auto scan = [](std::string shape, std::string window, std::string padding) {
    std::string type = "tensor<" + shape + "xf32>";
    check("%x: " + type + ", %z: tensor<f32>", type,
          R"(%r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: )" + window +
              ">, padding = dense<" + padding + R"(> : tensor<2x2xi64>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %larger = stablehlo.maximum %p, %q : tensor<f32>
      %d = stablehlo.subtract %p, %q : tensor<f32>
      %equal = stablehlo.compare NE, %d, %d, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %sum = stablehlo.add %p, %q : tensor<f32>
      %a = stablehlo.abs %d : tensor<f32>
      %n = stablehlo.negate %a : tensor<f32>
      %e = stablehlo.exponential %n : tensor<f32>
      %l = stablehlo.log_plus_one %e : tensor<f32>
      %s = stablehlo.add %larger, %l : tensor<f32>
      %t = stablehlo.select %equal, %sum, %s : tensor<i1>, tensor<f32>
      stablehlo.return %t : tensor<f32>
  }) : ()" + type +
              ", tensor<f32>) -> " + type + "\nreturn %r : " + type,
          {.ulps = 64});
  };
  scan("9x50", "1, 50", "[[0, 0], [49, 0]]");
  scan("9x50", "1, 50", "[[0, 0], [0, 49]]");
  scan("40x37", "40, 1", "[[0, 39], [0, 0]]");
  scan("5x1", "1, 1", "[[0, 0], [0, 0]]");
}

std::string scatterText(const std::string &body, const std::string &numbers, const std::string &t, const std::string &i,
                        const std::string &u) {
  return R"(%r = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<)" + numbers +
         R"(>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      )" +
         body + R"(
  }) : (tensor<)" +
         t + ">, tensor<" + i + ">, tensor<" + u + ">) -> tensor<" + t + ">\nreturn %r : tensor<" + t + ">";
}

TEST(LoopScatter, Forms) {
  const std::string add = "%0 = stablehlo.add %p, %q : tensor<f32>\nstablehlo.return %0 : tensor<f32>",
                    set = "stablehlo.return %q : tensor<f32>";
  auto scatter = [](std::string body, std::string numbers, std::string t, std::string i, std::string u) {
    check("%t: tensor<" + t + ">, %i: tensor<" + i + ">, %u: tensor<" + u + ">", "tensor<" + t + ">",
          scatterText(body, numbers, t, i, u), {.magnitudeUlps = 4});
  };
  for (const std::string &body : {add, set}) {
    scatter(body,
            "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
            "index_vector_dim = 1",
            "30x40xf32", "90x1xi32", "90x40xf32");
    scatter(body,
            "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], "
            "index_vector_dim = 1",
            "30x40xf32", "90x2xi64", "90x21xf32");
    scatter(body, "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1", "60xf32",
            "200xui8", "200xf32");
    scatter(body, "update_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 0",
            "20x60xf32", "2xi32", "7x33xf32");
    scatter(body,
            "update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], "
            "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2",
            "3x30x5xf32", "3x8x1xi32", "3x8x5xf32");
  }
  // Large enough for several tasks: parts of the windows along their last dimension (also when it is not whole
  // vectors), along an outer one, and, for windows that span no dimension, ranges of the scattered dimension.
  const std::string rows = "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
                           "index_vector_dim = 1";
  scatter(add, rows, "50x64xf32", "20000x1xi32", "20000x64xf32");
  scatter(add, rows, "9x77xf32", "7000x1xi32", "7000x77xf32");
  scatter(set, rows, "50x99xf32", "9000x1xi32", "9000x98xf32");
  scatter(add,
          "update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
          "index_vector_dim = 1",
          "20x5x24xf32", "6000x1xi32", "6000x5x24xf32");
}

TEST(LoopScatter, SelectAndScatter) {
  auto test = [](std::string attributes, std::string shape, std::string from) {
    check("%x: tensor<" + shape + "xf32>, %s: tensor<" + from + "xf32>, %z: tensor<f32>", "tensor<" + shape + "xf32>",
          R"(%r = "stablehlo.select_and_scatter"(%x, %s, %z) <{)" + attributes + R"(}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %0 = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
  }, {
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %0 = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %0 : tensor<f32>
  }) : (tensor<)" +
              shape + "xf32>, tensor<" + from + "xf32>, tensor<f32>) -> tensor<" + shape +
              "xf32>\nreturn %r : tensor<" + shape + "xf32>",
          {.magnitudeUlps = 2});
  };
  test("window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, "
       "padding = dense<[[0, 0], [0, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>",
       "2x8x9x20", "2x4x5x20");
  test("window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>", "2x3x8x10", "2x3x4x5");
}

} // namespace
