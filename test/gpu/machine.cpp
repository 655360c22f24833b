#include "test/gpu/machine.h"

#include "tenon/codegen/cpu/target.h"
#include "tenon/codegen/llvm/module_compiler.h"
#include "tenon/runtime/cuda/library.h"
#include "tenon/runtime/emulator/driver.h"

#include "llvm/IR/LLVMContext.h"

#include <algorithm>
#include <array>

namespace tenon::testing {

StatusOr<std::unique_ptr<Machine>> Machine::hardware() {
  TENON_ASSIGN_OR_RETURN(Driver driver, openDriver());
  int count = 0;
  if (driver.init(0) != Result::kSuccess || driver.deviceGetCount(&count) != Result::kSuccess || count == 0)
    return notFound("the driver finds no GPU");
  std::unique_ptr<Machine> made(new Machine(driver, /*isEmulated=*/false));
  TENON_RETURN_IF_ERROR(made->start());
  return made;
}

StatusOr<std::unique_ptr<Machine>> Machine::emulated() {
  std::unique_ptr<Machine> made(new Machine(runtime::emulator::driver(), /*isEmulated=*/true));
  TENON_DRIVER(made->driver_, init, 0);
  TENON_RETURN_IF_ERROR(made->start());
  return made;
}

Status Machine::start() {
  std::array<char, 256> name{};
  int major = 0, minor = 0;
  TENON_DRIVER(driver_, deviceGetName, name.data(), int(name.size()), 0);
  TENON_DRIVER(driver_, deviceGetAttribute, &major, DeviceAttribute::kComputeMajor, 0);
  TENON_DRIVER(driver_, deviceGetAttribute, &minor, DeviceAttribute::kComputeMinor, 0);
  name_ = name.data();
  chip_ = major == 9 && minor == 0 ? "sm_90a" : major == 10 && minor == 0 ? "sm_100a" : "sm_80";
  TENON_DRIVER(driver_, primaryContextRetain, &context_, 0);
  TENON_DRIVER(driver_, contextSetCurrent, context_);
  TENON_DRIVER(driver_, streamCreate, &stream_, 0);
  return {};
}

Machine::~Machine() {
  if (stream_)
    driver_.streamDestroy(stream_);
  if (context_)
    driver_.primaryContextRelease(0);
}

StatusOr<codegen::GpuTarget> Machine::target(std::function<void(program::DeviceProgram)> receive,
                                             std::string loops) const {
  codegen::GpuTargetOptions options;
  options.loops = std::move(loops);
  options.chip = chip_;
  options.receive = std::move(receive);
  if (isEmulated_) {
    TENON_ASSIGN_OR_RETURN(codegen::CpuTarget processor,
                           codegen::CpuTarget::create({.maxVectorBits = codegen::kGpuVectorBits}));
    options.emulator = std::make_shared<codegen::CpuTarget>(std::move(processor));
  }
  return codegen::GpuTarget::create(std::move(options));
}

Status Machine::explained(Status status) const {
  std::string reason = isEmulated_ ? runtime::emulator::takeFailure() : "";
  return status.ok() || reason.empty() ? std::move(status) : Status(status.code(), status.message() + ": " + reason);
}

StatusOr<std::string> Machine::run(const TestedKernel &kernel, ThreadOrder order) const {
  TENON_ASSIGN_OR_RETURN(codegen::GpuTarget target, this->target());
  if (kernel.usesMaps)
    target = target.forMaps();
  llvm::LLVMContext context;
  llvm::Module module("tested", context);
  target.prepareModule(module);
  kernel.emit(module, *target.makeBuilder(context));
  TENON_ASSIGN_OR_RETURN(std::string code, isEmulated_ ? codegen::compileModule(module, target)
                                                       : codegen::compileToAssembly(module, target));
  if (isEmulated_)
    runtime::emulator::setThreadOrder(order);
  TENON_ASSIGN_OR_RETURN(DeviceMemory input, DeviceMemory::allocate(driver_, kernel.input.size(), stream_));
  TENON_ASSIGN_OR_RETURN(DeviceMemory output, DeviceMemory::allocate(driver_, kernel.outputBytes, stream_));
  std::string written(kernel.outputBytes, '\0');
  TENON_RETURN_IF_ERROR(explained(launch(kernel, code, input.address(), output.address(), written)));
  return written;
}

Status Machine::launch(const TestedKernel &kernel, const std::string &code, DeviceAddress input, DeviceAddress output,
                       std::string &written) const {
  ModuleHandle *module = nullptr;
  FunctionHandle *function = nullptr;
  TENON_DRIVER(driver_, moduleLoadData, &module, code.data());
  TENON_DRIVER(driver_, moduleGetFunction, &function, module, "tested");
  if (kernel.sharedBytes > kPlainSharedBytes)
    TENON_DRIVER(driver_, functionSetAttribute, function, FunctionAttribute::kMaxDynamicSharedBytes,
                 int(kernel.sharedBytes));
  if (!kernel.input.empty())
    TENON_DRIVER(driver_, memcpyHtoDAsync, input, kernel.input.data(), kernel.input.size(), stream_);
  void *parameters[] = {&input, &output};
  TENON_DRIVER(driver_, launchKernel, function, kernel.blocks, 1, 1, kernel.threads, 1, 1, kernel.sharedBytes, stream_,
               parameters, nullptr);
  TENON_DRIVER(driver_, memcpyDtoHAsync, written.data(), output, written.size(), stream_);
  TENON_DRIVER(driver_, streamSynchronize, stream_);
  TENON_DRIVER(driver_, moduleUnload, module);
  return {};
}

} // namespace tenon::testing
