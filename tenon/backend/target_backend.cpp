#include "tenon/backend/factories.h"

#include "tenon/backend/program_view.h"
#include "tenon/codegen/common/interface/signature.h"
#include "tenon/compiler/pipeline.h"
#include "tenon/support/hash.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <chrono>

namespace tenon::backend {
namespace {

class RunView : public target::Run {
public:
  explicit RunView(const runtime::RunOptions &options) : options_(options) {}

  Status check() const override {
    if (options_.wait.stop.stop_requested())
      return {StatusCode::kCancelled, "the run has been cancelled"};
    if (std::chrono::steady_clock::now() >= options_.wait.deadline)
      return {StatusCode::kDeadlineExceeded, "the run takes longer than it may"};
    return {};
  }
  uint64_t seed() const override { return options_.seed; }

private:
  const runtime::RunOptions &options_;
};

// The arrays of one run in a device's memory.
class DeviceArrays {
public:
  explicit DeviceArrays(target::Memory &memory) : memory_(memory) {}
  ~DeviceArrays() {
    for (void *array : arrays_)
      memory_.release(array);
  }
  DeviceArrays(const DeviceArrays &) = delete;
  DeviceArrays &operator=(const DeviceArrays &) = delete;

  StatusOr<void *> allocate(const program::Shape &shape) {
    void *array = memory_.allocate(shape.byteSize());
    if (!array)
      return Status(StatusCode::kResourceExhausted, "the device has no memory for " + shape.toString());
    arrays_.push_back(array);
    return array;
  }

private:
  target::Memory &memory_;
  std::vector<void *> arrays_;
};

class TargetExecutable : public Executable {
public:
  TargetExecutable(program::Program program, std::unique_ptr<target::Executable> executable, target::Memory *memory,
                   std::string source, compiler::CompileOptions options)
      : program_(std::move(program)), executable_(std::move(executable)), memory_(memory), source_(std::move(source)),
        options_(std::move(options)) {}

  const program::Program &program() const override { return program_; }

  Status execute(std::span<const void *const> arguments, std::span<void *const> results,
                 const runtime::RunOptions &options) const override {
    RunView run(options);
    TENON_RETURN_IF_ERROR(run.check());
    return memory_ ? executeOnDevice(arguments, results, run) : executable_->run(arguments.data(), results.data(), run);
  }

  StatusOr<std::string> serialize() const override {
    return unimplemented("programs for targets from outside cannot be serialised");
  }

  StatusOr<std::string> optimizedModule() const override { return compiler::optimizedModule(source_, options_); }

private:
  Status executeOnDevice(std::span<const void *const> arguments, std::span<void *const> results,
                         const RunView &run) const {
    DeviceArrays arrays(*memory_);
    std::vector<const void *> deviceArguments;
    for (size_t i = 0; i < arguments.size(); ++i) {
      deviceArguments.push_back(nullptr);
      const program::Shape &shape = program_.arguments[i].shape;
      if (shape.type == program::ElementType::kToken)
        continue;
      TENON_ASSIGN_OR_RETURN(void *array, arrays.allocate(shape));
      TENON_RETURN_IF_ERROR(memory_->copyIn(array, arguments[i], shape.byteSize()));
      deviceArguments.back() = array;
    }
    std::vector<void *> deviceResults;
    for (const program::Result &result : program_.results) {
      deviceResults.push_back(nullptr);
      if (result.shape.type == program::ElementType::kToken)
        continue;
      TENON_ASSIGN_OR_RETURN(void *array, arrays.allocate(result.shape));
      deviceResults.back() = array;
    }
    TENON_RETURN_IF_ERROR(executable_->run(deviceArguments.data(), deviceResults.data(), run));
    for (size_t i = 0; i < results.size(); ++i)
      if (deviceResults[i])
        if (Status status = memory_->copyOut(results[i], deviceResults[i], program_.results[i].shape.byteSize());
            !status.ok())
          return status;
    return {};
  }

  program::Program program_;
  std::unique_ptr<target::Executable> executable_;
  target::Memory *memory_;
  std::string source_;
  compiler::CompileOptions options_; // that optimizedModule wants
};

class TargetBackend : public Backend {
public:
  TargetBackend(std::string name, std::unique_ptr<target::Target> target)
      : name_(std::move(name)), target_(std::move(target)) {}

  StatusOr<std::shared_ptr<Executable>> compile(std::string_view module, const CompileOptions &options) override {
    TENON_ASSIGN_OR_RETURN(compiler::CompileOptions compileOptions, compilerOptions(options));
    if (options.numReplicas != 1)
      return unimplemented("a program for several devices, which target '" + name_ + "' does not run");
    compileOptions.selfContained = !target_->hasLinearAlgebra();
    program::Program described;
    StatusOr<target::Program> view = internalError("no program");
    Status status = compiler::withOptimizedModule(module, compileOptions, [&](mlir::ModuleOp optimized) {
      described.name = optimized.getName() ? optimized.getName()->str() : "program";
      codegen::describeSignature(optimized.lookupSymbol<mlir::func::FuncOp>("main"), described);
      for (program::Argument &argument : described.arguments)
        argument.aliasedResult = -1; // targets are told that nothing overlaps
      view = viewOf(optimized);
    });
    if (!status.ok())
      return status;
    if (!view.ok())
      return view.status();
    // What optimizedModule does begins with the source again.
    compileOptions.imported = nullptr;
    compileOptions.inspect = nullptr;
    TENON_ASSIGN_OR_RETURN(std::unique_ptr<target::Executable> executable, target_->compile(*view));
    described.fingerprint = hexDigits(stableHash(module, stableHash(name_)));
    return std::shared_ptr<Executable>(std::make_shared<TargetExecutable>(std::move(described), std::move(executable),
                                                                          target_->memory(), std::string(module),
                                                                          std::move(compileOptions)));
  }

  std::string target() const override { return name_; }

  StatusOr<std::shared_ptr<Executable>> deserialize(std::string_view) override {
    return unimplemented("programs for targets from outside cannot be serialised");
  }

private:
  std::string name_;
  std::unique_ptr<target::Target> target_;
};

} // namespace

std::unique_ptr<Backend> makeTargetBackend(std::string name, std::unique_ptr<target::Target> target) {
  return std::make_unique<TargetBackend>(std::move(name), std::move(target));
}

} // namespace tenon::backend
