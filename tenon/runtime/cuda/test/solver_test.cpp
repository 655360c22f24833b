// LAPACK's routines by cuSOLVER, which this test plays.
#include "tenon/runtime/cuda/test/device_libraries_testing.h"

namespace tenon::runtime::cuda {
namespace {

constexpr int kElements = 20; // that a routine works in
constexpr size_t kHostBytes = 12;

template <typename T> int factorLu(void *, int m, int n, void *a, int lda, void *work, int *pivots, int *info) {
  if (!work || lda != m)
    return refuse("getrf");
  std::memset(work, 0x55, kElements * sizeof(T));
  Matrix<T> matrix{static_cast<T *>(a), m, n, lda};
  *info = 0;
  for (int k = 0; k < std::min(m, n); ++k) {
    int pivot = k;
    for (int i = k; i < m; ++i)
      if (std::abs(matrix(i, k)) > std::abs(matrix(pivot, k)))
        pivot = i;
    pivots[k] = pivot + 1;
    for (int j = 0; j < n; ++j)
      std::swap(matrix(k, j), matrix(pivot, j));
    if (matrix(k, k) == T(0)) {
      *info = *info ? *info : k + 1;
      continue;
    }
    for (int i = k + 1; i < m; ++i) {
      matrix(i, k) /= matrix(k, k);
      for (int j = k + 1; j < n; ++j)
        matrix(i, j) -= matrix(i, k) * matrix(k, j);
    }
  }
  return 0;
}
int luSize(void *, int m, int n, void *, int lda, int *elements) {
  *elements = kElements;
  return lda == m && n > 0 ? 0 : refuse("getrf_bufferSize");
}

// Factors real matrices.
template <typename T>
int factorQr(void *, int m, int n, void *a, int lda, void *tau, void *work, int elements, int *info) {
  if (!work || elements != kElements || lda != m || !info)
    return refuse("geqrf");
  Matrix<T> matrix{static_cast<T *>(a), m, n, lda};
  for (int k = 0; k < std::min(m, n); ++k) {
    T norm = 0;
    for (int i = k; i < m; ++i)
      norm += matrix(i, k) * matrix(i, k);
    norm = std::sqrt(norm);
    T alpha = matrix(k, k), beta = alpha > 0 ? -norm : norm;
    T &factor = static_cast<T *>(tau)[k];
    factor = (beta - alpha) / beta;
    for (int i = k + 1; i < m; ++i)
      matrix(i, k) /= alpha - beta;
    matrix(k, k) = beta;
    for (int j = k + 1; j < n; ++j) {
      T sum = matrix(k, j);
      for (int i = k + 1; i < m; ++i)
        sum += matrix(i, k) * matrix(i, j);
      matrix(k, j) -= factor * sum;
      for (int i = k + 1; i < m; ++i)
        matrix(i, j) -= factor * sum * matrix(i, k);
    }
  }
  return 0;
}
template <typename T>
int formQ(void *, int m, int n, int k, void *a, int lda, const void *tau, void *work, int elements, int *info) {
  if (!work || elements != kElements || lda != m || !info || k > n)
    return refuse("orgqr");
  Matrix<T> reflectors{static_cast<T *>(a), m, n, lda};
  std::vector<T> q(size_t(m) * size_t(n));
  for (int j = 0; j < n; ++j)
    q[size_t(j) * size_t(m) + size_t(j)] = 1;
  for (int r = k; r-- > 0;)
    for (int j = 0; j < n; ++j) {
      T *column = &q[size_t(j) * size_t(m)], sum = column[r];
      for (int i = r + 1; i < m; ++i)
        sum += reflectors(i, r) * column[i];
      sum *= static_cast<const T *>(tau)[r];
      column[r] -= sum;
      for (int i = r + 1; i < m; ++i)
        column[i] -= sum * reflectors(i, r);
    }
  std::copy(q.begin(), q.end(), static_cast<T *>(a));
  return 0;
}
int qSize(void *, int m, int, int, const void *, int lda, const void *, int *elements) {
  *elements = kElements;
  return lda == m ? 0 : refuse("orgqr_bufferSize");
}

// Rotates pairs of columns until all are orthogonal: u becomes u v, with `v` from the right.
void orthogonalize(Matrix<double> u, Matrix<double> v) {
  for (int sweep = 0; sweep < 40; ++sweep)
    for (int64_t p = 0; p < u.columns; ++p)
      for (int64_t q = p + 1; q < u.columns; ++q) {
        double a = 0, b = 0, c = 0;
        for (int64_t i = 0; i < u.rows; ++i) {
          a += u(i, p) * u(i, p);
          b += u(i, q) * u(i, q);
          c += u(i, p) * u(i, q);
        }
        if (std::abs(c) < 1e-16)
          continue;
        double zeta = (b - a) / (2 * c), t = (zeta > 0 ? 1 : -1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
        double cosine = 1 / std::sqrt(1 + t * t), sine = cosine * t;
        for (Matrix<double> x : {u, v})
          for (int64_t i = 0; i < x.rows; ++i) {
            double left = x(i, p), right = x(i, q);
            x(i, p) = cosine * left - sine * right;
            x(i, q) = sine * left + cosine * right;
          }
      }
}

int svdSizes(void *, void *, signed char, signed char, int64_t m, int64_t n, int, const void *, int64_t, int,
             const void *, int, const void *, int64_t, int, const void *, int64_t, int, size_t *device, size_t *host) {
  *device = kElements;
  *host = kHostBytes;
  return m >= n ? 0 : refuse("gesvd of a wide matrix");
}
int svd(void *, void *, signed char leftMode, signed char rightMode, int64_t m, int64_t n, int type, void *a,
        int64_t lda, int valueType, void *values, int leftType, void *left, int64_t ldu, int rightType, void *right,
        int64_t ldv, int computeType, void *work, size_t bytes, void *host, size_t hostBytes, int *info) {
  if (m < n || type != 1 || valueType != 1 || leftType != 1 || rightType != 1 || computeType != 1 || lda != m ||
      ldu != m || ldv != n || leftMode != 'S' || rightMode != 'S' || !work || bytes != size_t(kElements) || !host ||
      hostBytes != kHostBytes)
    return refuse("gesvd");
  std::vector<double> v(size_t(n * n));
  Matrix<double> u{static_cast<double *>(a), m, n, m}, ofV{v.data(), n, n, n};
  for (int64_t i = 0; i < n; ++i)
    ofV(i, i) = 1;
  orthogonalize(u, ofV);
  for (int64_t j = 0; j < n; ++j) {
    double norm = 0;
    for (int64_t i = 0; i < m; ++i)
      norm += u(i, j) * u(i, j);
    static_cast<double *>(values)[j] = std::sqrt(norm);
    for (int64_t i = 0; i < m; ++i)
      static_cast<double *>(left)[i + j * m] = u(i, j) / std::sqrt(norm);
    for (int64_t i = 0; i < n; ++i)
      static_cast<double *>(right)[j + i * n] = ofV(i, j);
  }
  *info = 0;
  return 0;
}

// The eigenvalues of matrices that are positive definite: their singular values.
int eigenSizes(void *, void *, int, int, int64_t, int, const void *, int64_t, int, const void *, int, size_t *device,
               size_t *host) {
  *device = kElements;
  *host = kHostBytes;
  return 0;
}
int gFill = -1;
int eigen(void *, void *, int mode, int fill, int64_t n, int type, void *a, int64_t lda, int valueType, void *values,
          int computeType, void *work, size_t bytes, void *host, size_t hostBytes, int *info) {
  if (mode != 1 || type != 1 || valueType != 1 || computeType != 1 || lda != n || !work || bytes != size_t(kElements) ||
      !host || hostBytes != kHostBytes)
    return refuse("syevd");
  gFill = fill;
  Matrix<double> matrix{static_cast<double *>(a), n, n, n};
  std::vector<double> whole(size_t(n * n)), v(size_t(n * n));
  Matrix<double> u{whole.data(), n, n, n}, ofV{v.data(), n, n, n};
  for (int64_t i = 0; i < n; ++i) {
    ofV(i, i) = 1;
    for (int64_t j = 0; j < n; ++j) // of one triangle
      u(i, j) = (fill == 0) == (i >= j) || i == j ? matrix(i, j) : matrix(j, i);
  }
  orthogonalize(u, ofV);
  for (int64_t j = 0; j < n; ++j) {
    double norm = 0;
    for (int64_t i = 0; i < n; ++i) {
      norm += u(i, j) * u(i, j);
      matrix(i, j) = ofV(i, j);
    }
    static_cast<double *>(values)[j] = std::sqrt(norm);
  }
  *info = 0;
  return 0;
}

SolverTable solverTable() {
  SolverTable table;
  table.create = table.createParams = makeHandle;
  table.destroy = table.destroyParams = destroyHandle;
  table.setStream = setStream;
  table.getrfSize = table.geqrfSize = {luSize, luSize, luSize, luSize};
  table.getrf = {factorLu<float>, factorLu<double>, factorLu<std::complex<float>>, factorLu<std::complex<double>>};
  table.geqrf = {factorQr<float>, factorQr<double>, nullptr, nullptr};
  table.orgqrSize = {qSize, qSize, qSize, qSize};
  table.orgqr = {formQ<float>, formQ<double>, nullptr, nullptr};
  table.syevdSizes = eigenSizes;
  table.syevd = eigen;
  table.gesvdSizes = svdSizes;
  table.gesvd = svd;
  return table;
}

class SolverCalls : public Libraries {
protected:
  void SetUp() override {
    Libraries::SetUp();
    libraries.solver = solverTable();
  }
};

// A's rows, exchanged as the pivots say, are the product of the factors.
template <typename T>
void expectLu(const T *a, const T *factors, const int32_t *pivots, int64_t m, int64_t n, double tolerance) {
  int64_t k = std::min(m, n);
  std::vector<T> exchanged(a, a + m * n), lower(size_t(m * k)), upper(size_t(k * n));
  for (int64_t i = 0; i < k; ++i)
    for (int64_t j = 0; j < n; ++j)
      std::swap(exchanged[size_t(i * n + j)], exchanged[size_t((pivots[i] - 1) * n + j)]);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      T factor = factors[i * n + j];
      if (j < i && j < k)
        lower[size_t(i * k + j)] = factor;
      else if (i < k)
        upper[size_t(i * n + j)] = factor;
    }
  for (int64_t i = 0; i < k; ++i)
    lower[size_t(i * k + i)] = 1;
  EXPECT_LT(differenceOfProduct(lower, upper, exchanged, m, k, n), tolerance);
}

template <typename T> class SolverLu : public SolverCalls {};
TYPED_TEST_SUITE(SolverLu, Types);

TYPED_TEST(SolverLu, HaveFactorsWithPivotsFromOne) {
  for (auto [m, n] : {std::pair<int64_t, int64_t>{5, 3}, {3, 5}, {4, 4}, {1, 3}, {3, 1}}) {
    SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n));
    for (bool isAliased : {true, false}) {
      std::vector<TypeParam> a = randomNumbers<TypeParam>(m * n), given = a, factors;
      std::vector<int32_t> pivots, info;
      this->begin(std::string("lapack_") + "sdcz"[*matrixType(kTypeOf<TypeParam>)] + "getrf_ffi");
      this->in({m, n}, a);
      this->out({m, n}, factors);
      this->out({std::min(m, n)}, pivots);
      this->out({}, info);
      if (isAliased)
        this->call.aliases = {{0, 0}};
      ASSERT_TRUE(this->run());
      EXPECT_EQ(a, given);
      EXPECT_EQ(info[0], 0);
      expectLu(given.data(), factors.data(), pivots.data(), m, n, 1e-5);
    }
  }
}

