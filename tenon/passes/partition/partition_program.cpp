// From a program for a mesh of devices, on whole arrays, to one for each of them, on its parts:
//
//   (%x: tensor<8x4xf32> {[{"x"}, {}]}) { %0 = reduce add %x, dimension 0 }                      "x"=4
//     =>  (%x: tensor<2x4xf32>) { %0 = reduce add %x, dimension 0;  %1 = all_reduce %0 along {"x"} }
//
// A program that cannot be cut is left whole: one run then computes for all devices. Never half of it.
#include "tenon/passes/partition/partition.h"

#include "tenon/ir/device_transfers.h"
#include "tenon/ir/process_groups.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"
#include "tenon/passes/legalize/decompose/patterns.h"
#include "tenon/passes/partition/cutter.h"
#include "tenon/passes/partition/import/annotations.h"
#include "tenon/passes/partition/late_products.h"
#include "tenon/passes/passes.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

// What speaks against cutting a program, and where that is.
struct Obstacle {
  std::string text;
  Location place;
  std::string remedy = {}; // what the user can do about it
};
using Reason = std::optional<Obstacle>;

std::string withRemedy(const Obstacle &obstacle) { return obstacle.remedy.empty() ? "" : "; " + obstacle.remedy; }

Reason whyNotCut(Type type, Location place) {
  if (isa<sh::TokenType>(type))
    return std::nullopt;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return Obstacle{"it has values that are not arrays", place};
  if (!tensor.hasStaticShape())
    return Obstacle{"it has arrays of sizes that are not known", place,
                    "arrays of a size that is known and padding in them (in JAX size=) can be cut"};
  return std::nullopt;
}

// Callers are told of summands in XLA's notation, which cannot say of what else they are.
Reason whyNotPutTogether(sdy::TensorShardingAttr sharding, Location place) {
  if (sharding.getUnreducedAxes().empty() || sharding.getReductionOp() == sdy::ReductionOp::SUM)
    return {};
  return Obstacle{"devices have a part of its array's " + sdy::stringifyReductionOp(sharding.getReductionOp()).str(),
                  place, "reduce it in the program, or in the body of a manual computation (shard_map)"};
}

Reason whyNotCut(Operation *op, sdy::TensorShardingAttr sharding) {
  sdy::MeshAttr mesh = sdy::meshOf(op, sharding);
  if (!mesh)
    return Obstacle{"it names a mesh that is not there", op->getLoc()};
  if (mesh.getAxes().empty() && !mesh.getDeviceIds().empty()) {
    int64_t devices = ir::numPartitions(op->getParentOfType<ModuleOp>()).value_or(1);
    bool isPossible = isa<sh::CustomCallOp, sh::InfeedOp, sh::OutfeedOp, sh::SendOp, sh::RecvOp>(op);
    if (!isPossible || mesh.getDeviceIds().size() != 1 || mesh.getDeviceIds().front() >= devices)
      return Obstacle{"it has ops for one device", op->getLoc()};
  }
  return {};
}

Reason whyNotCut(Operation *op) {
  if (isa<sh::AsyncStartOp, sh::AsyncDoneOp>(op))
    return Obstacle{"it has the op " + op->getName().getStringRef().str(), op->getLoc(),
                    "the op inside of it, by itself, can be cut"};
  for (Type type : llvm::concat<Type>(op->getOperandTypes(), op->getResultTypes()))
    if (Reason reason = whyNotCut(type, op->getLoc()))
      return reason;
  Reason reason;
  for (const NamedAttribute &attribute : op->getAttrs())
    attribute.getValue().walk([&](sdy::TensorShardingAttr sharding) {
      if (!reason)
        reason = whyNotCut(op, sharding);
    });
  return reason;
}

Reason whyNotCut(func::FuncOp function) {
  Reason reason;
  for (DictionaryAttr attributes : annotations::signatureAttributes(function)) {
    attributes.walk([&](sdy::TensorShardingAttr sharding) {
      if (!reason)
        reason = whyNotPutTogether(sharding, function.getLoc());
    });
    // Annotations in XLA's notation have been imported, but for manual ones (importShardings).
    if (attributes.contains(annotations::kAnnotation))
      reason = Obstacle{"it takes or gives arrays that are manual", function.getLoc(),
                        "shardings of whole arrays, and manual ones inside (shard_map), can be cut"};
  }
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes()))
    if (!reason)
      reason = whyNotCut(type, function.getLoc());
  return reason;
}

// What speaks against cutting the program, before anything has been done to it.
Reason whyNotCut(ModuleOp module) {
  Reason reason;
  module.walk([&](Operation *op) {
    if (auto function = dyn_cast<func::FuncOp>(op))
      reason = whyNotCut(function);
    else if (!isa<ModuleOp, sdy::MeshOp>(op))
      reason = whyNotCut(op);
    return reason ? WalkResult::interrupt() : WalkResult::advance();
  });
  return reason;
}

// Whether replicas meet, in each partition by itself.
bool isAcrossReplicas(Operation *op) {
  auto channel = op->getAttrOfType<sh::ChannelHandleAttr>("channel_handle");
  return (!channel || channel.getHandle() <= 0) && !op->hasAttr("use_global_device_ids");
}

