// Kernels around reductions: see RowReductionPlan.
#pragma once

#include "tenon/codegen/llvm/loop/map.h"
#include "tenon/codegen/llvm/loop/reduction.h"

namespace tenon::codegen::loop {

// The reductions of one stage with their accumulators, as loops carry them.
class StageAccumulators {
public:
  // `asKeys`: extrema of floats are carried as one key of 32 bits instead of three extrema of their own bits.
  StageAccumulators(LoopEvaluator &evaluator, llvm::ArrayRef<mlir::Operation *> reduces, bool asKeys = false);

  bool empty() const { return reduces_.empty(); }
  // The number of values of `start`.
  size_t count() const;
  // Neutral values (`fromInit`: the reductions' initial values) in `lanes` lanes.
  LLVMValues start(unsigned lanes, bool fromInit);
  // Vectors of accumulators as a loop carries them best, and back. An extremum of floats may be carried as three of
  // their bits, or as a key, a boolean as a byte.
  LLVMValues spread(llvm::ArrayRef<llvm::Value *> values) const;
  LLVMValues settle(llvm::ArrayRef<llvm::Value *> carried) const;
  // Extrema of fewer bits than 32 as floats again, of which there is one value instead of three.
  LLVMValues settleNarrow(llvm::ArrayRef<llvm::Value *> carried) const;
  // How many values of so many lanes a loop carries.
  size_t carriedCount(unsigned lanes) const;
  // Combines with the elements at this point of the row; lanes that are masked off keep their accumulators. In the form
  // of `carried`, spread or not.
  LLVMValues step(llvm::ArrayRef<llvm::Value *> carried, llvm::ArrayRef<IndexVector> inputIndices);
  // Two sets of accumulators of equal form. `inOrder`: the elements of `b` come after those of `a`.
  LLVMValues merge(llvm::ArrayRef<llvm::Value *> a, llvm::ArrayRef<llvm::Value *> b, bool inOrder = false);
  // Vectors with those of fewer lanes in their first lanes and neutral values in the others.
  LLVMValues widen(llvm::ArrayRef<llvm::Value *> values, unsigned lanes, unsigned to);
  // All lanes in `to`, by a fixed tree. Of what is in one lane, what was spread is settled.
  LLVMValues fold(llvm::ArrayRef<llvm::Value *> vector, unsigned lanes, unsigned to = 1);
  // A step of the same tree for the rows of two vectors, each of which has several rows of so many lanes: one vector of
  // all of them in half as many. Rows of more than `block` lanes follow one another, those of `a` first; others do so
  // within each block.
  LLVMValues foldRows(llvm::ArrayRef<llvm::Value *> a, llvm::ArrayRef<llvm::Value *> b, unsigned lanes, unsigned block);
  // Final results, in the reductions' own types, in order of the reductions.
  Elements finish(llvm::ArrayRef<llvm::Value *> carried);

  llvm::ArrayRef<mlir::Operation *> reduces() const { return reduces_; }
  llvm::ArrayRef<mlir::Type> types() const { return types_; }

private:
  // Whether all there is is one extremum of floats.
  bool isExtremum() const;
  // The type of floats whose bits are carried then.
  mlir::Type bitsOf() const;
  // How floats of that type are carried.
  LLVMValues carriedBits(llvm::Value *floats) const;
  // Whether all there is is one boolean.
  bool isBoolean() const;
  llvm::Value *mergeBooleans(llvm::Value *x, llvm::Value *y);
  // Whether vectors of so many lanes are carried in another form.
  bool spreads(unsigned lanes) const;
  bool isSpread(llvm::ArrayRef<llvm::Value *> carried) const;
  LLVMValues stepOfBits(llvm::ArrayRef<llvm::Value *> carried, const IndexVector &inputIndex);
  // `inOrder`: the elements of `b` come after those of `a` in each lane.
  Elements combine(unsigned reduce, llvm::ArrayRef<Element> a, llvm::ArrayRef<Element> b, bool inOrder);

