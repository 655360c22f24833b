#include "test/execution.h"

#include "tenon/runtime/cpu/library.h"
#include "tenon/runtime/jit/loader.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <deque>
#include <mutex>

namespace tenon::testing {

StatusOr<std::unique_ptr<runtime::LoadedProgram>> compileAndLoad(std::string_view source,
                                                                 const compiler::CompileOptions &options) {
  static std::once_flag once;
  std::call_once(once, runtime::registerCpuLibrary);
  StatusOr<program::Program> program = compiler::compile(source, options);
  if (!program.ok())
    return program.status();
  return runtime::loadProgram(std::move(*program));
}

StatusOr<std::vector<Bytes>> run(runtime::LoadedProgram &program, llvm::ArrayRef<llvm::ArrayRef<uint8_t>> arguments,
                                 codegen::testing::Guard guard) {
  constexpr uint8_t kUnwritten = 0xa5;
  constexpr int64_t kAlignment = 64;
  std::deque<codegen::testing::GuardedMemory> memory;
  std::vector<const void *> inputs;
  for (llvm::ArrayRef<uint8_t> argument : arguments) {
    llvm::copy(argument, memory.emplace_back(argument.size(), kAlignment, guard).data());
    inputs.push_back(memory.back().data());
  }
  std::vector<void *> outputs;
  for (const program::Result &result : program.program().results) {
    outputs.push_back(memory.emplace_back(result.shape.byteSize(), kAlignment, guard).data());
    std::fill_n(memory.back().data(), result.shape.byteSize(), kUnwritten);
  }
  if (Status status = program.run(inputs, outputs); !status.ok())
    return status;
  std::vector<Bytes> results;
  for (auto [result, bytes] : llvm::zip(program.program().results, outputs)) {
    auto *begin = static_cast<const uint8_t *>(bytes);
    results.emplace_back(begin, begin + result.shape.byteSize());
  }
  return results;
}

} // namespace tenon::testing
