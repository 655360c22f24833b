#include "test/execution.h"

#include "tenon/program/serialization.h"
#include "tenon/runtime/collectives/grid_run.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/cpu/library.h"
#include "tenon/runtime/jit/loader.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>

namespace tenon::testing {

StatusOr<std::unique_ptr<runtime::LoadedProgram>> compileAndLoad(std::string_view source,
                                                                 const compiler::CompileOptions &options) {
  static std::once_flag once;
  std::call_once(once, runtime::registerCpuLibrary);
  StatusOr<program::Program> program = compiler::compile(source, options);
  if (!program.ok())
    return program.status();
  // As it comes from a cache.
  StatusOr<program::Program> again = program::deserialize(program::serialize(*program));
  if (!again.ok())
    return again.status();
  return runtime::loadProgram(std::move(*again));
}

namespace {

runtime::ThreadPool &poolOf(int threads) {
  static std::map<int, runtime::ThreadPool> pools;
  return pools.try_emplace(threads, threads).first->second;
}

// The argument whose memory the result takes over, or -1.
int donorOf(const program::Program &program, size_t result) {
  auto donor = llvm::find_if(
      program.arguments, [&](const program::Argument &argument) { return argument.aliasedResult == int64_t(result); });
  return donor == program.arguments.end() ? -1 : int(donor - program.arguments.begin());
}

// The memory of one process's arguments and results.
class ProcessMemory {
public:
  ProcessMemory(const program::Program &program, llvm::ArrayRef<llvm::ArrayRef<uint8_t>> arguments, const RunForm &form)
      : program_(program), arguments_(arguments) {
    constexpr uint8_t kUnwritten = 0xa5;
    constexpr int64_t kAlignment = 64;
    for (llvm::ArrayRef<uint8_t> argument : arguments) {
      inputs_.push_back(memory_.emplace_back(argument.size(), kAlignment, form.guard).data());
      llvm::copy(argument, inputs_.back());
    }
    for (auto [i, result] : llvm::enumerate(program.results)) {
      if (int donor = form.givesArguments ? donorOf(program, i) : -1; donor >= 0) {
        outputs_.push_back(inputs_[donor]);
        continue;
      }
      outputs_.push_back(memory_.emplace_back(result.shape.byteSize(), kAlignment, form.guard).data());
      std::fill_n(outputs_.back(), result.shape.byteSize(), kUnwritten);
    }
  }

  Status run(runtime::LoadedProgram &loaded, const runtime::RunOptions &options) {
    std::vector<const void *> from(inputs_.begin(), inputs_.end());
    std::vector<void *> to(outputs_.begin(), outputs_.end());
    return loaded.run(from, to, options);
  }

  StatusOr<std::vector<Bytes>> results() const {
    for (auto [i, argument] : llvm::enumerate(arguments_))
      if (program_.arguments[i].aliasedResult < 0 && llvm::ArrayRef(inputs_[i], argument.size()) != argument)
        return internalError("the run has changed argument " + std::to_string(i));
    std::vector<Bytes> results;
    for (auto [result, bytes] : llvm::zip(program_.results, outputs_))
      results.emplace_back(bytes, bytes + result.shape.byteSize());
    return results;
  }

private:
  const program::Program &program_;
  llvm::ArrayRef<llvm::ArrayRef<uint8_t>> arguments_;
  std::deque<codegen::testing::GuardedMemory> memory_;
  std::vector<uint8_t *> inputs_, outputs_;
};

runtime::RunOptions optionsOf(const RunForm &form) {
  runtime::RunOptions options;
  options.pool = form.threads ? &poolOf(form.threads) : nullptr;
  return options;
}

} // namespace

StatusOr<std::vector<Bytes>> run(runtime::LoadedProgram &loaded, llvm::ArrayRef<llvm::ArrayRef<uint8_t>> arguments,
                                 const RunForm &form) {
  ProcessMemory memory(loaded.program(), arguments, form);
  if (Status status = memory.run(loaded, optionsOf(form)); !status.ok())
    return status;
  return memory.results();
}

StatusOr<std::vector<std::vector<Bytes>>> runOnGrid(runtime::LoadedProgram &loaded,
                                                    llvm::ArrayRef<std::vector<llvm::ArrayRef<uint8_t>>> arguments,
                                                    const RunForm &form) {
  const program::Program &program = loaded.program();
  std::deque<ProcessMemory> memory;
  for (const auto &own : arguments)
    memory.emplace_back(program, own, form);
  Status status = arguments.size() == 1 ? memory.front().run(loaded, optionsOf(form))
                                        : runtime::runGrid(program.numReplicas, program.numPartitions, optionsOf(form),
                                                           [&](const runtime::RunOptions &options) {
                                                             return memory[options.process()].run(loaded, options);
                                                           });
  if (!status.ok())
    return status;
  std::vector<std::vector<Bytes>> all;
  for (const ProcessMemory &own : memory) {
    auto results = own.results();
    if (!results.ok())
      return results.status();
    all.push_back(*std::move(results));
  }
  return all;
}

} // namespace tenon::testing