TEST_F(SolverCalls, GoThroughBatches) {
  constexpr int64_t kOrder = 32;
  std::vector<double> a = randomNumbers<double>(3 * kOrder * kOrder), factors;
  std::vector<int32_t> pivots, info;
  batchRank = 1;
  begin("lapack_dgetrf_ffi");
  in({3, kOrder, kOrder}, a);
  out({3, kOrder, kOrder}, factors);
  out({3, kOrder}, pivots);
  out({3}, info);
  ASSERT_TRUE(run());
  for (int64_t i = 0; i < 3; ++i)
    expectLu(&a[size_t(i * kOrder * kOrder)], &factors[size_t(i * kOrder * kOrder)], &pivots[size_t(i * kOrder)],
             kOrder, kOrder, 1e-12);
}

// Batches of small ones, what would have to be transposed without cuBLAS, and routines that are not there.
TEST_F(SolverCalls, LeaveOthersToTheHost) {
  std::vector<double> a = randomNumbers<double>(16 * 16 * 9), factors;
  std::vector<int32_t> pivots, info;
  batchRank = 1;
  begin("lapack_dgetrf_ffi");
  in({9, 16, 16}, a);
  out({9, 16, 16}, factors);
  out({9, 16}, pivots);
  out({9}, info);
  EXPECT_FALSE(run());
  call.target = "lapack_dgeev_ffi";
  EXPECT_FALSE(run());
  batchRank = 0;
  begin("lapack_dgetrf_ffi");
  in({16, 32}, a);
  out({16, 32}, factors);
  out({16}, pivots);
  out({}, info);
  EXPECT_TRUE(run());
  libraries.blas.reset();
  EXPECT_FALSE(run());
}

