// Images of which a program has each feature in a plane of its own (NCHW), as frameworks other than JAX do:
//
//   %y = convolution(%x, %w) : [b, f, 0, 1]       %y = convolution(%x, %w) : [b, 0, 1, f]
//   %z = maximum(add(%y, broadcast(%bias)), 0) => %z = maximum(add(%y, broadcast(%bias)), 0)
//   %p = reduce_window(%z) by 1x1x3x3             %p = reduce_window(%z) by 1x3x3x1
//   convolution(%p, %v)                           convolution(%p, %v)
//
// A register tile whose lanes are features is full whatever the size of an image, and reads weights that are packed
// when the program is compiled (passes/fuse/kernel_panels.cpp); one whose lanes are pixels gathers these from windows,
// and of 7x7 pixels it wastes a quarter. Weights that are arguments would have to be packed in every run, so these
// convolutions stay as they are. A convolution reads its images in any order, and what is computed element by element,
// by windows or by whole images has none. Other ops read a transpose.

#include "tenon/passes/legalize/layout/features_last.h"

#include "tenon/ir/convolution_role.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/types.h"
#include "tenon/passes/fuse/constant_panels.h"
#include "tenon/passes/fuse/transpose_sinker.h"
#include "tenon/passes/legalize/decompose/array_builder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

#include <numeric>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::shapeOf, ir::typeOf;

// The dimensions of images: the batch, the spatial ones in their order, the features.
Permutation featuresLast(int64_t batch, ArrayRef<int64_t> spatial, int64_t features) {
  Permutation order{batch};
  order.append(spatial.begin(), spatial.end());
  llvm::sort(llvm::drop_begin(order));
  order.push_back(features);
  return order;
}

Permutation inputOrder(sh::ConvDimensionNumbersAttr numbers) {
  return featuresLast(numbers.getInputBatchDimension(), numbers.getInputSpatialDimensions(),
                      numbers.getInputFeatureDimension());
}
Permutation outputOrder(sh::ConvDimensionNumbersAttr numbers) {
  return featuresLast(numbers.getOutputBatchDimension(), numbers.getOutputSpatialDimensions(),
                      numbers.getOutputFeatureDimension());
}

sh::ConstantOp kernelOf(sh::ConvolutionOp op) {
  auto constant = op.getRhs().getDefiningOp<sh::ConstantOp>();
  return constant && liesInBytes(constant) ? constant : nullptr;
}

bool isDilated(std::optional<ArrayRef<int64_t>> dilation) {
  return dilation && llvm::any_of(*dilation, [](int64_t d) { return d != 1; });
}

// Each feature is convolved with a kernel of its own.
bool isDepthwise(sh::ConvolutionOp op) {
  auto features = static_cast<int64_t>(op.getFeatureGroupCount());
  return features > 1 &&
         features == shapeOf(op.getLhs())[size_t(op.getDimensionNumbers().getInputFeatureDimension())] &&
         features == shapeOf(op.getRhs())[size_t(op.getDimensionNumbers().getKernelOutputFeatureDimension())];
}

// What of the time that its operations take at the machine's rate a convolution saves with its features last; zero for
// one that does not.
double savedShare(sh::ConvolutionOp op, int64_t lanes) {
  RankedTensorType type = typeOf(op.getResult());
  Type element = type.getElementType();
  auto numbers = op.getDimensionNumbers();
  if (!type.hasStaticShape() || !(element.isF16() || element.isBF16() || element.isF32() || element.isF64()) ||
      !kernelOf(op) || op.getBatchGroupCount() != 1 || isDilated(op.getLhsDilation()))
    return 0;
  int64_t features = type.getDimSize(numbers.getOutputFeatureDimension()), pixels = 1;
  bool isBefore = false; // a spatial dimension behind the features
  for (int64_t dim : numbers.getOutputSpatialDimensions()) {
    pixels *= type.getDimSize(dim);
    isBefore |= dim > numbers.getOutputFeatureDimension() && type.getDimSize(dim) > 1;
  }
  if (!isBefore || pixels <= lanes)
    return 0;
  if (isDepthwise(op)) // of the vectors at least three quarters are full
    return 4 * features >= 3 * int64_t(llvm::alignTo(uint64_t(features), uint64_t(lanes))) ? 2 : 0;
  return op.getFeatureGroupCount() == 1 && features % lanes == 0 ? 1.0 / 16 : 0;
}

class FeatureMover : public TransposeSinker {
public:
  FeatureMover(Block &block, int64_t lanes) : TransposeSinker(block), lanes_(lanes) {}

