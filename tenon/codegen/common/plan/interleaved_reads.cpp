// The order of tasks where arrays are read at a stride and at the places between.
//
// The channels of a large image that are written one behind the other would each read the whole image, and the next
// one find nothing of it in the caches. So all channels of one part of the image come before the next part.
#include "tenon/codegen/common/plan/loop_plan.h"

#include "tenon/ir/types.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tenon::codegen {

// The bytes from one element along the vectors to the next, if indices of the dimension before read between them, and
// the array is too large for caches; otherwise none. Narrow elements take longer to widen than to read.
static int64_t interleavedBytes(const LoopPlan &plan, const PlanAccess &access) {
  constexpr int64_t kLargeBytes = 1 << 20, kCacheLine = 64, kLeastElement = 4;
  auto type = llvm::cast<mlir::RankedTensorType>(access.value.getType());
  auto dim = unsigned(plan.vectorDim);
  if (access.isOutput || access.conditional || !isLinearIn(plan, access.position, dim) ||
      !isLinearIn(plan, access.position, dim - 1) || ir::storedBytes(type) < kLargeBytes)
    return 0;
  LinearForm form = IndexSpace::linearForm(access.position);
  auto stride = [&](unsigned d) { return std::abs(form.coefficient(plan.space().dim(d))); };
  bool isBetween = stride(dim - 1) > 0 && stride(dim - 1) < stride(dim);
  int64_t element = ir::storedBytes(type) / std::max<int64_t>(type.getNumElements(), 1);
  int64_t bytes = stride(dim) * element;
  return isBetween && element >= kLeastElement && bytes <= kCacheLine ? bytes : 0;
}

void orderInterleavedReads(LoopPlan &plan, const CostModel &costs) {
  constexpr int64_t kPartBytes = 120 << 10, kElements = 512;
  if (plan.vectorDim < 1 || int(plan.taskDim) != plan.vectorDim || plan.transposedDim >= 0 || plan.joined ||
      plan.iteratesOverRows || !costs.hasCores())
    return;
  int64_t bytes = 0;
  for (const PlanAccess &access : plan.use.accesses)
    bytes = std::max(bytes, interleavedBytes(plan, access));
  if (bytes == 0)
    return;
  int64_t extent = plan.dims[plan.taskDim].extent, outer = plan.tasks / llvm::divideCeil(extent, plan.taskChunk);
  plan.taskChunk = std::min<int64_t>(plan.taskChunk, std::max(kElements, kPartBytes / bytes / kElements * kElements));
  plan.tasks = outer * llvm::divideCeil(extent, plan.taskChunk);
  plan.chunksFirst = true;
}

} // namespace tenon::codegen
