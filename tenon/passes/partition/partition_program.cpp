// From a program for a mesh of devices, on whole arrays, to one for each of them, on its parts:
//
//   (%x: tensor<8x4xf32> {[{"x"}, {}]}) { %0 = reduce add %x, dimension 0 }                      "x"=4
//     =>  (%x: tensor<2x4xf32>) { %0 = reduce add %x, dimension 0;  %1 = all_reduce %0 along {"x"} }
//
// A program that cannot be cut is left whole: one run then computes for all devices. Never half of it.
#include "tenon/passes/partition/partition.h"

#include "tenon/ir/process_groups.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"
#include "tenon/passes/legalize/decompose/patterns.h"
#include "tenon/passes/partition/cutter.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using Reason = std::optional<std::string>;

Reason whyNotCut(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "it has values that are not arrays";
  if (!tensor.hasStaticShape())
    return "it has arrays of sizes that are not known";
  if (ir::isQuantized(tensor.getElementType()))
    return "it has quantized arrays";
  return std::nullopt;
}

// Only sums are put together.
Reason whyNotPutTogether(sdy::TensorShardingAttr sharding) {
  if (sharding.getUnreducedAxes().empty() || sharding.getReductionOp() == sdy::ReductionOp::SUM)
    return {};
  return "devices have a part of its array's " + sdy::stringifyReductionOp(sharding.getReductionOp()).str();
}

// A sharding by a mesh of other devices than the program's, or on one device.
Reason whyNotCut(Operation *op, sdy::TensorShardingAttr sharding, int64_t devices) {
  sdy::MeshAttr mesh = sdy::meshOf(op, sharding);
  if (!mesh)
    return "it names a mesh that is not there";
  int64_t size = mesh.getAxes().empty() ? static_cast<int64_t>(mesh.getDeviceIds().size()) : 1;
  for (sdy::MeshAxisAttr axis : mesh.getAxes())
    size *= axis.getSize();
  if (Reason reason = whyNotPutTogether(sharding))
    return reason;
  if (mesh.getAxes().empty())
    return size == 0 ? Reason() : "it has ops for one device";
  return size == devices ? Reason() : "it has a mesh of " + std::to_string(size) + " devices";
}

Reason whyNotCut(Operation *op, int64_t devices) {
  if (auto call = dyn_cast<sh::CustomCallOp>(op); call && call.getHasSideEffect())
    return "it calls " + call.getCallTargetName().str() + ", which has effects";
  if (isa<sh::RngOp, sh::InfeedOp, sh::OutfeedOp, sh::SendOp, sh::RecvOp, sh::AsyncStartOp, sh::AsyncDoneOp>(op))
    return "it has the op " + op->getName().getStringRef().str();
  for (Type type : llvm::concat<Type>(op->getOperandTypes(), op->getResultTypes()))
    if (Reason reason = whyNotCut(type))
      return reason;
  Reason reason;
  for (const NamedAttribute &attribute : op->getAttrs())
    attribute.getValue().walk([&](sdy::TensorShardingAttr sharding) {
      if (!reason)
        reason = whyNotCut(op, sharding, devices);
    });
  return reason;
}

// What speaks against cutting the program, before anything has been done to it.
Reason whyNotCut(ModuleOp module, int64_t devices) {
  if (ir::numReplicas(module).value_or(1) != 1)
    return "it is for several replicas";
  Reason reason;
  module.walk([&](Operation *op) {
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      if (function.getAllArgAttrs() || function.getAllResultAttrs())
        for (Attribute attributes : llvm::concat<Attribute>(
                 llvm::to_vector(function.getAllArgAttrs() ? function.getAllArgAttrs().getValue()
                                                           : ArrayRef<Attribute>()),
                 llvm::to_vector(function.getAllResultAttrs() ? function.getAllResultAttrs().getValue()
                                                              : ArrayRef<Attribute>()))) {
          attributes.walk([&](sdy::TensorShardingAttr sharding) {
            if (!reason)
              reason = whyNotPutTogether(sharding);
          });
          // Annotations in XLA's notation have been imported, but for manual ones (importShardings).
          if (cast<DictionaryAttr>(attributes).contains("mhlo.sharding"))
            reason = "it takes or gives arrays that are manual";
        }
      for (Type type : llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes()))
        if (!reason)
          reason = whyNotCut(type);
    } else if (!isa<ModuleOp, sdy::MeshOp>(op)) {
      reason = whyNotCut(op, devices);
    }
    return reason ? WalkResult::interrupt() : WalkResult::advance();
  });
  return reason;
}

