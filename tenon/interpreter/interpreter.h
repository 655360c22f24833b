// The reference interpreter: runs a module op by op, as the specification defines each op, with plain loops over
// values. It is the oracle of the tests. Documented choices where the specification leaves one: docs/semantics.md.
//
// A run changes neither the module nor what its context holds: several threads may interpret one module at a time.
#pragma once

#include "tenon/interpreter/tensor.h"
#include "tenon/ir/process_groups.h"
#include "tenon/status.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <vector>

namespace tenon::interpreter {

// Computes a custom_call from its operands. kNotFound: no such target, as far as this handler knows.
using CustomCallHandler = std::function<StatusOr<std::vector<Value>>(mlir::Operation *call, llvm::ArrayRef<Value>)>;
// Does an infeed, outfeed, send or recv: takes the operands without the token, gives the results without it.
using TransferHandler = std::function<StatusOr<std::vector<Value>>(mlir::Operation *op, llvm::ArrayRef<Value>)>;

// Collects what the members of a group, this process among them, give to a collective, in the order of `members`. All
// of them call it, each with its own operands; the results are the operands of each.
using ExchangeHandler = std::function<StatusOr<std::vector<std::vector<Value>>>(
    mlir::Operation *op, llvm::ArrayRef<int64_t> members, llvm::ArrayRef<Value> given)>;

struct Options;
// Runs the processes of a grid of 1 x count, at the same time, in threads of their own: calls `process` with the
// options of each, which are `base` but for the place and what connects it with the others. Returns when all have
// ended, with the first error.
using DevicesHandler =
    std::function<Status(const Options &base, int64_t count, llvm::function_ref<Status(const Options &own)> process)>;

struct Options {
  // Ops evaluated before the run is given up with kDeadlineExceeded; 0: no limit.
  int64_t maxSteps = 0;
  // Asked before each op; true ends the run with kCancelled.
  std::function<bool()> stop;
  // Bytes one tensor may take; beyond it the run ends with kResourceExhausted.
  int64_t maxTensorBytes = int64_t{1} << 36;
  // Nesting of calls and regions; each level takes some kilobytes of stack.
  int64_t maxDepth = 500;
  // The seed of `rng`, whose values the specification leaves open. The same seed gives the same values.
  uint64_t seed = 0;
  // Asked first; the targets that the interpreter itself knows come after.
  CustomCallHandler customCall;
  // Without it there is no host, and a message can only be received after it has been sent by the same run.
  TransferHandler transfer;
  // The grid, and which of its processes this is (StableHLO specification, "Parallel execution").
  ir::ProcessGrid grid;
  int64_t process = 0;
  // Without it only processes that are alone in their groups can do collectives.
  ExchangeHandler exchange;
  // Without it computations that are written for one of several devices (sdy.manual_computation) run in place where
  // their parts are whole arrays, and not at all elsewhere. The module's context must be one for several threads.
  DevicesHandler devices;
  // Called for each op with the values it is about to get, and with those it gave; may change them. Regions of scalar
  // ops that reduce and its like apply to each element run as a whole, their ops are not shown.
  std::function<void(mlir::Operation *, llvm::MutableArrayRef<Value>)> beforeOp, afterOp;
};

// Calls the function `entry` of `module`.
StatusOr<std::vector<Value>> interpret(mlir::ModuleOp module, llvm::StringRef entry, llvm::ArrayRef<Value> args,
                                       const Options &options = {});

// Evaluates one op on the values of its operands. Symbols resolve in the op's module; regions must not capture.
StatusOr<std::vector<Value>> interpretOp(mlir::Operation *op, llvm::ArrayRef<Value> args, const Options &options = {});

} // namespace tenon::interpreter
