// Moves ops that read an array before the op that updates it in place, where the program leaves their order open.
//
//   %1 = dynamic_update_slice %x, ...        %0 = slice %x ...
//   %0 = slice %x ...                   =>   %1 = dynamic_update_slice %x, ...
//
// In the order on the left %x is still needed after the update, which therefore works on a copy of the whole array. A
// loop whose steps update a carried array and return a part of its old value (lax.scan) would copy it in each step.

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/passes/fuse/rules.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using Values = llvm::SmallSetVector<Value, 4>;

// Adds the arrays that the op updates in place, provided that they are not used afterwards.
void addUpdated(Operation *op, Values &values) {
  if (isa<sh::DynamicUpdateSliceOp>(op)) {
    values.insert(op->getOperand(0));
  } else if (auto scatter = dyn_cast<sh::ScatterOp>(op)) {
    values.insert_range(scatter.getInputs());
  } else if (auto fusion = dyn_cast<ir::FusionOp>(op)) {
    Values inside;
    fusion.getBody().walk([&](sh::DynamicUpdateSliceOp update) { inside.insert(update.getOperand()); });
    for (auto [argument, input] : llvm::zip_equal(fusion.getBody().getArguments(), fusion.getInputs()))
      if (inside.contains(argument))
        values.insert(input);
  } else if (auto loop = dyn_cast<sh::WhileOp>(op)) {
    values.insert_range(loop.getOperand());
  } else if (isa<sh::IfOp, sh::CaseOp>(op)) {
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        addUpdated(&inner, values);
  }
}

Values updatedBy(Operation *op) {
  Values values;
  addUpdated(op, values);
  return values;
}

bool usesAny(Operation *op, const Values &values) {
  return op
      ->walk([&](Operation *inner) {
        bool uses = llvm::any_of(inner->getOperands(), [&](Value operand) { return values.contains(operand); });
        return uses ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

class ReadFirst {
public:
  ReadFirst(Block &block, const CostModel &costs) : block_(block), costs_(costs) {}

  void run() {
    SmallVector<Operation *> ops = llvm::to_vector(llvm::make_pointer_range(block_.without_terminator()));
    for (Operation *op : ops)
      for (Value array : updatedBy(op))
        if (isLarge(array))
          moveReaders(array, op);
  }

private:
  static constexpr size_t kMostMoved = 16, kMostPassed = 1000;

  // Small ones are copied in no time, and constants in any case.
  bool isLarge(Value array) const {
    auto type = dyn_cast<RankedTensorType>(array.getType());
    Operation *source = array.getDefiningOp();
    return type && type.getNumElements() >= costs_.copiedElements &&
           !(source && source->hasTrait<OpTrait::ConstantLike>());
  }

  // All of them, or the update needs a copy nevertheless.
  void moveReaders(Value array, Operation *update) {
    llvm::SmallSetVector<Operation *, 4> readers;
    llvm::SmallSetVector<Operation *, 8> moved;
    Operation *last = update;
    int64_t results = 0;
    for (Operation *user : array.getUsers()) {
      Operation *reader = block_.findAncestorOpInBlock(*user);
      if (!reader || !update->isBeforeInBlock(reader) || !readers.insert(reader))
        continue;
      if (!collect(reader, update, array, moved))
        return;
      last = last->isBeforeInBlock(reader) ? reader : last;
      // An op that updates an array in place needs no memory for its result.
      results += updatedBy(reader).empty() ? sizeOf(reader->getResults()) : 0;
    }
    // The results of the moved ops take memory until they are used.
    if (moved.empty() || results > elementsOf(array) / 4 || wantsWritten(update, last, moved))
      return;
    SmallVector<Operation *> ordered = moved.takeVector();
    llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op : ordered)
      op->moveBefore(update);
  }

  // Whether an op that would come after the moved ones uses an array that they update.
  static bool wantsWritten(Operation *update, Operation *last, const llvm::SmallSetVector<Operation *, 8> &moved) {
    Values written;
    for (Operation *op : moved)
      addUpdated(op, written);
    size_t passed = 0;
    for (Operation *op = update; op != last; op = op->getNextNode())
      if (++passed > kMostPassed || (!moved.contains(op) && usesAny(op, written)))
        return true;
    return false;
  }

  // Whether the op can go there. `moved` has it then, and what it needs.
  bool collect(Operation *op, Operation *update, Value array, llvm::SmallSetVector<Operation *, 8> &moved) {
    if (op == update || moved.size() >= kMostMoved || op->hasTrait<OpTrait::IsTerminator>() ||
        !isMemoryEffectFree(op) || updatedBy(op).contains(array))
      return false;
    if (!moved.insert(op))
      return true;
    return !op->walk([&](Operation *inner) {
                for (Value operand : inner->getOperands()) {
                  Operation *source = operand.getDefiningOp();
                  bool isBetween = source && source->getBlock() == &block_ && !source->isBeforeInBlock(update);
                  if (isBetween && !collect(source, update, array, moved))
                    return WalkResult::interrupt();
                }
                return WalkResult::advance();
              }).wasInterrupted();
  }

  static int64_t sizeOf(ValueRange values) {
    int64_t size = 0;
    for (Value value : values)
      if (isa<RankedTensorType>(value.getType()))
        size += elementsOf(value);
    return size;
  }

  Block &block_;
  const CostModel &costs_;
};

} // namespace

void readBeforeUpdates(Block &block, const CostModel &costs) { ReadFirst(block, costs).run(); }

} // namespace tenon::passes
