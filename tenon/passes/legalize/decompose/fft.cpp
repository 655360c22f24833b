// fft as matrix products, for programs that have to do without the runtime's library.
//
// A transform of length n = r m (r at most kLargestFactor) is one of length r down the columns of an r x m matrix, a
// multiplication by roots of unity, and one of length m along the rows (Cooley and Tukey):
//
//   X[k1 + r k2] = sum over j2 of  w_m^(j2 k2)  w_n^(j2 k1)  sum over j1 of  w_r^(j1 k1) x[m j1 + j2]
//
// A length without such a factor is one product with the whole matrix of roots, or, beyond kLargestMatrix, a
// convolution with a chirp (Bluestein), computed by transforms of a power of two. The roots are constants of the
// program.

#include "tenon/passes/legalize/decompose/array_builder.h"
#include "tenon/passes/legalize/decompose/self_contained.h"

#include <cmath>
#include <numbers>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

constexpr int64_t kLargestFactor = 32, kLargestMatrix = 256;

// exp(sign 2 pi i position / n), rounded once.
std::complex<double> root(int64_t position, int64_t n, int sign) {
  long double angle = 2 * std::numbers::pi_v<long double> * (long double)(position % n) / (long double)n;
  return {double(std::cos(angle)), double(sign * std::sin(angle))};
}

// The factor of n that makes the stages about equally long; 1 if there is none.
int64_t factorOf(int64_t n) {
  double stages = std::ceil(std::log(double(n)) / std::log(double(kLargestFactor)) - 1e-9);
  double wanted = std::log(double(n)) / stages;
  int64_t best = 1;
  for (int64_t factor = 2; factor <= kLargestFactor; ++factor)
    if (n % factor == 0 &&
        (best == 1 || std::abs(std::log(double(factor)) - wanted) < std::abs(std::log(double(best)) - wanted)))
      best = factor;
  return best;
}

class Fourier {
public:
  Fourier(sh::FftOp op, OpBuilder &builder) : op_(op), arrays_(builder, op.getLoc()) {}

  Value build() {
    auto result = cast<RankedTensorType>(op_.getResult().getType());
    if (result.getNumElements() == 0)
      return arrays_.fill(result.getElementType(), result.getShape(), 0);
    sh::FftType type = op_.getFftType();
    bool isInverse = type == sh::FftType::IFFT || type == sh::FftType::IRFFT;
    int sign = isInverse ? 1 : -1;
    Value x = op_.getOperand();
    if (type == sh::FftType::RFFT)
      x = arrays_.toComplex(x);
    int64_t last = ir::typeOf(x).getRank() - 1, others = int64_t(op_.getFftLength().size()) - 1;
    if (type != sh::FftType::IRFFT)
      x = alongLast(x, sign);
    if (type == sh::FftType::RFFT)
      x = firstOfLast(x, result.getShape().back());
    for (int64_t dimension = last - others; dimension < last; ++dimension)
      x = along(x, dimension, sign);
    if (type == sh::FftType::IRFFT)
      x = arrays_.realPart(alongLast(mirrored(x, result.getShape().back()), sign));
    if (!isInverse)
      return x;
    double length = 1;
    for (int64_t size : op_.getFftLength())
      length *= double(size);
    return scaled(x, 1 / length);
  }

private:
  Value scaled(Value x, double factor) {
    auto type = ir::typeOf(x);
    return arrays_.multiply(x, arrays_.fill(type.getElementType(), type.getShape(), factor));
  }

  Value firstOfLast(Value x, int64_t count) {
    SmallVector<int64_t> start(ir::typeOf(x).getRank(), 0), limit(ir::typeOf(x).getShape());
    limit.back() = count;
    return arrays_.slice(x, start, limit);
  }

  // The whole of a transform of real numbers, from its first half: X[n - k] is the conjugate of X[k].
  Value mirrored(Value half, int64_t n) {
    auto type = ir::typeOf(half);
    SmallVector<int64_t> start(type.getRank(), 0), limit(type.getShape());
    start.back() = 1;
    limit.back() = n - n / 2;
    if (limit.back() <= 1)
      return half;
    Value rest = arrays_.conjugate(arrays_.reverseLast(arrays_.slice(half, start, limit)));
    return arrays_.concatenateLast(half, rest);
  }

