// Loads of elements that lie apart, or in reverse, at distances that are known.
#include "tenon/codegen/llvm/loop/test/check_testing.h"
#include "tenon/codegen/llvm/loop/test/sum_testing.h"

#include "gtest/gtest.h"

using namespace tenon;
using namespace tenon::codegen::testing;

namespace {

std::string tensor(int64_t size, const std::string &type) {
  return "tensor<" + std::to_string(size) + "x" + type + ">";
}

// Every `step`-th of so many elements, from the last one down.
std::string everyFromTheEnd(int64_t size, int64_t step, const std::string &type) {
  std::string all = tensor(size, type), part = tensor((size + step - 1) / step, type);
  return "%0 = stablehlo.slice %a [0:" + std::to_string(size) + ":" + std::to_string(step) + "] : (" + all + ") -> " +
         part + "\n%1 = stablehlo.reverse %0, dims = [0] : " + part;
}

// So many elements in reverse, rolled by a number that is known at run time.
std::string reversedAndRolled(int64_t size, const std::string &type) {
  std::string all = tensor(size, type), twice = tensor(2 * size, type);
  return "%r = stablehlo.reverse %a, dims = [0] : " + all + "\n%0 = stablehlo.concatenate %r, %r, dim = 0 : (" + all +
         ", " + all + ") -> " + twice + "\n%1 = stablehlo.dynamic_slice %0, %b, sizes = [" + std::to_string(size) +
         "] : (" + twice + ", tensor<ui8>) -> " + all;
}

// Frames of 24 elements, ten apart.
std::string frames(const std::string &places) {
  return R"(%n = stablehlo.iota dim = 0 : tensor<7x24xi32>
            %ten = stablehlo.constant dense<10> : tensor<7x24xi32>
            %m = stablehlo.multiply %n, %ten : tensor<7x24xi32>
            %k = stablehlo.iota dim = 1 : tensor<7x24xi32>
            %s = stablehlo.add %m, )" +
         places + R"( : tensor<7x24xi32>
            %p = stablehlo.reshape %s : (tensor<7x24xi32>) -> tensor<7x24x1xi32>
            %1 = "stablehlo.gather"(%a, %p) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],
                start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1>}> :
                (tensor<84xf32>, tensor<7x24x1xi32>) -> tensor<7x24xf32>)";
}

TEST(StridedLoads, ReversedOnes) {
  for (std::string type : {"i1", "i8", "bf16", "f32", "f64", "complex<f32>"})
    for (int64_t size : {1, 2, 7, 16, 33, 300}) {
      checkFusion("loop", {std::to_string(size) + "x" + type, "ui8"}, reversedAndRolled(size, type), "%1",
                  tensor(size, type));
      for (int64_t step : {2, 3, 5, 11})
        checkFusion("loop", {std::to_string(size) + "x" + type}, everyFromTheEnd(size, step, type), "%1",
                    tensor((size + step - 1) / step, type));
    }
}

TEST(StridedLoads, GatheredFrames) {
  checkFusion("loop", {"84xf32"}, frames("%k"), "%1", "tensor<7x24xf32>");
  checkFusion("loop", {"84xf32", "7x24xi32"}, frames("%b"), "%1", "tensor<7x24xf32>");
}

// Tasks go over a large array part by part, each of whose parts has all columns.
TEST(StridedLoads, ColumnsOfALargeArray) {
  for (std::string rows : {"100000", "100003"}) {
    std::string in = "tensor<" + rows + "x3xf32>", out = "tensor<3x" + rows + "xf32>";
    check("%x: " + in, out,
          "%r = stablehlo.transpose %x, dims = [1, 0] : (" + in + ") -> " + out + "\nreturn %r : " + out);
  }
}

// Bytes of every third or fourth place that become floats, of which vectors are longer.
std::string floatsOfBytes(int64_t size, int64_t step, const std::string &type) {
  std::string all = tensor(size, type), part = tensor((size + step - 1) / step, type);
  return "%0 = stablehlo.slice %a [0:" + std::to_string(size) + ":" + std::to_string(step) + "] : (" + all + ") -> " +
         part + "\n%1 = stablehlo.convert %0 : (" + part + ") -> " + tensor((size + step - 1) / step, "f32");
}

TEST(StridedLoads, Bytes) {
  for (std::string type : {"ui8", "i16", "bf16"})
    for (int64_t step : {2, 3, 4, 7})
      for (int64_t size : {1, 21, 22, 23, 24, 25, 300})
        checkFusion("loop", {std::to_string(size) + "x" + type}, floatsOfBytes(size, step, type), "%1",
                    tensor((size + step - 1) / step, "f32"));
}

// The code of a fusion without AVX-512.
std::string codeOf(const std::vector<std::string> &types, const std::string &body, const std::string &result) {
  setenv("TENON_TEST_DUMP", "1", 1); // for LoopKernel::ir
  LoopKernel kernel(fusionProgram("loop", types, body, "%1", result), *sumTargets().back());
  EXPECT_TRUE(kernel.ok()) << kernel.error;
  return kernel.ir;
}

TEST(StridedLoads, KnownPlacesAreNotGathered) {
  auto gathers = [](const std::vector<std::string> &types, const std::string &body, const std::string &result) {
    return codeOf(types, body, result).find("@llvm.masked.gather") != std::string::npos;
  };
  EXPECT_FALSE(gathers({"300xf32"}, everyFromTheEnd(300, 2, "f32"), "tensor<150xf32>"));
  EXPECT_FALSE(gathers({"300xf32", "ui8"}, reversedAndRolled(300, "f32"), "tensor<300xf32>"));
  EXPECT_FALSE(gathers({"84xf32"}, frames("%k"), "tensor<7x24xf32>"));
  EXPECT_TRUE(gathers({"84xf32", "7x24xi32"}, frames("%b"), "tensor<7x24xf32>"));
}

TEST(StridedLoads, BytesThatAreWidenedComeInWholeRegisters) {
  auto loads = [](const std::string &type, const std::string &vector) {
    std::string ir = codeOf({"300x" + type}, floatsOfBytes(300, 4, type), "tensor<75xf32>");
    return ir.find("load " + vector) != std::string::npos;
  };
  EXPECT_TRUE(loads("ui8", "<16 x i8>"));
  EXPECT_FALSE(loads("ui8", "<8 x i8>"));
  EXPECT_TRUE(loads("i16", "<8 x i16>")); // a register by itself
  EXPECT_FALSE(loads("i16", "<16 x i16>"));
}

} // namespace
