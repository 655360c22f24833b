// Chooses shardings for results, or for dimensions of results, that the caller leaves open. Programs are not
// partitioned here, but callers depend on the shardings of results: a sharded array that is updated stays sharded. So
// the shardings of arguments and constraints are followed through ops whose result has dimensions of their operands:
//
//   (%x: tensor<8x4xf32> {[{"x"}, {}]}) { %0 = multiply %x, %c; %1 = transpose %0; return %1 }     [{}, {"x"}]
//
// Dimensions that come from elsewhere, or that would be cut unevenly, are not cut.
//
// These are also the parts that callbacks of JAX get which are to be called on each device's part of their operands
// (jax.debug.callback(partitioned=True)): in a program that computes whole arrays there is a call for each device.
#include "tenon/ir/process_groups.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/traits.h"
#include "tenon/passes/legalize/decompose/patterns.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using Axes = ArrayRef<sdy::AxisRefAttr>;

// For each dimension of an operand the result's dimension that it is, or -1.
using DimensionMap = SmallVector<int64_t>;

DimensionMap identityMap(int64_t rank) {
  DimensionMap map(rank);
  std::iota(map.begin(), map.end(), 0);
  return map;
}

DimensionMap mapOf(sh::TransposeOp op) {
  DimensionMap map(op.getPermutation().size());
  for (auto [to, from] : llvm::enumerate(op.getPermutation()))
    map[from] = static_cast<int64_t>(to);
  return map;
}

DimensionMap mapOf(sh::ReduceOp op, int64_t rank) {
  DimensionMap map;
  int64_t kept = 0;
  for (int64_t dim = 0; dim < rank; ++dim)
    map.push_back(llvm::is_contained(op.getDimensions(), dim) ? -1 : kept++);
  return map;
}

// Batch dimensions come first in the result, then the left side's others, from `next` the right side's.
DimensionMap productMap(int64_t rank, ArrayRef<int64_t> batch, ArrayRef<int64_t> contracted, int64_t &next) {
  DimensionMap map(rank, -1);
  for (auto [to, from] : llvm::enumerate(batch))
    map[from] = static_cast<int64_t>(to);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contracted, dim))
      map[dim] = next++;
  return map;
}

class Shardings {
public:
  explicit Shardings(func::FuncOp main) : main_(main) {
    for (BlockArgument argument : main.getArguments())
      set(argument, main.getArgAttrOfType<sdy::TensorShardingAttr>(argument.getArgNumber(), "sdy.sharding"));
    visit(main.front());
  }

  // The value's sharding without what would be uneven; null where nothing is cut.
  sdy::TensorShardingAttr evenly(Value value) const {
    sdy::TensorShardingAttr known = known_.lookup(value);
    auto type = dyn_cast<RankedTensorType>(value.getType());
    sdy::MeshAttr mesh = known ? sdy::meshOf(main_, known) : nullptr;
    if (!mesh || !type || !type.hasStaticShape())
      return nullptr;
    SmallVector<SmallVector<sdy::AxisRefAttr>> dims(type.getRank());
    for (auto [dim, sharding] : llvm::enumerate(known.getDimShardings()))
      if (int64_t tiles = tilesOf(mesh, sharding.getAxes()); tiles != 0 && type.getDimSize(dim) % tiles == 0)
        dims[dim].assign(sharding.getAxes().begin(), sharding.getAxes().end());
    return make(known.getMeshOrRef(), dims);
  }

