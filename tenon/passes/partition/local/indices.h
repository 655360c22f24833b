// Arithmetic on indices: of any integer type in the program, i32 in a device's part.
#pragma once

#include "tenon/passes/partition/local/local_form.h"

namespace tenon::passes::partition {

/// Whether the tensor's dimension is cut.
bool isCut(const ir::Sharding &sharding, int64_t dimension);

/// An array of that type, of one number.
mlir::Value filled(ArrayBuilder &builder, mlir::RankedTensorType type, int64_t value);

/// Indices brought to [0, limit], as i32.
mlir::Value clamped(ArrayBuilder &builder, mlir::Value indices, int64_t limit);

/// Indices that are in [0, size), as i32; -1 for others.
mlir::Value orNone(ArrayBuilder &builder, mlir::Value indices, int64_t size);

/// Which of the indices are in [low, limit).
mlir::Value isBetween(ArrayBuilder &builder, mlir::Value indices, int64_t low, int64_t limit);

/// Indices (i32) into an operand's dimension, counted from where the device's part begins.
mlir::Value fromPart(LocalOp &op, size_t operand, int64_t dimension, mlir::Value indices);

/// How what is somewhere else in a dimension is moved: devices that do not have it add what changes nothing. None for
/// types that collectives do not add.
std::optional<SumKind> sumOfMoved(mlir::Operation *op);

/// Factors that operand 0 and the results of an op have in common, each of which becomes two: one of the operand, along
/// which devices have summands of the results, and one of the results.
ir::Factors withOwnResults(mlir::Operation *op, ir::Factors factors, llvm::function_ref<bool(size_t)> isParted);

} // namespace tenon::passes::partition
