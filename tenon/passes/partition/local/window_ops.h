// What the forms of ops with windows have in common: their attributes, and halos by the dimensions of their operands.
#pragma once

#include "tenon/passes/partition/local/halo.h"
#include "tenon/passes/partition/local/local_form.h"

namespace tenon::passes::partition {

/// The dimension that has the factor.
int64_t dimensionOf(const ir::TensorFactors &dims, size_t factor);

/// In how many parts operand 0's dimension is cut.
int64_t partsOf(const LocalOp &op, int64_t dimension);

/// How an operand's dimension is cut, and the result's.
CutDimension cutOf(const LocalOp &op, size_t operand, int64_t dimension, int64_t resultDimension);

/// The operand's part with what its neighbours have.
mlir::Value withHaloAlong(LocalOp &op, size_t operand, mlir::Value value, int64_t dimension, int64_t resultDimension,
                          const Window &window, mlir::Value filler);
/// Whether there is such a halo, of operand 0.
bool hasHalo(mlir::Operation *op, int64_t dimension, int64_t resultDimension, int64_t parts, const Window &window);

/// Entry i of an attribute that is ones where it is missing.
int64_t at(std::optional<llvm::ArrayRef<int64_t>> values, int64_t i);
/// Low and high padding, by dimension.
llvm::SmallVector<int64_t> paddingOf(std::optional<mlir::DenseIntElementsAttr> padding, size_t dims);

mlir::NamedAttribute numbers(LocalOp &op, llvm::StringRef name, llvm::ArrayRef<int64_t> values);
mlir::NamedAttribute padding(LocalOp &op, llvm::ArrayRef<int64_t> values);

} // namespace tenon::passes::partition
