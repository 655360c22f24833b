#include "tenon/codegen/gpu/step_joining.h"

#include "tenon/codegen/gpu/loop_steps.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

using program::BranchStep, program::CopyStep, program::DevicePlace, program::DeviceStep, program::DeviceSteps,
    program::KernelStep, program::LoopStep, program::ServiceStep;

// What a thread copies by itself, and the largest of arrays that it computes.
constexpr int64_t kFewBytes = 64;

} // namespace

void StepJoiner::add(mlir::Operation *op, int32_t module) {
  numOperands_[module] = op->getNumOperands();
  auto isFew = [](mlir::Value result) { return tensorBytes(result.getType()) <= kFewBytes; };
  if (all_of(op->getResults(), isFew) && small_.isForThread(op))
    smallModules_.insert(module);
}

bool StepJoiner::isSmall(const DeviceStep &step) const {
  if (const auto *copy = std::get_if<CopyStep>(&step.what))
    return copy->bytes <= kFewBytes;
  const auto *kernel = std::get_if<KernelStep>(&step.what);
  return kernel && smallModules_.contains(kernel->module);
}

// Loops and branches are taken as if they wrote all that is in them.
void StepJoiner::add(const DeviceStep &step, Accesses &accesses) const {
  auto insert = [](SetVector<int32_t> &places, ArrayRef<int32_t> added) {
    for (int32_t place : added)
      if (place >= 0)
        places.insert(place);
  };
  if (const auto *copy = std::get_if<CopyStep>(&step.what)) {
    accesses.reads.insert(copy->from);
    accesses.writes.insert(copy->to);
  } else if (const auto *kernel = std::get_if<KernelStep>(&step.what)) {
    auto found = numOperands_.find(kernel->module);
    size_t read = found == numOperands_.end() ? 0 : found->second; // of several steps: all may be written
    insert(accesses.reads, ArrayRef(kernel->row).take_front(read));
    insert(accesses.writes, ArrayRef(kernel->row).drop_front(read));
  } else if (const auto *service = std::get_if<ServiceStep>(&step.what)) {
    insert(accesses.reads, service->operands);
    insert(accesses.writes, service->results);
  } else if (const auto *loop = std::get_if<LoopStep>(&step.what)) {
    accesses.writes.insert(loop->predicate);
    for (const auto *steps : {&loop->condition, &loop->body})
      for (const DeviceStep &own : *steps)
        add(own, accesses);
    if (loop->turn)
      insert(accesses.writes, loop->turn->row);
    for (const auto *copies : {&loop->toTemporaries, &loop->copies})
      for (const CopyStep &own : *copies)
        add(DeviceStep{own}, accesses);
    for (auto [home, other] : loop->exchanges)
      insert(accesses.writes, {home, other});
  } else if (const auto *branch = std::get_if<BranchStep>(&step.what)) {
    accesses.reads.insert(branch->selector);
    for (const DeviceSteps &steps : branch->branches)
      for (const DeviceStep &own : steps)
        add(own, accesses);
  }
}

StepJoiner::Accesses StepJoiner::accessesOf(const DeviceStep &step) const {
  Accesses accesses;
  add(step, accesses);
  return accesses;
}

// A result may be in an argument's memory, if that was given away.
bool StepJoiner::mayOverlap(int32_t one, int32_t other) const {
  using Base = DevicePlace::Base;
  const DevicePlace &first = places_[size_t(one)], &second = places_[size_t(other)];
  if (first.base == Base::kConstant || second.base == Base::kConstant)
    return first.base == second.base && first.index == second.index;
  if (first.base == Base::kArena && second.base == Base::kArena)
    return first.offset < second.offset + bytes_.at(other) && second.offset < first.offset + bytes_.at(one);
  return first.base != Base::kArena && second.base != Base::kArena &&
         (first.base != second.base || first.index == second.index);
}

bool StepJoiner::mayOverlap(const SetVector<int32_t> &these, const SetVector<int32_t> &those) const {
  return any_of(these, [&](int32_t one) {
    return any_of(those, [&](int32_t other) {
      return mayOverlap(one, other) ||
             (exchanged_.contains(other) && any_of(exchanged_, [&](int32_t place) { return mayOverlap(one, place); }));
    });
  });
}

