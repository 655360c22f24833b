// Where every array of a program lives: the memory plan of the entry function.
//
// A value is in a buffer class: values that share one buffer because their lifetimes never meet (an in-place update and
// what it updates, a loop's carried value from iteration to iteration). A class is stored in the arena, or in the
// caller's memory of a result before that is there, at an offset found here (packing.h), or is the caller's memory of
// an argument or result. What a collective gives to all devices of a group is in memory that they have in common.
#pragma once

#include "tenon/codegen/common/memory/instructions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <string>
#include <vector>

namespace tenon::codegen {

struct BufferClass {
  enum class Storage { kArena, kArgument, kResult, kConstant, kGroup };
  // Closed interval of half steps: an op at position p reads at 2p and has written by 2p + 1.
  struct Interval {
    int64_t begin, end;
    bool isReserved = false; // for a branch that may write then; what it writes stands in intervals of its own

    bool overlaps(Interval other) const { return begin <= other.end && other.begin <= end; }
  };

  Storage storage = Storage::kArena;
  int32_t index = -1; // of the argument or result; of the constant, or the group's array behind these, in their table
  int64_t bytes = 0, offset = 0;       // offset: in the arena, in the result's memory, or in the group's
  llvm::SmallVector<Interval, 2> live; // added by addLife
  Interval hull{INT64_MAX, INT64_MIN}; // from the first begin to the last end in `live`
  bool pinned = false; // exchanged by a loop, or holds a loop's copy: nothing may merge with it any more
  int32_t mergedInto = -1;
  std::string purpose;     // where it holds no value of the program
  bool isEarly = false;    // kGroup: a device may write its part while others still do what is before
  bool isMetLater = false; // kGroup: devices meet for it with a later collective

  void addLife(llvm::ArrayRef<Interval> intervals);
  // Whether anything is alive here in any of the intervals. Takes no time where they lie behind all that is.
  bool isAliveIn(llvm::ArrayRef<Interval> intervals) const;

  void placeInGroup(GroupArray array) {
    storage = Storage::kGroup;
    index = array.entry;
    isEarly = array.isEarly;
  }
};

// How a loop brings the next iteration's value of one carried array to where this iteration's was.
enum class CarryMode {
  kInPlace, // computed there
  kSwap,    // the two buffers change roles
  kCopy,
  kCopyThroughTemp, // the next value is another carried value of this iteration
  kNone,            // scalars and tokens
};

struct CarryPlan {
  llvm::SmallVector<CarryMode> modes;
  llvm::SmallVector<int> home;  // class of the carried array
  llvm::SmallVector<int> other; // kSwap: class of the next value; kCopyThroughTemp: the temporary; else -1
};

class BufferPlan {
public:
  int64_t arenaBytes() const { return arenaBytes_; }
  // The class of a value that is in memory.
  const BufferClass &classOf(mlir::Value value) const;
  bool hasClass(mlir::Value value) const { return classIndex_.contains(value); }
  const BufferClass &classAt(int index) const;
  const CarryPlan &loop(mlir::Operation *op) const { return loops_.at(op); }
  // Class of a kernel's temporary block, or null.
  const BufferClass *temporaryOf(mlir::Operation *op) const;
  // Class to keep what is returned of an argument in while other results are stored, or null. By result.
  const BufferClass *returnTemporary(int result) const;
  int classIndexOf(mlir::Value value) const { return root(classIndex_.at(value)); }
  int rootOf(int index) const { return root(index); }
  bool isSame(mlir::Value a, mlir::Value b) const { return root(classIndex_.at(a)) == root(classIndex_.at(b)); }
  // The result that may have the memory of an argument, or -1.
  int32_t donatedTo(int argument) const { return donations_[argument]; }
  const std::vector<BufferClass> &classes() const { return classes_; }
  // Every value that is in memory, with its class before merging (rootOf).
  const llvm::DenseMap<mlir::Value, int> &values() const { return classIndex_; }
  // When an op begins and ends, in the steps that the classes' half steps count. Its regions lie between.
  std::pair<int64_t, int64_t> positionOf(mlir::Operation *op) const { return {begin_.at(op), end_.at(op)}; }

private:
  friend class BufferPlanner;
  int root(int index) const;

  std::vector<BufferClass> classes_;
  llvm::DenseMap<mlir::Value, int> classIndex_;
  llvm::DenseMap<mlir::Operation *, int> temporaries_;
  std::map<mlir::Operation *, CarryPlan> loops_;
  llvm::DenseMap<mlir::Operation *, int64_t> begin_, end_;
  std::vector<int> returnTemporaries_;
  llvm::SmallVector<int32_t> donations_;
  int64_t arenaBytes_ = 0;
};

// Where values of rank 0 are: in memory where a kernel or runtime call makes them, and otherwise in registers of
// whatever calls the kernels; or always in memory, as all others.
enum class ScalarPlaces : uint8_t { kRegisters, kMemory };

// What may be in the memory of a result while that is not there.
enum class ResultUse : uint8_t { kResultsAlone, kOthersToo };

// `constantIndex` gives the table entry of a constant op that is in memory. `donations[i]` is the result that takes
// over argument i's memory, or -1.
BufferPlan planBuffers(mlir::func::FuncOp main, const ProgramInstructions &instructions,
                       const llvm::DenseMap<mlir::Operation *, int> &constantIndex, llvm::ArrayRef<int32_t> donations,
                       ScalarPlaces scalars = ScalarPlaces::kRegisters, ResultUse resultUse = ResultUse::kResultsAlone);

} // namespace tenon::codegen
