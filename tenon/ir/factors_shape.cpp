// Ops that move elements.
#include "tenon/ir/factors_builder.h"

#include <numeric>

namespace tenon::ir {

MaybeFactors factorsOf(stablehlo::BitcastConvertOp op) {
  ArrayRef<int64_t> in = shapeOf(op.getOperand()), out = shapeOf(op.getResult());
  FactorsBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(in.size() < out.size() ? in : out))
    builder.addToAll(static_cast<int64_t>(dim), {size});
  // The narrower elements that one wide element consists of stay together.
  auto last = static_cast<int64_t>(std::max(in.size(), out.size())) - 1;
  if (in.size() < out.size())
    builder.add({kNone}, last, {out.back(), FactorType::kReplicated});
  else if (in.size() > out.size())
    builder.add({last}, kNone, {in.back(), FactorType::kReplicated});
  return builder.build();
}

MaybeFactors factorsOf(stablehlo::BroadcastInDimOp op) {
  ArrayRef<int64_t> in = shapeOf(op.getOperand()), out = shapeOf(op.getResult());
  FactorsBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(out)) {
    const int64_t *place = llvm::find(op.getBroadcastDimensions(), static_cast<int64_t>(dim));
    int64_t from = place == op.getBroadcastDimensions().end() ? kNone : place - op.getBroadcastDimensions().begin();
    if (from != kNone && in[from] == 1 && size != 1) {
      builder.add({from}, kNone, {1});
      from = kNone;
    }
    builder.add({from}, static_cast<int64_t>(dim), {size});
  }
  return builder.build();
}

MaybeFactors factorsOf(stablehlo::BroadcastOp op) {
  FactorsBuilder builder(op);
  auto added = static_cast<int64_t>(op.getBroadcastSizes().size());
  for (auto [dim, size] : llvm::enumerate(shapeOf(op.getResult()))) {
    auto to = static_cast<int64_t>(dim);
    builder.add({to < added ? kNone : to - added}, to, {size});
  }
  return builder.build();
}

// The value that a slice is of; others themselves.
static Value beforeSlice(Value value) {
  auto slice = value.getDefiningOp<stablehlo::SliceOp>();
  return slice ? slice.getOperand() : value;
}

// Along the dimension, elements have few ways to go where all operands are slices, as in a shift with something at its
// end, or one value and slices of it, as in a rotation or a reflection.
static bool movesToNeighbours(stablehlo::ConcatenateOp op) {
  auto isSlice = [](Value value) { return value.getDefiningOp<stablehlo::SliceOp>() != nullptr; };
  Value first = beforeSlice(op.getInputs().front());
  return llvm::all_of(op.getInputs(), isSlice) ||
         (llvm::any_of(op.getInputs(), isSlice) &&
          llvm::all_of(op.getInputs(), [&](Value value) { return beforeSlice(value) == first; }));
}

MaybeFactors factorsOf(stablehlo::ConcatenateOp op) {
  FactorsBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op.getResult()))) {
    FactorType type = FactorType::kPassThrough;
    if (dim == op.getDimension())
      type = movesToNeighbours(op) ? FactorType::kMoves : FactorType::kReplicated;
    builder.addToAll(static_cast<int64_t>(dim), {size, type});
  }
  return builder.build();
}

namespace {

// One side of a reshape: where it is in its dimensions, and how many elements lie before it in row-major order, by the
// dimensions it has begun and by the factors it has given.
struct ReshapeSide {
  explicit ReshapeSide(ArrayRef<int64_t> shape) : shape(shape) {}

  bool isAtEnd() const { return dim == static_cast<int64_t>(shape.size()); }
  bool isAtOne() const { return !isAtEnd() && shape[dim] == 1; }
  /// Begins the next dimension, if the one before is all given.
  void begin() {
    if (!isAtEnd() && begun == given)
      begun *= shape[dim];
  }
  /// What is left of the dimension.
  int64_t rest() const { return begun / given; }
  void give(int64_t size) { given *= size; }
  void finish() {
    if (!isAtEnd() && begun == given)
      ++dim;
  }
  // The next factor of this side, which is behind the other one's: as much as brings them together if that can be,
  // otherwise what leaves a common divisor for later.
  int64_t towards(const ReshapeSide &other) const {
    if (int64_t missing = other.given / given; other.given % given == 0 && rest() % missing == 0)
      return missing;
    int64_t common = std::gcd(rest(), other.rest());
    return rest() > common ? rest() / common : rest();
  }

  ArrayRef<int64_t> shape;
  int64_t dim = 0, begun = 1, given = 1;
};

} // namespace

MaybeFactors factorsOf(stablehlo::ReshapeOp op) {
  ReshapeSide in(shapeOf(op.getOperand())), out(shapeOf(op.getResult()));
  if (llvm::is_contained(in.shape, 0))
    return std::nullopt;
  FactorsBuilder builder(op);
  while (!in.isAtEnd() || !out.isAtEnd()) {
    if (in.isAtOne()) {
      builder.add({in.dim++}, kNone, {1});
      continue;
    }
    if (out.isAtOne()) {
      builder.add({kNone}, out.dim++, {1});
      continue;
    }
    in.begin();
    out.begin();
    bool givesIn = in.given <= out.given, givesOut = out.given <= in.given;
    int64_t common = std::gcd(in.rest(), out.rest());
    if (givesIn && givesOut && common > 1) {
      builder.add({in.dim}, out.dim, {common});
      in.give(common);
      out.give(common);
    } else {
      // Without a common divisor, each side goes on alone until the products meet again.
      int64_t fromIn = givesOut ? in.rest() : in.towards(out), fromOut = givesIn ? out.rest() : out.towards(in);
      if (givesIn) {
        builder.add({in.dim}, kNone, {fromIn});
        in.give(fromIn);
      }
      if (givesOut) {
        builder.add({kNone}, out.dim, {fromOut});
        out.give(fromOut);
      }
    }
    in.finish();
    out.finish();
  }
  return builder.build();
}

MaybeFactors factorsOf(stablehlo::ReverseOp op) {
  FactorsBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op.getResult()))) {
    bool isReversed = llvm::is_contained(op.getDimensions(), static_cast<int64_t>(dim));
    builder.addToAll(static_cast<int64_t>(dim), {size, isReversed ? FactorType::kMoves : FactorType::kPassThrough});
  }
  return builder.build();
}

MaybeFactors factorsOf(stablehlo::TransposeOp op) {
  FactorsBuilder builder(op);
  for (auto [to, from] : llvm::enumerate(op.getPermutation()))
    builder.add({from}, static_cast<int64_t>(to), {shapeOf(op.getOperand())[from]});
  return builder.build();
}

MaybeFactors factorsOf(stablehlo::PadOp op) {
  return FactorsBuilder(op)
      .addWhereEqual(shapeOf(op.getOperand()), shapeOf(op.getResult()), FactorType::kMoves, /*isBlocked=*/false)
      .build();
}

MaybeFactors factorsOf(stablehlo::SliceOp op) {
  return FactorsBuilder(op)
      .addWhereEqual(shapeOf(op.getOperand()), shapeOf(op.getResult()), FactorType::kMoves, /*isBlocked=*/false)
      .build();
}

} // namespace tenon::ir