  // The operations in whose time at the machine's rate all is computed that is saved.
  double saved() const { return saved_; }
  // The elements of all transposes that were made.
  int64_t transposedElements() const { return transposed_; }

private:
  bool sink(Operation *op) override {
    if (auto convolution = dyn_cast<sh::ConvolutionOp>(op))
      return sinkConvolution(convolution);
    if (!readsMoved(op))
      return false;
    return sinkMovement(op) || sinkCommon(op);
  }

  void noteTransposed(Value transposed) override { transposed_ += typeOf(transposed).getNumElements(); }

  // One that gains by it, or reads images that lie so.
  bool sinkConvolution(sh::ConvolutionOp op) {
    const Moved *images = movedTo(op.getLhs());
    double gain = savedShare(op, lanes_);
    if (gain == 0 && (!images || !kernelOf(op) || op.getBatchGroupCount() != 1))
      return false;
    saved_ += gain * ir::operationsIn(op);
    auto numbers = op.getDimensionNumbers();
    Moved input = images ? *images : placed(op.getLhs(), inverse(inputOrder(numbers)));
    Permutation place = inverse(outputOrder(numbers));
    Value result = cloned(op, {input.value, op.getRhs()}, place);
    auto copy = result.getDefiningOp<sh::ConvolutionOp>();
    auto kernel = llvm::to_vector(llvm::seq<int64_t>(typeOf(op.getRhs()).getRank()));
    if (op.getFeatureGroupCount() != 1)
      kernel = orderKernel(copy);
    auto among = [](ArrayRef<int64_t> places, ArrayRef<int64_t> dims) {
      return llvm::map_to_vector(dims, [&](int64_t dim) { return places[size_t(dim)]; });
    };
    copy.setDimensionNumbersAttr(sh::ConvDimensionNumbersAttr::get(
        op.getContext(), input.permutation[size_t(numbers.getInputBatchDimension())],
        input.permutation[size_t(numbers.getInputFeatureDimension())],
        among(input.permutation, numbers.getInputSpatialDimensions()),
        kernel[size_t(numbers.getKernelInputFeatureDimension())],
        kernel[size_t(numbers.getKernelOutputFeatureDimension())], among(kernel, numbers.getKernelSpatialDimensions()),
        place[size_t(numbers.getOutputBatchDimension())], place[size_t(numbers.getOutputFeatureDimension())],
        among(place, numbers.getOutputSpatialDimensions())));
    return replace(op, result, std::move(place));
  }

  // Images that lie in the program's order. Those of few features, as colours, are read as they lie.
  Moved placed(Value images, Permutation place) {
    constexpr int64_t kFewFeatures = 4;
    Permutation order = inverse(place);
    if (shapeOf(images)[size_t(order.back())] > kFewFeatures)
      return {before(images, place), std::move(place)};
    std::iota(place.begin(), place.end(), 0);
    return {images, std::move(place)};
  }

  // Gives the convolution, one of groups, a kernel whose features lie side by side. Where each dimension is then.
  static SmallVector<int64_t> orderKernel(sh::ConvolutionOp op) {
    sh::ConstantOp constant = kernelOf(op);
    auto numbers = op.getDimensionNumbers();
    SmallVector<int64_t> order(numbers.getKernelSpatialDimensions());
    order.push_back(numbers.getKernelInputFeatureDimension());
    order.push_back(numbers.getKernelOutputFeatureDimension());
    int64_t features = shapeOf(constant.getResult())[size_t(order.back())];
    Value panel = foldedInPanels(constant, order, features);
    OpBuilder builder(op);
    op->setOperand(1, ArrayBuilder(builder, op.getLoc()).reshape(panel, shapeOf(panel).drop_front()));
    return llvm::to_vector(ArrayRef<int64_t>(inverse(order)));
  }

  // Ops that move elements, and windows: what they say of each dimension is said of the one before.
  bool sinkMovement(Operation *op) {
    if (auto window = dyn_cast<sh::ReduceWindowOp>(op))
      return window.getInputs().size() == 1 && sinkWindow(window);
    if (auto pad = dyn_cast<sh::PadOp>(op))
      return sinkPad(pad);
    if (auto slice = dyn_cast<sh::SliceOp>(op))
      return sinkSlice(slice);
    if (auto concatenate = dyn_cast<sh::ConcatenateOp>(op))
      return sinkConcatenate(concatenate);
    if (auto broadcast = dyn_cast<sh::BroadcastInDimOp>(op))
      return sinkRepetition(broadcast);
    if (auto reshape = dyn_cast<sh::ReshapeOp>(op))
      return sinkCollapse(reshape);
    if (auto gather = dyn_cast<sh::GatherOp>(op))
      return sinkTake(gather);
    return false;
  }

