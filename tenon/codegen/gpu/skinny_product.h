// Products of few rows, or of few columns, a matrix and a vector among them. What takes time is reading the other
// operand, the wide one, once: vectors of it go from memory to registers, along whichever dimension is dense, and meet
// all the few rows there.
//
// A block has a tile of the result, of all the few rows and of some columns of the wide operand. Its threads share k:
// each takes steps that lie a block's width apart, in their order. The sums of lanes that have the same columns are
// added up by shuffles, those of warps by way of shared memory, each in one tree; then threads go through the block's
// results, an element each, so that the epilogue's code is there once. Where there are fewer blocks than
// multiprocessors, and k is long, k has parts, whose sums a second phase adds up in their order (product_emitter.h).
#pragma once

#include "tenon/codegen/gpu/builder.h"
#include "tenon/codegen/gpu/form_phase.h"
#include "tenon/codegen/kernel/contraction/contraction.h"

namespace tenon::codegen {

struct SkinnyProductPlan {
  bool isLhsFew = true;   // the few rows are those of the lhs; else they are columns, those of the rhs
  bool isAlongK = false;  // vectors of the wide operand are along k; else across its columns
  int64_t few = 1;        // of the few rows, those of a block
  unsigned lanes = 1;     // of a vector of the wide operand
  int64_t ownColumns = 1; // of a thread
  int64_t steps = 1;      // of k, one after the other, that a thread takes together
  int64_t unroll = 1;     // such groups of steps whose vectors are asked for at once
  int threads = 1;        // of a block
  int64_t sharingK = 1;   // threads that have the same columns
  int64_t unitBytes = 4;  // of a sum, or of the real part of one
  int64_t tasks = 1;      // of one part of k
  int64_t parts = 1, partSteps = 0;
  int64_t combined = 0; // tasks of the second phase, each of a vector
  unsigned combinedLanes = 1;
  unsigned components = 1; // of a sum
  int64_t tempBytes = 0;

  int64_t groups() const { return threads / sharingK; }
  int64_t columns() const { return groups() * ownColumns; } // of a block
  int64_t sums() const { return few * ownColumns * components; }
  // Lanes of a warp that have the same columns, and warps of a block that do.
  int64_t lanesSharingK() const;
  int64_t warpsSharingK() const { return sharingK / lanesSharingK(); }
  // The places in shared memory of the sums of a group's warps, some of which may stay empty.
  int64_t placesOfSums() const;
  int64_t sharedBytes() const { return warpsSharingK() * groups() * placesOfSums() * unitBytes; }
  FormPhases phases() const;
  void print(llvm::raw_ostream &os) const;
};

// None for products of more rows and columns, and for sums of nothing. k has parts only where the contraction may have
// a temporary block, too.
std::optional<SkinnyProductPlan> planSkinnyProduct(const matmul::ContractionPlan &plan, bool mayHaveParts,
                                                   const CostModel::Blocks &costs);

// The functions have the names of the plan's last phases. `epilogue`: what the plan was made for, or none.
// `sharedBegin`: where in the block's shared memory its sums are.
void emitSkinnyProduct(const SkinnyProductPlan &skinny, const matmul::ContractionPlan &plan,
                       const matmul::Epilogue &epilogue, int64_t sharedBegin, llvm::Module &module, GpuBuilder &gpu);

} // namespace tenon::codegen
