// What kernels of GPUs have that the code of CPUs has not: this is the one place that emits it. There are two forms of
// all of it: NVPTX's intrinsics, and calls of the emulation (runtime/emulator/block.h).
#pragma once

#include "tenon/program/emulation.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <array>
#include <memory>

namespace tenon::codegen {

using program::kWarpThreads;
// The bytes of shared memory that every block has without being given more (chip.h).
constexpr int64_t kMostSharedBytes = 48 << 10;

class GpuBuilder {
public:
  virtual ~GpuBuilder() = default;

  using Number = program::ThreadNumber;

  // Begins a kernel for blocks of at most `threads` threads. `b` goes on at the beginning of its code, which has to end
  // with a return.
  virtual llvm::Function *startKernel(llvm::Module &module, llvm::StringRef name,
                                      llvm::ArrayRef<llvm::Type *> parameters, int threads) = 0;
  // An array's address: it is given by value.
  llvm::Value *parameter(unsigned number) const { return parameters_[number]; }

  virtual llvm::Type *globalPointerType() = 0;

  // i32.
  virtual llvm::Value *number(Number which) = 0;
  // The number of the thread in the grid, and how many there are in it, as i64.
  llvm::Value *threadInGrid();
  llvm::Value *threadsInGrid();
  llvm::Value *blockInGrid() { return wide(Number::kBlock); }

  // Until all threads of the block are here that have not ended: what they have written, all read.
  virtual void emitBarrier() = 0;
  // What the lane whose number differs in the bits of `lanes` brings: a value of at most 64 bits. All 32 lanes of the
  // warp have to be here.
  llvm::Value *shuffleXor(llvm::Value *value, unsigned lanes);
  // What the lane of this number brings, an i32: as shuffleXor.
  llvm::Value *shuffleFrom(llvm::Value *value, llvm::Value *lane);
  // The lanes of the warp, as the bits of an i32, that bring a number (i32) with the same low bits, so many. All 32
  // lanes have to be here.
  virtual llvm::Value *lanesWith(llvm::Value *number, unsigned bits) = 0;
  // Starts to copy 16 bytes from global to shared memory, both aligned as much; or zeros, where the i1 says that
  // nothing is there. It may be done at any time until the thread has waited for it.
  virtual void emitCopy(llvm::Value *shared, llvm::Value *global, llvm::Value *isThere) = 0;
  // What the thread has started since the last such end is one group.
  virtual void emitEndOfCopies() = 0;
  // Until the thread's groups are there, all but the last `left` ones.
  virtual void emitWaitForCopies(unsigned left) = 0;
  // Products of 16 rows by 8 columns, added to sums of f32, or of i32 for integers. Of 32 bytes of k, in words: the
  // lane l of a warp brings words l % 4 and l % 4 + 4 of rows l / 4 and l / 4 + 8 (row by row for each word), the same
  // words of column l / 4, and has the sums of columns 2 * (l % 4) and the next, of both rows. All lanes have to be
  // here.
  using Matrix = program::MatrixKind;
  virtual llvm::SmallVector<llvm::Value *, 4> multiplyMatrices(Matrix kind, llvm::ArrayRef<llvm::Value *> lhs,
                                                               llvm::ArrayRef<llvm::Value *> rhs,
                                                               llvm::ArrayRef<llvm::Value *> sums) = 0;
  // Products of 8 rows by 8 columns over 4 steps of k, added to sums, all of f64, each step rounded by itself: the lane
  // l brings step l % 4 of row l / 4, and of column l / 4, and has the sums of columns 2 * (l % 4) and the next of that
  // row.
  virtual llvm::SmallVector<llvm::Value *, 2> multiplyDoubles(llvm::Value *lhs, llvm::Value *rhs,
                                                              llvm::ArrayRef<llvm::Value *> sums) = 0;
  // Reads four matrices of 8 rows of 16 bytes from shared memory: the lane l brings the address, 16-byte aligned, of
  // row l % 8 of matrix l / 8, and gets of each matrix the word l % 4 of row l / 4; or, where they are transposed, of
  // 16-bit elements 2 * (l % 4) and the next of column l / 4. All lanes have to be here.
  virtual llvm::SmallVector<llvm::Value *, 4> loadMatrices(llvm::Value *row, bool isTransposed) = 0;

