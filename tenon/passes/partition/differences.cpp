// Whether the devices of a program may have what is no whole array: summands (`unreduced`), or, after a computation for
// single devices, arrays that are said to be the same on several of them and are not:
//
//   sdy.manual_computation(%x) out=[{}] (%part) { %0 = add %part, %axis_index  return %0 }     each device has its own
//
// For every value in such a body, the axes along which devices may have different ones are found: those that cut an
// operand, those that a place (a part of partition_id) follows, and whatever an operand differs along; but none that a
// collective has brought together. A single missed step of this kind, as of a sum that is made of permutations, costs
// that the program is cut although it could have run on whole arrays.
#include "tenon/ir/mesh.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"
#include "tenon/passes/partition/partition.h"
#include "tenon/passes/partition/propagate/values.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

// A set of a mesh's axes.
using AxisSet = uint64_t;

// A place by axes: (partition_id / stride) % count.
struct Digit {
  int64_t stride, count;
};

class Differences {
public:
  Differences(sdy::ManualComputationOp op, ir::MeshTable &meshes, const ir::Mesh *mesh)
      : op_(op), meshes_(meshes), mesh_(mesh), all_((AxisSet(1) << mesh->axes.size()) - 1) {}

  // Whether a result has what is said to be the same and is not.
  bool exist() {
    visitManual(op_);
    for (auto [value, attribute] :
         llvm::zip_equal(op_.getBody().front().getTerminator()->getOperands(), op_.getOutShardings().getShardings()))
      if (of(value) & manualAxes(op_) & ~axesOf(attribute, value.getType()))
        return true;
    return false;
  }

private:
  AxisSet of(Value value) const { return axes_.lookup(value); }
  // Whether that was news.
  bool add(Value value, AxisSet axes) {
    AxisSet &known = axes_[value];
    bool isNews = (axes & ~known) != 0;
    known |= axes;
    return isNews;
  }

  AxisSet manualAxes(sdy::ManualComputationOp op) const {
    AxisSet axes = 0;
    for (int axis : propagate::ValueShardings::manualAxes(op, mesh_))
      axes |= AxisSet(1) << axis;
    return axes;
  }

  AxisSet setOf(ArrayRef<ir::Atom> atoms) const {
    AxisSet axes = 0;
    for (const ir::Atom &atom : atoms)
      axes |= AxisSet(1) << atom.axis;
    return axes;
  }

  // Those that cut an array.
  AxisSet axesOf(sdy::TensorShardingAttr attribute, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto sharding = meshes_.read(attribute, tensor ? tensor.getRank() : 0);
    if (!sharding.ok())
      return all_;
    AxisSet axes = setOf(sharding->unreduced);
    for (const ir::DimCut &cut : sharding->dims)
      axes |= setOf(cut.axes);
    return axes;
  }

  void visitManual(sdy::ManualComputationOp op) {
    Block &body = op.getBody().front();
    for (auto [argument, operand, attribute] :
         llvm::zip_equal(body.getArguments(), op->getOperands(), op.getInShardings().getShardings()))
      add(argument, of(operand) | axesOf(attribute, operand.getType()));
    visit(body);
    for (auto [result, value, attribute] :
         llvm::zip_equal(op->getResults(), body.getTerminator()->getOperands(), op.getOutShardings().getShardings()))
      add(result, of(value) & ~axesOf(attribute, result.getType()));
  }

  void visit(Block &block) {
    for (Operation &op : block.without_terminator())
      visit(&op);
  }

  void visit(Operation *op) {
    if (auto manual = dyn_cast<sdy::ManualComputationOp>(op))
      return visitManual(manual);
    if (auto loop = dyn_cast<sh::WhileOp>(op))
      return visitLoop(loop);
    if (isa<sh::IfOp, sh::CaseOp>(op))
      return visitBranches(op);
    if (auto call = dyn_cast<func::CallOp>(op))
      return visitCall(call);
    bool isOwn = isa<sh::PartitionIdOp, sh::ReplicaIdOp, sh::RngOp, sh::InfeedOp, sh::RecvOp>(op) || callsOut(op);
    AxisSet axes = isOwn ? all_ : ofInputs(op);
    if (op->hasTrait<ir::Collective>())
      axes = afterCollective(op, axes);
    else if (std::optional<Digit> digit = op->getNumResults() == 1 ? digitOf(op->getResult(0)) : std::nullopt)
      axes = axesOf(*digit);
    for (Value result : op->getResults())
      add(result, axes);
  }

