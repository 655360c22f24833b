// Computations for single devices, as programs in XLA's notation have them: what is between two borders.
//
//   %1 = custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8xf32>) -> tensor<2xf32>
//   %2 = negate %1
//   %3 = custom_call @SPMDShardToFullShape(%2) {mhlo.sharding = "{devices=[4]<=[4]}"}
//     =>  %3 = sdy.manual_computation(%0) ... (%1: tensor<2xf32>) { %2 = negate %1; sdy.return %2 }
//
// On both sides a call of Sharding says how the array lies there. A zone is what depends on the parts of its operands,
// and what its results depend on; constants are copied into it. Zones that share no values are computations of their
// own. Where one is inside of another, the inner one, which is manual in more axes, is taken out first.
#include "tenon/passes/partition/import/annotations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>
#include <limits>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::annotations {
namespace {

bool isEntry(Operation *op) { return isCallOf(op, "SPMDFullToShardShape"); }
bool isExit(Operation *op) { return isCallOf(op, "SPMDShardToFullShape"); }

// The operands, and what regions take from outside.
SmallVector<Value> inputsOf(Operation *op) {
  llvm::SetVector<Value> inputs(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), inputs);
  return inputs.takeVector();
}

// Whether an op may be computed anywhere, and once more.
bool isCopied(Operation *op) { return isPure(op) && op->getNumRegions() == 0; }

// The ops of a block that make up one zone, in the block's order.
struct Zone {
  SmallVector<Operation *> entries, ops, exits, copies;
};

// Finds the innermost zones of a block.
class ZoneFinder {
public:
  ZoneFinder(Block &block, Annotations &annotations) : block_(block), annotations_(annotations) {}

  // None if the block has no borders any more.
  FailureOr<std::vector<Zone>> find() {
    if (failed(findBorders()) || failed(findMembers()))
      return failure();
    return takeApart();
  }

private:
  // How many devices a value is one part of.
  FailureOr<int64_t> depth(Operation *op, Value part, const program::Sharding *annotation) {
    if (!annotation)
      return 0;
    auto read = annotations_.read(op, *annotation, cast<RankedTensorType>(part.getType()).getRank());
    if (failed(read))
      return failure();
    return ir::partsOf(read->manual);
  }

  LogicalResult findBorders() {
    llvm::MapVector<Operation *, int64_t> depths;
    int64_t deepest = 0, least = std::numeric_limits<int64_t>::max();
    for (Operation &op : block_) {
      if (!isEntry(&op) && !isExit(&op))
        continue;
      Value part = isEntry(&op) ? op.getResult(0) : op.getOperand(0);
      auto own = depth(&op, part, annotations_.ofValue(part));
      if (failed(own))
        return failure();
      depths[&op] = *own;
      deepest = std::max(deepest, *own);
      least = *own > 0 ? std::min(least, *own) : least;
    }
    // An exit without an annotation before it is one of the outermost zones.
    for (auto [op, own] : depths)
      if (own == deepest || (isExit(op) && own == 0 && least >= deepest))
        borders_.insert(op);
    return success();
  }

  LogicalResult findMembers() {
    SmallVector<Operation *> work;
    auto addUsers = [&](Operation *op) -> LogicalResult {
      for (Operation *user : op->getUsers()) {
        Operation *member = block_.findAncestorOpInBlock(*user);
        if (borders_.contains(member) && isExit(member))
          continue;
        if (borders_.contains(member) || member->hasTrait<OpTrait::IsTerminator>())
          return member->emitError("takes what one device has for the whole array; SPMDShardToFullShape is missing");
        if (members_.insert(member))
          work.push_back(member);
      }
      return success();
    };
    for (Operation *border : borders_)
      if (isEntry(border) && failed(addUsers(border)))
        return failure();
    while (!work.empty())
      if (failed(addUsers(work.pop_back_val())))
        return failure();
    work.assign(members_.begin(), members_.end());
    for (Operation *border : borders_)
      if (isExit(border))
        work.push_back(border);
    while (!work.empty())
      if (failed(addInputs(work.pop_back_val(), work)))
        return failure();
    return settleCopies();
  }

  // What is computed from other things than copies is no copy. Nothing outside of the zones may need what is in them.
  LogicalResult settleCopies() {
    for (Operation &op : block_)
      if (copies_.contains(&op) &&
          llvm::any_of(inputsOf(&op), [&](Value input) { return !copies_.contains(input.getDefiningOp()); })) {
        copies_.remove(&op);
        members_.insert(&op);
      }
    for (Operation *op : members_)
      for (Operation *user : op->getUsers()) {
        Operation *within = block_.findAncestorOpInBlock(*user);
        if (!members_.contains(within) && !(borders_.contains(within) && isExit(within)))
          return within->emitError("takes what one device has for the whole array; SPMDShardToFullShape is missing");
      }
    return success();
  }

