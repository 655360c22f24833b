// cuBLAS's part of device_libraries.h: triangular equations.
#include "tenon/program/attributes.h"
#include "tenon/runtime/cuda/device_libraries.h"

#include <algorithm>

namespace tenon::runtime::cuda {
namespace {

using program::RuntimeCall, program::Shape;

// One batch after the other. Row-major matrices are their transposes to the library, and so are the equations.
class TriangularSolve final : public DeviceCallInstance {
public:
  static StatusOr<std::unique_ptr<DeviceCallInstance>> create(const std::shared_ptr<BlasLibrary> &blas,
                                                              const RuntimeCall &call) {
    const auto &attributes = call.attributes;
    TENON_ASSIGN_OR_RETURN(bool isLeft, program::booleanAttribute(attributes, "left_side"));
    TENON_ASSIGN_OR_RETURN(bool isLower, program::booleanAttribute(attributes, "lower"));
    TENON_ASSIGN_OR_RETURN(bool isUnit, program::booleanAttribute(attributes, "unit_diagonal"));
    TENON_ASSIGN_OR_RETURN(std::string transpose, program::stringAttribute(attributes, "transpose_a"));
    const Shape &a = call.operands.at(0), &b = call.operands.at(1);
    std::unique_ptr<TriangularSolve> made(new TriangularSolve(blas));
    made->rows_ = b.dims.at(b.dims.size() - 2);
    made->columns_ = b.dims.back();
    made->order_ = isLeft ? made->rows_ : made->columns_;
    std::optional<size_t> type = matrixType(b.type);
    if (!type || a.type != b.type || a.dims.back() != made->order_ || a.dims.at(a.dims.size() - 2) != made->order_)
      return invalidArgument("triangular_solve takes square matrices, and right-hand sides that go with them");
    made->type_ = *type;
    made->bytes_ = program::byteSize(b.type);
    made->batch_ = b.elementCount() == 0 ? 0 : b.elementCount() / (made->rows_ * made->columns_);
    made->side_ = isLeft ? kRight : kLeft;
    made->fill_ = isLower ? kUpper : kLower;
    made->diagonal_ = isUnit ? kUnit : kNotUnit;
    made->op_ = transpose == "ADJOINT" ? kAdjoint : transpose == "TRANSPOSE" ? kTranspose : kNoTranspose;
    if (isForHost(made->batch_, made->order_))
      return std::unique_ptr<DeviceCallInstance>();
    return std::unique_ptr<DeviceCallInstance>(std::move(made));
  }

  bool isCapturable() const override { return true; }

  Status call(const DeviceCallBuffers &call) override {
    if (batch_ == 0)
      return {};
    TENON_ASSIGN_OR_RETURN(BlasLibrary::Use blas, blas_->use(call.stream, &call.scratch));
    const bool isDouble = type_ % 2 == 1;
    auto *a = static_cast<char *>(call.operands[0]), *x = static_cast<char *>(call.results[0]);
    const int64_t sides = rows_ * columns_ * bytes_;
    if (x != call.operands[1])
      TENON_RETURN_IF_ERROR(blas.copy(isDouble, batch_ * sides / (isDouble ? 8 : 4), call.operands[1], x));
    for (int64_t i = 0; i < batch_; ++i)
      TENON_RETURN_IF_ERROR(blas.solve(type_, side_, fill_, op_, diagonal_, columns_, rows_,
                                       a + i * order_ * order_ * bytes_, x + i * sides));
    return {};
  }

private:
  explicit TriangularSolve(std::shared_ptr<BlasLibrary> blas) : blas_(std::move(blas)) {}

  std::shared_ptr<BlasLibrary> blas_;
  size_t type_ = 0;
  int side_ = kLeft, fill_ = kLower, op_ = kNoTranspose, diagonal_ = kNotUnit;
  int64_t rows_ = 0, columns_ = 0, order_ = 0, batch_ = 0, bytes_ = 0;
};

} // namespace

StatusOr<std::unique_ptr<DeviceCallInstance>> makeTriangularSolve(const std::shared_ptr<BlasLibrary> &blas,
                                                                  const RuntimeCall &call) {
  return TriangularSolve::create(blas, call);
}

} // namespace tenon::runtime::cuda
