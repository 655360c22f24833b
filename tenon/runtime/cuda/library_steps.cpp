#include "tenon/runtime/cuda/library_steps.h"

#include <algorithm>

namespace tenon::runtime::cuda {
namespace {

using program::BranchStep, program::DevicePlace, program::DeviceProgram, program::DeviceStep, program::DeviceSteps,
    program::KernelStep, program::LoopStep;

void addExchanged(const DeviceSteps &steps, std::vector<bool> &isExchanged) {
  for (const DeviceStep &step : steps) {
    if (const auto *loop = std::get_if<LoopStep>(&step.what)) {
      addExchanged(loop->condition, isExchanged);
      addExchanged(loop->body, isExchanged);
      for (auto [home, other] : loop->exchanges)
        isExchanged[size_t(home)] = isExchanged[size_t(other)] = true;
    } else if (const auto *branch = std::get_if<BranchStep>(&step.what)) {
      for (const DeviceSteps &own : branch->branches)
        addExchanged(own, isExchanged);
    }
  }
}

class Finder {
public:
  Finder(const DeviceProgram &program, const std::vector<bool> &isExchanged,
         const std::vector<std::unique_ptr<LibraryOp>> &ops)
      : program_(program), isExchanged_(isExchanged), ops_(ops) {}

  LibrarySteps run() {
    add(program_.steps, /*isInside=*/false);
    return std::move(found_);
  }

private:
  void add(const DeviceSteps &steps, bool isInside) {
    for (const DeviceStep &step : steps) {
      if (const auto *kernel = std::get_if<KernelStep>(&step.what)) {
        LibraryOp *op = ops_[size_t(kernel->module)].get();
        if (op && isKnown(*kernel, isInside))
          found_.emplace(kernel, op);
      } else if (const auto *loop = std::get_if<LoopStep>(&step.what)) {
        add(loop->condition, true);
        add(loop->body, true);
      } else if (const auto *branch = std::get_if<BranchStep>(&step.what)) {
        for (const DeviceSteps &own : branch->branches)
          add(own, true);
      }
    }
  }

  // Whether the host knows where the arrays are.
  bool isKnown(const KernelStep &step, bool isInside) const {
    return std::all_of(step.row.begin(), step.row.end(), [&](int32_t place) {
      if (place < 0)
        return true;
      bool isExchanged = isExchanged_[size_t(place)];
      return isInside ? isFixed(program_.places[size_t(place)], isExchanged) : !isExchanged;
    });
  }

  const DeviceProgram &program_;
  const std::vector<bool> &isExchanged_;
  const std::vector<std::unique_ptr<LibraryOp>> &ops_;
  LibrarySteps found_;
};

} // namespace

std::vector<bool> exchangedPlaces(const DeviceProgram &program) {
  std::vector<bool> isExchanged(program.places.size());
  addExchanged(program.steps, isExchanged);
  return isExchanged;
}

bool isFixed(const DevicePlace &place, bool isExchanged) {
  return !isExchanged && (place.base == DevicePlace::Base::kArena || place.base == DevicePlace::Base::kConstant);
}

LibrarySteps findLibrarySteps(const DeviceProgram &program, const std::vector<bool> &isExchanged,
                              const std::vector<std::unique_ptr<LibraryOp>> &ops) {
  return Finder(program, isExchanged, ops).run();
}

} // namespace tenon::runtime::cuda
