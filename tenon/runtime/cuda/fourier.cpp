// cuFFT's part of device_libraries.h.
#include "tenon/program/attributes.h"
#include "tenon/runtime/cuda/device_libraries.h"

#include <limits>
#include <mutex>

namespace tenon::runtime::cuda {
namespace {

using program::ElementType, program::RuntimeCall, program::Shape;

// Numbers of cufftType, and of the direction.
enum : int { kRealSingle = 0x2a, kComplexSingle = 0x29, kRealDouble = 0x6a, kComplexDouble = 0x69, kForward = -1 };

class Transform final : public DeviceCallInstance {
public:
  static StatusOr<std::unique_ptr<DeviceCallInstance>> create(const FourierTable &table, const RuntimeCall &call,
                                                              bool isReal) {
    TENON_ASSIGN_OR_RETURN(std::vector<int64_t> lengths, program::integerArrayAttribute(call.attributes, "fft_length"));
    const Shape &shape = call.operands.at(0);
    const bool isDouble = shape.type == ElementType::kF64 || shape.type == ElementType::kComplexF64;
    std::unique_ptr<Transform> made(new Transform(table));
    made->type_ = isReal ? (isDouble ? kRealDouble : kRealSingle) : (isDouble ? kComplexDouble : kComplexSingle);
    int64_t points = 1;
    for (int64_t length : lengths) {
      made->lengths_.push_back(int(length));
      points *= length;
    }
    made->batch_ = points > 0 ? shape.elementCount() / points : 0;
    constexpr int64_t kMost = std::numeric_limits<int>::max();
    if (points > kMost || made->batch_ > kMost)
      return std::unique_ptr<DeviceCallInstance>(); // cuFFT counts in 32 bits here
    if (points > 0 && made->batch_ > 0)
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
    std::lock_guard lock(mutex_); // a plan has one stream
    TENON_RETURN_IF_ERROR(libraryStatus(table_.setStream(plan_, call.stream), "cufftSetStream"));
    void *in = call.operands[0], *out = call.results[0];
    switch (type_) {
    case kRealSingle:
      return libraryStatus(table_.realSingle(plan_, in, out), "cufftExecR2C");
    case kRealDouble:
      return libraryStatus(table_.realDouble(plan_, in, out), "cufftExecD2Z");
    case kComplexSingle:
      return libraryStatus(table_.complexSingle(plan_, in, out, kForward), "cufftExecC2C");
    default:
      return libraryStatus(table_.complexDouble(plan_, in, out, kForward), "cufftExecZ2Z");
    }
  }

private:
  explicit Transform(const FourierTable &table) : table_(table) {}

  // Dense arrays: cuFFT then leaves strides and distances alone.
  Status plan() {
    int code = table_.planMany(&plan_, int(lengths_.size()), lengths_.data(), nullptr, 1, 0, nullptr, 1, 0, type_,
                               int(batch_));
    isPlanned_ = code == 0;
    return libraryStatus(code, "cufftPlanMany");
  }

  FourierTable table_;
  std::mutex mutex_;
  int plan_ = 0, type_ = 0;
  bool isPlanned_ = false;
  std::vector<int> lengths_;
  int64_t batch_ = 0;
};

} // namespace

StatusOr<std::unique_ptr<DeviceCallInstance>> makeTransform(const FourierTable &table, const RuntimeCall &call) {
  TENON_ASSIGN_OR_RETURN(std::string kind, program::stringAttribute(call.attributes, "fft_type"));
  if (kind != "FFT" && kind != "RFFT")
    return std::unique_ptr<DeviceCallInstance>();
  return Transform::create(table, call, kind == "RFFT");
}

} // namespace tenon::runtime::cuda
