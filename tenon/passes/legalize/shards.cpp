// Computations that are written for one of several devices, in a program that computes whole arrays. Each becomes a
// module of its own, of a grid of as many partitions as the mesh has devices, which the runtime runs on as many threads
// (runtime/jit/shards.h). Around it the arrays are put into the devices' parts and together again by ordinary ops:
//
//   sdy.manual_computation(%x : tensor<8x3xf32>) in=[<@mesh<"x"=4>, [{"x"}, {}]>] out=... manual_axes={"x"} (%p:
//   tensor<2x3xf32>)
//     =>  %parts = reshape %x : tensor<4x2x3xf32>;  tenon.run_shards(%parts);  ...
//
// A process's number is its device's place in the mesh, as it is that of its partition. Axes that are not manual have
// a process for each place too; those compute the same.

#include "tenon/ir/process_groups.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/passes/legalize/array_builder.h"
#include "tenon/passes/legalize/patterns.h"
#include "tenon/passes/passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

// The axes of a mesh that cut an array, by dimension, as numbers in the mesh's order.
using Cuts = SmallVector<SmallVector<int64_t>>;

class ShardOutliner {
public:
  ShardOutliner(sdy::ManualComputationOp op, int64_t number) : op(op), number(number) {}

  // False, without a change, where it can't be done.
  bool run() {
    if (!readMesh())
      return false;
    SmallVector<Cuts> inCuts, outCuts;
    Block &body = op.getBody().front();
    if (!readCuts(op.getInShardings(), op->getOperandTypes(), body.getArgumentTypes(), inCuts) ||
        !readCuts(op.getOutShardings(), op->getResultTypes(), body.getTerminator()->getOperandTypes(), outCuts))
      return false;
    OpBuilder opBuilder(op);
    ArrayBuilder builder(opBuilder, op.getLoc());
    SmallVector<Value> operands;
    SmallVector<int64_t> shared;
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      bool isWhole = llvm::all_of(inCuts[i], [](const auto &axes) { return axes.empty(); });
      if (isWhole)
        shared.push_back(static_cast<int64_t>(i));
      operands.push_back(isWhole ? operand : split(builder, operand, inCuts[i]));
    }
    SmallVector<Type> types;
    for (Type part : body.getTerminator()->getOperandTypes())
      types.push_back(stacked(cast<RankedTensorType>(part)));
    OperationState state(op.getLoc(), sh::CustomCallOp::getOperationName());
    state.addOperands(operands);
    state.addAttribute("call_target_name", opBuilder.getStringAttr(ir::kRunShardsTarget));
    state.addAttribute("has_side_effect", opBuilder.getBoolAttr(true));
    state.addAttribute("backend_config", opBuilder.getDictionaryAttr(
                                             {opBuilder.getNamedAttr("shared", opBuilder.getDenseI64ArrayAttr(shared)),
                                              opBuilder.getNamedAttr("module", opBuilder.getI64IntegerAttr(number))}));
    state.addTypes(types);
    Operation *call = opBuilder.create(state);
    SmallVector<Value> results;
    for (auto [i, part] : llvm::enumerate(call->getResults()))
      results.push_back(join(builder, part, outCuts[i]));
    outline();
    op->replaceAllUsesWith(results);
    op->erase();
    return true;
  }

