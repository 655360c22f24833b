#include "tenon/codegen/llvm/loop/test/sum_testing.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

namespace tenon::codegen::testing {

int64_t longSum() {
  const char *whole = std::getenv("TENON_TEST_WHOLE");
  return whole && *whole == '1' ? 100'000'000 : 2'000'000;
}

static int64_t byteSize(Float type) { return type == Float::kF64 ? 8 : type == Float::kF32 ? 4 : 2; }

// The largest error, relative to the value, that rounding to the type makes.
static double unitOf(Float type) {
  switch (type) {
  case Float::kF64:
    return 0x1p-53;
  case Float::kF32:
    return 0x1p-24;
  case Float::kF16:
    return 0x1p-11;
  case Float::kBf16:
    return 0x1p-8;
  }
  return 0;
}

FloatArray::FloatArray(Float type, int64_t count) : type(type), bytes(count * byteSize(type)) {}

template <typename T> static T elementOf(const Bytes &bytes, int64_t i) {
  T value;
  std::memcpy(&value, &bytes[i * sizeof(T)], sizeof(T));
  return value;
}

template <typename T> static void setElement(Bytes &bytes, int64_t i, T value) {
  std::memcpy(&bytes[i * sizeof(T)], &value, sizeof(T));
}

double FloatArray::at(int64_t i) const {
  switch (type) {
  case Float::kF64:
    return elementOf<double>(bytes, i);
  case Float::kF32:
    return elementOf<float>(bytes, i);
  case Float::kF16:
    return static_cast<double>(elementOf<_Float16>(bytes, i));
  case Float::kBf16:
    return std::bit_cast<float>(uint32_t(elementOf<uint16_t>(bytes, i)) << 16);
  }
  return 0;
}

void FloatArray::set(int64_t i, double value) {
  switch (type) {
  case Float::kF64:
    return setElement(bytes, i, value);
  case Float::kF32:
    return setElement(bytes, i, static_cast<float>(value));
  case Float::kF16:
    return setElement(bytes, i, static_cast<_Float16>(value));
  case Float::kBf16: // not to nearest, which does not matter here
    return setElement(bytes, i, static_cast<uint16_t>(std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16));
  }
}

FloatArray FloatArray::of(Float type, Data data, int64_t count) {
  FloatArray array(type, count);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform;
  double scale = type == Float::kF16 ? std::min(1.0, 0x1p15 / static_cast<double>(count)) : 1;
  for (int64_t i = 0; i < count; ++i) {
    double value = 0.1;
    if (data == Data::kAlternating)
      value = i % 2 == 0 ? 0.7 : -0.6;
    else if (data == Data::kSorted)
      value = static_cast<double>(i) / static_cast<double>(count);
    else if (data == Data::kRandom)
      value = uniform(random);
    array.set(i, value * scale);
  }
  return array;
}

std::string tensorType(Float type, llvm::ArrayRef<int64_t> shape) {
  constexpr const char *kNames[] = {"f64", "f32", "f16", "bf16"};
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + kNames[static_cast<int>(type)] + ">";
}

void ExactSum::add(double value) {
  long double before = sum_;
  sum_ += value;
  long double added = sum_ - before;
  error_ += (before - (sum_ - added)) + (value - added);
  magnitude_ += std::abs(value);
}

void ExactSum::expectClose(double actual, const std::string &what) const {
  constexpr double kLimit = 64;
  double expected = static_cast<double>(sum_ + error_), unit = std::min(unitOf(type_), unitOf(Float::kF32));
  double rounding = type_ == Float::kF16 || type_ == Float::kBf16 ? 1.01 * unitOf(type_) * std::abs(expected) : 0;
  auto error = static_cast<double>(std::abs((sum_ - static_cast<long double>(actual)) + error_));
  EXPECT_LE(error, kLimit * unit * static_cast<double>(magnitude_) + rounding)
      << what << ": expected " << expected << ", got " << actual;
}

std::vector<const CpuTarget *> sumTargets() {
  static const CpuTarget *narrow = [] {
    CpuTargetOptions options;
    options.cpu = "x86-64-v3";
    return new CpuTarget(*CpuTarget::create(options));
  }();
  return {&CpuTarget::host(), narrow};
}

} // namespace tenon::codegen::testing