TEST_F(SolverCalls, RefuseArraysThatDoNotGoTogether) {
  std::vector<double> a = randomNumbers<double>(15), factors;
  std::vector<int32_t> pivots, info;
  begin("lapack_dgetrf_ffi");
  call.location = "train.py:3:1";
  in({5, 3}, a);
  out({5, 3}, factors);
  out({5}, pivots);
  out({}, info);
  EXPECT_THAT(libraries.instantiate(call).status().message(),
              ::testing::AllOf(::testing::HasSubstr("lapack_dgetrf_ffi"), ::testing::HasSubstr("i32[5]"),
                               ::testing::HasSubstr("train.py:3:1")));
}

TEST_F(SolverCalls, HaveQrFactorsAndTheColumnsOfQ) {
  constexpr int64_t kRows = 6, kColumns = 4;
  std::vector<double> a = randomNumbers<double>(kRows * kColumns), given = a, factors, tau, q;
  begin("lapack_dgeqrf_ffi");
  in({kRows, kColumns}, a);
  out({kRows, kColumns}, factors);
  out({kColumns}, tau);
  ASSERT_TRUE(run());
  std::vector<double> r(size_t(kColumns * kColumns));
  for (int64_t i = 0; i < kColumns; ++i)
    for (int64_t j = i; j < kColumns; ++j)
      r[size_t(i * kColumns + j)] = factors[size_t(i * kColumns + j)];
  begin("lapack_dorgqr_ffi");
  call.aliases = {{0, 0}};
  in({kRows, kColumns}, factors);
  in({kColumns}, tau);
  out({kRows, kColumns}, q);
  ASSERT_TRUE(run());
  EXPECT_LT(differenceOfProduct(q, r, given, kRows, kColumns, kColumns), 1e-12);
}

