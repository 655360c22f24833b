// Puts the gradient of an attention into one kernel.
//
//   %s = dot(%q, %k)                         %o = dot(%p, %v), with its own %s and %p
//   %p, %e = tenon.fusion rows(%s)           %dq, %dk, %dv = tenon.fusion attention(%q, %k, %v, %do) {
//   %o = dot(%p, %v)                           %s = dot(%q, %k)
//   %g = dot(%do, %v)                          %g = dot(%do, %v)
//   %t = tenon.fusion reduce(%e, %g)     =>    %ds, %p = tenon.fusion rows(%s, %g)
//   %ds = tenon.fusion loop(%e, %g, %t)        %dq = dot(%ds, %k)
//   %dq = dot(%ds, %k)                         %dk = dot(%ds, %q)
//   %dk = dot(%ds, %q)                         %dv = dot(%p, %do)
//   %dv = dot(%p, %do)                       }
//
// What is as large as the square of a sequence's length is then made a block of rows at a time. For that the scores and
// the weights are computed again. In between of the products may be any number of fusions, whatever they are of. If
// somebody else reads the scores' gradients, as the gradient of a bias does, these are one more result; sums of them
// that a fusion in between has made are made of it.

#include "tenon/passes/fuse/attention.h"
#include "tenon/passes/fuse/results.h"

#include "tenon/ir/stablehlo.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

sh::DotGeneralOp dotIn(Operation *op) {
  if (auto dot = dyn_cast<sh::DotGeneralOp>(op))
    return dot;
  return *cast<ir::FusionOp>(op).getBlock().getOps<sh::DotGeneralOp>().begin();
}

// Whether the op may be in between of the products: part of what is made of scores, row by row.
bool isBetween(Operation *op) {
  if (isa<sh::ReshapeOp>(op))
    return true;
  auto fusion = dyn_cast<ir::FusionOp>(op);
  return fusion &&
         llvm::is_contained({ir::FusionKind::Loop, ir::FusionKind::Reduce, ir::FusionKind::Rows}, fusion.getKind());
}

int64_t elementsOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

// Copies an op, or what is in a fusion.
void cloneInlined(OpBuilder &builder, Operation *op, IRMapping &mapping) {
  auto fusion = dyn_cast<ir::FusionOp>(op);
  if (!fusion) {
    builder.clone(*op, mapping);
    return;
  }
  Block &body = fusion.getBlock();
  IRMapping inside;
  for (auto [argument, operand] : llvm::zip(body.getArguments(), fusion->getOperands()))
    inside.map(argument, mapping.lookup(operand));
  for (Operation &inner : body.without_terminator())
    builder.clone(inner, inside);
  for (auto [result, yielded] : llvm::zip(fusion->getResults(), body.getTerminator()->getOperands()))
    mapping.map(result, inside.lookup(yielded));
}

class Gradient {
public:
  // `gradients`: an array which may be that of the scores' gradients.
  explicit Gradient(Value gradients) : block_(gradients.getDefiningOp()->getBlock()), elements_(elementsOf(gradients)) {
    found_ = findScores(gradients.getDefiningOp()) && findBetween() && findProducts() && findPlace();
  }

  // If there is one, and the target has such a kernel. What was replaced goes to `replaced`; the attention may use some
  // of it.
  void join(const FuseOptions &options, SmallVectorImpl<Operation *> &replaced) {
    if (!found_)
      return;
    ir::FusionOp fusion = makeFusion();
    if (!options.canEmit(fusion)) {
      fusion->erase();
      return;
    }
    for (auto [product, result] : llvm::zip(products_, fusion->getResults()))
      product->getResult(0).replaceAllUsesWith(result);
    replaceOutside(fusion);
    replaced.append(products_.begin(), products_.end());
    replaced.append(outside_.begin(), outside_.end());
    replaced.append(between_.begin(), between_.end());
    replaced.append(scores_.begin(), scores_.end());
  }

private:
  // More ops than a gradient has.
  static constexpr size_t kMostOps = 32;

