// cuSOLVER's part of device_libraries.h.
#include "tenon/program/attributes.h"
#include "tenon/runtime/cuda/device_libraries.h"

#include <algorithm>
#include <mutex>

namespace tenon::runtime::cuda {
namespace {

using program::ElementType, program::RuntimeCall, program::Shape;

// Numbers of cudaDataType; -1 for types that the library has not.
int dataType(ElementType type) {
  switch (type) {
  case ElementType::kF32:
    return 0;
  case ElementType::kF64:
    return 1;
  case ElementType::kComplexF32:
    return 4;
  case ElementType::kComplexF64:
    return 5;
  default:
    return -1;
  }
}

// One matrix after the other. A matrix that is row-major is its transpose to the library, whose factor in the other
// triangle is the transpose of what is wanted.
class Cholesky final : public DeviceCallInstance {
public:
  static StatusOr<std::unique_ptr<DeviceCallInstance>> create(const SolverTable &table, const RuntimeCall &call) {
    TENON_ASSIGN_OR_RETURN(int64_t triangle, program::integerAttribute(call.attributes, "uplo"));
    const bool isRight = call.operands.size() == 1 && call.results.size() == 2 && call.operands[0] == call.results[0] &&
                         call.operands[0].dims.size() >= 2 && dataType(call.operands[0].type) >= 0 &&
                         call.results[1].type == ElementType::kI32 && (triangle == 'L' || triangle == 'U');
    const Shape &shape = call.operands.empty() ? Shape() : call.operands[0];
    if (!isRight || shape.dims.back() != shape.dims[shape.dims.size() - 2])
      return invalidArgument("potrf takes square matrices and gives as many, and numbers of a failure");
    std::unique_ptr<Cholesky> made(new Cholesky(table));
    made->type_ = dataType(shape.type);
    made->fill_ = triangle == 'L' ? 1 : 0;
    made->n_ = shape.dims.back();
    made->bytes_ = made->n_ * made->n_ * program::byteSize(shape.type);
    made->batch_ = call.results[1].elementCount();
    TENON_RETURN_IF_ERROR(libraryStatus(table.create(&made->handle_), "cusolverDnCreate"));
    TENON_RETURN_IF_ERROR(libraryStatus(table.createParams(&made->params_), "cusolverDnCreateParams"));
    return std::unique_ptr<DeviceCallInstance>(std::move(made));
  }

  ~Cholesky() override {
    if (params_)
      table_.destroyParams(params_);
    if (handle_)
      table_.destroy(handle_);
  }
  Cholesky(const Cholesky &) = delete;
  Cholesky &operator=(const Cholesky &) = delete;

  bool isCapturable() const override { return true; }

  // The operand is where the result is.
  Status call(const DeviceCallBuffers &call) override {
    if (n_ == 0 || batch_ == 0)
      return {};
    std::lock_guard lock(mutex_); // a handle has one stream
    TENON_RETURN_IF_ERROR(libraryStatus(table_.setStream(handle_, call.stream), "cusolverDnSetStream"));
    auto *matrix = static_cast<char *>(call.results[0]);
    auto *info = static_cast<int *>(call.results[1]);
    size_t deviceBytes = 0, hostBytes = 0;
    TENON_RETURN_IF_ERROR(libraryStatus(
        table_.potrfSizes(handle_, params_, fill_, n_, type_, matrix, n_, type_, &deviceBytes, &hostBytes),
        "cusolverDnXpotrf_bufferSize"));
    TENON_ASSIGN_OR_RETURN(void *work, call.scratch.allocate(int64_t(std::max<size_t>(deviceBytes, 1))));
    hostWork_.resize(hostBytes);
    for (int64_t i = 0; i < batch_; ++i)
      TENON_RETURN_IF_ERROR(libraryStatus(table_.potrf(handle_, params_, fill_, n_, type_, matrix + i * bytes_, n_,
                                                       type_, work, deviceBytes, hostWork_.data(), hostBytes, info + i),
                                          "cusolverDnXpotrf"));
    return {};
  }

private:
  explicit Cholesky(const SolverTable &table) : table_(table) {}

  SolverTable table_;
  std::mutex mutex_;
  void *handle_ = nullptr, *params_ = nullptr;
  int type_ = -1, fill_ = 0;
  int64_t n_ = 0, bytes_ = 0, batch_ = 0;
  std::vector<char> hostWork_;
};

} // namespace

StatusOr<std::unique_ptr<DeviceCallInstance>> makeCholesky(const SolverTable &table, const RuntimeCall &call) {
  // The result has the operand's contents to begin with.
  if (call.aliases != std::vector<std::pair<int32_t, int32_t>>{{0, 0}})
    return std::unique_ptr<DeviceCallInstance>();
  return Cholesky::create(table, call);
}

} // namespace tenon::runtime::cuda
