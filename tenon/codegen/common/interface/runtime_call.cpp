#include "tenon/codegen/common/interface/runtime_call.h"

#include "tenon/codegen/common/interface/program_shape.h"
#include "tenon/codegen/common/interface/runtime_call_attributes.h"
#include "tenon/codegen/common/location.h"
#include "tenon/codegen/common/memory/instructions.h"
#include "tenon/codegen/common/memory/overlap.h"
#include "tenon/ir/checks.h"
#include "tenon/ir/group_axes.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/types.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {
namespace {

// Minor-to-major orders of dimensions; row-major ones stay empty.
std::vector<std::vector<int64_t>> layoutOrders(ArrayAttr layouts) {
  std::vector<std::vector<int64_t>> orders;
  for (auto layout : layouts.getAsRange<DenseIntElementsAttr>()) {
    std::vector<int64_t> order;
    for (const APInt &dim : layout.getValues<APInt>())
      order.push_back(dim.getSExtValue());
    if (std::is_sorted(order.rbegin(), order.rend()))
      order.clear();
    orders.push_back(std::move(order));
  }
  return orders;
}

// Returns the attributes, if its backend_config has any.
DictionaryAttr describeCustomCall(sh::CustomCallOp call, program::RuntimeCall &runtimeCall) {
  runtimeCall.kind = program::RuntimeCall::Kind::kCustomCall;
  runtimeCall.target = call.getCallTargetName().str();
  runtimeCall.apiVersion = int32_t(call.getApiVersion());
  runtimeCall.hasSideEffect = call.getHasSideEffect() || ir::isCheck(call);
  runtimeCall.isTupleResult = call->hasAttr(ir::kTupleResultAttribute);
  Attribute config = ir::isCheck(call) ? ir::checkAttributes(call) : call.getBackendConfigAttr();
  if (auto text = dyn_cast_or_null<StringAttr>(config); !config || (text && text.empty()))
    config = call->getAttr("mhlo.backend_config");
  // JAX leaves the version of such calls at its default.
  if (isa_and_nonnull<DictionaryAttr>(config))
    runtimeCall.apiVersion = int32_t(sh::CustomCallApiVersion::API_VERSION_TYPED_FFI);
  if (auto text = dyn_cast_or_null<StringAttr>(config))
    runtimeCall.opaque = text.str();
  if (ArrayAttr layouts = call.getOperandLayoutsAttr())
    runtimeCall.operandLayouts = layoutOrders(layouts);
  if (ArrayAttr layouts = call.getResultLayoutsAttr())
    runtimeCall.resultLayouts = layoutOrders(layouts);
  if (ArrayAttr aliases = call.getOutputOperandAliasesAttr())
    for (auto alias : aliases.getAsRange<sh::OutputOperandAliasAttr>()) {
      ArrayRef<int64_t> indices = alias.getOutputTupleIndices();
      runtimeCall.aliases.emplace_back(indices.empty() ? 0 : int32_t(indices[0]), int32_t(alias.getOperandIndex()));
    }
  return dyn_cast_or_null<DictionaryAttr>(config);
}

// The routine of the runtime that moves an op's data from or to the outside (runtime/core/transfer.h). Returns its
// attributes.
DictionaryAttr describeTransfer(Operation *op, program::RuntimeCall &runtimeCall) {
  runtimeCall.kind = program::RuntimeCall::Kind::kLibrary;
  runtimeCall.target = op->getName().stripDialect();
  runtimeCall.hasSideEffect = true;
  Builder builder(op->getContext());
  NamedAttrList attributes;
  auto describeChannel = [&](auto transfer) {
    SmallVector<int64_t> pairs;
    if (auto given = transfer.getSourceTargetPairsAttr())
      llvm::append_range(pairs, given.template getValues<int64_t>());
    attributes.append("channel", builder.getI64IntegerAttr(transfer.getChannelHandle().getHandle()));
    attributes.append("host", builder.getBoolAttr(transfer.getIsHostTransfer()));
    attributes.append("pairs", builder.getDenseI64ArrayAttr(pairs));
  };
  if (auto infeed = dyn_cast<sh::InfeedOp>(op)) {
    attributes.append("config", infeed.getInfeedConfigAttr());
    // One list for each array, minor to major: how the host is to lay out what it feeds.
    if (ArrayAttr layouts = infeed.getLayoutAttr())
      for (Attribute layout : layouts) {
        std::vector<int64_t> &order = runtimeCall.resultLayouts.emplace_back();
        if (auto dims = dyn_cast<ArrayAttr>(layout))
          for (auto dim : dims.getAsRange<IntegerAttr>())
            order.push_back(dim.getInt());
      }
  } else if (auto outfeed = dyn_cast<sh::OutfeedOp>(op)) {
    attributes.append("config", outfeed.getOutfeedConfigAttr());
  } else if (auto send = dyn_cast<sh::SendOp>(op)) {
    describeChannel(send);
  } else {
    describeChannel(cast<sh::RecvOp>(op));
  }
  return attributes.getDictionary(op->getContext());
}

// What a routine of the runtime's library is to know of the op: its attributes, or of a call its backend_config.
DictionaryAttr routineAttributes(Operation *op) {
  auto call = dyn_cast<sh::CustomCallOp>(op);
  if (!call)
    return op->getAttrDictionary();
  NamedAttrList attributes(dyn_cast_or_null<DictionaryAttr>(call.getBackendConfigAttr()));
  if (Attribute message = call->getAttr("error_message"))
    attributes.set("error_message", message);
  return attributes.getDictionary(op->getContext());
}

// A reduction over the processes of a group (runtime/collectives/collectives.h).
FailureOr<DictionaryAttr> describeReduction(Operation *op, program::RuntimeCall &runtimeCall) {
  runtimeCall.kind = program::RuntimeCall::Kind::kLibrary;
  runtimeCall.target = "fold_group";
  runtimeCall.hasSideEffect = true;
  StatusOr<ir::ProcessGroups> groups = ir::processGroups(op, ir::processGrid(op));
  if (!groups.ok())
    return op->emitOpError(groups.status().message()), failure();
  Builder builder(op->getContext());
  NamedAttrList attributes(ir::groupAttributes(builder, *groups, ir::processGrid(op)));
  attributes.set("op", builder.getStringAttr(op->getName().stripDialect()));
  attributes.set("block", builder.getI64IntegerAttr(reductionBlock(op)));
  if (auto scatter = dyn_cast<sh::ReduceScatterOp>(op))
    attributes.set("dimension", scatter.getScatterDimensionAttr());
  return attributes.getDictionary(op->getContext());
}

// The routine of the runtime's library that does what the op does, or null.
const char *libraryRoutine(Operation *op) {
  if (auto call = dyn_cast<sh::CustomCallOp>(op))
    return StringSwitch<const char *>(call.getCallTargetName())
        .Case("shape_assertion", "shape_assertion")
        .Case(ir::kRunSeedTarget, "run_seed")
        .Case(ir::kReplicaIdTarget, "replica_id")
        .Case(ir::kPartitionIdTarget, "partition_id")
        .Case(ir::kGroupSizeTarget, "group_size")
        .Case(ir::kGroupPlaceTarget, "group_place")
        .Case(ir::kGatherGroupTarget, "gather_group")
        .Case(ir::kExchangeGroupTarget, "exchange_group")
        .Case(ir::kPermuteTarget, "permute")
        .Case(ir::kExchangeRowsTarget, "exchange_rows")
        .Case(kAwaitTarget, "await")
        .Case(ir::kManualComputationTarget, "manual_computation")
        .Default(nullptr);
  if (isa<sh::FftOp>(op))
    return "fft";
  if (!isa<sh::CholeskyOp, sh::TriangularSolveOp>(op))
    return nullptr;
  Type type = getElementTypeOrSelf(op->getResult(0));
  if (auto complexType = dyn_cast<ComplexType>(type))
    type = complexType.getElementType();
  if (!type.isF32() && !type.isF64())
    return nullptr;
  return isa<sh::CholeskyOp>(op) ? "cholesky" : "triangular_solve";
}

} // namespace

