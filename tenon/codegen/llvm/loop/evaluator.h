// Emits the values of a fused region at given indices, inside loops that the caller lays out.
//
// The evaluator owns the position in the function (builder), a stack of levels (one for each open loop or branch) and,
// on each level, the values already there: a value is known by its SSA value and its index map, so what is used twice
// at the same index is computed once, and a value whose index does not depend on the inner loops is computed before
// them. Values are scalars where the index does not depend on the vectorised dimension, vectors of `lanes` elsewhere.
//
// Inside a branch (a pad's interior, say) values stay in the branch, since their loads may be out of bounds elsewhere;
// where the branch would differ between lanes the loads are masked instead.
#pragma once

#include "tenon/codegen/common/region/region_evaluator.h"
#include "tenon/codegen/llvm/computation.h"
#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/kernel_target.h"
#include "tenon/codegen/llvm/sizes.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

#include <deque>

namespace tenon::codegen::loop {

using LLVMValues = llvm::SmallVector<llvm::Value *, 4>;
using Elements = llvm::SmallVector<Element, 2>;

// base + lane * stride + vector[lane]; `vector` may be null. Null base is zero.
struct LaneIndex {
  llvm::Value *base = nullptr;
  int64_t stride = 0;
  llvm::Value *vector = nullptr;

  bool isUniform() const { return stride == 0 && !vector; }
};

class LoopEvaluator : RegionEvaluator<LoopEvaluator> {
public:
  // Starts from the plan's index space, and adds dimensions of its own. `table` is the kernel's table of buffers.
  LoopEvaluator(const KernelSource &source, RegionIndexer indexer, llvm::IRBuilderBase::InsertPoint at,
                llvm::Value *table, const EmissionTarget &target);
  // In a new block at the end of a kernel's function.
  LoopEvaluator(const KernelSource &source, RegionIndexer indexer, llvm::Function *function,
                const EmissionTarget &target);

  llvm::IRBuilder<> &builder() { return builder_; }
  IndexSpace &space() { return indexer_.space(); }
  RegionIndexer &indexer() { return indexer_; }
  const KernelSource &source() const { return source_; }
  const EmissionTarget &target() const { return target_; }
  bool failed() const { return failed_; }
  unsigned lanes() const { return lanes_; }
  void setLanes(unsigned lanes) { lanes_ = lanes; }
  llvm::Value *constant(int64_t value) { return builder_.getInt64(value); }

  // Has numbers that differ between kernels of one form come from there (codegen/llvm/sizes.h). Before anything is
  // evaluated; the evaluator stands in the entry block of the function that `sizes` is for.
  void readSizes(Sizes &sizes) { sizes_ = &sizes; }
  bool readsSizes() const { return sizes_; }
  // A number that is no part of the code where sizes are read.
  llvm::Value *size(int64_t value) { return sizes_ ? (*sizes_)(value) : constant(value); }

  // --- Buffers ---
  llvm::Value *outputPointer(unsigned number) const { return outputs_[number]; }
  llvm::Value *tempPointer() const { return temp_; }

