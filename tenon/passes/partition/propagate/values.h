// The shardings of all values of a program while they spread, and the edges along which values are the same.
//
// What a region takes and gives is one value with what is outside: an op with such regions has an sdy.data_flow_edge
// behind each result, and manual and named computations have one behind each argument of their body. The op's result or
// the argument is used by its edge only, the edge by all users, and it is the edge that has the sharding:
//
//   %r = stablehlo.while(%i = %x) {...}            sources %x and what the body returns
//   %e = sdy.data_flow_edge %r                     targets %r and %i
#pragma once

#include "tenon/ir/mesh.h"
#include "tenon/ir/sdy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <vector>

namespace tenon::passes::propagate {

/// Whether an op's results, and the arguments of its regions, have edges.
bool hasEdges(mlir::Operation *op);
/// The op's values that an edge is behind: results, and arguments of a manual or named computation.
llvm::SmallVector<mlir::Value> edgeOwners(mlir::Operation *op);
/// The values that flow into an edge.
llvm::SmallVector<mlir::Value> sourcesOf(sdy::DataFlowEdgeOp edge);
/// The arguments of regions, other than the edge's owner, that it flows into.
llvm::SmallVector<mlir::Value> otherTargetsOf(sdy::DataFlowEdgeOp edge);
/// The edge of a value that one flows into; none if there is none.
sdy::DataFlowEdgeOp edgeOfTarget(mlir::Value target);
/// The edge behind a result that an operand of an op with edges, or of a return inside of one, flows into.
sdy::DataFlowEdgeOp edgeOfSource(mlir::OpOperand &source);

/// The sharding without the manual axes of a computation, or of these only: manual ones come first in each dimension.
ir::Sharding withoutAxes(const ir::Sharding &sharding, llvm::ArrayRef<int> manual);
/// `outer` with the free axes of its dimensions replaced by those of `inner`.
ir::Sharding withFreeAxes(const ir::Sharding &outer, const ir::Sharding &inner, llvm::ArrayRef<int> manual);

class ValueShardings {
public:
  explicit ValueShardings(mlir::func::FuncOp main) : main(main), meshes(main->getParentOfType<mlir::ModuleOp>()) {}

  /// Takes the shardings that the program's attributes say. Fails, with a diagnostic, where one cannot be.
  llvm::LogicalResult load();
  /// An attribute's sharding, without axes of size 1. Fails with a diagnostic at the op.
  mlir::FailureOr<ir::Sharding> read(mlir::Operation *op, sdy::TensorShardingAttr attribute, mlir::Type type);
  /// Those of a manual computation's operands or results, with every manual axis cut or replicated explicitly.
  mlir::FailureOr<std::vector<ir::Sharding>> readManual(sdy::ManualComputationOp op, bool ofOperands);
  /// The numbers of a manual computation's axes.
  static llvm::SmallVector<int> manualAxes(sdy::ManualComputationOp op, const ir::Mesh *mesh);

  /// The value whose sharding a value has: an edge's for what flows out of it. None for arguments of other regions.
  static mlir::Value carrierOf(mlir::Value value);
  /// None where nothing is known.
  const ir::Sharding *find(mlir::Value value) const;
  void set(mlir::Value value, ir::Sharding sharding);
  void erase(mlir::Value value) { byCarrier.erase(value); }

  mlir::func::FuncOp main;
  ir::MeshTable meshes;
  std::vector<std::optional<ir::Sharding>> results;    // of main
  llvm::DenseMap<mlir::Value, ir::Sharding> byCarrier; // by carrier
};

} // namespace tenon::passes::propagate