  LoopEvaluator &evaluator_;
  llvm::SmallVector<mlir::Operation *, 2> reduces_;
  llvm::SmallVector<ReductionBody, 2> bodies_;
  llvm::SmallVector<mlir::Type, 4> types_; // of all accumulators
  bool asKeys_;
};

FoldOrder foldOrder(mlir::Operation *reduce);

// A kernel whose tasks reduce whole rows.
struct RowKernelPlan : RowReductionPlan {
  Kernel kernel;
  // With `streamStep`: where in scratch memory each accumulator's partial results are and, where rows are summed in
  // blocks, behind these those of a block.
  llvm::SmallVector<int64_t, 2> partialOffsets; // bytes
};
RowKernelPlan planRowKernel(const KernelSource &source, RowReductionPlan rows, llvm::StringRef symbol);
llvm::LogicalResult emitRowKernel(const RowKernelPlan &plan, const KernelSource &source, llvm::Module &module,
                                  const EmissionTarget &target);

// Accumulators of so many lanes.
struct LaneSet {
  unsigned lanes = 1;
  LLVMValues values;
};
using LaneSets = llvm::SmallVector<LaneSet, 6>;

// Emits the passes over one row (or one vector of rows) at the evaluator's position, with the kept dimensions bound.
class RowEmitter {
public:
  RowEmitter(LoopEvaluator &evaluator, const RowReductionPlan &plan, llvm::Value *scratch)
      : evaluator_(evaluator), plan_(plan), scratch_(scratch) {}

  void emitRow();
  // The reductions of a stage over [begin, end) of the outermost reduced dimension (null: all of it): accumulators
  // without the initial values, folded to one lane when vectors run along the row.
  LLVMValues reduceRange(const RowStage &stage, StageAccumulators &accumulators, llvm::Value *begin, llvm::Value *end);
  // The reductions of a stage over the row, which vectors run along: what these leave in at most so many lanes.
  LaneSet reduceLanes(const RowStage &stage, StageAccumulators &accumulators, unsigned most);
  void writeRowOutputs();
  void bindResults(const StageAccumulators &accumulators, llvm::ArrayRef<Element> results);
  void setScratch(llvm::Value *scratch) { scratch_ = scratch; }

private:
  void runStage(const RowStage &stage);
  // Whether each lane of a stage has one element of the row, and they are to be combined in their order.
  bool foldsInOrder(const RowStage &stage) const;
  // The reductions of such a stage, initial values first.
  LLVMValues reduceInOrder(const RowStage &stage, StageAccumulators &accumulators);
  LLVMValues overReduced(const RowStage &stage, StageAccumulators &accumulators, unsigned dim, llvm::Value *begin,
                         llvm::Value *end, LLVMValues carried);
  LLVMValues overRange(const RowStage &stage, StageAccumulators &accumulators, unsigned dim, llvm::Value *begin,
                       llvm::Value *end, LLVMValues carried);
  LLVMValues inTree(const RowStage &stage, StageAccumulators &accumulators, unsigned dim, int64_t block,
                    llvm::Value *begin, llvm::Value *end, const LLVMValues &carried);
  LLVMValues neutral(const RowStage &stage, StageAccumulators &accumulators) const;
  LLVMValues alongRow(const RowStage &stage, StageAccumulators &accumulators, llvm::Value *begin, llvm::Value *end,
                      const LLVMValues &carried);
  LLVMValues point(const RowStage &stage, StageAccumulators &accumulators, llvm::ArrayRef<llvm::Value *> carried);
  void fetchNextRow(const PlanAccess &access);
  // Whether along the row nothing is left after a stage's vectors. A routine is one of two: nothing is left in any
  // stage, or something may be in each.
  bool hasWholeVectors(const RowStage &stage) const;
  // The lanes of a stage's vectors and, where these run along the row and loads have no masks, of those that take what
  // they leave: half as many, half of that, and so on, as far as there is something for them. Each has accumulators of
  // its own.
  llvm::SmallVector<unsigned, 6> widths(const RowStage &stage) const;
  // The accumulators of each width.
  LaneSets byWidth(const RowStage &stage, const StageAccumulators &accumulators,
                   llvm::ArrayRef<llvm::Value *> carried) const;
  // Whether what is left behind whole vectors of a row comes after all that these have.
  bool leavesEnds() const { return plan_.dims.size() == plan_.keptDims + 1; }
  const SavedValue *findSaved(const IndexedValue &value) const;
  llvm::Value *savedAddress(const SavedValue &saved);

  LoopEvaluator &evaluator_;
  const RowReductionPlan &plan_;
  llvm::Value *scratch_;
};

} // namespace tenon::codegen::loop
