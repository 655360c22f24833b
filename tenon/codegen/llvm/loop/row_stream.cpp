#include "tenon/codegen/llvm/loop/row_stream.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/MathExtras.h"

using mlir::AffineExpr;

namespace tenon::codegen::loop {

// --- RowStream ---

RowStream::RowStream(LoopEvaluator &evaluator, const RowReductionPlan &plan, StageAccumulators &accumulators,
                     int64_t step, Rows rows)
    : evaluator_(evaluator), plan_(plan), accumulators_(accumulators), step_(step), rows_(std::move(rows)) {}

void RowStream::over(unsigned dim, llvm::Value *begin, llvm::Value *end) {
  if (dim + 1 < plan_.dims.size()) {
    evaluator_.forLoop(begin, end, 1, [&](llvm::Value *iv) {
      evaluator_.bindDim(dim, iv, 0);
      over(dim + 1, evaluator_.constant(0), evaluator_.size(plan_.dims[dim + 1].extent));
    });
    return;
  }
  llvm::IRBuilder<> &b = evaluator_.builder();
  llvm::Value *whole = b.CreateAnd(b.CreateSub(end, begin), evaluator_.constant(-step_));
  llvm::Value *middle = b.CreateAdd(begin, whole);
  steps(dim, begin, middle, step_);
  if (step_ > 1)
    steps(dim, middle, end, 1);
}

void RowStream::steps(unsigned dim, llvm::Value *begin, llvm::Value *end, int64_t step) {
  evaluator_.forLoop(begin, end, step, [&](llvm::Value *iv) {
    evaluator_.bindDim(dim, iv, 0);
    rows_.each([&] {
      LLVMValues carried = rows_.load();
      if (step > 1)
        carried = accumulators_.spread(carried);
      for (int64_t i = 0; i < step; ++i) {
        llvm::SmallVector<IndexVector> indices;
        for (mlir::Operation *reduce : accumulators_.reduces()) {
          indices.push_back(plan_.rows.inputIndex(reduce, evaluator_.space()));
          for (AffineExpr &expr : indices.back())
            expr = shift(expr, dim, i);
        }
        // The masked lanes of a remainder are not stored.
        carried = accumulators_.step(carried, indices);
        writeOutputs(dim, i);
      }
      rows_.store(accumulators_.settle(carried));
    });
  });
}

// The elements of results that are written on the way, `offset` further along dimension `dim`.
void RowStream::writeOutputs(unsigned dim, int64_t offset) {
  Elements written;
  for (unsigned output : plan_.stages[0].outputs) {
    IndexVector index(plan_.outputs[output].index);
    for (AffineExpr &expr : index)
      expr = shift(expr, dim, offset);
    written.push_back(evaluator_.eval(plan_.outputs[output].value, index));
  }
  for (auto [output, element] : llvm::zip(plan_.stages[0].outputs, written)) {
    const OutputPlan &planned = plan_.outputs[output];
    evaluator_.storeAt(elementTypeOf(planned.value), evaluator_.outputPointer(output),
                       shift(planned.store, dim, offset), element);
  }
}

// The expression with dimension `dim` replaced by dim + offset.
AffineExpr RowStream::shift(AffineExpr expr, unsigned dim, int64_t offset) {
  if (offset == 0)
    return expr;
  AffineExpr moved = mlir::getAffineDimExpr(dim, expr.getContext()) + offset;
  llvm::DenseMap<AffineExpr, AffineExpr> map;
  map[mlir::getAffineDimExpr(dim, expr.getContext())] = moved;
  return plan_.space().fromLinear(IndexSpace::linearForm(expr.replace(map)));
}

// --- Kernels ---

void narrowStream(RowReductionPlan &plan) {
  constexpr unsigned kFewBytes = 64; // of a row in two registers, or one
  auto isCarriedAsBits = [](mlir::Operation *reduce) { return isExtremum(analyzeReductionBody(reduce)); };
  if (plan.lanes * unsigned(plan.use.widestBytes) > kFewBytes && llvm::any_of(plan.stages[0].reduces, isCarriedAsBits))
    plan.lanes /= 2;
}

void placePartials(RowKernelPlan &plan) {
  int64_t rows = plan.dims[plan.keptDims - 1].extent;
  if (plan.taskDim + 1 == plan.keptDims)
    rows = std::min(rows, plan.taskChunk);
  unsigned sets = llvm::any_of(plan.stages[0].blocks, [](int64_t block) { return block > 0; }) ? 2 : 1;
  for (unsigned set = 0; set < sets; ++set)
    for (mlir::Operation *reduce : plan.stages[0].reduces)
      for (mlir::Type type : accumulatorTypes(reduce, analyzeReductionBody(reduce))) {
        plan.partialOffsets.push_back(plan.scratchBytes);
        plan.scratchBytes += int64_t(llvm::alignTo(rows * storageBytes(type), 64));
      }
}

namespace {

class StreamedRows {
public:
  StreamedRows(LoopEvaluator &evaluator, const RowKernelPlan &plan, RowEmitter &rows, llvm::Value *scratch)
      : evaluator_(evaluator), plan_(plan), rows_(rows), scratch_(scratch), dim_(plan.keptDims - 1),
        accumulators_(evaluator, plan.stages[0].reduces) {}

