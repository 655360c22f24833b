// Moves each group of ops into a `tenon.fusion` region.
//
//   %1 = stablehlo.add %a, %b                    %2 = tenon.fusion loop (%a, %b) {
//   %2 = stablehlo.tanh %1              =>         ^bb0(%x, %y): %3 = add %x, %y; %4 = tanh %3; tenon.yield %4
//                                                }
//
// Small constants are copied into the region, so that equal fusions over different data are the same kernel only when
// their constants agree, and codegen sees their values.

#include "tenon/interpreter/tensor.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/types.h"
#include "tenon/passes/fuse/attention.h"
#include "tenon/passes/fuse/elementwise_loops.h"
#include "tenon/passes/fuse/grouping.h"
#include "tenon/passes/fuse/results.h"
#include "tenon/passes/fuse/rules.h"
#include "tenon/passes/passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <algorithm>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

ir::FusionKind kindOf(const FusionGroup &group) {
  if (group.contract)
    return isa<sh::DotGeneralOp>(group.contract) ? ir::FusionKind::Dot : ir::FusionKind::Convolution;
  if (group.reduce)
    return group.rows ? ir::FusionKind::Rows : ir::FusionKind::Reduce;
  return ir::FusionKind::Loop;
}

// Copies constants that the nested regions of `op` take from outside into those regions.
void embedCapturedConstants(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      llvm::DenseMap<Operation *, Value> copies;
      for (Operation &inner : block)
        for (OpOperand &operand : inner.getOpOperands()) {
          Operation *source = operand.get().getDefiningOp();
          if (!source || source->getBlock() == &block || !source->hasTrait<OpTrait::ConstantLike>())
            continue;
          Value &copy = copies[source];
          if (!copy) {
            OpBuilder builder = OpBuilder::atBlockBegin(&block);
            copy = builder.clone(*source)->getResult(0);
          }
          operand.set(copy);
        }
    }
}

class Outliner {
public:
  Outliner(Block &block, const FusionGroup &group)
      : block_(block), group_(group), members_(group.members.begin(), group.members.end()) {
    ordered_.assign(group.members.rbegin(), group.members.rend());
  }

  // Makes the fusion after the last member; the members' outside uses now read it.
  ir::FusionOp run() {
    collectOperands();
    collectResults();
    OpBuilder builder(ordered_.front()->getContext());
    builder.setInsertionPointAfter(ordered_.back());
    SmallVector<Type> types;
    for (Value result : results_)
      types.push_back(result.getType());
    auto fusion = ir::FusionOp::create(builder, location(), types, operands_, kindOf(group_));
    fillBody(fusion);
    for (auto [result, replacement] : llvm::zip(results_, fusion->getResults()))
      result.replaceUsesWithIf(replacement, [&](OpOperand &use) { return isOutside(use, fusion); });
    return fusion;
  }

private:
  Location location() { return group_.roots.front()->getLoc(); }

  bool isMember(Value value) { return value.getDefiningOp() && members_.contains(value.getDefiningOp()); }

  bool isOutside(OpOperand &use, Operation *fusion) {
    Operation *user = block_.findAncestorOpInBlock(*use.getOwner());
    return user != fusion && !members_.contains(user);
  }

  void collectOperands() {
    llvm::SetVector<Value> found;
    if (group_.contract) // always operands 0 and 1, whatever else they are
      for (Value operand : group_.contract->getOperands())
        operands_.push_back(isMember(operand) ? operand.getDefiningOp()->getOperand(0) : operand);
    for (Operation *op : ordered_)
      for (Value operand : op->getOperands()) {
        Operation *source = operand.getDefiningOp();
        if (!isMember(operand) && !llvm::is_contained(operands_, operand) && !(source && isEmbeddableConstant(source)))
          found.insert(operand);
      }
    llvm::append_range(operands_, found.takeVector());
  }