  // 2 to the power of an f32, 4e-7 of it off at most, and rather more quickly than as elementary functions are
  // computed: no subnormal numbers, but zero.
  virtual llvm::Value *approximateExp2(llvm::Value *exponent) = 0;
  // 1 by an f32, a unit in the last place off at most: no subnormal numbers, but zero. A division has a function for
  // hard cases, which an assembler may leave outside of the kernel; products of warp groups then wait for each other.
  virtual llvm::Value *approximateReciprocal(llvm::Value *divisor) = 0;

  // --- Of warp groups, four warps of which the first has a number that four divides (GpuChip::hasWarpGroups) ---

  // What the thread has written to shared memory is there for products that begin after the next barrier.
  virtual void emitFenceForGroups() = 0;
  // The sums that the products are to add to are in their registers. Before the first product, and after each end.
  virtual void emitStartOfProducts() = 0;
  // A factor of a product in shared memory: rows of 128 bytes, of which the 16 bytes `i` of row `r` are in place
  // `i ^ r % 8`, in a tile that is 1024-byte aligned. Rows are those of the lhs, or columns of the rhs, and their bytes
  // k; or, where `chunkBytes` is not 0, rows are steps of k, and their elements, of 16 bits, are rows: 64 of them, and
  // the next so many bytes on.
  struct GroupTile {
    llvm::Value *address;
    int64_t chunkBytes = 0;
    // Not empty: it is no tile, but an lhs of elements of 16 bits in registers, four words of each lane as
    // multiplyMatrices takes them, of the rows that its warp has the sums of.
    llvm::SmallVector<llvm::Value *, 4> words = {};
  };
  // Begins to multiply 64 rows by a multiple of 8 columns over 32 bytes of k: warp w of the group has the sums of rows
  // 16 * w and on, each of its lanes those of multiplyMatrices, of every eight columns. Nothing may use what comes of
  // it but other products and the wait. All threads of the group have to be here, with the same factors.
  virtual llvm::SmallVector<llvm::Value *> multiplyInGroup(Matrix kind, unsigned columns, const GroupTile &lhs,
                                                           const GroupTile &rhs,
                                                           llvm::ArrayRef<llvm::Value *> sums) = 0;
  // The products since the last such end are one.
  virtual void emitEndOfProducts() = 0;
  // Until the group's products are done, all but the last `left` ones. The sums, if none are left.
  virtual llvm::SmallVector<llvm::Value *> waitForProducts(unsigned left, llvm::ArrayRef<llvm::Value *> sums) = 0;

  // --- Copies of boxes of arrays to shared memory, which one thread starts (GpuChip::hasMaps) ---

  // An array in global memory, 16-byte aligned, of elements of 1 or 2 bytes, the inner dimension first, whose elements
  // lie side by side; `strides` of the others are multiples of 16 bytes. Of a box the inner dimension has 128 bytes,
  // the others have up to 256 elements.
  struct BoxedArray {
    llvm::Value *address;
    int64_t elementBytes;
    std::array<int64_t, 3> sizes, boxes;
    std::array<int64_t, 2> strides;
  };
  static constexpr int64_t kMapBytes = 128; // 64-byte aligned
  // Writes a map of the array to global memory: for copies of this kernel after a barrier, and of kernels after it.
  virtual void emitMap(llvm::Value *map, const BoxedArray &array) = 0;
  // Copies that this thread starts may use the map.
  virtual void emitUseOfMap(llvm::Value *map) = 0;
  // Begins a barrier, 8 bytes in shared memory, for other threads after the next barrier of the block. Each of its
  // phases ends when one thread has said how many bytes are to come, and these have come.
  virtual void emitStartOfPhases(llvm::Value *barrier) = 0;
  virtual void emitExpectedBytes(llvm::Value *barrier, int64_t bytes) = 0;
  // Starts to copy the box from this place (i32) on, zeros where the array has no elements, as rows of 128 bytes that
  // are shuffled as those of a GroupTile are.
  virtual void emitBoxCopy(llvm::Value *shared, llvm::Value *map, llvm::ArrayRef<llvm::Value *> place,
                           llvm::Value *barrier) = 0;
  // Until the last phase of this parity (i32; that of the first is 0) has ended. No later one may have ended.
  virtual void emitWaitForPhase(llvm::Value *barrier, llvm::Value *parity) = 0;