  // A sharding that is asked for, whose open dimensions are cut further as those of `known` are, by axes that it leaves
  // free.
  sdy::TensorShardingAttr filled(sdy::TensorShardingAttr asked, sdy::TensorShardingAttr known) const {
    if (!asked || !known || asked.getMeshOrRef() != known.getMeshOrRef() ||
        asked.getDimShardings().size() != known.getDimShardings().size() || !asked.getUnreducedAxes().empty() ||
        llvm::all_of(asked.getDimShardings(), [](sdy::DimensionShardingAttr dim) { return dim.getIsClosed(); }))
      return asked;
    llvm::StringSet<> used;
    for (sdy::AxisRefAttr axis : asked.getReplicatedAxes())
      used.insert(axis.getName());
    for (sdy::DimensionShardingAttr dim : asked.getDimShardings())
      for (sdy::AxisRefAttr axis : dim.getAxes())
        used.insert(axis.getName());
    SmallVector<SmallVector<sdy::AxisRefAttr>> dims;
    for (auto [dim, knownDim] : llvm::zip_equal(asked.getDimShardings(), known.getDimShardings())) {
      Axes axes = dim.getAxes(), more = knownDim.getAxes();
      bool isLonger = !dim.getIsClosed() && more.size() > axes.size() && more.take_front(axes.size()) == axes &&
                      llvm::none_of(more.drop_front(axes.size()),
                                    [&](sdy::AxisRefAttr axis) { return used.contains(axis.getName()); });
      dims.emplace_back(isLonger ? more : axes);
      for (sdy::AxisRefAttr axis : dims.back())
        used.insert(axis.getName());
    }
    sdy::TensorShardingAttr result = make(asked.getMeshOrRef(), dims);
    return result ? result : asked;
  }

