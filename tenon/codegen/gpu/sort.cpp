#include "tenon/codegen/gpu/sort.h"

using namespace llvm;

namespace tenon::codegen {

std::optional<GpuSortPlan> planGpuSort(const sort::SortPlan &plan, const CostModel::Blocks &costs) {
  if ((!plan.ranks && !plan.radix) || plan.count < costs.sortedRow)
    return std::nullopt;
  GpuSortPlan sort;
  sort.rows = plan.ranks ? plan.ranks->rows : plan.radix->rows;
  sort.keys = planMergeSort(sort.rows.rows, sort.rows.count, sort::keyBits(sort.rows.key) / 8, costs);
  return sort;
}

namespace {

// The code of one phase.
class SortPhase {
public:
  SortPhase(const GpuSortPlan &plan, Module &module, StringRef symbol, GpuBuilder &gpu)
      : plan_(plan), e_(module, symbol, kernelParameters(module.getContext()), false), sizes_(e_),
        key_(e_, sizes_, plan.rows.key, plan.rows.order),
        code_(plan.keys, e_, gpu, e_.buffer(e_.arg(0), 2 * int(plan.rows.results.size()))) {}

  void emitRun() {
    Value *number = e_.b.CreateUDiv(e_.arg(1), e_.i64(plan_.keys.runsOfRow()));
    sort::RowCode row(codeOf(number), plan_.rows, number);
    code_.emitRun(
        e_.arg(1), [&](Value *, Value *position) { return key_.keyOf(row.keyBits(position)); },
        [&](Value *, Value *position, Value *place, Value *key) { row.move(position, place, key_.bitsOf(key)); });
    e_.ret();
  }

  void emitMerge(int number) {
    e_.loop(e_.arg(1), e_.arg(2), 1, [&](Value *task) {
      code_.emitMerge(number, task, [&](Value *row, Value *position, Value *place, Value *key) {
        sort::RowCode(codeOf(row), plan_.rows, row).move(position, place, key_.bitsOf(key));
      });
    });
    e_.ret();
  }

private:
  TaskCode codeOf(Value *row) { return {e_, sizes_, e_.arg(0), row, e_.arg(3)}; }

  const GpuSortPlan &plan_;
  Emitter e_;
  Sizes sizes_;
  sort::KeyCode key_;
  MergeSortCode code_;
};

} // namespace

LogicalResult emitGpuSort(const GpuSortPlan &sort, const Kernel &kernel, Module &module, GpuBuilder &gpu) {
  SortPhase(sort, module, kernel.phases[0].symbol, gpu).emitRun();
  for (int i = 0; i < sort.keys.merges; ++i)
    SortPhase(sort, module, kernel.phases[size_t(i) + 1].symbol, gpu).emitMerge(i);
  return success();
}

} // namespace tenon::codegen
