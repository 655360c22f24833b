// The forms that are more than the op as it is, by file. See local_form.h.
#pragma once

#include "tenon/passes/partition/local/local_form.h"

namespace tenon::passes::partition {

// Sums over dimensions (reductions.cpp).
LocalForm dotForm();
LocalForm reduceForm();

/// What a region of one op on two scalars, in either order, computes of any number of elements; none if it is another.
std::optional<SumKind> sumKindOf(mlir::Region &computation);

} // namespace tenon::passes::partition
