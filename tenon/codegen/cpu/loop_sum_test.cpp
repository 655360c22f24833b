// The rounding error of long sums: reductions of every form, windows, cumulative sums.
#include "tenon/codegen/cpu/loop_testing.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace tenon;
using codegen::testing::Bytes;
using codegen::testing::LoopKernel;

namespace {

bool testsWhole() {
  const char *whole = std::getenv("TENON_TEST_WHOLE");
  return whole && *whole == '1';
}

// Elements of the largest arrays.
int64_t elements() { return testsWhole() ? 100'000'000 : 2'000'000; }

enum class Data : uint8_t { kConstant, kAlternating, kSorted, kRandom };
constexpr Data kAll[] = {Data::kConstant, Data::kAlternating, Data::kSorted, Data::kRandom};

std::vector<float> make(Data data, int64_t count) {
  std::vector<float> values(count);
  std::mt19937 random(11);
  std::uniform_real_distribution<float> uniform;
  for (int64_t i = 0; i < count; ++i)
    switch (data) {
    case Data::kConstant:
      values[i] = 0.1F;
      break;
    case Data::kAlternating:
      values[i] = i % 2 == 0 ? 0.7F : -0.6F;
      break;
    case Data::kSorted:
      values[i] = static_cast<float>(i) / static_cast<float>(count);
      break;
    case Data::kRandom:
      values[i] = uniform(random);
      break;
    }
  return values;
}

// A sum and the sum of absolute values, as good as exact.
struct Exact {
  long double sum = 0, magnitude = 0;
  void add(float value) {
    sum += value;
    magnitude += std::abs(value);
  }
};

// Errors are counted in half units in the last place of f32, relative to the sum of absolute values: each addition
// makes at most one. A running sum of n equal numbers makes about n/4; the trees make at most 300 + 2 log2(n), and for
// this data, on every target, far fewer.
constexpr double kLimit = 64;

void expectClose(const Exact &exact, float actual, const std::string &what) {
  auto error = static_cast<double>(std::abs(exact.sum - static_cast<long double>(actual)));
  EXPECT_LE(error, kLimit * 0x1p-24 * static_cast<double>(exact.magnitude))
      << what << ": expected " << static_cast<double>(exact.sum) << ", got " << actual;
}

std::vector<const codegen::CpuTarget *> targets() {
  static const codegen::CpuTarget *narrow = [] {
    codegen::CpuTargetOptions options;
    options.cpu = "x86-64-v3";
    return new codegen::CpuTarget(*codegen::CpuTarget::create(options));
  }();
  return {&codegen::CpuTarget::host(), narrow};
}

Bytes bytesOf(const std::vector<float> &values) {
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

float elementAt(const Bytes &bytes, int64_t i) {
  float value = 0;
  std::memcpy(&value, &bytes[i * sizeof(float)], sizeof(float));
  return value;
}

// Runs the kernel of `text`, whose only argument has `count` elements, on all data and targets; `expect` compares.
void run(const std::string &text, int64_t count,
         llvm::function_ref<void(const std::vector<float> &input, const Bytes &output)> expect) {
  for (const codegen::CpuTarget *target : targets()) {
    LoopKernel kernel(text, *target);
    ASSERT_TRUE(kernel.ok()) << kernel.error << "\n" << text;
    for (Data data : kAll) {
      std::vector<float> input = make(data, count);
      std::vector<Bytes> inputs = {bytesOf(input), bytesOf({0.0F})};
      std::vector<Bytes> output = kernel.run(inputs);
      EXPECT_EQ(output, kernel.run(inputs, 1)) << "the partition changes the result of\n" << text;
      expect(input, output[0]);
    }
  }
}

std::string tensor(llvm::ArrayRef<int64_t> shape) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + "f32>";
}

// A sum over an array [outer, reduced, inner]; sizes of 0 stand for dimensions that are not there.
void checkSum(int64_t outer, int64_t reduced, int64_t inner) {
  llvm::SmallVector<int64_t> shape, result;
  for (int64_t size : {outer, reduced, inner})
    if (size > 0)
      shape.push_back(size);
  for (int64_t size : {outer, inner})
    if (size > 0)
      result.push_back(size);
  std::string text = "func.func @main(%x: " + tensor(shape) + ", %z: tensor<f32>) -> " + tensor(result) +
                     " {\n%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [" +
                     (outer > 0 ? "1" : "0") + "] : (" + tensor(shape) + ", tensor<f32>) -> " + tensor(result) +
                     "\nreturn %r : " + tensor(result) + "\n}";
  int64_t columns = std::max<int64_t>(inner, 1);
  run(text, std::max<int64_t>(outer, 1) * reduced * columns, [&](const auto &input, const Bytes &output) {
    for (int64_t row : {int64_t(0), std::max<int64_t>(outer, 1) - 1})
      for (int64_t column : {int64_t(0), columns / 2, columns - 1}) {
        Exact exact;
        for (int64_t i = 0; i < reduced; ++i)
          exact.add(input[(row * reduced + i) * columns + column]);
        expectClose(exact, elementAt(output, row * columns + column), text);
      }
  });
}

TEST(LongSum, Whole) {
  checkSum(0, elements(), 0);
  checkSum(0, elements() + 7, 0);
}

TEST(LongSum, Rows) {
  checkSum(3, elements() / 3, 0);
  checkSum(40, elements() / 40 - 1, 0);
}

// In registers, and, from a vector of columns on, in memory.
TEST(LongSum, Columns) {
  checkSum(0, elements() / 4, 4);
  checkSum(0, elements() / 5, 5);
  checkSum(0, elements() / 72, 72);
  checkSum(5, elements() / 100, 20);
  checkSum(0, elements() / 300 + 1, 300);
}

TEST(LongSum, TwoDimensionsApart) {
  int64_t outer = 64, kept = 3, inner = elements() / 192;
  std::string in = tensor({outer, kept, inner}), out = tensor({kept});
  std::string text = "func.func @main(%x: " + in + ", %z: tensor<f32>) -> " + out +
                     " {\n%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 2] : (" +
                     in + ", tensor<f32>) -> " + out + "\nreturn %r : " + out + "\n}";
  run(text, outer * kept * inner, [&](const auto &input, const Bytes &output) {
    for (int64_t row = 0; row < kept; ++row) {
      Exact exact;
      for (int64_t i = 0; i < outer; ++i)
        for (int64_t j = 0; j < inner; ++j)
          exact.add(input[(i * kept + row) * inner + j]);
      expectClose(exact, elementAt(output, row), text);
    }
  });
}

TEST(LongSum, Window) {
  int64_t count = elements() / 10, size = count / 3;
  std::string in = tensor({count}), out = tensor({3});
  std::string text = "func.func @main(%x: " + in + ", %z: tensor<f32>) -> " + out + R"( {
    %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: )" +
                     std::to_string(size) + ">, window_strides = array<i64: " + std::to_string(size) + R"(>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : ()" + in + ", tensor<f32>) -> " +
                     out + "\nreturn %r : " + out + "\n}";
  run(text, count, [&](const auto &input, const Bytes &output) {
    for (int64_t window = 0; window < 3; ++window) {
      Exact exact;
      for (int64_t i = 0; i < size; ++i)
        exact.add(input[window * size + i]);
      expectClose(exact, elementAt(output, window), text);
    }
  });
}

// Along the rows (inner == 1) and down the columns.
void checkCumulative(int64_t count, int64_t inner, bool reverse) {
  std::string type = tensor({count, inner}), before = std::to_string(reverse ? 0 : count - 1),
              after = std::to_string(reverse ? count - 1 : 0);
  std::string text = "func.func @main(%x: " + type + ", %z: tensor<f32>) -> " + type + R"( {
    %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: )" +
                     std::to_string(count) + ", 1>, padding = dense<[[" + before + ", " + after +
                     R"(], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : ()" + type + ", tensor<f32>) -> " +
                     type + "\nreturn %r : " + type + "\n}";
  run(text, count * inner, [&](const auto &input, const Bytes &output) {
    Exact exact;
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = reverse ? count - 1 - i : i;
      exact.add(input[at * inner + inner / 2]);
      if (std::has_single_bit(static_cast<uint64_t>(i + 1)) || i % 100003 == 0 || i + 1 == count)
        expectClose(exact, elementAt(output, at * inner + inner / 2), text);
    }
  });
}

TEST(LongSum, Cumulative) {
  checkCumulative(elements(), 1, false);
  checkCumulative(elements() + 3, 1, true);
  checkCumulative(elements() / 20, 20, false);
}

} // namespace
