// Matrices for tests: slow and plain arithmetic, by which what runtime calls give is checked.
#pragma once

#include "tenon/runtime/cpu/lapack.h"

#include <complex>
#include <cstdint>
#include <random>
#include <vector>

namespace tenon::runtime::matrix_testing {

template <typename T> T conjugate(T x) {
  if constexpr (lapack::TypeTraits<T>::isComplex)
    return std::conj(x);
  else
    return x;
}

// Between -1 and 1, each part.
template <typename T> void fillRandomly(std::vector<T> &values, uint32_t seed) {
  using Real = typename lapack::TypeTraits<T>::Real;
  std::mt19937 random(seed);
  std::uniform_real_distribution<Real> distribution(-1, 1);
  for (T &value : values) {
    if constexpr (lapack::TypeTraits<T>::isComplex)
      value = {distribution(random), distribution(random)};
    else
      value = distribution(random);
  }
}

// Column-major.
template <typename T> struct Matrix {
  int64_t rows, columns;
  std::vector<T> data;

  Matrix(int64_t m, int64_t n) : rows(m), columns(n), data(size_t(m * n)) {}
  // Matrix `b` of a row-major array, which has `dims` and `data`.
  template <typename Array>
  Matrix(const Array &array, int64_t b = 0)
    requires requires { array.dims.size(); }
      : Matrix(array.dims[array.dims.size() - 2], array.dims[array.dims.size() - 1]) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        (*this)(i, j) = array.data[size_t((b * rows + i) * columns + j)];
  }
  T &operator()(int64_t i, int64_t j) { return data[size_t(j * rows + i)]; }
  const T &operator()(int64_t i, int64_t j) const { return data[size_t(j * rows + i)]; }
};

template <typename T> Matrix<T> operator*(const Matrix<T> &a, const Matrix<T> &b) {
  Matrix<T> c(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t k = 0; k < a.columns; ++k)
      for (int64_t j = 0; j < b.columns; ++j)
        c(i, j) += a(i, k) * b(k, j);
  return c;
}

template <typename T> Matrix<T> adjoint(const Matrix<T> &a) {
  Matrix<T> c(a.columns, a.rows);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j)
      c(j, i) = conjugate(a(i, j));
  return c;
}

template <typename T> Matrix<T> identity(int64_t n) {
  Matrix<T> c(n, n);
  for (int64_t i = 0; i < n; ++i)
    c(i, i) = T(1);
  return c;
}

} // namespace tenon::runtime::matrix_testing
