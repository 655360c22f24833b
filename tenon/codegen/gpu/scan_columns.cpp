#include "tenon/codegen/gpu/scan_columns.h"

#include "tenon/codegen/gpu/target.h"
#include "tenon/codegen/llvm/loop/scan_steps.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using tenon::codegen::loop::Elements, tenon::codegen::loop::LLVMValues, tenon::codegen::loop::LoopEvaluator;

namespace tenon::codegen {

std::optional<ColumnScanPlan> planColumnScan(const loop::ScanPlan &plan, int64_t tempBase,
                                             const CostModel::Blocks &costs) {
  if (plan.along || plan.body.form != loop::ReductionBody::Form::kIndependent || plan.elements() == 0 ||
      plan.dims.size() == plan.keptDims || plan.keptDims == 0)
    return std::nullopt;
  ColumnScanPlan columns;
  columns.lanes = plan.dims[plan.keptDims - 1].extent % int64_t(plan.lanes) == 0 ? plan.lanes : 1;
  columns.columns = plan.keptElements() / columns.lanes;
  auto length = uint64_t(plan.dims[plan.keptDims].extent);
  auto parts = std::min({int64_t(divideCeil(uint64_t(costs.columnThreads), uint64_t(columns.columns))),
                         costs.mostColumnParts, int64_t(length) / costs.columnPart});
  if (parts < 2)
    return std::nullopt;
  columns.partSize = int64_t(divideCeil(length, uint64_t(parts)));
  columns.block = plan.block;
  if (plan.block > 0) // whole blocks
    columns.partSize = int64_t(alignTo(uint64_t(columns.partSize), uint64_t(plan.block)));
  columns.parts = int64_t(divideCeil(length, uint64_t(columns.partSize)));
  if (columns.parts < 2)
    return std::nullopt;
  for (mlir::Type type : loop::accumulatorTypes(plan.op, plan.body)) {
    columns.offsets.push_back(tempBase + columns.tempBytes);
    columns.tempBytes += int64_t(alignTo(uint64_t(columns.parts * plan.keptElements() * storageBytes(type)), 64));
  }
  return columns;
}

FormPhases ColumnScanPlan::phases() const {
  return FormPhases(2, FormPhase{parts * columns, kTaskBlock, 0, /*isByThreads=*/true});
}

void ColumnScanPlan::print(raw_ostream &os) const {
  os << "columns by threads, in vectors of " << lanes << ", " << parts << " parts of " << partSize << '\n';
}

namespace {

class ColumnScan : loop::ScanSteps {
public:
  ColumnScan(const ColumnScanPlan &columns, const loop::ScanPlan &plan, const KernelSource &source,
             LoopEvaluator &evaluator)
      : ScanSteps(plan, source, evaluator), columns_(columns), b_(evaluator.builder()) {
    evaluator.setLanes(columns.lanes);
  }

  void emitSums(Value *task) {
    bindTask(task);
    LLVMValues none = neutral(columns_.lanes);
    LLVMValues total = overPart(none, [&](const LLVMValues &, const LLVMValues &) {});
    for (auto [i, element] : enumerate(LoopEvaluator::unpack(total, types())))
      storeElements(b_, types()[i], element, sumAt(i, part_), columns_.lanes);
  }

  void emitScan(Value *task) {
    bindTask(task);
    LLVMValues before = evaluator_->forLoop(number(0), part_, 1, start(columns_.lanes), [&](Value *part, auto values) {
      Elements sums;
      for (auto [i, type] : enumerate(types()))
        sums.push_back(loadElements(b_, type, sumAt(i, part), columns_.lanes));
      return merge(values, LoopEvaluator::pack(sums));
    });
    overPart(before, [&](const LLVMValues &base, const LLVMValues &own) {
      store(LoopEvaluator::unpack(columns_.block > 0 ? merge(base, own) : own, types()));
    });
  }

private:
  Value *number(int64_t value) { return evaluator_->constant(value); }

