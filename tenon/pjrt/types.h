// PJRT's element types and layouts, and Tenon's.
#pragma once

#include "tenon/program/program.h"
#include "tenon/support/status.h"

#include "xla/pjrt/c/pjrt_c_api.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tenon::pjrt {

StatusOr<program::ElementType> fromPjrt(PJRT_Buffer_Type type);
PJRT_Buffer_Type toPjrt(program::ElementType type);
// The number of xla.PrimitiveType, for protos.
int primitiveType(program::ElementType type);

// What a buffer tells about itself, shared by all buffers of one program result.
struct BufferType {
  program::Shape shape;
  PJRT_Buffer_Type pjrtType = PJRT_Buffer_Type_INVALID;
  std::vector<int64_t> minorToMajor; // always row-major: n-1, ..., 0
  int64_t bytes = 0;
};
using BufferTypeRef = std::shared_ptr<const BufferType>;

BufferTypeRef makeBufferType(program::Shape shape);
// Checks dimensions and element count too.
StatusOr<BufferTypeRef> makeBufferType(PJRT_Buffer_Type type, const int64_t *dims, size_t rank);

// Byte strides of a dense row-major array.
std::vector<int64_t> rowMajorStrides(const program::Shape &shape);
// Byte strides that `layout` (null: row-major) describes for an array of this shape.
StatusOr<std::vector<int64_t>> layoutStrides(const program::Shape &shape, const PJRT_Buffer_MemoryLayout *layout);
// Whether an array with these strides is dense and row-major. Strides of dimensions of size 0 or 1 do not matter.
bool isRowMajor(const program::Shape &shape, std::span<const int64_t> strides);
// Fails unless `layout` is null or row-major: the only layout of device buffers.
Status checkDeviceLayout(const program::Shape &shape, const PJRT_Buffer_MemoryLayout *layout);
// "{1,0}", as XLA prints layouts.
std::string layoutText(std::span<const int64_t> minorToMajor);

// Whether elements are narrower than a byte. Frameworks keep such elements in the low bits of a byte, with undefined or
// zero bits above; ours are sign-extended if signed integers. Everything else has one form.
bool isSubByte(program::ElementType type);

// Copies elements between two arrays of one shape; strides in bytes, possibly negative or zero.
void copyStrided(const program::Shape &shape, const void *source, std::span<const int64_t> sourceStrides, void *target,
                 std::span<const int64_t> targetStrides);
// Sign-extends sub-byte integers and clears the high bits of other sub-byte elements, in place.
void normalizeElements(program::ElementType type, void *data, int64_t count);
// Clears the bits above those of sub-byte elements, in place: the framework's form.
void maskElements(program::ElementType type, void *data, int64_t count);

} // namespace tenon::pjrt
