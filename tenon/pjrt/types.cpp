#include "tenon/pjrt/types.h"

#include "tenon/support/strides.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tenon::pjrt {
namespace {

using program::ElementType;
using program::Shape;

struct TypePair {
  PJRT_Buffer_Type pjrt;
  ElementType type;
};

constexpr TypePair kTypes[] = {
#define TENON_ELEMENT_TYPE(enumerator, xla) {PJRT_Buffer_Type_##xla, ElementType::enumerator},
#include "tenon/support/element_types.def"
};

// One dimension of a copy.
struct CopyDim {
  int64_t size, source, target;
};

template <typename T>
void copyInner(const char *source, int64_t sourceStride, char *target, int64_t targetStride, int64_t size) {
  for (int64_t i = 0; i < size; ++i)
    std::memcpy(target + i * targetStride, source + i * sourceStride, sizeof(T));
}

struct Block16 {
  char bytes[16];
};

void copyInner(int64_t elementSize, const char *source, char *target, const CopyDim &dim) {
  if (dim.source == elementSize && dim.target == elementSize) {
    std::memcpy(target, source, elementSize * dim.size);
    return;
  }
  switch (elementSize) {
  case 1:
    return copyInner<uint8_t>(source, dim.source, target, dim.target, dim.size);
  case 2:
    return copyInner<uint16_t>(source, dim.source, target, dim.target, dim.size);
  case 4:
    return copyInner<uint32_t>(source, dim.source, target, dim.target, dim.size);
  case 8:
    return copyInner<uint64_t>(source, dim.source, target, dim.target, dim.size);
  default:
    return copyInner<Block16>(source, dim.source, target, dim.target, dim.size);
  }
}

void copyDims(int64_t elementSize, std::span<const CopyDim> dims, const char *source, char *target) {
  if (dims.empty()) {
    std::memcpy(target, source, elementSize);
    return;
  }
  if (dims.size() == 1)
    return copyInner(elementSize, source, target, dims[0]);
  for (int64_t i = 0; i < dims[0].size; ++i)
    copyDims(elementSize, dims.subspan(1), source + i * dims[0].source, target + i * dims[0].target);
}

// Drops dimensions of size one and merges neighbours that are contiguous on both sides.
std::vector<CopyDim> coalesce(const Shape &shape, std::span<const int64_t> source, std::span<const int64_t> target) {
  std::vector<CopyDim> dims;
  for (size_t i = 0; i < shape.dims.size(); ++i) {
    CopyDim dim{shape.dims[i], source[i], target[i]};
    if (dim.size == 1)
      continue;
    if (!dims.empty() && dims.back().source == dim.source * dim.size && dims.back().target == dim.target * dim.size)
      dims.back() = {dims.back().size * dim.size, dim.source, dim.target};
    else
      dims.push_back(dim);
  }
  return dims;
}

} // namespace

StatusOr<ElementType> fromPjrt(PJRT_Buffer_Type type) {
  for (const TypePair &pair : kTypes)
    if (pair.pjrt == type)
      return pair.type;
  if (type == PJRT_Buffer_Type_S1 || type == PJRT_Buffer_Type_U1)
    return unimplemented("one-bit integers are not supported");
  return invalidArgument("unknown element type number " + std::to_string(type));
}

PJRT_Buffer_Type toPjrt(ElementType type) {
  for (const TypePair &pair : kTypes)
    if (pair.type == type)
      return pair.pjrt;
  return PJRT_Buffer_Type_INVALID;
}

int primitiveType(ElementType type) {
  switch (type) {
#define TENON_UNKNOWN_TO_XLA_FLOAT(xla, ...)                                                                           \
  case ElementType::k##xla:                                                                                            \
    return 0;
#include "tenon/support/element_types.def"
  default:
    return elementTypeInfo(type).number;
  }
}

