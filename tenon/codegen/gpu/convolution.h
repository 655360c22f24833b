// Convolutions as products by blocks of threads (product.h): the windows are the rows of the lhs, after padding, which
// threads do by themselves. A gradient of a kernel has few results and a long k, which is parted as that of products
// is. Depthwise ones are no products: a thread takes each vector of results.
#pragma once

#include "tenon/codegen/gpu/product.h"
#include "tenon/codegen/gpu/skinny_product.h"
#include "tenon/codegen/gpu/tile_product.h"

#include <variant>

namespace tenon::codegen {

// A part of a convolution: one of few features, or of few windows, is a product of few columns or rows.
struct ConvolutionProduct {
  std::variant<ProductPlan, SkinnyProductPlan, TileProductPlan> plan;

  FormPhases phases() const;
  int64_t tempBytes() const;
};

struct GpuConvolutionPlan {
  llvm::SmallVector<ConvolutionProduct, 1> parts; // of the convolution's
  int64_t paddingTasks = 0;                       // none: the input is read as it is
  int64_t depthwiseTasks = 0;                     // none: it is not depthwise

  FormPhases phases() const;
  // The padded input, and behind it the sums of parts of k.
  int64_t tempBytes(const ConvolutionPlan &plan) const;
  void print(llvm::raw_ostream &os) const;
};

// None for sums of nothing. Of the padding, each thread takes one vector.
std::optional<GpuConvolutionPlan> planGpuConvolution(const ConvolutionPlan &plan, const CostModel::Blocks &costs,
                                                     const GpuChip &chip);

// The phases' functions have the names that they have in the plan.
llvm::LogicalResult emitGpuConvolution(const GpuConvolutionPlan &convolution, const ConvolutionPlan &plan,
                                       llvm::Module &module, const EmissionTarget &target, GpuBuilder &gpu);

} // namespace tenon::codegen
