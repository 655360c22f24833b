// Computations that are written for one of several devices, in a program that computes whole arrays. Each becomes a
// module of its own, of a grid of as many partitions as the mesh has devices, which the runtime runs on as many threads
// (runtime/jit/manual_computation.h). Around it the arrays are put into the devices' parts and together again by
// ordinary ops:
//
//   sdy.manual_computation(%x : tensor<8x3xf32>) in=[<@mesh<"x"=4>, [{"x"}, {}]>] out=... manual_axes={"x"}
//       (%p: tensor<2x3xf32>)
//     =>  %parts = reshape %x : tensor<4x2x3xf32>;  tenon.manual_computation(%parts);  ...
//
// A process's number is its device's place in the mesh, as it is that of its partition. Axes that are not manual have
// a process for each place too; those compute the same. A computation in such a body, manual in some of these axes,
// stays where it is: each process takes its part of the operands, and gathers the results.
//
// Tokens do not pass the boundary: effects happen in the order of the program, and a body's happen where its call is.

#include "tenon/ir/process_groups.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/passes/legalize/decompose/array_builder.h"
#include "tenon/passes/legalize/decompose/patterns.h"
#include "tenon/passes/passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

#include <utility>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

constexpr StringLiteral kMeshAttribute = "tenon.mesh"; // of the devices, on a module that is a process of theirs

// The axes of a mesh that cut an array, by dimension, as numbers in the mesh's order.
using Cuts = SmallVector<SmallVector<int64_t>>;

bool isToken(Type type) { return isa<sh::TokenType>(type); }

SmallVector<Type> withoutTokens(TypeRange types) {
  return llvm::filter_to_vector(types, [](Type type) { return !isToken(type); });
}

// The devices and arrays of a manual computation.
class ManualComputation {
public:
  explicit ManualComputation(sdy::ManualComputationOp op) : op(op) {}

  // False where it is more than can be done.
  bool read() {
    Block &body = op.getBody().front();
    return readMesh() && readCuts(op.getInShardings(), op->getOperandTypes(), body.getArgumentTypes(), inCuts) &&
           readCuts(op.getOutShardings(), op->getResultTypes(), body.getTerminator()->getOperandTypes(), outCuts);
  }

protected:
  int64_t deviceCount() const {
    int64_t count = 1; // as many as there are partitions
    for (int64_t size : axisSizes)
      count *= size;
    return count;
  }

private:
  bool readMesh() {
    for (sdy::TensorShardingPerValueAttr shardings : {op.getInShardings(), op.getOutShardings()})
      for (sdy::TensorShardingAttr sharding : shardings.getShardings()) {
        sdy::MeshAttr own = sdy::meshOf(op, sharding);
        if (!own || (mesh && own != mesh))
          return false;
        mesh = own;
      }
    if (!mesh || !mesh.getDeviceIds().empty())
      return false;
    int64_t count = 1;
    for (sdy::MeshAxisAttr axis : mesh.getAxes()) {
      axisNames.push_back(axis.getName());
      axisSizes.push_back(axis.getSize());
      isManual.push_back(
          llvm::is_contained(op.getManualAxes().getAxes(), StringAttr::get(op.getContext(), axis.getName())));
      if (llvm::MulOverflow(count, axis.getSize(), count))
        return false;
    }
    auto module = op->getParentOfType<ModuleOp>();
    return ir::numPartitions(module) == count && ir::numReplicas(module).value_or(1) == 1;
  }

