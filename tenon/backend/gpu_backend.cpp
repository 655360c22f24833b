// NVIDIA's GPUs, and the one that the host plays, behind the interface of all backends.

#include "tenon/backend/factories.h"
#include "tenon/backend/gpu_devices.h"
#include "tenon/backend/partition_news.h"
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

#include <cstdio>

namespace tenon::backend {
namespace {

using runtime::cuda::CudaDevice, runtime::cuda::DeviceAddress, runtime::cuda::DeviceExecutable;

// Memory of the device for one array.
class DeviceArray {
public:
  static StatusOr<DeviceArray> allocate(CudaDevice &device, int64_t bytes) {
    TENON_ASSIGN_OR_RETURN(void *memory, device.allocate(bytes));
    return DeviceArray(device, memory, bytes);
  }
  static StatusOr<DeviceArray> copyOf(const void *array, CudaDevice &device, int64_t bytes) {
    TENON_ASSIGN_OR_RETURN(void *memory, device.allocateCopy(array, bytes));
    return DeviceArray(device, memory, bytes);
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
  DeviceArray(CudaDevice &device, void *memory, int64_t bytes) : device_(&device), memory_(memory), bytes_(bytes) {}
  CudaDevice *device_;
  void *memory_;
  int64_t bytes_;
};

using Devices = std::vector<std::unique_ptr<CudaDevice>>;

class GpuExecutable final : public Executable {
public:
  // `first`: the number of a device that it is loaded on, so that whatever keeps it from being loaded is known. On
  // others it is when it first runs there. Where there are no devices, it is not loaded.
  static StatusOr<std::shared_ptr<Executable>> create(const Devices &devices, size_t first, program::Program program,
                                                      program::DeviceProgram code, std::string_view source) {
    auto made = std::make_shared<GpuExecutable>(devices, std::move(program), source);
    made->bytes_ = program::serialize(code);
    if (!devices.empty()) {
      TENON_ASSIGN_OR_RETURN(made->loaded_[first], devices[first]->load(std::move(code), made->program_));
    }
    return std::shared_ptr<Executable>(std::move(made));
  }

  GpuExecutable(const Devices &devices, program::Program program, std::string_view source)
      : devices_(devices), program_(std::move(program)), source_(source, program_), loaded_(devices.size()) {}
  ~GpuExecutable() override {
    for (size_t i = 0; i < loaded_.size(); ++i)
      if (loaded_[i])
        devices_[i]->unload(std::move(loaded_[i]));
  }

  const program::Program &program() const override { return program_; }

  // Copies all arrays.
  Status execute(std::span<const void *const> arguments, std::span<void *const> results,
                 const runtime::RunOptions &options) const override {
    TENON_RETURN_IF_ERROR(checkOrdinal(options));
    CudaDevice &device = *devices_[size_t(options.deviceOrdinal)];
    std::vector<DeviceArray> arrays;
    std::vector<const void *> argumentsThere;
    std::vector<void *> resultsThere;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const int64_t bytes = program_.arguments[i].shape.byteSize();
      TENON_ASSIGN_OR_RETURN(DeviceArray array, DeviceArray::copyOf(arguments[i], device, bytes));
      argumentsThere.push_back(array.data());
      arrays.push_back(std::move(array));
    }
    for (const program::Result &result : program_.results) {
      TENON_ASSIGN_OR_RETURN(DeviceArray array, DeviceArray::allocate(device, result.shape.byteSize()));
      resultsThere.push_back(array.data());
      arrays.push_back(std::move(array));
    }
    TENON_RETURN_IF_ERROR(executeOnDevice(argumentsThere, resultsThere, options));
    for (size_t i = 0; i < results.size(); ++i)
      TENON_RETURN_IF_ERROR(device.copyToHost(results[i], resultsThere[i], program_.results[i].shape.byteSize()));
    return {};
  }

  Status executeOnDevice(std::span<const void *const> arguments, std::span<void *const> results,
                         const runtime::RunOptions &options) const override {
    std::vector<DeviceAddress> from = addresses(arguments), to = addresses(results);
    TENON_ASSIGN_OR_RETURN(DeviceExecutable * loaded, loadedFor(options));
    return devices_[size_t(options.deviceOrdinal)]->run(*loaded, {from, to, options});
  }

