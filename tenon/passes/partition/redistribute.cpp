#include "tenon/passes/partition/redistribute.h"

#include "tenon/ir/types.h"
#include "tenon/passes/partition/local/collectives.h"
#include "tenon/passes/partition/propagate/projection.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

using redistribution::Move;
using redistribution::MoveKind;

// Builds the moves of an array, one after the other.
class Mover {
public:
  Mover(OpBuilder &builder, Value local, RankedTensorType globalType, SumKind kind)
      : builder_(builder, local.getLoc()), value_(local), globalType_(globalType), kind_(kind) {}

  Value value() const { return value_; }

  void take(const Move &move) {
    SmallVector<int64_t> sizes = redistribution::localSizes(globalType_.getShape(), move.after);
    if (globalType_.getNumElements() == 0) { // nobody has anything
      value_ = builder_.fill(globalType_.getElementType(), sizes, 0);
      return;
    }
    switch (move.kind) {
    case MoveKind::kSlice:
      padTo(move.to, sizes[move.to] * ir::partsOf(move.axes));
      return takePart(move, sizes[move.to]);
    case MoveKind::kSplitSum:
      return keepOnFirst(move);
    case MoveKind::kReduceScatter:
      padTo(move.to, sizes[move.to] * ir::partsOf(move.axes));
      value_ = reduceScatter(builder_, value_, move.to, *move.mesh, move.axes, kind_);
      return;
    case MoveKind::kAllReduce:
      value_ = allReduce(builder_, value_, *move.mesh, move.axes, kind_);
      return;
    case MoveKind::kAllToAll:
      padTo(move.to, sizes[move.to] * ir::partsOf(move.axes));
      value_ = allToAll(builder_, value_, move.to, move.dim, *move.mesh, move.axes);
      return trimTo(move.dim, sizes[move.dim]);
    case MoveKind::kAllGather:
      value_ = allGather(builder_, value_, move.dim, *move.mesh, move.axes);
      return trimTo(move.dim, sizes[move.dim]);
    case MoveKind::kPermute:
      return permute(move);
    case MoveKind::kSpread:
      return spread(move, sizes);
    }
  }

private:
  ArrayRef<int64_t> sizes() const { return ir::typeOf(value_).getShape(); }

  void padTo(int64_t dimension, int64_t size) {
    RankedTensorType type = ir::typeOf(value_);
    if (type.getDimSize(dimension) == size)
      return;
    SmallVector<int64_t> sizes(type.getShape()), none(type.getRank(), 0), high(type.getRank(), 0);
    high[dimension] = size - sizes[dimension];
    sizes[dimension] = size;
    value_ = sh::PadOp::create(builder_.builder, builder_.loc, type.clone(sizes), value_,
                               builder_.fill(type.getElementType(), {}, 0), none, high, none);
  }

  void trimTo(int64_t dimension, int64_t size) {
    SmallVector<int64_t> start(sizes().size(), 0), limit(sizes());
    if (limit[dimension] == size)
      return;
    limit[dimension] = size;
    value_ = builder_.slice(value_, start, limit);
  }

  void takePart(const Move &move, int64_t size) {
    SmallVector<int64_t> sizes(this->sizes());
    sizes[move.to] = size;
    SmallVector<Value> starts(sizes.size());
    for (auto [i, start] : llvm::enumerate(starts))
      start = static_cast<int>(i) == move.to
                  ? builder_.multiply(partNumber(builder_, *move.mesh, move.axes), builder_.i32(size))
                  : builder_.i32(0);
    value_ = sh::DynamicSliceOp::create(builder_.builder, builder_.loc, ir::typeOf(value_).clone(sizes), value_, starts,
                                        sizes);
  }

