// Arrays that are not worth being kept. The derivative of a model's layer reads values of the forward pass:
//
//   %0:3 = tenon.fusion dot(%x, %w) { ... yield %gelu, %tanh, %half }        %half = (%tanh + 1) / 2
//   %1 = tenon.fusion loop(%0#1, %0#2, %g) { ... }
//
// Until then each of them is kept, in a network of many layers those of all. What takes a few instructions of others
// that the same fusions read anyway is computed in these again, with the same bits, instead of being written and read.
#include "tenon/passes/fuse/results.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {

void eraseUnused(Block &body) {
  for (Operation *op = body.getTerminator()->getPrevNode(); op;) {
    Operation *previous = op->getPrevNode();
    if (op->use_empty())
      op->erase();
    op = previous;
  }
}

void keepUsedResults(ir::FusionOp fusion) {
  SmallVector<Value> yielded;
  SmallVector<OpResult> used;
  for (auto [result, value] : llvm::zip(fusion->getResults(), fusion.getYield()->getOperands()))
    if (!result.use_empty()) {
      used.push_back(result);
      yielded.push_back(value);
    }
  if (used.empty() || used.size() == fusion->getNumResults())
    return;
  OpBuilder builder(fusion);
  auto less = ir::FusionOp::create(builder, fusion.getLoc(), TypeRange(ValueRange(yielded)), fusion->getOperands(),
                                   fusion.getKind());
  IRMapping mapping;
  mapping.map(fusion.getBlock().getArguments(), less.getBlock().getArguments());
  OpBuilder inside = OpBuilder::atBlockEnd(&less.getBlock());
  for (Operation &op : fusion.getBlock().without_terminator())
    inside.clone(op, mapping);
  ir::YieldOp::create(inside, fusion.getLoc(),
                      llvm::map_to_vector(yielded, [&](Value value) { return mapping.lookup(value); }));
  eraseUnused(less.getBlock());
  for (auto [result, replacement] : llvm::zip(used, less->getResults()))
    result.replaceAllUsesWith(replacement);
  fusion.erase();
}

namespace {

// The most operations that are done again for one result, constants apart.
constexpr int kMostOps = 3;

bool isContraction(Operation *op) { return isa<sh::DotGeneralOp, sh::ConvolutionOp>(op); }

bool isConstant(Operation *op) { return op->hasTrait<OpTrait::ConstantLike>(); }

// How a result of a fusion follows from arrays outside: its other results and its operands.
struct Recipe {
  SmallVector<Operation *> ops;                // in order
  SmallVector<std::pair<Value, Value>> arrays; // inside, outside
};

class RecipeFinder {
public:
  explicit RecipeFinder(OpResult result)
      : fusion_(cast<ir::FusionOp>(result.getOwner())),
        value_(fusion_.getYield()->getOperand(result.getResultNumber())) {}

  std::optional<Recipe> find() { return value_.getDefiningOp() && add(value_) ? std::optional(recipe_) : std::nullopt; }

private:
  // Adds what makes the value; false if that is not simple.
  bool add(Value value) {
    if (seen_.contains(value))
      return true;
    seen_.insert(value);
    if (Value array = arrayOf(value)) {
      recipe_.arrays.push_back({value, array});
      return true;
    }
    Operation *op = value.getDefiningOp();
    if (!op || (!isConstant(op) && (!isSimple(op) || ++count_ > kMostOps)) ||
        !llvm::all_of(op->getOperands(), [&](Value operand) { return add(operand); }))
      return false;
    recipe_.ops.push_back(op);
    return true;
  }

  bool isSimple(Operation *op) {
    return op->getNumResults() == 1 && ir::elementCost(op->getName()) == ir::ElementCost::kSimple &&
           llvm::all_of(op->getOperands(),
                        [&](Value operand) { return ir::shapeOf(operand) == ir::shapeOf(op->getResult(0)); });
  }

  // The value outside of the fusion; null if there is none, or if it is that in question.
  Value arrayOf(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return fusion_->getOperand(argument.getArgNumber());
    for (auto [result, yielded] : llvm::zip(fusion_->getResults(), fusion_.getYield()->getOperands()))
      if (yielded == value && value != value_ && !result.use_empty())
        return result;
    return {};
  }

