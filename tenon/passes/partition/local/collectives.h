// Collectives along axes of a mesh, as ops of StableHLO. Groups are named by axes, so that programs do not grow with
// the number of devices.
#pragma once

#include "tenon/ir/permutation.h"
#include "tenon/passes/partition/local/places.h"

namespace tenon::passes::partition {

/// The parts of the devices along the axes, one behind the other, the last axis being the minor one.
mlir::Value allGather(ArrayBuilder &builder, mlir::Value local, int64_t dimension, const ir::Mesh &mesh,
                      llvm::ArrayRef<ir::Atom> axes);

/// Every device has the sum, maximum, ... of those along the axes.
mlir::Value allReduce(ArrayBuilder &builder, mlir::Value local, const ir::Mesh &mesh, llvm::ArrayRef<ir::Atom> axes,
                      SumKind kind = SumKind::kAdd);

/// The same, of which each device keeps its part along the dimension, which the number of devices divides.
mlir::Value reduceScatter(ArrayBuilder &builder, mlir::Value local, int64_t dimension, const ir::Mesh &mesh,
                          llvm::ArrayRef<ir::Atom> axes, SumKind kind = SumKind::kAdd);

/// Each device gives the others along the axes their parts along `split`, and has theirs one behind the other along
/// `concatenated`.
mlir::Value allToAll(ArrayBuilder &builder, mlir::Value local, int64_t split, int64_t concatenated,
                     const ir::Mesh &mesh, llvm::ArrayRef<ir::Atom> axes);

/// The arrays of other devices. Who is sent none has zeros. The call of a routine: StableHLO's op lists all devices.
mlir::Value collectivePermute(ArrayBuilder &builder, mlir::Value local, const ir::GroupPermutation &permutation);
/// The same of pairs of a source and a target, for what is no permutation along axes.
mlir::Value collectivePermute(ArrayBuilder &builder, mlir::Value local, llvm::ArrayRef<int64_t> pairs);
bool isPermuteCall(mlir::Operation *op);

/// Each device has its rows `begins[i]` to `begins[i] + counts[i]` put at row `places[i]` of what number i of those
/// along the axes has for a result; these are `received[i]`. All are lists of i32. The call of a routine.
struct RowLists {
  mlir::Value begins, counts, places, received;
};
mlir::Value exchangeRows(ArrayBuilder &builder, mlir::Value rows, mlir::Value result, const RowLists &lists,
                         const ir::Mesh &mesh, llvm::ArrayRef<ir::Atom> axes);
bool isExchangeRowsCall(mlir::Operation *op);

/// The axes of a mesh, as axes of the grid of its places.
llvm::SmallVector<ir::ProcessAxis, 4> processAxes(const ir::Mesh &mesh, llvm::ArrayRef<ir::Atom> axes);

/// The sum, maximum, ... of two arrays, and a computation of that on scalars in an empty region.
mlir::Value combine(ArrayBuilder &builder, mlir::Value a, mlir::Value b, SumKind kind);
void addComputation(ArrayBuilder &builder, mlir::Region &region, mlir::Type element, SumKind kind);

/// The groups of devices that differ along these axes only, as ops have them (replica_groups, with the attribute
/// use_global_device_ids and a channel of type 1).
mlir::Attribute groupsAlong(mlir::MLIRContext *context, const ir::Mesh &mesh, llvm::ArrayRef<ir::Atom> axes);

} // namespace tenon::passes::partition
