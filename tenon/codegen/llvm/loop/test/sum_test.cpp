// The rounding error of long sums: reductions of every form, windows, cumulative sums.
#include "tenon/codegen/llvm/loop/test/sum_testing.h"

#include "gtest/gtest.h"

#include <bit>
#include <set>

using namespace tenon;
using namespace tenon::codegen::testing;

namespace {

// Runs the kernel of `text`, whose only argument has `count` elements, on all data and targets; `expect` compares.
void run(const std::string &text, Float type, int64_t count,
         llvm::function_ref<void(const FloatArray &input, const FloatArray &output)> expect) {
  for (const codegen::CpuTarget *target : sumTargets()) {
    LoopKernel kernel(text, *target);
    ASSERT_TRUE(kernel.ok()) << kernel.error << "\n" << text;
    for (Data data : kAllData) {
      FloatArray input = FloatArray::of(type, data, count);
      std::vector<Bytes> inputs = {input.bytes, FloatArray(type, 1).bytes};
      std::vector<Bytes> output = kernel.run(inputs);
      EXPECT_EQ(output, kernel.run(inputs, 1)) << "the partition changes the result of\n" << text;
      expect(input, {type, output[0]});
    }
  }
}

// The computation of a reduce_window that adds.
std::string addition(Float type) {
  std::string scalar = tensorType(type, {});
  return "({\n^bb0(%a: " + scalar + ", %b: " + scalar + "):\n%s = stablehlo.add %a, %b : " + scalar +
         "\nstablehlo.return %s : " + scalar + "\n})";
}

std::string function(const std::string &in, const std::string &scalar, const std::string &out,
                     const std::string &definition) {
  return "func.func @main(%x: " + in + ", %z: " + scalar + ") -> " + out + " {\n%r = " + definition + " : (" + in +
         ", " + scalar + ") -> " + out + "\nreturn %r : " + out + "\n}";
}

std::string sumOver(Float type, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to, const std::string &dims) {
  return function(tensorType(type, from), tensorType(type, {}), tensorType(type, to),
                  "stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [" + dims + "]");
}

// A sum over an array [outer, reduced, inner]; sizes of 0 stand for dimensions that are not there.
void checkSum(int64_t outer, int64_t reduced, int64_t inner, Float type = Float::kF32) {
  llvm::SmallVector<int64_t> shape, result;
  for (int64_t size : {outer, reduced, inner})
    if (size > 0)
      shape.push_back(size);
  for (int64_t size : {outer, inner})
    if (size > 0)
      result.push_back(size);
  std::string text = sumOver(type, shape, result, outer > 0 ? "1" : "0");
  int64_t columns = std::max<int64_t>(inner, 1);
  run(text, type, std::max<int64_t>(outer, 1) * reduced * columns, [&](const auto &input, const auto &output) {
    for (int64_t row : std::set{int64_t(0), std::max<int64_t>(outer, 1) - 1})
      for (int64_t column : std::set{int64_t(0), columns / 2, columns - 1}) {
        ExactSum exact(type);
        for (int64_t i = 0; i < reduced; ++i)
          exact.add(input.at((row * reduced + i) * columns + column));
        exact.expectClose(output.at(row * columns + column), text);
      }
  });
}

TEST(LongSum, Whole) {
  checkSum(0, longSum(), 0);
  checkSum(0, longSum() + 7, 0);
}

TEST(LongSum, Rows) {
  checkSum(3, longSum() / 3, 0);
  checkSum(40, longSum() / 40 - 1, 0);
}

// In registers, and, from a vector of columns on, in memory.
TEST(LongSum, Columns) {
  checkSum(0, longSum() / 4, 4);
  checkSum(0, longSum() / 5, 5);
  checkSum(0, longSum() / 72, 72);
  checkSum(5, longSum() / 100, 20);
  checkSum(0, longSum() / 300 + 1, 300);
}

TEST(LongSum, TwoDimensionsApart) {
  constexpr Float kType = Float::kF32;
  int64_t outer = 64, kept = 3, inner = longSum() / 192;
  std::string text = sumOver(kType, {outer, kept, inner}, {kept}, "0, 2");
  run(text, kType, outer * kept * inner, [&](const auto &input, const auto &output) {
    for (int64_t row = 0; row < kept; ++row) {
      ExactSum exact(kType);
      for (int64_t i = 0; i < outer; ++i)
        for (int64_t j = 0; j < inner; ++j)
          exact.add(input.at((i * kept + row) * inner + j));
      exact.expectClose(output.at(row), text);
    }
  });
}

void checkWindow(int64_t count, Float type) {
  int64_t size = count / 3;
  std::string sizes = std::to_string(size);
  std::string text = function(tensorType(type, {count}), tensorType(type, {}), tensorType(type, {3}),
                              R"("stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: )" + sizes +
                                  ">, window_strides = array<i64: " + sizes + ">}> " + addition(type));
  run(text, type, count, [&](const auto &input, const auto &output) {
    for (int64_t window = 0; window < 3; ++window) {
      ExactSum exact(type);
      for (int64_t i = 0; i < size; ++i)
        exact.add(input.at(window * size + i));
      exact.expectClose(output.at(window), text);
    }
  });
}

TEST(LongSum, Window) { checkWindow(longSum() / 10, Float::kF32); }

// Along the rows (inner == 1) and down the columns.
void checkCumulative(int64_t count, int64_t inner, bool reverse, Float type = Float::kF32) {
  std::string array = tensorType(type, {count, inner}), before = std::to_string(reverse ? 0 : count - 1),
              after = std::to_string(reverse ? count - 1 : 0);
  std::string text = function(array, tensorType(type, {}), array,
                              R"("stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: )" +
                                  std::to_string(count) + ", 1>, padding = dense<[[" + before + ", " + after +
                                  "], [0, 0]]> : tensor<2x2xi64>}> " + addition(type));
  run(text, type, count * inner, [&](const auto &input, const auto &output) {
    ExactSum exact(type);
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = reverse ? count - 1 - i : i;
      exact.add(input.at(at * inner + inner / 2));
      if (std::has_single_bit(static_cast<uint64_t>(i + 1)) || i % 100003 == 0 || i + 1 == count)
        exact.expectClose(output.at(at * inner + inner / 2), text);
    }
  });
}

TEST(LongSum, Cumulative) {
  checkCumulative(longSum(), 1, false);
  checkCumulative(longSum() + 3, 1, true);
  checkCumulative(longSum() / 20, 20, false);
}

TEST(LongSum, OtherTypes) {
  for (Float type : {Float::kF64, Float::kF16, Float::kBf16}) {
    checkSum(0, longSum() / 4, 0, type);
    checkSum(3, longSum() / 40, 0, type);
    checkSum(0, longSum() / 20, 5, type);
    checkSum(0, longSum() / 300, 72, type);
    checkWindow(longSum() / 20, type);
    checkCumulative(longSum() / 8, 1, false, type);
    checkCumulative(longSum() / 80, 7, true, type);
  }
}

} // namespace
