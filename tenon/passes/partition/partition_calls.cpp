// Calls of functions that the framework cuts itself (jax.experimental.custom_partitioning). Once shardings have spread,
// it is told how the operands lie and the results are wanted, and says how they are to lie, and what each device then
// computes:
//
//   %0 = custom_call @CustomSPMDPartitioning(%x)                                      %x: [{"x"}, {}], %0: [{"x"}, {}]
//     =>  %0 = sdy.manual_computation(%x) in=[{"x"}, {}] out=[{"x"}, {}] (%part) { what the framework's program has }
//
// Whoever comes behind knows manual computations: the partitioner inlines them, a run on whole arrays has a thread for
// each device. A dimension that is not cut evenly is padded with zeros for it.
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/types.h"
#include "tenon/passes/partition/cutter.h"
#include "tenon/passes/partition/framework_calls.h"
#include "tenon/passes/partition/partition.h"
#include "tenon/passes/partition/propagate/values.h"
#include "tenon/support/hash.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {

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

namespace {

class CallCutter {
public:
  CallCutter(sh::CustomCallOp call, ir::MeshTable &meshes, const ir::Mesh *mesh, int64_t devices)
      : call_(call), meshes_(meshes), mesh_(mesh), devices_(devices), builder_(call) {}

  LogicalResult run(const ReadLocalProgram &read) {
    FailureOr<program::LocalCall> local = ask();
    if (failed(local) || failed(takeShardings(local->operands, call_->getOperandTypes(), in_)) ||
        failed(takeShardings(local->results, call_->getResultTypes(), out_)))
      return failure();
    OwningOpRef<ModuleOp> module = read(local->module, devices_);
    auto main = module ? module->lookupSymbol<func::FuncOp>("main") : func::FuncOp();
    if (!main || failed(check("operand", main.getArgumentTypes(), call_->getOperandTypes(), in_)) ||
        failed(check("result", main.getResultTypes(), call_->getResultTypes(), out_)) || failed(takeMeshes(*module)))
      return failure();
    build(main.getBody());
    return success();
  }

private:
  FailureOr<program::LocalCall> ask() {
    std::vector<ir::Sharding> operands, results;
    if (failed(readShardings(call_->getAttr(kOperandShardings), call_->getOperandTypes(), operands)) ||
        failed(readShardings(call_->getAttr("sdy.sharding"), call_->getResultTypes(), results)) ||
        failed(findFreeAxes()))
      return failure();
    auto seen = [&](std::vector<ir::Sharding> &shardings) {
      return llvm::map_to_vector(shardings, [&](ir::Sharding &sharding) -> const ir::Sharding * {
        sharding = seenFromWithin(sharding);
        return &sharding;
      });
    };
    auto placed = partition::placedCall(call_, seen(operands), seen(results));
    if (failed(placed))
      return failure();
    auto local = program::findCallPartitioner(call_.getCallTargetName().str())->partition(*placed);
    if (!local.ok())
      return call_.emitError("the framework cannot say what devices compute of it: ") << local.status().message();
    return *std::move(local);
  }

  // In a computation for one device of some axes the framework knows of the others alone.
  LogicalResult findFreeAxes() {
    SmallVector<int> manual;
    for (auto around = call_->getParentOfType<sdy::ManualComputationOp>(); around;
         around = around->getParentOfType<sdy::ManualComputationOp>())
      manual.append(propagate::ValueShardings::manualAxes(around, mesh_));
    if (!manual.empty() && !mesh_->ids.empty())
      return call_.emitError("stands in a computation for single devices of a mesh that lists its devices");
    for (int axis = 0; axis < static_cast<int>(mesh_->axes.size()); ++axis)
      if (!llvm::is_contained(manual, axis)) {
        freeAxes_.push_back(axis);
        freeMesh_.axes.push_back(mesh_->axes[axis]);
      }
    freeMesh_.ids = mesh_->ids;
    return success();
  }

  ir::Sharding seenFromWithin(const ir::Sharding &sharding) const {
    if (sharding.mesh != mesh_)
      return sharding;
    return renamed(sharding, &freeMesh_,
                   [&](int axis) { return static_cast<int>(llvm::find(freeAxes_, axis) - freeAxes_.begin()); });
  }

