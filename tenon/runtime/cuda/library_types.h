// How NVIDIA's libraries call the types of elements.
#pragma once

#include "tenon/support/element_type.h"

#include <cstddef>
#include <optional>

namespace tenon::runtime::cuda {

// The number of cudaDataType; none of types that products and linear algebra have not.
constexpr std::optional<int> dataType(ElementType type) {
  switch (type) {
  case ElementType::kF32:
    return 0;
  case ElementType::kF64:
    return 1;
  case ElementType::kF16:
    return 2;
  case ElementType::kI8:
    return 3;
  case ElementType::kComplexF32:
    return 4;
  case ElementType::kComplexF64:
    return 5;
  case ElementType::kI32:
    return 10;
  case ElementType::kBF16:
    return 14;
  default:
    return std::nullopt;
  }
}

// The place among functions for each of the types S, D, C and Z; none of other types.
constexpr size_t kMatrixTypes = 4;
constexpr std::optional<size_t> matrixType(ElementType type) {
  switch (type) {
  case ElementType::kF32:
    return 0;
  case ElementType::kF64:
    return 1;
  case ElementType::kComplexF32:
    return 2;
  case ElementType::kComplexF64:
    return 3;
  default:
    return std::nullopt;
  }
}

} // namespace tenon::runtime::cuda
