#include "tenon/codegen/gpu/convolution.h"

#include "tenon/codegen/gpu/target.h"

namespace tenon::codegen {

std::optional<GpuConvolutionPlan> planGpuConvolution(ConvolutionPlan &plan) {
  if (plan.isEmpty || plan.depthwise)
    return std::nullopt;
  GpuConvolutionPlan convolution;
  for (const ConvolutionPlan::Part &part : plan.parts) {
    std::optional<ProductPlan> product = planProduct(part.contraction);
    if (!product)
      return std::nullopt;
    convolution.parts.push_back(*product);
  }
  if (plan.padding) {
    plan.padding->rowsPerTask = 1;
    convolution.paddingTasks = plan.padding->tasks();
  }
  return convolution;
}

FormPhases GpuConvolutionPlan::phases() const {
  FormPhases phases;
  if (paddingTasks > 0)
    phases.push_back({paddingTasks, kTaskBlock, 0, /*isByThreads=*/true});
  for (const ProductPlan &part : parts)
    llvm::append_range(phases, part.phases());
  return phases;
}

void GpuConvolutionPlan::print(llvm::raw_ostream &os) const {
  for (const ProductPlan &part : parts)
    part.print(os);
}

llvm::LogicalResult emitGpuConvolution(const GpuConvolutionPlan &convolution, const ConvolutionPlan &plan,
                                       llvm::Module &module, const EmissionTarget &target, GpuBuilder &gpu) {
  if (plan.padding)
    matmul::emitPadding(*plan.padding, module, plan.kernel.phases.front().symbol, plan.target, 0, plan.buffers.lhs);
  matmul::Epilogue epilogue = epilogueOf(plan.epilogue, target);
  for (auto [product, part] : llvm::zip(convolution.parts, plan.parts))
    emitProduct(product, part.contraction, matmul::mapIndices(plan.spec, part.part, epilogue), module, gpu);
  return llvm::success();
}

} // namespace tenon::codegen
