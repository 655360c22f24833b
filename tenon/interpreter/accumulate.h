// Arithmetic type that a sum of products is accumulated in before it is rounded once to the result's element type.
#pragma once

#include "tenon/interpreter/tensor.h"

#include <complex>
#include <vector>

namespace tenon::interpreter {

// The type that a sum of products is accumulated in: `result`, unless that would drop a part of each product
// (fractions, imaginary parts). Then it is the operands' type, and the sum is converted.
inline ElementType typeOfSum(ElementType result, llvm::ArrayRef<ElementType> operands) {
  auto kind = [](ElementType type) { return isComplex(type) ? 2 : isFloat(type) ? 1 : 0; };
  ElementType sum = result;
  for (ElementType type : operands)
    if (kind(type) > kind(result) &&
        (kind(type) > kind(sum) || (kind(type) == kind(sum) && bitWidth(type) > bitWidth(sum))))
      sum = type;
  return sum;
}

// Calls fn with a value of the accumulator for results of type `result` from operands of the given types: uint64_t for
// integers and i1 (where a non-zero sum is true), double for floats up to f32, long double for f64, and likewise
// complex.
template <typename Fn> auto withAccumulator(ElementType result, llvm::ArrayRef<ElementType> operands, Fn fn) {
  bool wide = result == ElementType::kF64 || result == ElementType::kComplexF64;
  for (ElementType type : operands)
    wide |= type == ElementType::kF64 || type == ElementType::kComplexF64;
  if (isComplex(result))
    return wide ? fn(std::complex<long double>()) : fn(std::complex<double>());
  if (isFloat(result))
    return wide ? fn(static_cast<long double>(0)) : fn(0.0);
  return fn(uint64_t{0});
}

template <typename T> T accumulatorOf(ElementType from, Scalar value) {
  if constexpr (std::is_same_v<T, uint64_t>)
    return value.u;
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(convertScalar(from, ElementType::kF64, value).f);
  else
    return convertScalar(from, ElementType::kComplexF64, value).complex<typename T::value_type>();
}

template <typename T> std::vector<T> accumulatorsOf(const Tensor &tensor) {
  std::vector<T> values(tensor.size());
  for (int64_t i = 0; i < tensor.size(); ++i)
    values[i] = accumulatorOf<T>(tensor.elementType(), tensor.get(i));
  return values;
}

template <typename T> Scalar scalarOfAccumulator(T value) {
  if constexpr (std::is_same_v<T, uint64_t>)
    return Scalar::ofUnsigned(value);
  else if constexpr (std::is_floating_point_v<T>)
    return Scalar::ofFloat(static_cast<double>(value));
  else
    return Scalar::ofComplex(value);
}

// Converts an accumulated value to `result` by way of typeOfSum().
template <typename T> Scalar scalarOfAccumulator(T value, ElementType sum, ElementType result) {
  return convertScalar(sum, result, normalize(sum, scalarOfAccumulator(value)));
}

} // namespace tenon::interpreter
