// Properties of the element types.
#pragma once

#include "tenon/literal/program_types.h"
#include "tenon/shape.h"

namespace tenon::xla_2017::internal {

// Null for what is no element type: TUPLE, TOKEN, OPAQUE_TYPE, and numbers that no type has.
const tenon::ElementTypeInfo *findType(PrimitiveType type);

// Some of the values of an element type.
enum class Special { kZero, kOne, kLowest, kHighest };
// Its bytes, at most 16. False where there is no such value: complex numbers are not ordered.
bool specialValue(const tenon::ElementTypeInfo &info, Special which, unsigned char *bytes);

// Whether the bytes are what Tenon makes of the type's values: 0 or 1 for PRED, the bits above those of a type of less
// than 8 bits extend it. Other types: always.
bool allCanonical(const tenon::ElementTypeInfo &info, const void *bytes, int64 size);
void makeCanonical(const tenon::ElementTypeInfo &info, void *bytes, int64 size);

} // namespace tenon::xla_2017::internal
