// A contraction made ready for emission: roles possibly exchanged, dimensions joined, arithmetic chosen, and the output
// side (indices, epilogue, stores) that all kernels share.
#pragma once

#include "tenon/codegen/kernel/matmul/types.h"
#include "tenon/codegen/llvm/prefetch.h"

#include "llvm/Support/raw_ostream.h"

namespace tenon::codegen::matmul {

// Which entries of the buffer table the kernel works on.
struct ContractionBuffers {
  int lhs = 0, rhs = 1, out = 2;
  int64_t lhsBytes = 0, rhsBytes = 0; // where in the buffer the array starts
  std::optional<int> temp;            // the kernel's temporary block, where the contraction may have one,
  int64_t tempBytes = 0;              // and where in it that starts
};

struct Problem {
  ContractionSpec spec; // after swapping
  bool swapped = false;
  ContractionBuffers buffers;
  MatmulTarget target;
  Arithmetic arithmetic;
  bool hasEpilogue = false;
  const Epilogue *epilogue = nullptr; // where code is emitted, if there is one

  int64_t batch = 1, m = 1, n = 1, k = 1;
  StridedDims batchLhs, batchRhs, batchOut, mLhs, mOut, nRhs, nOut;
  // The k dimensions, joined where both operands allow; the last one is the inner run.
  struct KDim {
    int64_t size, lhsStride, rhsStride;
  };
  llvm::SmallVector<KDim, 3> kDims;

  // What decides the accumulator.
  mlir::Type sumType() const { return hasEpilogue && spec.sum ? spec.sum : spec.out; }
  const KDim &innerK() const { return kDims.back(); }
  // All of k is one run in the lhs, whatever it is in the rhs.
  bool lhsIsLinear() const;
  int64_t runLength() const { return kDims.back().size; }
  int64_t runs() const { return runLength() ? k / runLength() : 0; }
  // Where the runs of k start in one operand.
  llvm::SmallVector<int64_t> runOffsets(bool isLhs) const;
  // How many columns of the rhs lie side by side for each k, with the next k's behind them, in panels one behind the
  // other; 0 where it lies otherwise.
  int64_t rhsPanelColumns() const;
  unsigned components() const { return arithmetic.complex ? 2 : 1; }

  // How many consecutive n (from a multiple of it) may be one vector store; 0 when only scalars can be stored.
  int64_t laneRun() const;
  // Position among the epilogue's indices of the dimension lanes run along.
  int laneDim() const;
  // The accumulator is stored as it is.
  bool storesAccumulator() const;
};

// How a contraction is computed: everything that is decided before its code is emitted.
struct ContractionPlan {
  Kernel kernel;
  Problem problem;
  MatmulPlan schedule;
  double flops = 0;

