// Kernels around reductions: see RowsPlan.
#pragma once

#include "tenon/codegen/cpu/loop_kernel.h"
#include "tenon/codegen/cpu/loop_reduction.h"

namespace tenon::codegen {

// The reductions of one stage with their accumulators, as loops carry them.
class StageAccumulators {
public:
  StageAccumulators(LoopEvaluator &evaluator, llvm::ArrayRef<mlir::Operation *> reduces);

  bool empty() const { return reduces_.empty(); }
  // Neutral values (`fromInit`: the reductions' initial values) in `lanes` lanes.
  LLVMValues start(unsigned lanes, bool fromInit);
  // Combines with the elements at this point of the row; lanes that are masked off keep their accumulators.
  LLVMValues step(llvm::ArrayRef<llvm::Value *> carried, llvm::ArrayRef<IndexVector> inputIndices);
  // Two sets of accumulators of equal form.
  LLVMValues merge(llvm::ArrayRef<llvm::Value *> a, llvm::ArrayRef<llvm::Value *> b);
  // All lanes in one, by a fixed tree.
  LLVMValues fold(llvm::ArrayRef<llvm::Value *> vector, unsigned lanes);
  // Whether long reductions should be done as trees, and may be.
  bool gainFromTree() const;
  // Final results, in the reductions' own types, in order of the reductions.
  Elements finish(llvm::ArrayRef<llvm::Value *> carried);

  llvm::ArrayRef<mlir::Operation *> reduces() const { return reduces_; }
  llvm::ArrayRef<mlir::Type> types() const { return types_; }

private:
  // `inOrder`: the elements of `b` come after those of `a` in each lane.
  Elements combine(unsigned reduce, llvm::ArrayRef<Element> a, llvm::ArrayRef<Element> b, bool inOrder);

  LoopEvaluator &evaluator_;
  llvm::SmallVector<mlir::Operation *, 2> reduces_;
  llvm::SmallVector<ReductionBody, 2> bodies_;
  llvm::SmallVector<mlir::Type, 4> types_; // of all accumulators
};

// Whether the bodies of some reductions in the kernel must be applied in order.
bool needsOrderedReduction(const KernelSource &source);

llvm::FailureOr<Kernel> emitRowsKernel(const KernelSource &source, RowsPlan &plan, llvm::Module &module,
                                       llvm::StringRef symbol, const CpuTarget &target);
// For plans with a partSize: partial results into temporary memory, then their combination.
llvm::FailureOr<Kernel> emitPartedReduction(const KernelSource &source, RowsPlan &plan, llvm::Module &module,
                                            llvm::StringRef symbol, const CpuTarget &target);

// Emits the passes over one row (or one vector of rows) at the evaluator's position, with the kept dimensions bound.
class RowEmitter {
public:
  RowEmitter(LoopEvaluator &evaluator, RowsPlan &plan, llvm::Value *scratch);

  void emitRow();
  // The reductions of a stage over [begin, end) of the outermost reduced dimension (null: all of it): accumulators
  // without the initial values, folded to one lane when vectors run along the row.
  LLVMValues reduceRange(const RowStage &stage, StageAccumulators &accumulators, llvm::Value *begin, llvm::Value *end);
  void writeRowOutputs();
  void bindResults(const StageAccumulators &accumulators, llvm::ArrayRef<Element> results);
  llvm::SmallVector<IndexVector> inputIndices(mlir::Operation *reduce);
  int64_t scratchBytes() const { return scratchBytes_; }

private:
  struct Saved {
    IndexedValue value;
    int64_t offset;
  };
  void planScratch();
  void runStage(const RowStage &stage);
  LLVMValues overReduced(const RowStage &stage, StageAccumulators &accumulators, unsigned dim, llvm::Value *begin,
                         llvm::Value *end, LLVMValues carried);
  LLVMValues overRange(const RowStage &stage, StageAccumulators &accumulators, unsigned dim, llvm::Value *begin,
                       llvm::Value *end, LLVMValues carried);
  int64_t steps(const RowStage &stage, unsigned dim) const;
  int64_t blockSize(const RowStage &stage, const StageAccumulators &accumulators, unsigned dim) const;
  LLVMValues inTree(const RowStage &stage, StageAccumulators &accumulators, unsigned dim, int64_t block,
                    llvm::Value *begin, llvm::Value *end, const LLVMValues &carried);
  bool hasScalarRemainder(const RowStage &stage) const;
  LLVMValues neutral(const RowStage &stage, StageAccumulators &accumulators) const;
  LLVMValues alongRow(const RowStage &stage, StageAccumulators &accumulators, llvm::Value *begin, llvm::Value *end,
                      const LLVMValues &carried);
  LLVMValues point(const RowStage &stage, StageAccumulators &accumulators, llvm::ArrayRef<llvm::Value *> carried);
  unsigned stageLanes(const RowStage &stage) const;
  const Saved *findSaved(const IndexedValue &value) const;
  llvm::Value *savedAddress(const Saved &saved);

  LoopEvaluator &evaluator_;
  RowsPlan &plan_;
  llvm::Value *scratch_;
  llvm::SmallVector<Saved> saved_;
  int64_t scratchBytes_ = 0;
};

} // namespace tenon::codegen
