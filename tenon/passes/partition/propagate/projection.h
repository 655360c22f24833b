// Shardings by factor. A tensor's dimension sharding is dealt out to the factors of the dimension (ir/factors.h), major
// to minor, each taking axes until it is full; axes are split where a factor is full in the middle of one:
//
//   ([ij])->([i, j]) {i=2, j=4}, an operand cut [{"x", "y"}], mesh <"x"=4, "y"=2>:  i: "x":(1)2   j: "x":(2)2, "y"
#pragma once

#include "tenon/ir/factors.h"
#include "tenon/ir/mesh.h"

#include <optional>

namespace tenon::passes::propagate {

using ir::Atom;
using ir::Axes;

/// How a tensor is cut along one factor.
struct FactorCut {
  Axes axes;
  Axes overflow;            // further axes of the dimension that fit no factor: they keep more from being added
  bool isClosed = false;    // nothing may be added
  bool isMinorMost = false; // the last factor of its dimension, which may be cut unevenly
};

/// How a tensor is cut along each factor; none along those that it does not have.
struct TensorCuts {
  llvm::SmallVector<std::optional<FactorCut>, 6> factors;
  Axes replicated, unreduced;
  sdy::ReductionOp reduction = sdy::ReductionOp::SUM;

  const FactorCut *find(size_t factor) const { return factors[factor] ? &*factors[factor] : nullptr; }
};

/// A tensor without a sharding is open, and not cut.
TensorCuts project(const ir::TensorFactors &dims, llvm::ArrayRef<ir::Factor> factors, const ir::Sharding *sharding);
/// Backwards. A factor is left out if one before it in its dimension is not full.
ir::Sharding unproject(const TensorCuts &cuts, const ir::TensorFactors &dims, llvm::ArrayRef<ir::Factor> factors,
                       const ir::Mesh *mesh);

//===- Lists of axes ---------------------------------------------------------------------------------------------===//

/// Whether the part starts where the whole does, and does not end later.
inline bool isPrefix(const Atom &part, const Atom &whole) { return whole.contains(part) && part.pre == whole.pre; }
/// Whether the first list is the beginning of the other one, whose axis after that may be split.
bool isPrefix(llvm::ArrayRef<Atom> part, llvm::ArrayRef<Atom> whole);
inline bool isStrictPrefix(llvm::ArrayRef<Atom> part, llvm::ArrayRef<Atom> whole) {
  return part != whole && isPrefix(part, whole);
}
/// The largest part of the axis, from its beginning, that overlaps none of the others. None if it begins inside one.
std::optional<Atom> prefixWithoutOverlap(Atom axis, llvm::ArrayRef<Atom> others);

} // namespace tenon::passes::propagate