  // The part of the value that device number `device` of `count` has; all of it where nothing is cut.
  Value partOf(OpBuilder &builder, Value value, int64_t device, int64_t count) const {
    sdy::TensorShardingAttr sharding = evenly(value);
    sdy::MeshAttr mesh = sharding ? sdy::meshOf(main_, sharding) : nullptr;
    if (!mesh || deviceCount(mesh) != count)
      return value;
    if (!mesh.getDeviceIds().empty())
      device = llvm::find(mesh.getDeviceIds(), device) - mesh.getDeviceIds().begin();
    SmallVector<int64_t> start, limit;
    for (auto [dim, cut] : llvm::enumerate(sharding.getDimShardings())) {
      int64_t tile = 0, tiles = tilesOf(mesh, cut.getAxes());
      for (sdy::AxisRefAttr axis : cut.getAxes())
        tile = tile * tilesOf(mesh, axis) + coordinate(mesh, axis, device);
      int64_t size = cast<RankedTensorType>(value.getType()).getDimSize(dim) / tiles;
      start.push_back(tile * size);
      limit.push_back((tile + 1) * size);
    }
    return sh::SliceOp::create(builder, value.getLoc(), value, start, limit, SmallVector<int64_t>(start.size(), 1));
  }

private:
  void set(Value value, sdy::TensorShardingAttr sharding) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && sharding && sharding.getUnreducedAxes().empty() &&
        sharding.getDimShardings().size() == static_cast<size_t>(type.getRank()))
      known_[value] = sharding;
  }

  // Into how many tiles the axes cut a dimension; 0 where the mesh has no such axes.
  static int64_t tilesOf(sdy::MeshAttr mesh, Axes axes) {
    int64_t tiles = 1;
    for (sdy::AxisRefAttr axis : axes) {
      const auto *found = llvm::find_if(
          mesh.getAxes(), [&](sdy::MeshAxisAttr candidate) { return candidate.getName() == axis.getName(); });
      if (found == mesh.getAxes().end())
        return 0;
      tiles *= axis.getSubAxisInfo() ? axis.getSubAxisInfo().getSize() : found->getSize();
    }
    return tiles;
  }

  static int64_t deviceCount(sdy::MeshAttr mesh) {
    int64_t count = 1;
    for (sdy::MeshAxisAttr axis : mesh.getAxes())
      count *= axis.getSize();
    return count;
  }

  // The coordinate of a device along an axis or a part of one.
  static int64_t coordinate(sdy::MeshAttr mesh, sdy::AxisRefAttr axis, int64_t device) {
    int64_t minor = 1; // devices that differ along minor axes
    for (sdy::MeshAxisAttr whole : llvm::reverse(mesh.getAxes())) {
      if (whole.getName() == axis.getName()) {
        int64_t place = device / minor % whole.getSize();
        sdy::SubAxisInfoAttr part = axis.getSubAxisInfo();
        if (!part)
          return place;
        int64_t parts = std::max<int64_t>(1, part.getPreSize() * part.getSize());
        return place / std::max<int64_t>(1, whole.getSize() / parts) % part.getSize();
      }
      minor *= whole.getSize();
    }
    return 0;
  }

  sdy::TensorShardingAttr make(Attribute mesh, ArrayRef<SmallVector<sdy::AxisRefAttr>> dims) const {
    if (llvm::all_of(dims, [](const auto &axes) { return axes.empty(); }))
      return nullptr;
    MLIRContext *context = main_->getContext();
    SmallVector<sdy::DimensionShardingAttr> shardings;
    for (const auto &axes : dims)
      shardings.push_back(sdy::DimensionShardingAttr::get(context, axes, true, std::nullopt));
    return sdy::TensorShardingAttr::get(context, mesh, shardings, {}, {});
  }

  // Every dimension of the result is cut as the first operand's is that has it and is cut there, by axes that cut no
  // other dimension.
  void combine(Value result, ArrayRef<std::pair<Value, DimensionMap>> operands) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      return;
    Attribute mesh;
    llvm::StringSet<> used;
    SmallVector<SmallVector<sdy::AxisRefAttr>> dims(type.getRank());
    for (const auto &[operand, map] : operands) {
      sdy::TensorShardingAttr sharding = known_.lookup(operand);
      if (!sharding || (mesh && mesh != sharding.getMeshOrRef()))
        continue;
      mesh = sharding.getMeshOrRef();
      for (auto [from, to] : llvm::enumerate(map)) {
        Axes axes = sharding.getDimShardings()[from].getAxes();
        if (to < 0 || !dims[to].empty() ||
            cast<RankedTensorType>(operand.getType()).getDimSize(from) != type.getDimSize(to) ||
            llvm::any_of(axes, [&](sdy::AxisRefAttr axis) { return used.contains(axis.getName()); }))
          continue;
        dims[to].assign(axes.begin(), axes.end());
        for (sdy::AxisRefAttr axis : axes)
          used.insert(axis.getName());
      }
    }
    set(result, make(mesh, dims));
  }

  // Operands of the result's rank have its dimensions, where they are of the same size.
  void visitAligned(Operation *op) {
    SmallVector<std::pair<Value, DimensionMap>> operands;
    auto rank = [](Value value) { return cast<ShapedType>(value.getType()).getRank(); };
    for (Value operand : op->getOperands())
      if (known_.contains(operand) && rank(operand) == rank(op->getResult(0)))
        operands.push_back({operand, identityMap(rank(operand))});
    combine(op->getResult(0), operands);
  }

  void visitProduct(sh::DotGeneralOp op) {
    sh::DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
    auto next = static_cast<int64_t>(numbers.getLhsBatchingDimensions().size());
    DimensionMap left = productMap(cast<ShapedType>(op.getLhs().getType()).getRank(),
                                   numbers.getLhsBatchingDimensions(), numbers.getLhsContractingDimensions(), next);
    DimensionMap right = productMap(cast<ShapedType>(op.getRhs().getType()).getRank(),
                                    numbers.getRhsBatchingDimensions(), numbers.getRhsContractingDimensions(), next);
    combine(op.getResult(), {{op.getLhs(), left}, {op.getRhs(), right}});
  }

  void visit(Block &block) {
    for (Operation &op : block.without_terminator()) {
      visit(&op);
      // Values inside are those of one device; other regions belong to the whole program.
      if (isa<sdy::ManualComputationOp>(op))
        continue;
      for (Region &region : op.getRegions())
        for (Block &inner : region) {
          if (isa<sh::WhileOp>(op))
            for (auto [argument, operand] : llvm::zip(inner.getArguments(), op.getOperands()))
              set(argument, known_.lookup(operand));
          visit(inner);
        }
    }
  }

  void visit(Operation *op) {
    if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(op))
      return set(constraint.getResult(), filled(constraint.getShardingAttr(), known_.lookup(constraint.getInput())));
    if (auto reshard = dyn_cast<sdy::ReshardOp>(op))
      return set(reshard.getResult(), reshard.getShardingAttr());
    if (auto manual = dyn_cast<sdy::ManualComputationOp>(op)) {
      for (auto [result, sharding] : llvm::zip(manual.getResults(), manual.getOutShardings().getShardings()))
        set(result, sharding);
      return;
    }
    // The rules below need an operand whose sharding is known.
    if (llvm::none_of(op->getOperands(), [&](Value operand) { return known_.contains(operand); }))
      return;
    if (op->hasTrait<ir::Elementwise>() || op->hasTrait<ir::KeepsDimensions>())
      return visitAligned(op);
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](sh::TransposeOp op) { combine(op.getResult(), {{op.getOperand(), mapOf(op)}}); })
        .Case([&](sh::BroadcastInDimOp op) {
          combine(op.getResult(), {{op.getOperand(), DimensionMap(op.getBroadcastDimensions())}});
        })
        .Case([&](sh::ReduceOp op) {
          for (auto [result, input] : llvm::zip(op.getResults(), op->getOperands()))
            combine(result, {{input, mapOf(op, cast<ShapedType>(input.getType()).getRank())}});
        })
        .Case([&](sh::DotGeneralOp op) { visitProduct(op); })
        .Case<sh::WhileOp, sh::SortOp, sh::ScatterOp, sh::OptimizationBarrierOp, sdy::PropagationBarrierOp,
              sdy::DataFlowEdgeOp>([&](Operation *op) {
          for (auto [result, operand] : llvm::zip(op->getResults(), op->getOperands()))
            set(result, known_.lookup(operand));
        });
  }

  func::FuncOp main_;
  llvm::DenseMap<Value, sdy::TensorShardingAttr> known_;
};

} // namespace