  // The two products of which everything between them and `last` is made, and what may be in between.
  bool findScores(Operation *last) {
    if (!isBetween(last))
      return false;
    llvm::SetVector<Operation *> ops, scores;
    ops.insert(last);
    for (size_t i = 0; i < ops.size(); ++i)
      for (Value operand : ops[i]->getOperands()) {
        Operation *made = operand.getDefiningOp();
        if (!made || made->getBlock() != block_)
          continue;
        if (isDot(made) && elementsOf(operand) == elements_)
          scores.insert(made);
        else if (isBetween(made))
          ops.insert(made);
        if (scores.size() > 2 || ops.size() > kMostOps)
          return false;
      }
    scores_ = sorted(scores.takeVector());
    between_ = sorted(ops.takeVector());
    return scores_.size() == 2;
  }

  static SmallVector<Operation *> sorted(ArrayRef<Operation *> ops) {
    SmallVector<Operation *> result(ops);
    llvm::sort(result, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    return result;
  }

  // Leaves out what depends on none of the two, adds what else is made of the rest, and notes on which of the two each
  // depends, as bits.
  bool findBetween() {
    for (auto [number, op] : llvm::enumerate(scores_))
      dependsOn_[op] = valueDependsOn_[op->getResult(0)] = 1U << number;
    keepDependent();
    llvm::SetVector<Operation *> ops(between_.begin(), between_.end());
    for (size_t i = 0; i < ops.size() && ops.size() <= kMostOps; ++i)
      for (Operation *user : ops[i]->getUsers())
        if (isa<ir::FusionOp>(user) && user->getBlock() == block_ && isBetween(user) && makesArray(user))
          ops.insert(user);
    between_ = sorted(ops.takeVector());
    keepDependent();
    keepMultiplied();
    return between_.size() <= kMostOps && llvm::all_of(scores_, [&](Operation *op) {
             return llvm::all_of(op->getUsers(), [&](Operation *user) { return dependsOn_.contains(user); });
           });
  }

  // Whether one of the results is as large as the scores.
  bool makesArray(Operation *op) {
    return llvm::any_of(op->getResults(), [&](Value value) { return elementsOf(value) == elements_; });
  }

  // Leaves out what is made of the rest, but of which no product is.
  void keepMultiplied() {
    SmallVector<Operation *> kept;
    for (Operation *op : llvm::reverse(between_)) {
      if (llvm::any_of(op->getResults(), [&](Value value) { return isMultiplied(value, kept); }))
        kept.push_back(op);
      else
        dependsOn_.erase(op);
    }
    between_.assign(kept.rbegin(), kept.rend());
  }

  static bool isMultiplied(Value value, ArrayRef<Operation *> kept) {
    return llvm::any_of(value.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      return llvm::is_contained(kept, user) || (isDot(user) && use.getOperandNumber() < 2) ||
             (isa<sh::ReshapeOp>(user) && isMultiplied(user->getResult(0), kept));
    });
  }

  void keepDependent() {
    SmallVector<Operation *> kept;
    for (Operation *op : between_)
      if (noteDependence(op))
        kept.push_back(op);
    between_ = std::move(kept);
  }

  // Notes on which of the two each of the op's results depends; false if none of them does.
  bool noteDependence(Operation *op) {
    unsigned bits = dependenceOfOperands(op);
    if (bits == 0)
      return false;
    dependsOn_[op] = bits;
    auto fusion = dyn_cast<ir::FusionOp>(op);
    if (!fusion) {
      valueDependsOn_[op->getResult(0)] = bits;
      return true;
    }
    Block &body = fusion.getBlock();
    for (auto [argument, operand] : llvm::zip(body.getArguments(), op->getOperands()))
      valueDependsOn_[argument] = valueDependsOn_.lookup(operand);
    for (Operation &inner : body.without_terminator())
      for (Value result : inner.getResults())
        valueDependsOn_[result] = dependenceOfOperands(&inner);
    for (auto [result, yielded] : llvm::zip(op->getResults(), body.getTerminator()->getOperands()))
      valueDependsOn_[result] = valueDependsOn_.lookup(yielded);
    return true;
  }

  unsigned dependenceOfOperands(Operation *op) {
    unsigned bits = 0;
    for (Value operand : op->getOperands())
      bits |= valueDependsOn_.lookup(operand);
    return bits;
  }