  // --- Structure ---
  using LoopBody = llvm::function_ref<LLVMValues(llvm::Value *iv, llvm::ArrayRef<llvm::Value *> carried)>;
  // for (iv = begin; iv < end; iv += step). Returns the carried values after the last iteration.
  LLVMValues forLoop(llvm::Value *begin, llvm::Value *end, int64_t step, llvm::ArrayRef<llvm::Value *> init,
                     LoopBody body);
  void forLoop(llvm::Value *begin, llvm::Value *end, int64_t step, llvm::function_ref<void(llvm::Value *iv)> body);
  // Whether a loop goes on with the carried values, and these behind one more iteration.
  using GoesOn = llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *> carried)>;
  using Iterate = llvm::function_ref<LLVMValues(llvm::ArrayRef<llvm::Value *> carried)>;
  // while (goesOn(carried)) carried = iterate(carried). Both emit within withMask, as code for an iteration alone.
  LLVMValues whileLoop(llvm::ArrayRef<llvm::Value *> init, GoesOn goesOn, Iterate iterate);
  // Both sides return as many values, of the same types (a null `otherwise` means no values).
  LLVMValues ifElse(llvm::Value *condition, llvm::function_ref<LLVMValues()> then,
                    llvm::function_ref<LLVMValues()> otherwise);
  // Gives an iteration dimension its value in this loop. Lane i stands at iv + i * laneStride.
  void bindDim(unsigned dim, llvm::Value *iv, int64_t laneStride);
  // The same where lane i stands at iv + offsets[i].
  void bindDim(unsigned dim, llvm::Value *iv, llvm::ArrayRef<int64_t> offsets);
  // Gives an expression its value for what is evaluated on the current level from here on.
  void bindIndex(mlir::AffineExpr expr, const LaneIndex &value) { levels_.back().indices[expr] = value; }
  // Runs `body` with only the lanes of `mask` active (loads of the others are left out). Where the mask may not be
  // empty, what is equal for all lanes is computed outside of it.
  void withMask(llvm::Value *mask, llvm::function_ref<void()> body, bool mayBeEmpty = true);
  llvm::Value *mask() const { return levels_.back().mask; }

  // --- Indices ---
  LaneIndex index(mlir::AffineExpr expr);
  // One number a lane (a scalar if uniform).
  llvm::Value *indexValue(mlir::AffineExpr expr);
  llvm::Value *indexValue(const LaneIndex &index);
  bool variesOverLanes(mlir::AffineExpr expr);
  bool varyOverLanes(llvm::ArrayRef<mlir::AffineExpr> index);
  // Type of one lane of a vector of indices.
  llvm::Type *laneIndexType() { return narrowIndices_ ? builder_.getInt32Ty() : builder_.getInt64Ty(); }
  // A source's conditions as one scalar and one vector of booleans, each null when there is none. Where the scalar
  // holds, the source may be read under the vector as mask.
  std::pair<llvm::Value *, llvm::Value *> conditionValues(const Source &source);
  llvm::Value *uniformIndex(mlir::AffineExpr expr);

  // --- Values ---
  Element eval(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index);
  // As eval, but one element for each lane even when all are equal.
  Element evalVector(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index);
  Element toVector(Element element);
  // Makes `element` the value at this index on the current level.
  void bind(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index, Element element);
  // The value at this index, if it has been evaluated where the evaluator stands.
  std::optional<Element> known(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index);
  // Element at `position` (row-major) of an array.
  Element loadAt(mlir::Type type, llvm::Value *pointer, mlir::AffineExpr position);
  // Stores of whole aligned vectors from here on go past the caches: for results that no cache would hold.
  void setStreaming(bool streaming) { streaming_ = streaming; }
  void storeAt(mlir::Type type, llvm::Value *pointer, mlir::AffineExpr position, Element element);
  // The reduction's body on (accumulator, element) pairs, elements all scalar or all vector.
  Elements emitBody(mlir::Region &body, llvm::ArrayRef<Element> arguments);
  void fail(mlir::Operation *op, const llvm::Twine &message);

  // Pointer to an input or a non-splat constant.
  llvm::Value *arrayPointer(mlir::Value value);

  // Accumulators as plain LLVM values, for loops to carry, and back.
  static LLVMValues pack(llvm::ArrayRef<Element> elements);
  static Elements unpack(llvm::ArrayRef<llvm::Value *> values, llvm::ArrayRef<mlir::Type> types);

private:
  struct Level {
    llvm::Instruction *entry = nullptr; // the branch that leads into the level
    bool conditional = false;
    llvm::Value *mask = nullptr;
    llvm::DenseMap<mlir::AffineExpr, LaneIndex> indices;
    llvm::DenseMap<std::pair<mlir::Value, mlir::AffineMap>, Element> values;
  };
  struct DimBinding {
    llvm::Value *iv = nullptr;
    int64_t laneStride = 0;
    unsigned level = 0;
    llvm::Constant *offsets = nullptr; // of the lanes, where they are no stride apart
  };

