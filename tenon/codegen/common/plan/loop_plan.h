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

#include "tenon/codegen/common/region/region_indexer.h"
#include "tenon/support/cost_model.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>

namespace tenon::codegen {

// Lanes up to this far apart are loaded as whole vectors and shuffled into place.
constexpr int64_t kMaxShuffledStride = 8;
// Loops over reduced dimensions up to this long are unrolled where every lane has a row of its own.
constexpr int64_t kUnrolledRow = 8;
// So are windows of so many elements, all of 4 x 4: in a loop over its rows each load would read from another row every
// time, which processors do not fetch ahead.
constexpr int64_t kUnrolledWindow = 16;
// If several such dimensions have more points than this, the outer ones are loops, since LLVM takes seconds over
// hundreds of gathers.
constexpr int64_t kMaxUnrolledPoints = 32;
// Elements (of each lane) that are added up one after the other before their sum becomes a leaf of a balanced tree.
constexpr int64_t kSumBlock = 64;

// What the plan needs to know of a target.
struct PlanTarget {
  int vectorBytes = 16;
  bool masks = false; // masked loads and stores cost no more than plain ones
  CostModel costs;
};

// One place that a region reads an array from, or writes one to.
struct PlanAccess {
  mlir::Value value;
  IndexVector index;
  mlir::AffineExpr position; // row-major
  bool isOutput = false;
  bool conditional = false; // only read where some condition holds
  bool repeated = false;    // in each iteration of a loop inside of the kernel
};

// What a walk over the region finds: everything that depends on the iteration space.
struct RegionUse {
  llvm::SmallVector<PlanAccess> accesses;
  llvm::SmallVector<Condition> conditions;
  llvm::SmallVector<mlir::AffineExpr> indices; // iotas, conditions, gathered positions
  int64_t evaluations = 0;                     // ops, once for each index they are computed at
  double nanoseconds = 0;                      // for one element, without memory traffic
  double wideNanoseconds = 0;                  // of that, ops on 64 bits
  int widestBytes = 1;                         // of the element types that vectors hold
  bool longFunctions = false;                  // ops of ir::ElementCost::kSpecial but erf
  bool arithmetic = false;
  bool widensBytes = false; // has arithmetic that vectors of bytes have no instructions for
  unsigned iterated = 0;    // arrays that a loop inside of the kernel changes in each iteration
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
  bool isWrittenByLoop = false; // a loop inside of the kernel stores one element there in each of its iterations
};

// Vectors over the last two dimensions of a plan as if these were one (joined_lanes.cpp): a block of so many vectors
// takes so many indices of the outer one, and all of the inner one for each.
struct JoinedLanes {
  unsigned lanes = 1;
  int64_t vectors = 1, rows = 1;
  // Vectors run over the outer dimension instead, for each index of the inner one, and are interleaved before they are
  // stored: what differs by that index is computed once for each, not for all lanes of each vector.
  bool byColumns = false;
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
  bool chunksFirst = false; // all combinations for one chunk come before those for the next
  // Positions where a dimension is peeled: its parts have code of their own (inside of padding, concatenated pieces).
  llvm::SmallVector<llvm::SmallVector<int64_t>> peels;
  llvm::SmallVector<OutputPlan> outputs;
  RegionUse use;
  double nanoseconds = 0;
  // Not negative: some accesses are contiguous along this dimension instead of the vectorised one. The kernel then goes
  // over tiles of the two, and transposes those accesses (positions in use.accesses) tile by tile.
  int transposedDim = -1;
  llvm::SmallVector<unsigned, 2> transposed;
  int64_t tileSize = 0; // elements, in both directions
  // Where the vectorised dimension is shorter than a vector. `lanes` are those of what is left of the dimension before
  // it behind the last whole block.
  std::optional<JoinedLanes> joined;
  // A loop inside of the kernel does an iteration for all elements of a task before the next one, with carried arrays
  // in memory; otherwise all iterations for the elements of some vectors, with carried values in registers.
  bool iteratesOverRows = false;

  // Has the kernel's index space. Emitters add dimensions of their own to a copy.
  std::optional<RegionIndexer> indexer;