bool StepJoiner::mayConflict(const Accesses &one, const Accesses &other) const {
  return mayOverlap(one.writes, other.writes) || mayOverlap(one.writes, other.reads) ||
         mayOverlap(one.reads, other.writes);
}

KernelStep StepJoiner::addKernel(StepKernel kernel) {
  SetVector<int32_t> places;
  for (const DeviceStep &step : kernel.steps) {
    Accesses accesses = accessesOf(step);
    places.insert_range(accesses.reads);
    places.insert_range(accesses.writes);
    if (const auto *own = std::get_if<KernelStep>(&step.what))
      kernel.plans[own->module] = &small_.planOf(own->module);
  }
  if (kernel.predicate)
    places.insert(*kernel.predicate);
  kernel.row.assign(places.begin(), places.end());
  int32_t number = nextNumber();
  kernel.name = (kernel.predicate ? "turn_" : "steps_") + std::to_string(number - small_.numModules());
  KernelStep step{number, {kernel.row.begin(), kernel.row.end()}};
  kernels_.emplace(number, std::move(kernel));
  return step;
}

void StepJoiner::join(DeviceSteps &steps) {
  DeviceSteps joined;
  for (size_t i = 0; i < steps.size();) {
    size_t end = i;
    while (end < steps.size() && isSmall(steps[end]))
      ++end;
    if (end > i + 1) {
      StepKernel kernel;
      kernel.steps.assign(steps.begin() + int64_t(i), steps.begin() + int64_t(end));
      joined.push_back({addKernel(std::move(kernel))});
      i = end;
    } else {
      joined.push_back(std::move(steps[i++]));
    }
  }
  steps = std::move(joined);
}

DeviceSteps StepJoiner::takeLast(DeviceSteps &steps, SmallVectorImpl<Accesses> &behind) const {
  DeviceSteps taken, left;
  for (DeviceStep &step : reverse(steps)) {
    Accesses accesses = accessesOf(step);
    bool isTaken = isSmall(step) && !mayOverlap(accesses.reads, exchanged_) &&
                   !mayOverlap(accesses.writes, exchanged_) &&
                   none_of(behind, [&](const Accesses &later) { return mayConflict(accesses, later); });
    (isTaken ? taken : left).push_back(std::move(step));
    if (!isTaken)
      behind.push_back(std::move(accesses));
  }
  steps.assign(std::make_move_iterator(left.rbegin()), std::make_move_iterator(left.rend()));
  std::ranges::reverse(taken);
  return taken;
}

void StepJoiner::formTurn(LoopStep &loop) {
  exchanged_ = contentsOf(loop).exchanged();
  auto staysSmall = [&](const DeviceStep &step) {
    Accesses accesses = accessesOf(step);
    return isSmall(step) && !mayOverlap(accesses.reads, exchanged_) && !mayOverlap(accesses.writes, exchanged_);
  };
  if (!all_of(loop.condition, staysSmall) || exchanged_.contains(loop.predicate))
    return;
  SmallVector<Accesses> behind;
  auto takeCopies = [&](std::vector<CopyStep> &copies) {
    DeviceSteps steps;
    for (const CopyStep &copy : copies)
      steps.push_back({copy});
    DeviceSteps taken = takeLast(steps, behind);
    copies.clear();
    for (const DeviceStep &step : steps)
      copies.push_back(std::get<CopyStep>(step.what));
    return taken;
  };
  StepKernel kernel;
  DeviceSteps copies = takeCopies(loop.copies), toTemporaries = takeCopies(loop.toTemporaries);
  kernel.steps = takeLast(loop.body, behind);
  for (DeviceSteps *steps : {&toTemporaries, &copies, &loop.condition})
    kernel.steps.insert(kernel.steps.end(), steps->begin(), steps->end());
  kernel.predicate = loop.predicate;
  kernel.exchanges = !exchanged_.empty();
  loop.turn = addKernel(std::move(kernel));
  exchanged_.clear();
}

} // namespace tenon::codegen
