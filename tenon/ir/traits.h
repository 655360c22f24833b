// Families of ops that passes and code generation ask about: `op->hasTrait<tenon::ir::Elementwise>()`. The records in
// tenon/ops say which ops are of which.
#pragma once

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OperationSupport.h"

#include <optional>

namespace tenon::ir {

/// The value at an index depends on the operands' values at that index only. Operands have the result's shape, except
/// that select's predicate and clamp's bounds may be of rank 0, and then count at every index.
template <typename Op> class Elementwise : public mlir::OpTrait::TraitBase<Op, Elementwise> {};

/// What computing one element of an elementwise op takes.
enum class ElementCost {
  kSimple,        // an instruction or a few
  kDivision,      // a division, which of integers is slow
  kRemainder,     // a division with what follows from it
  kRoot,          // square roots
  kExponential,   // exponentials, logarithms and what is made of one
  kTrigonometric, // sines, powers and others of their length
  kSpecial,       // CHLO's functions, of which no time is known
};

/// Each elementwise op has one of these.
template <ElementCost cost> struct Costs {
  template <typename Op> class Impl : public mlir::OpTrait::TraitBase<Op, Impl> {};
};

/// Nothing of ops that are not elementwise.
std::optional<ElementCost> elementCost(mlir::OperationName name);

/// Takes part in communication between the processes of a grid.
template <typename Op> class Collective : public mlir::OpTrait::TraitBase<Op, Collective> {};

} // namespace tenon::ir