  StatusOr<std::shared_ptr<runtime::DeviceWork>> startOnDevice(std::span<const void *const> arguments,
                                                               std::span<void *const> results,
                                                               const runtime::RunOptions &options) const override {
    std::vector<DeviceAddress> from = addresses(arguments), to = addresses(results);
    TENON_ASSIGN_OR_RETURN(DeviceExecutable * loaded, loadedFor(options));
    return devices_[size_t(options.deviceOrdinal)]->start(*loaded, {from, to, options});
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

  Status checkOrdinal(const runtime::RunOptions &options) const {
    if (options.deviceOrdinal >= 0 && size_t(options.deviceOrdinal) < devices_.size())
      return {};
    return invalidArgument("there is no GPU " + std::to_string(options.deviceOrdinal) + ", there are " +
                           std::to_string(devices_.size()));
  }

  // The program as it is on the device of this run.
  StatusOr<DeviceExecutable *> loadedFor(const runtime::RunOptions &options) const {
    TENON_RETURN_IF_ERROR(checkOrdinal(options));
    const auto ordinal = size_t(options.deviceOrdinal);
    std::lock_guard lock(mutex_);
    std::unique_ptr<DeviceExecutable> &loaded = loaded_[ordinal];
    if (!loaded) {
      std::string_view rest;
      TENON_ASSIGN_OR_RETURN(program::DeviceProgram code, program::deserializeDeviceProgram(bytes_, program_, rest));
      TENON_ASSIGN_OR_RETURN(loaded, devices_[ordinal]->load(std::move(code), program_));
    }
    return loaded.get();
  }

  const Devices &devices_;
  program::Program program_;
  SourceModule source_;
  std::string bytes_; // the code, as it is stored
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<DeviceExecutable>> loaded_; // on each device; null: it has not run there yet
};

class GpuBackend final : public Backend {
public:
  // All devices are of the kind `chip`; where there are none, programs are compiled for others. Without a maker of
  // cubins, the driver makes machine code when it loads programs. `allowsTf32`: where the option of a program does not
  // say it.
  GpuBackend(Devices devices, std::string chip, bool isEmulated, bool allowsTf32,
             std::shared_ptr<const runtime::cuda::CubinMaker> cubins)
      : devices_(std::move(devices)), chip_(std::move(chip)), isEmulated_(isEmulated), allowsTf32_(allowsTf32),
        cubins_(std::move(cubins)) {}

  StatusOr<std::shared_ptr<Executable>> compile(std::string_view module, const CompileOptions &given) override {
    CompileOptions options = given;
    TENON_ASSIGN_OR_RETURN(bool allowsTf32, takeBoolean(options, "tf32", allowsTf32_));
    TENON_ASSIGN_OR_RETURN(compiler::CompileOptions request, compilerOptions(options));
    request.openLayouts = options.openLayouts;
    if (options.numReplicas > 1 || options.numPartitions > 1) {
      request.numReplicas = options.numReplicas;
      request.numPartitions = options.numPartitions;
    }
    // Each device has the arrays that are its own, and none has those of others.
    request.partition = request.mustPartition = isUnpartitioned(options);
    request.sharesMemory = false;
    request.movesOnly = true; // the code of a computation is a device's
    Status told;
    request.partitionReport = [&](const passes::PartitionReport &report) { told = tellOfPartition(report); };
    program::DeviceProgram code;
    TENON_ASSIGN_OR_RETURN(codegen::GpuTarget target, makeTarget(allowsTf32, [&](program::DeviceProgram received) {
                             code = std::move(received);
                           }));
    TENON_ASSIGN_OR_RETURN(program::Program program,
                           compileAndDump(module, request, options.dumpTo, [&](const compiler::CompileOptions &own) {
                             return compiler::compileFor(target, module, own);
                           }));
    TENON_RETURN_IF_ERROR(std::move(told));
    program.fingerprint = hexDigits(stableHash(module, stableHash(targetName(allowsTf32))));
    registerRuntime();
    trace::Span span("load");
    TENON_ASSIGN_OR_RETURN(size_t first, devices_.empty() ? StatusOr<size_t>(0) : firstOf(options));
    return GpuExecutable::create(devices_, first, std::move(program), std::move(code), module);
  }

  // What is stored is found by this name, too.
  std::string target() const override { return targetName(allowsTf32_); }

  std::vector<runtime::Device *> devices() const override {
    std::vector<runtime::Device *> devices;
    for (const std::unique_ptr<CudaDevice> &device : devices_)
      devices.push_back(device.get());
    return devices;
  }

  StatusOr<std::shared_ptr<Executable>> deserialize(std::string_view bytes) override {
    std::string_view code, source;
    TENON_ASSIGN_OR_RETURN(program::Program program, program::deserialize(bytes, code));
    if (!program::isSerializedProgram(code))
      return failedPrecondition("the program is not one for a GPU");
    TENON_ASSIGN_OR_RETURN(program::DeviceProgram device, program::deserializeDeviceProgram(code, program, source));
    TENON_ASSIGN_OR_RETURN(codegen::GpuTarget target, makeTarget(allowsTf32_, {}));
    auto *emulator = target.options().emulator.get();
    if (device.chip != chip_ || device.processor != (emulator ? emulator->key() : ""))
      return failedPrecondition("the program is for GPUs of the kind " + device.chip +
                                (device.processor.empty() ? "" : ", played by " + device.processor) + ", this one is " +
                                this->target());
    registerRuntime();
    return GpuExecutable::create(devices_, 0, std::move(program), std::move(device), source);
  }

private:
  // Where the program is to run.
  StatusOr<size_t> firstOf(const CompileOptions &options) const {
    const int32_t id = options.deviceAssignment.empty() ? 0 : options.deviceAssignment.front();
    if (id < 0 || size_t(id) >= devices_.size())
      return invalidArgument("there is no GPU " + std::to_string(id) + ", there are " +
                             std::to_string(devices_.size()));
    return size_t(id);
  }