  // The rows [begin, end) of the innermost kept dimension.
  void emit(llvm::Value *begin, llvm::Value *end) {
    begin_ = begin;
    end_ = end;
    llvm::Value *extent = evaluator_.size(plan_.dims[plan_.keptDims].extent);
    if (int64_t block = plan_.stages[0].blocks.front())
      inBlocks(block, extent);
    else
      stream(0, /*fromInit=*/true, evaluator_.constant(0), extent);
    each([&] {
      LLVMValues values = load(0);
      if (plan_.stages[0].blocks.front())
        values = accumulators_.merge(accumulators_.start(evaluator_.lanes(), true), values);
      rows_.bindResults(accumulators_, accumulators_.finish(values));
      rows_.writeRowOutputs();
    });
  }

private:
  void each(llvm::function_ref<void()> body) { LoopNest(evaluator_, plan_).overDim(dim_, begin_, end_, body); }

  // Partial result `number` of set `set`, where that of the row with index zero would be.
  llvm::Value *partials(unsigned set, unsigned number) {
    llvm::IRBuilder<> &b = evaluator_.builder();
    unsigned count = accumulators_.types().size();
    llvm::Value *before = b.CreateNSWMul(begin_, evaluator_.constant(storageBytes(accumulators_.types()[number])));
    llvm::Value *offset = evaluator_.size(plan_.partialOffsets[set * count + number]);
    return b.CreateGEP(b.getInt8Ty(), scratch_, b.CreateNSWSub(offset, before));
  }

  LLVMValues load(unsigned set) {
    Elements elements;
    for (auto [i, type] : llvm::enumerate(accumulators_.types())) {
      Element element = evaluator_.loadAt(type, partials(set, i), evaluator_.space().dim(dim_));
      elements.push_back(evaluator_.toVector(element));
    }
    return LoopEvaluator::pack(elements);
  }

  void store(unsigned set, llvm::ArrayRef<llvm::Value *> values) {
    Elements elements = LoopEvaluator::unpack(values, accumulators_.types());
    for (auto [i, element] : llvm::enumerate(elements))
      evaluator_.storeAt(accumulators_.types()[i], partials(set, i), evaluator_.space().dim(dim_), element);
  }

  void clear(unsigned set, bool fromInit) {
    each([&] { store(set, accumulators_.start(evaluator_.lanes(), fromInit)); });
  }

  // [begin, end) of the outermost reduced dimension, to set `set`.
  void stream(unsigned set, bool fromInit, llvm::Value *begin, llvm::Value *end) {
    clear(set, fromInit);
    RowStream(evaluator_, plan_, accumulators_, plan_.streamStep,
              {[this](auto body) { each(body); }, [=, this] { return load(set); },
               [=, this](auto values) { store(set, values); }})
        .over(plan_.keptDims, begin, end);
  }

  // The sum of the blocks' sums, in order, as emitTreeSum() makes it of few blocks.
  void inBlocks(int64_t block, llvm::Value *extent) {
    llvm::IRBuilder<> &b = evaluator_.builder();
    clear(0, /*fromInit=*/false);
    evaluator_.forLoop(evaluator_.constant(0), extent, block, [&](llvm::Value *from) {
      llvm::Value *to = b.CreateNSWAdd(from, evaluator_.constant(block));
      stream(1, /*fromInit=*/false, from, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, to, extent));
      each([&] { store(0, accumulators_.merge(load(0), load(1))); });
    });
  }

  LoopEvaluator &evaluator_;
  const RowKernelPlan &plan_;
  RowEmitter &rows_;
  llvm::Value *scratch_;
  unsigned dim_; // along which the rows lie
  StageAccumulators accumulators_;
  llvm::Value *begin_ = nullptr, *end_ = nullptr;
};

} // namespace

void emitStreamedRows(LoopEvaluator &evaluator, const RowKernelPlan &plan, RowEmitter &rows, llvm::Value *scratch) {
  StreamedRows streamed(evaluator, plan, rows, scratch);
  // The scratch memory has partial results of one task.
  LoopNest(evaluator, plan).overRanges(plan.keptDims, /*ofOneTask=*/true, [&](llvm::Value *begin, llvm::Value *end) {
    streamed.emit(begin, end);
  });
}

} // namespace tenon::codegen::loop
