// all_reduce and reduce_scatter as moves of arrays and arithmetic on them, for devices whose arrays the runtime cannot
// reduce where they lie: it would have to run the program's computation, which has code for the device alone.
//
//   reduce_scatter(x)   =>  tree(tenon.exchange_group(parts of x))
//   all_reduce(x)       =>  tree(tenon.gather_group(x))
//   all_reduce(large x) =>  tenon.gather_group(tree(tenon.exchange_group(parts of x)))
//
// The tree is that of the runtime (runtime/collectives/fold_group.h), so that a program has the same bits on either:
// pairs of neighbours in the group's order, pairs of pairs, and so on; what has no neighbour goes on as it is.

#include "tenon/ir/captures.h"
#include "tenon/ir/types.h"
#include "tenon/passes/legalize/decompose/patterns.h"
#include "tenon/passes/legalize/spmd/group_builder.h"
#include "tenon/passes/passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

// The reduction of what the processes of a group have.
class Fold {
public:
  Fold(GroupBuilder &builder, Region &computation) : builder_(builder), computation_(computation) {}

  // Reduces the first `rows` of the slices along dimension 0.
  Value fold(Value stacked, int64_t rows) {
    stacked = take(stacked, 0, rows, 1);
    for (; rows > kMostSlices; rows = typeOf(stacked).getDimSize(0)) // so that the code stays small
      stacked = foldPairs(stacked, rows);
    SmallVector<Value> slices;
    for (int64_t row = 0; row < rows; ++row)
      slices.push_back(builder_.reshape(take(stacked, row, row + 1, 1), typeOf(stacked).getShape().drop_front()));
    for (; slices.size() > 1; slices.resize((slices.size() + 1) / 2))
      for (size_t i = 0; i < slices.size(); i += 2)
        slices[i / 2] = i + 1 < slices.size() ? combine(slices[i], slices[i + 1]) : slices[i];
    return slices.front();
  }

private:
  static constexpr int64_t kMostSlices = 32;

  Value foldPairs(Value stacked, int64_t rows) {
    Value pairs = combine(take(stacked, 0, rows - rows % 2, 2), take(stacked, 1, rows, 2));
    if (rows % 2 == 0)
      return pairs;
    Value last = take(stacked, rows - 1, rows, 1);
    SmallVector<int64_t> sizes(typeOf(pairs).getShape());
    ++sizes[0];
    return sh::ConcatenateOp::create(builder_.builder, builder_.loc, typeOf(pairs).clone(sizes),
                                     ValueRange{pairs, last}, 0);
  }

  Value take(Value stacked, int64_t first, int64_t limit, int64_t stride) {
    SmallVector<int64_t> starts(typeOf(stacked).getRank(), 0), limits(typeOf(stacked).getShape());
    SmallVector<int64_t> strides(starts.size(), 1), sizes(limits);
    starts[0] = first;
    limits[0] = limit;
    strides[0] = stride;
    sizes[0] = llvm::divideCeilSigned(limit - first, stride);
    if (sizes == typeOf(stacked).getShape())
      return stacked;
    return sh::SliceOp::create(builder_.builder, builder_.loc, typeOf(stacked).clone(sizes), stacked, starts, limits,
                               strides);
  }

  Value combine(Value left, Value right) {
    auto dimensions = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(left).getRank()));
    auto map = sh::MapOp::create(builder_.builder, builder_.loc, left.getType(), ValueRange{left, right}, dimensions);
    ir::cloneWithConstants(computation_, map.getComputation());
    return map;
  }

  GroupBuilder &builder_;
  Region &computation_;
};

// Whether an array is large enough that each process had better reduce a part of it, and send that to the others, than
// receive all arrays. For that, the processes meet twice: these many bytes, which go to a device, take as long,
// roughly.
bool isWorthParts(GroupBuilder &builder, Value operand) {
  constexpr int64_t kBytes = 256 << 10;
  return builder.areEqual() && typeOf(operand).getNumElements() >= builder.size() &&
         (builder.size() - 2) * ir::storedBytes(typeOf(operand)) >= kBytes;
}

