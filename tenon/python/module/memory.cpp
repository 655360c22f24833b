#include "tenon/python/module/memory.h"

#include "tenon/support/element_type.h"
#include "tenon/support/strides.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tenon::python {

using xla::Literal;
using xla::Shape;
using xla::ShapeUtil;

namespace {

using Code = nb::dlpack::dtype_code;

// How DLPack calls the type. It packs numbers of fewer than 8 bits, so there is none for those.
std::optional<nb::dlpack::dtype> dlpackType(ElementType type) {
  auto of = [&](Code code) {
    return nb::dlpack::dtype{static_cast<uint8_t>(code), static_cast<uint8_t>(8 * byteSize(type)), 1};
  };
  if (isSubByteNumber(type))
    return std::nullopt;
  switch (kindOf(type)) {
  case ElementKind::kBool:
    return of(Code::Bool);
  case ElementKind::kSigned:
    return of(Code::Int);
  case ElementKind::kUnsigned:
    return of(Code::UInt);
  case ElementKind::kComplex:
    return of(Code::Complex);
  default:
    break;
  }
  switch (type) {
#define TENON_FLOAT(xla, name, number, exponentBits, mantissaBits, bias, special, mlir, llvm, dlpack, numpy)           \
  case ElementType::k##xla:                                                                                            \
    return of(Code::dlpack);
#include "tenon/support/element_types.def"
  default:
    return std::nullopt;
  }
}

// The dimensions from the one that changes most rapidly, if the elements lie in that order without gaps.
std::optional<std::vector<int64_t>> minorToMajor(const ArrayMemory &memory) {
  std::vector<int64_t> order(memory.dimensions.size());
  std::iota(order.rbegin(), order.rend(), 0);
  // Dimensions of one element lie anywhere; the last of equal strides is the minor one.
  auto stride = [&](int64_t d) { return memory.dimensions[d] == 1 ? 0 : memory.strides[d]; };
  bool empty = std::find(memory.dimensions.begin(), memory.dimensions.end(), 0) != memory.dimensions.end();
  std::vector<int64_t> rowMajor = order;
  auto dense = [&] {
    int64_t expected = 1;
    for (int64_t d : order) {
      if (memory.dimensions[d] != 1 && memory.strides[d] != expected)
        return false;
      expected *= memory.dimensions[d];
    }
    return true;
  };
  if (empty || dense())
    return rowMajor;
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return std::pair(stride(a), -a) < std::pair(stride(b), -b); });
  if (dense())
    return order;
  return std::nullopt;
}

bool isAligned(const ArrayMemory &memory) {
  int64_t size = ShapeUtil::ByteSizeOfPrimitiveType(memory.type);
  int64_t alignment = xla::IsComplexType(memory.type) ? size / 2 : size;
  return reinterpret_cast<uintptr_t>(memory.data) % static_cast<uintptr_t>(alignment) == 0;
}

// Copies the elements from dimension `d` on in row-major order.
void copyStrided(const ArrayMemory &memory, size_t d, const char *from, size_t elementSize, char *&to) {
  if (d == memory.dimensions.size()) {
    std::memcpy(to, from, elementSize);
    to += elementSize;
    return;
  }
  for (int64_t i = 0; i < memory.dimensions[d]; ++i)
    copyStrided(memory, d + 1, from + i * memory.strides[d] * static_cast<int64_t>(elementSize), elementSize, to);
}

// The elements' bytes; those of complex numbers are of their parts.
void copyElements(const ArrayMemory &memory, Literal &literal) {
  auto size = static_cast<size_t>(ShapeUtil::ByteSizeOfPrimitiveType(memory.type));
  char *to = static_cast<char *>(literal.mutable_data());
  if (literal.size_bytes() == 0)
    return;
  copyStrided(memory, 0, static_cast<const char *>(memory.data), size, to);
  if (memory.type == xla::PRED)
    for (char *byte = to - literal.size_bytes(); byte != to; ++byte)
      *byte = *byte != 0;
}

// Whether bytes of truth values, `count` without gaps, are 0 or 1: arrays that are views of others may have any.
bool areTruthValues(const ArrayMemory &memory, int64_t count) {
  const auto *bytes = static_cast<const unsigned char *>(memory.data);
  return std::all_of(bytes, bytes + count, [](unsigned char byte) { return byte <= 1; });
}

// Lets go of what kept memory, on whichever thread.
template <typename Kept> void release(void *, void *context) {
  // After the interpreter's end there is nothing to give it back to.
  if (!Py_IsInitialized())
    return;
  nb::gil_scoped_acquire lock;
  delete static_cast<Kept *>(context);
}

template <typename Kept> Literal literalKeeping(const ArrayMemory &memory, const Kept &kept, std::optional<bool> copy) {
  auto order = minorToMajor(memory);
  Shape dense = ShapeUtil::MakeShape(memory.type, memory.dimensions);
  check(ShapeUtil::Validate(dense));
  bool view =
      order && isAligned(memory) && (memory.type != xla::PRED || areTruthValues(memory, ShapeUtil::ElementsIn(dense)));
  if (copy == false && !view)
    throw StatusError(invalidArgument("a copy is needed: the elements are not aligned, have gaps between them, or are "
                                      "truth values that are neither 0 nor 1"));
  if (copy == true || !view) {
    auto literal = check(Literal::Create(dense));
    copyElements(memory, literal);
    return literal;
  }
  // Without a layout where it is the usual one, so that shapes are equal.
  bool rowMajor = std::is_sorted(order->rbegin(), order->rend());
  Shape shape = rowMajor ? dense : ShapeUtil::MakeShapeWithLayout(memory.type, memory.dimensions, *order);
  if (ShapeUtil::ByteSizeOf(shape) == 0)
    return check(Literal::Create(shape));
  return Literal::Adopt(shape, const_cast<void *>(memory.data), release<Kept>, new Kept(kept));
}

} // namespace