  const IndexSpace &space() const { return indexer->space(); }
  int64_t keptElements() const;
  int64_t elements() const;
  // Whether the loop over a reduced dimension is unrolled where vectors run across rows, and how often the code for an
  // element of a row is there for it.
  bool isUnrolled(unsigned dim) const;
  int64_t unrolledPoints() const;
  void print(llvm::raw_ostream &os) const;
};

// Whether `dim` enters the position in no other way than times a constant.
bool isLinearIn(const LoopPlan &plan, mlir::AffineExpr position, unsigned dim);
// Whether vectors along a dimension are put together from elements that do not lie side by side. In wide ones of narrow
// elements LLVM takes minutes over that.
bool isStrided(const LoopPlan &plan, int dim);

// The rows of a kernel with reductions: kept dimensions number them, reduced dimensions run along them.
struct RowSpace {
  llvm::SmallVector<int64_t> keptShape, reducedShape;
  IndexVector kept, reduced;     // into these shapes, over the plan's dimensions
  mlir::AffineExpr keptPosition; // row-major

  // Whether the op reduces such rows.
  bool isRow(mlir::Operation *op) const;
  // If the op does, and element `index` of its result is this row's own: the index, among the op's reduced dimensions,
  // of the row's current element.
  std::optional<IndexVector> reducedIndex(mlir::Operation *op, llvm::ArrayRef<mlir::AffineExpr> index,
                                          const IndexSpace &space) const;
  // The row's current element in the inputs of an op that reduces such rows.
  IndexVector inputIndex(mlir::Operation *reduce, const IndexSpace &space) const;
};

using IndexedValue = std::pair<mlir::Value, IndexVector>;

// Walks what computing the values at the indices takes. Reductions over the rows of `rows` are taken at its dimensions.
RegionUse collectUse(llvm::ArrayRef<IndexedValue> values, const KernelSource &source, RegionIndexer &indexer,
                     const CostModel &costs, const RowSpace *rows = nullptr);

// Dimension of extent n > 1 for each factor that reshapes inside the region would like to see, with the trivial
// dimensions left out, and then as few of them as addresses allow: a plain elementwise chain becomes one dimension.
// `groups` are shapes that must stay apart (kept and reduced dimensions); `uses` walks the region at indices into the
// concatenated shapes.
using UseWalker = llvm::function_ref<RegionUse(RegionIndexer &indexer, llvm::ArrayRef<IndexVector> groups)>;
// What a dimension, or several in a group, is divided into, outermost first.
using Factors = llvm::SmallVector<int64_t>;
// Divides one factor as a reshape would like it; to `requests`, the factors of all groups are dimensions, one after the
// other. Returns whether anything changed.
bool refine(llvm::MutableArrayRef<Factors> groups, llvm::ArrayRef<SplitRequest> requests);

struct IterationSpace {
  std::optional<RegionIndexer> indexer;
  llvm::SmallVector<Factors> extents;     // of each group
  llvm::SmallVector<IndexVector> indices; // into each group's shape
  RegionUse use;
};
IterationSpace findIterationSpace(mlir::MLIRContext *context, llvm::ArrayRef<llvm::SmallVector<int64_t>> groups,
                                  UseWalker walk);

// Plan of a kernel whose results have one element count and need no reduction of their own.
LoopPlan planMap(const KernelSource &source, const PlanTarget &target);

// What a reduction's body allows.
enum class FoldOrder : uint8_t {
  kFixed, // unknown: elements are combined from first to last
  kFree,  // associative and commutative without rounding
  kTree,  // associative and commutative but for rounding: a balanced tree has the smallest error
};
using FoldOrderOf = llvm::function_ref<FoldOrder(mlir::Operation *reduce)>;

// One pass over a row.
struct RowStage {
  llvm::SmallVector<mlir::Operation *, 2> reduces; // that it feeds
  llvm::SmallVector<unsigned, 2> outputs;          // row-shaped elements that it writes: positions in LoopPlan::outputs
  llvm::SmallVector<IndexedValue, 2> saved, loaded; // kept in scratch memory for later stages; taken from there
  llvm::SmallVector<IndexedValue, 2> rowValues;     // one for the row, of reductions of earlier stages, that it takes
  double nanoseconds = 0;                           // for one element
  llvm::SmallVector<PlanAccess, 1> fetched;         // whose elements of the next row it fetches into the caches
  unsigned lanes = 1;                               // where vectors run along the row: of several registers, perhaps
  bool wholeVectors = true;                         // along the row nothing is left after them
  bool leavesHalves = false;                        // what is left takes vectors of fewer and fewer lanes
  bool sumsInTrees = false;                         // long sums are made as balanced trees
  bool foldsInOrder = false;                        // lanes are added up one after the other, in the order of the row
  // How many indices of each reduced dimension make one leaf of a tree of sums, or 0: it is summed from end to end.
  llvm::SmallVector<int64_t, 2> blocks;
};

// A value that a stage leaves in scratch memory, for each element of the row (and each lane, across rows).
struct SavedValue {
  IndexedValue value;
  int64_t offset; // bytes
};

struct RowReductionPlan : LoopPlan {
  RowSpace rows;
  // Vectors run along the row (vectorDim is its innermost dimension) or along the innermost kept dimension.
  bool vectorAlongRow = true;
  // Whether vectors of several registers may be formed: no array's elements lie apart along the vectors.
  bool mayWiden = true;
  llvm::SmallVector<RowStage, 3> stages;
  llvm::SmallVector<unsigned, 2> rowOutputs; // one element a row, written after the stages: positions in outputs
  // Not zero: the outermost reduced dimension is reduced in parts of this size, by tasks of their own, and a second
  // phase combines them.
  int64_t splitSize = 0;
  llvm::SmallVector<SavedValue> saved; // those that fit; others are computed again
  int64_t scratchBytes = 0;            // that they take, for each worker
  // Not zero: each stage goes over so many rows before the next one does, and what is computed once for a row is
  // computed in vectors of so many lanes across them (codegen/llvm/loop/row_groups.h).
  int64_t groupedRows = 0;
  unsigned groupLanes = 1;
  // Not zero: the rows of a task, which vectors run across, advance together by so many elements at a time, with
  // partial results in scratch memory (codegen/llvm/loop/row_stream.h).
  int64_t streamStep = 0;