  ir::FusionOp fusion_;
  Value value_;
  Recipe recipe_;
  llvm::DenseSet<Value> seen_;
  int count_ = 0;
};

// Whether the argument, or what it is converted to, is an operand of a contraction.
bool isContracted(BlockArgument argument) {
  return llvm::any_of(argument.getUsers(), [](Operation *user) {
    return isContraction(user) || (isa<sh::ConvertOp>(user) && llvm::any_of(user->getUsers(), isContraction));
  });
}

// Whether the fusion reads the operand for the elements at the same indices alone.
bool readsElements(ir::FusionOp fusion, Value operand) {
  if (fusion.getKind() == ir::FusionKind::Attention)
    return false;
  for (auto [argument, value] : llvm::zip(fusion.getBlock().getArguments(), fusion->getOperands()))
    if (value == operand && (isContracted(argument) || !llvm::all_of(argument.getUsers(), [](Operation *user) {
                               return isa<sh::ReduceOp>(user) || user->hasTrait<ir::Elementwise>();
                             })))
      return false;
  return true;
}

bool mayRecompute(OpResult result, const Recipe &recipe) {
  return llvm::all_of(result.getUsers(), [&](Operation *user) {
    auto reader = dyn_cast<ir::FusionOp>(user);
    return reader && user->getBlock() == result.getOwner()->getBlock() && readsElements(reader, result) &&
           llvm::all_of(recipe.arrays,
                        [&](auto &array) { return llvm::is_contained(user->getOperands(), array.second); });
  });
}

// The reader, beside it, as one that computes `value` of the recipe in place of reading the result.
ir::FusionOp recomputing(ir::FusionOp reader, OpResult result, Value value, const Recipe &recipe) {
  auto copy = cast<ir::FusionOp>(OpBuilder(reader).clone(*reader));
  Block &body = copy.getBlock();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  IRMapping mapping;
  for (auto [inside, outside] : recipe.arrays) {
    auto number = llvm::find(copy->getOperands(), outside) - copy->operand_begin();
    mapping.map(inside, body.getArgument(unsigned(number)));
  }
  for (Operation *op : recipe.ops)
    builder.clone(*op, mapping);
  for (unsigned i = copy->getNumOperands(); i-- > 0;)
    if (copy->getOperand(i) == result) {
      body.getArgument(i).replaceAllUsesWith(mapping.lookup(value));
      body.eraseArgument(i);
      copy->eraseOperand(i);
    }
  return copy;
}

// Has all readers of the result compute it, if they may and there are such kernels.
void recompute(OpResult result, const FuseOptions &options) {
  std::optional<Recipe> recipe = RecipeFinder(result).find();
  if (!recipe || !mayRecompute(result, *recipe))
    return;
  Value value = cast<ir::FusionOp>(result.getOwner()).getYield()->getOperand(result.getResultNumber());
  SmallVector<std::pair<Operation *, Operation *>> readers;
  llvm::SetVector<Operation *> users(result.user_begin(), result.user_end());
  for (Operation *reader : users)
    readers.push_back({reader, recomputing(cast<ir::FusionOp>(reader), result, value, *recipe)});
  bool canEmit = llvm::all_of(readers, [&](auto &pair) { return options.canEmit(pair.second); });
  for (auto [reader, copy] : readers) {
    if (canEmit)
      reader->replaceAllUsesWith(copy);
    (canEmit ? reader : copy)->erase();
  }
}

} // namespace

void recomputeSimpleResults(Block &block, const FuseOptions &options) {
  for (Operation *op = &block.front(), *next = nullptr; op; op = next) {
    auto fusion = dyn_cast<ir::FusionOp>(op);
    if (fusion && fusion.getKind() != ir::FusionKind::Attention)
      for (OpResult result : fusion->getResults())
        if (!result.use_empty() &&
            ir::storedBytes(cast<RankedTensorType>(result.getType())) >= options.costs.largeArrayBytes)
          recompute(result, options);
    next = op->getNextNode(); // readers have been replaced
    if (fusion && fusion->use_empty())
      fusion.erase();
    else if (fusion)
      keepUsedResults(fusion);
  }
}

} // namespace tenon::passes