// Who computes on whole arrays is no device among others: only in manual computations are there others, but for those
// of other replicas.
Reason whyNotOfWholeArrays(func::FuncOp main) {
  const bool hasReplicas = ir::processGrid(main).replicas > 1;
  Reason reason;
  main.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<sdy::ManualComputationOp>(op))
      return WalkResult::skip();
    if (hasReplicas && (isa<sh::ReplicaIdOp>(op) || (op->hasTrait<ir::Collective>() && isAcrossReplicas(op))))
      return WalkResult::advance();
    if (isa<sh::PartitionIdOp, sh::ReplicaIdOp>(op) || op->hasTrait<ir::Collective>() || ir::isDeviceTransfer(op))
      reason = Obstacle{"it has the op " + op->getName().getStringRef().str() +
                            " outside of computations for single devices",
                        op->getLoc(), "write it in the body of a manual computation (shard_map)"};
    return reason ? WalkResult::interrupt() : WalkResult::advance();
  });
  return reason;
}

// Converts of a type to itself, which JAX puts before sums in loops of types that it takes for weak. What a loop adds
// to is then seen as such (summands.h).
void dropIdentities(func::FuncOp main) {
  main.walk([](sh::ConvertOp op) {
    if (op.getOperand().getType() != op.getResult().getType())
      return;
    op.getResult().replaceAllUsesWith(op.getOperand());
    op.erase();
  });
}

// Cuts a copy, which may then be in any state.
Reason cutCopy(ModuleOp module, int64_t devices, bool sharesMemory, PartitionReport &report,
               const ReadLocalProgram &read) {
  std::string errors;
  std::optional<Location> place; // of the first one
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return failure();
    errors += (errors.empty() ? "" : "; ") + diagnostic.str();
    place = place.value_or(diagnostic.getLocation());
    return success();
  });
  restoreComposites(module);
  auto main = module.lookupSymbol<func::FuncOp>("main");
  // What is computed on quantized values is then by ordinary ops on integers, whose forms are known.
  if (failed(lowerQuantized(module)))
    return Obstacle{"quantized arrays are not lowered: " + errors, main.getLoc()};
  foldKnownPlaces(module);
  if (failed(propagateShardings(module)))
    return Obstacle{"shardings do not spread: " + errors, main.getLoc()};
  takeInspections(main, module);
  inlineNamedComputations(main);
  dropIdentities(main);
  if (failed(partitionCalls(main, read)))
    return Obstacle{"a call that has a partitioning of its own: " + errors, place.value_or(main.getLoc())};
  if (Reason reason = whyNotOfWholeArrays(main))
    return reason;
  const Location placeOfMain = main.getLoc();
  partition::multiplyAfterLoops(main);
  partition::Cutter cutter(main, devices, sharesMemory); // which puts another in main's place
  cutter.run();
  if (failed(verify(module)))
    return Obstacle{"an error of the partitioner: " + errors, placeOfMain};
  report = cutter.report();
  return std::nullopt;
}

// "stablehlo.sort at train.py:3:4: a dimension ...; 32768 elements or more ... (64 bytes)"
ArrayAttr describe(MLIRContext *context, const std::vector<Fallback> &fallbacks) {
  Builder builder(context);
  SmallVector<Attribute> texts;
  for (const Fallback &fallback : fallbacks) {
    std::string text;
    llvm::raw_string_ostream(text) << fallback.op << " at " << fallback.location << ": " << fallback.reason << "; "
                                   << fallback.remedy << " (" << fallback.bytes << " bytes)";
    texts.push_back(builder.getStringAttr(text));
  }
  return builder.getArrayAttr(texts);
}

} // namespace

LogicalResult partitionProgram(ModuleOp module, PartitionReport &report, const ReadLocalProgram &read) {
  report = {};
  int64_t devices = ir::numPartitions(module).value_or(1);
  bool mustPartition = bool(module->removeAttr(kMustPartitionAttribute));
  bool sharesMemory = bool(module->removeAttr(kSharesMemoryAttribute));
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return module.emitError("the module has no function 'main'");
  bool isNeeded = !module->removeAttr(kPartitionIfNeededAttribute) || mayDiffer(module);
  if (devices < 2)
    return success();
  if (!isNeeded) {
    module->setAttr(ir::kUnpartitionedAttribute, UnitAttr::get(module.getContext()));
    return success();
  }
  OwningOpRef<ModuleOp> copy = module.clone();
  Reason reason = whyNotCut(module);
  if (!reason)
    reason = cutCopy(*copy, devices, sharesMemory, report, read);
  report.program = module.getName().value_or("program").str();
  report.devices = devices;
  if (reason && mustPartition)
    return emitError(reason->place, "the program cannot be cut into parts for its devices: ")
           << reason->text << withRemedy(*reason);
  if (reason) {
    emitRemark(reason->place, "the program is not partitioned: ") << reason->text << withRemedy(*reason);
    report.reason = reason->text;
    report.remedy = reason->remedy;
    report.reasonPlace = reason->place;
    module->setAttr(ir::kUnpartitionedAttribute, UnitAttr::get(module.getContext()));
    return success();
  }
  module.getBodyRegion().takeBody(copy->getBodyRegion());
  for (StringRef name : {StringRef(kInspectedAttribute), StringRef(kIdentityAttribute)})
    if (Attribute said = (*copy)->getAttr(name))
      module->setAttr(name, said);
  module->setAttr(kPartitionedAttribute, UnitAttr::get(module.getContext()));
  if (!report.fallbacks.empty())
    module->setAttr(kFallbacksAttribute, describe(module.getContext(), report.fallbacks));
  return success();
}

LogicalResult partitionProgram(ModuleOp module) {
  PartitionReport report;
  return partitionProgram(module, report, nullptr);
}

} // namespace tenon::passes