  static bool callsOut(Operation *op) {
    auto call = dyn_cast<sh::CustomCallOp>(op);
    return call && call.getHasSideEffect();
  }

  // What an op's operands, and what its regions take from outside, differ along.
  AxisSet ofInputs(Operation *op) const {
    AxisSet axes = 0;
    llvm::SetVector<Value> inputs(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), inputs);
    for (Value input : inputs)
      axes |= of(input);
    return axes;
  }

  void visitLoop(sh::WhileOp op) {
    auto addAll = [&](ValueRange to, ValueRange from, AxisSet also) {
      bool isNews = false;
      for (auto [target, source] : llvm::zip_equal(to, from))
        isNews |= add(target, of(source) | also);
      return isNews;
    };
    Block &condition = op.getCond().front(), &body = op.getBody().front();
    addAll(body.getArguments(), op->getOperands(), 0);
    for (bool isNews = true; isNews;) {
      addAll(condition.getArguments(), body.getArguments(), 0);
      visit(condition);
      visit(body);
      isNews = addAll(body.getArguments(), body.getTerminator()->getOperands(),
                      of(condition.getTerminator()->getOperand(0)));
    }
    addAll(op->getResults(), body.getArguments(), 0);
  }

  void visitBranches(Operation *op) {
    for (Region &region : op->getRegions()) {
      visit(region.front());
      for (auto [result, value] : llvm::zip_equal(op->getResults(), region.front().getTerminator()->getOperands()))
        add(result, of(value) | of(op->getOperand(0)));
    }
  }

  // A function's values have what they have in all calls of it.
  void visitCall(func::CallOp call) {
    auto callee = call->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal() || llvm::is_contained(callees_, callee)) { // the inliner refuses recursion
      for (Value result : call->getResults())
        add(result, all_);
      return;
    }
    callees_.push_back(callee);
    for (auto [argument, operand] : llvm::zip_equal(callee.getArguments(), call->getOperands()))
      add(argument, of(operand));
    visit(callee.front());
    for (auto [result, value] : llvm::zip_equal(call->getResults(), callee.front().getTerminator()->getOperands()))
      add(result, of(value));
    callees_.pop_back();
  }

  AxisSet afterCollective(Operation *op, AxisSet before) {
    ir::ProcessGrid grid = ir::processGrid(op);
    if (isa<sh::CollectivePermuteOp>(op))
      return afterPermutation(op, before, grid);
    auto groups = ir::processGroups(op, grid);
    auto along = groups.ok() ? ir::axesOfGroups(*mesh_, *groups) : std::nullopt;
    if (!along)
      return all_;
    AxisSet whole = 0;
    for (const ir::Atom &atom : *along)
      if (atom.size == mesh_->axes[atom.axis].size)
        whole |= AxisSet(1) << atom.axis;
    if (isa<sh::AllReduceOp, sh::AllGatherOp, sh::CollectiveBroadcastOp>(op))
      return (before | (setOf(*along) & ~whole)) & ~whole;
    return before | setOf(*along);
  }

  // Along other axes than those that the operand differs along, devices get the same if their places along these, from
  // which they get it, are the same.
  AxisSet afterPermutation(Operation *op, AxisSet before, const ir::ProcessGrid &grid) {
    auto pairs = ir::processPairs(op, grid);
    if (!pairs.ok() || !mesh_->ids.empty())
      return all_;
    SmallVector<int64_t> sources(mesh_->size(), -1);
    for (auto [source, target] : *pairs)
      sources[target % mesh_->size()] = source % mesh_->size();
    auto place = [&](int64_t device, AxisSet along) { // the device at the first place along the other axes
      int64_t result = 0, stride = mesh_->size();
      for (auto [i, axis] : llvm::enumerate(mesh_->axes)) {
        stride /= axis.size;
        if (along & (AxisSet(1) << i))
          result += device / stride % axis.size * stride;
      }
      return result;
    };
    AxisSet after = before;
    for (size_t axis = 0; axis < mesh_->axes.size(); ++axis)
      for (int64_t device = 0; device < mesh_->size(); ++device) {
        int64_t own = sources[device], first = sources[place(device, all_ & ~(AxisSet(1) << axis))];
        if ((own < 0) != (first < 0) || (own >= 0 && place(own, before) != place(first, before)))
          after |= AxisSet(1) << axis;
      }
    return after;
  }

  std::optional<Digit> digitOf(Value value) const {
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<sh::PartitionIdOp>(op))
      return Digit{1, mesh_->size()};
    if (!isa_and_nonnull<sh::ConvertOp, sh::DivideOp, sh::RemainderOp>(op) ||
        !isa<IntegerType>(ir::elementTypeOf(value)))
      return std::nullopt;
    std::optional<Digit> digit = digitOf(op->getOperand(0));
    APInt constant;
    if (!digit || isa<sh::ConvertOp>(op))
      return digit;
    if (!matchPattern(op->getOperand(1), m_ConstantInt(&constant)) || constant.getActiveBits() > 32 ||
        constant.isZero())
      return std::nullopt;
    auto number = static_cast<int64_t>(constant.getZExtValue());
    if (digit->count % number != 0)
      return number > digit->count ? (isa<sh::RemainderOp>(op) ? digit : std::nullopt) : std::nullopt;
    return isa<sh::DivideOp>(op) ? Digit{digit->stride * number, digit->count / number} : Digit{digit->stride, number};
  }

  AxisSet axesOf(const Digit &digit) const {
    if (digit.count == 1)
      return 0;
    auto axes = mesh_->ids.empty() ? ir::axesOfRun(*mesh_, digit.stride, digit.count) : std::nullopt;
    return axes ? setOf(*axes) : all_;
  }

  sdy::ManualComputationOp op_;
  ir::MeshTable &meshes_;
  const ir::Mesh *mesh_;
  AxisSet all_;
  llvm::DenseMap<Value, AxisSet> axes_; // along which devices may have different values
  SmallVector<func::FuncOp> callees_;   // that are being visited
};

