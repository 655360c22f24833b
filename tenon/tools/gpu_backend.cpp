#include "tenon/tools/gpu_backend.h"

#include "tenon/codegen/cpu/target.h"
#include "tenon/codegen/gpu/target.h"
#include "tenon/compiler/pipeline.h"
#include "tenon/runtime/cuda/device_executable.h"
#include "tenon/runtime/cuda/library.h"
#include "tenon/runtime/emulator/driver.h"

#include <map>
#include <memory>
#include <mutex>

namespace tenon::tools {
namespace {

using runtime::cuda::DeviceAddress, runtime::cuda::DeviceAttribute, runtime::cuda::DeviceExecutable,
    runtime::cuda::DeviceMemory, runtime::cuda::Driver, runtime::cuda::Result, runtime::cuda::StreamHandle;

// The first device of a driver.
struct Device {
  Driver driver;
  bool isEmulated = false;
  std::string chip; // that code is made for

  // With the device's context for the calling thread.
  StatusOr<StreamHandle *> makeStream() const {
    runtime::cuda::ContextHandle *context = nullptr;
    StreamHandle *stream = nullptr;
    if (driver.primaryContextRetain(&context, 0) != Result::kSuccess ||
        driver.contextSetCurrent(context) != Result::kSuccess || driver.streamCreate(&stream, 0) != Result::kSuccess)
      return explained(internalError("the GPU does not start"));
    return stream;
  }

  void release(StreamHandle *stream) const {
    driver.streamDestroy(stream);
    driver.primaryContextRelease(0);
  }

  // With what the emulation has to say.
  Status explained(Status status) const {
    if (status.ok() || !isEmulated)
      return status;
    return Status(status.code(), status.message() + ": " + runtime::emulator::takeFailure());
  }
};

// Code for a chip runs on itself, and that of sm_80, which asks for nothing special, on all that are newer.
StatusOr<std::string> chipOf(const Driver &driver) {
  int major = 0, minor = 0;
  if (driver.deviceGetAttribute(&major, DeviceAttribute::kComputeMajor, 0) != Result::kSuccess ||
      driver.deviceGetAttribute(&minor, DeviceAttribute::kComputeMinor, 0) != Result::kSuccess)
    return internalError("the driver does not say what kind of GPU there is");
  if (major < 8)
    return unimplemented("there is no code for GPUs of compute capability " + std::to_string(major) + "." +
                         std::to_string(minor) + ", only for 8.0 and newer");
  return std::string(minor > 0 ? "sm_80" : major == 9 ? "sm_90a" : major == 10 ? "sm_100a" : "sm_80");
}

StatusOr<Device> openDevice(std::string_view name) {
  Device device;
  device.isEmulated = name == "emulated";
  if (device.isEmulated) {
    device.driver = runtime::emulator::driver();
  } else {
    TENON_ASSIGN_OR_RETURN(device.driver, runtime::cuda::openDriver());
  }
  int count = 0;
  if (device.driver.init(0) != Result::kSuccess || device.driver.deviceGetCount(&count) != Result::kSuccess ||
      count == 0)
    return notFound("the driver finds no GPU");
  TENON_ASSIGN_OR_RETURN(device.chip, chipOf(device.driver));
  return device;
}

class GpuExecutable final : public backend::Executable {
public:
  GpuExecutable(const Device &device, program::Program program, program::DeviceProgram code)
      : device_(device), program_(std::move(program)), code_(std::move(code)) {}

  const program::Program &program() const override { return program_; }

  // Loaded for each run, which copies all arrays: what is looked at here is the results.
  Status execute(std::span<const void *const> arguments, std::span<void *const> results,
                 const runtime::RunOptions &) const override {
    static std::mutex mutex; // one run at a time
    std::lock_guard lock(mutex);
    TENON_ASSIGN_OR_RETURN(StreamHandle * stream, device_.makeStream());
    Status status = device_.explained(runOn(stream, arguments, results));
    device_.release(stream);
    return status;
  }

