#include "tenon/codegen/gpu/sort.h"

using namespace llvm;

namespace tenon::codegen {

std::optional<GpuSortPlan> planGpuSort(const sort::SortPlan &plan, const CostModel::Blocks &costs) {
  if ((!plan.ranks && !plan.radix) || plan.count < costs.sortedRow)
    return std::nullopt;
  GpuSortPlan sort;
  sort.rows = plan.ranks ? plan.ranks->rows : plan.radix->rows;
  const unsigned bits = sort::keyBits(sort.rows.key);
  using Source = sort::SortedResult::Source;
  sort::SortedResult &ordered = sort.rows.results[sort.rows.order.operand];
  if (ordered.source == Source::kElement)
    ordered.source = Source::kKey;
  const bool hasPositions = any_of(sort.rows.results, [](const auto &it) { return it.source != Source::kKey; });
  sort.keys = planKeySort(sort.rows.rows, sort.rows.count, bits / 8, int(bits), costs, hasPositions);
  return sort;
}

namespace {

void emitPhase(const GpuSortPlan &plan, int phase, Module &module, StringRef symbol, GpuBuilder &gpu) {
  Emitter e(module, symbol, kernelParameters(module.getContext()), false);
  Sizes sizes(e);
  sort::KeyCode code(e, sizes, plan.rows.key, plan.rows.order);
  auto rowCode = [&](Value *row) { return sort::RowCode(TaskCode{e, sizes, e.arg(0), row, e.arg(3)}, plan.rows, row); };
  auto keyOf = [&](Value *bits) { return code.keyOf(bits); };
  emitKeySort(
      plan.keys, phase, e, gpu, e.buffer(e.arg(0), 2 * int(plan.rows.results.size())),
      [&](Value *row, Value *position) {
        Value *bits = rowCode(row).keyBits(position);
        return plan.movesBits() ? bits : code.keyOf(bits);
      },
      [&](Value *row, Value *position, Value *place, Value *moved) {
        sort::RowCode elements = rowCode(row);
        Value *bits = plan.movesBits() ? moved : code.bitsOf(moved);
        if (plan.rows.order.merges() && !plan.movesBits()) {
          Value *isZero = e.b.CreateICmpEQ(moved, code.zeroKey()), *isNan = e.b.CreateICmpEQ(moved, code.nanKey());
          auto gather = [&] { return Values{elements.keyBits(position)}; };
          bits = e.ifElse(e.b.CreateOr(isZero, isNan), gather, [&] { return Values{bits}; })[0];
        }
        elements.move(position, place, bits);
      },
      plan.movesBits() ? SortCode::KeyOf(keyOf) : nullptr);
}

} // namespace

LogicalResult emitGpuSort(const GpuSortPlan &sort, const Kernel &kernel, Module &module, GpuBuilder &gpu) {
  for (auto [i, phase] : enumerate(kernel.phases))
    emitPhase(sort, int(i), module, phase.symbol, gpu);
  return success();
}

} // namespace tenon::codegen
