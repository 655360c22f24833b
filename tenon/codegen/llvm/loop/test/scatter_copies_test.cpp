// Scatters whose tasks have copies of the results: which they are, and that they compute what the interpreter does.
#include "tenon/codegen/llvm/loop/test/scatter_testing.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace tenon;
using namespace tenon::codegen::testing;

namespace {

// Rows at random, some of which there are not.
auto scattered(int32_t rows) {
  return [=](std::vector<Bytes> &inputs) {
    std::vector<int32_t> indices(inputs[1].size() / sizeof(int32_t));
    std::mt19937 random(5);
    for (int32_t &index : indices)
      index = static_cast<int32_t>(random() % (rows + 2)) - 1;
    inputs[1] = bytesOf(indices);
  };
}

void hasCopies(const LoopKernel &kernel) {
  ASSERT_EQ(kernel.kernel.phases.size(), 2U);
  EXPECT_GT(kernel.kernel.phases[0].extent, 1);
}
void hasNone(const LoopKernel &kernel) { EXPECT_EQ(kernel.kernel.phases.size(), 1U); }

TEST(ScatterCopies, IntegersInAnyComputationWithoutAnOrder) {
  for (std::string op : {"add", "multiply", "minimum", "maximum", "and", "or", "xor"})
    for (std::string type : {"i32", "ui8"})
      checkInterpreted(scatter(op, kElements, type, "100x", "30001x1xi32", "30001x"), scattered(100), hasCopies);
  for (std::string type : {"i1", "i4", "ui4", "i64", "ui64"})
    for (std::string op : {"minimum", "or"})
      checkInterpreted(scatter(op, kElements, type, "13x", "30000x1xi32", "30000x"), scattered(13), hasCopies);
}

TEST(ScatterCopies, ExtremesOfFloats) {
  // Updates go to nine rows in turn. Five get a special value among many, in two parts of the updates; one gets zeros,
  // and two have infinities alone.
  auto special = [](std::vector<Bytes> &inputs) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    constexpr float kValues[] = {-0.0F, kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(),
                                 std::numeric_limits<float>::denorm_min()};
    std::vector<int32_t> indices(30000);
    auto set = [&](size_t input, size_t at, float value) {
      std::memcpy(inputs[input].data() + at * sizeof(float), &value, sizeof(float));
    };
    for (int32_t i = 0; i < 30000; ++i) {
      int32_t row = indices[i] = i % 9;
      if (row < 5 && (i < 9 || i / 9 == 3000))
        set(2, i, kValues[row]);
      if (row >= 6)
        set(2, i, row == 7 ? kInfinity : row == 8 ? -kInfinity : i == 6 ? 0.0F : -0.0F);
    }
    set(0, 6, -0.0F);
    set(0, 7, kInfinity);
    set(0, 8, -kInfinity);
    inputs[1] = bytesOf(indices);
  };
  for (std::string op : {"minimum", "maximum"}) {
    for (std::string type : {"f64", "f32", "f16", "bf16"})
      checkInterpreted(scatter(op, kElements, type, "70x", "30000x1xi32", "30000x"), scattered(70), hasCopies);
    checkInterpreted(scatter(op, kElements, "f32", "9x", "30000x1xi32", "30000x"), special, hasCopies);
  }
}

TEST(ScatterCopies, WindowsOfAllForms) {
  checkInterpreted(scatter("add", kRows, "i32", "50x17x", "9000x1xi32", "9000x17x"), scattered(50), hasCopies);
  checkInterpreted(scatter("add", "update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
                           "i32", "60x", "9000x1xi32", "9000x5x"),
                   scattered(60), hasCopies); // that overlap
  checkInterpreted(scatter("maximum",
                           "update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], "
                           "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim "
                           "= 2",
                           "i32", "3x20x20x", "3x5000x1xi32", "3x5000x20x"),
                   scattered(20), hasCopies);
  checkInterpreted(
      scatter("add", "scatter_dims_to_operand_dims = [], index_vector_dim = 1", "i32", "", "30000x0xi32", "30000x"), {},
      hasCopies); // all into one element
}

// Sums of floats, whose parts are the interpreter's.
TEST(ScatterCopies, SumsInWiderTypes) {
  for (std::string type : {"f64", "f32", "f16", "bf16", "complex<f32>", "complex<f64>"})
    checkInterpreted(scatter("add", kElements, type, "100x", "40001x1xi32", "40001x"), scattered(100), hasCopies);
  checkInterpreted(scatter("subtract", kElements, "f32", "100x", "40000x1xi32", "40000x"), scattered(100), hasCopies);
  checkInterpreted(scatter("add", kRows, "f32", "50x9x", "9000x1xi32", "9000x9x"), scattered(50), hasCopies);
  checkInterpreted(scatter("add", "update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
                           "f64", "60x", "9000x1xi32", "9000x5x"),
                   scattered(60), hasCopies); // windows overlap
}

// Sums that are not exact in f64 either, of signs and sizes of all kinds.
TEST(ScatterCopies, CompensatedSumsOfManySizes) {
  auto change = [](std::vector<Bytes> &inputs) {
    scattered(5)(inputs);
    std::mt19937_64 random(7);
    std::vector<double> values(50000);
    for (double &value : values)
      value = std::ldexp(static_cast<double>(random()) - 0x1p63, static_cast<int>(random() % 300) - 150);
    values[20] = std::numeric_limits<double>::infinity();
    std::memcpy(inputs[2].data(), values.data(), inputs[2].size());
  };
  checkInterpreted(scatter("add", kElements, "f64", "5x", "50000x1xi32", "50000x"), change, hasCopies);
}

TEST(ScatterCopies, NotWhereTheOrderMatters) {
  checkInterpreted(scatter("remainder", kElements, "i32", "100x", "30000x1xi32", "30000x"), scattered(100), hasNone);
  checkInterpreted(scatter("multiply", kElements, "f32", "100x", "30000x1xi32", "30000x"), scattered(100), hasNone);
}

TEST(ScatterCopies, NotWhereCopiesTakeLonger) {
  checkInterpreted(scatter("add", kElements, "i32", "100x", "2000x1xi32", "2000x"), scattered(100), hasNone);
  checkInterpreted(scatter("add", kElements, "f32", "100x", "20000x1xi32", "20000x"), scattered(100), hasNone);
  checkInterpreted(scatter("add", kElements, "i32", "30000x", "30000x1xi32", "30000x"), scattered(30000), hasNone);
}

} // namespace