  Value along(Value x, int64_t dimension, int sign) {
    SmallVector<int64_t> exchange;
    for (int64_t d = 0; d < ir::typeOf(x).getRank(); ++d)
      exchange.push_back(d);
    std::swap(exchange[dimension], exchange.back());
    return arrays_.transpose(alongLast(arrays_.transpose(x, exchange), sign), exchange);
  }

  Value alongLast(Value x, int sign) {
    SmallVector<int64_t> sizes(ir::typeOf(x).getShape());
    int64_t n = sizes.back();
    Value rows = arrays_.reshape(x, {ir::typeOf(x).getNumElements() / n, n});
    return arrays_.reshape(transform(rows, sign), sizes);
  }

  ComplexType elementOf(Value x) { return cast<ComplexType>(ir::typeOf(x).getElementType()); }

  // The matrix of w^(row column), of the roots of order n.
  Value matrix(Value like, int64_t rows, int64_t columns, int64_t n, int sign) {
    std::vector<std::complex<double>> values;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        values.push_back(root(row * column, n, sign));
    return arrays_.constant(elementOf(like), {rows, columns}, values);
  }

  // Transforms each row of [rows, n].
  Value transform(Value x, int sign) {
    int64_t rows = ir::typeOf(x).getDimSize(0), n = ir::typeOf(x).getDimSize(1);
    if (n == 1)
      return x;
    int64_t r = n <= kLargestFactor ? n : factorOf(n), m = n / r;
    if (r == n || (r == 1 && n <= kLargestMatrix))
      return arrays_.product(x, matrix(x, n, n, n, sign), {{}, {}, {1}, {0}});
    if (r == 1)
      return transformByChirp(x, sign);
    Value columns = arrays_.reshape(x, {rows, r, m});
    Value inner = arrays_.product(matrix(x, r, r, r, sign), columns, {{}, {}, {1}, {1}}); // [k1, row, j2]
    Value turned = arrays_.multiply(inner, arrays_.broadcast(matrix(x, r, m, n, sign), {r, rows, m}, {0, 2}));
    Value outer = arrays_.reshape(transform(arrays_.reshape(turned, {r * rows, m}), sign), {r, rows, m});
    return arrays_.reshape(arrays_.transpose(outer, {1, 2, 0}), {rows, n});
  }

  // j k = (j^2 + k^2 - (k - j)^2) / 2.
  Value transformByChirp(Value x, int sign) {
    int64_t rows = ir::typeOf(x).getDimSize(0), n = ir::typeOf(x).getDimSize(1), length = 1;
    while (length < 2 * n - 1)
      length *= 2;
    std::vector<std::complex<double>> chirp, filter(static_cast<size_t>(length));
    for (int64_t j = 0; j < n; ++j) {
      chirp.push_back(root(j * j % (2 * n), 2 * n, sign));
      filter[size_t(j)] = std::conj(chirp.back());
      filter[size_t((length - j) % length)] = std::conj(chirp.back());
    }
    Value factors = arrays_.broadcast(arrays_.constant(elementOf(x), {n}, chirp), {rows, n}, {1});
    Value spectrum = transform(arrays_.padLast(arrays_.multiply(x, factors), length), -1);
    Value response = transform(arrays_.constant(elementOf(x), {1, length}, filter), -1);
    Value product = arrays_.multiply(spectrum, arrays_.broadcast(response, {rows, length}, {0, 1}));
    Value convolved = scaled(firstOfLast(transform(product, 1), n), 1 / double(length));
    return arrays_.multiply(convolved, factors);
  }

  sh::FftOp op_;
  ArrayBuilder arrays_;
};

} // namespace

Value expandFft(sh::FftOp op, OpBuilder &builder) { return Fourier(op, builder).build(); }

} // namespace tenon::passes
