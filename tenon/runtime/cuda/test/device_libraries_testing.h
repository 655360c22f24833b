// cuBLAS as tests of device_libraries.h play it, and calls of libraries in the host's memory, which are made at once.
#pragma once

#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/cuda/device_libraries.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>

namespace tenon::runtime::cuda {

using program::ElementType, program::RuntimeCall, program::Shape;

inline int gStream = 0, gHandle = 0, gOpen = 0;
inline std::vector<std::string> gErrors;

inline int refuse(const char *what) {
  gErrors.emplace_back(what);
  return 7;
}
inline int makeHandle(void **handle) {
  ++gOpen;
  *handle = &gHandle;
  return 0;
}
inline int destroyHandle(void *) { return --gOpen < 0; }
inline int setStream(void *, void *stream) { return stream == &gStream ? 0 : refuse("a stream"); }

// --- Matrices, column-major ---

template <typename T> struct Matrix {
  T *data;
  int64_t rows, columns, leading;
  T &operator()(int64_t row, int64_t column) const { return data[row + column * leading]; }
};

// --- cuBLAS ---

inline bool gHasWorkspace = false;

template <typename T> int copyNumbers(void *, int64_t count, const void *from, int64_t step, void *to, int64_t toStep) {
  std::memcpy(to, from, size_t(count) * sizeof(T));
  return step == 1 && toStep == 1 ? 0 : refuse("copy");
}
template <typename T> int scaleNumbers(void *, int64_t count, const void *factor, void *numbers, int64_t step) {
  for (int64_t i = 0; i < count; ++i)
    static_cast<T *>(numbers)[i] *= *static_cast<const T *>(factor);
  return step == 1 ? 0 : refuse("scal");
}
template <typename T>
int transpose(void *, int opA, int opB, int64_t rows, int64_t columns, const void *alpha, const void *a, int64_t lda,
              const void *beta, const void *b, int64_t ldb, void *c, int64_t ldc) {
  if (opA != 1 || opB != 0 || *static_cast<const T *>(alpha) != T(1) || *static_cast<const T *>(beta) != T(0) ||
      a == c || b != c || lda != columns || ldb != rows || ldc != rows)
    return refuse("geam");
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      static_cast<T *>(c)[i + j * ldc] = static_cast<const T *>(a)[j + i * lda];
  return 0;
}
// Solves with matrices of order up to a few, by elimination.
template <typename T>
int solveTriangle(void *, int side, int fill, int op, int diagonal, int64_t rows, int64_t columns, const void *alpha,
                  const void *a, int64_t lda, void *b, int64_t ldb) {
  const int64_t order = side == 0 ? rows : columns;
  if (!gHasWorkspace || *static_cast<const T *>(alpha) != T(1) || lda != order || ldb != rows)
    return refuse("trsm");
  auto conjugate = [](T x) {
    if constexpr (std::is_floating_point_v<T>)
      return x;
    else
      return std::conj(x);
  };
  auto element = [&](int64_t i, int64_t j) {
    if (op != 0)
      std::swap(i, j);
    T value = i == j && diagonal == 1         ? T(1)
              : (fill == 0 ? i >= j : i <= j) ? static_cast<const T *>(a)[i + j * lda]
                                              : T(0);
    return op == 2 ? conjugate(value) : value;
  };
  Matrix<T> x{static_cast<T *>(b), rows, columns, ldb};
  // From the left, lower matrices are solved forwards; x op(a) = b is the transpose.
  const bool isLower = (fill == 0) == (op == 0), isForward = (side == 0) == isLower;
  for (int64_t other = 0; other < (side == 0 ? columns : rows); ++other) {
    auto at = [&](int64_t i) -> T & { return side == 0 ? x(i, other) : x(other, i); };
    for (int64_t n = 0; n < order; ++n) {
      int64_t i = isForward ? n : order - 1 - n;
      for (int64_t m = 0; m < n; ++m) {
        int64_t j = isForward ? m : order - 1 - m;
        at(i) -= (side == 0 ? element(i, j) : element(j, i)) * at(j);
      }
      at(i) /= element(i, i);
    }
  }
  return 0;
}

inline BlasTable blasTable() {
  BlasTable table;
  table.create = makeHandle;
  table.destroy = destroyHandle;
  table.setStream = [](void *handle, void *stream) {
    gHasWorkspace = false; // as cuBLAS forgets it then
    return setStream(handle, stream);
  };
  table.setWorkspace = [](void *, void *workspace, size_t bytes) {
    gHasWorkspace = workspace && bytes >= (4 << 20);
    return 0;
  };
  table.copy = {copyNumbers<float>, copyNumbers<double>};
  table.scale = {scaleNumbers<float>, scaleNumbers<double>};
  table.add = {transpose<float>, transpose<double>, transpose<std::complex<float>>, transpose<std::complex<double>>};
  table.solve = {solveTriangle<float>, solveTriangle<double>, solveTriangle<std::complex<float>>,
                 solveTriangle<std::complex<double>>};
  return table;
}

// --- Calls ---

class HostScratch final : public DeviceScratch {
public:
  StatusOr<void *> allocate(int64_t bytes) override {
    memory_.emplace_back(size_t(bytes), char(0x7f));
    return static_cast<void *>(memory_.back().data());
  }

private:
  std::vector<std::vector<char>> memory_;
};

template <typename T> inline constexpr ElementType kTypeOf = ElementType::kI32;
template <> inline constexpr ElementType kTypeOf<float> = ElementType::kF32;
template <> inline constexpr ElementType kTypeOf<double> = ElementType::kF64;
template <> inline constexpr ElementType kTypeOf<std::complex<float>> = ElementType::kComplexF32;
template <> inline constexpr ElementType kTypeOf<std::complex<double>> = ElementType::kComplexF64;

inline program::NamedAttribute letter(const char *name, char value) {
  return {name, {program::IntegerAttribute{ElementType::kUI8, value}}};
}

class Libraries : public ::testing::Test {
protected:
  void SetUp() override {
    gErrors.clear();
    libraries.blas = std::make_shared<BlasLibrary>(blasTable());
  }
  void TearDown() override {
    libraries = {};
    EXPECT_EQ(gOpen, 0);
    EXPECT_THAT(gErrors, ::testing::IsEmpty());
  }