void inlineNamedComputations(func::FuncOp main) {
  SmallVector<sdy::NamedComputationOp> computations;
  main.walk([&](sdy::NamedComputationOp op) { computations.push_back(op); }); // inner ones first
  for (sdy::NamedComputationOp op : computations) {
    Block &body = op.getBody().front();
    Operation *end = body.getTerminator();
    for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), op->getOperands()))
      argument.replaceAllUsesWith(operand);
    op->replaceAllUsesWith(end->getOperands());
    op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations(), body.begin(), end->getIterator());
    op->erase();
  }
}

// Who computes on whole arrays is no device among others: only in manual computations are there others.
Reason whyNotOfWholeArrays(func::FuncOp main) {
  Reason reason;
  main.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<sdy::ManualComputationOp>(op))
      return WalkResult::skip();
    if (isa<sh::PartitionIdOp, sh::ReplicaIdOp>(op) || op->hasTrait<ir::Collective>())
      reason = "it has the op " + op->getName().getStringRef().str() + " outside of computations for single devices";
    return reason ? WalkResult::interrupt() : WalkResult::advance();
  });
  return reason;
}

// Of a copy, which may then be in any state.
Reason cutCopy(ModuleOp module, int64_t devices, PartitionReport &report) {
  std::string errors;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return failure();
    errors += (errors.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  restoreComposites(module);
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (failed(propagateShardings(module)))
    return "shardings do not spread: " + errors;
  inlineNamedComputations(main);
  if (Reason reason = whyNotOfWholeArrays(main))
    return reason;
  partition::Cutter cutter(main, devices);
  cutter.run();
  if (failed(verify(module)))
    return "an error of the partitioner: " + errors;
  report = cutter.report();
  return std::nullopt;
}

// "stablehlo.sort at train.py:3:4: a dimension ..."
ArrayAttr describe(MLIRContext *context, const std::vector<Fallback> &fallbacks) {
  Builder builder(context);
  SmallVector<Attribute> texts;
  for (const Fallback &fallback : fallbacks) {
    std::string text;
    llvm::raw_string_ostream(text) << fallback.op << " at " << fallback.location << ": " << fallback.reason << " ("
                                   << fallback.bytes << " bytes)";
    texts.push_back(builder.getStringAttr(text));
  }
  return builder.getArrayAttr(texts);
}

} // namespace

LogicalResult partitionProgram(ModuleOp module, PartitionReport &report) {
  report = {};
  int64_t devices = ir::numPartitions(module).value_or(1);
  bool mustPartition = bool(module->removeAttr(kMustPartitionAttribute));
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return module.emitError("the module has no function 'main'");
  if (devices < 2)
    return success();
  OwningOpRef<ModuleOp> copy = module.clone();
  Reason reason = whyNotCut(module, devices);
  if (!reason)
    reason = cutCopy(*copy, devices, report);
  report.program = module.getName().value_or("program").str();
  report.devices = devices;
  if (reason && mustPartition)
    return main.emitError("the program cannot be cut into parts for its devices: ") << *reason;
  if (reason) {
    main.emitRemark("the program is not partitioned: ") << *reason;
    report.reason = *reason;
    module->setAttr(ir::kUnpartitionedAttribute, UnitAttr::get(module.getContext()));
    return success();
  }
  module.getBodyRegion().takeBody(copy->getBodyRegion());
  module->setAttr(kPartitionedAttribute, UnitAttr::get(module.getContext()));
  if (!report.fallbacks.empty())
    module->setAttr(kFallbacksAttribute, describe(module.getContext(), report.fallbacks));
  return success();
}

LogicalResult partitionProgram(ModuleOp module) {
  PartitionReport report;
  return partitionProgram(module, report);
}

} // namespace tenon::passes
