#include "tenon/ir/device_transfers.h"

#include "tenon/ir/stablehlo.h"

#include "llvm/ADT/DenseSet.h"

#include <limits>
#include <string>

namespace tenon::ir {

bool isDeviceTransfer(mlir::Operation *op) {
  if (auto send = llvm::dyn_cast<stablehlo::SendOp>(op))
    return !send.getIsHostTransfer();
  auto recv = llvm::dyn_cast<stablehlo::RecvOp>(op);
  return recv && !recv.getIsHostTransfer();
}

Status checkTransferPairs(mlir::Operation *transfer, const ProcessGrid &grid) {
  auto pairs = transfer->getAttrOfType<mlir::DenseIntElementsAttr>("source_target_pairs");
  if (!pairs || pairs.empty())
    return {};
  if (pairs.getType().getRank() != 2 || pairs.getType().getDimSize(1) != 2)
    return invalidArgument("source_target_pairs must be pairs");
  int64_t end = grid.partitions > 1 ? grid.partitions : grid.replicas;
  if (end == 1) // who compiles for one process may run it among others, as processes of a grid have different programs
    end = std::numeric_limits<int64_t>::max();
  llvm::SmallDenseSet<int64_t> targets;
  for (auto [i, id] : llvm::enumerate(pairs.getValues<int64_t>())) {
    if (id < 0 || id >= end)
      return invalidArgument("source_target_pairs name " + std::to_string(id) + ", but the grid has only " +
                             std::to_string(end) + " of these");
    if (i % 2 && !targets.insert(id).second)
      return invalidArgument("source_target_pairs name the target " + std::to_string(id) +
                             " twice, and it receives from one source alone");
  }
  return {};
}

} // namespace tenon::ir
