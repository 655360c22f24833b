// What neighbours give each other where the elements of a result come from others of a dimension that is cut: shifted,
// from a window around them, or from every n-th place.
//
//   x: [a b | c d | e f],  result[o] = x[o - 1] + x[o] + x[o + 1], 0 outside
//     each device is given one element from the left and one from the right: [0 a b c | b c d e | d e f 0]
#pragma once

#include "tenon/passes/partition/local/places.h"

#include <optional>

namespace tenon::passes::partition {

/// Element o of a result comes of the operand's elements o * stride - low and the width - 1 behind it. With a dilation,
/// of those of the operand with so many places less one behind each of its elements.
struct Window {
  int64_t stride = 1, low = 0, width = 1, dilation = 1;
};

/// An operand's dimension and the result's, both cut in the same number of parts.
struct CutDimension {
  int64_t number; // of the operand's dimension
  int64_t size, resultSize;
  const ir::Mesh &mesh;
  ir::Axes axes;
};

/// How many elements of its neighbours a device needs, at most.
struct Halo {
  int64_t left = 0, right = 0;
};

/// None where neighbours would give a device no less than all others have.
std::optional<Halo> haloOf(int64_t size, int64_t resultSize, int64_t parts, const Window &window);

/// The elements of which the device's part of the result comes: of the first one's window, and on to the end of the
/// last one's. Outside of the operand is `filler`; without one, anything, as it is outside of the result. There must be
/// a halo, and a filler where there is a dilation.
mlir::Value withHalo(ArrayBuilder &builder, mlir::Value local, const CutDimension &cut, const Window &window,
                     mlir::Value filler);

/// From how many devices in a row, at most, a device has what it needs of an operand that is part of a result, from
/// place `low` on. None where they are so many that they might as well be all, or the operand is the larger one.
std::optional<int64_t> sourceCountOf(int64_t size, int64_t resultSize, int64_t parts, int64_t low);

/// The operand's elements at the places of the device's part of the result, where the operand begins at place `low`;
/// outside is anything. There must be such a number of sources: each sends its part, once for each place in the row.
mlir::Value fromSources(ArrayBuilder &builder, mlir::Value local, const CutDimension &cut, int64_t low);

/// The same of the whole operand, gathered.
mlir::Value windowOfWhole(ArrayBuilder &builder, mlir::Value local, const CutDimension &cut, const Window &window);

/// The device's part of the operand's elements from `begin` on, as many as the result has: whoever has them gives them
/// to all. For few elements that are on other devices than their parts of the result, of a type that can be added.
mlir::Value partOfFew(ArrayBuilder &builder, mlir::Value local, const CutDimension &cut, int64_t begin);
bool isFew(mlir::RankedTensorType type, int64_t size, int64_t resultSize, int64_t parts);

/// What the device has whose number along the axes is mirrored, or greater by `distance`; zeros where there is none.
mlir::Value fromDistance(ArrayBuilder &builder, mlir::Value value, const ir::Mesh &mesh, llvm::ArrayRef<ir::Atom> axes,
                         int64_t distance);
/// The same where the first device follows the last.
mlir::Value fromAround(ArrayBuilder &builder, mlir::Value value, const ir::Mesh &mesh, llvm::ArrayRef<ir::Atom> axes,
                       int64_t distance);
mlir::Value fromMirrored(ArrayBuilder &builder, mlir::Value value, const ir::Mesh &mesh, llvm::ArrayRef<ir::Atom> axes);

} // namespace tenon::passes::partition
