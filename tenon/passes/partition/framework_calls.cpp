#include "tenon/passes/partition/framework_calls.h"

#include "tenon/ir/element_types.h"
#include "tenon/ir/op_sharding.h"
#include "tenon/passes/partition/partition.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {

bool isPartitionedByFramework(Operation *op) {
  auto call = dyn_cast<sh::CustomCallOp>(op);
  return call && program::findCallPartitioner(call.getCallTargetName().str()) != nullptr;
}

namespace partition {

static LogicalResult place(sh::CustomCallOp call, TypeRange types, ArrayRef<const ir::Sharding *> shardings,
                           std::vector<program::PlacedArray> &arrays) {
  for (auto [type, sharding] : llvm::zip_equal(types, shardings)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return call.emitError("takes or gives what is no array of known sizes");
    program::PlacedArray &array = arrays.emplace_back();
    array.shape.type = ir::toElementType(tensor.getElementType());
    array.shape.dims.assign(tensor.getShape().begin(), tensor.getShape().end());
    if (!sharding)
      continue;
    std::optional<program::Sharding> tiled = ir::toOpSharding(*sharding);
    if (!tiled)
      return call.emitError("the framework has no word for how its arrays lie");
    array.sharding = *std::move(tiled);
  }
  return success();
}

FailureOr<program::PlacedCall> placedCall(sh::CustomCallOp call, ArrayRef<const ir::Sharding *> operands,
                                          ArrayRef<const ir::Sharding *> results) {
  program::PlacedCall placed;
  if (auto config = dyn_cast_or_null<StringAttr>(call.getBackendConfigAttr()))
    placed.config = config.str();
  if (failed(place(call, call->getOperandTypes(), operands, placed.operands)) ||
      failed(place(call, call->getResultTypes(), results, placed.results)))
    return failure();
  return placed;
}

FailureOr<std::vector<ir::Sharding>> shardingsByAxes(sh::CustomCallOp call, ArrayRef<program::Sharding> said,
                                                     TypeRange types, const ir::Mesh *mesh) {
  ir::Mesh places = *mesh;
  places.ids.clear();
  std::vector<ir::Sharding> shardings;
  for (auto [own, type] : llvm::zip_equal(said, types)) {
    std::optional<program::Sharding> byPlaces = own;
    if (own.kind == program::Sharding::Kind::kTiled && !(mesh->ids.empty() && own.devices.empty()))
      byPlaces = ir::asIota(own, mesh->ids);
    if (!byPlaces)
      return call.emitError("the framework wants its arrays on devices in another order than the mesh's");
    auto read = ir::fromOpSharding(*byPlaces, &places, cast<RankedTensorType>(type).getRank());
    if (!read.ok())
      return call.emitError(read.status().message());
    shardings.push_back(std::move(read->sharding));
    shardings.back().mesh = mesh;
  }
  return shardings;
}

} // namespace partition
} // namespace tenon::passes
