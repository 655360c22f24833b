// The memory of literals.
#pragma once

#include "tenon/literal.h"

namespace tenon::xla_2017 {

struct Literal::Storage {
  Storage() = default;
  Storage(const Storage &) = delete;
  Storage &operator=(const Storage &) = delete;
  ~Storage();

  void *data = nullptr;
  int64 bytes = 0;
  // LayoutUtil::Strides of the shape.
  std::vector<int64> strides;
  bool writable = true;
  void (*release)(void *data, void *context) = nullptr;
  void *context = nullptr;
};

namespace internal {

// Zeroed bytes that begin at a multiple of 64, or null. Large blocks take memory only as they are touched.
void *allocateZeros(int64 bytes);
void freeZeros(void *data);

// INVALID_ARGUMENT unless an array of that shape can lie there: memory, unless it has no bytes, that is aligned to its
// elements, complex numbers to their parts.
Status checkMemory(const Shape &shape, const void *data);

// Fills what lies between an array and its padded dimensions with its padding value; `is_zero` says that all bits there
// are zero. UNKNOWN_PAD leaves it as it is. The shape is valid.
void fillPadding(const Shape &shape, void *data, bool is_zero);

} // namespace internal
} // namespace tenon::xla_2017
