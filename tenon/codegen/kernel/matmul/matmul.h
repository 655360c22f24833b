// Matrix products of every shape dot_general can express, written as LLVM IR.
//
// A contraction is out[b, m, n] = sum over k of lhs[b, m, k] * rhs[b, k, n], where each of b, m, n and k stands for any
// number of dimensions and every array is addressed by element strides. Transposed operands, einsum layouts, strided
// outputs and the windows of a convolution (overlapping strides) are all the same thing here.
#pragma once

#include "tenon/codegen/common/kernel.h"
#include "tenon/codegen/llvm/element/element.h"
#include "tenon/status.h"
#include "tenon/support/cost_model.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <string>

namespace llvm {
class IRBuilderBase;
class Module;
class Value;
} // namespace llvm

namespace tenon::codegen::matmul {

// What the emitters of this folder need to know about the CPU. Defaults: baseline x86-64.
struct MatmulTarget {
  int vectorBits = 128; // 128, 256 or 512
  bool fma = false;
  bool int16Pairs = true;  // PMADDWD at vectorBits: every x86, nothing else
  bool avx512Bf16 = false; // VDPBF16PS at vectorBits (with AVX512VL below 512)
  // VDPBF16PS computes half as much in a cycle as multiply-adds of f32 do: all it saves is traffic.
  bool slowBf16Pairs = false;
  bool avx512Vnni = false; // VPDPBUSD, EVEX encoded
  bool avxVnni = false;    // VPDPBUSD, VEX encoded
  // AMX: TDPBF16PS, and TDPBSSD with its unsigned kin.
  bool amxBf16 = false, amxInt8 = false;
  int64_t l1Bytes = 32 << 10;
  int64_t l2Bytes = 1 << 20; // of one core
  CostModel costs;
  int cores = 2; // hint for the number of tasks; never changes the result's bits
};

// One dimension of a contraction. Strides are in elements of the array and may be zero or negative; the stride of an
// array that the dimension's role does not index is ignored.
struct ContractionDim {
  int64_t size = 1;
  int64_t lhsStride = 0;
  int64_t rhsStride = 0;
  int64_t outStride = 0;

  bool operator==(const ContractionDim &) const = default;
};

// An extra operand each element of which is read where that of `out` at its place in the array is stored.
struct FullOperand {
  int buffer;
  mlir::Type type;
};

struct ContractionSpec {
  mlir::Type lhs, rhs, out;
  // What the operands' elements are converted to when they are read; every value of the one type has to be one of the
  // other. Null: nothing else.
  mlir::Type lhsAs, rhsAs;
  // The type of the sums themselves when an epilogue makes something else of them; null: that of out.
  mlir::Type sum;
  // Outermost first. Any list may be empty (one index), any size may be zero.
  llvm::SmallVector<ContractionDim, 2> batch, m, n, k;
  // Element index of lhs[0], rhs[0] and out[0] from the buffer's start.
  int64_t lhsOffset = 0, rhsOffset = 0, outOffset = 0;

  // The kernel is a part of another one, which calls it for blocks of rows: see RowBlockCall.
  bool inRowBlocks = false;
  // The same for blocks of k, whose sums add up: see DepthBlockCall.
  bool inDepthBlocks = false;
  bool isPart() const { return inRowBlocks || inDepthBlocks; }

  // The types that are multiplied.
  mlir::Type lhsType() const { return lhsAs ? lhsAs : lhs; }
  mlir::Type rhsType() const { return rhsAs ? rhsAs : rhs; }

  // Buffer table: [lhs, rhs, extra operands..., out, temp?].
  int extraOperands = 0;
  llvm::SmallVector<FullOperand, 1> fullOperands;

