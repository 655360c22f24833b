// A question about an array of booleans.
#pragma once

#include "tenon/passes/legalize/decompose/array_builder.h"

namespace tenon::passes {

// Whether all of the booleans are true.
mlir::Value allTrue(ArrayBuilder &arrays, mlir::Value conditions);

} // namespace tenon::passes