  // Reads which manual axes cut which dimensions, major to minor, and checks that the parts' types follow from them.
  bool readCuts(sdy::TensorShardingPerValueAttr shardings, TypeRange wholes, TypeRange parts, SmallVector<Cuts> &all) {
    if (shardings.getShardings().size() != wholes.size())
      return false;
    for (auto [sharding, whole, part] : llvm::zip_equal(shardings.getShardings(), wholes, parts)) {
      if (isToken(whole) && isToken(part) && sharding.getDimShardings().empty()) {
        all.emplace_back();
        continue;
      }
      auto type = dyn_cast<RankedTensorType>(whole), partType = dyn_cast<RankedTensorType>(part);
      if (!type || !partType || !type.hasStaticShape() || !partType.hasStaticShape() ||
          sharding.getDimShardings().size() != static_cast<size_t>(type.getRank()) ||
          !sharding.getUnreducedAxes().empty())
        return false;
      Cuts cuts(type.getRank());
      SmallVector<bool> isUsed(axisSizes.size(), false);
      for (auto [dimension, dimSharding] : llvm::enumerate(sharding.getDimShardings())) {
        int64_t tiles = 1;
        for (sdy::AxisRefAttr axis : dimSharding.getAxes()) {
          const auto *found = llvm::find(axisNames, axis.getName());
          if (found == axisNames.end())
            return false;
          int64_t place = found - axisNames.begin();
          if (!isManual[place])
            continue;
          if (axis.getSubAxisInfo() || std::exchange(isUsed[place], true))
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

protected:
  mutable sdy::ManualComputationOp op; // its accessors are not const
  sdy::MeshAttr mesh;
  SmallVector<StringRef> axisNames;
  SmallVector<int64_t> axisSizes;
  SmallVector<bool> isManual;
  SmallVector<Cuts> inCuts, outCuts;
};

// Outlines a manual computation of an unpartitioned program, which computes on whole arrays.
class ShardOutliner : public ManualComputation {
public:
  ShardOutliner(sdy::ManualComputationOp op, int64_t number) : ManualComputation(op), number_(number) {}

  void run() {
    OpBuilder opBuilder(op);
    ArrayBuilder builder(opBuilder, op.getLoc());
    SmallVector<Value> operands;
    SmallVector<int64_t> shared;
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      if (isToken(operand.getType()))
        continue;
      bool isWhole = llvm::all_of(inCuts[i], [](const auto &axes) { return axes.empty(); });
      if (isWhole)
        shared.push_back(static_cast<int64_t>(operands.size()));
      operands.push_back(isWhole ? operand : split(builder, operand, inCuts[i]));
    }
    SmallVector<Type> types;
    for (Type part : withoutTokens(op.getBody().front().getTerminator()->getOperandTypes()))
      types.push_back(stacked(cast<RankedTensorType>(part)));
    OperationState state(op.getLoc(), sh::CustomCallOp::getOperationName());
    state.addOperands(operands);
    state.addAttribute("call_target_name", opBuilder.getStringAttr(ir::kManualComputationTarget));
    state.addAttribute("has_side_effect", opBuilder.getBoolAttr(true));
    state.addAttribute("api_version", sh::CustomCallApiVersionAttr::get(
                                          opBuilder.getContext(), sh::CustomCallApiVersion::API_VERSION_TYPED_FFI));
    state.addAttribute("backend_config", opBuilder.getDictionaryAttr(
                                             {opBuilder.getNamedAttr("shared", opBuilder.getDenseI64ArrayAttr(shared)),
                                              opBuilder.getNamedAttr("module", opBuilder.getI64IntegerAttr(number_))}));
    state.addTypes(types);
    Operation *call = opBuilder.create(state);
    SmallVector<Value> results;
    auto part = call->result_begin();
    for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
      results.push_back(isToken(type) ? sh::CreateTokenOp::create(opBuilder, op.getLoc(), type).getResult()
                                      : join(builder, *part++, outCuts[i]));
    outline();
    op->replaceAllUsesWith(results);
    op->erase();
  }

private:
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
    Apart apart = takeApart(ir::typeOf(whole), cuts);
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
    ArrayRef<int64_t> part = ir::typeOf(parts).getShape().drop_front();
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
    auto module = ModuleOp::create(builder, op.getLoc(), ("manual_computation_" + Twine(number_)).str());
    module->setAttr(ir::kManualComputationAttribute, builder.getI64IntegerAttr(number_));
    module->setAttr(kMeshAttribute, mesh);
    module->setAttr("mhlo.num_replicas", builder.getI32IntegerAttr(1));
    module->setAttr("mhlo.num_partitions", builder.getI32IntegerAttr(static_cast<int32_t>(deviceCount())));
    builder.setInsertionPointToStart(module.getBody());
    for (auto mesh : parent.getOps<sdy::MeshOp>())
      builder.clone(*mesh.getOperation());
    Block &body = op.getBody().front();
    auto type = builder.getFunctionType(withoutTokens(body.getArgumentTypes()),
                                        withoutTokens(body.getTerminator()->getOperandTypes()));
    auto main = func::FuncOp::create(builder, op.getLoc(), "main", type);
    main.getBody().takeBody(op.getBody());
    builder.setInsertionPointToStart(&body);
    for (BlockArgument argument : body.getArguments())
      if (isToken(argument.getType()))
        argument.replaceAllUsesWith(sh::CreateTokenOp::create(builder, op.getLoc(), argument.getType()).getResult());
    body.eraseArguments([](BlockArgument argument) { return isToken(argument.getType()); });
    Operation *end = body.getTerminator();
    builder.setInsertionPoint(end);
    func::ReturnOp::create(builder, end->getLoc(), llvm::filter_to_vector(end->getOperands(), [](Value value) {
                             return !isToken(value.getType());
                           }));
    end->erase();
  }

  int64_t number_;
};

// Inlines a manual computation of a program that is a process for one device of the mesh.
class ShardInliner : public ManualComputation {
public:
  using ManualComputation::ManualComputation;

  // Whether processes are numbered as in the computation's mesh.
  bool isOfMesh(Attribute outer) const { return outer == mesh; }

  void run() {
    OpBuilder opBuilder(op);
    ArrayBuilder builder(opBuilder, op.getLoc());
    Block &body = op.getBody().front();
    for (auto [argument, operand, cuts] : llvm::zip_equal(body.getArguments(), op->getOperands(), inCuts))
      argument.replaceAllUsesWith(take(builder, operand, argument.getType(), cuts));
    Operation *end = body.getTerminator();
    op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations(), body.begin(), end->getIterator());
    for (auto [result, part, cuts] : llvm::zip_equal(op->getResults(), end->getOperands(), outCuts))
      result.replaceAllUsesWith(gather(builder, part, result.getType(), cuts));
    op->erase();
  }

private:
  // This process's part; tokens have none.
  Value take(ArrayBuilder &builder, Value whole, Type type, const Cuts &cuts) const {
    if (whole.getType() == type)
      return whole;
    auto part = cast<RankedTensorType>(type);
    SmallVector<Value> starts;
    for (auto [dimension, axes] : llvm::enumerate(cuts))
      starts.push_back(axes.empty() ? builder.i32(0) : start(builder, axes, part.getDimSize(dimension)));
    return sh::DynamicSliceOp::create(builder.builder, builder.loc, part, whole, starts,
                                      builder.builder.getDenseI64ArrayAttr(part.getShape()));
  }

  // The start of this process's part along a dimension that is partitioned along the axes, of which the last is the
  // minor one.
  Value start(ArrayBuilder &builder, ArrayRef<int64_t> axes, int64_t size) const {
    auto scalar = [&](Type element) { return RankedTensorType::get({}, element); };
    Type idType = scalar(IntegerType::get(op.getContext(), 32, IntegerType::Unsigned));
    Value id = sh::PartitionIdOp::create(builder.builder, builder.loc, idType);
    id = sh::ConvertOp::create(builder.builder, builder.loc, scalar(builder.builder.getI32Type()), id);
    Value place = builder.i32(0);
    for (int64_t axis : axes) {
      int64_t stride = 1;
      for (int64_t minor = axis + 1; minor < static_cast<int64_t>(axisSizes.size()); ++minor)
        stride *= axisSizes[minor];
      Value coordinate = builder.binary<sh::DivideOp>(id, builder.i32(stride));
      coordinate = builder.binary<sh::RemainderOp>(coordinate, builder.i32(axisSizes[axis]));
      place = builder.add(builder.multiply(place, builder.i32(axisSizes[axis])), coordinate);
    }
    return builder.multiply(place, builder.i32(size));
  }

  // The whole array, of the parts that the processes along the axes have. Of no elements there is nothing to gather.
  Value gather(ArrayBuilder &builder, Value part, Type whole, const Cuts &cuts) const {
    if (auto type = dyn_cast<RankedTensorType>(whole); type && type.getNumElements() == 0)
      return builder.reshape(part, type.getShape());
    for (auto [dimension, axes] : llvm::enumerate(cuts)) {
      if (axes.empty())
        continue;
      SmallVector<int64_t> sizes(ir::typeOf(part).getShape());
      for (int64_t axis : axes)
        sizes[dimension] *= axisSizes[axis];
      OperationState state(builder.loc, sh::AllGatherOp::getOperationName());
      state.addOperands(part);
      state.addTypes(ir::typeOf(part).clone(sizes));
      state.addAttribute("all_gather_dim", builder.builder.getI64IntegerAttr(static_cast<int64_t>(dimension)));
      state.addAttribute("replica_groups", groupsAlong(axes));
      state.addAttribute("channel_handle", sh::ChannelHandleAttr::get(op.getContext(), /*handle=*/1, /*type=*/1));
      state.addAttribute("use_global_device_ids", builder.builder.getUnitAttr());
      part = builder.builder.create(state)->getResult(0);
    }
    return part;
  }

  // Processes that differ along the axes only.
  Attribute groupsAlong(ArrayRef<int64_t> axes) const {
    SmallVector<sh::MeshAxisAttr> all;
    for (auto [name, size] : llvm::zip_equal(axisNames, axisSizes))
      all.push_back(sh::MeshAxisAttr::get(op.getContext(), name, size));
    SmallVector<Attribute> named;
    for (int64_t axis : axes)
      named.push_back(sh::AxisRefAttr::get(op.getContext(), axisNames[axis], {}));
    return sh::ReplicaGroupMeshAxesAttr::get(op.getContext(), sh::MeshAttr::get(op.getContext(), all, {}),
                                             ArrayAttr::get(op.getContext(), named));
  }
};

} // namespace

LogicalResult outlineManualComputations(ModuleOp module) {
  bool isProcess = module->hasAttr(ir::kManualComputationAttribute);
  SmallVector<sdy::ManualComputationOp> ops;
  module.walk<WalkOrder::PreOrder>([&](sdy::ManualComputationOp op) {
    ops.push_back(op);
    return isProcess ? WalkResult::advance() : WalkResult::skip(); // one in another goes with that
  });
  int64_t number = 0;
  for (sdy::ManualComputationOp op : ops) // what can't be taken apart is refused later
    if (ShardInliner inliner(op); isProcess) {
      if (inliner.read() && inliner.isOfMesh(module->getAttr(kMeshAttribute)))
        inliner.run();
    } else if (ShardOutliner outliner(op, number); outliner.read()) {
      outliner.run();
      ++number;
    }
  // Rules of collectives that need to know the grid have not been checked yet.
  return success(llvm::all_of(module.getOps<ModuleOp>(), [](ModuleOp inner) { return succeeded(verify(inner)); }));
}

} // namespace tenon::passes