  // What the epilogue callback can take; see EpilogueContext.
  bool epilogueLanesAlongM = false;
  bool epilogueLanesMayWrap = false;
};

// Where the sum handed to an epilogue belongs.
//
// Lanes are consecutive elements of `out` in memory (outOffset, outOffset + 1, ...). They run along dimension `laneDim`
// of `index`; with the spec's epilogueLanesMayWrap they may pass from the end of that dimension to the next index of
// the dimension outside it in the same role (n, or m if they run along m; the spatial dimensions of a convolution), so
// that only outOffset and the indices of other roles say where a lane is. With epilogueLanesAlongM unset, lanes run
// along the last n dimension (for a convolution: the output feature dimension) or there is one lane.
struct EpilogueContext {
  // Contraction: [batch..., m..., n...] as in the spec. Convolution: one index for each dimension of the result, in the
  // result's order. i64 values, of lane 0.
  llvm::ArrayRef<llvm::Value *> index;
  int laneDim = -1;
  unsigned lanes = 1;               // 1: scalars are passed and returned, otherwise fixed vectors
  llvm::Value *outOffset = nullptr; // i64, element index of lane 0 in out
  llvm::Value *buffers = nullptr;   // the kernel's buffer table
};

// Makes of a sum, an element of the spec's type of sums, the one of `out` to store. Called inside a loop; may emit
// loads and basic blocks.
using Epilogue = std::function<Element(llvm::IRBuilderBase &, const EpilogueContext &, Element sum)>;

// How a contraction is computed. Chosen from sizes, strides and target; independent of LLVM, printable.
struct MatmulPlan {
  enum class Kind {
    kFill,   // empty k: the epilogue of zero (or nothing at all to do)
    kSimple, // plain loops, vectorised over n where possible: tiny problems
    kTiled,  // register tiles over blocks
    kStream, // few rows times a large row-major rhs: rhs read once, in order, at memory bandwidth
    kDot,    // few rows times a k-contiguous rhs: vectors run along k
    kRuns,   // the same, of columns in several runs of k, or that lie anywhere
  };
  enum class Compute {
    kFloat,
    kDouble,
    kBf16Pairs,  // VDPBF16PS
    kInt8Quads,  // VPDPBUSD
    kInt16Pairs, // PMADDWD
    kBf16Tiles,  // TDPBF16PS
    kInt8Tiles,  // TDPBSSD, TDPBSUD, TDPBUSD, TDPBUUD
    kInt32,
    kInt64,
    kComplexFloat,
    kComplexDouble,
  };
  Kind kind = Kind::kSimple;
  Compute compute = Compute::kFloat;
  bool swapped = false;           // lhs and rhs (and m and n) exchanged
  int lanes = 1;                  // accumulators in a vector
  int groupK = 1;                 // k steps in one multiply instruction
  int mr = 1, nv = 1;             // register tile: rows, vectors
  int64_t mc = 1, nc = 1, kc = 1; // block of one task (rows, columns) and k steps of one pass
  bool packLhs = false, packRhs = false;
  // Not zero: so many tiles of rows meet all columns of the block before the next ones do.
  int64_t tilesTogether = 0;
  // Whether a tile's places in the result, and in what its epilogue reads for each, are fetched before it is computed.
  bool fetchesResults = false;
  // Whether the dot kernel has the columns fetched that come after those which it reads.
  bool fetchesColumns = false;
  // Lines of each row of an lhs in place that are fetched a tile before they are read; zero where none are.
  int64_t fetchedLines = 0;
  // How many rows ahead those of an rhs in place are fetched, where the processor does not foresee them; zero: none.
  int64_t fetchedRows = 0;
  bool fetchesRowsToL1 = false; // and not to L2
  // In how many parts, one beside each of the first tiles of a panel in place, the panel that comes next is fetched to
  // L2; zero: it is not.
  int64_t panelParts = 0;
  // Tasks of their own, before the others, pack all of the rhs for them: so many columns and k steps of a pass each.
  bool sharesRhs = false;
  int64_t packColumns = 0, packSteps = 0, packTasks = 0;
  int64_t batchCount = 1, mSize = 1, nSize = 1, kSize = 1;
  int64_t tasks = 1;
  int64_t scratchBytes = 0, tempBytes = 0;

  std::string toString() const;
};

// Whether the walk over a block of register tiles is a part of the kernel's own function; otherwise it is a routine.
bool isWalkedInside(const MatmulPlan &plan, const CostModel &costs);
// Whether the kernel's own function reads its operands by as many pointers as there are registers: what takes them out
// of a loop's addresses is worth its time. Sums along k read few operands, at constant distances, and what walks over
// register tiles reads none.
bool needsPointers(const MatmulPlan &plan);

} // namespace tenon::codegen::matmul