void describeResultShardings(func::FuncOp main) {
  Shardings shardings(main);
  for (auto [i, value] : llvm::enumerate(main.front().getTerminator()->getOperands())) {
    sdy::TensorShardingAttr sharding = shardings.evenly(value);
    if (!sharding || main.getResultAttr(i, "mhlo.sharding"))
      continue;
    if (Attribute asked = main.getResultAttr(i, "sdy.sharding"))
      sharding = shardings.filled(dyn_cast<sdy::TensorShardingAttr>(asked), sharding);
    if (sharding)
      main.setResultAttr(i, "sdy.sharding", sharding);
  }
}

static LogicalResult callOnParts(sh::CustomCallOp call, const Shardings &shardings, int64_t devices) {
  auto main = call->getParentOfType<func::FuncOp>();
  for (BlockArgument argument : main.getArguments())
    if (main.getArgAttr(argument.getArgNumber(), "mhlo.sharding"))
      return call.emitError("a partitioned callback needs shardings in Shardy's notation");
  if (call->getNumResults() != 0)
    return call.emitError("a partitioned callback of ") << devices << " devices cannot have results";
  OpBuilder builder(call);
  for (int64_t device = 0; device < devices; ++device) {
    IRMapping parts;
    for (Value operand : call->getOperands())
      parts.map(operand, shardings.partOf(builder, operand, device, devices));
    builder.clone(*call, parts);
  }
  call.erase();
  return success();
}

LogicalResult callOnParts(func::FuncOp main) {
  auto module = main->getParentOfType<ModuleOp>();
  int64_t devices = ir::numPartitions(module).value_or(1);
  if (devices < 2 || !module->hasAttr(ir::kUnpartitionedAttribute))
    return success();
  SmallVector<sh::CustomCallOp> calls;
  main.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<sdy::ManualComputationOp>(op)) // runs on each device anyway
      return WalkResult::skip();
    if (auto call = dyn_cast<sh::CustomCallOp>(op);
        call && call.getCallTargetName() == "xla_ffi_partitioned_python_cpu_callback")
      calls.push_back(call);
    return WalkResult::advance();
  });
  if (calls.empty())
    return success();
  Shardings shardings(main);
  return success(
      llvm::all_of(calls, [&](sh::CustomCallOp call) { return succeeded(callOnParts(call, shardings, devices)); }));
}

} // namespace tenon::passes