  StatusOr<std::string> serialize() const override { return unimplemented("programs for GPUs cannot be stored yet"); }
  StatusOr<std::string> optimizedModule() const override {
    return unimplemented("programs for GPUs are shown by tenon compile --target cuda:CHIP");
  }

private:
  Status runOn(StreamHandle *stream, std::span<const void *const> arguments, std::span<void *const> results) const {
    const Driver &driver = device_.driver;
    TENON_ASSIGN_OR_RETURN(auto executable, DeviceExecutable::load(driver, code_, program_.constants, stream));
    std::vector<DeviceMemory> memory;
    std::vector<DeviceAddress> argumentAddresses, resultAddresses;
    for (size_t i = 0; i < arguments.size(); ++i) {
      auto bytes = size_t(program_.arguments[i].shape.byteSize());
      TENON_ASSIGN_OR_RETURN(memory.emplace_back(), DeviceMemory::allocate(driver, bytes));
      argumentAddresses.push_back(memory.back().address());
      if (bytes && driver.memcpyHtoDAsync(memory.back().address(), arguments[i], bytes, stream) != Result::kSuccess)
        return internalError("an argument cannot be copied to the device");
    }
    for (const program::Result &result : program_.results) {
      TENON_ASSIGN_OR_RETURN(memory.emplace_back(), DeviceMemory::allocate(driver, size_t(result.shape.byteSize())));
      resultAddresses.push_back(memory.back().address());
    }
    TENON_RETURN_IF_ERROR(executable->run(argumentAddresses, resultAddresses, stream));
    for (size_t i = 0; i < results.size(); ++i)
      if (auto bytes = size_t(program_.results[i].shape.byteSize());
          bytes && driver.memcpyDtoHAsync(results[i], resultAddresses[i], bytes, stream) != Result::kSuccess)
        return internalError("a result cannot be copied from the device");
    return driver.streamSynchronize(stream) == Result::kSuccess ? Status() : internalError("the device fails");
  }

  const Device &device_;
  program::Program program_;
  program::DeviceProgram code_;
};

class GpuBackend final : public backend::Backend {
public:
  explicit GpuBackend(Device device) : device_(std::move(device)) {}

  StatusOr<std::shared_ptr<backend::Executable>> compile(std::string_view module,
                                                         const backend::CompileOptions &options) override {
    if (!options.overrides.empty())
      return invalidArgument("No such compile option: '" + options.overrides.front().first + "'");
    if (options.numReplicas > 1 || options.numPartitions > 1)
      return unimplemented("programs for GPUs run on one device");
    compiler::CompileOptions request;
    request.argumentShapes = options.argumentShapes;
    request.argumentValues = options.argumentValues;
    request.fileName = options.fileName;
    request.imported = options.imported;
    request.selfContained = true;
    if (options.reached)
      request.inspect = [&](std::string_view stage, mlir::ModuleOp) { options.reached(stage); };
    program::DeviceProgram code;
    codegen::GpuTargetOptions targetOptions;
    targetOptions.chip = device_.chip;
    if (device_.isEmulated) {
      TENON_ASSIGN_OR_RETURN(codegen::CpuTarget processor,
                             codegen::CpuTarget::create({.maxVectorBits = codegen::kGpuVectorBits}));
      targetOptions.emulator = std::make_shared<codegen::CpuTarget>(std::move(processor));
    }
    targetOptions.receive = [&](program::DeviceProgram received) { code = std::move(received); };
    TENON_ASSIGN_OR_RETURN(codegen::GpuTarget target, codegen::GpuTarget::create(std::move(targetOptions)));
    TENON_ASSIGN_OR_RETURN(program::Program program, compiler::compileFor(target, module, request));
    return std::shared_ptr<backend::Executable>(
        std::make_shared<GpuExecutable>(device_, std::move(program), std::move(code)));
  }

  std::string target() const override { return (device_.isEmulated ? "emulated:" : "cuda:") + device_.chip; }

  StatusOr<std::shared_ptr<backend::Executable>> deserialize(std::string_view) override {
    return unimplemented("programs for GPUs cannot be stored yet");
  }

private:
  Device device_;
};

} // namespace

bool isGpuTarget(std::string_view name) { return name == "cuda" || name == "emulated"; }

StatusOr<backend::Backend *> gpuBackend(std::string_view name) {
  static std::mutex mutex;
  static auto *opened = new std::map<std::string, std::unique_ptr<GpuBackend>, std::less<>>();
  std::lock_guard lock(mutex);
  if (auto found = opened->find(name); found != opened->end())
    return found->second.get();
  TENON_ASSIGN_OR_RETURN(Device device, openDevice(name));
  std::unique_ptr<GpuBackend> &made = (*opened)[std::string(name)];
  made = std::make_unique<GpuBackend>(std::move(device));
  return made.get();
}

} // namespace tenon::tools