  static ir::Sharding renamed(ir::Sharding sharding, const ir::Mesh *mesh, llvm::function_ref<int(int)> axisOf) {
    sharding.mesh = mesh;
    for (ir::DimCut &cut : sharding.dims)
      for (ir::Atom &atom : cut.axes)
        atom.axis = axisOf(atom.axis);
    for (ir::Atom &atom : sharding.unreduced)
      atom.axis = axisOf(atom.axis);
    return sharding;
  }

  // How the arrays lie. The mesh of the first one that is cut is the call's.
  LogicalResult readShardings(Attribute attribute, TypeRange types, std::vector<ir::Sharding> &shardings) {
    auto perValue = dyn_cast_or_null<sdy::TensorShardingPerValueAttr>(attribute);
    for (auto [i, type] : llvm::enumerate(types)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      int64_t rank = tensor ? tensor.getRank() : 0;
      if (!perValue) {
        shardings.push_back(ir::Sharding::whole(mesh_, rank, /*isClosed=*/true));
        continue;
      }
      StatusOr<ir::Sharding> sharding = meshes_.read(perValue.getShardings()[i], rank);
      if (!sharding.ok())
        return call_.emitError(sharding.status().message());
      bool isCut = llvm::any_of(sharding->dims, [](const ir::DimCut &cut) { return !cut.axes.empty(); });
      if (isCut && !hasMesh_) {
        mesh_ = sharding->mesh;
        hasMesh_ = true;
      }
      shardings.push_back(*std::move(sharding));
    }
    return success();
  }

  // What the framework says.
  LogicalResult takeShardings(ArrayRef<program::Sharding> given, TypeRange types,
                              std::vector<ir::Sharding> &shardings) {
    auto read = partition::shardingsByAxes(call_, given, types, &freeMesh_);
    if (failed(read))
      return failure();
    for (const ir::Sharding &sharding : *read) {
      shardings.push_back(renamed(sharding, mesh_, [&](int axis) { return freeAxes_[axis]; }));
      for (ir::DimCut &cut : shardings.back().dims)
        cut.isClosed = true;
    }
    return success();
  }

  LogicalResult check(StringRef what, TypeRange parts, TypeRange wholes, ArrayRef<ir::Sharding> shardings) {
    if (parts.size() != wholes.size())
      return call_.emitError("the framework's program for one device has ")
             << parts.size() << ' ' << what << "s, and not " << wholes.size();
    for (auto [i, part, whole, sharding] : llvm::enumerate(parts, wholes, shardings)) {
      Type wanted = partition::localType(cast<RankedTensorType>(whole), sharding);
      if (part != wanted)
        return call_.emitError("in the framework's program for one device ")
               << what << ' ' << i << " is " << part << ", but a device's part of it is " << wanted;
    }
    return success();
  }

  // Those that the framework's program names.
  LogicalResult takeMeshes(ModuleOp local) {
    auto module = call_->getParentOfType<ModuleOp>();
    for (auto mesh : local.getOps<sdy::MeshOp>()) {
      auto known = module.lookupSymbol<sdy::MeshOp>(mesh.getSymName());
      if (known && known.getMesh() != mesh.getMesh())
        return call_.emitError("the framework's program for one device has another mesh '") << mesh.getSymName() << "'";
      if (!known)
        OpBuilder::atBlockBegin(module.getBody()).clone(*mesh.getOperation());
    }
    return success();
  }

  RankedTensorType padded(Type whole, const ir::Sharding &sharding) const {
    auto type = cast<RankedTensorType>(whole);
    SmallVector<int64_t> sizes(partition::localType(type, sharding).getShape());
    for (auto [size, cut] : llvm::zip_equal(sizes, sharding.dims))
      size *= ir::partsOf(cut.axes);
    return type.clone(sizes);
  }

  sdy::TensorShardingPerValueAttr written(ArrayRef<ir::Sharding> shardings) {
    SmallVector<sdy::TensorShardingAttr> attributes;
    for (const ir::Sharding &sharding : shardings)
      attributes.push_back(meshes_.write(sharding));
    return sdy::TensorShardingPerValueAttr::get(call_.getContext(), attributes);
  }

  Value withPadding(Value operand, const ir::Sharding &sharding) {
    RankedTensorType type = ir::typeOf(operand), wanted = padded(type, sharding);
    if (type == wanted)
      return operand;
    auto scalar = RankedTensorType::get({}, type.getElementType());
    Value zero =
        sh::ConstantOp::create(builder_, call_.getLoc(), cast<DenseElementsAttr>(builder_.getZeroAttr(scalar)));
    SmallVector<int64_t> none(type.getRank(), 0), high;
    for (auto [from, to] : llvm::zip_equal(type.getShape(), wanted.getShape()))
      high.push_back(to - from);
    Value longer = sh::PadOp::create(builder_, call_.getLoc(), wanted, operand, zero, none, high, none);
    longer.getDefiningOp()->setAttr("sdy.sharding", written(sharding));
    return longer;
  }

