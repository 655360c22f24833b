#include "test/execution.h"

#include "tenon/program/serialization.h"
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

} // namespace

StatusOr<std::vector<Bytes>> run(runtime::LoadedProgram &loaded, llvm::ArrayRef<llvm::ArrayRef<uint8_t>> arguments,
                                 const RunForm &form) {
  constexpr uint8_t kUnwritten = 0xa5;
  constexpr int64_t kAlignment = 64;
  const program::Program &program = loaded.program();
  std::deque<codegen::testing::GuardedMemory> memory;
  std::vector<uint8_t *> inputs, outputs;
  for (llvm::ArrayRef<uint8_t> argument : arguments) {
    inputs.push_back(memory.emplace_back(argument.size(), kAlignment, form.guard).data());
    llvm::copy(argument, inputs.back());
  }
  for (auto [i, result] : llvm::enumerate(program.results)) {
    if (int donor = form.givesArguments ? donorOf(program, i) : -1; donor >= 0) {
      outputs.push_back(inputs[donor]);
      continue;
    }
    outputs.push_back(memory.emplace_back(result.shape.byteSize(), kAlignment, form.guard).data());
    std::fill_n(outputs.back(), result.shape.byteSize(), kUnwritten);
  }

  runtime::RunOptions options;
  options.pool = form.threads ? &poolOf(form.threads) : nullptr;
  std::vector<const void *> from(inputs.begin(), inputs.end());
  std::vector<void *> to(outputs.begin(), outputs.end());
  if (Status status = loaded.run(from, to, options); !status.ok())
    return status;

  for (auto [i, argument] : llvm::enumerate(arguments))
    if (program.arguments[i].aliasedResult < 0 && llvm::ArrayRef(inputs[i], argument.size()) != argument)
      return internalError("the run has changed argument " + std::to_string(i));
  std::vector<Bytes> results;
  for (auto [result, bytes] : llvm::zip(program.results, outputs))
    results.emplace_back(bytes, bytes + result.shape.byteSize());
  return results;
}

} // namespace tenon::testing
