// Where a program runs: alone, as the processes of a grid, or once for all devices of a mesh.
#pragma once

#include "tenon/interpreter/interpreter.h"

#include <functional>
#include <vector>

namespace tenon::checking {

// Marks a module whose arrays are whole: it runs once for its partitions, which cut arrays as shardings say, and run
// the bodies that are written for one of them (CompileOptions::unpartitioned).
constexpr llvm::StringLiteral kUnpartitionedAttribute = "tenon.unpartitioned";
bool isUnpartitioned(mlir::ModuleOp module);

// The processes that run main; one where arrays are whole.
ir::ProcessGrid processesOf(mlir::ModuleOp module);

// When an interpreted run is given up.
struct Limits {
  int64_t maxSteps = 20'000'000;
  int64_t maxTensorBytes = int64_t{1} << 26;
  double maxSeconds = 4; // of the processor
};

// Options that give a run up then: kDeadlineExceeded, kCancelled, kResourceExhausted. The time begins now.
interpreter::Options limited(const Limits &limits);

// The options that a process starts with, of main or, beside that, of one device in a body. Called on their threads.
using OptionsOf = std::function<interpreter::Options(int64_t process)>;

// Interprets main on each process, with `arguments` by process. The results of the first process come first. With more
// than one thread the module's context must be one for several.
StatusOr<std::vector<interpreter::Value>> interpretAll(mlir::ModuleOp module,
                                                       llvm::ArrayRef<std::vector<interpreter::Value>> arguments,
                                                       const OptionsOf &optionsOf);

} // namespace tenon::checking