  void print(llvm::raw_ostream &os) const { os << schedule.toString() << '\n'; }
};

// Fails when the types do not go together, or sizes are negative. `symbol`: of the kernel's function.
StatusOr<ContractionPlan> planContraction(const ContractionSpec &spec, const MatmulTarget &target,
                                          llvm::StringRef symbol, bool hasEpilogue = false);
// For callers that place operands themselves (convolutions).
StatusOr<ContractionPlan> planContractionOn(const ContractionSpec &spec, const MatmulTarget &target,
                                            llvm::StringRef symbol, bool hasEpilogue,
                                            const ContractionBuffers &buffers);

// Adds the plan's function (and internal ones beside it) to the module. With an epilogue (for plans that have one) each
// element of out is stored once, after everything the epilogue loads for it, so out may be the memory of an extra
// operand that is read at outOffset only; never that of lhs or rhs. Without an epilogue the accumulator is converted to
// `out` (one rounding; integers wrap; i1: or of ands). Any partition of the extent gives the same bits.
void emitContraction(const ContractionPlan &plan, llvm::Module &module, const Epilogue &epilogue = {});

// A contraction of a spec with inRowBlocks is no kernel, but an internal function of the name that its kernel would
// have: void(ptr buffers, i64 task, ptr scratch, i64 packed, i64 columns, i64 depth). A task is `schedule.mc` rows of m
// of one batch, the blocks of a batch one after the other; of these it computes the first `columns` columns as sums
// over the first `depth` of k. `packed`: so many of the columns are in the scratch memory already, from the task
// before, which was of the same batch; where there are several passes over k, none. Numbers of columns are multiples of
// the schedule's nv * lanes, or all.
struct RowBlockCall {
  llvm::Value *table, *task, *scratch, *packed, *columns, *depth;
};
void emitRowBlockCall(Emitter &e, llvm::Function *function, const RowBlockCall &call);
// The plan with blocks of so many rows, a multiple of schedule.mr.
void setRowBlock(ContractionPlan &plan, int64_t rows);
// Whether `packed` of a call may be anything but zero.
bool keepsPackedColumns(const ContractionPlan &plan);

// A contraction of a spec with inDepthBlocks is one, too: void(ptr buffers, i64 batch, ptr scratch, i64 pass, i64
// rows, i64 depth). A pass is `schedule.kc` steps of k, of which there are `depth`; the passes of a batch come one
// after the other, with the same scratch memory, where sums may wait. A pass adds its products to the first `rows` rows
// of the result, a multiple of the schedule's mr or all of them. The first one and the last one are of all rows: the
// first one begins their sums, the last one stores them.
struct DepthBlockCall {
  llvm::Value *table, *batch, *scratch, *pass, *rows, *depth;
};
void emitDepthBlockCall(Emitter &e, llvm::Function *function, const DepthBlockCall &call);
// The plan with passes of so many steps.
void setDepthBlock(ContractionPlan &plan, int64_t steps);
// Whether it may have them: they are whole runs of k.
bool mayHaveDepthBlocks(const ContractionPlan &plan, int64_t steps);
// The most passes that add up to sums as exact as those of other kernels, which add as many products one by one.
constexpr int64_t kMostDepthBlocks = 512;

// The columns of the panels in which the rhs of a spec, a matrix without batches, is to lie that is packed once for so
// many runs: those that a register tile reads together. 0 where it is to stay as it is, since it is read as fast, runs
// too seldom, or would be summed in another order.
int64_t panelColumnsOf(const ContractionSpec &spec, int64_t runs, const MatmulTarget &target);
// What decides that. The columns of the panels that would be read fastest, where zeros may be behind the last ones or
// only whole panels are; 0: there are none.
int64_t panelWidth(const Problem &p, bool mayPad);
// Whether each element is the same sum in the same order. `plan` is that of the rhs as it lies.
bool sumAlike(const MatmulPlan &plan, const MatmulPlan &inPanels);

// A function void(ptr buffers, i64 batch, i64 row, i64 rows, ptr sums) that stores sums made elsewhere as the plan's
// contraction would its own: those of `parts` arrays [batch, m, n] of accumulators, which lie one behind the other and
// are added up in their order. For accumulators of one component.
llvm::Function *emitStoreOfSums(const ContractionPlan &plan, llvm::Module &module, llvm::StringRef symbol,
                                const Epilogue &epilogue, int64_t parts);

// Exchanges lhs and rhs.
ContractionSpec swapRoles(const ContractionSpec &spec);

// Fails when the types do not go together.
StatusOr<Problem> makeProblem(const ContractionSpec &spec, const MatmulTarget &target, bool hasEpilogue, bool swap,
                              const ContractionBuffers &buffers);

// Pointers to the arrays and the parts of addresses that are constant in one task.
struct Operand {
  llvm::Value *base = nullptr; // of the batch's first element
};
llvm::Value *lhsBase(Emitter &e, const Problem &p, llvm::Value *table, llvm::Value *batch);
llvm::Value *rhsBase(Emitter &e, const Problem &p, llvm::Value *table, llvm::Value *batch);
llvm::Value *outBase(Emitter &e, const Problem &p, llvm::Value *table);
llvm::Value *outBase(Emitter &e, const Problem &p, llvm::Value *table, llvm::Value *batch);
// `offset`: in elements of the type.
llvm::Value *elementPointer(Emitter &e, mlir::Type type, llvm::Value *base, llvm::Value *offset);

// Loads `lanes` elements `stride` apart (1 unless lanes == 1) as components of unit elements.
Values loadElements(Emitter &e, const Problem &p, bool isLhs, llvm::Value *base, llvm::Value *offset, unsigned lanes);
// Has the line of memory fetched into the caches that holds an element, wherever it is.
void fetchElement(Emitter &e, const Problem &p, bool isLhs, llvm::Value *base, llvm::Value *offset,
                  PrefetchTo to = PrefetchTo::kFirstCache);

// Stores accumulators (one for each component) of row m, columns n.., converted, through the epilogue.
struct OutputPlace {
  llvm::Value *table, *batch, *m, *n;
};
// Where the place's first element is in `out`, in elements.
llvm::Value *outputOffset(Emitter &e, const Problem &p, const OutputPlace &place);
void storeOutput(Emitter &e, const Problem &p, const OutputPlace &place, unsigned lanes,
                 llvm::ArrayRef<llvm::Value *> acc);
// What that stores.
Element outputElement(Emitter &e, const Problem &p, const OutputPlace &place, unsigned lanes,
                      llvm::ArrayRef<llvm::Value *> acc);

// The same where there is no epilogue and the offset from `base` is known.
void storeSum(Emitter &e, const Problem &p, llvm::Value *base, llvm::Value *offset, unsigned lanes,
              llvm::ArrayRef<llvm::Value *> acc);

// Calls piece(j, lanes) for the columns [0, count) that start at linear column n0, with as many lanes at a time as
// the output allows, at most `maxLanes`.
void forEachOutputPiece(Emitter &e, const Problem &p, llvm::Value *n0, llvm::Value *count, unsigned maxLanes,
                        llvm::function_ref<void(llvm::Value *, unsigned)> piece);

} // namespace tenon::codegen::matmul
