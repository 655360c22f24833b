// Spreads shardings over a program:
//
//   (%x: tensor<8x4xf32> {[{"x"}, {}]}) { %0 = multiply %x, %c; %1 = transpose %0; return %1 }     [{}, {"x"}]
//
// Where Shardy puts results, and arguments that the user leaves open, is visible to users of JAX. So this is Shardy's
// propagation, down to the order of visits; scripts/compare_with_shardy.py holds them against each other.
#include "tenon/passes/partition/propagate/engine.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/passes/partition/partition.h"

#include <numeric>

using namespace mlir;

namespace tenon::passes {
namespace propagate {
namespace {

// As much of each dimension's axes as divides it.
void cutEvenly(ir::Sharding &sharding, Type type) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  if (!shaped || !shaped.hasStaticShape() || sharding.dims.size() != shaped.getShape().size())
    return;
  for (auto [dim, size] : llvm::zip_equal(sharding.dims, shaped.getShape())) {
    if (size % ir::partsOf(dim.axes) == 0)
      continue;
    int64_t left = size;
    ir::Axes kept;
    for (const ir::Atom &atom : dim.axes) {
      int64_t common = std::gcd(atom.size, left);
      if (common > 1)
        kept.push_back({atom.axis, atom.pre, common});
      if (common != atom.size)
        break;
      left /= common;
    }
    dim.axes = kept;
  }
}

// Drops parts of axes, and what follows them, where the user has not said them.
void keepWholeAxes(ir::Sharding &sharding) {
  for (ir::DimCut &dim : sharding.dims)
    if (!dim.isClosed)
      dim.axes.truncate(
          llvm::find_if(dim.axes,
                        [&](const ir::Atom &atom) { return atom.size != sharding.mesh->axes[atom.axis].size; }) -
          dim.axes.begin());
}

class Writer {
public:
  explicit Writer(ValueShardings &values) : values_(values) {}

  void writeSignature() {
    func::FuncOp main = values_.main;
    for (BlockArgument argument : main.getArguments())
      if (const ir::Sharding *sharding = values_.find(argument); sharding && hasStaticShape(argument.getType()))
        main.setArgAttr(argument.getArgNumber(), "sdy.sharding", outside(*sharding, argument.getType()));
    for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
      if (values_.results[i] && hasStaticShape(type))
        main.setResultAttr(i, "sdy.sharding", outside(*values_.results[i], type));
  }

  void write(Operation *op) {
    if (auto manual = dyn_cast<sdy::ManualComputationOp>(op))
      return writeManual(manual);
    if (auto named = dyn_cast<sdy::NamedComputationOp>(op)) {
      if (auto shardings = perValue(named.getBody().getArguments()))
        named.setInShardingsAttr(shardings);
      if (auto shardings = perValue(named.getResults()))
        named.setOutShardingsAttr(shardings);
      return;
    }
    if (isa<sdy::ShardingConstraintOp, sdy::ReshardOp>(op)) {
      op->setAttr("sharding", inside(*values_.find(op->getResult(0))));
      return;
    }
    auto call = dyn_cast<stablehlo::CustomCallOp>(op);
    if (isInspection(op) || isPartitionedByFramework(op) || (call && call.getCallTargetName() == kPartitionedCallback))
      if (auto shardings = perValue(op->getOperands()))
        op->setAttr(kOperandShardings, shardings);
    if (auto shardings = perValue(op->getResults()))
      op->setAttr("sdy.sharding", shardings);
  }

private:
  // Whether an array of other sizes is cut evenly, nobody knows yet.
  static bool hasStaticShape(Type type) {
    auto shaped = dyn_cast<RankedTensorType>(type);
    return shaped && shaped.hasStaticShape();
  }
  sdy::TensorShardingAttr inside(ir::Sharding sharding) const {
    for (ir::DimCut &dim : sharding.dims)
      dim.isClosed = true;
    sharding.replicated.clear(); // nothing spreads any more, and what is not named is replicated
    return values_.meshes.write(sharding);
  }
  sdy::TensorShardingAttr outside(ir::Sharding sharding, Type type) const {
    cutEvenly(sharding, type);
    keepWholeAxes(sharding);
    return inside(std::move(sharding));
  }

  // None if nothing is known of any of the values.
  sdy::TensorShardingPerValueAttr perValue(ValueRange values) const {
    const ir::Sharding *any = nullptr;
    for (Value value : values)
      if (!any)
        any = values_.find(value);
    if (!any)
      return {};
    SmallVector<sdy::TensorShardingAttr> attributes;
    for (Value value : values) {
      auto shaped = dyn_cast<RankedTensorType>(value.getType());
      const ir::Sharding *known = values_.find(value);
      attributes.push_back(
          inside(known ? *known : ir::Sharding::whole(any->mesh, shaped ? shaped.getRank() : 0, /*isClosed=*/true)));
    }
    return sdy::TensorShardingPerValueAttr::get(values_.main.getContext(), attributes);
  }

  void writeManual(sdy::ManualComputationOp op) {
    auto in = *values_.readManual(op, /*ofOperands=*/true), out = *values_.readManual(op, /*ofOperands=*/false);
    SmallVector<sdy::TensorShardingAttr> inAttributes, outAttributes;
    for (auto [sharding, argument] : llvm::zip_equal(in, op.getBody().getArguments())) {
      if (const ir::Sharding *inner = values_.find(argument))
        sharding = withFreeAxes(sharding, *inner, ValueShardings::manualAxes(op, sharding.mesh));
      cutEvenly(sharding, op->getOperand(argument.getArgNumber()).getType());
      inAttributes.push_back(inside(sharding));
    }
    for (auto [sharding, result] : llvm::zip_equal(out, op.getResults())) {
      if (const ir::Sharding *known = values_.find(result))
        sharding = *known;
      cutEvenly(sharding, result.getType());
      outAttributes.push_back(inside(sharding));
    }
    op.setInShardingsAttr(sdy::TensorShardingPerValueAttr::get(op.getContext(), inAttributes));
    op.setOutShardingsAttr(sdy::TensorShardingPerValueAttr::get(op.getContext(), outAttributes));
  }

  ValueShardings &values_;
};

void write(ValueShardings &values) {
  Writer writer(values);
  SmallVector<Operation *> ops;
  values.main.walk([&](Operation *op) {
    if (op != values.main && !isa<sdy::DataFlowEdgeOp>(op))
      ops.push_back(op);
  });
  writer.writeSignature();
  for (Operation *op : ops)
    writer.write(op);
  values.main.walk([](Operation *op) {
    if (auto edge = dyn_cast<sdy::DataFlowEdgeOp>(op)) {
      edge.getResult().replaceAllUsesWith(edge.getInput());
      edge.erase();
    } else if (isa<sdy::ShardingGroupOp>(op)) {
      op->erase();
    }
  });
}

LogicalResult propagate(func::FuncOp main) {
  if (failed(importCalls(main)))
    return failure();
  splitConstants(main);
  addEdges(main);
  ValueShardings values(main);
  Groups groups;
  if (failed(values.load()) || failed(loadEdges(values)) || failed(applyConstraints(values)) ||
      failed(groups.build(values)) || failed(spreadAll(values, groups)))
    return failure();
  write(values);
  return success();
}

} // namespace
} // namespace propagate

LogicalResult propagateShardings(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    for (auto function : module.getOps<func::FuncOp>())
      if (!main && !function.isPrivate())
        main = function;
  return main && !main.isExternal() ? propagate::propagate(main) : success();
}

} // namespace tenon::passes
