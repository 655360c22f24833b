// What the entry function does for an op of the program: the one classification that the buffer planner and the entry
// emitter share.
#pragma once

#include "tenon/codegen/common/kernel.h"
#include "tenon/codegen/common/memory/views.h"
#include "tenon/ir/types.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tenon::codegen {

enum class InstructionKind {
  kConstant, // rank 0: an immediate; else an entry of the constant table
  kScalar,   // rank-0 arithmetic in registers
  kAlias,    // the result is the operand's memory (reshape)
  kView,     // the result is in an operand's memory, at a computed place (views.h)
  kKernel,
  kRuntimeCall,
  kWhile,
  kBranch,  // if, case
  kNothing, // orders tokens
  kReturn,  // terminators
};

// An array in the memory of a group (findGroupArrays).
struct GroupArray {
  int32_t entry = -1;   // in the table of constants
  bool isEarly = false; // program::kWritesEarly
};

// A collective whose processes may meet for it later than the program says (findMeetings).
struct MeetingCall {
  int groups = 0;         // equal numbers: the same groups
  bool isPrivate = false; // what a process reads from others it writes into memory that no other has
};

// The kernels and runtime calls chosen for a program's ops.
struct ProgramInstructions {
  llvm::DenseMap<mlir::Operation *, const Kernel *> kernels;
  llvm::DenseMap<mlir::Operation *, int> runtimeCalls;
  // What results are parts of.
  llvm::DenseMap<mlir::Operation *, View> views;
  // The number of each op in `kernels` in program.kernelCalls.
  llvm::DenseMap<mlir::Operation *, int> calls;
  // The kernel that applies the computation of a collective to a block, by the collective, which is a runtime call.
  llvm::DenseMap<mlir::Operation *, const Kernel *> computations;
  // Results of collectives that processes of one OS process may have in one memory.
  llvm::DenseMap<mlir::Value, GroupArray> groupArrays;
  // Collectives of processes that may be in one OS process.
  llvm::DenseMap<mlir::Operation *, MeetingCall> meetingCalls;

  InstructionKind kindOf(mlir::Operation *op) const;
};

// The classification before kernels are chosen: kKernel stands for kernel or runtime call.
InstructionKind structuralKind(mlir::Operation *op);

// The ops of a block and of the loops and branches in it, each with its kind; rank-0 arithmetic for which
// `hasScalarCode` is false is kKernel. Stops at the first failure.
llvm::LogicalResult
forEachInstruction(mlir::Block &block, llvm::function_ref<bool(mlir::Operation *)> hasScalarCode,
                   llvm::function_ref<llvm::LogicalResult(mlir::Operation *, InstructionKind)> visit);

bool isToken(mlir::Type type);
// Rank-0 tensors live in registers of the entry function where arithmetic needs them.
using ir::isScalarTensor;
// Whether the op reads operand `index` in no other place, so that overwriting it while the op runs is safe.
bool readOnlyBy(mlir::Operation *op, int index);
// Whether `result` is the next value of the array that a loop's body has as `argument`.
bool isNextValueOf(mlir::Value result, mlir::Value argument);
// Storage bytes of a static tensor type; 0 for tokens.
int64_t tensorBytes(mlir::Type type);

} // namespace tenon::codegen