  // What an op of the zone is computed from.
  LogicalResult addInputs(Operation *op, SmallVector<Operation *> &work) {
    for (Value input : inputsOf(op)) {
      Operation *defining = input.getDefiningOp();
      if (defining && (borders_.contains(defining) ? isEntry(defining) : members_.contains(defining)))
        continue;
      if (!defining || defining->getBlock() != &block_ || borders_.contains(defining))
        return op->emitError("takes a whole array for what one device has; SPMDFullToShardShape is missing");
      if (isCopied(defining) ? copies_.insert(defining) : members_.insert(defining))
        work.push_back(defining);
    }
    return success();
  }

  std::vector<Zone> takeApart() {
    llvm::EquivalenceClasses<Operation *> classes;
    auto isOfZone = [&](Operation *op) { return op && (borders_.contains(op) || members_.contains(op)); };
    for (Operation &op : block_) {
      if (!isOfZone(&op))
        continue;
      classes.insert(&op);
      if (isEntry(&op) && borders_.contains(&op))
        continue; // its operand is outside
      for (Value input : inputsOf(&op))
        if (isOfZone(input.getDefiningOp()))
          classes.unionSets(&op, input.getDefiningOp());
    }
    llvm::MapVector<Operation *, Zone> zones;
    for (Operation &op : block_) {
      if (!isOfZone(&op))
        continue;
      Zone &zone = zones[classes.getLeaderValue(&op)];
      (!borders_.contains(&op) ? zone.ops : isEntry(&op) ? zone.entries : zone.exits).push_back(&op);
    }
    std::vector<Zone> all;
    for (auto &[leader, zone] : zones) {
      for (Operation &op : block_)
        if (copies_.contains(&op))
          zone.copies.push_back(&op); // those that it does not need are dropped again
      all.push_back(std::move(zone));
    }
    return all;
  }

  Block &block_;
  Annotations &annotations_;
  llvm::SetVector<Operation *> borders_, members_, copies_;
};

// Makes a manual computation of a zone.
class ZoneImporter {
public:
  ZoneImporter(Zone &zone, Annotations &annotations) : zone_(zone), annotations_(annotations) {}

  LogicalResult run() {
    if (failed(findMesh()) || failed(readEntries()) || failed(readExits()) || failed(moveLateOps()))
      return failure();
    build();
    return success();
  }

private:
  // The call of Sharding that says how a value lies, which has said it after that.
  static sh::CustomCallOp annotationAt(Value value) {
    Operation *defining = value.getDefiningOp();
    return isCallOf(defining, "Sharding") ? cast<sh::CustomCallOp>(defining) : sh::CustomCallOp();
  }

  // Finds the mesh that all arrays at the borders have.
  LogicalResult findMesh() {
    auto take = [&](Operation *op, Value value) -> LogicalResult {
      const program::Sharding *annotation = annotations_.ofValue(value);
      const ir::Mesh *mesh = annotation ? annotations_.meshOf(*annotation) : nullptr;
      if (mesh && mesh_ && mesh != mesh_)
        return op->emitError("the computation's arrays lie on meshes that have no axes in common");
      mesh_ = mesh ? mesh : mesh_;
      return success();
    };
    for (Operation *op : llvm::concat<Operation *>(zone_.entries, zone_.exits))
      for (Value value : {op->getOperand(0), Value(op->getResult(0))})
        if (failed(take(op, value)))
          return failure();
    return success();
  }

  struct Lying {
    ir::Sharding sharding;
    SmallVector<int> manual; // numbers of axes
  };
  FailureOr<Lying> read(Operation *op, Value value, const program::Sharding &annotation) {
    auto read = annotations_.read(op, annotation, cast<RankedTensorType>(value.getType()).getRank(), mesh_);
    if (failed(read))
      return failure();
    if (read->sharding.mesh->isMaximal())
      return op->emitError("the array must lie on all devices");
    Lying lying{read->sharding, {}};
    for (const ir::Atom &atom : read->manual) { // the mesh has an axis for each
      if (atom.size != read->sharding.mesh->axes[atom.axis].size)
        return op->emitError("is manual in a part of an axis");
      lying.manual.push_back(atom.axis);
    }
    return lying;
  }

