#include "tenon/codegen/gpu/convolution.h"

#include "tenon/codegen/gpu/target.h"
#include "tenon/codegen/kernel/conv/depthwise_vectors.h"
#include "tenon/codegen/kernel/conv/padding_vectors.h"

namespace tenon::codegen {

std::optional<GpuConvolutionPlan> planGpuConvolution(const ConvolutionPlan &plan, const CostModel::Blocks &costs,
                                                     const GpuChip &chip) {
  if (plan.isEmpty)
    return std::nullopt;
  GpuConvolutionPlan convolution;
  if (plan.depthwise)
    convolution.depthwiseTasks = matmul::depthwiseVectors(*plan.depthwise, plan.spec);
  for (const ConvolutionPlan::Part &part : plan.parts) {
    std::optional<ProductPlan> product = planProduct(part.contraction, /*mayHaveMaps=*/false, costs, chip);
    if (!product)
      return std::nullopt;
    convolution.parts.push_back(*product);
  }
  if (plan.padding)
    convolution.paddingTasks = matmul::paddingVectors(*plan.padding, plan.target);
  return convolution;
}

int64_t GpuConvolutionPlan::tempBytes(const ConvolutionPlan &plan) const {
  int64_t bytes = plan.padding ? plan.input.elements * storageBytes(plan.spec.lhs) : 0;
  for (const ProductPlan &part : parts)
    if (part.tempBytes > 0)
      bytes = std::max(bytes, plan.buffers.tempBytes + part.tempBytes);
  return bytes;
}

FormPhases GpuConvolutionPlan::phases() const {
  FormPhases phases;
  if (depthwiseTasks > 0)
    phases.push_back({depthwiseTasks, kTaskBlock, 0, /*isByThreads=*/true});
  if (paddingTasks > 0)
    phases.push_back({paddingTasks, kTaskBlock, 0, /*isByThreads=*/true});
  for (const ProductPlan &part : parts)
    llvm::append_range(phases, part.phases());
  return phases;
}

void GpuConvolutionPlan::print(llvm::raw_ostream &os) const {
  if (depthwiseTasks > 0)
    os << depthwiseTasks << " vectors of results by threads\n";
  for (const ProductPlan &part : parts)
    part.print(os);
}

llvm::LogicalResult emitGpuConvolution(const GpuConvolutionPlan &convolution, const ConvolutionPlan &plan,
                                       llvm::Module &module, const EmissionTarget &target, GpuBuilder &gpu) {
  matmul::Epilogue epilogue = epilogueOf(plan.epilogue, target);
  if (plan.depthwise)
    matmul::emitDepthwiseVectors(*plan.depthwise, plan.spec, module, plan.kernel.phases.front().symbol, epilogue);
  if (plan.padding)
    matmul::emitPaddingVectors(*plan.padding, module, plan.kernel.phases.front().symbol, plan.target, 0,
                               plan.buffers.lhs);
  for (auto [product, part] : llvm::zip(convolution.parts, plan.parts))
    emitProduct(product, part.contraction, matmul::mapIndices(plan.spec, part.part, epilogue), module, gpu);
  return llvm::success();
}

} // namespace tenon::codegen
