// NVIDIA's GPUs, and the one that the host plays, behind the interface of all backends.

#include "tenon/backend/factories.h"
#include "tenon/backend/program_dump.h"
#include "tenon/backend/source_module.h"
#include "tenon/codegen/cpu/target.h"
#include "tenon/codegen/gpu/target.h"
#include "tenon/compiler/pipeline.h"
#include "tenon/program/serialization.h"
#include "tenon/runtime/cuda/cubin_maker.h"
#include "tenon/runtime/cuda/device.h"
#include "tenon/runtime/cuda/library.h"
#include "tenon/runtime/emulator/driver.h"
#include "tenon/support/hash.h"
#include "tenon/support/trace.h"

namespace tenon::backend {
namespace {

using runtime::cuda::CudaDevice, runtime::cuda::DeviceAddress, runtime::cuda::DeviceExecutable;

// Memory of the device for one array.
class DeviceArray {
public:
  static StatusOr<DeviceArray> allocate(CudaDevice &device, int64_t bytes) {
    DeviceArray array;
    TENON_ASSIGN_OR_RETURN(array.memory_, device.allocate(bytes));
    array.device_ = &device;
    array.bytes_ = bytes;
    return array;
  }
  DeviceArray(DeviceArray &&other) noexcept
      : device_(std::exchange(other.device_, nullptr)), memory_(other.memory_), bytes_(other.bytes_) {}
  DeviceArray &operator=(DeviceArray &&) = delete;
  ~DeviceArray() {
    if (device_)
      device_->free(memory_, bytes_);
  }

  void *data() const { return memory_; }
  int64_t bytes() const { return bytes_; }

private:
  DeviceArray() = default;
  CudaDevice *device_ = nullptr;
  void *memory_ = nullptr;
  int64_t bytes_ = 0;
};

class GpuExecutable final : public Executable {
public:
  static StatusOr<std::shared_ptr<Executable>> create(CudaDevice &device, program::Program program,
                                                      program::DeviceProgram code, std::string_view source) {
    auto made = std::make_shared<GpuExecutable>(device, std::move(program), source);
    made->bytes_ = program::serialize(code);
    TENON_ASSIGN_OR_RETURN(made->loaded_, device.load(std::move(code), made->program_));
    return std::shared_ptr<Executable>(std::move(made));
  }

  GpuExecutable(CudaDevice &device, program::Program program, std::string_view source)
      : device_(device), program_(std::move(program)), source_(source, program_) {}
  ~GpuExecutable() override {
    if (loaded_)
      device_.unload(std::move(loaded_));
  }

  const program::Program &program() const override { return program_; }

  // Copies all arrays.
  Status execute(std::span<const void *const> arguments, std::span<void *const> results,
                 const runtime::RunOptions &options) const override {
    std::vector<DeviceArray> arrays;
    std::vector<const void *> argumentsThere;
    std::vector<void *> resultsThere;
    auto allocate = [&](const program::Shape &shape) -> StatusOr<void *> {
      TENON_ASSIGN_OR_RETURN(DeviceArray array, DeviceArray::allocate(device_, shape.byteSize()));
      arrays.push_back(std::move(array));
      return arrays.back().data();
    };
    for (size_t i = 0; i < arguments.size(); ++i) {
      const program::Shape &shape = program_.arguments[i].shape;
      TENON_ASSIGN_OR_RETURN(void *there, allocate(shape));
      TENON_RETURN_IF_ERROR(device_.copyToDevice(there, arguments[i], shape.byteSize()));
      argumentsThere.push_back(there);
    }
    for (const program::Result &result : program_.results) {
      TENON_ASSIGN_OR_RETURN(void *there, allocate(result.shape));
      resultsThere.push_back(there);
    }
    TENON_RETURN_IF_ERROR(executeOnDevice(argumentsThere, resultsThere, options));
    for (size_t i = 0; i < results.size(); ++i)
      TENON_RETURN_IF_ERROR(device_.copyToHost(results[i], resultsThere[i], program_.results[i].shape.byteSize()));
    return {};
  }

  Status executeOnDevice(std::span<const void *const> arguments, std::span<void *const> results,
                         const runtime::RunOptions &options) const override {
    std::vector<DeviceAddress> from = addresses(arguments), to = addresses(results);
    return device_.run(*loaded_, {from, to, options});
  }

  StatusOr<std::shared_ptr<runtime::DeviceWork>> startOnDevice(std::span<const void *const> arguments,
                                                               std::span<void *const> results,
                                                               const runtime::RunOptions &options) const override {
    std::vector<DeviceAddress> from = addresses(arguments), to = addresses(results);
    return device_.start(*loaded_, {from, to, options});
  }

  // The description, the code, and the source, so that a program that is read back answers optimizedModule too.
  StatusOr<std::string> serialize() const override {
    return program::serialize(program_) + bytes_ + source_.bytes(program_);
  }
  StatusOr<std::string> optimizedModule() const override { return showOptimized(source_, program_); }

private:
  template <typename Pointers> static std::vector<DeviceAddress> addresses(const Pointers &pointers) {
    std::vector<DeviceAddress> addresses;
    for (const void *pointer : pointers)
      addresses.push_back(reinterpret_cast<DeviceAddress>(pointer));
    return addresses;
  }

