// The element types of literals as those of compiled programs: the same types, with the same storage, under two names.
#pragma once

#include "tenon/program/program.h"
#include "tenon/types.h"

namespace tenon {

// kInvalid of tuples and the like.
program::ElementType elementTypeOf(xla::PrimitiveType type);
// PRIMITIVE_TYPE_INVALID of kInvalid, TOKEN of tokens.
xla::PrimitiveType primitiveTypeOf(program::ElementType type);

} // namespace tenon