  // What the zone is manual in and its surroundings are not; the same at every border.
  LogicalResult takeManual(Operation *op, ArrayRef<int> inside, ArrayRef<int> outside) {
    SmallVector<int> manual =
        llvm::filter_to_vector(inside, [&](int axis) { return !llvm::is_contained(outside, axis); });
    if (!llvm::all_of(outside, [&](int axis) { return llvm::is_contained(inside, axis); }) ||
        (manual_ && *manual_ != manual))
      return op->emitError("what is manual here does not fit to the other borders of the computation");
    manual_ = std::move(manual);
    return success();
  }

  LogicalResult readEntries() {
    for (Operation *op : zone_.entries) {
      Value whole = op->getOperand(0);
      const program::Sharding *inside = annotations_.ofValue(op->getResult(0));
      const program::Sharding *outside = annotations_.ofValue(whole);
      const program::Sharding replicated;
      if (!outside && whole.getType() == op->getResult(0).getType())
        outside = &replicated;
      if (!inside || !outside)
        return op->emitError("no annotation says how the array lies");
      auto part = read(op, op->getResult(0), *inside), array = read(op, whole, *outside);
      if (failed(part) || failed(array) || failed(takeManual(op, part->manual, array->manual)))
        return failure();
      SmallVector<int64_t> open = openDims(cast<sh::CustomCallOp>(op));
      if (sh::CustomCallOp call = annotationAt(whole)) {
        open.append(openDims(call));
        whole = call->getOperand(0);
      }
      auto sharding = checked(op, array->sharding, open, op->getOperand(0), op->getResult(0));
      if (failed(sharding))
        return failure();
      operands_.push_back(whole);
      in_.push_back(*sharding);
    }
    return success();
  }

  LogicalResult readExits() {
    for (Operation *op : zone_.exits) {
      Value part = op->getOperand(0);
      const program::Sharding *inside = annotations_.ofValue(part), *outside = annotations_.ofValue(op->getResult(0));
      if (!outside || (!inside && !manual_))
        return op->emitError("no annotation says how the array lies");
      auto array = read(op, op->getResult(0), *outside);
      if (failed(array))
        return failure();
      if (inside) {
        auto local = read(op, part, *inside);
        if (failed(local) || failed(takeManual(op, local->manual, array->manual)))
          return failure();
      }
      auto sharding =
          checked(op, array->sharding, openDims(cast<sh::CustomCallOp>(op)), op->getResult(0), op->getOperand(0));
      if (failed(sharding))
        return failure();
      // All dimensions of the parts are open: that says nothing.
      if (sh::CustomCallOp call = annotationAt(part); call && openDims(call).size() == array->sharding.dims.size() &&
                                                      call->getOperand(0).getType() == part.getType())
        part = call->getOperand(0);
      results_.push_back(part);
      out_.push_back(*sharding);
    }
    return success();
  }

  // The sharding with these dimensions open, if the parts' sizes follow from it.
  FailureOr<sdy::TensorShardingAttr> checked(Operation *op, ir::Sharding sharding, ArrayRef<int64_t> open, Value whole,
                                             Value part) {
    auto wholeType = cast<RankedTensorType>(whole.getType()), partType = cast<RankedTensorType>(part.getType());
    if (wholeType.getRank() != partType.getRank() || wholeType.getElementType() != partType.getElementType())
      return op->emitError("the part must be of the array's rank and element type");
    for (auto [i, dim] : llvm::enumerate(sharding.dims)) {
      auto isManual = [&](const ir::Atom &atom) { return llvm::is_contained(*manual_, atom.axis); };
      if (!std::is_partitioned(dim.axes.begin(), dim.axes.end(), isManual))
        return op->emitError("dimension ") << i << " is cut along other axes before those of the computation";
      ir::Axes cuts(llvm::make_filter_range(dim.axes, isManual));
      if (wholeType.getDimSize(i) != partType.getDimSize(i) * ir::partsOf(cuts))
        return op->emitError("dimension ") << i << " has " << partType.getDimSize(i) << " elements on each device, and "
                                           << wholeType.getDimSize(i) << " on " << ir::partsOf(cuts);
      dim.isClosed = !llvm::is_contained(open, static_cast<int64_t>(i));
    }
    return annotations_.write(sharding);
  }

