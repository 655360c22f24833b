// When the processes of a program meet for its collectives. See meetings.cpp.
#pragma once

#include "tenon/codegen/common/memory/instructions.h"
#include "tenon/program/program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace tenon::codegen {

// The groups of a collective, as its runtime call has them: equal for equal groups.
std::vector<std::vector<int64_t>> groupsOf(const program::RuntimeCall &call);

// Which ops of `main` are collectives that may meet later, of `instructions.runtimeCalls`. What the groups have in one
// memory has been found (findGroupArrays).
llvm::DenseMap<mlir::Operation *, MeetingCall> findMeetingCalls(mlir::func::FuncOp main,
                                                                const ProgramInstructions &instructions,
                                                                const std::vector<program::RuntimeCall> &runtimeCalls);

// The meeting for a collective.
struct Meeting {
  mlir::Operation *at = nullptr; // the collective with which they meet: it or a later one
  // The collective to whose meeting they come before the operands change. Null: they wait until all have read.
  mlir::Operation *until = nullptr;

  mlir::Operation *end() const { return until ? until : at; }
};

// The meetings for collectives of `main`, in its present order, which are not just when these are called.
llvm::DenseMap<mlir::Operation *, Meeting> findMeetings(mlir::func::FuncOp main,
                                                        const ProgramInstructions &instructions);

// Says so of the runtime calls (program::kMeetsWithNext, program::kOperandsStay).
void markMeetings(mlir::func::FuncOp main, const ProgramInstructions &instructions,
                  std::vector<program::RuntimeCall> &runtimeCalls);

} // namespace tenon::codegen
