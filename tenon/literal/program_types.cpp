#include "tenon/literal/program_types.h"

namespace tenon {

#define TENON_ELEMENT_TYPE(enumerator, type)                                                                           \
  static_assert(elementTypeInfo(ElementType::enumerator).number == xla::type);
#include "tenon/support/element_types.def"

program::ElementType elementTypeOf(xla::PrimitiveType type) { return elementTypeNumbered(type); }

xla::PrimitiveType primitiveTypeOf(program::ElementType type) {
  return static_cast<xla::PrimitiveType>(elementTypeInfo(type).number);
}

} // namespace tenon