  void collectResults() {
    for (Operation *root : group_.roots)
      for (Value result : root->getResults()) {
        auto outside = [&](OpOperand &use) {
          return !members_.contains(block_.findAncestorOpInBlock(*use.getOwner()));
        };
        if (llvm::any_of(result.getUses(), outside))
          results_.push_back(result);
      }
    // A contraction stores the last result itself; its kernel accumulates in the contraction's type.
    if (group_.contract)
      std::stable_partition(results_.begin(), results_.end(), [&](Value result) {
        return getElementTypeOrSelf(result.getType()) != getElementTypeOrSelf(group_.contract->getResult(0).getType());
      });
    if (results_.empty()) // nobody reads it; keep it well-formed for dead code removal
      results_.push_back(group_.roots.front()->getResult(0));
  }

  void fillBody(ir::FusionOp fusion) {
    Block &body = fusion.getBlock();
    IRMapping mapping;
    mapping.map(operands_, body.getArguments());
    OpBuilder builder = OpBuilder::atBlockEnd(&body);
    for (Operation *op : ordered_) {
      for (Value operand : op->getOperands())
        if (!mapping.contains(operand))
          mapping.map(operand, builder.clone(*operand.getDefiningOp())->getResult(0));
      embedCapturedConstants(builder.clone(*op, mapping));
    }
    SmallVector<Value> yielded;
    for (Value result : results_)
      yielded.push_back(mapping.lookup(result));
    ir::YieldOp::create(builder, location(), yielded);
  }

  Block &block_;
  const FusionGroup &group_;
  llvm::DenseSet<Operation *> members_;
  SmallVector<Operation *> ordered_;
  SmallVector<Value> operands_, results_;
};

// The fusion of some ops of a block, which go unless they are used elsewhere. `ops` is in the block's order.
ir::FusionOp outline(ArrayRef<Operation *> ops) {
  FusionGroup group;
  group.members.assign(ops.rbegin(), ops.rend());
  for (Operation *op : ops) {
    if (llvm::any_of(op->getUsers(), [&](Operation *user) { return !llvm::is_contained(ops, user); }))
      group.roots.push_back(op);
    if (roleOf(op) == OpRole::kReduce)
      group.reduce = op;
  }
  if (group.roots.empty())
    group.roots.push_back(ops.back());
  ir::FusionOp fusion = Outliner(*ops.front()->getBlock(), group).run();
  for (Operation *op : group.members)
    if (op->use_empty())
      op->erase();
  return fusion;
}

// Takes a fusion that cannot be emitted apart again: what follows a contraction from it and from the conversions of its
// operands, anything else into single ops.
void dissolve(ir::FusionOp fusion, const FuseOptions &options) {
  bool hasContraction = fusion.getKind() == ir::FusionKind::Dot || fusion.getKind() == ir::FusionKind::Convolution;
  Block &body = fusion.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), fusion->getOperands());
  OpBuilder builder(fusion);
  SmallVector<Operation *> before, copies;
  for (Operation &op : body.without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    OpRole role = roleOf(copy);
    if (role == OpRole::kConstant || role == OpRole::kContract || role == OpRole::kScalar)
      continue;
    bool precedes = llvm::any_of(op.getUsers(), [](Operation *user) { return roleOf(user) == OpRole::kContract; });
    (precedes ? before : copies).push_back(copy);
  }
  for (auto [result, yielded] : llvm::zip(fusion->getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(yielded));
  fusion.erase();
  for (Operation *op : before)
    outline(op);
  if (hasContraction && copies.size() > 1) {
    if (ir::FusionOp rest = outline(copies); !options.canEmit(rest))
      dissolve(rest, options);
    return;
  }
  for (Operation *op : copies)
    outline(op);
}

