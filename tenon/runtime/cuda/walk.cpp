#include "tenon/runtime/cuda/walk.h"

#include "tenon/runtime/core/abi.h"
#include "tenon/runtime/core/interrupt.h"
#include "tenon/runtime/cuda/service_calls.h"

#include <utility>

namespace tenon::runtime::cuda {
StatusOr<std::unique_ptr<DeviceRunner>> Walk::create(const LoadedDeviceCode &code, StreamHandle *stream) {
  std::unique_ptr<Walk> made(new Walk(code, stream));
  TENON_RETURN_IF_ERROR(made->allocate());
  return std::unique_ptr<DeviceRunner>(std::move(made));
}

Status Walk::allocate() {
  size_t pointers = 0;
  countRows(code_.program.steps, pointers);
  TENON_ASSIGN_OR_RETURN(work_, Workspace::allocate(code_, pointers, stream_));
  for (auto &[step, row] : rows_)
    row.address += work_.rows.address();
  return {};
}

// Gives each kernel step a row: as an offset, until there is a table.
void Walk::countRows(const program::DeviceSteps &steps, size_t &pointers) {
  for (const program::DeviceStep &step : steps) {
    if (const auto *kernel = std::get_if<program::KernelStep>(&step.what)) {
      countRow(*kernel, pointers);
    } else if (const auto *loop = std::get_if<program::LoopStep>(&step.what)) {
      countRows(loop->condition, pointers);
      countRows(loop->body, pointers);
      if (loop->turn)
        countRow(*loop->turn, pointers);
    } else if (const auto *branch = std::get_if<program::BranchStep>(&step.what)) {
      for (const program::DeviceSteps &own : branch->branches)
        countRows(own, pointers);
    }
  }
}

void Walk::countRow(const program::KernelStep &step, size_t &pointers) {
  rows_[&step].address = pointers * sizeof(DeviceAddress);
  pointers += step.row.size();
}

Status Walk::run(const DeviceRun &run) {
  options_ = &run.options;
  int32_t *stop = work_.stop.get();
  *stop = 0;
  Interrupt interrupt(run.options.wait, stop);
  CurrentRun worksFor(stop);
  Places places = work_.places(code_, run.arguments, run.results);
  Status status = runSteps(code_.program.steps, places);
  Status ended = wait();
  if (!status.ok() || !ended.ok())
    for (auto &[step, row] : rows_) // what came of them is not known
      row.contents.clear();
  if (tenon_stopped())
    return interrupt.reason();
  return status.ok() ? ended : status;
}

// It works in a stream of its own, after what there is in the other.
Status Walk::enqueue(const DeviceRun &run, StreamHandle *stream) {
  TENON_DRIVER(driver_, streamSynchronize, stream);
  return this->run(run);
}

Status Walk::wait() {
  Status status = statusOf(driver_.streamSynchronize(stream_), "streamSynchronize");
  sentRows_.clear();
  return status;
}

static Status stopped() { return {StatusCode::kCancelled, "the program was stopped"}; }

// A run that is to end starts nothing more; run() says why.
Status Walk::runSteps(const program::DeviceSteps &steps, Places &places) {
  for (const program::DeviceStep &step : steps) {
    if (tenon_stopped())
      return stopped();
    TENON_RETURN_IF_ERROR(std::visit([&](const auto &what) { return runStep(what, places); }, step.what));
  }
  return {};
}

std::vector<DeviceAddress> Walk::contentsOf(const program::KernelStep &step, const Places &places) {
  std::vector<DeviceAddress> contents;
  for (int32_t place : step.row)
    contents.push_back(place < 0 ? 0 : places[size_t(place)]);
  return contents;
}

Status Walk::runStep(const program::KernelStep &step, Places &places) {
  std::vector<DeviceAddress> contents = contentsOf(step, places);
  if (LibraryOp *op = code_.libraryOpOf(step))
    return op->enqueue(contents, work_.scratch.address(), stream_);
  TENON_ASSIGN_OR_RETURN(DeviceAddress row, sendRow(step, std::move(contents)));
  const program::DeviceModule &module = code_.program.modules[size_t(step.module)];
  for (size_t i = 0; i < module.kernels.size(); ++i) {
    const program::DeviceKernel &kernel = module.kernels[i];
    DeviceAddress scratch = work_.scratch.address();
    int64_t tasks = kernel.tasks, scratchBytes = kernel.scratchBytes;
    void *parameters[] = {&row, &tasks, &scratch, &scratchBytes};
    TENON_RETURN_IF_ERROR(launch(step, i, parameters));
  }
  return {};
}

StatusOr<DeviceAddress> Walk::sendRow(const program::KernelStep &step, std::vector<DeviceAddress> contents) {
  Row &row = rows_.at(&step);
  if (contents != row.contents && !contents.empty()) {
    row.contents = contents;
    sentRows_.push_back(std::move(contents));
    TENON_DRIVER(driver_, memcpyHtoDAsync, row.address, sentRows_.back().data(),
                 row.contents.size() * sizeof(DeviceAddress), stream_);
  }
  return row.address;
}

Status Walk::launch(const program::KernelStep &step, size_t number, void **parameters) {
  const program::DeviceKernel &kernel = code_.program.modules[size_t(step.module)].kernels[number];
  if (kernel.isCooperative) {
    TENON_DRIVER(driver_, launchCooperativeKernel, code_.kernels[size_t(step.module)][number],
                 unsigned(code_.blocksOf(kernel)), 1, 1, unsigned(kernel.blockThreads), 1, 1,
                 unsigned(kernel.sharedBytes), stream_, parameters);
    return {};
  }
  TENON_DRIVER(driver_, launchKernel, code_.kernels[size_t(step.module)][number], unsigned(code_.blocksOf(kernel)), 1,
               1, unsigned(kernel.blockThreads), 1, 1, unsigned(kernel.sharedBytes), stream_, parameters, nullptr);
  return {};
}

// The host decides, and exchanges places itself.
Status Walk::runTurn(const program::KernelStep &step, const Places &places) {
  if (tenon_stopped())
    return stopped();
  TENON_ASSIGN_OR_RETURN(DeviceAddress row, sendRow(step, contentsOf(step, places)));
  uint64_t nothing = 0;
  std::vector<void *> parameters(program::kTurnParameters, &nothing);
  parameters[0] = &row;
  return launch(step, 0, parameters.data());
}

Status Walk::copy(DeviceAddress to, DeviceAddress from, int64_t bytes) {
  if (to == from || bytes == 0)
    return {};
  TENON_DRIVER(driver_, memcpyDtoDAsync, to, from, size_t(bytes), stream_);
  return {};
}

Status Walk::runStep(const program::CopyStep &step, Places &places) {
  return copy(places[size_t(step.to)], places[size_t(step.from)], step.bytes);
}

Status Walk::runStep(const program::ServiceStep &step, Places &places) {
  auto addressesOf = [&](const std::vector<int32_t> &numbers) {
    std::vector<DeviceAddress> addresses;
    for (int32_t place : numbers)
      addresses.push_back(place < 0 ? 0 : places[size_t(place)]);
    return addresses;
  };
  ServiceArrays arrays{addressesOf(step.operands), addressesOf(step.results)};
  if (!isOnDevice(code_, step.call, *options_))
    return callOnHost(code_, step.call, arrays, stream_, *options_);
  const program::RuntimeCall &call = code_.description.runtimeCalls[size_t(step.call)];
  for (auto [result, operand] : call.aliases)
    TENON_RETURN_IF_ERROR(copy(arrays.results[size_t(result)], arrays.operands[size_t(operand)],
                               call.results[size_t(result)].byteSize()));
  StreamScratch scratch(driver_, stream_);
  return callOnDevice(code_, step.call, arrays, stream_, scratch, *options_);
}

Status Walk::read(DeviceAddress from, void *to, size_t bytes) {
  TENON_DRIVER(driver_, memcpyDtoHAsync, to, from, bytes, stream_);
  return wait();
}

// Each iteration begins with the arrays where they were in the one before, but for those that have exchanged.
Status Walk::runStep(const program::LoopStep &step, Places &places) {
  Places begun = places;
  TENON_RETURN_IF_ERROR(runSteps(step.condition, places));
  for (;;) {
    uint8_t continues = 0;
    TENON_RETURN_IF_ERROR(read(places[size_t(step.predicate)], &continues, sizeof(continues)));
    if (!continues) {
      places = begun;
      return {};
    }
    TENON_RETURN_IF_ERROR(runSteps(step.body, places));
    for (const program::CopyStep &carry : step.toTemporaries)
      TENON_RETURN_IF_ERROR(copy(begun[size_t(carry.to)], places[size_t(carry.from)], carry.bytes));
    for (const program::CopyStep &carry : step.copies)
      TENON_RETURN_IF_ERROR(copy(begun[size_t(carry.to)], places[size_t(carry.from)], carry.bytes));
    for (auto [home, other] : step.exchanges)
      std::swap(begun[size_t(home)], begun[size_t(other)]);
    places = begun;
    TENON_RETURN_IF_ERROR(step.turn ? runTurn(*step.turn, places) : runSteps(step.condition, places));
  }
}

Status Walk::runStep(const program::BranchStep &step, Places &places) {
  int32_t selector = 0;
  TENON_RETURN_IF_ERROR(
      read(places[size_t(step.selector)], &selector, step.isTwoWay ? sizeof(uint8_t) : sizeof(selector)));
  auto last = int32_t(step.branches.size()) - 1;
  int32_t chosen = step.isTwoWay ? int32_t(selector == 0) : selector < 0 || selector > last ? last : selector;
  Places own = places;
  return runSteps(step.branches[size_t(chosen)], own);
}

} // namespace tenon::runtime::cuda
