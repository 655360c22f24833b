// Products of few rows in small loops (loop_kernel.h): the blocks of a team share out the tiles that they have as
// kernels of their own (skinny_product.h), where that takes less time than tiles by threads (tile_product.h).
#pragma once

#include "tenon/codegen/gpu/loop_kernel.h"
#include "tenon/codegen/gpu/skinny_product.h"

namespace tenon::codegen {

// The products among the parts of a loop's steps.
struct BlockProducts {
  std::map<const KernelPart *, SkinnyProductPlan> plans;

  const SkinnyProductPlan *find(const KernelPart &part) const {
    auto found = plans.find(&part);
    return found == plans.end() ? nullptr : &found->second;
  }
  // What each block needs of it for sums, in front of which are the words of its team.
  int64_t sharedBytes() const;
};

// As so many blocks compute the part of a step, with all threads of a loop's; none where it is no such product.
std::optional<SkinnyProductPlan> planBlockProduct(const KernelPart &part, int64_t blocks,
                                                  const CostModel::Blocks &costs);
// What that takes them, in nanoseconds.
double nanosecondsOf(const SkinnyProductPlan &product, const KernelPart &part, int64_t blocks);
// Those that the kernel's team computes so.
BlockProducts blockProductsOf(const LoopKernel &kernel, const CostModel::Blocks &costs);
// The fastest one for one part of a step that a team shares out.
std::optional<SkinnyProductPlan> fastestBlockProduct(const LoopStepPlan &step, size_t part, const LoopTeam &team,
                                                     const CostModel::Blocks &costs);

} // namespace tenon::codegen
