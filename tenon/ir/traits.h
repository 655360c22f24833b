// Families of ops that passes and code generation ask about: `op->hasTrait<tenon::ir::Elementwise>()`.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace tenon::ir {

/// The value at an index depends on the operands' values at that index only. Operands have the result's shape, except
/// that select's predicate and clamp's bounds may be of rank 0, and then count at every index.
template <typename Op> class Elementwise : public mlir::OpTrait::TraitBase<Op, Elementwise> {};

/// Takes part in communication between the processes of a grid.
template <typename Op> class Collective : public mlir::OpTrait::TraitBase<Op, Collective> {};

} // namespace tenon::ir
