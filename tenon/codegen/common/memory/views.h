// Arrays that need no memory and no kernel, since their elements are there in this order: in a loop, the slice of an
// array at a computed place, as the weights of one layer among those of all.
//
//   while (i) { w = dynamic_slice ws, i, 0, 0, sizes = [1, 256, 256];  x = dot x, (reshape w) }
//     =>  the product reads from ws + i * 65536 on
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace tenon::codegen {

// One dimension of a place in an array: a number of the program's that is moved to what the dimension has, or a
// constant.
struct PlaceIndex {
  mlir::Value start; // null for a constant
  int64_t constant = 0, last = 0;
  int64_t stride = 1; // of the dimension, in elements
};
using Place = llvm::SmallVector<PlaceIndex, 4>;

// What an op outside of fusions reads, or the body of one, by another shape or not: the value outside. Null for what
// the body computes.
mlir::Value readValue(mlir::Operation *op, mlir::Value value);

// Where the box of `sizes` begins that has these starts in an array of the type, all of which `op` reads.
std::optional<Place> placeOf(mlir::Operation *op, mlir::RankedTensorType type, llvm::ArrayRef<int64_t> sizes,
                             mlir::ValueRange starts);

struct View {
  mlir::Value array;
  Place place; // of its first element
};

// What the op's result is a part of, if it is one that is as good as a copy: of an array that no iteration changes, in
// one piece, aligned as whole arrays are, and read by kernels alone.
std::optional<View> findView(mlir::Operation *op, llvm::function_ref<bool(mlir::Operation *)> hasKernel);

} // namespace tenon::codegen