int64_t reductionBlock(Operation *op) {
  // Blocks of some levels of a tree fit a core's nearest cache. Of the few numbers that many programs sum (a loss, a
  // count) a whole one would cost more than it is to meet.
  constexpr int64_t kBytes = 4096, kFewElements = 64;
  auto type = cast<RankedTensorType>(op->getRegion(0).getArgument(0).getType());
  auto isSmall = [](Value operand) { return ir::typeOf(operand).getNumElements() <= kFewElements; };
  return llvm::all_of(op->getOperands(), isSmall) ? kFewElements : kBytes / ir::storedBytes(type.clone({1}));
}

FailureOr<program::RuntimeCall> makeRuntimeCall(Operation *op) {
  program::RuntimeCall runtimeCall;
  for (Type type : op->getOperandTypes())
    runtimeCall.operands.push_back(programShape(type));
  for (Type type : op->getResultTypes())
    runtimeCall.results.push_back(programShape(type));
  runtimeCall.location = locationText(op->getLoc());
  DictionaryAttr attributes;
  if (isa<sh::InfeedOp, sh::OutfeedOp, sh::SendOp, sh::RecvOp>(op)) {
    attributes = describeTransfer(op, runtimeCall);
  } else if (isa<sh::AllReduceOp, sh::ReduceScatterOp>(op)) {
    FailureOr<DictionaryAttr> described = describeReduction(op, runtimeCall);
    if (failed(described))
      return failure();
    attributes = *described;
  } else if (const char *routine = libraryRoutine(op)) {
    runtimeCall.kind = program::RuntimeCall::Kind::kLibrary;
    runtimeCall.target = routine;
    attributes = routineAttributes(op);
  } else if (auto call = dyn_cast<sh::CustomCallOp>(op)) {
    attributes = describeCustomCall(call, runtimeCall);
  } else {
    return op->emitOpError("cannot be compiled: there is no native code for it");
  }
  FailureOr<program::AttributeDict> described = runtimeCallAttributes(attributes, op->getLoc());
  if (failed(described))
    return failure();
  runtimeCall.attributes = *std::move(described);
  return runtimeCall;
}

} // namespace tenon::codegen