  // There is at most one block of the kernel for each multiprocessor, whose registers it may use up.
  virtual void runAlone(llvm::Function &kernel) = 0;

  // --- Clusters of blocks, which are at work together (GpuChip::mostClusterBlocks) ---

  // Makes the kernel one for clusters of so many blocks, with numbers one after the other.
  virtual void formClusters(llvm::Function &kernel, int blocks) = 0;
  // Until all threads of the cluster are here: what they have written to each other's shared memory, all read. Before
  // the first access to another block's memory, which may not have begun, and after the last, since it may end.
  virtual void emitClusterBarrier() = 0;
  // Where a place of this block's shared memory is in the cluster's block with this number (i32).
  virtual llvm::Value *sharedOf(llvm::Value *own, llvm::Value *block) = 0;

  // Says whether the conditional node with this handle (i64) runs, or runs again: an i32, 0 for no. In graphs alone.
  virtual void emitSetConditional(llvm::Value *handle, llvm::Value *value) = 0;
  // The block's shared memory, as large as the launch says.
  llvm::Value *sharedMemory(int64_t alignment = 16) { return alignedSharedMemory(alignment); }

  // Combines a value with what is at the address, of 32 or 64 bits, at once for all threads of the grid: in what order
  // they come is not said. Returns what was there.
  llvm::Value *emitAtomic(llvm::AtomicRMWInst::BinOp op, llvm::Value *address, llvm::Value *value);

  // A word (i32) in global memory by which blocks tell each other of their work. Who loads what has been stored sees
  // all that the storing thread had written before, or had seen.
  llvm::Value *loadAcquire(llvm::Value *address);
  void storeRelease(llvm::Value *value, llvm::Value *address);
  // Adds to such a word: who loads a sum sees what storeRelease says of all threads that have added.
  virtual void addRelease(llvm::Value *value, llvm::Value *address) = 0;
  // Between two looks at such a word.
  virtual void emitPause() = 0;
  // A clock that all multiprocessors have in common, in nanoseconds (i64): it may go on in steps of a microsecond.
  virtual llvm::Value *nanoseconds() = 0;

  // Emits at the place of another builder, which goes on behind what `emit` has emitted.
  llvm::Value *at(llvm::IRBuilderBase &place, llvm::function_ref<llvm::Value *()> emit);

  llvm::IRBuilder<> b;

protected:
  explicit GpuBuilder(llvm::LLVMContext &context) : b(context) {}

  virtual llvm::Value *alignedSharedMemory(int64_t alignment) = 0;
  virtual llvm::Value *shuffleWord(llvm::Value *word, unsigned lanes) = 0;
  virtual llvm::Value *shuffleWordFrom(llvm::Value *word, llvm::Value *lane) = 0;
  // A value of any type by words.
  llvm::Value *shuffle(llvm::Value *value, llvm::function_ref<llvm::Value *(llvm::Value *)> shuffleWord);
  llvm::Value *wide(Number which) { return b.CreateZExt(number(which), b.getInt64Ty()); }

  llvm::SmallVector<llvm::Value *> parameters_;
};

std::unique_ptr<GpuBuilder> makePtxBuilder(llvm::LLVMContext &context);
std::unique_ptr<GpuBuilder> makeEmulatedBuilder(llvm::LLVMContext &context);

} // namespace tenon::codegen
