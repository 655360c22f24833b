#include "tenon/runtime/cuda/device_executable.h"

#include "tenon/runtime/cuda/graph.h"
#include "tenon/runtime/cuda/run_in_flight.h"
#include "tenon/runtime/cuda/walk.h"

#include <algorithm>

namespace tenon::runtime::cuda {
namespace {

// A phase is started with as many threads as have this much scratch memory together, at least a block's.
constexpr int64_t kScratchBytes = int64_t{64} << 20;
constexpr int64_t kMostBlocks = int64_t{1} << 30;
// Runs of one program in the stream: one that works, and the next. Each has memory of its own.
constexpr size_t kMostInFlight = 2;

} // namespace

// Fewer threads than tasks only where they have scratch memory: others take one task each (codegen/gpu/task_kernel.h).
int64_t LoadedDeviceCode::blocksOf(const program::DeviceKernel &kernel) const {
  int64_t blocks = std::min((kernel.tasks + kernel.blockTasks - 1) / kernel.blockTasks, kMostBlocks);
  if (kernel.scratchBytes > 0)
    blocks = std::min(blocks, std::max<int64_t>(1, kScratchBytes / (kernel.blockThreads * kernel.scratchBytes)));
  return blocks;
}

DeviceExecutable::DeviceExecutable(const Driver &driver, program::DeviceProgram program,
                                   const program::Program &description, StreamHandle *stream)
    : code_{driver, nullptr, std::move(program), description, {}, {}, {}, {}, {}, {}}, stream_(stream) {}

StatusOr<std::unique_ptr<DeviceExecutable>> DeviceExecutable::load(const Driver &driver, program::DeviceProgram program,
                                                                   const program::Program &description,
                                                                   StreamHandle *stream, RunMode mode,
                                                                   const DeviceLibraries &libraries) {
  std::unique_ptr<DeviceExecutable> made(new DeviceExecutable(driver, std::move(program), description, stream));
  made->mode_ = mode;
  made->libraries_ = libraries;
  TENON_DRIVER(driver, contextGetCurrent, &made->code_.context);
  TENON_RETURN_IF_ERROR(made->loadServices());
  TENON_RETURN_IF_ERROR(made->loadLibraryOps());
  TENON_RETURN_IF_ERROR(made->loadModules());
  TENON_RETURN_IF_ERROR(made->loadConstants());
  return made;
}

DeviceExecutable::~DeviceExecutable() {
  for (const std::shared_ptr<RunInFlight> &run : inFlight_)
    (void)run->wait(); // and gives back its memory
  idle_.clear();
  enqueued_.reset();
  code_.libraryOps.clear();
  for (ModuleHandle *module : code_.modules)
    code_.driver.moduleUnload(module);
}

// As many blocks as are at work at once, where they wait for each other.
static Status limitBlocks(const Driver &driver, FunctionHandle *function, program::DeviceKernel &kernel) {
  Device device = 0;
  int multiprocessors = 0, blocks = 0;
  TENON_DRIVER(driver, contextGetDevice, &device);
  TENON_DRIVER(driver, deviceGetAttribute, &multiprocessors, DeviceAttribute::kMultiprocessors, device);
  TENON_DRIVER(driver, occupancyMaxActiveBlocks, &blocks, function, kernel.blockThreads, size_t(kernel.sharedBytes));
  if (blocks == 0)
    return failedPrecondition("the device has no room for a block of " + kernel.name);
  kernel.tasks = std::min(kernel.tasks, int64_t{blocks} * multiprocessors * kernel.blockTasks);
  return {};
}

// Machine code is for one chip: a newer one takes the PTX. So does a driver that knows what kernels call of it
// (GpuBuilder::emitSetConditional) in PTX alone.
StatusOr<ModuleHandle *> DeviceExecutable::handleOf(const program::DeviceModule &module) {
  const int32_t other = module.machineCodeOf;
  const std::string &machineCode = other < 0 ? module.machineCode : code_.program.modules[size_t(other)].machineCode;
  ModuleHandle *handle = nullptr;
  if (!machineCode.empty()) {
    auto [loaded, isNew] = machineCode_.try_emplace(machineCode.data(), nullptr);
    if (isNew && code_.driver.moduleLoadData(&handle, machineCode.data()) == Result::kSuccess)
      loaded->second = code_.modules.emplace_back(handle);
    if (loaded->second)
      return loaded->second;
  }
  TENON_DRIVER(code_.driver, moduleLoadData, &handle, module.code.data());
  return code_.modules.emplace_back(handle);
}

Status DeviceExecutable::loadModule(program::DeviceModule &module, std::vector<FunctionHandle *> &kernels) {
  TENON_ASSIGN_OR_RETURN(ModuleHandle * handle, handleOf(module));
  for (program::DeviceKernel &kernel : module.kernels) {
    FunctionHandle *&function = kernels.emplace_back();
    TENON_DRIVER(code_.driver, moduleGetFunction, &function, handle, kernel.name.c_str());
    if (kernel.sharedBytes > kPlainSharedBytes)
      TENON_DRIVER(code_.driver, functionSetAttribute, function, FunctionAttribute::kMaxDynamicSharedBytes,
                   kernel.sharedBytes);
    if (kernel.isCooperative)
      TENON_RETURN_IF_ERROR(limitBlocks(code_.driver, function, kernel));
  }
  return {};
}

Status DeviceExecutable::loadModules() {
  for (program::DeviceModule &module : code_.program.modules)
    TENON_RETURN_IF_ERROR(loadModule(module, code_.kernels.emplace_back()));
  if (mode_ == RunMode::kWalk || !Graph::canBe(code_))
    mode_ = RunMode::kWalk;
  else
    TENON_RETURN_IF_ERROR(loadModule(code_.program.control, code_.control));
  return {};
}

Status DeviceExecutable::loadConstants() {
  for (const program::Constant &constant : code_.description.constants) {
    TENON_ASSIGN_OR_RETURN(DeviceMemory memory, DeviceMemory::allocate(code_.driver, constant.bytes.size(), stream_));
    if (!constant.bytes.empty())
      TENON_DRIVER(code_.driver, memcpyHtoDAsync, memory.address(), constant.bytes.data(), constant.bytes.size(),
                   stream_);
    code_.constants.push_back(std::move(memory));
  }
  return statusOf(code_.driver.streamSynchronize(stream_), "streamSynchronize");
}

Status DeviceExecutable::loadServices() {
  for (const program::RuntimeCall &call : code_.description.runtimeCalls) {
    TENON_ASSIGN_OR_RETURN(auto onDevice, instantiateDeviceCall(call));
    if (!onDevice) {
      TENON_ASSIGN_OR_RETURN(onDevice, libraries_.instantiate(call));
    }
    const bool isEverOnHost = !onDevice || onDevice->meets();
    code_.deviceCalls.push_back(std::move(onDevice));
    code_.services.emplace_back();
    if (isEverOnHost) {
      TENON_ASSIGN_OR_RETURN(code_.services.back(), instantiateRuntimeCall(call));
    }
  }
  return {};
}

Status DeviceExecutable::loadLibraryOps() {
  for (const program::DeviceModule &module : code_.program.modules) {
    code_.libraryOps.emplace_back();
    if (module.op) {
      TENON_ASSIGN_OR_RETURN(code_.libraryOps.back(), libraries_.make(*module.op));
    }
  }
  code_.isExchanged = exchangedPlaces(code_.program);
  code_.librarySteps = findLibrarySteps(code_.program, code_.isExchanged, code_.libraryOps);
  return {};
}

StatusOr<std::unique_ptr<DeviceRunner>> DeviceExecutable::takeRunner() {
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<DeviceRunner> runner = std::move(idle_.back());
      idle_.pop_back();
      return runner;
    }
  }
  return makeRunner();
}

