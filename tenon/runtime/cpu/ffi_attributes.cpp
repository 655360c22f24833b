#include "tenon/runtime/cpu/ffi_internal.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tenon::runtime {
namespace {

using program::Attribute;
using program::AttributeDict;
using program::FloatArrayAttribute;
using program::FloatAttribute;
using program::IntegerArrayAttribute;
using program::IntegerAttribute;
using program::NamedAttribute;
using program::OpaqueAttribute;

struct ScalarType {
  XLA_FFI_DataType dtype = XLA_FFI_DataType_INVALID;
  size_t bytes = 0;
};

// Handlers take numbers of whole bytes, and booleans, of the types that C has, and the two half precisions.
ScalarType scalarType(ElementType type) {
  unsigned narrowest = isFloat(type) ? 16 : type == ElementType::kI1 ? 1 : 8;
  if (kindOf(type) == ElementKind::kNone || isComplex(type) || bitWidth(type) < narrowest)
    return {};
  return {ffiDataType(type), size_t(byteSize(type))};
}

// Writes one number at `to` in its type's representation.
void storeInteger(char *to, size_t bytes, int64_t value) { std::memcpy(to, &value, bytes); } // little-endian

void storeFloat(char *to, XLA_FFI_DataType dtype, double value) {
  switch (dtype) {
  case XLA_FFI_DataType_F64:
    std::memcpy(to, &value, 8);
    return;
  case XLA_FFI_DataType_F32: {
    float narrow = float(value);
    std::memcpy(to, &narrow, 4);
    return;
  }
  case XLA_FFI_DataType_F16: {
    _Float16 narrow = _Float16(value);
    std::memcpy(to, &narrow, 2);
    return;
  }
  default: { // BF16; the values are exact
    uint16_t bits = uint16_t(std::bit_cast<uint32_t>(float(value)) >> 16);
    std::memcpy(to, &bits, 2);
  }
  }
}

} // namespace

StatusOr<std::unique_ptr<FfiAttributes>> FfiAttributes::create(const AttributeDict &dict) {
  std::unique_ptr<FfiAttributes> result(new FfiAttributes());
  // Handlers look names up by binary search.
  std::vector<const NamedAttribute *> sorted;
  for (const NamedAttribute &attribute : dict)
    sorted.push_back(&attribute);
  std::sort(sorted.begin(), sorted.end(), [](auto *a, auto *b) { return a->name < b->name; });
  for (const NamedAttribute *attribute : sorted) {
    const std::string &name = result->texts_.emplace_back(attribute->name);
    result->namePointers_.push_back(&result->spans_.emplace_back(XLA_FFI_ByteSpan{name.data(), name.size()}));
    TENON_RETURN_IF_ERROR(result->add(*attribute));
  }
  result->attrs_ = {XLA_FFI_Attrs_STRUCT_SIZE,    nullptr,
                    int64_t(sorted.size()),       result->types_.data(),
                    result->namePointers_.data(), result->values_.data()};
  return result;
}

