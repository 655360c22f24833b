#include "tenon/runtime/core/custom_call_memory.h"

#include "tenon/runtime/core/memory.h"
#include "tenon/runtime/core/relayout.h"
#include "tenon/support/strides.h"

#include <cstring>
#include <string>
#include <vector>

namespace tenon::runtime {
namespace {

// One operand or result.
struct Slot {
  program::Shape shape;
  std::vector<int64_t> layout; // empty: as it is
  int alias = -1;              // of an operand: the result that shares its memory

  int64_t bytes() const { return shape.byteSize(); }
  bool moved() const { return !layout.empty(); }
};

StatusOr<std::vector<Slot>> makeSlots(const std::vector<program::Shape> &shapes,
                                      const std::vector<std::vector<int64_t>> &layouts) {
  std::vector<Slot> slots;
  for (size_t i = 0; i < shapes.size(); ++i) {
    Slot &slot = slots.emplace_back();
    slot.shape = shapes[i];
    if (i >= layouts.size() || layouts[i].empty() || slot.bytes() == 0)
      continue;
    if (!isPermutation(layouts[i], shapes[i].dims.size()))
      return invalidArgument("layout of " + shapes[i].toString() + " is not an order of its dimensions");
    if (!isRowMajor(shapes[i].dims, layouts[i]))
      slot.layout = layouts[i];
  }
  return slots;
}

class AdaptedCall final : public RuntimeCallInstance {
public:
  AdaptedCall(std::unique_ptr<RuntimeCallInstance> instance, std::vector<Slot> operands, std::vector<Slot> results)
      : instance_(std::move(instance)), operands_(std::move(operands)), results_(std::move(results)) {}

  Status call(const CallBuffers &call) override {
    std::vector<Buffer> temporaries;
    std::vector<void *> operands(call.operands.begin(), call.operands.end());
    std::vector<void *> results(call.results.begin(), call.results.end());
    auto allocate = [&](const Slot &slot) { return temporaries.emplace_back(size_t(slot.bytes())).data(); };
    auto outOfMemory = [] { return Status(StatusCode::kResourceExhausted, "out of memory"); };

    for (size_t i = 0; i < results.size(); ++i)
      if (results_[i].moved() && !(results[i] = allocate(results_[i])))
        return outOfMemory();
    for (size_t i = 0; i < operands.size(); ++i) {
      const Slot &slot = operands_[i];
      if (slot.alias < 0 && !slot.moved())
        continue;
      void *place = slot.alias >= 0 ? results[size_t(slot.alias)] : allocate(slot);
      if (!place && slot.bytes() > 0)
        return outOfMemory();
      if (slot.moved())
        move(slot, operands[i], place, RelayoutDirection::kFromRowMajor, call.pool);
      else if (place != operands[i] && slot.bytes() > 0)
        std::memcpy(place, operands[i], size_t(slot.bytes()));
      operands[i] = place;
    }
    CallBuffers inner{operands, results, call.options, call.pool};
    TENON_RETURN_IF_ERROR(instance_->call(inner));
    for (size_t i = 0; i < results.size(); ++i)
      if (results_[i].moved())
        move(results_[i], results[i], call.results[i], RelayoutDirection::kToRowMajor, call.pool);
    return {};
  }

private:
  static void move(const Slot &slot, const void *from, void *to, RelayoutDirection direction, ThreadPool &pool) {
    relayout(from, to, size_t(program::byteSize(slot.shape.type)), slot.shape.dims, slot.layout, direction, pool);
  }

  std::unique_ptr<RuntimeCallInstance> instance_;
  std::vector<Slot> operands_, results_;
};

} // namespace

StatusOr<std::unique_ptr<RuntimeCallInstance>> adaptMemory(std::unique_ptr<RuntimeCallInstance> instance,
                                                           const program::RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(auto operands, makeSlots(runtimeCall.operands, runtimeCall.operandLayouts));
  TENON_ASSIGN_OR_RETURN(auto results, makeSlots(runtimeCall.results, runtimeCall.resultLayouts));
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
