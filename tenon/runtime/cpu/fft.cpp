#include "tenon/runtime/cpu/fft.h"

#include "tenon/program/attributes.h"
#include "tenon/runtime/cpu/fft_transform.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace tenon::runtime {
namespace {

using program::AttributeDict;

using program::ElementType;
using program::Shape;

enum class Kind { kForward, kInverse, kRealForward, kRealInverse };

struct Problem {
  Kind kind;
  int64_t batch = 1;
  std::vector<int64_t> lengths; // of the transform, outermost first
};

template <typename T> class FftCall final : public RuntimeCallInstance {
public:
  using Complex = std::complex<T>;

  explicit FftCall(Problem problem) : problem_(std::move(problem)) {
    int64_t last = problem_.lengths.back();
    bool real = problem_.kind == Kind::kRealForward || problem_.kind == Kind::kRealInverse;
    if (real && last % 2 == 0) {
      packing_.emplace(last);
      axes_.emplace_back(last / 2);
    } else {
      axes_.emplace_back(last);
    }
    // axes_[0] is the last dimension.
    for (size_t i = problem_.lengths.size() - 1; i-- > 0;)
      axes_.emplace_back(problem_.lengths[i]);
  }

  Status call(const CallBuffers &call) override {
    ThreadPool &pool = call.pool;
    bool done = false;
    switch (problem_.kind) {
    case Kind::kForward:
    case Kind::kInverse:
      done = complexAll(static_cast<const Complex *>(call.operands[0]), static_cast<Complex *>(call.results[0]), pool);
      break;
    case Kind::kRealForward:
      done = realForward(static_cast<const T *>(call.operands[0]), static_cast<Complex *>(call.results[0]), pool);
      break;
    case Kind::kRealInverse:
      done = realInverse(static_cast<const Complex *>(call.operands[0]), static_cast<T *>(call.results[0]), pool);
      break;
    }
    return done ? Status() : Status(StatusCode::kResourceExhausted, "out of memory");
  }

private:
  // Rows along the last dimension.
  int64_t rows() const {
    int64_t count = problem_.batch;
    for (size_t i = 0; i + 1 < problem_.lengths.size(); ++i)
      count *= problem_.lengths[i];
    return count;
  }

  // The dimensions but the last one, which holds `lastSize` elements. The first step reads `in`, the others `out`.
  bool otherAxes(const Complex *in, Complex *out, int64_t lastSize, bool inverse, ThreadPool &pool) const {
    int64_t inner = lastSize, outer = rows();
    for (size_t i = 1; i < axes_.size(); ++i) {
      int64_t length = axes_[i].length();
      outer /= length;
      T scale = inverse ? T(1) / T(length) : T(1);
      if (!axes_[i].run(i == 1 ? in : out, out, outer, inner, inverse, scale, pool))
        return false;
      inner *= length;
    }
    return true;
  }

  bool complexAll(const Complex *in, Complex *out, ThreadPool &pool) const {
    bool inverse = problem_.kind == Kind::kInverse;
    int64_t last = problem_.lengths.back();
    T scale = inverse ? T(1) / T(last) : T(1);
    return axes_[0].run(in, out, rows(), 1, inverse, scale, pool) && otherAxes(out, out, last, inverse, pool);
  }

  bool realForward(const T *in, Complex *out, ThreadPool &pool) const {
    int64_t last = problem_.lengths.back(), count = rows(), kept = last / 2 + 1;
    Buffer temporary(size_t(count * axes_[0].length()) * sizeof(Complex));
    auto *work = static_cast<Complex *>(temporary.data());
    if (!work)
      return false;
    if (packing_) {
      // Pairs of reals are complex numbers as they lie.
      if (!axes_[0].run(reinterpret_cast<const Complex *>(in), work, count, 1, false, T(1), pool))
        return false;
      packing_->split(work, out, count, pool);
    } else {
      for (int64_t i = 0; i < count * last; ++i)
        work[i] = in[i];
      if (!axes_[0].run(work, work, count, 1, false, T(1), pool))
        return false;
      for (int64_t row = 0; row < count; ++row)
        std::copy_n(work + row * last, kept, out + row * kept);
    }
    return otherAxes(out, out, kept, false, pool);
  }

  bool realInverse(const Complex *in, T *out, ThreadPool &pool) const {
    int64_t last = problem_.lengths.back(), count = rows(), kept = last / 2 + 1;
    Buffer spectrumMemory;
    if (axes_.size() > 1) {
      spectrumMemory = Buffer(size_t(count * kept) * sizeof(Complex));
      auto *spectrum = static_cast<Complex *>(spectrumMemory.data());
      if (!spectrum || !otherAxes(in, spectrum, kept, true, pool))
        return false;
      in = spectrum;
    }
    if (packing_) {
      auto *work = reinterpret_cast<Complex *>(out);
      packing_->merge(in, work, count, pool);
      return axes_[0].run(work, work, count, 1, true, T(2) / T(last), pool);
    }
    Buffer temporary(size_t(count * last) * sizeof(Complex));
    auto *work = static_cast<Complex *>(temporary.data());
    if (!work)
      return false;
    for (int64_t row = 0; row < count; ++row) {
      work[row * last] = in[row * kept].real();
      for (int64_t k = 1; k < kept; ++k) {
        work[row * last + k] = in[row * kept + k];
        work[row * last + last - k] = std::conj(in[row * kept + k]);
      }
    }
    if (!axes_[0].run(work, work, count, 1, true, T(1) / T(last), pool))
      return false;
    for (int64_t i = 0; i < count * last; ++i)
      out[i] = work[i].real();
    return true;
  }

  Problem problem_;
  std::vector<fft::AxisTransform<T>> axes_;
  std::optional<fft::RealPacking<T>> packing_;
};

// The enum's spelling, from a string or from the text of StableHLO's attribute.
StatusOr<Kind> parseKind(const AttributeDict &attributes) {
  TENON_ASSIGN_OR_RETURN(std::string text, stringAttribute(attributes, "fft_type"));
  if (text == "IRFFT")
    return Kind::kRealInverse;
  if (text == "RFFT")
    return Kind::kRealForward;
  if (text == "IFFT")
    return Kind::kInverse;
  if (text == "FFT")
    return Kind::kForward;
  return invalidArgument("attribute 'fft_type' is unknown: " + text);
}

Status checkShapes(const program::RuntimeCall &runtimeCall, const Problem &problem) {
  if (runtimeCall.operands.size() != 1 || runtimeCall.results.size() != 1)
    return invalidArgument("fft takes one operand and one result");
  Shape operand = runtimeCall.operands[0], result = runtimeCall.results[0];
  size_t rank = problem.lengths.size();
  if (rank < 1 || rank > 3 || operand.dims.size() < rank)
    return invalidArgument("fft_length must name one to three dimensions of the operand");
  bool toReal = problem.kind == Kind::kRealInverse, fromReal = problem.kind == Kind::kRealForward;
  Shape time = toReal ? result : operand, frequency = toReal ? operand : result;
  bool isDouble = frequency.type == ElementType::kComplexF64;
  if (!isDouble && frequency.type != ElementType::kComplexF32)
    return invalidArgument("fft of " + frequency.toString());
  ElementType timeType = !(toReal || fromReal) ? frequency.type : isDouble ? ElementType::kF64 : ElementType::kF32;
  if (time.type != timeType || time.dims.size() != operand.dims.size() ||
      !std::equal(problem.lengths.begin(), problem.lengths.end(), time.dims.end() - ptrdiff_t(rank)))
    return invalidArgument("fft: " + time.toString() + " does not fit fft_length");
  if ((toReal || fromReal) && time.dims.back() != 0)
    time.dims.back() = time.dims.back() / 2 + 1;
  bool asksForNothing = toReal && time.dims.back() == 0 && frequency.dims.back() == 1;
  if (asksForNothing)
    frequency.dims.back() = 0;
  if (frequency.dims != time.dims)
    return invalidArgument("fft: " + frequency.toString() + " does not fit fft_length");
  return {};
}

} // namespace

