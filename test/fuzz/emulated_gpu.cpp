#include "test/fuzz/emulated_gpu.h"

#include "tenon/codegen/cpu/target.h"
#include "tenon/codegen/gpu/target.h"
#include "tenon/compiler/pipeline.h"
#include "tenon/runtime/cpu/library.h"
#include "tenon/runtime/cuda/device_executable.h"
#include "tenon/runtime/emulator/driver.h"

#include <mutex>

namespace tenon::fuzz {

using namespace runtime::cuda;
using Kind = Finding::Kind;
using runtime::emulator::ThreadOrder;

namespace {

using Bytes = std::vector<uint8_t>;

Status statusOf(Result result) {
  return result == Result::kSuccess ? Status() : internalError("driver: " + runtime::emulator::takeFailure());
}

// The device's stream, of this process.
StatusOr<StreamHandle *> openDevice() {
  const Driver &driver = runtime::emulator::driver();
  ContextHandle *context = nullptr;
  StreamHandle *stream = nullptr;
  for (const std::function<Result()> &step : std::initializer_list<std::function<Result()>>{
           [&] { return driver.init(0); }, [&] { return driver.primaryContextRetain(&context, 0); },
           [&] { return driver.contextSetCurrent(context); }, [&] { return driver.streamCreate(&stream, 0); }})
    if (Status status = statusOf(step()); !status.ok())
      return status;
  return stream;
}

// One array of the device for each argument and result; those of arguments that are given away are also results.
class DeviceArrays {
public:
  DeviceArrays(const program::Program &program, llvm::ArrayRef<interpreter::Value> arguments, StreamHandle *stream)
      : program_(program), values_(arguments), stream_(stream) {
    for (const interpreter::Value &value : arguments)
      arguments_.push_back(allocate(value.tensor().bytes()));
    for (auto [i, result] : llvm::enumerate(program.results)) {
      auto donor = llvm::find_if(program.arguments, [number = int64_t(i)](const program::Argument &argument) {
        return argument.aliasedResult == number;
      });
      results_.push_back(donor != program.arguments.end() ? arguments_[size_t(donor - program.arguments.begin())]
                                                          : allocate(Bytes(size_t(result.shape.byteSize()), 0xa5)));
    }
  }
  ~DeviceArrays() {
    for (DeviceAddress address : allocated_)
      driver_.memFree(address);
  }
  DeviceArrays(const DeviceArrays &) = delete;
  DeviceArrays &operator=(const DeviceArrays &) = delete;

  StatusOr<std::vector<Bytes>> run(DeviceExecutable &executable) {
    if (Status status = executable.run({arguments_, results_, {}}); !status.ok())
      return Status(status.code(), status.message() + ": " + runtime::emulator::takeFailure());
    for (auto [i, value] : llvm::enumerate(values_))
      if (program_.arguments[i].aliasedResult < 0 &&
          llvm::ArrayRef(read(arguments_[i], value.tensor().bytes().size())) != value.tensor().bytes())
        return internalError("the run has changed argument " + std::to_string(i));
    std::vector<Bytes> bytes;
    for (auto [result, address] : llvm::zip(program_.results, results_))
      bytes.push_back(read(address, size_t(result.shape.byteSize())));
    return bytes;
  }

private:
  DeviceAddress allocate(llvm::ArrayRef<uint8_t> contents) {
    DeviceAddress address = 0;
    driver_.memAlloc(&address, std::max<size_t>(contents.size(), 1));
    driver_.memcpyHtoDAsync(address, contents.data(), contents.size(), stream_);
    driver_.streamSynchronize(stream_);
    allocated_.push_back(address);
    return address;
  }

  Bytes read(DeviceAddress address, size_t size) {
    Bytes bytes(size);
    driver_.memcpyDtoHAsync(bytes.data(), address, size, stream_);
    driver_.streamSynchronize(stream_);
    return bytes;
  }

  const Driver &driver_ = runtime::emulator::driver();
  const program::Program &program_;
  llvm::ArrayRef<interpreter::Value> values_;
  StreamHandle *stream_;
  std::vector<DeviceAddress> allocated_, arguments_, results_;
};

StatusOr<codegen::GpuTarget> targetOf(uint64_t seed, program::DeviceProgram &program) {
  auto processor = codegen::CpuTarget::create({.maxVectorBits = codegen::kGpuVectorBits});
  if (!processor.ok())
    return processor.status();
  constexpr const char *kLoops[] = {"", "", "nodes", "block", "cluster2", "grid"};
  codegen::GpuTargetOptions options;
  options.emulator = std::make_shared<codegen::CpuTarget>(*std::move(processor));
  options.chip = codegen::GpuTarget::chips()[seed % codegen::GpuTarget::chips().size()];
  options.loops = kLoops[seed / 3 % std::size(kLoops)];
  if (options.loops == "cluster2" && options.chip == "sm_80") // which has no clusters
    options.loops = "block";
  options.checksAccesses = seed / 17 % 4 == 0;
  options.receive = [&program](program::DeviceProgram received) { program = std::move(received); };
  return codegen::GpuTarget::create(std::move(options));
}

} // namespace

Finding checkOnEmulatedGpu(std::string_view source, llvm::ArrayRef<interpreter::Value> arguments,
                           checking::Expectation *expectation, const compiler::CompileOptions &options, uint64_t seed) {
  static std::once_flag once;
  std::call_once(once, runtime::registerCpuLibrary);
  static StatusOr<StreamHandle *> stream = openDevice();
  if (!stream.ok())
    return {Kind::kRunError, stream.status().message()};
  auto failed = [](Kind kind, const Status &status) {
    return Finding{status.message().empty() ? Kind::kSilent : kind, status.message() + "\non an emulated GPU"};
  };
  program::DeviceProgram device;
  StatusOr<codegen::GpuTarget> target = targetOf(seed, device);
  if (!target.ok())
    return failed(Kind::kCompileError, target.status());
  StatusOr<program::Program> program = compiler::compileFor(*target, source, options);
  if (!program.ok())
    return failed(Kind::kCompileError, program.status());
  // Padded, with sizes beside them that the interpreter does not have.
  bool padded =
      llvm::any_of(program->results, [](const program::Result &result) { return !result.sizeResults.empty(); });
  std::optional<std::vector<Bytes>> first;
  for (RunMode mode : {RunMode::kGraphIfPossible, RunMode::kWalk}) {
    auto executable = DeviceExecutable::load(runtime::emulator::driver(), device, *program, *stream, mode);
    if (!executable.ok())
      return failed(Kind::kRunError, executable.status());
    for (ThreadOrder order : {ThreadOrder::kForward, ThreadOrder::kReverse, ThreadOrder::kRandom}) {
      runtime::emulator::setThreadOrder(order);
      runtime::emulator::setChecksAccesses(seed / 17 % 4 == 0 && order == ThreadOrder::kRandom);
      auto results = DeviceArrays(*program, arguments, *stream).run(**executable);
      runtime::emulator::setChecksAccesses(false);
      if (!results.ok())
        return failed(Kind::kRunError, results.status());
      if (first && *results != *first)
        return {Kind::kWrongResult, "another order of threads, or a walk, gives other results\non an emulated GPU"};
      if (first)
        continue;
      for (auto [i, bytes] : llvm::enumerate(*results))
        if (auto wrong = expectation && !padded ? expectation->check(unsigned(i), bytes) : std::nullopt)
          return {Kind::kWrongResult, *wrong + "\non an emulated GPU"};
      first = *std::move(results);
    }
  }
  return {};
}

} // namespace tenon::fuzz