namespace {

std::vector<int64_t> rowMajorOrder(size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

// The order of dimensions of a device layout.
StatusOr<std::vector<int64_t>> deviceOrder(const Shape &shape, const PJRT_Buffer_MemoryLayout *layout) {
  std::vector<int64_t> rowMajor = rowMajorOrder(shape.dims.size());
  if (!layout || shape.type == ElementType::kToken)
    return rowMajor;
  TENON_ASSIGN_OR_RETURN(std::vector<int64_t> strides, layoutStrides(shape, *layout));
  if (layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled)
    return std::vector<int64_t>(layout->tiled.minor_to_major,
                                layout->tiled.minor_to_major + layout->tiled.minor_to_major_size);
  if (!sameStrides(shape, strides, rowMajorStrides(shape)))
    return unimplemented("device layouts given as strides have to be row-major");
  return rowMajor;
}

} // namespace

BufferTypeRef makeBufferType(Shape shape, std::vector<int64_t> minorToMajor, std::vector<size_t> dynamicDims) {
  auto type = std::make_shared<BufferType>();
  type->pjrtType = toPjrt(shape.type);
  type->bytes = shape.byteSize();
  type->minorToMajor = minorToMajor.empty() ? rowMajorOrder(shape.dims.size()) : std::move(minorToMajor);
  type->strides = denseStrides(shape.dims, type->minorToMajor, byteSize(shape.type));
  type->isRowMajor = sameStrides(shape, type->strides, rowMajorStrides(shape));
  type->shape = std::move(shape);
  type->dynamicDims = std::move(dynamicDims);
  return type;
}

StatusOr<BufferTypeRef> makeBufferType(PJRT_Buffer_Type type, const int64_t *dims, size_t rank,
                                       const PJRT_Buffer_MemoryLayout *layout) {
  TENON_ASSIGN_OR_RETURN(ElementType element, fromPjrt(type));
  int64_t bytes = std::max<int64_t>(program::byteSize(element), 1);
  bool empty = std::find(dims, dims + rank, 0) != dims + rank;
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] < 0)
      return invalidArgument("dimension " + std::to_string(i) + " has the negative size " + std::to_string(dims[i]));
    if (!empty && __builtin_mul_overflow(bytes, dims[i], &bytes))
      return Status(StatusCode::kResourceExhausted, "the array does not fit into the address space");
  }
  Shape shape{element, std::vector<int64_t>(dims, dims + rank)};
  TENON_ASSIGN_OR_RETURN(std::vector<int64_t> order, deviceOrder(shape, layout));
  return makeBufferType(std::move(shape), std::move(order));
}

std::vector<int64_t> rowMajorStrides(const Shape &shape) {
  return tenon::rowMajorStrides(shape.dims, byteSize(shape.type));
}

StatusOr<std::vector<int64_t>> layoutStrides(const Shape &shape, const PJRT_Buffer_MemoryLayout &layout) {
  size_t rank = shape.dims.size();
  if (layout.type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    if (layout.strides.num_byte_strides != rank)
      return invalidArgument("the layout has " + std::to_string(layout.strides.num_byte_strides) +
                             " strides, the array has rank " + std::to_string(rank));
    return std::vector<int64_t>(layout.strides.byte_strides, layout.strides.byte_strides + rank);
  }
  if (layout.type != PJRT_Buffer_MemoryLayout_Type_Tiled)
    return invalidArgument("unknown kind of layout");
  if (layout.tiled.num_tiles)
    return unimplemented("tiled layouts are not supported");
  std::span<const int64_t> order(layout.tiled.minor_to_major, layout.tiled.minor_to_major_size);
  if (!isPermutation(order, rank))
    return invalidArgument("the layout " + layoutText(order) + " is not one of an array of rank " +
                           std::to_string(rank));
  return denseStrides(shape.dims, order, byteSize(shape.type));
}

bool sameStrides(const Shape &shape, std::span<const int64_t> a, std::span<const int64_t> b) {
  if (shape.elementCount() == 0)
    return true;
  for (size_t i = 0; i < shape.dims.size(); ++i)
    if (shape.dims[i] != 1 && a[i] != b[i])
      return false;
  return true;
}

void copyStrided(const Shape &shape, const void *source, std::span<const int64_t> sourceStrides, void *target,
                 std::span<const int64_t> targetStrides) {
  int64_t elementSize = program::byteSize(shape.type);
  if (elementSize == 0 || shape.elementCount() == 0)
    return;
  std::vector<CopyDim> dims = coalesce(shape, sourceStrides, targetStrides);
  copyDims(elementSize, dims, static_cast<const char *>(source), static_cast<char *>(target));
}

void normalizeElements(ElementType type, void *data, int64_t count) {
  if (!isSubByteNumber(type) || kindOf(type) != ElementKind::kSigned)
    return maskElements(type, data, count);
  int shift = 8 - static_cast<int>(bitWidth(type));
  auto *bytes = static_cast<int8_t *>(data);
  for (int64_t i = 0; i < count; ++i)
    bytes[i] = static_cast<int8_t>(static_cast<int8_t>(bytes[i] << shift) >> shift);
}

void maskElements(ElementType type, void *data, int64_t count) {
  if (!isSubByteNumber(type))
    return;
  auto mask = static_cast<uint8_t>((1 << bitWidth(type)) - 1);
  auto *bytes = static_cast<uint8_t *>(data);
  for (int64_t i = 0; i < count; ++i)
    bytes[i] &= mask;
}

} // namespace tenon::pjrt
