#include "tenon/codegen/gpu/convolution.h"

#include "tenon/codegen/gpu/target.h"
#include "tenon/codegen/kernel/conv/depthwise_vectors.h"
#include "tenon/codegen/kernel/conv/padding_vectors.h"

namespace tenon::codegen {

FormPhases ConvolutionProduct::phases() const {
  return std::visit([](const auto &product) { return product.phases(); }, plan);
}

int64_t ConvolutionProduct::tempBytes() const {
  if (const auto *skinny = std::get_if<SkinnyProductPlan>(&plan))
    return skinny->tempBytes;
  const auto *product = std::get_if<ProductPlan>(&plan);
  return product ? product->tempBytes : 0;
}

static std::optional<ConvolutionProduct> planPart(const matmul::ContractionPlan &part, const CostModel::Blocks &costs,
                                                  const GpuChip &chip) {
  if (std::optional<ProductPlan> product = planProduct(part, /*mayHaveMaps=*/false, costs, chip))
    return ConvolutionProduct{*std::move(product)};
  if (std::optional<SkinnyProductPlan> skinny = planSkinnyProduct(part, /*mayHaveParts=*/true, costs))
    return ConvolutionProduct{*skinny};
  if (std::optional<TileProductPlan> tiles = planTileProduct(part, costs.multiprocessors * kTaskBlock))
    return ConvolutionProduct{*tiles};
  return std::nullopt;
}

static void emitPart(const ConvolutionProduct &part, const matmul::ContractionPlan &plan,
                     const matmul::Epilogue &epilogue, llvm::Module &module, GpuBuilder &gpu) {
  if (const auto *product = std::get_if<ProductPlan>(&part.plan))
    emitProduct(*product, plan, epilogue, module, gpu);
  else if (const auto *skinny = std::get_if<SkinnyProductPlan>(&part.plan))
    emitSkinnyProduct(*skinny, plan, epilogue, /*sharedBegin=*/0, module, gpu);
  else
    emitTileProduct(std::get<TileProductPlan>(part.plan), plan, epilogue, module);
}

std::optional<GpuConvolutionPlan> planGpuConvolution(const ConvolutionPlan &plan, const CostModel::Blocks &costs,
                                                     const GpuChip &chip) {
  if (plan.isEmpty)
    return std::nullopt;
  GpuConvolutionPlan convolution;
  if (plan.depthwise)
    convolution.depthwiseTasks = matmul::depthwiseVectors(*plan.depthwise, plan.spec);
  for (const ConvolutionPlan::Part &part : plan.parts) {
    std::optional<ConvolutionProduct> product = planPart(part.contraction, costs, chip);
    if (!product)
      return std::nullopt;
    convolution.parts.push_back(*std::move(product));
  }
  if (plan.padding)
    convolution.paddingTasks = matmul::paddingVectors(*plan.padding, plan.target);
  return convolution;
}

int64_t GpuConvolutionPlan::tempBytes(const ConvolutionPlan &plan) const {
  int64_t bytes = plan.padding ? plan.input.elements * storageBytes(plan.spec.lhs) : 0;
  for (const ConvolutionProduct &part : parts)
    if (part.tempBytes() > 0)
      bytes = std::max(bytes, plan.buffers.tempBytes + part.tempBytes());
  return bytes;
}

FormPhases GpuConvolutionPlan::phases() const {
  FormPhases phases;
  if (depthwiseTasks > 0)
    phases.push_back({depthwiseTasks, kTaskBlock, 0, /*isByThreads=*/true});
  if (paddingTasks > 0)
    phases.push_back({paddingTasks, kTaskBlock, 0, /*isByThreads=*/true});
  for (const ConvolutionProduct &part : parts)
    llvm::append_range(phases, part.phases());
  return phases;
}

void GpuConvolutionPlan::print(llvm::raw_ostream &os) const {
  if (depthwiseTasks > 0)
    os << depthwiseTasks << " vectors of results by threads\n";
  for (const ConvolutionProduct &part : parts)
    std::visit([&](const auto &product) { product.print(os); }, part.plan);
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
    emitPart(product, part.contraction, matmul::mapIndices(plan.spec, part.part, epilogue), module, gpu);
  return llvm::success();
}

} // namespace tenon::codegen
