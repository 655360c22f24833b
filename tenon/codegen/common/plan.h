// The plan of a loop kernel: what is iterated over, in which order, what is vectorised and what is given to workers.
// Made from the region alone, printed and tested without generating code.
//
// Three shapes of kernel:
//   map     every result element is computed on its own; one loop nest over the results' common element count
//   rows    reductions over the same dimensions, each "row" of a kept index computed in stages: loops over the row that
//           feed reductions, then loops that write what depends on them (softmax, layer norm); vectors run along the
//           row
//   columns the same, but vectors run along a kept dimension and every lane reduces on its own
#pragma once

#include "tenon/codegen/common/plan_region.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>

namespace tenon::codegen {

// What the plan needs to know of a target.
struct PlanTarget {
  int vectorBytes = 16;
  bool masks = false; // masked loads and stores cost no more than plain ones
  int64_t l1Bytes = 32 << 10;
};

// One place that a region reads an array from, or writes one to.
struct PlanAccess {
  mlir::Value value;
  IndexVector index;
  mlir::AffineExpr position; // row-major
  bool isOutput = false;
};

// What a walk over the region finds: everything that depends on the iteration space.
struct RegionUse {
  llvm::SmallVector<PlanAccess> accesses;
  llvm::SmallVector<Condition> conditions;
  llvm::SmallVector<mlir::AffineExpr> indices; // iotas, conditions, gathered positions
  int64_t evaluations = 0;                     // ops, once for each index they are computed at
  double nanoseconds = 0;                      // for one element, without memory traffic
  int widestBytes = 1;                         // of the element types that vectors hold
  bool arithmetic = false;
};

struct PlanDim {
  int64_t extent;
  bool reduced = false;
};

struct OutputPlan {
  mlir::Value value;      // what is stored: the output, or the update of an in-place update
  IndexVector index;      // of `value`, over the plan's dimensions
  mlir::AffineExpr store; // position in the result's buffer
  int inPlaceOperand = -1;
};

struct LoopPlan {
  llvm::SmallVector<PlanDim> dims; // outermost first; kept dimensions, then reduced ones
  unsigned keptDims = 0;
  int vectorDim = -1; // -1: scalar code
  unsigned lanes = 1;
  // Tasks: every combination of the dimensions before taskDim, times the chunks of taskDim.
  unsigned taskDim = 0;
  int64_t taskChunk = 1;
  int64_t tasks = 1;
  // Positions where a dimension is cut into parts that have code of their own (inside of padding, concatenated pieces).
  llvm::SmallVector<llvm::SmallVector<int64_t>> cuts;
  llvm::SmallVector<OutputPlan> outputs;
  RegionUse use;
  double nanoseconds = 0;

  std::unique_ptr<IndexSpace> space;
  std::unique_ptr<RegionIndexer> indexer;

  int64_t keptElements() const;
  int64_t elements() const;
  void print(llvm::raw_ostream &os) const;
};

// Rough time of one element of an elementwise op, in ns of one core.
double elementwiseNanoseconds(mlir::Operation *op);

// Walks what computing the values at the indices takes.
RegionUse collectUse(llvm::ArrayRef<std::pair<mlir::Value, IndexVector>> values, const KernelSource &source,
                     RegionIndexer &indexer);

// Dimension of extent n > 1 for each factor that reshapes inside the region would like to see, with the trivial
// dimensions left out, and then as few of them as addresses allow: a plain elementwise chain becomes one dimension.
// `groups` are shapes that must stay apart (kept and reduced dimensions); `uses` walks the region at indices into the
// concatenated shapes.
using UseWalker = llvm::function_ref<RegionUse(RegionIndexer &indexer, llvm::ArrayRef<IndexVector> groups)>;
struct IterationSpace {
  std::unique_ptr<IndexSpace> space;
  std::unique_ptr<RegionIndexer> indexer;
  llvm::SmallVector<llvm::SmallVector<int64_t>> extents; // of each group
  llvm::SmallVector<IndexVector> indices;                // into each group's shape
  RegionUse use;
};
IterationSpace findIterationSpace(mlir::MLIRContext *context, llvm::ArrayRef<llvm::SmallVector<int64_t>> groups,
                                  UseWalker walk);

// Plan of a kernel whose results have one element count and need no reduction of their own.
LoopPlan planMap(const KernelSource &source, const PlanTarget &target);

// Chooses taskDim, taskChunk and tasks among the first `dims` dimensions, so that a task takes about 20 us.
void planTasks(LoopPlan &plan, unsigned dims, int64_t granularity, double totalNanoseconds);

} // namespace tenon::codegen