StatusOr<std::unique_ptr<DeviceRunner>> DeviceExecutable::makeRunner() {
  return mode_ == RunMode::kWalk ? Walk::create(code_, stream_) : Graph::create(code_, stream_);
}

Status DeviceExecutable::run(const DeviceRun &run) {
  TENON_ASSIGN_OR_RETURN(std::unique_ptr<DeviceRunner> runner, takeRunner());
  Status status = runner->run(run);
  giveBack(std::move(runner));
  return status;
}

void DeviceExecutable::giveBack(std::unique_ptr<DeviceRunner> runner) {
  std::lock_guard lock(mutex_);
  idle_.push_back(std::move(runner));
}

void DeviceExecutable::waitForRoom() {
  std::shared_ptr<RunInFlight> first;
  {
    std::lock_guard lock(mutex_);
    while (!inFlight_.empty() && inFlight_.front()->isDone())
      inFlight_.pop_front();
    if (inFlight_.size() < kMostInFlight)
      return;
    first = inFlight_.front();
  }
  (void)first->wait(); // who started it is told
}

StatusOr<std::shared_ptr<DeviceWork>> DeviceExecutable::start(const DeviceRun &run) {
  waitForRoom();
  TENON_ASSIGN_OR_RETURN(std::unique_ptr<DeviceRunner> runner, takeRunner());
  if (runner->waits(run.options)) {
    Status status = runner->run(run);
    giveBack(std::move(runner));
    return status.ok() ? StatusOr<std::shared_ptr<DeviceWork>>(nullptr) : status;
  }
  auto started = std::make_shared<RunInFlight>(code_, std::move(runner),
                                               [this](std::unique_ptr<DeviceRunner> own) { giveBack(std::move(own)); });
  TENON_RETURN_IF_ERROR(started->begin(run, stream_));
  std::lock_guard lock(mutex_);
  inFlight_.push_back(started);
  return std::shared_ptr<DeviceWork>(std::move(started));
}

Status DeviceExecutable::enqueue(const DeviceRun &run, StreamHandle *stream) {
  std::lock_guard lock(enqueueMutex_);
  if (!enqueued_) {
    TENON_ASSIGN_OR_RETURN(enqueued_, makeRunner());
  }
  return enqueued_->enqueue(run, stream);
}

} // namespace tenon::runtime::cuda