  unsigned levelOf(mlir::AffineExpr expr);
  unsigned levelFor(llvm::ArrayRef<mlir::AffineExpr> index);
  Element computeAt(unsigned level, mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index);
  Element compute(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index);
  // What elements are computed from: see RegionEvaluator.
  friend RegionEvaluator;
  Element array(mlir::Value value, llvm::ArrayRef<mlir::AffineExpr> index);
  Element constant(mlir::DenseElementsAttr data);
  Element iota(mlir::Operation *op, mlir::AffineExpr expr);
  Element moved(mlir::Operation *op, llvm::ArrayRef<mlir::AffineExpr> index, llvm::ArrayRef<Source> sources);
  Element reduced(mlir::OpResult result, llvm::ArrayRef<mlir::AffineExpr> index);
  Element computed(mlir::OpResult result, llvm::ArrayRef<mlir::AffineExpr> index);
  // All iterations of a loop of elementwise ops: its results at the index, but for arrays that it has written then.
  Elements iterate(stablehlo::WhileOp loop, llvm::ArrayRef<mlir::AffineExpr> index);

  Element chooseSource(mlir::Operation *op, llvm::ArrayRef<Source> sources);
  struct Reduction;
  Elements reduceLoop(const Reduction &reduction, const IndexVector &reduced, Elements accumulators);
  Elements reduceStep(const Reduction &reduction, const IndexVector &reduced, const Elements &accumulators);
  Elements sumLoop(const Reduction &reduction, llvm::ArrayRef<int64_t> extents, llvm::ArrayRef<Element> accumulators,
                   llvm::function_ref<Elements(Elements)> inner);
  Element select(llvm::Value *condition, Element a, Element b);
  Element branch(llvm::Value *condition, mlir::Type type, llvm::function_ref<Element()> then,
                 llvm::function_ref<Element()> otherwise);

  LaneIndex atomIndex(mlir::AffineExpr atom);
  llvm::Value *coefficient(mlir::AffineExpr expr, unsigned number, int64_t value);
  LaneIndex symbolIndex(unsigned position);
  llvm::Value *divideLanes(llvm::Value *value, int64_t divisor, bool remainder, bool mayBeNegative);
  llvm::Value *laneNumbers(int64_t stride);
  llvm::Constant *laneOffsets(llvm::ArrayRef<int64_t> offsets);
  LaneIndex nearArray(mlir::AffineExpr position, int64_t elements);
  Element loadFrom(mlir::Type type, llvm::Value *pointer, mlir::AffineExpr position, int64_t elements);
  bool isMaskedByLane(mlir::Type type) const;
  Element loadAcrossEnd(mlir::Type type, llvm::Value *pointer, llvm::Value *position, int64_t elements);
  Element loadStrided(mlir::Type type, llvm::Value *pointer, const LaneIndex &index);
  void pushLevel(llvm::Instruction *entry, bool conditional, llvm::Value *mask);
  void popLevel();

  const KernelSource &source_;
  RegionIndexer indexer_;
  const EmissionTarget &target_;
  llvm::IRBuilder<> builder_;
  Sizes *sizes_ = nullptr;
  llvm::DenseMap<std::pair<mlir::AffineExpr, unsigned>, llvm::Value *> coefficients_; // that have been read
  llvm::SmallVector<llvm::Value *> inputs_, outputs_;
  llvm::Value *temp_ = nullptr;
  unsigned lanes_ = 1;
  bool narrowIndices_ = true;
  bool failed_ = false;
  bool streaming_ = false;
  std::deque<Level> levels_;
  llvm::SmallVector<DimBinding> dims_;
  llvm::DenseMap<mlir::Value, llvm::Value *> constants_; // those in memory
  Computations computations_;
};

} // namespace tenon::codegen::loop
