#include "tenon/codegen/gpu/loop_steps.h"

namespace tenon::codegen {
namespace {

using program::DeviceSteps;

class Collector {
public:
  LoopContents contents;

  void add(const DeviceSteps &steps) {
    for (const program::DeviceStep &step : steps)
      std::visit([&](const auto &what) { add(what); }, step.what);
  }
  void add(const program::LoopStep &loop) {
    add(loop.condition);
    contents.decisions.push_back(loop.predicate);
    add(loop.body);
    for (const auto *copies : {&loop.toTemporaries, &loop.copies})
      for (const program::CopyStep &step : *copies)
        add(step);
    contents.exchanges.append(loop.exchanges.begin(), loop.exchanges.end());
  }

private:
  void add(const program::KernelStep &step) { contents.kernels.push_back(&step); }
  void add(const program::CopyStep &step) { contents.copies.push_back(&step); }
  void add(const program::ServiceStep &) {}
  void add(const program::BranchStep &branch) {
    contents.decisions.push_back(branch.selector);
    for (const DeviceSteps &own : branch.branches)
      add(own);
  }
};

template <typename Steps> LoopContents collect(const Steps &steps) {
  Collector collector;
  collector.add(steps);
  return std::move(collector.contents);
}

} // namespace

LoopContents contentsOf(const program::LoopStep &loop) { return collect(loop); }
LoopContents contentsOf(const DeviceSteps &steps) { return collect(steps); }

llvm::SetVector<int32_t> LoopContents::exchanged() const {
  llvm::SetVector<int32_t> found;
  for (auto [home, other] : exchanges) {
    found.insert(home);
    found.insert(other);
  }
  return found;
}

llvm::SetVector<int32_t> LoopContents::places() const {
  llvm::SetVector<int32_t> found(decisions.begin(), decisions.end());
  for (const program::KernelStep *step : kernels)
    for (int32_t place : step->row)
      if (place >= 0)
        found.insert(place);
  for (const program::CopyStep *step : copies) {
    found.insert(step->to);
    found.insert(step->from);
  }
  found.insert_range(exchanged());
  return found;
}

void forEachKernel(DeviceSteps &steps, llvm::function_ref<void(program::KernelStep &)> visit) {
  for (program::DeviceStep &step : steps) {
    if (auto *kernel = std::get_if<program::KernelStep>(&step.what)) {
      visit(*kernel);
    } else if (auto *loop = std::get_if<program::LoopStep>(&step.what)) {
      forEachKernel(loop->condition, visit);
      forEachKernel(loop->body, visit);
      if (loop->turn)
        visit(*loop->turn);
    } else if (auto *branch = std::get_if<program::BranchStep>(&step.what)) {
      for (DeviceSteps &own : branch->branches)
        forEachKernel(own, visit);
    }
  }
}

} // namespace tenon::codegen
