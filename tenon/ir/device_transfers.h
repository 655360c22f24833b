/// send and recv between devices.
#pragma once

#include "tenon/ir/process_groups.h"

namespace tenon::ir {

/// Whether the op is a send or recv between devices, and not with the host.
bool isDeviceTransfer(mlir::Operation *op);
/// Whether the source_target_pairs of such an op, if it has any, are pairs of processes of the grid (partitions, or
/// replicas where there is one partition), of which none receives from two. kInvalidArgument, without the op's name.
Status checkTransferPairs(mlir::Operation *transfer, const ProcessGrid &grid);

} // namespace tenon::ir
