// A program in memory, ready to run. Where the machine code came from (JIT, a linked-in object) is the image's affair.
#pragma once

#include "tenon/program/program.h"
#include "tenon/runtime/core/abi.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/status.h"

#include <memory>
#include <span>

namespace tenon::runtime {

class LoadedProgram {
public:
  // `image` keeps the machine code alive; the objects' bytes in `program` are dropped unless `keepObjects`.
  // `asksToStop` says whether the code may call tenon_stopped, which is so if it has loops that may take long. Fails
  // when a runtime call is not registered.
  static StatusOr<std::unique_ptr<LoadedProgram>> create(program::Program program, TenonEntry entry,
                                                         std::shared_ptr<const void> image, bool keepObjects = false,
                                                         bool asksToStop = true);
  ~LoadedProgram();
  LoadedProgram(const LoadedProgram &) = delete;
  LoadedProgram &operator=(const LoadedProgram &) = delete;

  // Signature, report and the rest. `objects` holds names only, unless kept.
  const program::Program &program() const { return program_; }

  // Runs on the calling thread and the pool's workers. Pointers are one for each argument and result; those of tokens
  // and of arrays without elements may be null. Several runs may be in flight at once. Never throws.
  Status run(std::span<const void *const> arguments, std::span<void *const> results, const RunOptions &options = {});

private:
  LoadedProgram();
  struct Impl;
  program::Program program_;
  std::unique_ptr<Impl> impl_;
};

// The functions of abi.h by name, for loaders: generated code may call these and nothing else.
struct RuntimeSymbol {
  const char *name;
  void *address;
};
std::span<const RuntimeSymbol> runtimeSymbols();

} // namespace tenon::runtime
