// Fourier transforms by recursive splitting along the smallest prime factor, in double for complex<f32> and long double
// for complex<f64>.
#include "tenon/interpreter/ops.h"

#include <numbers>

namespace tenon::interpreter {
namespace {

template <typename T> class Transform {
public:
  using Complex = std::complex<T>;

  Transform(int64_t size, bool inverse) : size_(size), inverse_(inverse), roots_(size) {
    for (int64_t k = 0; k < size; ++k) {
      long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / size;
      roots_[k] =
          Complex(static_cast<T>(std::cos(angle)), static_cast<T>(inverse ? std::sin(angle) : -std::sin(angle)));
    }
  }

  void run(std::vector<Complex> &line) const {
    std::vector<Complex> result(line.size());
    split(line.data(), 1, result.data(), size_);
    if (inverse_)
      for (Complex &value : result)
        value /= static_cast<T>(size_);
    line = std::move(result);
  }

private:
  // The transform of `size` inputs that lie `stride` apart.
  void split(const Complex *in, int64_t stride, Complex *out, int64_t size) const {
    if (size == 1) {
      *out = *in;
      return;
    }
    int64_t prime = 2;
    while (size % prime != 0)
      prime = prime * prime > size ? size : prime + 1;
    int64_t part = size / prime;
    std::vector<Complex> parts(size);
    for (int64_t r = 0; r < prime; ++r)
      split(in + r * stride, stride * prime, parts.data() + r * part, part);
    int64_t step = size_ / size;
    for (int64_t k = 0; k < size; ++k) {
      Complex sum = 0;
      for (int64_t r = 0; r < prime; ++r)
        sum += parts[r * part + k % part] * roots_[r * k % size * step];
      out[k] = sum;
    }
  }

  int64_t size_;
  bool inverse_;
  std::vector<Complex> roots_;
};

// A complex array that lines are transformed in.
template <typename T> struct Field {
  Dims shape;
  std::vector<std::complex<T>> values;

  void transform(size_t dimension, bool inverse) {
    int64_t size = shape[dimension];
    Dims strides = stridesOf(shape), lines(shape);
    lines[dimension] = size ? 1 : 0;
    Transform<T> transform(size, inverse);
    std::vector<std::complex<T>> line(size);
    forEachIndex(lines, [&](llvm::ArrayRef<int64_t> index, int64_t) {
      int64_t base = 0;
      for (size_t d = 0; d < index.size(); ++d)
        base += index[d] * strides[d];
      for (int64_t i = 0; i < size; ++i)
        line[i] = values[base + i * strides[dimension]];
      transform.run(line);
      for (int64_t i = 0; i < size; ++i)
        values[base + i * strides[dimension]] = line[i];
    });
  }

  // Keeps the first half of the last dimension, or restores the rest of `size` from its symmetry.
  Field resized(int64_t size) const {
    Field result{shape, {}};
    int64_t old = shape.back(), rows = old ? static_cast<int64_t>(values.size()) / old : 0;
    result.shape.back() = size;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t k = 0; k < size; ++k)
        result.values.push_back(k < old ? values[row * old + k] : std::conj(values[row * old + size - k]));
    return result;
  }
};

template <typename T>
void fft(Invocation &call, stablehlo::FftType type, llvm::ArrayRef<int64_t> lengths, Tensor &result) {
  const Tensor &operand = call.tensor(0);
  Field<T> field{Dims(operand.shape()), {}};
  for (int64_t i = 0; i < operand.size(); ++i) {
    Scalar value = operand.get(i);
    field.values.push_back(isComplex(operand.elementType()) ? value.complex<T>()
                                                            : std::complex<T>(static_cast<T>(value.f), 0));
  }
  const size_t last = field.shape.size() - 1, first = field.shape.size() - lengths.size();
  bool inverse = type == stablehlo::FftType::IFFT || type == stablehlo::FftType::IRFFT;
  if (type == stablehlo::FftType::IRFFT) {
    // The other dimensions first: only then is the last one the spectrum of a real line.
    for (size_t d = first; d < last; ++d)
      field.transform(d, true);
    field = field.resized(lengths.back());
    field.transform(last, true);
  } else {
    field.transform(last, inverse);
    if (type == stablehlo::FftType::RFFT)
      field = field.resized(lengths.back() / 2 + 1);
    for (size_t d = first; d < last; ++d)
      field.transform(d, inverse);
  }
  for (int64_t i = 0; i < result.size(); ++i)
    result.set(i, isComplex(result.elementType()) ? Scalar::ofComplex(field.values[i])
                                                  : Scalar::ofFloat(static_cast<double>(field.values[i].real())));
}

} // namespace

LogicalResult evaluate(stablehlo::FftOp op, Invocation &call) {
  const Tensor &operand = call.tensor(0);
  llvm::ArrayRef<int64_t> lengths = op.getFftLength();
  stablehlo::FftType type = op.getFftType();
  if (lengths.empty() || lengths.size() > 3 || static_cast<int64_t>(lengths.size()) > operand.rank())
    return call.fail("transforms one to three dimensions that the operand has");
  Dims shape(operand.shape());
  size_t first = shape.size() - lengths.size();
  for (size_t i = 0; i < lengths.size(); ++i) {
    bool halved = type == stablehlo::FftType::IRFFT && i + 1 == lengths.size();
    if (halved && lengths[i] == 0 && shape[first + i] == 1)
      continue; // nothing is asked for
    if (shape[first + i] != (halved ? (lengths[i] == 0 ? 0 : lengths[i] / 2 + 1) : lengths[i]))
      return call.fail("fft_length does not match the operand's dimension " + llvm::Twine(first + i));
  }
  if (type == stablehlo::FftType::RFFT)
    shape.back() = lengths.back() == 0 ? 0 : lengths.back() / 2 + 1;
  if (type == stablehlo::FftType::IRFFT)
    shape.back() = lengths.back();
  llvm::FailureOr<Tensor> result = call.make(shape, call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  if (result->size() != 0) {
    if (realType(operand.elementType()) == ElementType::kF64)
      fft<long double>(call, type, lengths, *result);
    else
      fft<double>(call, type, lengths, *result);
  }
  return call.yield(*result);
}

} // namespace tenon::interpreter
