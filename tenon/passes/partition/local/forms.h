// The forms that are more than the op as it is, by file. See local_form.h.
#pragma once

#include "tenon/passes/partition/local/local_form.h"

namespace tenon::passes::partition {

// Sums over dimensions (reductions.cpp).
LocalForm dotForm();
LocalForm reduceForm(mlir::Operation *op);
// Reading and writing at indices (indexing.cpp).
LocalForm gatherForm();
LocalForm scatterForm();
LocalForm updateForm();

// Elements elsewhere in a dimension (windows.cpp).
LocalForm sliceForm();
LocalForm padForm();
LocalForm reverseForm();
LocalForm concatenateForm();
LocalForm reduceWindowForm();
LocalForm convolutionForm();

/// What a region of one op on two scalars, in either order, computes of any number of elements; none if it is another.
std::optional<SumKind> sumKindOf(mlir::Region &computation);
/// Whether neutral elements of the type are known, and collectives add it up.
bool isSummable(mlir::Type element, SumKind kind);

} // namespace tenon::passes::partition
