// The order in which the kernels of convolutions lie.
//
// cuDNN reads kernels in the order in which its images lie, whatever it is told (program/plain_convolution.h). JAX's
// are [height, width, in, out] beside images with their features last, which is no order of cuDNN's:
//
//   convolution(x[b, 0, 1, f], w[0, 1, i, o])  =>  convolution(x[b, 0, 1, f], (transpose w)[o, 0, 1, i])
//
// A kernel has few elements beside the images, so it takes little to transpose it.

#include "tenon/passes/legalize/layout/convolution_kernels.h"

#include "tenon/ir/convolution_role.h"
#include "tenon/ir/element_types.h"
#include "tenon/ir/traits.h"
#include "tenon/passes/legalize/decompose/array_builder.h"

#include "llvm/ADT/Sequence.h"

#include <optional>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::ConvolutionRole, ir::shapeOf;
using ir::typeOf;

// The dimensions of an array of a convolution, as a library of forward convolutions calls them: of images and results
// the batch and the features, of a kernel the outputs and the inputs.
struct Dims {
  int64_t first = 0, features = 0;
  SmallVector<int64_t> spatial;

  // In the order in which they lie.
  SmallVector<int64_t> order(bool isFeaturesLast) const {
    SmallVector<int64_t> order{first};
    if (!isFeaturesLast)
      order.push_back(features);
    order.append(spatial);
    if (isFeaturesLast)
      order.push_back(features);
    return order;
  }
};

// Whether an array lies in this order of its dimensions; where those of one element are does not matter.
bool liesIn(ArrayRef<int64_t> order, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> counting;
  llvm::copy_if(order, std::back_inserter(counting), [&](int64_t dim) { return shape[dim] != 1; });
  return llvm::is_sorted(counting);
}

// The three arrays of a convolution for one who knows those of each role.
struct Arrays {
  Dims input, kernel, output;
};

Arrays arraysOf(sh::ConvDimensionNumbersAttr numbers, ConvolutionRole role) {
  auto copy = [](ArrayRef<int64_t> dims) { return SmallVector<int64_t>(dims); };
  Dims lhs{numbers.getInputBatchDimension(), numbers.getInputFeatureDimension(),
           copy(numbers.getInputSpatialDimensions())};
  Dims rhs{numbers.getKernelOutputFeatureDimension(), numbers.getKernelInputFeatureDimension(),
           copy(numbers.getKernelSpatialDimensions())};
  Dims out{numbers.getOutputBatchDimension(), numbers.getOutputFeatureDimension(),
           copy(numbers.getOutputSpatialDimensions())};
  auto exchanged = [](Dims dims) {
    std::swap(dims.first, dims.features);
    return dims;
  };
  switch (role) {
  case ConvolutionRole::kInputGradient: // of outputs a convolution's inputs are made
    return {std::move(out), exchanged(std::move(rhs)), std::move(lhs)};
  case ConvolutionRole::kKernelGradient: // products are summed over the batch
    return {exchanged(std::move(lhs)), exchanged(std::move(out)), exchanged(std::move(rhs))};
  case ConvolutionRole::kForward:
    break;
  }
  return {std::move(lhs), std::move(rhs), std::move(out)};
}

// The attribute with other places for the dimensions of the kernel, or of the result: place[dim] is the new one.
sh::ConvDimensionNumbersAttr replaced(sh::ConvDimensionNumbersAttr numbers, bool isResult, ArrayRef<int64_t> place) {
  auto ofKernel = [&](int64_t dim) { return isResult ? dim : place[dim]; };
  auto ofResult = [&](int64_t dim) { return isResult ? place[dim] : dim; };
  return sh::ConvDimensionNumbersAttr::get(
      numbers.getContext(), numbers.getInputBatchDimension(), numbers.getInputFeatureDimension(),
      numbers.getInputSpatialDimensions(), ofKernel(numbers.getKernelInputFeatureDimension()),
      ofKernel(numbers.getKernelOutputFeatureDimension()),
      llvm::map_to_vector(numbers.getKernelSpatialDimensions(), ofKernel), ofResult(numbers.getOutputBatchDimension()),
      ofResult(numbers.getOutputFeatureDimension()),
      llvm::map_to_vector(numbers.getOutputSpatialDimensions(), ofResult));
}