Status FfiAttributes::add(const NamedAttribute &attribute) {
  auto addScalar = [&](program::ElementType type, auto store) -> Status {
    ScalarType scalar = scalarType(type);
    if (scalar.bytes == 0)
      return unimplemented("attribute '" + attribute.name + "' has type " + program::elementTypeName(type) +
                           ", which handlers cannot take");
    char *place = reinterpret_cast<char *>(storage_.emplace_back(1).data());
    store(place, scalar);
    types_.push_back(XLA_FFI_AttrType_SCALAR);
    values_.push_back(&scalars_.emplace_back(XLA_FFI_Scalar{scalar.dtype, place}));
    return {};
  };
  const auto &value = attribute.value.value;
  if (std::holds_alternative<std::monostate>(value))
    return addScalar(program::ElementType::kI1, [](char *to, ScalarType) { *to = 1; });
  if (auto *boolean = std::get_if<bool>(&value))
    return addScalar(program::ElementType::kI1, [&](char *to, ScalarType) { *to = *boolean; });
  if (auto *integer = std::get_if<IntegerAttribute>(&value))
    return addScalar(integer->type, [&](char *to, ScalarType type) { storeInteger(to, type.bytes, integer->value); });
  if (auto *number = std::get_if<FloatAttribute>(&value))
    return addScalar(number->type, [&](char *to, ScalarType type) { storeFloat(to, type.dtype, number->value); });
  if (auto *text = std::get_if<std::string>(&value)) {
    const std::string &kept = texts_.emplace_back(*text);
    types_.push_back(XLA_FFI_AttrType_STRING);
    values_.push_back(&spans_.emplace_back(XLA_FFI_ByteSpan{kept.data(), kept.size()}));
    return {};
  }
  if (auto *array = std::get_if<IntegerArrayAttribute>(&value))
    return addArray(array->type, array->values.size(), &array->values, nullptr);
  if (auto *array = std::get_if<FloatArrayAttribute>(&value))
    return addArray(array->type, array->values.size(), nullptr, &array->values);
  if (auto *dict = std::get_if<AttributeDict>(&value))
    return addDictionary(*dict);
  if (auto *elements = std::get_if<std::vector<Attribute>>(&value)) {
    // A sequence of any kinds: a dictionary with the positions as names.
    AttributeDict dict;
    for (const Attribute &element : *elements)
      dict.push_back({std::to_string(dict.size()), element});
    return addDictionary(dict);
  }
  return unimplemented("attribute '" + attribute.name +
                       "' is of a kind that handlers cannot take: " + std::get<OpaqueAttribute>(value).text);
}

Status FfiAttributes::addArray(program::ElementType type, size_t size, const std::vector<int64_t> *integers,
                               const std::vector<double> *floats) {
  ScalarType scalar = scalarType(type);
  if (scalar.bytes == 0)
    return unimplemented(std::string("arrays of ") + program::elementTypeName(type) +
                         " cannot be attributes of handlers");
  char *place = reinterpret_cast<char *>(storage_.emplace_back((size * scalar.bytes + 7) / 8 + 1).data());
  for (size_t i = 0; i < size; ++i)
    if (integers)
      storeInteger(place + i * scalar.bytes, scalar.bytes, (*integers)[i]);
    else
      storeFloat(place + i * scalar.bytes, scalar.dtype, (*floats)[i]);
  types_.push_back(XLA_FFI_AttrType_ARRAY);
  values_.push_back(&arrays_.emplace_back(XLA_FFI_Array{scalar.dtype, size, place}));
  return {};
}

Status FfiAttributes::addDictionary(const AttributeDict &dict) {
  TENON_ASSIGN_OR_RETURN(std::unique_ptr<FfiAttributes> child, create(dict));
  types_.push_back(XLA_FFI_AttrType_DICTIONARY);
  values_.push_back(&child->attrs_);
  children_.push_back(std::move(child));
  return {};
}

// The numbers of xla.proto are those of XLA's FFI.
#define TENON_ELEMENT_TYPE(enumerator, xla)                                                                            \
  static_assert(elementTypeInfo(ElementType::enumerator).number == XLA_FFI_DataType_##xla);
#define TENON_UNKNOWN_TO_XLA_FLOAT(...)
#include "tenon/support/element_types.def"

XLA_FFI_DataType ffiDataType(program::ElementType type) {
  switch (type) {
#define TENON_ELEMENT_TYPE(enumerator, xla)                                                                            \
  case ElementType::enumerator:                                                                                        \
    return XLA_FFI_DataType_##xla;
#define TENON_UNKNOWN_TO_XLA_FLOAT(...)
#include "tenon/support/element_types.def"
  default:
    return XLA_FFI_DataType_INVALID;
  }
}

} // namespace tenon::runtime
