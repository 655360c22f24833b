#include "tenon/runtime/jit/manual_computation.h"

#include "tenon/program/attributes.h"
#include "tenon/runtime/collectives/grid_run.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/runtime/core/transfer.h"
#include "tenon/runtime/jit/loader.h"

#include <algorithm>
#include <mutex>

namespace tenon::runtime {
namespace {

using program::RuntimeCall;
using program::Shape;

class Shards : public RuntimeCallInstance {
public:
  Shards(std::unique_ptr<LoadedProgram> program, std::vector<bool> isShared)
      : program_(std::move(program)), isShared_(std::move(isShared)) {}

  Status call(const CallBuffers &call) override {
    auto run = [&](const RunOptions &options) {
      auto part = [&](void *whole, const Shape &shape) {
        return whole ? static_cast<char *>(whole) + options.partitionId * shape.byteSize() : nullptr;
      };
      std::vector<const void *> arguments;
      std::vector<void *> results;
      for (size_t i = 0; i < call.operands.size(); ++i)
        arguments.push_back(isShared_[i] ? call.operands[i]
                                         : part(call.operands[i], program_->program().arguments[i].shape));
      for (size_t i = 0; i < call.results.size(); ++i)
        results.push_back(part(call.results[i], program_->program().results[i].shape));
      return program_->run(arguments, results, options);
    };
    const program::Program &program = program_->program();
    return waitsForDevicesOnly(program) ? runGridOnWorkers(1, program.numPartitions, call.options, run)
                                        : runGrid(1, program.numPartitions, call.options, run);
  }

private:
  std::unique_ptr<LoadedProgram> program_;
  std::vector<bool> isShared_; // by operand
};

bool hasParts(const Shape &whole, const Shape &part, int64_t count) {
  return whole.type == part.type && whole.dims.size() == part.dims.size() + 1 && whole.dims[0] == count &&
         std::equal(part.dims.begin(), part.dims.end(), whole.dims.begin() + 1);
}

// Whether the arrays of the call are those of the program.
Status check(const RuntimeCall &runtimeCall, const program::Program &program, const std::vector<bool> &isShared) {
  bool fits = program.numReplicas == 1 && runtimeCall.operands.size() == program.arguments.size() &&
              runtimeCall.results.size() == program.results.size();
  for (size_t i = 0; fits && i < runtimeCall.operands.size(); ++i)
    fits = isShared[i] ? runtimeCall.operands[i] == program.arguments[i].shape
                       : hasParts(runtimeCall.operands[i], program.arguments[i].shape, program.numPartitions);
  for (size_t i = 0; fits && i < runtimeCall.results.size(); ++i)
    fits = hasParts(runtimeCall.results[i], program.results[i].shape, program.numPartitions);
  return fits ? Status() : invalidArgument("the arrays are not those of the devices' program");
}

StatusOr<std::unique_ptr<RuntimeCallInstance>> makeManualComputation(const RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(std::vector<int64_t> shared, program::integerArrayAttribute(runtimeCall.attributes, "shared"));
  std::vector<bool> isShared(runtimeCall.operands.size());
  for (int64_t operand : shared) {
    if (operand < 0 || operand >= int64_t(isShared.size()))
      return invalidArgument("there is no operand " + std::to_string(operand));
    isShared[size_t(operand)] = true;
  }
  if (runtimeCall.programs.size() != 1)
    return invalidArgument("there is no program for the devices");
  const program::Program &program = runtimeCall.programs.front();
  TENON_RETURN_IF_ERROR(check(runtimeCall, program, isShared));
  TENON_ASSIGN_OR_RETURN(auto loaded, loadProgram(program));
  return std::unique_ptr<RuntimeCallInstance>(std::make_unique<Shards>(std::move(loaded), std::move(isShared)));
}

} // namespace

void registerManualComputations() {
  static std::once_flag once;
  std::call_once(once, [] { registerLibrary("manual_computation", makeManualComputation); });
}

} // namespace tenon::runtime
