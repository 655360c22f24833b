// Files of a program and of what each stage of the compiler made of it, for people to look at (TENON_DUMP_TO).
#pragma once

#include "tenon/compiler/compiler.h"
#include "tenon/status.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace tenon::backend {

// One program's files in a directory that other programs and other processes dump to as well:
//
//   0003.source.mlirbc          what was compiled; .mlir if it is text
//   0003.jit_f.00.import.mlir   after each stage, with the module's name and the stage's place in the pipeline
//   0003.jit_f.12.llvm.1.ll     a second module of a stage: each has a file of its own, which can be compiled
//
// A number is used once.
class ProgramDump {
public:
  // Makes the directory if it is missing, takes the next number in it, and writes the source. FAILED_PRECONDITION, with
  // the path and the system's reason, if that cannot be done.
  static StatusOr<std::shared_ptr<ProgramDump>> create(const std::string &directory, std::string_view source);

  // Has the compiler write what each stage makes.
  static void attach(const std::shared_ptr<ProgramDump> &dump, compiler::CompileOptions &options);

  // The error of the first file that could not be written.
  Status status() const;

private:
  explicit ProgramDump(std::string prefix) : prefix_(std::move(prefix)) {}
  void write(std::string_view stage, std::string_view text);

  const std::string prefix_; // "directory/0003"
  mutable std::mutex mutex_;
  std::string module_; // its name, once it is read
  std::map<std::string, int, std::less<>> modulesOfStage_;
  Status status_;
};

// Compiles the program by `compile`, and keeps it and what each stage made of it in the directory; if that is empty, in
// that of TENON_DUMP_TO, if any.
using CompileFunction = std::function<StatusOr<program::Program>(const compiler::CompileOptions &options)>;
StatusOr<program::Program> compileAndDump(std::string_view source, compiler::CompileOptions options,
                                          std::string directory, const CompileFunction &compile);

} // namespace tenon::backend
