// Refuses ops that no backend can run, wherever they stand in the program, whether or not a run would reach them.

#include "tenon/ir/chlo.h"
#include "tenon/ir/device_transfers.h"
#include "tenon/ir/meaning.h"
#include "tenon/ir/process_groups.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/passes/legalize/decompose/patterns.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

// Why a collective, which nothing has expanded, can't be compiled.
std::string reasonAgainstCollective(Operation *op) {
  if (isSingleProcess(op))
    return "this collective names other processes, but the program's grid has one";
  if (!isSpmd(op))
    return "partitions that one program computes together, on whole arrays, exchange nothing";
  if (isInComputation(op))
    return "data can't be exchanged with other processes in a computation on single elements";
  bool isPermute = isa<sh::CollectivePermuteOp, sh::CollectiveBroadcastOp>(op);
  Status status = isPermute ? ir::processPairs(op, ir::processGrid(op)).status()
                            : ir::processGroups(op, ir::processGrid(op)).status();
  if (!status.ok())
    return status.message();
  if (isa<sh::AllToAllOp>(op))
    return "all_to_all needs groups of split_count processes, and arrays of known sizes";
  return "this collective needs groups of one size, and arrays of known sizes";
}

// Why the op can't be compiled; empty if it can.
std::string reasonAgainst(Operation *op) {
  if (std::optional<std::string> reason = ir::whyWithoutMeaning(op))
    return *reason;
  if (isa<sh::InfeedOp, sh::OutfeedOp, sh::SendOp, sh::RecvOp>(op) && isInComputation(op))
    return "data can't be exchanged with the host or other devices in a computation on single elements";
  if (ir::isDeviceTransfer(op) && op->getParentOfType<ModuleOp>()->hasAttr(ir::kUnpartitionedAttribute))
    return "a program that computes whole arrays for all partitions is no device that sends to others or receives from "
           "them: that is for computations for single devices";
  if (ir::isDeviceTransfer(op))
    if (Status pairs = ir::checkTransferPairs(op, ir::processGrid(op)); !pairs.ok())
      return pairs.message();
  bool isComplex = op->getNumOperands() > 0 && isa<ComplexType>(getElementTypeOrSelf(op->getOperand(0).getType()));
  if (isa<sh::RemainderOp>(op) && isComplex)
    return "remainder is not defined on complex values";
  if (isa<chlo::BesselI1eOp>(op) && isComplex)
    return "bessel_i1e is not defined on complex values";
  if (isa<sh::TorchIndexSelectOp>(op) && cast<ShapedType>(op->getOperand(0).getType()).hasStaticShape())
    return "torch_index_select along a dimension that is empty or does not exist";
  if (isa<sdy::ManualComputationOp>(op)) // all others have been inlined or outlined
    return "a manual computation over several devices needs a mesh of as many devices as the program has partitions, "
           "in their order, arrays that are cut by whole axes (each once, none unreduced), and sizes that are known";
  if (op->hasTrait<ir::Collective>() && !isService(op))
    return reasonAgainstCollective(op);
  if (isa<sh::PartitionIdOp, sh::ReplicaIdOp>(op))
    return "a program that computes whole arrays for all partitions has no place in the grid";
  return "";
}

} // namespace

LogicalResult verifyCompilable(ModuleOp module) {
  WalkResult result = module.walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult {
    std::string reason = reasonAgainst(op);
    return reason.empty() ? WalkResult::advance() : WalkResult(op->emitError(reason));
  });
  return failure(result.wasInterrupted());
}

} // namespace tenon::passes
