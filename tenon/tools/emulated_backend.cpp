#include "tenon/tools/emulated_backend.h"

#include "tenon/codegen/gpu/target.h"
#include "tenon/compiler/pipeline.h"
#include "tenon/runtime/cuda/device_executable.h"
#include "tenon/runtime/emulator/driver.h"

#include <mutex>

namespace tenon::tools {
namespace {

using runtime::cuda::DeviceAddress, runtime::cuda::DeviceExecutable, runtime::cuda::DeviceMemory, runtime::cuda::Driver,
    runtime::cuda::Result;

// Status with what the emulation has to say.
Status explained(Status status) {
  if (std::string failure = runtime::emulator::takeFailure(); !status.ok() && !failure.empty())
    return Status(status.code(), status.message() + ": " + failure);
  return status;
}

// The device, for the calling thread.
class Device {
public:
  static const Driver &driver() { return runtime::emulator::driver(); }

  static StatusOr<runtime::cuda::StreamHandle *> makeStream() {
    runtime::cuda::ContextHandle *context = nullptr;
    runtime::cuda::StreamHandle *stream = nullptr;
    if (driver().init(0) != Result::kSuccess || driver().primaryContextRetain(&context, 0) != Result::kSuccess ||
        driver().contextSetCurrent(context) != Result::kSuccess ||
        driver().streamCreate(&stream, 0) != Result::kSuccess)
      return explained(internalError("the emulated device does not start"));
    return stream;
  }

  static void release(runtime::cuda::StreamHandle *stream) {
    driver().streamDestroy(stream);
    driver().primaryContextRelease(0);
  }
};

class EmulatedExecutable final : public backend::Executable {
public:
  EmulatedExecutable(program::Program program, program::DeviceProgram device)
      : program_(std::move(program)), device_(std::move(device)) {}

  const program::Program &program() const override { return program_; }

  // Loaded for each run: what is looked at here is the result.
  Status execute(std::span<const void *const> arguments, std::span<void *const> results,
                 const runtime::RunOptions &) const override {
    static std::mutex mutex; // one run at a time
    std::lock_guard lock(mutex);
    TENON_ASSIGN_OR_RETURN(runtime::cuda::StreamHandle * stream, Device::makeStream());
    Status status = explained(runOn(stream, arguments, results));
    Device::release(stream);
    return status;
  }

  StatusOr<std::string> serialize() const override {
    return unimplemented("programs for the emulated GPU cannot be stored yet");
  }
  StatusOr<std::string> optimizedModule() const override {
    return unimplemented("programs for the emulated GPU are shown by tenon compile --target cuda:CHIP");
  }

private:
  Status runOn(runtime::cuda::StreamHandle *stream, std::span<const void *const> arguments,
               std::span<void *const> results) const {
    const Driver &driver = Device::driver();
    TENON_ASSIGN_OR_RETURN(auto executable, DeviceExecutable::load(driver, device_, program_.constants, stream));
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

  program::Program program_;
  program::DeviceProgram device_;
};

class EmulatedBackend final : public backend::Backend {
public:
  StatusOr<std::shared_ptr<backend::Executable>> compile(std::string_view module,
                                                         const backend::CompileOptions &options) override {
    if (!options.overrides.empty())
      return invalidArgument("No such compile option: '" + options.overrides.front().first + "'");
    if (options.numReplicas > 1 || options.numPartitions > 1)
      return unimplemented("there is one emulated GPU");
    compiler::CompileOptions request;
    request.argumentShapes = options.argumentShapes;
    request.argumentValues = options.argumentValues;
    request.fileName = options.fileName;
    request.imported = options.imported;
    request.selfContained = true;
    if (options.reached)
      request.inspect = [&](std::string_view stage, mlir::ModuleOp) { options.reached(stage); };
    program::DeviceProgram device;
    codegen::GpuTargetOptions targetOptions;
    targetOptions.isEmulated = true;
    targetOptions.receive = [&](program::DeviceProgram received) { device = std::move(received); };
    TENON_ASSIGN_OR_RETURN(codegen::GpuTarget target, codegen::GpuTarget::create(std::move(targetOptions)));
    TENON_ASSIGN_OR_RETURN(program::Program program, compiler::compileFor(target, module, request));
    return std::shared_ptr<backend::Executable>(
        std::make_shared<EmulatedExecutable>(std::move(program), std::move(device)));
  }

  std::string target() const override { return "emulated"; }

  StatusOr<std::shared_ptr<backend::Executable>> deserialize(std::string_view) override {
    return unimplemented("programs for the emulated GPU cannot be stored yet");
  }
};

} // namespace

backend::Backend &emulatedBackend() {
  static EmulatedBackend backend;
  return backend;
}

} // namespace tenon::tools