  // A task is a vector of columns of a part; neighbours have neighbouring columns.
  void bindTask(Value *task) {
    part_ = b_.CreateUDiv(task, number(columns_.columns));
    column_ = b_.CreateNSWSub(task, b_.CreateNSWMul(part_, number(columns_.columns)));
    Value *rest = column_;
    for (unsigned d = plan_.keptDims; d-- > 0;) {
      bool isInner = d + 1 == plan_.keptDims;
      int64_t lanes = isInner ? columns_.lanes : 1;
      Value *count = number(plan_.dims[d].extent / lanes);
      Value *outer = d == 0 ? nullptr : b_.CreateUDiv(rest, count);
      Value *iv = d == 0 ? rest : b_.CreateNSWSub(rest, b_.CreateNSWMul(outer, count));
      evaluator_->bindDim(d, b_.CreateNSWMul(iv, number(lanes)), isInner ? 1 : 0);
      rest = outer;
    }
    begin_ = b_.CreateNSWMul(part_, number(columns_.partSize));
    end_ = b_.CreateBinaryIntrinsic(Intrinsic::smin, b_.CreateNSWAdd(begin_, number(columns_.partSize)),
                                    number(plan_.dims[plan_.keptDims].extent));
  }

  // Goes through the part. `each` gets the value of the blocks before an element's, and that of its own up to it; where
  // there are no blocks only the latter, which has all. Returns all together.
  LLVMValues overPart(const LLVMValues &before, function_ref<void(const LLVMValues &, const LLVMValues &)> each) {
    auto steps = [&](Value *begin, Value *end, const LLVMValues &base, const LLVMValues &init) {
      return evaluator_->forLoop(begin, end, 1, init, [&](Value *iv, auto values) {
        evaluator_->bindDim(plan_.keptDims, iv, 0);
        LLVMValues own = merge(values, LoopEvaluator::pack(inputs()));
        each(base, own);
        return own;
      });
    };
    if (columns_.block == 0)
      return steps(begin_, end_, {}, before);
    LLVMValues none = neutral(columns_.lanes);
    return evaluator_->forLoop(begin_, end_, columns_.block, before, [&](Value *block, ArrayRef<Value *> values) {
      Value *end = b_.CreateBinaryIntrinsic(Intrinsic::smin, b_.CreateNSWAdd(block, number(columns_.block)), end_);
      return merge(values, steps(block, end, LLVMValues(values), none));
    });
  }

  Value *sumAt(size_t result, Value *part) {
    Value *base =
        b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), evaluator_->tempPointer(), uint64_t(columns_.offsets[result]));
    Value *vector = b_.CreateNSWAdd(b_.CreateNSWMul(part, number(columns_.columns)), column_);
    return elementAddress(b_, types()[result], base, b_.CreateNSWMul(vector, number(columns_.lanes)));
  }

  const ColumnScanPlan &columns_;
  IRBuilder<> &b_;
  Value *part_ = nullptr, *column_ = nullptr;
  Value *begin_ = nullptr, *end_ = nullptr; // of the part
};

} // namespace

LogicalResult emitColumnScan(const ColumnScanPlan &columns, const loop::ScanPlan &plan, const KernelSource &source,
                             Module &module, const EmissionTarget &target) {
  auto emit = [&](const KernelPhase &phase, void (ColumnScan::*step)(Value *)) {
    return loop::emitLoopFunction(phase, plan, source, module, target,
                                  [&](LoopEvaluator &evaluator, Function *function) {
                                    ColumnScan code(columns, plan, source, evaluator);
                                    (code.*step)(function->getArg(1)); // a thread calls it for each task
                                  });
  };
  if (failed(emit(plan.kernel.phases[0], &ColumnScan::emitSums)))
    return failure();
  return emit(plan.kernel.phases[1], &ColumnScan::emitScan);
}

} // namespace tenon::codegen
