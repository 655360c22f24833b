// Properties of the element types.
#pragma once

#include "tenon/shape.h"
#include "tenon/support/float_format.h"

namespace xla::internal {

enum class Kind { kPred, kSigned, kUnsigned, kFloat, kComplex };

struct TypeInfo {
  PrimitiveType type;
  const char *name;
  Kind kind;
  int bits;  // of the value
  int bytes; // of storage
  // The format of a float of at most 16 bits; null for other types.
  const tenon::FloatFormat *format = nullptr;
};

// Null for what is no element type: TUPLE, TOKEN, OPAQUE_TYPE, and numbers that no type has.
const TypeInfo *findType(PrimitiveType type);
// All element types.
gtl::ArraySlice<TypeInfo> elementTypes();

// Some of the values of an element type.
enum class Special { kZero, kOne, kLowest, kHighest };
// Its bytes, at most 16. False where there is no such value: complex numbers are not ordered.
bool specialValue(const TypeInfo &info, Special which, unsigned char *bytes);

// Whether the bytes are what Tenon makes of the type's values: 0 or 1 for PRED, the bits above those of a type of less
// than 8 bits extend it. Other types: always.
bool allCanonical(const TypeInfo &info, const void *bytes, int64 size);
void makeCanonical(const TypeInfo &info, void *bytes, int64 size);

} // namespace xla::internal
