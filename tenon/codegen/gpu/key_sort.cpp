#include "tenon/codegen/gpu/key_sort.h"

using namespace llvm;

namespace tenon::codegen {

KeySortPlan planKeySort(int64_t rows, int64_t count, int64_t keyBytes, int bits, const CostModel::Blocks &costs,
                        bool hasPositions) {
  MergeSortPlan merges = planMergeSort(rows, count, keyBytes, costs);
  RadixSortPlan digits = planRadixSort(rows, count, keyBytes, bits, hasPositions, costs);
  const auto keys = double(rows * count);
  const double merge = costs.mergedKey * keys, digit = merge / double(costs.digitsOfMerge);
  const double ofMerges = double(merges.phases().size()) * costs.node + merges.merges * merge;
  const double ofDigits = double(digits.phases().size()) * costs.node + digits.digits * digit;
  if (ofDigits < ofMerges)
    return {digits};
  return {merges};
}

bool KeySortPlan::hasPositions() const {
  const auto *digits = std::get_if<RadixSortPlan>(&way);
  return !digits || digits->hasPositions;
}
int64_t KeySortPlan::keyBytes() const {
  return std::visit([](const auto &plan) { return plan.keyBytes; }, way);
}
int64_t KeySortPlan::tempBytes() const {
  return std::visit([](const auto &plan) { return plan.tempBytes; }, way);
}
FormPhases KeySortPlan::phases() const {
  return std::visit([](const auto &plan) { return plan.phases(); }, way);
}
void KeySortPlan::print(raw_ostream &os) const {
  std::visit([&](const auto &plan) { plan.print(os); }, way);
}

void emitKeySort(const KeySortPlan &plan, int phase, Emitter &e, GpuBuilder &gpu, Value *temp, SortCode::KeyAt keyAt,
                 SortCode::Sink sink, SortCode::KeyOf keyOf) {
  if (const auto *digits = std::get_if<RadixSortPlan>(&plan.way)) {
    RadixSortCode(*digits, e, gpu, temp, keyOf).emit(phase, keyAt, sink);
  } else {
    MergeSortCode code(std::get<MergeSortPlan>(plan.way), e, gpu, temp);
    if (phase == 0)
      code.emitRun(e.arg(1), keyAt, sink);
    else
      e.loop(e.arg(1), e.arg(2), 1, [&](Value *task) { code.emitMerge(phase - 1, task, sink); });
  }
  e.ret();
}

} // namespace tenon::codegen
