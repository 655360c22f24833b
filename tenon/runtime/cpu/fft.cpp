#include "tenon/runtime/cpu/fft.h"

#include "tenon/program/attributes.h"
#include "tenon/runtime/core/memory.h"
#include "tenon/runtime/cpu/fft_transform.h"

#include <algorithm>
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
  explicit FftCall(Problem problem) : problem_(std::move(problem)) {
    int64_t last = problem_.lengths.back(), rows = problem_.batch, inner = last;
    for (size_t i = 0; i + 1 < problem_.lengths.size(); ++i)
      rows *= problem_.lengths[i];
    if (isReal()) {
      real_.emplace(last, rows);
      inner = last / 2 + 1;
    } else {
      complex_.emplace(last, rows);
    }
    complexCount_ = rows * inner;
    for (size_t i = problem_.lengths.size() - 1; i-- > 0;) {
      rows /= problem_.lengths[i];
      columns_.emplace_back(problem_.lengths[i], rows, inner);
      inner *= problem_.lengths[i];
    }
  }

  Status call(const CallBuffers &call) override {
    bool done = run(static_cast<const T *>(call.operands[0]), static_cast<T *>(call.results[0]), call.pool);
    return done ? Status() : Status(StatusCode::kResourceExhausted, "out of memory");
  }

private:
  bool isReal() const { return problem_.kind == Kind::kRealForward || problem_.kind == Kind::kRealInverse; }

  bool run(const T *in, T *out, ThreadPool &pool) const {
    T scale = T(1) / T(problem_.lengths.back());
    switch (problem_.kind) {
    case Kind::kForward:
      return complex_->run(in, out, false, T(1), pool) && otherDimensions(out, out, false, pool);
    case Kind::kInverse:
      return complex_->run(in, out, true, scale, pool) && otherDimensions(out, out, true, pool);
    case Kind::kRealForward:
      return real_->forward(in, out, pool) && otherDimensions(out, out, false, pool);
    case Kind::kRealInverse:
      break;
    }
    if (columns_.empty())
      return real_->inverse(in, out, pool);
    Buffer memory(size_t(2 * complexCount_) * sizeof(T));
    auto *spectrum = static_cast<T *>(memory.data());
    return spectrum && otherDimensions(in, spectrum, true, pool) && real_->inverse(spectrum, out, pool);
  }

  // The dimensions but the last one. The first step reads `in`, the others `out`.
  bool otherDimensions(const T *in, T *out, bool inverse, ThreadPool &pool) const {
    for (size_t i = 0; i < columns_.size(); ++i) {
      T scale = inverse ? T(1) / T(problem_.lengths[columns_.size() - 1 - i]) : T(1);
      if (!columns_[i].run(i == 0 ? in : out, out, inverse, scale, pool))
        return false;
    }
    return true;
  }

  Problem problem_;
  // For the last dimension, one of these.
  std::optional<fft::RowTransform<T>> complex_;
  std::optional<fft::RealTransform<T>> real_;
  std::vector<fft::ColumnTransform<T>> columns_; // innermost first
  int64_t complexCount_ = 0;
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
