// The index maps of the ops that move elements: for an element of the result, the operand and index that it comes from.
// Each op has an overload of its own: of indexOf() if all elements are the first operand's, otherwise of sourcesOf().
// An op with the trait MovesElements that has neither does not compile.
#include "tenon/codegen/common/region/region_indexer.h"

#include "tenon/ir/op_table.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using llvm::ArrayRef;
using mlir::AffineExpr;

namespace tenon::codegen {
namespace {

// Collects sources in the order in which they are tried, and leaves out those that are never chosen.
class SourceList {
public:
  explicit SourceList(IndexSpace &space) : space_(space) {}

  void add(Source source) {
    if (closed_)
      return;
    Truth truth = simplify(space_, source.conditions);
    if (truth == Truth::kNever)
      return;
    closed_ = truth == Truth::kAlways;
    sources_.push_back(std::move(source));
  }

  // The last source has no conditions: it is chosen where no other is.
  llvm::SmallVector<Source, 2> take() {
    if (!closed_ && !sources_.empty())
      sources_.back().conditions.clear();
    return std::move(sources_);
  }

private:
  IndexSpace &space_;
  llvm::SmallVector<Source, 2> sources_;
  bool closed_ = false;
};

llvm::SmallVector<Source, 2> sourcesOf(stablehlo::PadOp pad, ArrayRef<AffineExpr> index, RegionIndexer &indexer) {
  IndexSpace &space = indexer.space();
  ArrayRef<int64_t> shape = shapeOf(pad.getOperand());
  Source inside{0, {}, {}};
  for (auto [k, expr] : llvm::enumerate(index)) {
    int64_t step = shape[k] > 1 ? pad.getInteriorPadding()[k] + 1 : 1; // between elements: one may have any interior
    AffineExpr position = space.addConstant(expr, -pad.getEdgePaddingLow()[k]);
    inside.conditions.push_back({position, 0, (shape[k] - 1) * step});
    if (step > 1)
      inside.conditions.push_back({space.mod(position, step), 0, 0});
    inside.index.push_back(space.floorDiv(position, step));
  }
  SourceList sources(space);
  sources.add(std::move(inside));
  sources.add({1, {}, {}});
  return sources.take();
}

llvm::SmallVector<Source, 2> sourcesOf(stablehlo::ConcatenateOp concatenate, ArrayRef<AffineExpr> index,
                                       RegionIndexer &indexer) {
  IndexSpace &space = indexer.space();
  uint64_t dimension = concatenate.getDimension();
  int64_t offset = 0;
  SourceList sources(space);
  for (auto [number, input] : llvm::enumerate(concatenate.getInputs())) {
    int64_t size = shapeOf(input)[dimension];
    if (size == 0)
      continue;
    Source source{static_cast<unsigned>(number), IndexVector(index), {}};
    source.index[dimension] = space.addConstant(index[dimension], -offset);
    // The pieces before have taken the smaller indices.
    source.conditions.push_back({source.index[dimension], std::numeric_limits<int64_t>::min(), size - 1});
    if (space.range(source.index[dimension]).max >= 0)
      sources.add(std::move(source));
    offset += size;
  }
  return sources.take();
}

llvm::SmallVector<Source, 2> sourcesOf(stablehlo::DynamicUpdateSliceOp update, ArrayRef<AffineExpr> index,
                                       RegionIndexer &indexer) {
  IndexSpace &space = indexer.space();
  ArrayRef<int64_t> shape = shapeOf(update.getOperand()), window = shapeOf(update.getUpdate());
  Source inside{1, {}, {}};
  for (auto [k, expr] : llvm::enumerate(index)) {
    AffineExpr start = indexer.symbol(update.getStartIndices()[k], {}, {0, shape[k] - window[k]});
    AffineExpr position = space.add(expr, space.scale(start, -1));
    if (window[k] != shape[k])
      inside.conditions.push_back({position, 0, window[k] - 1});
    inside.index.push_back(position);
  }
  SourceList sources(space);
  sources.add(std::move(inside));
  sources.add({0, IndexVector(index), {}});
  return sources.take();
}

IndexVector indexOf(stablehlo::GatherOp gather, ArrayRef<AffineExpr> index, RegionIndexer &indexer) {
  IndexSpace &space = indexer.space();
  auto numbers = gather.getDimensionNumbers();
  ArrayRef<int64_t> shape = shapeOf(gather.getOperand()), sizes = gather.getSliceSizes();
  IndexVector batch, offset;
  for (auto [k, expr] : llvm::enumerate(index))
    (llvm::is_contained(numbers.getOffsetDims(), static_cast<int64_t>(k)) ? offset : batch).push_back(expr);

  mlir::Value starts = gather.getStartIndices();
  int64_t vectorDim = numbers.getIndexVectorDim(), startsRank = shapeOf(starts).size();
  auto startIndex = [&](int64_t component) {
    IndexVector result(batch);
    if (vectorDim < startsRank)
      result.insert(result.begin() + vectorDim, space.constant(component));
    return result;
  };
  IndexVector result(shape.size(), space.constant(0));
  for (auto [component, dim] : llvm::enumerate(numbers.getStartIndexMap()))
    result[dim] = indexer.symbol(starts, startIndex(component), {0, shape[dim] - sizes[dim]});
  for (auto [dim, startsDim] : llvm::zip(numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims()))
    result[dim] = space.add(result[dim], batch[startsDim < vectorDim ? startsDim : startsDim - 1]);
  unsigned next = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (llvm::is_contained(numbers.getCollapsedSliceDims(), static_cast<int64_t>(dim)) ||
        llvm::is_contained(numbers.getOperandBatchingDims(), static_cast<int64_t>(dim)))
      continue;
    result[dim] = space.add(result[dim], offset[next++]);
  }
  return result;
}

IndexVector indexOf(stablehlo::DynamicSliceOp slice, ArrayRef<AffineExpr> index, RegionIndexer &indexer) {
  ArrayRef<int64_t> shape = shapeOf(slice.getOperand());
  IndexVector result;
  for (auto [k, expr] : llvm::enumerate(index)) {
    AffineExpr start = indexer.symbol(slice.getStartIndices()[k], {}, {0, shape[k] - slice.getSliceSizes()[k]});
    result.push_back(indexer.space().add(expr, start));
  }
  return result;
}

IndexVector indexOf(stablehlo::BroadcastInDimOp broadcast, ArrayRef<AffineExpr> index, RegionIndexer &indexer) {
  IndexVector result;
  for (auto [n, dim] : llvm::zip(shapeOf(broadcast.getOperand()), broadcast.getBroadcastDimensions()))
    result.push_back(n == 1 ? indexer.space().constant(0) : index[dim]);
  return result;
}

IndexVector indexOf(stablehlo::BroadcastOp broadcast, ArrayRef<AffineExpr> index, RegionIndexer &) {
  return IndexVector(index.take_back(shapeOf(broadcast.getOperand()).size()));
}

IndexVector indexOf(stablehlo::ReshapeOp reshape, ArrayRef<AffineExpr> index, RegionIndexer &indexer) {
  return IndexVector(indexer.space().reshape(index, shapeOf(reshape.getResult()), shapeOf(reshape.getOperand())));
}

IndexVector indexOf(stablehlo::TransposeOp transpose, ArrayRef<AffineExpr> index, RegionIndexer &) {
  IndexVector result(index.size());
  for (auto [k, dim] : llvm::enumerate(transpose.getPermutation()))
    result[dim] = index[k];
  return result;
}

IndexVector indexOf(stablehlo::SliceOp slice, ArrayRef<AffineExpr> index, RegionIndexer &indexer) {
  IndexSpace &space = indexer.space();
  IndexVector result;
  for (auto [expr, start, stride] : llvm::zip(index, slice.getStartIndices(), slice.getStrides()))
    result.push_back(space.addConstant(space.scale(expr, stride), start));
  return result;
}

IndexVector indexOf(stablehlo::ReverseOp reverse, ArrayRef<AffineExpr> index, RegionIndexer &indexer) {
  IndexSpace &space = indexer.space();
  ArrayRef<int64_t> shape = shapeOf(reverse.getOperand());
  IndexVector result;
  for (auto [k, expr] : llvm::enumerate(index)) {
    bool reversed = llvm::is_contained(reverse.getDimensions(), static_cast<int64_t>(k));
    result.push_back(reversed ? space.addConstant(space.scale(expr, -1), shape[k] - 1) : expr);
  }
  return result;
}

// --- The table, generated from the records ---

template <typename Op>
concept HasIndex = requires(Op op, ArrayRef<AffineExpr> index, RegionIndexer &indexer) {
  { indexOf(op, index, indexer) } -> std::same_as<IndexVector>;
};
template <typename Op>
concept HasSources = requires(Op op, ArrayRef<AffineExpr> index, RegionIndexer &indexer) {
  { sourcesOf(op, index, indexer) } -> std::same_as<llvm::SmallVector<Source, 2>>;
};

using SourcesFn = llvm::SmallVector<Source, 2> (*)(mlir::Operation *, ArrayRef<AffineExpr>, RegionIndexer &);

template <typename Op> SourcesFn sourcesFnOf() {
  constexpr bool kMoves = Op::template hasTrait<ir::MovesElements>();
  static_assert(kMoves == (HasIndex<Op> || HasSources<Op>),
                "an op has a function in tenon/codegen/common/region/element_sources.cpp just if it moves elements");
  if constexpr (HasSources<Op>)
    return [](mlir::Operation *op, ArrayRef<AffineExpr> index, RegionIndexer &indexer) {
      return sourcesOf(llvm::cast<Op>(op), index, indexer);
    };
  if constexpr (HasIndex<Op>)
    return [](mlir::Operation *op, ArrayRef<AffineExpr> index, RegionIndexer &indexer) {
      return llvm::SmallVector<Source, 2>{{0, indexOf(llvm::cast<Op>(op), index, indexer), {}}};
    };
  return nullptr;
}

} // namespace

llvm::SmallVector<Source, 2> RegionIndexer::sources(mlir::Operation *op, ArrayRef<AffineExpr> index) {
  static const auto functions = ir::OpTable<SourcesFn>::make([]<typename Op>() { return sourcesFnOf<Op>(); });
  return functions.lookup(op->getName())(op, index, *this);
}

} // namespace tenon::codegen
