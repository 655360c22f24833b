#include "tenon/interpreter/householder.h"

#include <cmath>

namespace tenon::interpreter {
namespace {

using Real = long double;
using Complex = std::complex<Real>;

// One m x n matrix of a batch, worked on in long double.
class Matrix {
public:
  Matrix(const Tensor &tensor, int64_t index)
      : rows(tensor.dim(tensor.rank() - 2)), columns(tensor.dim(tensor.rank() - 1)), values_(rows * columns) {
    for (int64_t i = 0; i < rows * columns; ++i) {
      Scalar value = tensor.get(index * rows * columns + i);
      values_[i] = isComplex(tensor.elementType()) ? value.complex<Real>() : Complex(value.f, 0);
    }
  }
  Matrix(int64_t rows, int64_t columns) : rows(rows), columns(columns), values_(rows * columns) {
    for (int64_t i = 0; i < std::min(rows, columns); ++i)
      at(i, i) = 1;
  }
  Complex &at(int64_t i, int64_t j) { return values_[i * columns + j]; }

  void store(Tensor &tensor, int64_t index) const {
    for (int64_t i = 0; i < rows * columns; ++i)
      tensor.set(index * rows * columns + i, isComplex(tensor.elementType())
                                                 ? Scalar::ofComplex(values_[i])
                                                 : Scalar::ofFloat(static_cast<double>(values_[i].real())));
  }

  // Columns [from, columns) := (I - tau v v^H) times them; v is 1 at row k and column k of `vectors` below.
  void reflect(Matrix &vectors, int64_t k, Complex tau, int64_t from) {
    for (int64_t j = from; j < columns; ++j) {
      Complex dot = at(k, j);
      for (int64_t i = k + 1; i < rows; ++i)
        dot += std::conj(vectors.at(i, k)) * at(i, j);
      dot *= tau;
      at(k, j) -= dot;
      for (int64_t i = k + 1; i < rows; ++i)
        at(i, j) -= vectors.at(i, k) * dot;
    }
  }

  // Makes column k of the matrix (beta, 0...) with a reflector whose vector takes the place of the zeros; gives tau.
  Complex eliminate(int64_t k) {
    Real below = 0;
    for (int64_t i = k + 1; i < rows; ++i)
      below = std::hypot(below, std::abs(at(i, k)));
    Complex alpha = at(k, k);
    if (below == 0 && alpha.imag() == 0)
      return 0;
    Real beta = -std::copysign(std::hypot(std::abs(alpha), below), alpha.real());
    for (int64_t i = k + 1; i < rows; ++i)
      at(i, k) /= alpha - beta;
    at(k, k) = beta;
    return (beta - alpha) / beta;
  }

  int64_t rows, columns;

private:
  std::vector<Complex> values_;
};

int64_t batchOf(const Tensor &tensor) {
  int64_t size = tensor.dim(tensor.rank() - 1) * tensor.dim(tensor.rank() - 2);
  return size ? tensor.size() / size : 0;
}

bool isMatrixOfFloats(const Tensor &tensor) {
  return tensor.rank() >= 2 && (isFloat(tensor.elementType()) || isComplex(tensor.elementType()));
}

} // namespace

LogicalResult factorQr(Invocation &call) {
  if (call.operands().size() != 1 || call.op()->getNumResults() != 2 || !isMatrixOfFloats(call.tensor(0)))
    return call.fail("factors one operand of matrices into two results");
  const Tensor &a = call.tensor(0);
  Dims tauShape(a.shape().drop_back(2));
  const int64_t count = std::min(a.dim(a.rank() - 1), a.dim(a.rank() - 2));
  tauShape.push_back(count);
  llvm::FailureOr<Tensor> packed = call.make(a.shape(), call.elementOf(0)),
                          taus = call.make(tauShape, call.elementOf(1));
  if (llvm::failed(packed) || llvm::failed(taus))
    return llvm::failure();
  for (int64_t m = 0; m < batchOf(a); ++m) {
    Matrix matrix(a, m);
    for (int64_t k = 0; k < count; ++k) {
      Complex tau = matrix.eliminate(k);
      matrix.reflect(matrix, k, std::conj(tau), k + 1);
      taus->set(m * count + k, isComplex(taus->elementType()) ? Scalar::ofComplex(tau)
                                                              : Scalar::ofFloat(static_cast<double>(tau.real())));
    }
    matrix.store(*packed, m);
  }
  (void)call.yield(*packed);
  return call.yield(*taus);
}

LogicalResult multiplyReflectors(Invocation &call) {
  if (call.operands().size() != 2 || call.op()->getNumResults() != 1 || !isMatrixOfFloats(call.tensor(0)))
    return call.fail("multiplies the reflectors of one operand of matrices, scaled by another");
  const Tensor &a = call.tensor(0), &taus = call.tensor(1);
  if (taus.rank() != a.rank() - 1 || taus.shape().drop_back() != a.shape().drop_back(2) ||
      taus.shape().back() > std::min(a.dim(a.rank() - 1), a.dim(a.rank() - 2)))
    return call.fail("has another number of factors than reflectors");
  llvm::FailureOr<Tensor> result = call.make(a.shape(), call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  const int64_t count = taus.shape().back();
  for (int64_t m = 0; m < batchOf(a); ++m) {
    Matrix vectors(a, m), product(vectors.rows, vectors.columns);
    for (int64_t k = count - 1; k >= 0; --k) {
      Scalar tau = taus.get(m * count + k);
      product.reflect(vectors, k, isComplex(taus.elementType()) ? tau.complex<Real>() : Complex(tau.f, 0), k);
    }
    product.store(*result, m);
  }
  return call.yield(*result);
}

} // namespace tenon::interpreter