// The mesh that its shardings name.
const ir::Mesh *meshOf(sdy::ManualComputationOp op, ir::MeshTable &meshes) {
  const ir::Mesh *mesh = nullptr;
  auto look = [&](sdy::TensorShardingPerValueAttr shardings, TypeRange types) {
    for (auto [attribute, type] : llvm::zip_equal(shardings.getShardings(), types)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      auto sharding = meshes.read(attribute, tensor ? tensor.getRank() : 0);
      if (!mesh && sharding.ok() && !sharding->mesh->axes.empty())
        mesh = sharding->mesh;
    }
  };
  look(op.getInShardings(), op->getOperandTypes());
  look(op.getOutShardings(), op->getResultTypes());
  return mesh;
}

bool namesSummands(Attribute attribute) {
  bool isFound = false;
  attribute.walk([&](sdy::TensorShardingAttr sharding) { isFound |= !sharding.getUnreducedAxes().empty(); });
  return isFound;
}

} // namespace

bool mayDiffer(ModuleOp module) {
  ir::MeshTable meshes(module);
  WalkResult walk = module.walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
    if (namesSummands(op->getAttrDictionary()))
      return WalkResult::interrupt();
    auto manual = dyn_cast<sdy::ManualComputationOp>(op);
    if (!manual)
      return WalkResult::advance();
    const ir::Mesh *mesh = meshOf(manual, meshes);
    if (mesh && mesh->axes.size() < 64 && Differences(manual, meshes, mesh).exist())
      return WalkResult::interrupt();
    return WalkResult::skip();
  });
  return walk.wasInterrupted();
}

} // namespace tenon::passes