  CudaDevice &device_;
  program::Program program_;
  SourceModule source_;
  std::string bytes_; // the code, as it is stored
  std::unique_ptr<DeviceExecutable> loaded_;
};

class GpuBackend final : public Backend {
public:
  // Without a maker of cubins, the driver makes machine code when it loads programs.
  GpuBackend(std::unique_ptr<CudaDevice> device, bool isEmulated,
             std::shared_ptr<const runtime::cuda::CubinMaker> cubins)
      : device_(std::move(device)), isEmulated_(isEmulated), cubins_(std::move(cubins)) {}

  StatusOr<std::shared_ptr<Executable>> compile(std::string_view module, const CompileOptions &options) override {
    if (options.numReplicas > 1 || options.numPartitions > 1)
      return unimplemented("programs for GPUs run on one device");
    TENON_ASSIGN_OR_RETURN(compiler::CompileOptions request, compilerOptions(options));
    request.openLayouts = options.openLayouts;
    program::DeviceProgram code;
    TENON_ASSIGN_OR_RETURN(codegen::GpuTarget target,
                           makeTarget([&](program::DeviceProgram received) { code = std::move(received); }));
    TENON_ASSIGN_OR_RETURN(program::Program program,
                           compileAndDump(module, request, options.dumpTo, [&](const compiler::CompileOptions &own) {
                             return compiler::compileFor(target, module, own);
                           }));
    program.fingerprint = hexDigits(stableHash(module, stableHash(this->target())));
    registerRuntime();
    trace::Span span("load");
    return GpuExecutable::create(*device_, std::move(program), std::move(code), module);
  }

  std::string target() const override {
    std::string name = "cuda:" + device_->chip();
    return isEmulated_ ? name + ", played by " + compiler::hostTarget() : name;
  }

  runtime::Device *device() const override { return device_.get(); }

  StatusOr<std::shared_ptr<Executable>> deserialize(std::string_view bytes) override {
    std::string_view code, source;
    TENON_ASSIGN_OR_RETURN(program::Program program, program::deserialize(bytes, code));
    if (!program::isSerializedProgram(code))
      return failedPrecondition("the program is not one for a GPU");
    TENON_ASSIGN_OR_RETURN(program::DeviceProgram device, program::deserializeDeviceProgram(code, program, source));
    TENON_ASSIGN_OR_RETURN(codegen::GpuTarget target, makeTarget({}));
    auto *emulator = target.options().emulator.get();
    if (device.chip != device_->chip() || device.processor != (emulator ? emulator->key() : ""))
      return failedPrecondition("the program is for GPUs of the kind " + device.chip +
                                (device.processor.empty() ? "" : ", played by " + device.processor) + ", this one is " +
                                this->target());
    registerRuntime();
    return GpuExecutable::create(*device_, std::move(program), std::move(device), source);
  }

private:
  StatusOr<codegen::GpuTarget> makeTarget(std::function<void(program::DeviceProgram)> receive) const {
    codegen::GpuTargetOptions options;
    options.chip = device_->chip();
    options.receive = std::move(receive);
    if (isEmulated_) {
      TENON_ASSIGN_OR_RETURN(codegen::CpuTarget processor,
                             codegen::CpuTarget::create({.maxVectorBits = codegen::kGpuVectorBits}));
      options.emulator = std::make_shared<codegen::CpuTarget>(std::move(processor));
    } else if (cubins_) {
      options.assembler = {cubins_->version(), [cubins = cubins_, chip = options.chip](std::string_view ptx) {
                             return cubins->make(ptx, chip);
                           }};
    }
    return codegen::GpuTarget::create(std::move(options));
  }

  std::unique_ptr<CudaDevice> device_;
  bool isEmulated_;
  std::shared_ptr<const runtime::cuda::CubinMaker> cubins_;
};

} // namespace

StatusOr<std::unique_ptr<Backend>> makeGpuBackend(bool isEmulated) {
  std::unique_ptr<CudaDevice> device;
  std::shared_ptr<const runtime::cuda::CubinMaker> cubins;
  if (isEmulated) {
    TENON_ASSIGN_OR_RETURN(device, CudaDevice::open(runtime::emulator::driver(), runtime::emulator::takeFailure));
  } else {
    TENON_ASSIGN_OR_RETURN(runtime::cuda::Driver driver, runtime::cuda::openDriver());
    int version = 0;
    TENON_DRIVER(driver, driverGetVersion, &version);
    TENON_ASSIGN_OR_RETURN(auto libraries, runtime::cuda::DeviceLibraries::open(version));
    TENON_ASSIGN_OR_RETURN(device, CudaDevice::open(driver, nullptr, libraries));
    TENON_ASSIGN_OR_RETURN(cubins, runtime::cuda::findCubinMaker(version));
  }
  return std::unique_ptr<Backend>(std::make_unique<GpuBackend>(std::move(device), isEmulated, std::move(cubins)));
}

} // namespace tenon::backend
