// Products of matrices by NVIDIA's library for them, cuBLASLt, where it is there: in place of a program's own kernels
// (program::DeviceProduct).
//
// What it computes does not depend on the run: which of its algorithms is taken follows from the product alone and is
// asked once in a process. Sums of parts of k, where there are several, are added by a kernel behind them, in f32 or
// more and in a fixed order. f32 is multiplied as it is, but where the program allows that it is rounded to tf32.
#pragma once

#include "tenon/program/device_program.h"
#include "tenon/runtime/cuda/library_op.h"
#include "tenon/status.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace tenon::runtime::cuda {

// One of the library's ways to compute a product, as cublasLtMatmulHeuristicResult_t.
struct ProductAlgorithm {
  std::array<uint64_t, 8> choice; // cublasLtMatmulAlgo_t
  size_t workspaceBytes;
  int state; // 0: it can be taken
  float waves;
  std::array<int, 4> reserved;
};

// cuBLASLt (libcublasLt). Functions return 0 when they have done what was asked. Matrices are column-major.
struct ProductTable {
  int (*create)(void **handle) = nullptr;
  int (*destroy)(void *handle) = nullptr;
  int (*createDescription)(void **description, int computeType, int scaleType) = nullptr;
  int (*destroyDescription)(void *description) = nullptr;
  int (*setDescription)(void *description, int attribute, const void *value, size_t bytes) = nullptr;
  int (*createLayout)(void **layout, int type, uint64_t rows, uint64_t columns, int64_t leadingDimension) = nullptr;
  int (*destroyLayout)(void *layout) = nullptr;
  int (*setLayout)(void *layout, int attribute, const void *value, size_t bytes) = nullptr;
  int (*createPreference)(void **preference) = nullptr;
  int (*destroyPreference)(void *preference) = nullptr;
  int (*setPreference)(void *preference, int attribute, const void *value, size_t bytes) = nullptr;
  int (*algorithms)(void *handle, void *description, void *a, void *b, void *c, void *d, void *preference, int wanted,
                    ProductAlgorithm *found, int *count) = nullptr;
  // d = alpha * a * b + beta * c; alpha and beta are the host's.
  int (*multiply)(void *handle, void *description, const void *alpha, const void *a, void *aLayout, const void *b,
                  void *bLayout, const void *beta, const void *c, void *cLayout, void *d, void *dLayout,
                  const void *choice, void *workspace, size_t workspaceBytes, void *stream) = nullptr;
};

// A product as the library computes it.
class LibraryProduct final : public LibraryOp {
public:
  ~LibraryProduct() override;

  int64_t workspaceBytes() const override { return int64_t(algorithm_.workspaceBytes); }
  Status enqueue(std::span<const DeviceAddress> row, DeviceAddress workspace, StreamHandle *stream) override;

private:
  friend class ProductLibrary;
  LibraryProduct(const ProductTable &table, const program::DeviceProduct &product) : table_(table), product_(product) {}

  Status describe();
  Status addLayout(const program::ProductMatrix &matrix, uint64_t rows, uint64_t columns, int64_t leadingDimension,
                   void *&layout);
  StatusOr<std::optional<ProductAlgorithm>> choose(void *handle) const;

  ProductTable table_;
  program::DeviceProduct product_;
  void *handle_ = nullptr; // the library's
  void *description_ = nullptr;
  void *rhs_ = nullptr, *lhs_ = nullptr, *out_ = nullptr; // layouts
  ProductAlgorithm algorithm_{};
  std::mutex mutex_; // of the description's bias
};

// The library, with what it was asked. It is used in one context, which is that of the thread when it is destroyed.
class ProductLibrary {
public:
  explicit ProductLibrary(const ProductTable &table) : table_(table) {}
  ~ProductLibrary();
  ProductLibrary(const ProductLibrary &) = delete;
  ProductLibrary &operator=(const ProductLibrary &) = delete;

  // Null where it has no way to compute the product. The library outlives it.
  StatusOr<std::unique_ptr<LibraryOp>> make(const program::DeviceProduct &product);

private:
  ProductTable table_;
  std::mutex mutex_;
  void *handle_ = nullptr;
  std::map<std::vector<int64_t>, std::optional<ProductAlgorithm>> algorithms_; // by all that a product is
};

} // namespace tenon::runtime::cuda
