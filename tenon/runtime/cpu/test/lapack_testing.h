// Calls of LAPACK's routines as JAX makes them: row-major arrays outside, column-major matrices by layout, batches in
// front.
#pragma once

#include "tenon/program/testing/attributes.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/cpu/lapack.h"
#include "tenon/runtime/cpu/library.h"
#include "tenon/runtime/cpu/test/matrix_testing.h"

#include "gtest/gtest.h"

#include <complex>
#include <string>
#include <vector>

namespace tenon::runtime::lapack_testing {

using matrix_testing::conjugate;
using matrix_testing::fillRandomly;
using program::ElementType;
using program::RuntimeCall;
using program::Shape;

// A row-major array.
template <typename T> struct Array {
  std::vector<int64_t> dims;
  std::vector<T> data;

  Array() = default;
  explicit Array(std::vector<int64_t> d) : dims(std::move(d)) { data.resize(size_t(count())); }
  int64_t count() const {
    int64_t n = 1;
    for (int64_t dim : dims)
      n *= dim;
    return n;
  }
};

template <typename T> Array<T> randomArray(std::vector<int64_t> dims, uint32_t seed) {
  Array<T> array(std::move(dims));
  fillRandomly(array.data, seed);
  return array;
}

// Hermitian, positive definite if `shift` is large.
template <typename T> Array<T> hermitian(int64_t batch, int64_t n, double shift, uint32_t seed) {
  Array<T> array = randomArray<T>({batch, n, n}, seed);
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j <= i; ++j) {
        T *m = &array.data[size_t(b * n * n)];
        if (i == j)
          m[i * n + i] = T(std::real(m[i * n + i]) + typename lapack::TypeTraits<T>::Real(shift));
        else
          m[j * n + i] = conjugate(m[i * n + j]);
      }
  return array;
}

template <typename T> struct ElementTypeOf {
  static constexpr ElementType value = lapack::TypeTraits<T>::type;
};
template <> struct ElementTypeOf<int32_t> {
  static constexpr ElementType value = ElementType::kI32;
};

// Builds the runtime call and its buffers as operands and results are named.
class Call {
public:
  Call(const std::string &target, program::AttributeDict attributes, int batchDims) : batchDims_(batchDims) {
    runtimeCall_.kind = RuntimeCall::Kind::kCustomCall;
    runtimeCall_.target = target;
    runtimeCall_.attributes = std::move(attributes);
    runtimeCall_.location = "test.py:1";
  }
  template <typename T> Call &in(const Array<T> &array) {
    operands_.push_back(const_cast<T *>(array.data.data()));
    add<T>(runtimeCall_.operands, runtimeCall_.operandLayouts, array.dims);
    return *this;
  }
  template <typename T> Call &out(Array<T> &array) {
    results_.push_back(array.data.data());
    add<T>(runtimeCall_.results, runtimeCall_.resultLayouts, array.dims);
    return *this;
  }
  Call &alias(int result, int operand) {
    runtimeCall_.aliases.emplace_back(result, operand);
    return *this;
  }
  Status run(int threads = 2) {
    registerCpuLibrary();
    TENON_ASSIGN_OR_RETURN(auto instance, instantiateRuntimeCall(runtimeCall_));
    ThreadPool pool(threads);
    RunOptions options;
    return instance->call({operands_, results_, options, pool});
  }

private:
  // The last two dimensions exchanged, as the rules write it.
  template <typename T>
  void add(std::vector<Shape> &shapes, std::vector<std::vector<int64_t>> &layouts, const std::vector<int64_t> &dims) {
    shapes.push_back({ElementTypeOf<T>::value, dims});
    std::vector<int64_t> &layout = layouts.emplace_back();
    int64_t rank = int64_t(dims.size());
    if (rank - batchDims_ == 2)
      layout = {rank - 2, rank - 1};
    else if (rank - batchDims_ == 1)
      layout = {rank - 1};
    for (int64_t i = batchDims_; i-- > 0;)
      layout.push_back(i);
  }

  int batchDims_;
  RuntimeCall runtimeCall_;
  std::vector<void *> operands_, results_;
};

template <typename T> std::string target(const std::string &name) {
  return std::string("lapack_") + lapack::TypeTraits<T>::letter + name + "_ffi";
}

} // namespace tenon::runtime::lapack_testing

#define EXPECT_RUNS(call)                                                                                              \
  do {                                                                                                                 \
    Status status_ = (call).run();                                                                                     \
    ASSERT_TRUE(status_.ok()) << status_.message();                                                                    \
  } while (false)
