// cholesky and triangular_solve, in long double.
#include "tenon/interpreter/ops.h"

#include <cmath>

namespace tenon::interpreter {
namespace {

using Complex = std::complex<long double>;

Complex elementOf(const Tensor &tensor, int64_t position) {
  Scalar value = tensor.get(position);
  return isComplex(tensor.elementType()) ? value.complex<long double>() : Complex(value.f, 0);
}

void setElement(Tensor &tensor, int64_t position, Complex value) {
  tensor.set(position, isComplex(tensor.elementType()) ? Scalar::ofComplex(value)
                                                       : Scalar::ofFloat(static_cast<double>(value.real())));
}

// L with a = L L^H, from the lower triangle that `a` gives; false when a is not positive definite.
template <typename Get> bool factor(int64_t n, std::vector<Complex> &l, Get a) {
  for (int64_t j = 0; j < n; ++j) {
    long double diagonal = a(j, j).real();
    for (int64_t k = 0; k < j; ++k)
      diagonal -= std::norm(l[j * n + k]);
    if (!(diagonal > 0) || std::isinf(diagonal))
      return false;
    long double root = std::sqrt(diagonal);
    l[j * n + j] = root;
    for (int64_t i = j + 1; i < n; ++i) {
      Complex sum = a(i, j);
      for (int64_t k = 0; k < j; ++k)
        sum -= l[i * n + k] * std::conj(l[j * n + k]);
      l[i * n + j] = sum / root;
    }
  }
  return true;
}

} // namespace

// The other triangle is zero. A matrix that is not positive definite gives NaN in every element.
LogicalResult evaluate(stablehlo::CholeskyOp op, Invocation &call) {
  const Tensor &a = call.tensor(0);
  if (a.rank() < 2 || a.dim(a.rank() - 1) != a.dim(a.rank() - 2))
    return call.fail("needs square matrices");
  llvm::FailureOr<Tensor> result = call.make(a.shape(), call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  int64_t n = a.shape().back(), matrices = n ? a.size() / (n * n) : 0;
  bool lower = op.getLower();
  for (int64_t m = 0; m < matrices; ++m) {
    std::vector<Complex> l(n * n);
    int64_t base = m * n * n;
    bool definite = factor(n, l, [&](int64_t i, int64_t j) {
      return lower ? elementOf(a, base + i * n + j) : std::conj(elementOf(a, base + j * n + i));
    });
    const Complex nan(NAN, isComplex(a.elementType()) ? NAN : 0);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        setElement(*result, base + i * n + j, !definite ? nan : lower ? l[i * n + j] : std::conj(l[j * n + i]));
  }
  return call.yield(*result);
}

// Only the chosen triangle is read, and with unit_diagonal not its diagonal. The whole solution is given.
LogicalResult evaluate(stablehlo::TriangularSolveOp op, Invocation &call) {
  const Tensor &a = call.tensor(0), &b = call.tensor(1);
  if (a.rank() < 2 || a.rank() != b.rank() || a.dim(a.rank() - 1) != a.dim(a.rank() - 2))
    return call.fail("needs square matrices and right-hand sides of the same rank");
  const bool left = op.getLeftSide(), unit = op.getUnitDiagonal();
  const int64_t n = a.shape().back(), rows = b.dim(b.rank() - 2), columns = b.dim(b.rank() - 1);
  if ((left ? rows : columns) != n || a.shape().drop_back(2) != b.shape().drop_back(2))
    return call.fail("matrices and right-hand sides do not fit together");
  llvm::FailureOr<Tensor> result = call.make(b.shape(), call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  const bool transposed =
      op.getTransposeA() == stablehlo::Transpose::TRANSPOSE || op.getTransposeA() == stablehlo::Transpose::ADJOINT;
  const bool conjugated = op.getTransposeA() == stablehlo::Transpose::ADJOINT;
  // x op(a) = b is op(a)^T x^T = b^T: solve M y = c with M = op(a) or its transpose.
  const bool swapped = transposed != !left;
  const bool forward = op.getLower() != swapped;
  const int64_t count = left ? columns : rows, matrices = n ? a.size() / (n * n) : 0;
  for (int64_t m = 0; m < matrices; ++m) {
    auto matrix = [&](int64_t i, int64_t j) {
      Complex value = elementOf(a, m * n * n + (swapped ? j * n + i : i * n + j));
      return conjugated ? std::conj(value) : value;
    };
    auto position = [&](int64_t i, int64_t side) {
      return m * rows * columns + (left ? i * columns + side : side * columns + i);
    };
    for (int64_t side = 0; side < count; ++side) {
      std::vector<Complex> y(n);
      for (int64_t step = 0; step < n; ++step) {
        int64_t i = forward ? step : n - 1 - step;
        Complex sum = elementOf(b, position(i, side));
        for (int64_t k = forward ? 0 : i + 1; k < (forward ? i : n); ++k)
          sum -= matrix(i, k) * y[k];
        bool real = !isComplex(a.elementType());
        y[i] = unit ? sum : real ? Complex(sum.real() / matrix(i, i).real(), 0) : sum / matrix(i, i);
        setElement(*result, position(i, side), y[i]);
      }
    }
  }
  return call.yield(*result);
}

} // namespace tenon::interpreter