Literal literalFrom(const ArrayMemory &memory, const nb::object &owner, std::optional<bool> copy) {
  return literalKeeping(memory, owner, copy);
}

Literal literalFromDlpack(nb::handle source, std::optional<bool> copy) {
  nb::object device = source.attr("__dlpack_device__")();
  auto kind = castTo<int>(device[0], "the number of a device's kind (__dlpack_device__) is");
  if (kind != nb::device::cpu::value)
    throw StatusError(invalidArgument("the array is on a device of DLPack's kind " + std::to_string(kind) +
                                      ", and not in the CPU's memory"));
  using Array = nb::ndarray<nb::ro, nb::device::cpu>;
  Array array;
  if (!nb::try_cast(source, array))
    throw nb::buffer_error("the array has no form that DLPack knows");
  ArrayMemory memory{xla::PRIMITIVE_TYPE_INVALID, {}, {}, array.data()};
  for (const ElementTypeInfo &info : elementTypes())
    if (dlpackType(info.type) == array.dtype())
      memory.type = static_cast<xla::PrimitiveType>(info.number);
  if (memory.type == xla::PRIMITIVE_TYPE_INVALID)
    throw StatusError(invalidArgument("elements of DLPack's kind " + std::to_string(array.dtype().code) + " with " +
                                      std::to_string(array.dtype().bits) + " bits are not supported"));
  for (size_t d = 0; d < array.ndim(); ++d) {
    memory.dimensions.push_back(static_cast<int64_t>(array.shape(d)));
    memory.strides.push_back(array.stride(d));
  }
  return literalKeeping(memory, array, copy);
}

const void *addressIfUsable(nb::handle source, const Shape &shape) {
  auto type = dlpackType(elementTypeNumbered(shape.element_type()));
  nb::ndarray<nb::ro, nb::device::cpu> array;
  if (!type || !nb::try_cast(source, array, /*convert=*/false) || array.dtype() != *type ||
      array.ndim() != static_cast<size_t>(shape.dimensions_size()))
    return nullptr;
  std::vector<int64_t> strides = rowMajorStrides(ShapeUtil::Dimensions(shape));
  for (int d = 0; d < shape.dimensions_size(); ++d) {
    int64_t size = shape.dimensions(d);
    if (static_cast<int64_t>(array.shape(d)) != size ||
        (size != 1 && array.stride(d) != strides[static_cast<size_t>(d)]))
      return nullptr;
  }
  ArrayMemory memory{shape.element_type(), {}, {}, array.data()};
  int64_t count = ShapeUtil::ElementsIn(shape);
  bool usable = count != 0 && isAligned(memory) && (shape.element_type() != xla::PRED || areTruthValues(memory, count));
  return usable ? array.data() : nullptr;
}

nb::object dlpackOf(const Shape &shape, const void *data, nb::handle owner, const nb::kwargs &arguments) {
  auto type = dlpackType(elementTypeNumbered(shape.element_type()));
  if (!type)
    throw nb::buffer_error(("DLPack has no form for " + ShapeUtil::HumanString(shape)).c_str());
  std::vector<size_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  std::vector<int64_t> strides = xla::LayoutUtil::Strides(shape);
  bool copies =
      arguments.contains("copy") && nb::isinstance<nb::bool_>(arguments["copy"]) && nb::cast<bool>(arguments["copy"]);
  nb::object keeper = nb::borrow(owner);
  if (copies) {
    auto bytes = static_cast<size_t>(ShapeUtil::ByteSizeOf(shape));
    auto memory = std::make_unique<std::byte[]>(bytes);
    std::memcpy(memory.get(), data, bytes);
    data = memory.get();
    keeper = nb::capsule(memory.release(), [](void *own) noexcept { delete[] static_cast<std::byte *>(own); });
  }
  nb::ndarray<nb::array_api, nb::ro> array(data, sizes.size(), sizes.data(), keeper, strides.data(), *type,
                                           nb::device::cpu::value);
  nb::kwargs rest = nb::borrow<nb::kwargs>(nb::dict(arguments).attr("copy")());
  if (copies)
    nb::del(rest["copy"]); // done
  return nb::cast(array).attr("__dlpack__")(**rest);
}

nb::tuple dlpackDevice() { return nb::make_tuple(nb::device::cpu::value, 0); }

nb::object bytesOf(void *data, int64_t size, nb::handle owner, bool writable) {
  auto count = static_cast<size_t>(size);
  if (writable)
    return nb::cast(nb::ndarray<uint8_t, nb::memview>(data, {count}, owner));
  return nb::cast(nb::ndarray<const uint8_t, nb::memview>(data, {count}, owner));
}

} // namespace tenon::python
