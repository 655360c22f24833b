// Whether all values of an attention are finite: only then may the product leave out weights of zero (attention.h).
#pragma once

#include "tenon/codegen/gpu/form_phase.h"
#include "tenon/codegen/gpu/product.h"
#include "tenon/codegen/kernel/matmul/problem.h"

namespace tenon::codegen {

// Each warp of some blocks looks at a part of a batch's values, and writes a word: whether one is not finite.
struct FiniteValuesPlan {
  static constexpr int kThreads = 128;
  int64_t batches = 0, blocks = 1; // of a batch

  int64_t wordsOfBatch() const { return blocks * (kThreads / kWarpThreads); }
  int64_t tempBytes() const { return batches * wordsOfBatch() * 4; }
  FormPhase phase() const { return {batches * blocks, kThreads}; }
};

FiniteValuesPlan planFiniteValues(const matmul::Problem &product, const CostModel::Blocks &costs);

// The function of the phase. `values`: the number of the values in the kernel's row, behind `arrays` of which is the
// temporary block.
void emitFiniteValues(const FiniteValuesPlan &plan, matmul::Problem product, int values, int arrays,
                      llvm::Module &module, llvm::StringRef symbol, GpuBuilder &gpu);
// In another phase, by a whole warp: an i1, whether all values of a batch are finite.
llvm::Value *areFinite(Emitter &e, const FiniteValuesPlan &plan, llvm::Value *temp, llvm::Value *batch,
                       llvm::Value *lane, GpuBuilder &gpu);

} // namespace tenon::codegen
