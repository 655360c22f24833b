#include "tenon/runtime/cuda/product_library.h"

#include "tenon/runtime/cuda/device_libraries.h"
#include "tenon/runtime/cuda/library_types.h"

#include <bit>
#include <numeric>

namespace tenon::runtime::cuda {
namespace {

using program::DeviceProduct, program::ElementType, program::ProductMatrix;

// Numbers of the library's enumerations.
enum : int { kSumFloat = 68, kSumDouble = 70, kSumInt32 = 72, kSumFloatOfTf32 = 77 }; // cublasComputeType_t
enum : int { kTransposeA = 3, kTransposeB = 4, kEpilogue = 7, kBiasPointer = 8 };     // of descriptions
enum : int { kBatchCount = 5, kBatchStride = 6 };                                     // of layouts
enum : int { kMostWorkspace = 1, kReductionSchemes = 3, kLeastAlignment = 5 /* of a, b, c, d */ }; // of preferences
constexpr int32_t kTransposed = 1;
constexpr uint32_t kBiasEpilogue = 4;
// Sums of parts of k are kept in the type of sums, and added up behind the product.
constexpr uint32_t kSumsInWorkspace = 2;
constexpr int kNotSupported = 15;

// As much as NVIDIA advises for Hopper.
constexpr uint64_t kMostWorkspaceBytes = uint64_t{32} << 20;
// Every array's alignment, in bytes.
constexpr int64_t kArrayAlignment = 16;

// The types that the library multiplies, or adds up to.
bool isKnown(ElementType type) {
  return dataType(type) && type != ElementType::kComplexF32 && type != ElementType::kComplexF64;
}

// The type of sums, of alpha and beta, and these.
struct SumType {
  int compute, scale;
  const void *one, *zero;
};

SumType sumType(const DeviceProduct &product) {
  static constexpr float kOne = 1, kZero = 0;
  static constexpr double kDoubleOne = 1, kDoubleZero = 0;
  static constexpr int32_t kIntOne = 1, kIntZero = 0;
  const ElementType type = product.out.type;
  if (type == ElementType::kF64)
    return {kSumDouble, *dataType(type), &kDoubleOne, &kDoubleZero};
  if (type == ElementType::kI32)
    return {kSumInt32, *dataType(type), &kIntOne, &kIntZero};
  const bool isTf32 = product.allowsTf32 && product.lhs.type == ElementType::kF32;
  return {isTf32 ? kSumFloatOfTf32 : kSumFloat, *dataType(ElementType::kF32), &kOne, &kZero};
}

// The alignment of the first element.
uint32_t alignment(const ProductMatrix &matrix) {
  return uint32_t(std::gcd(kArrayAlignment, matrix.first * int64_t(program::byteSize(matrix.type))));
}

std::vector<int64_t> keyOf(const DeviceProduct &product) {
  std::vector<int64_t> key{product.batch, product.rows,      product.columns,
                           product.depth, product.bias >= 0, product.allowsTf32};
  for (const ProductMatrix *matrix : {&product.lhs, &product.rhs, &product.out})
    key.insert(key.end(), {int64_t(matrix->type), matrix->rowStride, matrix->columnStride, matrix->batchStride,
                           int64_t(alignment(*matrix))});
  return key;
}

template <typename T>
Status set(int (*function)(void *, int, const void *, size_t), void *what, int attribute, const T &value,
           const char *name) {
  return libraryStatus(function(what, attribute, &value, sizeof(value)), name);
}

} // namespace

LibraryProduct::~LibraryProduct() {
  for (void *layout : {rhs_, lhs_, out_})
    if (layout)
      table_.destroyLayout(layout);
  if (description_)
    table_.destroyDescription(description_);
}

Status LibraryProduct::addLayout(const ProductMatrix &matrix, uint64_t rows, uint64_t columns, int64_t leadingDimension,
                                 void *&layout) {
  TENON_RETURN_IF_ERROR(
      libraryStatus(table_.createLayout(&layout, *dataType(matrix.type), rows, columns, leadingDimension),
                    "cublasLtMatrixLayoutCreate"));
  if (product_.batch == 1)
    return {};
  constexpr const char *kName = "cublasLtMatrixLayoutSetAttribute";
  TENON_RETURN_IF_ERROR(set(table_.setLayout, layout, kBatchCount, int32_t(product_.batch), kName));
  return set(table_.setLayout, layout, kBatchStride, matrix.batchStride, kName);
}

// What is row-major is the column-major transpose: out, rhs and lhs are columns x rows, columns x depth and depth x
// rows to the library, which is told which of the operands lie the other way.
Status LibraryProduct::describe() {
  const auto rows = uint64_t(product_.rows), columns = uint64_t(product_.columns), depth = uint64_t(product_.depth);
  SumType sum = sumType(product_);
  TENON_RETURN_IF_ERROR(
      libraryStatus(table_.createDescription(&description_, sum.compute, sum.scale), "cublasLtMatmulDescCreate"));
  auto addOperand = [&](const ProductMatrix &matrix, uint64_t ofRows, uint64_t ofColumns, int transpose,
                        void *&layout) -> Status {
    if (matrix.columnStride == 1)
      return addLayout(matrix, ofColumns, ofRows, matrix.rowStride, layout);
    TENON_RETURN_IF_ERROR(
        set(table_.setDescription, description_, transpose, kTransposed, "cublasLtMatmulDescSetAttribute"));
    return addLayout(matrix, ofRows, ofColumns, matrix.columnStride, layout);
  };
  TENON_RETURN_IF_ERROR(addOperand(product_.rhs, depth, columns, kTransposeA, rhs_));
  TENON_RETURN_IF_ERROR(addOperand(product_.lhs, rows, depth, kTransposeB, lhs_));
  if (product_.bias >= 0)
    TENON_RETURN_IF_ERROR(
        set(table_.setDescription, description_, kEpilogue, kBiasEpilogue, "cublasLtMatmulDescSetAttribute"));
  return addLayout(product_.out, columns, rows, product_.out.rowStride, out_);
}

// What the library thinks the fastest.
StatusOr<std::optional<ProductAlgorithm>> LibraryProduct::choose(void *handle) const {
  void *preference = nullptr;
  TENON_RETURN_IF_ERROR(libraryStatus(table_.createPreference(&preference), "cublasLtMatmulPreferenceCreate"));
  constexpr const char *kName = "cublasLtMatmulPreferenceSetAttribute";
  Status status = set(table_.setPreference, preference, kMostWorkspace, kMostWorkspaceBytes, kName);
  if (status.ok())
    status = set(table_.setPreference, preference, kReductionSchemes, kSumsInWorkspace, kName);
  int attribute = kLeastAlignment;
  for (const ProductMatrix *matrix : {&product_.rhs, &product_.lhs, &product_.out, &product_.out})
    if (status.ok())
      status = set(table_.setPreference, preference, attribute++, alignment(*matrix), kName);
  ProductAlgorithm found{};
  int count = 0, code = 0;
  if (status.ok())
    code = table_.algorithms(handle, description_, rhs_, lhs_, out_, out_, preference, 1, &found, &count);
  table_.destroyPreference(preference);
  TENON_RETURN_IF_ERROR(status);
  if (code == kNotSupported || (code == 0 && (count == 0 || found.state != 0)))
    return std::optional<ProductAlgorithm>();
  TENON_RETURN_IF_ERROR(libraryStatus(code, "cublasLtMatmulAlgoGetHeuristic"));
  return std::optional<ProductAlgorithm>(found);
}

Status LibraryProduct::enqueue(std::span<const DeviceAddress> row, DeviceAddress workspace, StreamHandle *stream) {
  auto pointerTo = [&](const ProductMatrix &matrix) {
    return std::bit_cast<void *>(row[size_t(matrix.array)] +
                                 uint64_t(matrix.first * int64_t(program::byteSize(matrix.type))));
  };
  std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
  if (product_.bias >= 0) {
    lock.lock();
    TENON_RETURN_IF_ERROR(set(table_.setDescription, description_, kBiasPointer, row[size_t(product_.bias)],
                              "cublasLtMatmulDescSetAttribute"));
  }
  SumType sum = sumType(product_);
  void *out = pointerTo(product_.out);
  return libraryStatus(table_.multiply(handle_, description_, sum.one, pointerTo(product_.rhs), rhs_,
                                       pointerTo(product_.lhs), lhs_, sum.zero, out, out_, out, out_,
                                       algorithm_.choice.data(), std::bit_cast<void *>(workspace),
                                       algorithm_.workspaceBytes, stream),
                       "cublasLtMatmul");
}

ProductLibrary::~ProductLibrary() {
  if (handle_)
    table_.destroy(handle_);
}

StatusOr<std::unique_ptr<LibraryOp>> ProductLibrary::make(const DeviceProduct &product) {
  if (!isKnown(product.lhs.type) || !isKnown(product.rhs.type) || !isKnown(product.out.type))
    return std::unique_ptr<LibraryOp>();
  std::lock_guard lock(mutex_);
  if (!handle_)
    TENON_RETURN_IF_ERROR(libraryStatus(table_.create(&handle_), "cublasLtCreate"));
  std::unique_ptr<LibraryProduct> made(new LibraryProduct(table_, product));
  made->handle_ = handle_;
  TENON_RETURN_IF_ERROR(made->describe());
  auto [entry, isNew] = algorithms_.try_emplace(keyOf(product));
  if (isNew) {
    StatusOr<std::optional<ProductAlgorithm>> chosen = made->choose(handle_);
    if (!chosen.ok()) {
      algorithms_.erase(entry);
      return chosen.status();
    }
    entry->second = *chosen;
  }
  if (!entry->second)
    return std::unique_ptr<LibraryOp>();
  made->algorithm_ = *entry->second;
  return std::unique_ptr<LibraryOp>(std::move(made));
}

} // namespace tenon::runtime::cuda