TEST_F(SolverCalls, HaveEigenvectorsOfATriangle) {
  constexpr int64_t n = 4;
  std::vector<double> half = randomNumbers<double>(n * n), a(size_t(n * n));
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      a[size_t(i * n + j)] = i == j ? 1 : 0;
      for (int64_t k = 0; k < n; ++k)
        a[size_t(i * n + j)] += half[size_t(i * n + k)] * half[size_t(j * n + k)];
    }
  for (char triangle : {'L', 'U'}) {
    std::vector<double> given = a, vectors, values;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        if (triangle == 'L' ? j > i : j < i)
          given[size_t(i * n + j)] = std::nan("");
    std::vector<int32_t> info;
    begin("lapack_dsyevd_ffi");
    call.attributes = {letter("mode", 'V'), letter("uplo", triangle)};
    call.aliases = {{0, 0}};
    in({n, n}, given);
    out({n, n}, vectors);
    out({n}, values);
    out({}, info);
    ASSERT_TRUE(run(/*isCapturable=*/false));
    EXPECT_EQ(gFill, triangle == 'L' ? 0 : 1);
    std::vector<double> scaled = vectors;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        scaled[size_t(i * n + j)] *= values[size_t(j)];
    EXPECT_LT(differenceOfProduct(a, vectors, scaled, n, n, n), 1e-10) << triangle;
  }
}

TEST_F(SolverCalls, HaveSingularValuesOfTallAndWideMatrices) {
  for (auto [m, n] : {std::pair<int64_t, int64_t>{6, 3}, {3, 6}, {4, 4}}) {
    const int64_t k = std::min(m, n);
    std::vector<double> a = randomNumbers<double>(m * n), given = a, rest, values, left, right;
    std::vector<int32_t> info;
    begin("lapack_dgesdd_ffi");
    call.attributes = {letter("mode", 'S')};
    call.aliases = {{0, 0}};
    in({m, n}, a);
    out({m, n}, rest);
    out({k}, values);
    out({m, k}, left);
    out({k, n}, right);
    out({}, info);
    ASSERT_TRUE(run(/*isCapturable=*/false));
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < k; ++j)
        left[size_t(i * k + j)] *= values[size_t(j)];
    EXPECT_LT(differenceOfProduct(left, right, given, m, k, n), 1e-10) << m << "x" << n;
  }
}

} // namespace
} // namespace tenon::runtime::cuda
