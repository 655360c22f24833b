// The forms that are more than the op as it is, by file. See local_form.h.
#pragma once

#include "tenon/passes/partition/local/local_form.h"

namespace tenon::passes::partition {

// Sums over dimensions (reductions.cpp).
LocalForm dotForm();
LocalForm reduceForm(mlir::Operation *op);
// Products of groups of rows (ragged_dot.cpp).
LocalForm raggedDotForm();
// Reading and writing at indices (indexing.cpp).
LocalForm gatherForm();
LocalForm scatterForm(mlir::Operation *op);
// Slices at computed places (dynamic_slices.cpp).
LocalForm dynamicSliceForm();
LocalForm updateForm();
// Random bits (random.cpp).
LocalForm randomBitsForm();
// Sorting a dimension that no other can take the axes of (sort.cpp).
LocalForm sortForm(bool isInProcess);
// The largest elements of a dimension (top_k.cpp).
LocalForm topKForm();

// Elements elsewhere in a dimension (windows.cpp).
LocalForm sliceForm();
LocalForm padForm();
LocalForm reverseForm();
LocalForm concatenateForm();
LocalForm reduceWindowForm();
// Adding to what windows select (select_and_scatter.cpp).
LocalForm selectAndScatterForm();
// Products and sums over windows (convolution.cpp).
LocalForm convolutionForm();

/// A sum, or a maximum, ... of all elements up to each one along a dimension, or, from behind, from each one on.
struct Scan {
  int64_t dimension;
  bool isFromBehind;
  SumKind kind;
};
/// None if that is not what windows are of (scans.cpp).
std::optional<Scan> scanOf(stablehlo::ReduceWindowOp op);
/// The local results where that dimension is cut.
llvm::SmallVector<mlir::Value> buildScan(LocalOp &op, const Scan &scan);

/// The same of a whole array.
mlir::Value scanned(ArrayBuilder &builder, mlir::Value input, mlir::Value initial, const Scan &scan);

/// Scans along a dimension (scans.cpp).
LocalForm scanForm();

/// What a region of one op on two scalars, in either order, computes of any number of elements; none if it is another.
std::optional<SumKind> sumKindOf(mlir::Region &computation);
/// The same of a value in a block of two arguments.
std::optional<SumKind> sumKindOf(mlir::Block &block, mlir::Value value);
/// How what devices compute of a product along a dimension that is summed over adds up; none for types of which
/// collectives make no sums.
std::optional<SumKind> sumOfProducts(mlir::Operation *op);
/// A product's operands, with zeros in place of padding along such dimensions.
llvm::SmallVector<mlir::Value> withZerosForPadding(LocalOp &op);
/// Whether neutral elements of the type are known, and collectives add it up.
bool isSummable(mlir::Type element, SumKind kind);
/// Whether they do, or add up f32 in its place (local_form.h, isAddedInF32).
bool isSummableInF32(mlir::Type element, SumKind kind);

} // namespace tenon::passes::partition
