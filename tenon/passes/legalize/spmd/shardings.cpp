// Programs that compute whole arrays for a mesh of devices are not partitioned, but callers depend on the shardings of
// results: a sharded array that is updated stays sharded. And callbacks of JAX that are to be called on each device's
// part of their operands (jax.debug.callback(partitioned=True)) need to know the parts: there is a call for each
// device. Both follow from the shardings that the program gives, which are spread over a copy of it.
#include "tenon/ir/mesh.h"
#include "tenon/ir/process_groups.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/passes/legalize/decompose/patterns.h"
#include "tenon/passes/partition/partition.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {

// In the order of the program. What is in a manual computation runs on each device anyway.
static SmallVector<sh::CustomCallOp> partitionedCallbacks(func::FuncOp main) {
  SmallVector<sh::CustomCallOp> calls;
  main.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<sdy::ManualComputationOp>(op))
      return WalkResult::skip();
    if (auto call = dyn_cast<sh::CustomCallOp>(op); call && call.getCallTargetName() == kPartitionedCallback)
      calls.push_back(call);
    return WalkResult::advance();
  });
  return calls;
}

// Spreads the program's shardings. Returns what makes that impossible; empty where it is done.
static std::string whyNotSpread(ModuleOp module) {
  std::string why;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
    why += (why.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  foldKnownPlaces(module);
  return succeeded(propagateShardings(module)) ? "" : why.empty() ? "an error" : why;
}

void describeShardings(func::FuncOp main, SmallVectorImpl<Attribute> &ofCallbacks) {
  auto module = main->getParentOfType<ModuleOp>();
  bool isSaid = module->hasAttr(kPartitionedAttribute);
  if (isSaid || ir::numPartitions(module) == 1 || module.getOps<sdy::MeshOp>().empty())
    return;
  OwningOpRef<ModuleOp> copy = module.clone();
  if (std::string why = whyNotSpread(*copy); !why.empty()) {
    main.emitWarning("shardings do not spread: ") << why;
    return;
  }
  auto spread = copy->lookupSymbol<func::FuncOp>(main.getName());
  takeInspections(spread, module);
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (Attribute sharding = spread.getArgAttr(i, "sdy.sharding"))
      main.setArgAttr(i, "sdy.sharding", sharding);
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    if (Attribute sharding = spread.getResultAttr(i, "sdy.sharding"))
      main.setResultAttr(i, "sdy.sharding", sharding);
  for (sh::CustomCallOp call : partitionedCallbacks(spread))
    ofCallbacks.push_back(call->getAttr(kOperandShardings));
}

// The part of an array that a device has, by its number among the partitions; all of it along dimensions that cannot be
// cut evenly.
static Value partOf(OpBuilder &builder, Value value, const ir::Sharding &sharding, int64_t device) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || sharding.dims.size() != static_cast<size_t>(type.getRank()))
    return value;
  const ir::Mesh &mesh = *sharding.mesh;
  int64_t place = mesh.ids.empty() ? device : llvm::find(mesh.ids, device) - mesh.ids.begin();
  SmallVector<int64_t> start, limit;
  for (auto [cut, size] : llvm::zip_equal(sharding.dims, type.getShape())) {
    int64_t parts = ir::partsOf(cut.axes), number = 0;
    for (const ir::Atom &atom : cut.axes)
      number = number * atom.size + ir::digitOf(mesh, atom, place);
    if (size % parts != 0)
      parts = 1, number = 0;
    start.push_back(number * (size / parts));
    limit.push_back((number + 1) * (size / parts));
  }
  if (llvm::all_of(start, [](int64_t index) { return index == 0; }) && ArrayRef(limit) == type.getShape())
    return value;
  return sh::SliceOp::create(builder, value.getLoc(), value, start, limit, SmallVector<int64_t>(start.size(), 1));
}

static LogicalResult callOnParts(sh::CustomCallOp call, Attribute attribute, ir::MeshTable &meshes, int64_t devices) {
  if (call->getNumResults() != 0)
    return call.emitError("a partitioned callback of ") << devices << " devices cannot have results";
  std::vector<std::optional<ir::Sharding>> shardings(call->getNumOperands());
  if (auto perValue = dyn_cast_or_null<sdy::TensorShardingPerValueAttr>(attribute))
    for (auto [sharding, written, operand] : llvm::zip(shardings, perValue.getShardings(), call->getOperands())) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      auto read = meshes.read(written, type ? type.getRank() : 0);
      if (read.ok() && read->mesh->size() == devices)
        sharding = *std::move(read);
    }
  OpBuilder builder(call);
  for (int64_t device = 0; device < devices; ++device) {
    IRMapping parts;
    for (auto [operand, sharding] : llvm::zip_equal(call->getOperands(), shardings))
      parts.map(operand, sharding ? partOf(builder, operand, *sharding, device) : operand);
    builder.clone(*call, parts);
  }
  call.erase();
  return success();
}

LogicalResult callOnParts(func::FuncOp main, ArrayRef<Attribute> shardings) {
  auto module = main->getParentOfType<ModuleOp>();
  int64_t devices = ir::numPartitions(module).value_or(1);
  if (devices < 2 || !module->hasAttr(ir::kUnpartitionedAttribute))
    return success();
  ir::MeshTable meshes(module);
  SmallVector<sh::CustomCallOp> calls = partitionedCallbacks(main);
  for (auto [i, call] : llvm::enumerate(calls))
    if (failed(callOnParts(call, shardings.size() == calls.size() ? shardings[i] : Attribute(), meshes, devices)))
      return failure();
  return success();
}

} // namespace tenon::passes
