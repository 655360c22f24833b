// The kernels a contraction can become. Each adds the function `symbol` (a TenonKernel) over plan.tasks tasks.
#pragma once

#include "tenon/codegen/kernel/matmul/problem.h"

namespace tenon::codegen::matmul {

void emitFill(llvm::Module &module, llvm::StringRef symbol, const Problem &problem, const MatmulPlan &plan);
void emitSimple(llvm::Module &module, llvm::StringRef symbol, const Problem &problem, const MatmulPlan &plan);
void emitTiled(llvm::Module &module, llvm::StringRef symbol, const Problem &problem, const MatmulPlan &plan);
void emitStream(llvm::Module &module, llvm::StringRef symbol, const Problem &problem, const MatmulPlan &plan);
void emitDot(llvm::Module &module, llvm::StringRef symbol, const Problem &problem, const MatmulPlan &plan);

int64_t simpleScratchBytes(const Problem &problem, const MatmulPlan &plan);
// Whether the sums of a stream kernel are those of a routine, which need not be compiled.
bool isStreamRoutine(const Problem &problem);
int64_t streamScratchBytes(const Problem &problem, const MatmulPlan &plan);

// For a tiled plan of a spec that is a part of another kernel.
void emitTiledPart(llvm::Module &module, llvm::StringRef symbol, const Problem &problem, const MatmulPlan &plan);

// The plan for a problem whose roles are settled.
MatmulPlan planProblem(const Problem &problem);

// The frame of every kernel: void(ptr buffers, i64 begin, i64 end, ptr scratch) looping over its tasks.
void emitTasks(llvm::Module &module, llvm::StringRef symbol, const MatmulTarget &target,
               llvm::function_ref<void(Emitter &, llvm::Value *table, llvm::Value *task, llvm::Value *scratch)> body);

} // namespace tenon::codegen::matmul