  // In the order of the values before.
  static SmallVector<int64_t> reordered(ArrayRef<int64_t> values, ArrayRef<int64_t> permutation) {
    return llvm::map_to_vector(inverse(permutation), [&](int64_t dim) { return values[size_t(dim)]; });
  }

  bool sinkWindow(sh::ReduceWindowOp op) {
    const Moved moved = *movedTo(op.getInputs()[0]);
    Value result = cloned(op, {moved.value, op.getInitValues()[0]}, moved.permutation);
    auto copy = result.getDefiningOp<sh::ReduceWindowOp>();
    auto orEmpty = [&](std::optional<ArrayRef<int64_t>> values) {
      return values ? std::optional(reordered(*values, moved.permutation)) : std::nullopt;
    };
    copy.setWindowDimensions(reordered(op.getWindowDimensions(), moved.permutation));
    if (auto strides = orEmpty(op.getWindowStrides()))
      copy.setWindowStrides(*strides);
    if (auto dilations = orEmpty(op.getBaseDilations()))
      copy.setBaseDilations(*dilations);
    if (auto dilations = orEmpty(op.getWindowDilations()))
      copy.setWindowDilations(*dilations);
    if (auto padding = op.getPaddingAttr()) {
      auto pairs = llvm::to_vector(padding.getValues<int64_t>());
      SmallVector<int64_t> before;
      for (int64_t dim : inverse(moved.permutation))
        before.append({pairs[2 * size_t(dim)], pairs[2 * size_t(dim) + 1]});
      copy.setPaddingAttr(DenseIntElementsAttr::get(cast<ShapedType>(padding.getType()), before));
    }
    return replace(op, result, moved.permutation);
  }

  bool sinkPad(sh::PadOp op) {
    const Moved *moved = movedTo(op.getOperand());
    if (!moved)
      return false;
    Permutation permutation = moved->permutation;
    Value result = cloned(op, {moved->value, op.getPaddingValue()}, permutation);
    auto copy = result.getDefiningOp<sh::PadOp>();
    copy.setEdgePaddingLow(reordered(op.getEdgePaddingLow(), permutation));
    copy.setEdgePaddingHigh(reordered(op.getEdgePaddingHigh(), permutation));
    copy.setInteriorPadding(reordered(op.getInteriorPadding(), permutation));
    return replace(op, result, std::move(permutation));
  }

  bool sinkSlice(sh::SliceOp op) {
    const Moved moved = *movedTo(op.getOperand());
    Value result = cloned(op, {moved.value}, moved.permutation);
    auto copy = result.getDefiningOp<sh::SliceOp>();
    copy.setStartIndices(reordered(op.getStartIndices(), moved.permutation));
    copy.setLimitIndices(reordered(op.getLimitIndices(), moved.permutation));
    copy.setStrides(reordered(op.getStrides(), moved.permutation));
    return replace(op, result, moved.permutation);
  }

  bool sinkConcatenate(sh::ConcatenateOp op) {
    const Moved *first = nullptr;
    for (Value operand : op->getOperands())
      first = first ? first : movedTo(operand);
    Permutation permutation = first->permutation;
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(before(operand, permutation));
    Value result = cloned(op, operands, permutation);
    result.getDefiningOp<sh::ConcatenateOp>().setDimension(uint64_t(permutation[size_t(op.getDimension())]));
    return replace(op, result, std::move(permutation));
  }

  // Elements that are repeated along new dimensions, each of which stays behind the one that it follows.
  bool sinkRepetition(sh::BroadcastInDimOp op) {
    const Moved &moved = *movedTo(op.getOperand());
    ArrayRef<int64_t> dims = op.getBroadcastDimensions();
    int64_t rank = typeOf(op.getResult()).getRank();
    bool keepsSizes = llvm::all_of(llvm::zip_equal(dims, shapeOf(op.getOperand())), [&](auto pair) {
      return shapeOf(op)[size_t(std::get<0>(pair))] == std::get<1>(pair);
    });
    if (!llvm::is_sorted(dims) || !keepsSizes || rank == int64_t(dims.size()))
      return false;
    Permutation order;
    auto appendNew = [&](int64_t dim) {
      for (; dim < rank && !llvm::is_contained(dims, dim); ++dim)
        order.push_back(dim);
    };
    appendNew(0);
    SmallVector<int64_t> before;
    for (int64_t dim : inverse(moved.permutation)) {
      before.push_back(int64_t(order.size()));
      order.push_back(dims[size_t(dim)]);
      appendNew(order.back() + 1);
    }
    Permutation permutation = inverse(order);
    Value result =
        sh::BroadcastInDimOp::create(builder_, op.getLoc(), typeBefore(op, permutation), moved.value, before);
    return replace(op, result, std::move(permutation));
  }

