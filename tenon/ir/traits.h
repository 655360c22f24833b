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

/// The cost of computing one element of an elementwise op.
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

/// The cost of an op, or none if it is not elementwise.
std::optional<ElementCost> elementCost(mlir::OperationName name);

/// The result's elements are elements of the operands. Where each is from says code generation: see
/// RegionIndexer::sources.
template <typename Op> class MovesElements : public mlir::OpTrait::TraitBase<Op, MovesElements> {};

/// Marks ops that move elements of the first operand only, at indices that are known when the program is compiled.
/// Inside a kernel such an op costs nothing.
template <typename Op> class Reindexes : public mlir::OpTrait::TraitBase<Op, Reindexes> {};

/// Marks ops that move elements and keep dimensions: dimension n of the result is dimension n of each operand of its
/// rank, where the two are of one size.
template <typename Op> class KeepsDimensions : public mlir::OpTrait::TraitBase<Op, KeepsDimensions> {};

/// Takes part in communication between the processes of a grid.
template <typename Op> class Collective : public mlir::OpTrait::TraitBase<Op, Collective> {};

} // namespace tenon::ir
