// NVIDIA's library of routines on vectors and matrices, cuBLAS, for what calls of other libraries leave to be done
// around them, and for triangular equations.
#pragma once

#include "tenon/runtime/core/device_call.h"
#include "tenon/runtime/cuda/library_types.h"
#include "tenon/status.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace tenon::runtime::cuda {

// cuBLAS (libcublas). Functions return 0 when they have done what was asked; numbers that scale are the host's.
// Matrices are column-major.
struct BlasTable {
  using Copy = int (*)(void *handle, int64_t count, const void *from, int64_t fromStep, void *to, int64_t toStep);
  using Scale = int (*)(void *handle, int64_t count, const void *factor, void *numbers, int64_t step);
  // c = alpha * op(a) + beta * op(b).
  using Add = int (*)(void *handle, int opA, int opB, int64_t rows, int64_t columns, const void *alpha, const void *a,
                      int64_t lda, const void *beta, const void *b, int64_t ldb, void *c, int64_t ldc);
  using Solve = int (*)(void *handle, int side, int fill, int op, int diagonal, int64_t rows, int64_t columns,
                        const void *alpha, const void *a, int64_t lda, void *b, int64_t ldb);

  int (*create)(void **handle) = nullptr;
  int (*destroy)(void *handle) = nullptr;
  int (*setStream)(void *handle, void *stream) = nullptr;
  int (*setWorkspace)(void *handle, void *workspace, size_t bytes) = nullptr;
  std::array<Copy, 2> copy = {};          // of f32 and f64
  std::array<Scale, 2> scale = {};        // the same
  std::array<Add, kMatrixTypes> add = {}; // by matrixType
  std::array<Solve, kMatrixTypes> solve = {};
};

// Its enumerations.
enum : int { kNoTranspose = 0, kTranspose = 1, kAdjoint = 2 };
enum : int { kLeft = 0, kRight = 1 };
enum : int { kLower = 0, kUpper = 1 };
enum : int { kNotUnit = 0, kUnit = 1 };

// The library, for whoever has it to himself. It is used in one context, which is that of the thread when it is
// destroyed.
class BlasLibrary {
public:
  explicit BlasLibrary(const BlasTable &table) : table_(table) {}
  ~BlasLibrary();
  BlasLibrary(const BlasLibrary &) = delete;
  BlasLibrary &operator=(const BlasLibrary &) = delete;

  // The library at work in one stream, and nobody else's meanwhile.
  class Use {
  public:
    // Numbers are f32, or f64.
    Status copy(bool isDouble, int64_t count, const void *from, void *to) const;
    Status scale(bool isDouble, int64_t count, double factor, void *numbers) const;
    // A column-major matrix of so many rows and columns becomes, elsewhere, its transpose.
    Status transpose(size_t type, int64_t rows, int64_t columns, const void *from, void *to) const;
    // b becomes x, where op(a) x = b or, if a is at the right, x op(a) = b. All column-major and dense.
    Status solve(size_t type, int side, int fill, int op, int diagonal, int64_t rows, int64_t columns, const void *a,
                 void *b) const;

  private:
    friend class BlasLibrary;
    Use(std::unique_lock<std::mutex> lock, const BlasTable &table, void *handle)
        : lock_(std::move(lock)), table_(&table), handle_(handle) {}

    std::unique_lock<std::mutex> lock_;
    const BlasTable *table_;
    void *handle_;
  };
  // `scratch`: for what needs memory beside its operands (solve); null for other calls.
  StatusOr<Use> use(void *stream, DeviceScratch *scratch);

private:
  BlasTable table_;
  std::mutex mutex_;
  void *handle_ = nullptr;
};

} // namespace tenon::runtime::cuda