  // Dimensions that become one, if they lie side by side.
  bool sinkCollapse(sh::ReshapeOp op) {
    const Moved &moved = *movedTo(op.getOperand());
    if (typeOf(op.getOperand()).getRank() == typeOf(op.getResult()).getRank())
      return false;
    auto groups = getReassociationIndicesForCollapse(shapeOf(op.getOperand()), shapeOf(op));
    if (!groups)
      return false;
    SmallVector<int64_t> first;
    for (const ReassociationIndices &group : *groups) {
      first.push_back(moved.permutation[size_t(group.front())]);
      for (auto [i, dim] : llvm::enumerate(group))
        if (moved.permutation[size_t(dim)] != first.back() + int64_t(i))
          return false;
    }
    Permutation permutation = orderOf(first);
    return replace(op, reshaped(moved.value, typeBefore(op, permutation)), permutation);
  }

  // Elements at the given places along one dimension.
  bool sinkTake(sh::GatherOp op) {
    const Moved *moved = movedTo(op.getOperand());
    auto numbers = op.getDimensionNumbers();
    if (!moved || movedTo(op.getStartIndices()) || numbers.getCollapsedSliceDims().size() != 1 ||
        numbers.getStartIndexMap() != numbers.getCollapsedSliceDims())
      return false;
    Permutation permutation = moved->permutation;
    auto othersThan = [&](int64_t along) {
      return llvm::filter_to_vector(llvm::seq<int64_t>(int64_t(permutation.size())),
                                    [&](int64_t dim) { return dim != along; });
    };
    int64_t along = numbers.getCollapsedSliceDims()[0];
    bool isWhole = llvm::all_of(othersThan(along), [&](int64_t dim) {
      return op.getSliceSizes()[size_t(dim)] == shapeOf(op.getOperand())[size_t(dim)];
    });
    if (!isWhole || typeOf(op.getResult()).getRank() != int64_t(permutation.size()) ||
        numbers.getOffsetDims() != ArrayRef<int64_t>(othersThan(along)))
      return false;
    Value result = cloned(op, {moved->value, op.getStartIndices()}, permutation);
    auto copy = result.getDefiningOp<sh::GatherOp>();
    copy.setSliceSizes(reordered(op.getSliceSizes(), permutation));
    along = permutation[size_t(along)];
    copy.setDimensionNumbersAttr(
        sh::GatherDimensionNumbersAttr::get(op.getContext(), othersThan(along), along, numbers.getOperandBatchingDims(),
                                            numbers.getStartIndicesBatchingDims(), along, numbers.getIndexVectorDim()));
    return replace(op, result, std::move(permutation));
  }

  int64_t lanes_;
  double saved_ = 0;
  int64_t transposed_ = 0;
};

// Whether more is saved than transposes take, in nanoseconds.
bool pays(double saved, int64_t transposed, int64_t lanes, const CostModel &costs) {
  double perNanosecond = costs.cyclesPerNanosecond * costs.laneOperations * double(lanes);
  return saved / perNanosecond > double(transposed) * (costs.access + costs.transposedAccess) * 2;
}

} // namespace

void placeFeaturesLast(ModuleOp module, int64_t lanes, const CostModel &costs) {
  for (auto function : module.getOps<func::FuncOp>()) {
    auto isGain = [&](sh::ConvolutionOp op) {
      return savedShare(op, lanes) > 0 ? WalkResult::interrupt() : WalkResult::advance();
    };
    if (!function.walk(isGain).wasInterrupted())
      continue;
    OwningOpRef<func::FuncOp> copy(function.clone());
    SmallVector<Block *> blocks;
    copy->walk([&](Block *block) { blocks.push_back(block); });
    double saved = 0;
    int64_t transposed = 0;
    for (Block *block : blocks) {
      FeatureMover mover(*block, lanes);
      mover.run();
      saved += mover.saved();
      transposed += mover.transposedElements();
    }
    if (pays(saved, transposed, lanes, costs))
      function.getBody().takeBody(copy->getBody());
  }
}

} // namespace tenon::passes
