// What a program's annotations in XLA's notation say, over meshes that are made for them.
#pragma once

#include "tenon/ir/mesh.h"
#include "tenon/ir/op_sharding.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/program/sharding.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <vector>

namespace tenon::passes::annotations {

inline constexpr llvm::StringLiteral kAnnotation = "mhlo.sharding";

/// A custom call that is an annotation of its operand: Sharding, or the border of a computation for single devices.
bool isCallOf(mlir::Operation *op, llvm::StringRef target);
/// What a function says of its arguments, and then of its results.
llvm::SmallVector<mlir::DictionaryAttr> signatureAttributes(mlir::func::FuncOp function);
/// The dimensions of an array that the annotation leaves open: `unspecified_dims=[0,2]`.
llvm::SmallVector<int64_t> openDims(stablehlo::CustomCallOp call);

class Annotations {
public:
  Annotations(mlir::ModuleOp module, int64_t devices) : module_(module), devices_(devices) {}

  /// Reads all annotations and adds the meshes that they need to the module. Fails with a diagnostic.
  llvm::LogicalResult collect();

  /// What an annotation that has been read says of its values. No attribute says nothing.
  llvm::ArrayRef<program::AnnotatedSharding> of(mlir::Attribute attribute) const;
  /// The annotation of one value: at the op that it is a result of, or at an argument of a function.
  const program::Sharding *ofValue(mlir::Value value) const;

  /// The mesh that a sharding by tiles is over; null for others.
  const ir::Mesh *meshOf(const program::Sharding &sharding) const;
  /// The one of most arrays.
  const ir::Mesh &defaultMesh() const { return *families_.front().mesh; }
  /// What is not by tiles is over `mesh`, or over the default one. Fails with a diagnostic at the op.
  mlir::FailureOr<ir::PartlyManualSharding> read(mlir::Operation *op, const program::Sharding &sharding, int64_t rank,
                                                 const ir::Mesh *mesh = nullptr);
  sdy::TensorShardingAttr write(const ir::Sharding &sharding) const { return meshes_->write(sharding); }

private:
  // Shardings that can be told by the axes of one mesh.
  struct Family {
    llvm::SmallVector<int64_t> order;         // of the devices; empty: that of their numbers
    std::vector<program::Sharding> shardings; // with places in this order instead of devices
    ir::Mesh axes;                            // without the order
    const ir::Mesh *mesh = nullptr;
  };
  struct Placed {
    size_t family;
    program::Sharding byPlaces;
  };

  llvm::LogicalResult collect(mlir::Operation *op, mlir::Attribute attribute);
  llvm::LogicalResult place(mlir::Operation *op, const program::Sharding &sharding);
  bool joins(size_t family, const program::Sharding &sharding);
  void addMeshes();

  mlir::ModuleOp module_;
  int64_t devices_;
  llvm::DenseMap<mlir::Attribute, std::vector<program::AnnotatedSharding>> read_;
  std::vector<Family> families_;
  llvm::StringMap<Placed> placed_; // by text
  std::optional<ir::MeshTable> meshes_;
};

/// Makes a manual computation of what is between calls of SPMDFullToShardShape and SPMDShardToFullShape.
llvm::LogicalResult importZones(mlir::ModuleOp module, Annotations &annotations);

} // namespace tenon::passes::annotations