  void keepOnFirst(const Move &move) {
    Value isFirst =
        builder_.compare(partNumber(builder_, *move.mesh, move.axes), sh::ComparisonDirection::EQ, builder_.i32(0));
    Type element = globalType_.getElementType();
    bool isFloatSum = kind_ == SumKind::kAdd && isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
                                                    element); // of which 0 would turn -0 into 0
    Value neutral = isFloatSum ? builder_.fill(element, {}, -0.0) : neutralElement(builder_, element, kind_);
    value_ =
        builder_.select(builder_.broadcast(isFirst, sizes(), {}), value_, builder_.broadcast(neutral, sizes(), {}));
  }

  void permute(const Move &move) {
    if (auto permutation = redistribution::permutationByAxes(move)) {
      if (!permutation->targets.empty()) // or else each has its own
        value_ = collectivePermute(builder_, value_, *permutation);
      return;
    }
    SmallVector<int64_t> pairs;
    for (auto [place, source] : llvm::enumerate(redistribution::permutationOf(move)))
      pairs.append({move.mesh->device(source), move.mesh->device(static_cast<int64_t>(place))});
    value_ = collectivePermute(builder_, value_, pairs);
  }

  void spread(const Move &move, ArrayRef<int64_t> sizes) {
    std::optional<redistribution::Spread> turns = redistribution::spreadByAxes(move);
    if (!turns) {
      take(redistribution::exchangeOf(move));
      return take(redistribution::permutationAfterExchange(move));
    }
    const int64_t count = ir::partsOf(move.axes), own = this->sizes()[move.dim];
    padTo(move.to, sizes[move.to] * count);
    SmallVector<int64_t> partSizes(this->sizes()), all = partSizes;
    partSizes[move.to] = all[move.to] = sizes[move.to];
    all[move.dim] = own * count;
    // The place of a part whose number, plus the turn's, wraps around.
    auto at = [&](const ir::Axes &axes, int64_t turn, int64_t dimension, int64_t size) {
      Value number = builder_.add(partNumber(builder_, *move.mesh, axes), builder_.i32(turn));
      SmallVector<Value> starts(all.size(), builder_.i32(0));
      starts[dimension] =
          builder_.multiply(builder_.binary<sh::RemainderOp>(number, builder_.i32(count)), builder_.i32(size));
      return starts;
    };
    Value result = builder_.fill(globalType_.getElementType(), all, 0);
    for (auto [i, permutation] : llvm::enumerate(turns->turns)) {
      auto turn = static_cast<int64_t>(i);
      Value part = sh::DynamicSliceOp::create(builder_.builder, builder_.loc, ir::typeOf(value_).clone(partSizes),
                                              value_, at(move.axes, turn, move.to, sizes[move.to]), partSizes);
      if (permutation.targets != permutation.sources || permutation.offset != 0)
        part = collectivePermute(builder_, part, permutation);
      result = sh::DynamicUpdateSliceOp::create(builder_.builder, builder_.loc, result.getType(), result, part,
                                                at(turns->received, count - turn, move.dim, own));
    }
    value_ = result;
    trimTo(move.dim, sizes[move.dim]);
  }

  ArrayBuilder builder_;
  Value value_;
  RankedTensorType globalType_;
  SumKind kind_;
};

// Parts of axes in the mesh's order, as whole axes where they are that.
ir::Axes inOrder(SmallVector<ir::Atom> atoms) {
  llvm::sort(atoms);
  ir::Axes axes;
  for (const ir::Atom &atom : atoms)
    ir::append(axes, atom);
  return axes;
}

// A sum along one part of an axis after the other is one along all of them, and so are values kept on the first device
// along each: of a few elements the parts may move less, but it is how often devices meet that counts then. The order
// of these axes means nothing.
std::vector<Move> withSumsAsOne(ArrayRef<Move> moves) {
  std::vector<Move> merged;
  for (Move move : moves) {
    if (move.kind == MoveKind::kAllReduce || move.kind == MoveKind::kSplitSum) {
      SmallVector<ir::Atom> atoms(move.axes);
      if (!merged.empty() && merged.back().kind == move.kind && merged.back().mesh == move.mesh) {
        llvm::append_range(atoms, merged.back().axes);
        merged.pop_back();
      }
      move.axes = inOrder(std::move(atoms));
    }
    merged.push_back(std::move(move));
  }
  return merged;
}

} // namespace

static bool areOfOtherKinds(const ir::Sharding &a, const ir::Sharding &b) {
  return !a.unreduced.empty() && !b.unreduced.empty() && a.reduction != b.reduction;
}

bool liesAlike(const ir::Sharding &a, const ir::Sharding &b) {
  return a.mesh == b.mesh && a.unreduced == b.unreduced && !areOfOtherKinds(a, b) &&
         llvm::equal(a.dims, b.dims, [](const ir::DimCut &x, const ir::DimCut &y) { return x.axes == y.axes; });
}

bool isCutFurther(const ir::Sharding &own, const ir::Sharding &wanted) {
  return own.mesh == wanted.mesh && own.unreduced.empty() && wanted.unreduced.empty() &&
         llvm::equal(own.dims, wanted.dims, [](const ir::DimCut &part, const ir::DimCut &whole) {
           return part.axes == whole.axes || propagate::isStrictPrefix(whole.axes, part.axes);
         });
}

Value redistribute(OpBuilder &builder, Planner &planner, Value local, RankedTensorType globalType,
                   const ir::Sharding &from, const ir::Sharding &to, std::optional<SumKind> kind) {
  if (liesAlike(from, to))
    return local;
  if (areOfOtherKinds(from, to)) {
    ir::Sharding finished = from;
    finished.unreduced.clear();
    local = redistribute(builder, planner, local, globalType, from, finished);
    return redistribute(builder, planner, local, globalType, finished, to);
  }
  redistribution::Plan plan = planner.plan(from, to, globalType.getShape());
  const ir::Sharding &summed = from.unreduced.empty() ? to : from;
  Mover mover(builder, local, globalType, kind.value_or(kindOf(summed.reduction)));
  for (const Move &move : withSumsAsOne(plan.moves))
    mover.take(move);
  return mover.value();
}

int64_t redistributionBytes(Planner &planner, RankedTensorType globalType, const ir::Sharding &from,
                            const ir::Sharding &to) {
  if (liesAlike(from, to))
    return 0;
  return ir::storedBytes(globalType.clone({planner.plan(from, to, globalType.getShape()).received}));
}

} // namespace tenon::passes::partition