void reorder(sh::ConvolutionOp op, bool isResult, ArrayRef<int64_t> order) {
  OpBuilder builder(op);
  ArrayBuilder arrays(builder, op.getLoc());
  SmallVector<int64_t> place(order.size());
  for (auto [to, dim] : llvm::enumerate(order))
    place[dim] = int64_t(to);
  op.setDimensionNumbersAttr(replaced(op.getDimensionNumbers(), isResult, place));
  if (!isResult) {
    op->setOperand(1, arrays.transpose(op.getRhs(), order));
    return;
  }
  RankedTensorType type = typeOf(op);
  SmallVector<int64_t> sizes = llvm::map_to_vector(order, [&](int64_t dim) { return type.getDimSize(dim); });
  op->getResult(0).setType(RankedTensorType::get(sizes, type.getElementType()));
  builder.setInsertionPointAfter(op);
  Value back = arrays.transpose(op->getResult(0), place);
  op->getResult(0).replaceAllUsesExcept(back, back.getDefiningOp());
}

// Whether what becomes of the result may be computed by the convolution's kernel. A library's has no epilogue.
bool hasEpilogue(sh::ConvolutionOp op) {
  return op->getResult(0).hasOneUse() && op->getResult(0).getUsers().begin()->hasTrait<ir::Elementwise>();
}

// The order in which the kernel is to lie; its own where it does so already, and none where images lie in no order of
// a library's.
std::optional<SmallVector<int64_t>> kernelOrder(sh::ConvolutionOp op, ConvolutionRole role) {
  const Arrays arrays = arraysOf(op.getDimensionNumbers(), role);
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs()), out = shapeOf(op->getResult(0));
  ArrayRef<int64_t> input = role == ConvolutionRole::kInputGradient ? out : lhs,
                    output = role == ConvolutionRole::kForward          ? out
                             : role == ConvolutionRole::kKernelGradient ? rhs
                                                                        : lhs,
                    kernel = role == ConvolutionRole::kKernelGradient ? out : rhs;
  for (bool isFeaturesLast : {true, false}) {
    if (!liesIn(arrays.input.order(isFeaturesLast), input) || !liesIn(arrays.output.order(isFeaturesLast), output))
      continue;
    SmallVector<int64_t> order = arrays.kernel.order(isFeaturesLast);
    return liesIn(order, kernel) ? llvm::to_vector(llvm::seq<int64_t>(int64_t(kernel.size()))) : order;
  }
  return std::nullopt;
}

void orderKernel(sh::ConvolutionOp op, ConvolutionRole role) {
  if (role != ConvolutionRole::kForward && (op.getFeatureGroupCount() != 1 || op.getBatchGroupCount() != 1))
    return;
  std::optional<SmallVector<int64_t>> order = kernelOrder(op, role);
  if (!order || llvm::is_sorted(*order))
    return;
  // One with a reversed kernel may as well be a forward convolution, and lie right as that.
  const bool isDilated = op.getLhsDilation() && llvm::any_of(*op.getLhsDilation(), [](int64_t d) { return d != 1; });
  if (role == ConvolutionRole::kInputGradient && !isDilated)
    if (auto forward = kernelOrder(op, ConvolutionRole::kForward); forward && llvm::is_sorted(*forward))
      return;
  reorder(op, role == ConvolutionRole::kKernelGradient, *order);
}

} // namespace

void orderConvolutionKernels(ModuleOp module, const std::function<bool(Operation *)> &isWanted,
                             const std::function<bool(Operation *)> &standsAlone) {
  module.walk([&](sh::ConvolutionOp op) {
    const ConvolutionRole role = ir::roleOf(op);
    const bool isAlone = role == ConvolutionRole::kKernelGradient || !hasEpilogue(op) || standsAlone(op);
    if (isAlone && isWanted(op))
      orderKernel(op, role);
  });
}

} // namespace tenon::passes
