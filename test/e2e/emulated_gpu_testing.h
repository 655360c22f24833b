// A GPU that the host plays, for tests: programs compiled for it, loaded and run.
#pragma once

#include "tenon/codegen/cpu/target.h"
#include "tenon/codegen/gpu/target.h"
#include "tenon/codegen/llvm/module_compiler.h"
#include "tenon/compiler/pipeline.h"
#include "tenon/runtime/cuda/device_executable.h"
#include "tenon/runtime/emulator/driver.h"
#include "test/e2e/comparison.h"

#include <gtest/gtest.h>

namespace tenon::testing {

using namespace tenon::runtime::cuda;
using runtime::emulator::ThreadOrder;
using xla::Literal;

inline constexpr ThreadOrder kOrders[] = {ThreadOrder::kForward, ThreadOrder::kReverse, ThreadOrder::kRandom};

// The options, but for the processor that is played on and where the program goes.
inline codegen::GpuTarget emulatedTarget(program::DeviceProgram *program = nullptr,
                                         codegen::GpuTargetOptions options = {}) {
  auto processor = codegen::CpuTarget::create({.maxVectorBits = codegen::kGpuVectorBits});
  EXPECT_TRUE(processor.ok()) << processor.status().message();
  options.emulator = std::make_shared<codegen::CpuTarget>(*std::move(processor));
  if (program)
    options.receive = [program](program::DeviceProgram received) { *program = std::move(received); };
  auto target = codegen::GpuTarget::create(std::move(options));
  EXPECT_TRUE(target.ok()) << target.status().message();
  return *std::move(target);
}

// A device with a stream.
class EmulatedGpu : public ::testing::Test {
protected:
  void SetUp() override {
    runtime::emulator::takeFailure();
    check(d.init(0));
    ContextHandle *context = nullptr;
    check(d.primaryContextRetain(&context, 0));
    check(d.contextSetCurrent(context));
    check(d.streamCreate(&stream, 0));
    allocated = runtime::emulator::allocatedBytes();
  }
  void TearDown() override {
    walked.reset();
    runtime::emulator::setThreadOrder(ThreadOrder::kForward);
    runtime::emulator::setChecksAccesses(false);
    check(d.streamDestroy(stream));
    check(d.primaryContextRelease(0));
    EXPECT_EQ(runtime::emulator::allocatedBytes(), allocated);
  }

  static void check(Result result) { ASSERT_EQ(result, Result::kSuccess) << runtime::emulator::takeFailure(); }

  DeviceAddress allocate(size_t bytes, const void *contents = nullptr) {
    DeviceAddress address = 0;
    check(d.memAlloc(&address, std::max<size_t>(bytes, 1)));
    if (contents)
      check(d.memcpyHtoDAsync(address, contents, bytes, stream));
    return address;
  }

  FunctionHandle *functionOf(ModuleHandle *module, const std::string &name) {
    FunctionHandle *function = nullptr;
    check(d.moduleGetFunction(&function, module, name.c_str()));
    return function;
  }

  void launch(ModuleHandle *module, const std::string &name, unsigned blocks, unsigned threads, unsigned sharedBytes,
              std::vector<void *> parameters) {
    check(d.launchKernel(functionOf(module, name), blocks, 1, 1, threads, 1, 1, sharedBytes, stream, parameters.data(),
                         nullptr));
  }

  // Loads a module of which `emit` writes the kernels.
  ModuleHandle *loadModule(const std::function<void(llvm::Module &module, codegen::GpuBuilder &gpu)> &emit) {
    codegen::GpuTarget target = emulatedTarget();
    llvm::LLVMContext context;
    llvm::Module module("kernels", context);
    target.prepareModule(module);
    emit(module, *target.makeBuilder(context));
    auto code = codegen::compileModule(module, target);
    EXPECT_TRUE(code.ok()) << code.status().message();
    ModuleHandle *loaded = nullptr;
    if (code.ok())
      check(d.moduleLoadData(&loaded, code->data()));
    return loaded;
  }

  // Compiles a program for the device and loads it; its description goes to `program`.
  std::unique_ptr<DeviceExecutable> load(const std::string &source, program::Program &program,
                                         codegen::GpuTargetOptions gpuOptions = {}) {
    program::DeviceProgram device;
    codegen::GpuTarget target = emulatedTarget(&device, std::move(gpuOptions));
    compiler::CompileOptions options;
    options.selfContained = selfContained;
    auto compiled = compiler::compileFor(target, source, options);
    if (!compiled.ok()) {
      failure = compiled.status().message();
      return nullptr;
    }
    program = *std::move(compiled);
    auto walk = DeviceExecutable::load(d, device, program, stream, RunMode::kWalk);
    EXPECT_TRUE(walk.ok()) << walk.status().message() << runtime::emulator::takeFailure();
    walked = walk.ok() ? std::move(*walk) : nullptr;
    auto loaded = DeviceExecutable::load(d, std::move(device), program, stream);
    EXPECT_TRUE(loaded.ok()) << loaded.status().message() << runtime::emulator::takeFailure();
    return loaded.ok() ? std::move(*loaded) : nullptr;
  }

  std::vector<Bytes> run(DeviceExecutable &executable, const program::Program &program,
                         const std::vector<Literal> &inputs) {
    std::vector<DeviceAddress> arguments, results;
    for (const Literal &input : inputs)
      arguments.push_back(allocate(size_t(input.size_bytes()), input.untyped_data()));
    for (const program::Result &result : program.results)
      results.push_back(allocate(size_t(result.shape.byteSize())));
    Status status = executable.run({arguments, results, {}});
    EXPECT_TRUE(status.ok()) << status.message() << ": " << runtime::emulator::takeFailure();
    std::vector<Bytes> bytes;
    for (size_t i = 0; i < results.size(); ++i) {
      bytes.emplace_back(size_t(program.results[i].shape.byteSize()));
      check(d.memcpyDtoHAsync(bytes.back().data(), results[i], bytes.back().size(), stream));
      check(d.streamSynchronize(stream));
    }
    for (DeviceAddress address : arguments)
      check(d.memFree(address));
    for (DeviceAddress address : results)
      check(d.memFree(address));
    return bytes;
  }

  // A run of what was loaded last is one start of a graph, of which at most one node is changed, and gives what the
  // host's walk and the interpreter give. `name` says which run it is.
  void checkDeviceDecides(DeviceExecutable &executable, const program::Program &program, const std::string &source,
                          const std::vector<Literal> &inputs, const std::string &name) {
    auto expected = runReference(source, inputs, program);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    runtime::emulator::GraphCounts before = runtime::emulator::graphCounts();
    std::vector<Bytes> results = run(executable, program, inputs);
    runtime::emulator::GraphCounts after = runtime::emulator::graphCounts();
    EXPECT_EQ(after.graphLaunches, before.graphLaunches + 1);
    EXPECT_LE(after.nodeUpdates, before.nodeUpdates + 1);
    EXPECT_EQ(run(*walked, program, inputs), results) << "the host decides otherwise";
    for (size_t i = 0; i < results.size(); ++i)
      compareArrays(tools::makeArray(program.results[i].shape, results[i].data()).ConsumeValueOrDie(), (*expected)[i],
                    name + ", result " + std::to_string(i));
  }

  std::string failure;                      // of compiling
  std::unique_ptr<DeviceExecutable> walked; // what was loaded last, to be run launch by launch
  bool selfContained = true;
  const Driver &d = runtime::emulator::driver();
  StreamHandle *stream = nullptr;
  size_t allocated = 0;
};

} // namespace tenon::testing
