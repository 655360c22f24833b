// Scatters that add many floats: how exact their sums are, and that they are the interpreter's to the last bit.
#include "tenon/codegen/llvm/loop/test/scatter_testing.h"
#include "tenon/codegen/llvm/loop/test/sum_testing.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>

using namespace tenon;
using namespace tenon::codegen::testing;

namespace {

// Most updates go to row 0, the others to all rows in turn.
int32_t rowOf(int64_t update, int64_t rows) {
  return static_cast<int32_t>(update % 4 ? 0 : (update / 4 + update) % rows);
}

void checkExact(Float type, int64_t updates, int64_t rows, int64_t window) {
  std::string name = tensorType(type, {}), columns = window > 1 ? std::to_string(window) + "x" : "";
  name = name.substr(7, name.size() - 8);
  std::string text = scatter("add", window > 1 ? kRows : kElements, name, std::to_string(rows) + "x" + columns,
                             std::to_string(updates) + "x1xi32", std::to_string(updates) + "x" + columns);
  std::vector<int32_t> indices(updates);
  for (int64_t i = 0; i < updates; ++i)
    indices[i] = rowOf(i, rows);
  for (const codegen::CpuTarget *target : sumTargets()) {
    LoopKernel kernel(text, *target);
    ASSERT_TRUE(kernel.ok()) << kernel.error << "\n" << text;
    for (Data data : kAllData) {
      FloatArray input = FloatArray::of(type, data, updates * window);
      std::vector<Bytes> inputs = {FloatArray(type, rows * window).bytes, bytesOf(indices), input.bytes};
      std::vector<Bytes> output = kernel.run(inputs);
      EXPECT_EQ(output, kernel.run(inputs, 1)) << "the partition changes the result of\n" << text;
      FloatArray result(type, output[0]);
      for (int64_t row : std::set{int64_t(0), rows - 1})
        for (int64_t column : std::set{int64_t(0), window - 1}) {
          ExactSum exact(type);
          for (int64_t i = 0; i < updates; ++i)
            if (indices[i] == row)
              exact.add(input.at(i * window + column));
          exact.expectClose(result.at(row * window + column), text);
        }
    }
  }
}

TEST(ScatterSum, Elements) {
  for (Float type : kAllFloats) {
    checkExact(type, type == Float::kF32 ? longSum() : longSum() / 10, 1, 1);
    checkExact(type, longSum() / 20, 1000, 1);
    checkExact(type, longSum() / 70, 7, 7);
  }
}

TEST(ScatterSum, Rows) {
  for (Float type : {Float::kF64, Float::kF32}) {
    checkExact(type, longSum() / 40, 50, 40);
    checkExact(type, longSum() / 64, longSum() / 64, 16); // a matrix with far more rows than get many updates
    checkExact(type, longSum() / 300, 9, 77);
  }
  for (Float type : {Float::kF16, Float::kBf16})
    checkExact(type, longSum() / 40, 50, 40);
}

TEST(ScatterSum, AsInterpreted) {
  for (std::string type : {"f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E8M0FNU", "complex<f32>", "complex<f64>"})
    for (std::string op : {"add", "subtract"}) {
      if (type == "f8E8M0FNU" && op == "subtract") // has no negative numbers
        continue;
      checkInterpreted(scatter(op, kElements, type, "11x", "3000x1xi32", "3000x"));
      checkInterpreted(scatter(op, kRows, type, "40x19x", "2500x1xi8", "2500x19x"));
      checkInterpreted(scatter(op, kRows, type, "30x3x", "1000x1xi64", "1000x3x"));
    }
}

TEST(ScatterSum, WindowsOfAllForms) {
  // Several tasks, each with a part of the windows, along either dimension; with a range of the rows.
  checkInterpreted(scatter("add", kRows, "f32", "50x100x", "9000x1xi32", "9000x100x"));
  const std::string planes = "update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = "
                             "[0], index_vector_dim = 1";
  checkInterpreted(scatter("add", planes, "f32", "20x50x24x", "3000x1xi32", "3000x50x24x"));
  checkInterpreted(scatter("add", kRows, "f64", "50x200x", "6000x1xi32", "6000x200x"));
  checkInterpreted(scatter("add", kRows, "f32", "50x99x", "9000x1xi32", "9000x98x"));
  // Parts of rows; rows along the last dimension, whose windows are not contiguous; two indices, of which one is that
  // of a dimension the windows have.
  checkInterpreted(scatter("add", kRows, "f32", "9x70x", "7000x1xi32", "7000x33x"));
  checkInterpreted(scatter("add",
                           "update_window_dims = [1], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], "
                           "index_vector_dim = 1",
                           "f32", "40x30x", "2000x1xi32", "2000x40x"));
  checkInterpreted(scatter("add",
                           "update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = "
                           "[0, 1], index_vector_dim = 1",
                           "f32", "6x5x48x", "2000x2xui8", "2000x1x48x"));
  // Batches; windows that overlap.
  checkInterpreted(scatter("add",
                           "update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], "
                           "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim "
                           "= 2",
                           "f32", "3x20x20x", "3x700x1xi32", "3x700x20x"));
  checkInterpreted(scatter("add", "update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
                           "f32", "60x", "900x1xi32", "900x17x"));
}

// Large results, whose updates are sorted into buckets of rows: few rows with many updates, a last bucket that is not
// whole, updates outside of the results, several indices, parts of rows, and more than sums. Those that
// are many are left as they are where one call has all.
// Few vectors have no loop.
TEST(ScatterSum, VectorsOfShortRows) {
  setenv("TENON_TEST_DUMP", "1", 1); // for LoopKernel::ir
  auto vectors = [](const std::string &columns) {
    LoopKernel kernel(scatter("or", kRows, "i32", "40x" + columns + "x", "50x1xi32", "50x" + columns + "x"),
                      *sumTargets().back());
    EXPECT_TRUE(kernel.ok()) << kernel.error;
    int count = 0;
    for (size_t at = 0; (at = kernel.ir.find("= or <8 x i32>", at)) != std::string::npos; ++at)
      ++count;
    return count;
  };
  EXPECT_EQ(vectors("16"), 2);
  EXPECT_EQ(vectors("32"), 4);
  EXPECT_EQ(vectors("64"), 1);
  for (std::string columns : {"3", "16", "21", "32"})
    checkInterpreted(scatter("maximum", kRows, "f32", "40x" + columns + "x", "500x1xi32", "500x" + columns + "x"));
}

TEST(ScatterSum, BucketsOfRows) {
  auto scattered = [](int64_t rows, int64_t parts) {
    return [=](std::vector<Bytes> &inputs) {
      std::vector<int32_t> indices(inputs[1].size() / sizeof(int32_t));
      std::mt19937 random(5);
      for (size_t i = 0; i < indices.size(); ++i) {
        int32_t row = static_cast<int32_t>(random() % (rows + 2)) - 1;
        indices[i] = i % 4 == 1 ? static_cast<int32_t>(i / parts % parts) : row;
      }
      inputs[1] = bytesOf(indices);
    };
  };
  checkInterpreted(scatter("add", kRows, "f32", "9000x64x", "8000x1xi32", "8000x64x"), scattered(9000, 2));
  checkInterpreted(scatter("subtract", kRows, "f64", "9000x33x", "5000x1xi32", "5000x32x"), scattered(9000, 3));
  checkInterpreted(scatter("maximum", kRows, "f32", "9000x64x", "5000x1xi32", "5000x64x"), scattered(9000, 3));
  checkInterpreted(scatter("add", kRows, "f32", "9000x64x", "13000x1xi32", "13000x64x"), scattered(9000, 2));
  checkInterpreted(scatter("minimum", kRows, "f32", "4500x128x", "14000x1xi32", "14000x128x"), scattered(4500, 5));
  checkInterpreted(scatter("add",
                           "update_window_dims = [1, 3], inserted_window_dims = [1], scatter_dims_to_operand_dims = "
                           "[0, 1], index_vector_dim = 2",
                           "f32", "80x90x90x", "80x60x2xi32", "80x1x60x90x"),
                   scattered(85, 7));
}

// Infinities stay, sums that no element was added to stay what they were, and no block has a sum before its first.
TEST(ScatterSum, SpecialValues) {
  for (int64_t window : {int64_t(1), int64_t(24)})
    for (Float type : {Float::kF64, Float::kF32}) {
      std::string columns = window > 1 ? "24x" : "", name = type == Float::kF64 ? "f64" : "f32";
      auto change = [&](std::vector<Bytes> &inputs) {
        FloatArray input(type, inputs[0]), updates(type, inputs[2]);
        std::vector<int32_t> indices(1000);
        for (int64_t i = 0; i < 1000; ++i) {
          indices[i] = static_cast<int32_t>(i % 6);
          for (int64_t c = 0; c < window; ++c) {
            constexpr double kInfinity = std::numeric_limits<double>::infinity();
            if (i % 6 == 0)
              updates.set(i * window + c, -0.0);
            if (i % 6 > 1 && i / 6 == 70)
              updates.set(i * window + c, i % 6 == 2 ? kInfinity : i % 6 == 3 ? -kInfinity : 0x1p127);
            if (i % 6 == 3 && i / 6 == 90)
              updates.set(i * window + c, kInfinity);
          }
        }
        for (int64_t i = 0; i < 7 * window; ++i)
          input.set(i, -0.0);
        inputs = {input.bytes, bytesOf(indices), updates.bytes};
      };
      checkInterpreted(
          scatter("add", window > 1 ? kRows : kElements, name, "7x" + columns, "1000x1xi32", "1000x" + columns),
          change);
    }
}

} // namespace