// A window that covers most of an array which the update itself reads is written as a select over the whole array:
// updating in place would need a copy first, and the select makes the result a value that a loop can carry by
// exchanging two buffers (stencils: u.at[1:-1, 1:-1].set(f(u))).
void expandLargeUpdates(Block &block, const CostModel &costs) {
  for (auto update : llvm::make_early_inc_range(block.getOps<sh::DynamicUpdateSliceOp>())) {
    auto type = cast<RankedTensorType>(update.getType());
    auto window = cast<RankedTensorType>(update.getUpdate().getType());
    if (!type.hasStaticShape() || !window.hasStaticShape() || update.getOperand().hasOneUse() ||
        window.getNumElements() * costs.updatedParts < type.getNumElements() ||
        isa<quant::QuantizedType>(type.getElementType()))
      continue;
    SmallVector<int64_t> low, high, interior(type.getRank(), 0);
    for (auto [i, start] : llvm::enumerate(update.getStartIndices())) {
      DenseIntElementsAttr value;
      if (!matchPattern(start, m_Constant(&value)))
        break;
      int64_t room = type.getDimSize(i) - window.getDimSize(i);
      APInt number = *value.value_begin<APInt>();
      bool isUnsigned = value.getElementType().isUnsignedInteger();
      low.push_back(isUnsigned ? int64_t(number.getLimitedValue(room))
                               : std::clamp<int64_t>(number.getSExtValue(), 0, room));
      high.push_back(room - low.back());
    }
    if (low.size() != size_t(type.getRank()))
      continue;
    OpBuilder builder(update);
    Location loc = update.getLoc();
    auto maskType = RankedTensorType::get(type.getShape(), builder.getI1Type());
    auto constant = [&](RankedTensorType shape, Attribute value) -> Value {
      return sh::ConstantOp::create(builder, loc, SplatElementsAttr::get(shape, value));
    };
    Value zero = sh::ConstantOp::create(builder, loc, interpreter::Tensor({}, type.getElementType()).toAttr());
    Value inside = constant(maskType.clone(window.getShape()), builder.getBoolAttr(true));
    Value outside = constant(RankedTensorType::get({}, builder.getI1Type()), builder.getBoolAttr(false));
    Value mask = sh::PadOp::create(builder, loc, maskType, inside, outside, low, high, interior);
    Value padded = sh::PadOp::create(builder, loc, type, update.getUpdate(), zero, low, high, interior);
    Value result = sh::SelectOp::create(builder, loc, type, mask, padded, update.getOperand());
    update.replaceAllUsesWith(result);
    update.erase();
  }
}

// Whether everything that the op and its regions use of its block is among `placed`.
bool isReady(Operation *op, const llvm::DenseSet<Operation *> &placed) {
  WalkResult outcome = op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && source->getBlock() == op->getBlock() && !placed.contains(source))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return !outcome.wasInterrupted();
}

// Puts each op behind what it uses, and otherwise keeps the order. Ops with effects always keep theirs, even if no
// value connects them (collectives and custom calls may have no token): side effects are observable.
void sortBlock(Block &block) {
  llvm::DenseSet<Operation *> placed;
  SmallVector<Operation *> waiting;
  for (Operation &op : block.without_terminator())
    waiting.push_back(&op);
  while (!waiting.empty()) {
    SmallVector<Operation *> later;
    bool effectWaits = false;
    for (Operation *op : waiting) {
      bool hasEffect = !isMemoryEffectFree(op);
      if (!(hasEffect && effectWaits) && isReady(op, placed)) {
        op->moveBefore(block.getTerminator());
        placed.insert(op);
        continue;
      }
      effectWaits |= hasEffect;
      later.push_back(op);
    }
    assert(later.size() < waiting.size() && "fusions must not make a cycle");
    if (later.size() == waiting.size())
      return;
    waiting = std::move(later);
  }
}

// Whether what is used must be in a buffer of its own, which is then returned, carried or written to.
bool takesBuffer(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto fusion = dyn_cast<ir::FusionOp>(user))
    return fusion.getKind() == ir::FusionKind::Loop;
  if (auto scatter = dyn_cast<sh::ScatterOp>(user))
    return use.getOperandNumber() < scatter.getInputs().size();
  return user->hasTrait<OpTrait::IsTerminator>() || isa<sh::WhileOp, sh::DynamicUpdateSliceOp>(user);
}

