// Indices that a kernel computes from numbers of its iteration alone.
#pragma once

#include "tenon/codegen/common/region/region_indexer.h"

#include <optional>

namespace tenon::codegen {

// Element `index` of `value`, integers, as an index: where the kernel's region makes it of iotas and constants by sums,
// differences, multiples and choices that the ranges of the iteration decide. None where it depends on data, is no
// affine expression, or where a step may leave the range of the element type.
std::optional<mlir::AffineExpr> affineValue(RegionIndexer &indexer, mlir::Value value,
                                            llvm::ArrayRef<mlir::AffineExpr> index);

} // namespace tenon::codegen
