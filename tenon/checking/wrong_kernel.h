// Finds the kernel that computes something wrong, in a program as the last stage leaves it.
//
// The program is interpreted, and of each op that will be a kernel or a runtime call the values of its operands are
// kept, those of the first time that it is evaluated. Each op is then a program of its own, which is compiled and run
// with them.
#pragma once

#include "tenon/backend/backend.h"
#include "tenon/checking/expectation.h"

#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tenon::checking {

// Compiles a program whose main takes and gives arrays, and runs it. The bytes of its results.
using RunCompiled = std::function<StatusOr<std::vector<std::vector<uint8_t>>>(
    mlir::ModuleOp program, llvm::ArrayRef<interpreter::Value> arguments)>;

// What a backend gives.
StatusOr<std::vector<std::vector<uint8_t>>> runOnBackend(backend::Backend &backend, mlir::ModuleOp program,
                                                         llvm::ArrayRef<interpreter::Value> arguments);

struct WrongKernel {
  std::string op; // its name
  mlir::Location place;
  std::string difference;                    // as Expectation::check says it, or why it could not be compiled or run
  mlir::OwningOpRef<mlir::ModuleOp> program; // it alone, and what it is run with
  std::vector<interpreter::Value> arguments;
};

struct KernelSearch {
  std::optional<WrongKernel> wrong;
  int64_t compared = 0; // ops that were run by themselves
};

// `program` is one of a single process. Errors are those of interpreting it.
StatusOr<KernelSearch> findWrongKernel(mlir::ModuleOp program, llvm::ArrayRef<interpreter::Value> arguments,
                                       const RunCompiled &runCompiled, const Limits &limits);

} // namespace tenon::checking
