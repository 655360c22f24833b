// Long arrays, and how far from the exact sum a sum of one may be.
#pragma once

#include "tenon/codegen/llvm/loop/test/loop_testing.h"

#include "llvm/ADT/ArrayRef.h"

namespace tenon::codegen::testing {

// Elements of the largest arrays: 100 million with TENON_TEST_WHOLE=1.
int64_t longSum();

enum class Data : uint8_t { kConstant, kAlternating, kSorted, kRandom };
constexpr Data kAllData[] = {Data::kConstant, Data::kAlternating, Data::kSorted, Data::kRandom};

enum class Float : uint8_t { kF64, kF32, kF16, kBf16 };
constexpr Float kAllFloats[] = {Float::kF64, Float::kF32, Float::kF16, Float::kBf16};

// A row-major array of floats as buffers hold it.
struct FloatArray {
  Float type;
  Bytes bytes;

  FloatArray(Float type, int64_t count);
  FloatArray(Float type, Bytes bytes) : type(type), bytes(std::move(bytes)) {}
  // As large as f16 allows sums of it to be.
  static FloatArray of(Float type, Data data, int64_t count);

  double at(int64_t i) const;
  void set(int64_t i, double value); // rounds
};

// tensor<2x3xf32>
std::string tensorType(Float type, llvm::ArrayRef<int64_t> shape);

// A sum and the sum of absolute values, as good as exact.
class ExactSum {
public:
  explicit ExactSum(Float type) : type_(type) {}
  void add(double value);
  // Errors are counted in half units in the last place of the accumulator (f32 for narrower types), relative to the sum
  // of absolute values: each addition makes at most one. A running sum of n equal numbers makes about n/4; trees make
  // at most 300 + 2 log2(n), and for this data, on every target, fewer than 64. The result may be rounded to its type.
  void expectClose(double actual, const std::string &what) const;

private:
  Float type_;
  long double sum_ = 0, error_ = 0, magnitude_ = 0;
};

// The host, and one without AVX-512.
std::vector<const CpuTarget *> sumTargets();

} // namespace tenon::codegen::testing