  // Ops that stand among those of the zone and need its results come behind it.
  LogicalResult moveLateOps() {
    last_ = nullptr;
    for (Operation *op : llvm::concat<Operation *>(zone_.entries, zone_.ops))
      if (!last_ || last_->isBeforeInBlock(op))
        last_ = op;
    if (!last_)
      last_ = zone_.exits.front();
    llvm::DenseSet<Operation *> own(zone_.ops.begin(), zone_.ops.end());
    own.insert(zone_.entries.begin(), zone_.entries.end());
    llvm::SetVector<Operation *> late(zone_.exits.begin(), zone_.exits.end());
    SmallVector<Operation *> moved;
    for (Operation &op : *last_->getBlock()) {
      if (late.contains(&op)) {
        if (op.isBeforeInBlock(last_))
          moved.push_back(&op);
        continue;
      }
      if (!op.isBeforeInBlock(last_) && &op != last_)
        break;
      if (llvm::none_of(inputsOf(&op), [&](Value input) { return late.contains(input.getDefiningOp()); }))
        continue;
      if (own.contains(&op) && !isEntryOfZone(&op))
        continue;
      if (own.contains(&op))
        return op.emitError("the computation's operand depends on its result");
      late.insert(&op);
      moved.push_back(&op);
    }
    for (Operation *op : llvm::reverse(moved))
      op->moveAfter(last_);
    return success();
  }

  bool isEntryOfZone(Operation *op) const { return llvm::is_contained(zone_.entries, op); }

  void build() {
    OpBuilder builder(last_->getContext());
    builder.setInsertionPointAfter(last_);
    if (llvm::is_contained(zone_.exits, last_))
      builder.setInsertionPoint(last_);
    auto perValue = [&](ArrayRef<sdy::TensorShardingAttr> shardings) {
      return sdy::TensorShardingPerValueAttr::get(builder.getContext(), shardings);
    };
    const ir::Mesh &mesh = mesh_ ? *mesh_ : annotations_.defaultMesh();
    SmallVector<StringAttr> names;
    for (int axis : *manual_)
      names.push_back(builder.getStringAttr(mesh.axes[axis].name));
    SmallVector<Type> types;
    for (Operation *exit : zone_.exits)
      types.push_back(exit->getResult(0).getType());
    auto computation =
        sdy::ManualComputationOp::create(builder, last_->getLoc(), types, operands_, perValue(in_), perValue(out_),
                                         sdy::ManualAxesAttr::get(builder.getContext(), names));
    Block &body = computation.getBody().emplaceBlock();
    IRMapping inside;
    for (Operation *entry : zone_.entries)
      inside.map(entry->getResult(0), body.addArgument(entry->getResult(0).getType(), entry->getLoc()));
    builder.setInsertionPointToStart(&body);
    SmallVector<Operation *> copies;
    for (Operation *op : zone_.copies)
      copies.push_back(builder.clone(*op, inside));
    for (Operation *op : zone_.ops)
      op->moveBefore(&body, body.end());
    builder.setInsertionPointToEnd(&body);
    sdy::ReturnOp::create(builder, last_->getLoc(), results_);
    body.walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        operand.set(inside.lookupOrDefault(operand.get()));
    });
    for (Operation *op : llvm::reverse(copies))
      if (op->use_empty())
        op->erase();
    for (auto [exit, result] : llvm::zip_equal(zone_.exits, computation.getResults()))
      exit->getResult(0).replaceAllUsesWith(result);
    for (Operation *border : llvm::concat<Operation *>(zone_.exits, zone_.entries))
      eraseWithAnnotation(border);
  }

  // What said how the array lies goes with the border, unless something else depends on it.
  void eraseWithAnnotation(Operation *border) {
    sh::CustomCallOp call = annotationAt(border->getOperand(0));
    border->erase();
    if (call && call->use_empty())
      call->erase();
  }

  Zone &zone_;
  Annotations &annotations_;
  const ir::Mesh *mesh_ = nullptr;
  std::optional<SmallVector<int>> manual_;
  SmallVector<Value> operands_, results_;
  SmallVector<sdy::TensorShardingAttr> in_, out_;
  Operation *last_ = nullptr; // after which it can be computed
};

// Copies that nothing takes any more go with the zones.
void eraseUnused(ArrayRef<Operation *> copies) {
  for (Operation *op : llvm::reverse(copies))
    if (op->use_empty())
      op->erase();
}

LogicalResult importZonesOf(Block &block, Annotations &annotations) {
  for (;;) {
    auto zones = ZoneFinder(block, annotations).find();
    if (failed(zones))
      return failure();
    if (zones->empty())
      return success();
    SmallVector<Operation *> copies = zones->front().copies;
    for (Zone &zone : *zones)
      if (failed(ZoneImporter(zone, annotations).run()))
        return failure();
    eraseUnused(copies);
  }
}

} // namespace

LogicalResult importZones(ModuleOp module, Annotations &annotations) {
  llvm::SetVector<Block *> blocks;
  module.walk([&](Operation *op) {
    if (isEntry(op) || isExit(op))
      blocks.insert(op->getBlock());
  });
  return success(llvm::all_of(blocks, [&](Block *block) { return succeeded(importZonesOf(*block, annotations)); }));
}

} // namespace tenon::passes::annotations
