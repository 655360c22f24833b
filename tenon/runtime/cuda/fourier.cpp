// cuFFT's part of device_libraries.h.
#include "tenon/program/attributes.h"
#include "tenon/runtime/cuda/device_libraries.h"

#include <limits>
#include <mutex>

namespace tenon::runtime::cuda {
namespace {

using program::ElementType, program::RuntimeCall, program::Shape;

// Numbers of cufftType, and of directions.
enum : int { kRealToComplex = 0x2a, kComplexToReal = 0x2c, kComplex = 0x29, kDoubles = 0x40 };
enum : int { kForward = -1, kInverse = 1 };

// cuFFT's inverse transforms are not scaled, and those to real numbers may write to what they read.
class Transform final : public DeviceCallInstance {
public:
  // `blas`: for inverse transforms; null for others.
  static StatusOr<std::unique_ptr<DeviceCallInstance>>
  create(const FourierTable &table, std::shared_ptr<BlasLibrary> blas, const RuntimeCall &call, int kind) {
    TENON_ASSIGN_OR_RETURN(std::vector<int64_t> lengths, program::integerArrayAttribute(call.attributes, "fft_length"));
    const Shape &in = call.operands.at(0), &out = call.results.at(0);
    std::unique_ptr<Transform> made(new Transform(table, std::move(blas)));
    made->kind_ = kind;
    made->isDouble_ = in.type == ElementType::kF64 || in.type == ElementType::kComplexF64;
    for (int64_t length : lengths) {
      made->lengths_.push_back(int(length));
      made->points_ *= length;
    }
    // What a transform has all of its points of.
    const Shape &whole = kind == kComplexToReal ? out : in;
    made->batch_ = made->points_ > 0 ? whole.elementCount() / made->points_ : 0;
    made->inNumbers_ = in.elementCount() * numbersOf(in.type);
    made->outNumbers_ = out.elementCount() * numbersOf(out.type);
    constexpr int64_t kMost = std::numeric_limits<int>::max();
    if (made->points_ > kMost || made->batch_ > kMost)
      return std::unique_ptr<DeviceCallInstance>(); // cuFFT counts in 32 bits here
    if (made->points_ > 0 && made->batch_ > 0)
      TENON_RETURN_IF_ERROR(made->plan());
    return std::unique_ptr<DeviceCallInstance>(std::move(made));
  }

  ~Transform() override {
    if (isPlanned_)
      table_.destroy(plan_);
  }
  Transform(const Transform &) = delete;
  Transform &operator=(const Transform &) = delete;

  bool isCapturable() const override { return true; }

  Status call(const DeviceCallBuffers &call) override {
    if (!isPlanned_)
      return {};
    void *in = call.operands[0], *out = call.results[0];
    if (!blas_)
      return transform(call.stream, in, out);
    TENON_ASSIGN_OR_RETURN(BlasLibrary::Use blas, blas_->use(call.stream, nullptr));
    if (kind_ == kComplexToReal) {
      TENON_ASSIGN_OR_RETURN(void *copy, call.scratch.allocate(inNumbers_ * int64_t(isDouble_ ? 8 : 4)));
      TENON_RETURN_IF_ERROR(blas.copy(isDouble_, inNumbers_, in, copy));
      in = copy;
    }
    TENON_RETURN_IF_ERROR(transform(call.stream, in, out));
    return blas.scale(isDouble_, outNumbers_, 1 / double(points_), out);
  }

private:
  Transform(const FourierTable &table, std::shared_ptr<BlasLibrary> blas) : table_(table), blas_(std::move(blas)) {}

  static int64_t numbersOf(ElementType type) {
    return type == ElementType::kComplexF32 || type == ElementType::kComplexF64 ? 2 : 1;
  }

  // Dense arrays: cuFFT then leaves strides and distances alone.
  Status plan() {
    int code = table_.planMany(&plan_, int(lengths_.size()), lengths_.data(), nullptr, 1, 0, nullptr, 1, 0,
                               kind_ + (isDouble_ ? kDoubles : 0), int(batch_));
    isPlanned_ = code == 0;
    return libraryStatus(code, "cufftPlanMany");
  }

  Status transform(void *stream, void *in, void *out) {
    std::lock_guard lock(mutex_); // a plan has one stream
    TENON_RETURN_IF_ERROR(libraryStatus(table_.setStream(plan_, stream), "cufftSetStream"));
    switch (kind_) {
    case kRealToComplex:
      return isDouble_ ? libraryStatus(table_.realDouble(plan_, in, out), "cufftExecD2Z")
                       : libraryStatus(table_.realSingle(plan_, in, out), "cufftExecR2C");
    case kComplexToReal:
      return isDouble_ ? libraryStatus(table_.toRealDouble(plan_, in, out), "cufftExecZ2D")
                       : libraryStatus(table_.toRealSingle(plan_, in, out), "cufftExecC2R");
    default:
      int direction = blas_ ? kInverse : kForward;
      return isDouble_ ? libraryStatus(table_.complexDouble(plan_, in, out, direction), "cufftExecZ2Z")
                       : libraryStatus(table_.complexSingle(plan_, in, out, direction), "cufftExecC2C");
    }
  }

  FourierTable table_;
  std::shared_ptr<BlasLibrary> blas_; // null: forward
  std::mutex mutex_;
  int plan_ = 0, kind_ = 0;
  bool isPlanned_ = false, isDouble_ = false;
  std::vector<int> lengths_;
  int64_t points_ = 1, batch_ = 0;
  int64_t inNumbers_ = 0, outNumbers_ = 0; // real ones
};

} // namespace

StatusOr<std::unique_ptr<DeviceCallInstance>>
makeTransform(const FourierTable &table, const std::shared_ptr<BlasLibrary> &blas, const RuntimeCall &call) {
  TENON_ASSIGN_OR_RETURN(std::string kind, program::stringAttribute(call.attributes, "fft_type"));
  const bool isInverse = kind == "IFFT" || kind == "IRFFT";
  if (isInverse && !blas)
    return std::unique_ptr<DeviceCallInstance>();
  return Transform::create(table, isInverse ? blas : nullptr, call,
                           kind == "RFFT"    ? kRealToComplex
                           : kind == "IRFFT" ? kComplexToReal
                                             : kComplex);
}

} // namespace tenon::runtime::cuda
