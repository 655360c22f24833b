// Where a device is on its mesh and which part of an array it has, as arithmetic on `partition_id`: the same program
// serves every device, and is of the same size for any number of them.
//
// A dimension of N elements that is cut in n parts has ceil(N / n) elements on each device. Where that is more than
// there are, the last parts end in padding of any value.
#pragma once

#include "tenon/ir/mesh.h"
#include "tenon/passes/legalize/decompose/array_builder.h"

#include <optional>

namespace tenon::passes::partition {

/// What one device has of an array.
mlir::RankedTensorType localType(mlir::RankedTensorType global, const ir::Sharding &sharding);

/// Whether the parts of this dimension end in padding on some device.
bool isUneven(mlir::RankedTensorType global, const ir::Sharding &sharding, int64_t dimension);

/// The number of this device's part among those along the axes, the last of which is the minor one (i32).
mlir::Value partNumber(ArrayBuilder &builder, const ir::Mesh &mesh, llvm::ArrayRef<ir::Atom> axes);

/// Where this device's part begins in the array: partNumber times the part's size (i32).
mlir::Value partStart(ArrayBuilder &builder, mlir::RankedTensorType global, const ir::Sharding &sharding,
                      int64_t dimension);

/// The local array with `filler`, a scalar of its type, wherever it has padding along the dimension. The array itself
/// if that is cut evenly.
mlir::Value withoutPadding(ArrayBuilder &builder, mlir::Value local, mlir::RankedTensorType global,
                           const ir::Sharding &sharding, int64_t dimension, mlir::Value filler);

/// A scalar of a kind of reduction's neutral element.
enum class SumKind { kAdd, kMultiply, kMaximum, kMinimum, kAnd, kOr };
mlir::Value neutralElement(ArrayBuilder &builder, mlir::Type element, SumKind kind);

/// How a sharding says of what kind summands are; none for kinds that no sharding can name.
std::optional<sdy::ReductionOp> reductionOf(SumKind kind);
SumKind kindOf(sdy::ReductionOp reduction);

} // namespace tenon::passes::partition