// By a gather of whole arrays.
SmallVector<Value> reduceWhole(GroupBuilder &builder, ValueRange operands, Region &computation) {
  SmallVector<Value> stacks = builder.gather(operands);
  auto folds = [&](int64_t rows) {
    SmallVector<Value> results;
    for (Value stack : stacks)
      results.push_back(Fold(builder, computation).fold(stack, rows));
    return results;
  };
  if (builder.areEqual())
    return folds(builder.size());
  // A branch for each size of a group, since a computation need not end for what no process has given.
  llvm::SmallSet<int64_t, 4> known;
  SmallVector<int64_t> sizes;
  for (const auto &group : builder.groups())
    if (auto size = static_cast<int64_t>(group.size()); known.insert(size).second)
      sizes.push_back(size);
  Value own = builder.groupSize(), branch = builder.i32(0);
  for (int64_t i = 1; i < static_cast<int64_t>(sizes.size()); ++i)
    branch = builder.select(builder.compare(own, sh::ComparisonDirection::EQ, builder.i32(sizes[i])), builder.i32(i),
                            branch);
  auto branches = sh::CaseOp::create(builder.builder, builder.loc, operands.getTypes(), branch,
                                     static_cast<unsigned>(sizes.size()));
  for (auto [size, region] : llvm::zip_equal(sizes, branches.getBranches())) {
    OpBuilder::InsertionGuard guard(builder.builder);
    builder.builder.setInsertionPointToStart(&region.emplaceBlock());
    sh::ReturnOp::create(builder.builder, builder.loc, folds(size));
  }
  return llvm::to_vector_of<Value>(branches.getResults());
}

// By parts, as many as there are processes. Where elements do not make equal ones, the first are there again behind the
// last: elements that the computation is applied to anyway.
SmallVector<Value> reduceParts(GroupBuilder &builder, ValueRange operands, Region &computation) {
  SmallVector<Value> parts, results;
  for (Value operand : operands) {
    const int64_t elements = typeOf(operand).getNumElements();
    const auto missing = static_cast<int64_t>(llvm::alignTo(elements, builder.size())) - elements;
    Value flat = builder.reshape(operand, {elements});
    if (missing > 0)
      flat = builder.concatenateLast(flat, builder.slice(flat, {0}, {missing}));
    parts.push_back(builder.split(flat, 0));
  }
  for (Value &part : parts = builder.exchange(parts))
    part = Fold(builder, computation).fold(part, builder.size());
  for (auto [whole, operand] : llvm::zip_equal(builder.gatherAlong(parts, 0), operands))
    results.push_back(
        builder.reshape(builder.slice(whole, {0}, {typeOf(operand).getNumElements()}), typeOf(operand).getShape()));
  return results;
}

SmallVector<Value> expand(GroupBuilder &builder, sh::AllReduceOp op) {
  if (builder.size() == 1) // nobody but the process itself
    return llvm::to_vector(op.getOperands());
  SmallVector<Value> whole, large, results;
  for (Value operand : op.getOperands())
    (isWorthParts(builder, operand) ? large : whole).push_back(operand);
  auto reduce = [&](ArrayRef<Value> operands, auto how) {
    return operands.empty() ? SmallVector<Value>() : how(builder, operands, op.getComputation());
  };
  SmallVector<Value> ofWhole = reduce(whole, reduceWhole), ofLarge = reduce(large, reduceParts);
  for (auto *small = ofWhole.begin(), *big = ofLarge.begin(); Value operand : op.getOperands())
    results.push_back(isWorthParts(builder, operand) ? *big++ : *small++);
  return results;
}

Value expand(GroupBuilder &builder, sh::ReduceScatterOp op) {
  Value parts = builder.split(op.getOperand(), static_cast<int64_t>(op.getScatterDimension()));
  return Fold(builder, op.getComputation()).fold(builder.exchange(parts).front(), builder.size());
}

} // namespace

LogicalResult expandGroupReductions(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isService(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    OpBuilder opBuilder(op);
    GroupBuilder builder(opBuilder, op, *ir::processGroups(op, ir::processGrid(op)));
    if (auto all = dyn_cast<sh::AllReduceOp>(op))
      op->replaceAllUsesWith(expand(builder, all));
    else
      op->getResult(0).replaceAllUsesWith(expand(builder, cast<sh::ReduceScatterOp>(op)));
    op->erase();
  }
  RewritePatternSet patterns(module.getContext());
  populateMapPatterns(patterns);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  (void)applyPatternsGreedily(module, std::move(patterns), config);
  return success();
}

} // namespace tenon::passes
