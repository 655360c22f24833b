// Kernels that read or write one element of an array, as a scan over numbers has them in each step. In a loop the entry
// function does it itself: the call of the kernel, whose operands go through memory, takes ten times as long.
#pragma once

#include "tenon/codegen/common/kernel.h"
#include "tenon/codegen/common/memory/views.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace tenon::codegen::entry {

struct ElementAccess {
  mlir::Value array; // that is read
  Place place;
  mlir::Value
      stored; // the number that is written to the place in the result, which begins as `array`; null: it is read
};

// What the op, which has this kernel, does, if it is nothing else than that.
std::optional<ElementAccess> elementAccess(mlir::Operation *op, const Kernel &kernel);

} // namespace tenon::codegen::entry