  void begin(std::string target, RuntimeCall::Kind kind = RuntimeCall::Kind::kCustomCall) {
    call = {};
    call.kind = kind;
    call.target = std::move(target);
    operands.clear();
    results.clear();
  }

  // LAPACK's matrices are column-major.
  static std::vector<int64_t> columnMajor(size_t rank) {
    std::vector<int64_t> order;
    for (size_t i = rank; i-- > 0;)
      order.push_back(int64_t(i));
    if (rank >= 2)
      std::swap(order[0], order[1]);
    return order;
  }
  template <typename T> void in(const std::vector<int64_t> &dims, std::vector<T> &data) {
    call.operands.push_back({kTypeOf<T>, dims});
    call.operandLayouts.push_back(isMatrix(dims) ? columnMajor(dims.size()) : std::vector<int64_t>());
    operands.push_back(data.data());
  }
  template <typename T> void out(const std::vector<int64_t> &dims, std::vector<T> &data) {
    data.resize(size_t(Shape{kTypeOf<T>, dims}.elementCount()));
    call.results.push_back({kTypeOf<T>, dims});
    call.resultLayouts.push_back(isMatrix(dims) ? columnMajor(dims.size()) : std::vector<int64_t>());
    results.push_back(data.data());
  }
  bool isMatrix(const std::vector<int64_t> &dims) const { return dims.size() >= batchRank + 2; }

  // False if the host has to make the call.
  bool run(bool isCapturable = true) {
    auto made = libraries.instantiate(call);
    EXPECT_TRUE(made.ok()) << made.status().message();
    if (!made.ok() || !*made)
      return false;
    EXPECT_EQ((*made)->isCapturable(), isCapturable);
    for (auto [result, operand] : call.aliases) {
      std::memcpy(results[size_t(result)], operands[size_t(operand)], size_t(call.results[size_t(result)].byteSize()));
      operands[size_t(operand)] = results[size_t(result)];
    }
    HostScratch scratch;
    RunOptions options;
    Status status = (*made)->call({operands, results, &gStream, scratch, options, ThreadPool::global()});
    EXPECT_TRUE(status.ok()) << status.message();
    return status.ok();
  }

  DeviceLibraries libraries;
  RuntimeCall call;
  size_t batchRank = 0;
  std::vector<void *> operands, results;
};

template <typename T> std::vector<T> randomNumbers(int64_t count) {
  std::mt19937 engine(unsigned(count) + 3);
  std::uniform_real_distribution<double> distribution(-1, 1);
  std::vector<T> numbers;
  for (int64_t i = 0; i < count; ++i)
    if constexpr (std::is_floating_point_v<T>)
      numbers.push_back(T(distribution(engine)));
    else
      numbers.push_back(T(distribution(engine), distribution(engine)));
  return numbers;
}

// The largest difference between the product of row-major matrices and another.
template <typename T>
double differenceOfProduct(const std::vector<T> &a, const std::vector<T> &b, const std::vector<T> &product,
                           int64_t rows, int64_t steps, int64_t columns) {
  double largest = 0;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      T sum = 0;
      for (int64_t k = 0; k < steps; ++k)
        sum += a[size_t(i * steps + k)] * b[size_t(k * columns + j)];
      largest = std::max(largest, double(std::abs(sum - product[size_t(i * columns + j)])));
    }
  return largest;
}

using Types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;

} // namespace tenon::runtime::cuda