  void build(Region &body) {
    SmallVector<Value> operands;
    for (auto [operand, sharding] : llvm::zip_equal(call_->getOperands(), in_))
      operands.push_back(withPadding(operand, sharding));
    SmallVector<Type> types;
    for (auto [type, sharding] : llvm::zip_equal(call_->getResultTypes(), out_))
      types.push_back(padded(type, sharding));
    SmallVector<StringAttr> axes;
    for (const ir::Mesh::Axis &axis : freeMesh_.axes)
      axes.push_back(builder_.getStringAttr(axis.name));
    auto computation =
        sdy::ManualComputationOp::create(builder_, call_.getLoc(), types, operands, written(in_), written(out_),
                                         sdy::ManualAxesAttr::get(builder_.getContext(), axes));
    computation.getBody().takeBody(body);
    Operation *end = computation.getBody().front().getTerminator();
    OpBuilder atEnd(end);
    sdy::ReturnOp::create(atEnd, end->getLoc(), end->getOperands());
    end->erase();
    for (auto [result, whole] : llvm::zip_equal(call_->getResults(), computation->getResults())) {
      Value known = whole;
      if (known.getType() != result.getType()) {
        SmallVector<int64_t> start(ir::typeOf(result).getRank(), 0), steps(start.size(), 1);
        known = sh::SliceOp::create(builder_, call_.getLoc(), whole, start, ir::typeOf(result).getShape(), steps);
        if (Attribute sharding = call_->getAttr("sdy.sharding"))
          known.getDefiningOp()->setAttr(
              "sdy.sharding",
              sdy::TensorShardingPerValueAttr::get(
                  builder_.getContext(),
                  cast<sdy::TensorShardingPerValueAttr>(sharding).getShardings()[result.getResultNumber()]));
      }
      result.replaceAllUsesWith(known);
    }
    call_.erase();
  }

  sh::CustomCallOp call_;
  ir::MeshTable &meshes_;
  const ir::Mesh *mesh_;
  bool hasMesh_ = false; // which one of its arrays is cut by
  int64_t devices_;
  OpBuilder builder_;
  ir::Mesh freeMesh_;         // the axes along which the framework cuts
  SmallVector<int> freeAxes_; // their numbers in the mesh
  std::vector<ir::Sharding> in_, out_;
};

SmallVector<sh::CustomCallOp> callsOfFramework(Operation *within) {
  SmallVector<sh::CustomCallOp> calls;
  within->walk([&](sh::CustomCallOp call) {
    if (isPartitionedByFramework(call))
      calls.push_back(call);
  });
  return calls;
}

} // namespace

static std::string identityOf(func::FuncOp main, int64_t devices) {
  std::string text = std::to_string(devices);
  llvm::raw_string_ostream stream(text);
  main.print(stream, OpPrintingFlags().enableDebugInfo(false));
  return hexDigits(stableHash(text));
}

LogicalResult partitionCalls(func::FuncOp main, const ReadLocalProgram &read) {
  SmallVector<sh::CustomCallOp> calls = callsOfFramework(main);
  if (calls.empty())
    return success();
  auto module = main->getParentOfType<ModuleOp>();
  int64_t devices = ir::numPartitions(module).value_or(1);
  ir::MeshTable meshes(module);
  const ir::Mesh *mesh = partition::meshOfDevices(module, meshes, devices);
  for (sh::CustomCallOp call : calls)
    if (failed(CallCutter(call, meshes, mesh, devices).run(read)))
      return failure();
  module->setAttr(kIdentityAttribute, StringAttr::get(module.getContext(), identityOf(main, devices)));
  return success();
}

LogicalResult partitionCalls(ModuleOp module, const ReadLocalProgram &read) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || !module->hasAttr(ir::kUnpartitionedAttribute) || callsOfFramework(module).empty())
    return success();
  foldKnownPlaces(module);
  if (failed(propagateShardings(module)))
    return failure();
  inlineNamedComputations(main);
  return partitionCalls(main, read);
}

} // namespace tenon::passes
