// The passes that make of a program for a mesh of devices one for a single device of it.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <string>
#include <vector>

namespace tenon::passes {

// The callback of JAX that is called on each device's part of its operands (jax.debug.callback(partitioned=True)), and
// the shardings of these, which propagateShardings() says of it, as of isInspection() and isPartitionedByFramework():
// an sdy.sharding_per_value.
inline constexpr llvm::StringLiteral kPartitionedCallback = "xla_ffi_partitioned_python_cpu_callback";
inline constexpr llvm::StringLiteral kOperandShardings = "tenon.operand_shardings";

// What a module has been asked about where values lie: pairs of who asks (what the call was configured with, as bytes)
// and the answer (a serialized xla.OpSharding).
inline constexpr llvm::StringLiteral kInspectedAttribute = "tenon.inspected";

// Marks a module that must not stay whole (unit).
inline constexpr llvm::StringLiteral kMustPartitionAttribute = "tenon.must_partition";

// Marks a module that is to run on whole arrays if it can (unit).
inline constexpr llvm::StringLiteral kPartitionIfNeededAttribute = "tenon.partition_if_needed";

// Marks a module whose devices are all of one OS process, and have large results in common there (unit).
inline constexpr llvm::StringLiteral kSharesMemoryAttribute = "tenon.shares_memory";

// Whether devices may have what is no whole array: summands, or arrays that a computation for single devices says to be
// the same on several of them, and which may not be. (passes/partition/differences.cpp)
bool mayDiffer(mlir::ModuleOp module);

// Marks a module that partitionProgram() has made one partition's of (unit).
inline constexpr llvm::StringLiteral kPartitionedAttribute = "tenon.partitioned";
// The ops that were then computed whole, as strings for people (array).
inline constexpr llvm::StringLiteral kFallbacksAttribute = "tenon.fallbacks";

// Computes what XLA computes of a program before shardings spread, as far as that decides where values lie: what is
// taken from a known place becomes a slice. (passes/partition/known_places.cpp)
void foldKnownPlaces(mlir::ModuleOp module);

// Spreads the shardings that a program gives over all of its values, with Shardy's results: afterwards arguments,
// results and ops say how they are cut. Constants have copies for their uses, calls are named computations. Fails, with
// a diagnostic, where a sharding is impossible. (passes/partition/propagate/propagate.cpp)
llvm::LogicalResult propagateShardings(mlir::ModuleOp module);

// Whether an op is a call that asks where its operand lies (jax.debug.inspect_array_sharding).
bool isInspection(mlir::Operation *op);
// Takes such calls out of a function whose shardings have spread, and says on the module what they asked for, unless
// that has been said. (passes/partition/inspect.cpp)
void takeInspections(mlir::func::FuncOp main, mlir::ModuleOp module);

// Whether an op is a call of a function that the framework cuts itself, and is there to be asked how
// (program/call_partitioner.h).
bool isPartitionedByFramework(mlir::Operation *op);
// Marks such calls in programs in XLA's notation (unit): the framework says how their results lie.
inline constexpr llvm::StringLiteral kAsksForShardings = "tenon.asks_for_shardings";
// Reads what the framework says that each device computes of a call, as a module with one flat main; null after an
// error. The parts' sizes are those of that many devices.
using ReadLocalProgram = std::function<mlir::OwningOpRef<mlir::ModuleOp>(llvm::StringRef bytes, int64_t devices)>;
// What identifies the program of a module that had such calls (string). Its source does not, in which addresses name
// the functions.
inline constexpr llvm::StringLiteral kIdentityAttribute = "tenon.identity";
// Makes of each such call in main, whose shardings have spread and calls are inlined, a manual computation of what the
// framework says. Fails, with a diagnostic, where that does not fit. (passes/partition/partition_calls.cpp)
llvm::LogicalResult partitionCalls(mlir::func::FuncOp main, const ReadLocalProgram &read);
// The same in a program that computes whole arrays for several devices, whose shardings are spread first if it has such
// calls. Does nothing to others.
llvm::LogicalResult partitionCalls(mlir::ModuleOp module, const ReadLocalProgram &read);

// Puts the bodies of the named computations that propagateShardings() has made of calls in their places.
void inlineNamedComputations(mlir::func::FuncOp main);

// An op that each device computes whole, of gathered operands, although these are cut.
struct Fallback {
  std::string op;
  mlir::Location location;
  std::string reason;
  std::string remedy; // what would have it computed in parts
  int64_t bytes = 0;  // of the operands
};

// Makes of a program on whole arrays for the module's partitions the one that each of them runs on its parts of them:
// spreads the shardings, then rewrites main in local types. Arguments and results keep their shardings as attributes,
// by which callers cut and join arrays. Calls are inlined. What is no program for that stays as it is, marked as one
// that runs on whole arrays (ir::kUnpartitionedAttribute), with a remark that says why; with kMustPartitionAttribute
// that is an error. With kPartitionIfNeededAttribute, so does what need not be cut, without a remark.
// (passes/partition/partition_program.cpp)
llvm::LogicalResult partitionProgram(mlir::ModuleOp module);

} // namespace tenon::passes
