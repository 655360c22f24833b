// LAPACK's routines by cuSOLVER: what one does with one matrix, and the call around it, which goes through a batch and
// brings matrices into the order that a call's layouts say.
#pragma once

#include "tenon/runtime/cuda/device_libraries.h"

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tenon::runtime::cuda {

// cuSOLVER at work.
struct Solver {
  const SolverTable &table;
  void *handle, *params;
};

struct SolverMemory {
  void *device;
  size_t deviceBytes;
  void *host;
  size_t hostBytes;
  int *info; // on the device, of routines that give none
};

// An operand or result of a call, but for the dimensions of batches: a matrix, a vector, or one number.
struct MatrixShape {
  ElementType type;
  std::vector<int64_t> sizes;
};

// A routine for matrices of one size. All addresses are of the device; matrices are column-major and dense.
class SolverRoutine {
public:
  virtual ~SolverRoutine() = default;
  // What the call has to look like.
  virtual std::vector<MatrixShape> operands() const = 0;
  virtual std::vector<MatrixShape> results() const = 0;
  // The operand that the first result has the memory of, to begin with.
  virtual int inPlace() const { return 0; }
  // Whether it computes the same on matrices that are row-major, if it is told by workOnTransposes().
  virtual bool canWorkOnTransposes() const { return false; }
  virtual void workOnTransposes() {}
  // Whether it has a way for its matrices, when all of that is known.
  virtual bool canCompute() const { return true; }
  // Whether it is work in the stream alone, the same for all matrices: iterations may not be.
  virtual bool isCapturable() const { return true; }
  virtual Status sizes(const Solver &solver, size_t &deviceBytes, size_t &hostBytes) const = 0;
  virtual Status compute(const Solver &solver, std::span<void *const> operands, std::span<void *const> results,
                         const SolverMemory &memory) const = 0;
};

// The routine of a call, for its first operand's last two dimensions; null of others. INVALID_ARGUMENT with attributes
// that the routine does not know.
StatusOr<std::unique_ptr<SolverRoutine>> makeRoutine(const program::RuntimeCall &call);

} // namespace tenon::runtime::cuda