StatusOr<std::unique_ptr<RuntimeCallInstance>> makeFftCall(const program::RuntimeCall &runtimeCall) {
  TENON_ASSIGN_OR_RETURN(Kind kind, parseKind(runtimeCall.attributes));
  TENON_ASSIGN_OR_RETURN(std::vector<int64_t> lengths, integerArrayAttribute(runtimeCall.attributes, "fft_length"));
  Problem problem{kind, 1, std::move(lengths)};
  TENON_RETURN_IF_ERROR(checkShapes(runtimeCall, problem));
  const std::vector<int64_t> &dims = runtimeCall.operands[0].dims;
  for (size_t i = 0; i + problem.lengths.size() < dims.size(); ++i)
    problem.batch *= dims[i];
  if (runtimeCall.results[0].elementCount() == 0 || runtimeCall.operands[0].elementCount() == 0)
    return makeRuntimeCall([](const CallBuffers &) { return Status(); });
  bool isDouble =
      runtimeCall.operands[0].type == ElementType::kComplexF64 || runtimeCall.operands[0].type == ElementType::kF64;
  std::unique_ptr<RuntimeCallInstance> instance;
  if (isDouble)
    instance = std::make_unique<FftCall<double>>(std::move(problem));
  else
    instance = std::make_unique<FftCall<float>>(std::move(problem));
  return instance;
}

} // namespace tenon::runtime
