#include "tenon/ir/attribute_kinds.h"

#include "tenon/ir/stablehlo.h"

namespace tenon::ir {

using mlir::Type;

bool isFutureOfTensors(Type type) {
  auto future = llvm::dyn_cast<stablehlo::FutureType>(type);
  return future && llvm::all_of(future.getTypes(), llvm::IsaPred<mlir::RankedTensorType>);
}

bool areMeshAxes(mlir::Attribute replicaGroups) {
  auto groups = llvm::cast<stablehlo::ReplicaGroupMeshAxesAttr>(replicaGroups);
  return llvm::isa<mlir::FlatSymbolRefAttr, stablehlo::MeshAttr>(groups.getMesh()) &&
         llvm::all_of(groups.getAxes(), llvm::IsaPred<stablehlo::AxisRefAttr>);
}

bool isAccuracy(mlir::Attribute accuracy) {
  auto given = llvm::cast<stablehlo::ResultAccuracyAttr>(accuracy);
  if (given.getAtol().isNegative() || given.getRtol().isNegative() || given.getUlps() < 0)
    return false;
  return given.getMode().getValue() == stablehlo::ResultAccuracyMode::TOLERANCE ||
         (given.getAtol().isZero() && given.getRtol().isZero() && given.getUlps() == 0);
}

bool isDimensionNumber(mlir::Attribute attribute) {
  auto number = llvm::dyn_cast<mlir::IntegerAttr>(attribute);
  return number && (number.getType().isIndex() ||
                    (number.getType().isSignlessInteger() && number.getValue().getBitWidth() <= 64));
}

} // namespace tenon::ir