private:
  int64_t deviceCount() const {
    int64_t count = 1;
    for (int64_t size : axisSizes)
      count *= size;
    return count;
  }

  bool readMesh() {
    Attribute reference;
    for (sdy::TensorShardingPerValueAttr shardings : {op.getInShardings(), op.getOutShardings()})
      for (sdy::TensorShardingAttr sharding : shardings.getShardings()) {
        if (reference && reference != sharding.getMeshOrRef())
          return false;
        reference = sharding.getMeshOrRef();
      }
    auto mesh = dyn_cast_or_null<sdy::MeshAttr>(reference);
    if (auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(reference))
      if (auto meshOp = SymbolTable::lookupNearestSymbolFrom<sdy::MeshOp>(op, symbol))
        mesh = meshOp.getMesh();
    if (!mesh || !mesh.getDeviceIds().empty())
      return false;
    for (sdy::MeshAxisAttr axis : mesh.getAxes()) {
      axisNames.push_back(axis.getName());
      axisSizes.push_back(axis.getSize());
      isManual.push_back(
          llvm::is_contained(op.getManualAxes().getAxes(), StringAttr::get(op.getContext(), axis.getName())));
    }
    std::optional<int64_t> partitions = ir::numPartitions(op->getParentOfType<ModuleOp>());
    return partitions && *partitions == deviceCount();
  }

  // Reads which manual axes cut which dimensions, major to minor, and checks that the parts' types follow from them.
  bool readCuts(sdy::TensorShardingPerValueAttr shardings, TypeRange wholes, TypeRange parts, SmallVector<Cuts> &all) {
    if (shardings.getShardings().size() != wholes.size())
      return false;
    for (auto [sharding, whole, part] : llvm::zip_equal(shardings.getShardings(), wholes, parts)) {
      auto type = dyn_cast<RankedTensorType>(whole), partType = dyn_cast<RankedTensorType>(part);
      if (!type || !partType || !type.hasStaticShape() || !partType.hasStaticShape() ||
          sharding.getDimShardings().size() != static_cast<size_t>(type.getRank()))
        return false;
      Cuts cuts(type.getRank());
      for (auto [dimension, dimSharding] : llvm::enumerate(sharding.getDimShardings())) {
        int64_t tiles = 1;
        for (sdy::AxisRefAttr axis : dimSharding.getAxes()) {
          const auto *found = llvm::find(axisNames, axis.getName());
          if (found == axisNames.end())
            return false;
          int64_t place = found - axisNames.begin();
          if (!isManual[place])
            continue;
          if (axis.getSubAxisInfo())
            return false;
          cuts[dimension].push_back(place);
          tiles *= axisSizes[place];
        }
        if (type.getDimSize(dimension) != partType.getDimSize(dimension) * tiles)
          return false;
      }
      all.push_back(std::move(cuts));
    }
    return true;
  }

  RankedTensorType stacked(RankedTensorType part) const {
    SmallVector<int64_t> sizes{deviceCount()};
    llvm::append_range(sizes, part.getShape());
    return part.clone(sizes);
  }

  // The sizes of an array whose cut dimensions are taken apart, axes before what is left: [x, y, 2, 3]; and where the
  // axes and the rests are in there.
  struct Apart {
    SmallVector<int64_t> sizes, rests;
    SmallVector<std::pair<int64_t, int64_t>> axes; // (axis, place), in the mesh's order
  };
  Apart takeApart(RankedTensorType whole, const Cuts &cuts) const {
    Apart apart;
    for (auto [dimension, axes] : llvm::enumerate(cuts)) {
      int64_t rest = whole.getDimSize(dimension);
      for (int64_t axis : axes) {
        apart.axes.emplace_back(axis, static_cast<int64_t>(apart.sizes.size()));
        apart.sizes.push_back(axisSizes[axis]);
        rest /= axisSizes[axis];
      }
      apart.rests.push_back(static_cast<int64_t>(apart.sizes.size()));
      apart.sizes.push_back(rest);
    }
    llvm::sort(apart.axes);
    return apart;
  }

  // The parts of all devices, one behind the other.
  Value split(ArrayBuilder &builder, Value whole, const Cuts &cuts) const {
    Apart apart = takeApart(ArrayBuilder::typeOf(whole), cuts);
    SmallVector<int64_t> order, dimensions, meshed(axisSizes), flat{deviceCount()};
    for (auto [axis, place] : apart.axes) {
      order.push_back(place);
      dimensions.push_back(axis);
    }
    for (int64_t place : apart.rests) {
      order.push_back(place);
      dimensions.push_back(static_cast<int64_t>(meshed.size()));
      meshed.push_back(apart.sizes[place]);
      flat.push_back(apart.sizes[place]);
    }
    Value parts = builder.transpose(builder.reshape(whole, apart.sizes), order);
    return builder.reshape(builder.broadcast(parts, meshed, dimensions), flat);
  }

  // The whole of the parts of all devices. Of those that have the same the first counts.
  Value join(ArrayBuilder &builder, Value parts, const Cuts &cuts) const {
    ArrayRef<int64_t> part = ArrayBuilder::typeOf(parts).getShape().drop_front();
    SmallVector<int64_t> meshed(axisSizes), wholeSizes;
    llvm::append_range(meshed, part);
    SmallVector<int64_t> start(meshed.size(), 0), limit(meshed), kept, order, placeOf(axisSizes.size(), -1);
    for (const auto &axes : cuts)
      for (int64_t axis : axes)
        placeOf[axis] = 0;
    for (auto [axis, place] : llvm::enumerate(placeOf)) {
      if (place < 0) {
        limit[axis] = 1;
        continue;
      }
      place = static_cast<int64_t>(kept.size());
      kept.push_back(axisSizes[axis]);
    }
    auto rest = static_cast<int64_t>(kept.size());
    llvm::append_range(kept, part);
    for (auto [dimension, axes] : llvm::enumerate(cuts)) {
      int64_t size = part[dimension];
      for (int64_t axis : axes) {
        order.push_back(placeOf[axis]);
        size *= axisSizes[axis];
      }
      order.push_back(rest + static_cast<int64_t>(dimension));
      wholeSizes.push_back(size);
    }
    Value chosen = builder.reshape(builder.slice(builder.reshape(parts, meshed), start, limit), kept);
    return builder.reshape(builder.transpose(chosen, order), wholeSizes);
  }

  // A module beside the functions, for the pipeline to take.
  void outline() {
    auto parent = op->getParentOfType<ModuleOp>();
    OpBuilder builder = OpBuilder::atBlockEnd(parent.getBody());
    auto module = ModuleOp::create(builder, op.getLoc(), ("shards_" + Twine(number)).str());
    module->setAttr(ir::kShardsAttribute, builder.getI64IntegerAttr(number));
    module->setAttr("mhlo.num_replicas", builder.getI32IntegerAttr(1));
    module->setAttr("mhlo.num_partitions", builder.getI32IntegerAttr(static_cast<int32_t>(deviceCount())));
    builder.setInsertionPointToStart(module.getBody());
    for (auto mesh : parent.getOps<sdy::MeshOp>())
      builder.clone(*mesh.getOperation());
    Block &body = op.getBody().front();
    auto type = builder.getFunctionType(body.getArgumentTypes(), body.getTerminator()->getOperandTypes());
    auto main = func::FuncOp::create(builder, op.getLoc(), "main", type);
    main.getBody().takeBody(op.getBody());
    Operation *end = main.getBody().front().getTerminator();
    builder.setInsertionPoint(end);
    func::ReturnOp::create(builder, end->getLoc(), end->getOperands());
    end->erase();
  }

  sdy::ManualComputationOp op;
  int64_t number;
  SmallVector<StringRef> axisNames;
  SmallVector<int64_t> axisSizes;
  SmallVector<bool> isManual;
};

} // namespace

LogicalResult outlineShards(ModuleOp module) {
  SmallVector<sdy::ManualComputationOp> ops;
  module.walk([&](sdy::ManualComputationOp op) { ops.push_back(op); });
  int64_t number = 0;
  for (sdy::ManualComputationOp op : ops) // what can't be outlined is refused later
    number += ShardOutliner(op, number).run();
  // Rules of collectives that need to know the grid have not been checked yet.
  return success(llvm::all_of(module.getOps<ModuleOp>(), [](ModuleOp inner) { return succeeded(verify(inner)); }));
}

} // namespace tenon::passes