  int64_t reducedElements() const { return elements() / std::max<int64_t>(keptElements(), 1); }
  // What one task takes of dimension `dim`, from its begin or from that of a part.
  int64_t extentOf(unsigned dim) const { return splitSize > 0 && dim == keptDims ? splitSize : dims[dim].extent; }
  void print(llvm::raw_ostream &os) const;
};

// Plan of a kernel around reductions: nothing if the region is not of that form (or is better computed by planMap).
std::optional<RowReductionPlan> planRowReduction(const KernelSource &source, const PlanTarget &target,
                                                 FoldOrderOf orderOf);

// Has short rows computed in groups.
void groupRows(RowReductionPlan &plan, const PlanTarget &target);

// Has rows advance together where each alone would read a large array in pieces that lie apart.
void streamRows(RowReductionPlan &plan, const CostModel &costs);

// Has the second pass over each row fetch the next one from memory, which would be idle until the first pass comes to
// it.
void fetchNextRows(RowReductionPlan &plan, const CostModel &costs);

// Values to compute in kernel functions of their own, before the rest, in order: those that the rest would compute at
// too many different indices (each is code), and those of ops for which `alone` holds.
llvm::SmallVector<mlir::Value> chooseMaterialized(const KernelSource &source,
                                                  llvm::function_ref<bool(mlir::Operation *)> alone);

// Whether an index of the plan depends on the dimension.
bool variesAlong(llvm::ArrayRef<mlir::AffineExpr> index, unsigned dim);

// Has tasks that read a large array at a stride, and others at the places between, go over it part by part.
void orderInterleavedReads(LoopPlan &plan, const CostModel &costs);

// Chooses taskDim, taskChunk and tasks among the first `dims` dimensions, so that a task takes about 20 us.
void planTasks(LoopPlan &plan, unsigned dims, int64_t granularity, double totalNanoseconds, const CostModel &costs);

} // namespace tenon::codegen