  std::string targetName(bool allowsTf32) const {
    std::string name = "cuda:" + chip_ + (allowsTf32 ? " with tf32" : "");
    return isEmulated_ ? name + ", played by " + compiler::hostTarget() : name;
  }

  StatusOr<codegen::GpuTarget> makeTarget(bool allowsTf32, std::function<void(program::DeviceProgram)> receive) const {
    codegen::GpuTargetOptions options;
    options.chip = chip_;
    options.allowsTf32 = allowsTf32;
    options.receive = std::move(receive);
    if (isEmulated_) {
      TENON_ASSIGN_OR_RETURN(codegen::CpuTarget processor,
                             codegen::CpuTarget::create({.maxVectorBits = codegen::kGpuVectorBits}));
      options.emulator = std::make_shared<codegen::CpuTarget>(std::move(processor));
    } else if (cubins_) {
      options.assembler = {cubins_->version(),
                           [cubins = cubins_, chip = options.chip](std::string_view ptx) {
                             return runtime::cuda::makeMachineCode(*cubins, ptx, chip);
                           },
                           /*isReproducible=*/false};
    }
    return codegen::GpuTarget::create(std::move(options));
  }

  Devices devices_;
  std::string chip_;
  bool isEmulated_;
  bool allowsTf32_;
  std::shared_ptr<const runtime::cuda::CubinMaker> cubins_;
};

} // namespace

using Cubins = std::shared_ptr<const runtime::cuda::CubinMaker>;

static StatusOr<int> versionOf(const runtime::cuda::Driver &driver) {
  int version = 0;
  TENON_DRIVER(driver, driverGetVersion, &version);
  return version;
}

// GPUs that the host plays.
static StatusOr<GpuDevices> playGpus(int count) {
  const runtime::cuda::Driver &driver = runtime::emulator::driver();
  runtime::emulator::setDevices(count);
  TENON_RETURN_IF_ERROR(CudaDevice::count(driver).status()); // which readies the driver
  return openGpus(count, [&](int number) { return CudaDevice::open(driver, number, runtime::emulator::takeFailure); });
}

// Those of the machine. Each has libraries of its own, which work in one context.
static StatusOr<GpuDevices> openMachineGpus(const runtime::cuda::Driver &driver, int version) {
  TENON_ASSIGN_OR_RETURN(int count, CudaDevice::count(driver));
  return openGpus(count, [&](int number) -> StatusOr<std::unique_ptr<CudaDevice>> {
    TENON_ASSIGN_OR_RETURN(auto libraries, runtime::cuda::DeviceLibraries::open(version));
    return CudaDevice::open(driver, number, nullptr, libraries);
  });
}

StatusOr<std::unique_ptr<Backend>> makeGpuBackend(int emulatedDevices) {
  TENON_ASSIGN_OR_RETURN(bool allowsTf32, codegen::GpuTarget::allowsTf32ByDefault());
  GpuDevices gpus;
  Cubins cubins;
  if (emulatedDevices > 0) {
    TENON_ASSIGN_OR_RETURN(gpus, playGpus(emulatedDevices));
  } else {
    TENON_ASSIGN_OR_RETURN(runtime::cuda::Driver driver, runtime::cuda::openDriver());
    TENON_ASSIGN_OR_RETURN(int version, versionOf(driver));
    TENON_ASSIGN_OR_RETURN(gpus, openMachineGpus(driver, version));
    TENON_ASSIGN_OR_RETURN(cubins, runtime::cuda::findCubinMaker(version));
  }
  for (const std::string &reason : gpus.leftOut)
    std::fprintf(stderr, "tenon: warning: %s\n", reason.c_str());
  std::string chip = gpus.devices.front()->chip();
  return std::unique_ptr<Backend>(std::make_unique<GpuBackend>(std::move(gpus.devices), std::move(chip),
                                                               emulatedDevices > 0, allowsTf32, std::move(cubins)));
}

StatusOr<std::unique_ptr<Backend>> makeGpuCompiler(std::string chip, bool isEmulated) {
  TENON_ASSIGN_OR_RETURN(bool allowsTf32, codegen::GpuTarget::allowsTf32ByDefault());
  Cubins cubins;
  if (!isEmulated) {
    // The driver says its version without being started, which takes time and address space.
    TENON_ASSIGN_OR_RETURN(runtime::cuda::Driver driver, runtime::cuda::openDriver());
    TENON_ASSIGN_OR_RETURN(int version, versionOf(driver));
    TENON_ASSIGN_OR_RETURN(cubins, runtime::cuda::findCubinMaker(version));
  }
  return std::unique_ptr<Backend>(
      std::make_unique<GpuBackend>(Devices(), std::move(chip), isEmulated, allowsTf32, std::move(cubins)));
}

} // namespace tenon::backend
