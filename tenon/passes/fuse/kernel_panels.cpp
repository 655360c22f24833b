// Constant kernels of convolutions, as a deployed model has them:
//
//   %y = fusion convolution(%x, %w = constant : 3x3x64x128) { convolution(%x, %w) ... }
//     =>
//   %panels = fusion folded(%w) : 2x3x3x64x64
//   %y = fusion convolution(%x, %panels) {
//     %w = reshape(transpose(%panels, [1, 2, 3, 0, 4])) : 3x3x64x128
//     convolution(%x, %w) ...
//   }
//
// The output features that a register tile reads together lie side by side, with the next input's behind them. The
// convolution's kernel packs nothing at run time, and reads its weights in one stream: of images of 7x7 pixels, packing
// takes a fifth of the time. The program has the panels in the place of the constant, which nobody else reads.

#include "tenon/passes/fuse/kernel_panels.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/types.h"
#include "tenon/passes/fuse/constant_panels.h"
#include "tenon/passes/legalize/decompose/array_builder.h"

#include <optional>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::shapeOf;

// The convolution whose kernel alone this use is.
sh::ConvolutionOp convolutionOf(OpOperand &use) {
  constexpr unsigned kKernel = 1;
  if (use.getOperandNumber() != kKernel)
    return nullptr;
  if (auto convolution = dyn_cast<sh::ConvolutionOp>(use.getOwner()))
    return convolution->getParentOfType<ir::FusionOp>() ? nullptr : convolution;
  auto fusion = dyn_cast<ir::FusionOp>(use.getOwner());
  if (!fusion || fusion.getKind() != ir::FusionKind::Convolution)
    return nullptr;
  BlockArgument kernel = fusion.getBody().getArgument(kKernel);
  if (!kernel.hasOneUse() || kernel.use_begin()->getOperandNumber() != kKernel)
    return nullptr;
  return dyn_cast<sh::ConvolutionOp>(kernel.use_begin()->getOwner());
}

// The dimensions of a kernel, its output features last and the others in the order in which panels have them: spatial
// ones in the result's order, then the inputs.
SmallVector<int64_t> panelOrder(sh::ConvDimensionNumbersAttr numbers) {
  SmallVector<std::pair<int64_t, int64_t>> spatial;
  for (auto [output, kernel] : llvm::zip(numbers.getOutputSpatialDimensions(), numbers.getKernelSpatialDimensions()))
    spatial.emplace_back(output, kernel);
  llvm::sort(spatial);
  SmallVector<int64_t> order = llvm::map_to_vector(spatial, [](auto dims) { return dims.second; });
  order.push_back(numbers.getKernelInputFeatureDimension());
  order.push_back(numbers.getKernelOutputFeatureDimension());
  return order;
}

// What all convolutions that read a constant want.
struct Wish {
  SmallVector<int64_t> order;
  int64_t columns = 0;

  bool operator==(const Wish &) const = default;
};

class KernelPacker {
public:
  explicit KernelPacker(const KernelPanelColumns &columns) : columns_(columns) {}

  void visit(sh::ConstantOp constant) {
    std::optional<Wish> wish = liesInBytes(constant) ? wishOf(constant) : std::nullopt;
    if (!wish)
      return;
    Value panels = foldedInPanels(constant, wish->order, wish->columns);
    for (OpOperand &use : llvm::make_early_inc_range(constant->getUses()))
      if (use.getOwner() != panels.getDefiningOp())
        read(use, panels, wish->order);
  }

private:
  std::optional<Wish> wishOf(sh::ConstantOp constant) {
    std::optional<Wish> all;
    for (OpOperand &use : constant->getUses()) {
      sh::ConvolutionOp convolution = convolutionOf(use);
      if (!convolution)
        return std::nullopt;
      Wish wish{panelOrder(convolution.getDimensionNumbers()), columns_(use.getOwner())};
      if (wish.columns == 0 || (all && *all != wish))
        return std::nullopt;
      all = std::move(wish);
    }
    return all;
  }

  // Has the convolution of a use read the panels.
  static void read(OpOperand &use, Value panels, ArrayRef<int64_t> order) {
    auto fusion = dyn_cast<ir::FusionOp>(use.getOwner());
    if (!fusion)
      fusion = makeFusion(cast<sh::ConvolutionOp>(use.getOwner()));
    BlockArgument kernel = fusion.getBody().getArgument(1);
    fusion->setOperand(1, panels);
    SmallVector<int64_t> whole(shapeOf(kernel));
    kernel.setType(panels.getType());
    Operation *convolution = *kernel.getUsers().begin();
    OpBuilder builder(convolution);
    ArrayBuilder arrays(builder, convolution->getLoc());
    // The panels' number comes in front of their columns, which are last, and the others are where the kernel has them.
    SmallVector<int64_t> permutation(order.size());
    for (auto [i, dim] : llvm::enumerate(order))
      permutation[dim] = int64_t(i) + 1;
    permutation.insert(permutation.begin() + order.back(), 0);
    Value transposed = arrays.transpose(kernel, permutation);
    convolution->setOperand(1, arrays.reshape(transposed, whole));
  }

  static ir::FusionOp makeFusion(sh::ConvolutionOp convolution) {
    OpBuilder builder(convolution);
    auto fusion = ir::FusionOp::create(builder, convolution.getLoc(), convolution->getResultTypes(),
                                       convolution->getOperands(), ir::FusionKind::Convolution);
    convolution.replaceAllUsesWith(fusion->getResult(0));
    Block &body = fusion.getBlock();
    convolution->moveBefore(&body, body.end());
    convolution->setOperands(body.getArguments());
    builder.setInsertionPointToEnd(&body);
    ir::YieldOp::create(builder, convolution.getLoc(), convolution->getResults());
    return fusion;
  }

  const KernelPanelColumns &columns_;
};

} // namespace

void packConstantKernels(ModuleOp module, const KernelPanelColumns &columns) {
  SmallVector<sh::ConstantOp> constants;
  module.walk([&](sh::ConstantOp constant) { constants.push_back(constant); });
  KernelPacker packer(columns);
  for (sh::ConstantOp constant : constants)
    packer.visit(constant);
}

} // namespace tenon::passes
