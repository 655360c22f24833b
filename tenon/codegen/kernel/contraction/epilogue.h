// What a dot or convolution fusion makes of its contraction's results before they are stored.
//
// The region is followed from the contraction to the fusion's results as index maps over the contraction's own
// dimensions: elementwise ops leave an index as it is, reshapes and transposes change it. Every result has to be stored
// in the same order of elements, as strides of the contraction's dimensions, which are divided where a reshape needs
// it. The elements themselves are computed by the evaluator of loop kernels (loop/evaluator.h), at the contraction's
// index.
#pragma once

#include "tenon/codegen/common/plan/loop_plan.h"
#include "tenon/codegen/kernel/matmul/matmul.h"
#include "tenon/codegen/llvm/kernel_target.h"
#include "tenon/ir/tenon.h"

#include <optional>

namespace tenon::codegen {

// One dimension of the contraction's result, or a part of one.
struct ContractionIndexDim {
  unsigned dim;   // of the result
  int64_t extent; // the parts of a dimension follow each other, outermost first
  int64_t stride; // of a step in the array that is stored, in elements
};

struct EpiloguePlan {
  KernelSource source;
  std::optional<RegionIndexer> indexer; // over `dims`
  llvm::SmallVector<ContractionIndexDim> dims;
  mlir::Operation *contraction = nullptr;
  IndexVector contractionIndex;
  llvm::SmallVector<IndexVector> outputs; // the index of each of the fusion's results
  RegionUse use;                          // without the contraction's own results
  bool isTrivial = false;                 // the sums are stored as they are, in any order or shape

  // Where the results are stored, and what is read for them, as positions over `dims`.
  void print(llvm::raw_ostream &os) const;
  // Whether lanes that follow each other in the stored array may pass from one index of `among` (numbers of `dims`) to
  // the next: everything that is read lies as the results do, or does not depend on them.
  bool lanesMayWrap(llvm::ArrayRef<unsigned> among) const;
};

// The plan for a fusion of kind dot or convolution; none if there is no code for it. Dimensions of the contraction's
// result are only divided where `mayDivide`.
std::optional<EpiloguePlan> planEpilogue(ir::FusionOp fusion, mlir::Operation *contraction, bool mayDivide);

// The callback refers to the plan; it must not outlive it.
matmul::Epilogue makeEpilogue(const EpiloguePlan &plan, const EmissionTarget &target);

} // namespace tenon::codegen
