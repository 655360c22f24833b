// PJRT's element types and layouts, and Tenon's.
#pragma once

#include "tenon/program/program.h"
#include "tenon/status.h"

#include "xla/pjrt/c/pjrt_c_api.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::pjrt {

StatusOr<program::ElementType> fromPjrt(PJRT_Buffer_Type type);
PJRT_Buffer_Type toPjrt(program::ElementType type);
// The number of xla.PrimitiveType, for protos.
int primitiveType(program::ElementType type);

// The properties of a buffer that PJRT asks for, shared by all buffers of one program result. Its memory is dense, with
// the dimensions in any order.
struct BufferType {
  program::Shape shape;
  PJRT_Buffer_Type pjrtType = PJRT_Buffer_Type_INVALID;
  std::vector<int64_t> minorToMajor; // row-major: n-1, ..., 0
  std::vector<int64_t> strides;      // in bytes
  bool isRowMajor = true;            // in effect: dimensions of size one may be anywhere
  int64_t bytes = 0;
  // Dimensions of which `shape` only gives the bound: the elements that count are the first ones, as many as the run
  // says that computed them (Value::sizes).
  std::vector<size_t> dynamicDims;
};
using BufferTypeRef = std::shared_ptr<const BufferType>;

// An empty order is row-major.
BufferTypeRef makeBufferType(program::Shape shape, std::vector<int64_t> minorToMajor = {},
                             std::vector<size_t> dynamicDims = {});
// Checks dimensions, element count and layout (null: row-major).
StatusOr<BufferTypeRef> makeBufferType(PJRT_Buffer_Type type, const int64_t *dims, size_t rank,
                                       const PJRT_Buffer_MemoryLayout *layout);

// Byte strides of a dense row-major array.
std::vector<int64_t> rowMajorStrides(const program::Shape &shape);
// Byte strides that `layout` describes for an array of this shape.
StatusOr<std::vector<int64_t>> layoutStrides(const program::Shape &shape, const PJRT_Buffer_MemoryLayout &layout);
// Whether these strides put the elements of an array at the same places. Those of dimensions of size one do not matter.
bool sameStrides(const program::Shape &shape, std::span<const int64_t> a, std::span<const int64_t> b);

// Copies elements between two arrays of one shape; strides in bytes, possibly negative or zero.
void copyStrided(const program::Shape &shape, const void *source, std::span<const int64_t> sourceStrides, void *target,
                 std::span<const int64_t> targetStrides);
// Frameworks keep elements that are narrower than a byte in its low bits, with undefined or zero bits above; ours are
// sign-extended if signed integers. Everything else has one form.
// Sign-extends sub-byte integers and clears the high bits of other sub-byte elements, in place.
void normalizeElements(program::ElementType type, void *data, int64_t count);
// Clears the bits above those of sub-byte elements, in place: the framework's form.
void maskElements(program::ElementType type, void *data, int64_t count);

} // namespace tenon::pjrt
