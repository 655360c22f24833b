#include "tenon/runtime/core/custom_call_memory.h"

#include "tenon/runtime/core/call_memory.h"
#include "tenon/runtime/core/relayout.h"
#include "tenon/support/strides.h"

#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace tenon::runtime {
namespace {

// One operand or result.
struct Slot {
  program::Shape shape;
  std::vector<int64_t> layout;  // empty: as it is
  std::optional<Relayout> move; // between the program's order and that of the layout
  int alias = -1;               // of an operand: the result that shares its memory
  size_t temporary = 0;         // where its own memory is in that of the call

  int64_t bytes() const { return shape.byteSize(); }
  bool moved() const { return move.has_value(); }
};

StatusOr<std::vector<Slot>> makeSlots(const std::vector<program::Shape> &shapes,
                                      const std::vector<std::vector<int64_t>> &layouts, RelayoutDirection direction) {
  std::vector<Slot> slots;
  for (size_t i = 0; i < shapes.size(); ++i) {
    Slot &slot = slots.emplace_back();
    slot.shape = shapes[i];
    if (i >= layouts.size() || layouts[i].empty() || slot.bytes() == 0)
      continue;
    if (!isPermutation(layouts[i], shapes[i].dims.size()))
      return invalidArgument("layout of " + shapes[i].toString() + " is not an order of its dimensions");
    if (isRowMajor(shapes[i].dims, layouts[i]))
      continue;
    slot.layout = layouts[i];
    slot.move.emplace(size_t(program::byteSize(slot.shape.type)), slot.shape.dims, slot.layout, direction);
  }
  return slots;
}

class AdaptedCall final : public RuntimeCallInstance {
public:
  AdaptedCall(std::unique_ptr<RuntimeCallInstance> instance, std::vector<Slot> operands, std::vector<Slot> results)
      : instance_(std::move(instance)), operands_(std::move(operands)), results_(std::move(results)) {
    for (Slot &slot : results_)
      if (slot.moved())
        place(slot);
    for (Slot &slot : operands_)
      if (slot.moved() && slot.alias < 0)
        place(slot);
    pointers_ = memoryBytes_;
    memoryBytes_ += (operands_.size() + results_.size()) * sizeof(void *);
  }

  Status call(const CallBuffers &call) override {
    CallMemory memory(memoryBytes_);
    if (!memory)
      return Status(StatusCode::kResourceExhausted, "out of memory");
    std::span<void *> operands(reinterpret_cast<void **>(memory.data() + pointers_), operands_.size());
    std::span<void *> results(operands.data() + operands.size(), results_.size());
    for (size_t i = 0; i < results.size(); ++i)
      results[i] = results_[i].moved() ? memory.data() + results_[i].temporary : call.results[i];
    for (size_t i = 0; i < operands.size(); ++i) {
      const Slot &slot = operands_[i];
      const void *from = call.operands[i];
      operands[i] = slot.alias >= 0 ? results[size_t(slot.alias)]
                    : slot.moved()  ? memory.data() + slot.temporary
                                    : call.operands[i];
      if (slot.moved())
        slot.move->run(from, operands[i], call.pool);
      else if (from != operands[i] && slot.bytes() > 0)
        std::memcpy(operands[i], from, size_t(slot.bytes()));
    }
    CallBuffers inner{operands, results, call.options, call.pool};
    TENON_RETURN_IF_ERROR(instance_->call(inner));
    for (size_t i = 0; i < results.size(); ++i)
      if (results_[i].moved())
        results_[i].move->run(results[i], call.results[i], call.pool);
    return {};
  }

private:
  static size_t roundUp(size_t bytes) { return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment; }
  void place(Slot &slot) {
    slot.temporary = memoryBytes_;
    memoryBytes_ += roundUp(size_t(slot.bytes()));
  }

  std::unique_ptr<RuntimeCallInstance> instance_;
  std::vector<Slot> operands_, results_;
  // The arrays of another layout, the first one where a page may begin, and behind them the pointers to operands and
  // results.
  size_t memoryBytes_ = 0, pointers_ = 0;
};

} // namespace

StatusOr<std::unique_ptr<RuntimeCallInstance>> adaptMemory(std::unique_ptr<RuntimeCallInstance> instance,
                                                           const program::RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(auto operands,
                         makeSlots(runtimeCall.operands, runtimeCall.operandLayouts, RelayoutDirection::kFromRowMajor));
  TENON_ASSIGN_OR_RETURN(auto results,
                         makeSlots(runtimeCall.results, runtimeCall.resultLayouts, RelayoutDirection::kToRowMajor));
  for (auto [result, operand] : runtimeCall.aliases) {
    if (result < 0 || size_t(result) >= results.size() || operand < 0 || size_t(operand) >= operands.size())
      return invalidArgument("an alias names an operand or result that does not exist");
    Slot &from = operands[size_t(operand)];
    const Slot &to = results[size_t(result)];
    if (from.bytes() != to.bytes())
      return invalidArgument("operand " + std::to_string(operand) + " and result " + std::to_string(result) +
                             " share memory but differ in size");
    bool same = from.shape.dims == to.shape.dims && from.layout == to.layout;
    bool reinterpreted = !from.moved() && !to.moved(); // the same bytes
    if (!same && !reinterpreted)
      return unimplemented("operand " + std::to_string(operand) + " and result " + std::to_string(result) +
                           " share memory but differ in layout");
    from.alias = result;
  }
  bool needed = false;
  for (const Slot &slot : operands)
    needed |= slot.moved() || slot.alias >= 0;
  for (const Slot &slot : results)
    needed |= slot.moved();
  if (!needed)
    return instance;
  return std::unique_ptr<RuntimeCallInstance>(
      std::make_unique<AdaptedCall>(std::move(instance), std::move(operands), std::move(results)));
}

} // namespace tenon::runtime
