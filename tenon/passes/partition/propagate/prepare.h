// What is done before shardings spread, each step on its own; see prepare_*.cpp.
#pragma once

#include "tenon/passes/partition/propagate/values.h"

namespace tenon::passes::propagate {

/// Makes a named computation of each call, with the shardings of the function that is called.
llvm::LogicalResult importCalls(mlir::func::FuncOp main);
/// Copies constants, and what is computed from such alone, for each use, so that each can have its own sharding.
void splitConstants(mlir::func::FuncOp main);
/// Puts an edge behind each value that has one.
void addEdges(mlir::func::FuncOp main);
/// Gives edges the shardings of the computations that they belong to.
llvm::LogicalResult loadEdges(ValueShardings &values);
/// Makes constraints the shardings of what they constrain, and of its later uses, where nothing speaks against it.
llvm::LogicalResult applyConstraints(ValueShardings &values);

/// Values that shall have the same sharding, by carrier.
class Groups {
public:
  /// Groups that have a value in common are one. Gives the values of a group the sharding that one of them has; where
  /// two differ, an open constraint takes the place of each value.
  llvm::LogicalResult build(ValueShardings &values);
  llvm::ArrayRef<mlir::Value> membersWith(mlir::Value carrier) const;

private:
  llvm::DenseMap<mlir::Value, size_t> groupOf_;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> groups_;
};

} // namespace tenon::passes::propagate