// A large array of one value that needs a buffer is written there at each such use: to copy it would take data as large
// in the program.
void fillLargeConstants(Block &block, const FuseOptions &options) {
  constexpr int64_t kMinBytes = 64 << 10;
  for (auto constant : llvm::make_early_inc_range(block.getOps<sh::ConstantOp>())) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!splat || !isEmbeddableConstant(constant) ||
        ir::storedBytes(cast<RankedTensorType>(splat.getType())) < kMinBytes)
      continue;
    for (OpOperand &use : llvm::make_early_inc_range(constant->getUses())) {
      if (!takesBuffer(use))
        continue;
      OpBuilder builder(use.getOwner());
      Value value = sh::ConstantOp::create(builder, constant.getLoc(),
                                           splat.reshape(RankedTensorType::get({}, splat.getElementType())));
      Value filled =
          sh::BroadcastInDimOp::create(builder, constant.getLoc(), constant.getType(), value, ArrayRef<int64_t>{});
      use.set(filled);
      if (ir::FusionOp fusion = outline(filled.getDefiningOp()); !options.canEmit(fusion)) {
        fusion->replaceAllUsesWith(constant);
        fusion.erase();
      }
      if (value.use_empty())
        value.getDefiningOp()->erase();
    }
    if (constant->use_empty())
      constant.erase();
  }
}

// A reshape alone needs no kernel: its result is its operand's memory under another type. Only what is returned of an
// array from elsewhere has to be copied, which a kernel does on all threads.
bool isView(const FusionGroup &group) {
  auto reshape = group.members.size() == 1 ? dyn_cast<sh::ReshapeOp>(group.members.front()) : sh::ReshapeOp();
  if (!reshape)
    return false;
  Operation *source = reshape.getOperand().getDefiningOp();
  bool isMadeHere = source && !source->hasTrait<OpTrait::ConstantLike>() && !isa<sh::WhileOp>(source);
  return isMadeHere ||
         llvm::none_of(reshape->getUsers(), [](Operation *user) { return user->hasTrait<OpTrait::IsTerminator>(); });
}

void fuseBlock(Block &block, const FuseOptions &options) {
  sinkTransposes(block);
  orderBatches(block, options.costs);
  expandLargeUpdates(block, options.costs);
  FusionGrouping grouping(block, options);
  SmallVector<Operation *> members;
  SmallVector<ir::FusionOp> fusions;
  for (const FusionGroup &group : grouping.groups()) {
    // A reshape of a contraction's result alone is the same memory.
    bool bareContraction = group.contract && llvm::all_of(group.members, [&](Operation *op) {
                             return op == group.contract || isa<sh::ReshapeOp>(op);
                           });
    if (bareContraction || isView(group) || group.members.empty()) // merged into another
      continue;
    fusions.push_back(Outliner(block, group).run());
    llvm::append_range(members, group.members);
  }
  // Users before producers, so that each is unused when its turn comes. Members of several groups appear repeatedly.
  llvm::sort(members, [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  members.erase(llvm::unique(members), members.end());
  for (Operation *op : members)
    if (op->use_empty())
      op->erase();
  sortBlock(block);
  for (ir::FusionOp fusion : fusions)
    if (!options.canEmit(fusion))
      dissolve(fusion, options);
  joinAttentionGradients(block, options);
  joinAttention(block, options);
  recomputeSimpleResults(block, options);
}

} // namespace

LogicalResult fuse(ModuleOp module, const FuseOptions &options) {
  fuseElementwiseLoops(module, options);
  SmallVector<Block *> blocks;
  for (auto function : module.getOps<func::FuncOp>()) {
    llvm::append_range(blocks, llvm::make_pointer_range(function.getBody()));
    function.walk([&](Operation *op) {
      if (isa<sh::WhileOp, sh::IfOp, sh::CaseOp>(op) && !op->getParentOfType<ir::FusionOp>())
        for (Region &region : op->getRegions())
          llvm::append_range(blocks, llvm::make_pointer_range(region));
    });
  }
  for (Block *block : blocks)
    fuseBlock(*block, options);
  for (Block *block : blocks)
    fillLargeConstants(*block, options);
  for (Block *block : blocks)
    readBeforeUpdates(*block, options.costs);
  // Kernels that are not fusions see their computations whole, too.
  module.walk([](Operation *op) {
    if (isa<sh::SortOp, sh::ScatterOp, sh::ReduceOp, sh::ReduceWindowOp, sh::SelectAndScatterOp>(op))
      embedCapturedConstants(op);
  });
  return success();
}

} // namespace tenon::passes
