#include "tenon/codegen/gpu/loop_products.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

// What a block's tile takes on an H100, roughly: until its operands are there and its sums added up, in nanoseconds;
// its multiply-adds, and the bytes of the wide operand, in one. With these, loops with products of 16x128 and 64x128 by
// 128x128 took the way that measured least of six, within a hundredth.
constexpr double kTile = 1000, kProducts = 100, kBytes = 25;
constexpr int64_t kSumAlignment = 16;

} // namespace

int64_t BlockProducts::sharedBytes() const {
  int64_t most = 0;
  for (const auto &[part, product] : plans)
    most = std::max(most, product.sharedBytes());
  return int64_t(alignTo(uint64_t(most), uint64_t(kSumAlignment)));
}

std::optional<SkinnyProductPlan> planBlockProduct(const KernelPart &part, int64_t blocks,
                                                  const CostModel::Blocks &costs) {
  const auto *dot = std::get_if<DotPlan>(&part.schedule);
  if (!dot)
    return std::nullopt;
  CostModel::Blocks ofTeam = costs;
  ofTeam.multiprocessors = blocks;
  std::optional<SkinnyProductPlan> product = planSkinnyProduct(*dot, /*mayHaveParts=*/false, ofTeam);
  return product && product->threads == kLoopThreads ? product : std::nullopt;
}

double nanosecondsOf(const SkinnyProductPlan &product, const KernelPart &part, int64_t blocks) {
  const matmul::Problem &p = std::get<DotPlan>(part.schedule).problem;
  double steps = double(product.columns()) * double(p.k);
  double bytes = steps * storageBytes(product.isLhsFew ? p.spec.rhs : p.spec.lhs);
  double tile = kTile + std::max(steps * double(product.few) / kProducts, bytes / kBytes);
  return tile * double(divideCeil(uint64_t(product.tasks), uint64_t(blocks)));
}

// What tiles by threads take the slowest of them. Of what is in a block's own memory bytes take no time.
static double nanosecondsOf(const TileProductPlan &tiles, const LoopTeam &team, const CostModel::Blocks &costs) {
  double rounds = double(divideCeil(uint64_t(tiles.tasks), uint64_t(team.most())));
  double bytes = team.hasSharedMemory() ? 0 : tiles.bytes * costs.loopByte;
  return rounds * (tiles.products / costs.threadProducts + bytes) / double(tiles.tasks);
}

std::optional<SkinnyProductPlan> fastestBlockProduct(const LoopStepPlan &step, size_t part, const LoopTeam &team,
                                                     const CostModel::Blocks &costs) {
  const std::optional<TileProductPlan> &tiles = step.tiles[part];
  if (team.threads != kLoopThreads || step.nanoseconds < costs.sharedLoopStep)
    return std::nullopt;
  const KernelPart &planned = step.plan.parts[part];
  std::optional<SkinnyProductPlan> product = planBlockProduct(planned, team.blocks, costs);
  bool isSlower =
      product && tiles && nanosecondsOf(*tiles, team, costs) <= nanosecondsOf(*product, planned, team.blocks);
  return isSlower ? std::nullopt : product;
}

BlockProducts blockProductsOf(const LoopKernel &kernel, const CostModel::Blocks &costs) {
  BlockProducts products;
  for (const auto &[number, step] : kernel.plans)
    for (size_t part = 0; part < step->plan.parts.size(); ++part)
      if (std::optional<SkinnyProductPlan> product = fastestBlockProduct(*step, part, kernel.team, costs))
        products.plans[&step->plan.parts[part]] = *product;
  return products;
}

} // namespace tenon::codegen