  // What reads the value outside: products of it with something else, through reshapes, and others. False if a reshape
  // is of both.
  bool findReaders(Value value, SmallVectorImpl<OpOperand *> &products, SmallVectorImpl<OpOperand *> &others) {
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (dependsOn_.contains(user))
        continue;
      if (user->getBlock() == block_ && isa<sh::ReshapeOp>(user)) {
        SmallVector<OpOperand *> its, rest;
        if (!findReaders(user->getResult(0), its, rest) || (!its.empty() && !rest.empty()))
          return false;
        products.append(its);
        if (!rest.empty())
          others.push_back(&use);
      } else if (user->getBlock() == block_ && isDot(user) && use.getOperandNumber() < 2) {
        products.push_back(&use);
      } else {
        others.push_back(&use);
      }
    }
    return true;
  }

  // The products of the scores' gradients, which depend on both of the first ones, and those of the weights that sum
  // over rows. One that sums along rows is the attention itself.
  bool findProducts() {
    for (Operation *op : between_)
      for (Value value : op->getResults()) {
        SmallVector<OpOperand *> readers, others;
        if (!findReaders(value, readers, others) || (!others.empty() && !addRead(cast<OpResult>(value), others)))
          return false;
        for (OpOperand *use : readers)
          if ((dependsOnBoth(value) || !sumsAlongRows(*use)) && !addProduct(*use, value))
            return false;
      }
    // The gradients first: they take the place of what only they are made of.
    llvm::stable_sort(made_, [&](Value a, Value b) { return dependsOnBoth(a) && !dependsOnBoth(b); });
    auto isWhole = [&](Value value) { return elementsOf(value) == elements_; };
    return !made_.empty() && made_.size() <= 2 && dependsOnBoth(made_.front()) &&
           !dependsOnBoth(made_.back()) == (made_.size() == 2) && llvm::all_of(made_, isWhole);
  }

  // A value that others read than products: it has to be of the scores' gradients, or sums of these.
  bool addRead(OpResult value, ArrayRef<OpOperand *> readers) {
    for (OpOperand *use : readers)
      readers_.push_back(use->getOwner());
    if (!dependsOnBoth(value))
      return false;
    if (elementsOf(value) == elements_) {
      read_.insert(value);
      return true;
    }
    auto fusion = dyn_cast<ir::FusionOp>(value.getOwner());
    if (!fusion)
      return false;
    auto yielded = fusion.getBlock().getTerminator()->getOperands();
    for (OpResult array : fusion->getResults())
      if (elementsOf(array) == elements_ && dependsOnBoth(array))
        if (std::optional<SmallVector<Operation *>> ops =
                opsFrom(yielded[array.getResultNumber()], yielded[value.getResultNumber()])) {
          read_.insert(array);
          sums_.push_back({value, array, std::move(*ops)});
          return true;
        }
    return false;
  }

  // What makes the value of `from` in a fusion, in order; none if it needs more than constants for that.
  static std::optional<SmallVector<Operation *>> opsFrom(Value from, Value value) {
    llvm::SetVector<Operation *> ops;
    SmallVector<Value> values{value};
    while (!values.empty()) {
      Value next = values.pop_back_val();
      Operation *made = next.getDefiningOp();
      if (next == from || (made && !ops.insert(made)))
        continue;
      if (!made || ops.size() > kMostOps)
        return std::nullopt;
      values.append(made->operand_begin(), made->operand_end());
    }
    return sorted(ops.takeVector());
  }

  bool dependsOnBoth(Value value) { return valueDependsOn_.lookup(value) == 3; }

  bool addProduct(OpOperand &use, Value source) {
    if (llvm::is_contained(products_, use.getOwner()))
      return false;
    products_.push_back(use.getOwner());
    SmallVector<Operation *> reshapes;
    for (Operation *op = use.get().getDefiningOp(); op != source.getDefiningOp();
         op = op->getOperand(0).getDefiningOp())
      reshapes.push_back(op);
    for (Operation *op : llvm::reverse(reshapes))
      if (!llvm::is_contained(outside_, op))
        outside_.push_back(op);
    if (!llvm::is_contained(made_, source))
      made_.push_back(source);
    return true;
  }

  static bool sumsAlongRows(OpOperand &use) {
    auto numbers = dotIn(use.getOwner()).getDotDimensionNumbers();
    ArrayRef<int64_t> dims =
        use.getOperandNumber() == 0 ? numbers.getLhsContractingDimensions() : numbers.getRhsContractingDimensions();
    return llvm::is_contained(dims, cast<RankedTensorType>(use.get().getType()).getRank() - 1);
  }

  bool isInside(Operation *op) {
    return dependsOn_.contains(op) || llvm::is_contained(outside_, op) || llvm::is_contained(products_, op);
  }

  // Before the first op that reads one of the results, and after all that the kernel reads.
  bool findPlace() {
    place_ = block_->getTerminator();
    for (Operation *product : products_)
      for (Operation *user : product->getUsers())
        placeBefore(user);
    for (Operation *reader : readers_)
      placeBefore(reader);
    auto isThere = [&](Operation *op) {
      return llvm::all_of(op->getOperands(), [&](Value operand) {
        Operation *made = operand.getDefiningOp();
        return !made || made->getBlock() != block_ || isInside(made) || made->isBeforeInBlock(place_);
      });
    };
    auto readsProduct = [&](Operation *op) {
      return llvm::any_of(op->getOperands(),
                          [&](Value operand) { return llvm::is_contained(products_, operand.getDefiningOp()); });
    };
    return !isInside(place_) && llvm::none_of(between_, readsProduct) && llvm::all_of(scores_, isThere) &&
           llvm::all_of(between_, isThere) && llvm::all_of(products_, isThere);
  }

  void placeBefore(Operation *reader) {
    Operation *op = block_->findAncestorOpInBlock(*reader);
    if (op->isBeforeInBlock(place_))
      place_ = op;
  }

  // Those of the ops' operands that none of the ops makes.
  llvm::SetVector<Value> operandsOf(ArrayRef<Operation *> ops, function_ref<bool(Operation *)> isMadeHere) {
    llvm::SetVector<Value> operands;
    for (Operation *op : ops)
      for (Value operand : op->getOperands())
        if (!operand.getDefiningOp() || !isMadeHere(operand.getDefiningOp()))
          operands.insert(operand);
    return operands;
  }

  ir::FusionOp makeFusion() {
    SmallVector<Operation *> all(scores_);
    all.append(between_);
    all.append(products_);
    llvm::SetVector<Value> operands = operandsOf(all, [&](Operation *op) { return isInside(op); });
    auto results = llvm::map_to_vector(products_, [](Operation *op) -> Value { return op->getResult(0); });
    results.append(read_.begin(), read_.end());
    OpBuilder builder(place_);
    auto fusion = ir::FusionOp::create(builder, products_.back()->getLoc(), TypeRange(ValueRange(results)),
                                       operands.getArrayRef(), ir::FusionKind::Attention);
    IRMapping mapping;
    mapping.map(operands.getArrayRef(), fusion.getBlock().getArguments());
    OpBuilder inside = OpBuilder::atBlockEnd(&fusion.getBlock());
    for (Operation *op : scores_)
      inside.clone(*op, mapping);
    makeRows(inside, mapping);
    for (Operation *op : outside_)
      inside.clone(*op, mapping);
    for (Operation *op : products_)
      inside.clone(*op, mapping);
    ir::YieldOp::create(inside, fusion.getLoc(),
                        llvm::map_to_vector(results, [&](Value value) { return mapping.lookup(value); }));
    return fusion;
  }

  // All that is in between, as one fusion.
  void makeRows(OpBuilder &builder, IRMapping &mapping) {
    llvm::SetVector<Value> operands =
        operandsOf(between_, [&](Operation *op) { return llvm::is_contained(between_, op); });
    auto mapped = llvm::map_to_vector(operands, [&](Value value) { return mapping.lookup(value); });
    llvm::SetVector<Value> made(made_.begin(), made_.end());
    made.insert(read_.begin(), read_.end());
    auto rows = ir::FusionOp::create(builder, made_.front().getLoc(), TypeRange(ValueRange(made.getArrayRef())), mapped,
                                     ir::FusionKind::Rows);
    IRMapping inner;
    inner.map(operands.getArrayRef(), rows.getBlock().getArguments());
    OpBuilder inside = OpBuilder::atBlockEnd(&rows.getBlock());
    for (Operation *op : between_)
      cloneInlined(inside, op, inner);
    ir::YieldOp::create(inside, rows.getLoc(),
                        llvm::map_to_vector(made, [&](Value value) { return inner.lookup(value); }));
    eraseUnused(rows.getBlock());
    mapping.map(ValueRange(made.getArrayRef()), rows->getResults());
  }

  // Has the others read the fusion's results, and makes the sums of these.
  void replaceOutside(ir::FusionOp fusion) {
    auto replace = [&](Value value, Value replacement) {
      value.replaceUsesWithIf(replacement, [&](OpOperand &use) { return !isInside(use.getOwner()); });
    };
    auto results = fusion->getResults().drop_front(products_.size());
    OpBuilder builder(place_);
    for (const Sum &sum : sums_)
      replace(sum.value, makeSum(builder, sum, results[unsigned(llvm::find(read_, sum.array) - read_.begin())]));
    for (auto [value, result] : llvm::zip(read_, results))
      replace(value, result);
  }

  struct Sum {
    OpResult value, array; // of one fusion
    SmallVector<Operation *> ops;
  };

  static Value makeSum(OpBuilder &builder, const Sum &sum, Value array) {
    auto fusion = cast<ir::FusionOp>(sum.value.getOwner());
    auto yielded = fusion.getBlock().getTerminator()->getOperands();
    auto made = ir::FusionOp::create(builder, sum.value.getLoc(), TypeRange(sum.value.getType()), ValueRange(array),
                                     ir::FusionKind::Reduce);
    IRMapping mapping;
    mapping.map(yielded[sum.array.getResultNumber()], made.getBlock().getArgument(0));
    OpBuilder inside = OpBuilder::atBlockEnd(&made.getBlock());
    for (Operation *op : sum.ops)
      inside.clone(*op, mapping);
    ir::YieldOp::create(inside, sum.value.getLoc(), mapping.lookup(yielded[sum.value.getResultNumber()]));
    return made->getResult(0);
  }

  Block *block_;
  int64_t elements_; // of an array like the scores
  bool found_ = false;
  SmallVector<Operation *> scores_, between_; // in the block's order
  llvm::DenseMap<Operation *, unsigned> dependsOn_;
  llvm::DenseMap<Value, unsigned> valueDependsOn_;
  SmallVector<Value> made_;          // what the products read of it
  SmallVector<Operation *> outside_; // reshapes through which they do
  SmallVector<Operation *> products_;
  llvm::SetVector<Value> read_; // what others read of it
  SmallVector<Sum> sums_;
  SmallVector<Operation *> readers_;
  Operation *place_ = nullptr;
};

// Arrays that are made row by row and multiplied with something.
SmallVector<Value> candidates(Block &block) {
  SmallVector<Value> result;
  for (Operation &op : block.without_terminator())
    if (isa<ir::FusionOp>(op) && isBetween(&op))
      for (Value value : op.getResults())
        if (llvm::any_of(value.getUsers(), [](Operation *user) {
              return user->getNumResults() == 1 && (isa<sh::ReshapeOp>(user) || isDot(user));
            }))
          result.push_back(value);
  return result;
}

} // namespace

void joinAttentionGradients(Block &block, const FuseOptions &options) {
  SmallVector<Operation *> replaced;
  for (Value value : candidates(block))
    if (!llvm::is_contained(replaced, value.getDefiningOp()))
      Gradient(value).join(options, replaced);
  // Users before producers, as in fusion.
  llvm::sort(replaced, [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  replaced.erase(llvm::unique(replaced), replaced.end());
  for (Operation *op : replaced)
    if (op->use_empty())
      op->erase();
    else if (auto fusion = dyn_cast<ir::FusionOp>(op))
      keepUsedResults(fusion);
}

} // namespace tenon::passes
