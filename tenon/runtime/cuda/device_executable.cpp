#include "tenon/runtime/cuda/device_executable.h"

#include <algorithm>
#include <string>

namespace tenon::runtime::cuda {
namespace {

// A phase is started with as many threads as have this much scratch memory together, at least a block's.
constexpr int64_t kScratchBytes = int64_t{64} << 20;
constexpr int64_t kMostBlocks = int64_t{1} << 30;

Status statusOf(Result result, const char *call) {
  if (result == Result::kSuccess)
    return {};
  std::string message = std::string(call) + " fails: error " + std::to_string(static_cast<int>(result));
  return result == Result::kOutOfMemory
             ? Status(StatusCode::kResourceExhausted, "out of memory on the device: " + message)
             : internalError(std::move(message));
}

#define TENON_DRIVER(function, ...) TENON_RETURN_IF_ERROR(statusOf(driver_.function(__VA_ARGS__), #function))

} // namespace

StatusOr<DeviceMemory> DeviceMemory::allocate(const Driver &driver, size_t bytes) {
  DeviceMemory memory;
  TENON_RETURN_IF_ERROR(statusOf(driver.memAlloc(&memory.address_, std::max<size_t>(bytes, 1)), "memAlloc"));
  memory.driver_ = &driver;
  return memory;
}

DeviceMemory &DeviceMemory::operator=(DeviceMemory &&other) noexcept {
  std::swap(driver_, other.driver_);
  std::swap(address_, other.address_);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  if (driver_)
    driver_->memFree(address_);
}

StatusOr<std::unique_ptr<DeviceExecutable>> DeviceExecutable::load(const Driver &driver, program::DeviceProgram program,
                                                                   const std::vector<program::Constant> &constants,
                                                                   StreamHandle *stream) {
  std::unique_ptr<DeviceExecutable> made(new DeviceExecutable(driver, std::move(program)));
  TENON_RETURN_IF_ERROR(made->loadModules());
  TENON_RETURN_IF_ERROR(made->loadConstants(constants, stream));
  size_t pointers = 0;
  made->countRows(made->program_.steps, pointers);
  int64_t scratchBytes = 0;
  for (const program::DeviceModule &module : made->program_.modules)
    for (const program::DeviceKernel &kernel : module.kernels)
      scratchBytes = std::max(scratchBytes, made->blocksOf(kernel) * kernel.blockThreads * kernel.scratchBytes);
  TENON_ASSIGN_OR_RETURN(made->arena_, DeviceMemory::allocate(driver, size_t(made->program_.arenaBytes)));
  TENON_ASSIGN_OR_RETURN(made->scratch_, DeviceMemory::allocate(driver, size_t(scratchBytes)));
  TENON_ASSIGN_OR_RETURN(made->rowTable_, DeviceMemory::allocate(driver, pointers * sizeof(DeviceAddress)));
  for (auto &[step, row] : made->rows_)
    row.address += made->rowTable_.address();
  return made;
}

DeviceExecutable::~DeviceExecutable() {
  for (ModuleHandle *module : modules_)
    driver_.moduleUnload(module);
}

Status DeviceExecutable::loadModules() {
  for (const program::DeviceModule &module : program_.modules) {
    ModuleHandle *handle = nullptr;
    TENON_DRIVER(moduleLoadData, &handle, module.code.data());
    modules_.push_back(handle);
    kernels_.emplace_back();
    for (const program::DeviceKernel &kernel : module.kernels)
      TENON_DRIVER(moduleGetFunction, &kernels_.back().emplace_back(), handle, kernel.name.c_str());
  }
  return {};
}

Status DeviceExecutable::loadConstants(const std::vector<program::Constant> &constants, StreamHandle *stream) {
  for (const program::Constant &constant : constants) {
    TENON_ASSIGN_OR_RETURN(DeviceMemory memory, DeviceMemory::allocate(driver_, constant.bytes.size()));
    if (!constant.bytes.empty())
      TENON_DRIVER(memcpyHtoDAsync, memory.address(), constant.bytes.data(), constant.bytes.size(), stream);
    constants_.push_back(std::move(memory));
  }
  TENON_DRIVER(streamSynchronize, stream);
  return {};
}

// Gives each kernel step a row: as an offset, until there is a table.
void DeviceExecutable::countRows(const program::DeviceSteps &steps, size_t &pointers) {
  for (const program::DeviceStep &step : steps) {
    if (const auto *kernel = std::get_if<program::KernelStep>(&step.what)) {
      rows_[kernel].address = pointers * sizeof(DeviceAddress);
      pointers += kernel->row.size();
    } else if (const auto *loop = std::get_if<program::LoopStep>(&step.what)) {
      countRows(loop->condition, pointers);
      countRows(loop->body, pointers);
    } else if (const auto *branch = std::get_if<program::BranchStep>(&step.what)) {
      for (const program::DeviceSteps &own : branch->branches)
        countRows(own, pointers);
    }
  }
}

int64_t DeviceExecutable::blocksOf(const program::DeviceKernel &kernel) const {
  int64_t blocks = std::min((kernel.tasks + kernel.blockTasks - 1) / kernel.blockTasks, kMostBlocks);
  if (kernel.scratchBytes > 0)
    blocks = std::min(blocks, std::max<int64_t>(1, kScratchBytes / (kernel.blockThreads * kernel.scratchBytes)));
  return blocks;
}

Status DeviceExecutable::run(std::span<const DeviceAddress> arguments, std::span<const DeviceAddress> results,
                             StreamHandle *stream) {
  using Base = program::DevicePlace::Base;
  stream_ = stream;
  Places places;
  for (const program::DevicePlace &place : program_.places)
    places.push_back(place.base == Base::kArena      ? arena_.address() + uint64_t(place.offset)
                     : place.base == Base::kArgument ? arguments[size_t(place.index)]
                     : place.base == Base::kResult   ? results[size_t(place.index)]
                                                     : constants_[size_t(place.index)].address());
  Status status = runSteps(program_.steps, places);
  Status ended = statusOf(driver_.streamSynchronize(stream), "streamSynchronize");
  sentRows_.clear();
  if (!status.ok() || !ended.ok())
    for (auto &[step, row] : rows_) // what came of them is not known
      row.contents.clear();
  return status.ok() ? ended : status;
}

Status DeviceExecutable::runSteps(const program::DeviceSteps &steps, Places &places) {
  for (const program::DeviceStep &step : steps)
    TENON_RETURN_IF_ERROR(std::visit([&](const auto &what) { return runStep(what, places); }, step.what));
  return {};
}

Status DeviceExecutable::runStep(const program::KernelStep &step, Places &places) {
  Row &row = rows_.at(&step);
  std::vector<DeviceAddress> contents;
  for (int32_t place : step.row)
    contents.push_back(place < 0 ? 0 : places[size_t(place)]);
  if (contents != row.contents && !contents.empty()) {
    row.contents = contents;
    sentRows_.push_back(std::move(contents));
    TENON_DRIVER(memcpyHtoDAsync, row.address, sentRows_.back().data(), row.contents.size() * sizeof(DeviceAddress),
                 stream_);
  }
  const program::DeviceModule &module = program_.modules[size_t(step.module)];
  for (size_t i = 0; i < module.kernels.size(); ++i) {
    const program::DeviceKernel &kernel = module.kernels[i];
    DeviceAddress scratch = scratch_.address();
    int64_t tasks = kernel.tasks, scratchBytes = kernel.scratchBytes;
    void *parameters[] = {&row.address, &tasks, &scratch, &scratchBytes};
    TENON_DRIVER(launchKernel, kernels_[size_t(step.module)][i], unsigned(blocksOf(kernel)), 1, 1,
                 unsigned(kernel.blockThreads), 1, 1, unsigned(kernel.sharedBytes), stream_, parameters, nullptr);
  }
  return {};
}

Status DeviceExecutable::copy(DeviceAddress to, DeviceAddress from, int64_t bytes) {
  if (to == from || bytes == 0)
    return {};
  TENON_DRIVER(memcpyDtoDAsync, to, from, size_t(bytes), stream_);
  return {};
}

Status DeviceExecutable::runStep(const program::CopyStep &step, Places &places) {
  return copy(places[size_t(step.to)], places[size_t(step.from)], step.bytes);
}

Status DeviceExecutable::read(DeviceAddress from, void *to, size_t bytes) {
  TENON_DRIVER(memcpyDtoHAsync, to, from, bytes, stream_);
  TENON_DRIVER(streamSynchronize, stream_);
  sentRows_.clear();
  return {};
}

// Each iteration begins with the arrays where they were in the one before, but for those that have exchanged.
Status DeviceExecutable::runStep(const program::LoopStep &step, Places &places) {
  for (Places begun = places;; places = begun) {
    TENON_RETURN_IF_ERROR(runSteps(step.condition, places));
    uint8_t goesOn = 0;
    TENON_RETURN_IF_ERROR(read(places[size_t(step.predicate)], &goesOn, sizeof(goesOn)));
    if (!goesOn) {
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
  }
}

Status DeviceExecutable::runStep(const program::BranchStep &step, Places &places) {
  int32_t selector = 0;
  TENON_RETURN_IF_ERROR(
      read(places[size_t(step.selector)], &selector, step.isTwoWay ? sizeof(uint8_t) : sizeof(selector)));
  auto last = int32_t(step.branches.size()) - 1;
  int32_t chosen = step.isTwoWay ? int32_t(selector == 0) : selector < 0 || selector > last ? last : selector;
  Places own = places;
  return runSteps(step.branches[size_t(chosen)], own);
}

} // namespace tenon::runtime::cuda
