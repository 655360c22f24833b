// Rolls along a dimension that is cut: each device is sent what its part becomes by one device, or two.
//
//   x: [a b c | d e f],  concatenate x[5:6], x[0:5]   =>   [f a b | c d e]
//
// As slices that are concatenated, they would send parts to the places of two other arrays, and from there.
#pragma once

#include "tenon/passes/partition/local/places.h"

#include <optional>

namespace tenon::passes::partition {

/// An array's end before its beginning: element i is the source's i - shift, modulo the size.
struct Roll {
  mlir::Value source;
  int64_t dimension;
  int64_t shift; // from 0 on, less than the size
};

/// What the op is, if it is a roll: a concatenation of two slices of one array.
std::optional<Roll> rollOf(mlir::Operation *op);

/// The device's part of the rolled array. Source and result are cut alike, the rolled dimension evenly along the axes.
mlir::Value rolled(ArrayBuilder &builder, mlir::Value local, const Roll &roll, const ir::Mesh &mesh,
                   llvm::ArrayRef<ir::Atom> axes);

} // namespace tenon::passes::partition
