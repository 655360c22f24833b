// Triangular equations by cuBLAS and Fourier transforms by cuFFT, which this test plays, and which libraries there are.
#include "tenon/runtime/cuda/test/device_libraries_testing.h"

#include <cstdlib>
#include <numbers>

namespace tenon::runtime::cuda {
namespace {

template <typename T> class LibrariesSolve : public Libraries {};
TYPED_TEST_SUITE(LibrariesSolve, Types);

TYPED_TEST(LibrariesSolve, AreOfAllForms) {
  using T = TypeParam;
  constexpr int64_t kRows = 4, kColumns = 3;
  auto conjugate = [](T x) {
    if constexpr (std::is_floating_point_v<T>)
      return x;
    else
      return std::conj(x);
  };
  for (int form = 0; form < 24; ++form) {
    const bool isLeft = form & 1, isLower = form & 2, isUnit = form & 4;
    const char *transpose = form < 8 ? "NO_TRANSPOSE" : form < 16 ? "TRANSPOSE" : "ADJOINT";
    SCOPED_TRACE(std::string(isLeft ? "left " : "right ") + (isLower ? "lower " : "upper ") + transpose);
    const int64_t order = isLeft ? kRows : kColumns;
    std::vector<T> a = randomNumbers<T>(order * order), b = randomNumbers<T>(kRows * kColumns), x,
                   op(size_t(order * order));
    for (int64_t i = 0; i < order; ++i)
      for (int64_t j = 0; j < order; ++j) {
        T &element = a[size_t(i * order + j)];
        if (i == j)
          element = element + (std::real(element) < 0 ? T(-2) : T(2));
        T value = i == j && isUnit ? T(1) : (isLower ? i >= j : i <= j) ? element : T(0);
        op[size_t(form < 8 ? i * order + j : j * order + i)] = form < 16 ? value : conjugate(value);
      }
    this->begin("triangular_solve", RuntimeCall::Kind::kLibrary);
    this->call.attributes = {{"left_side", {isLeft}},
                             {"lower", {isLower}},
                             {"transpose_a", {std::string(transpose)}},
                             {"unit_diagonal", {isUnit}}};
    this->batchRank = 2; // row-major
    this->in({order, order}, a);
    this->in({kRows, kColumns}, b);
    this->out({kRows, kColumns}, x);
    ASSERT_TRUE(this->run());
    EXPECT_LT(isLeft ? differenceOfProduct(op, x, b, kRows, kRows, kColumns)
                     : differenceOfProduct(x, op, b, kRows, kColumns, kColumns),
              1e-4);
  }
}

// --- cuFFT ---

struct Plan {
  std::vector<int> lengths;
  int type = 0, batch = 0;
};
Plan gPlan;

int makePlan(int *plan, int rank, int *lengths, int *, int, int, int *, int, int, int type, int batch) {
  ++gOpen;
  *plan = 9;
  gPlan = {{lengths, lengths + rank}, type, batch};
  return rank == 1 ? 0 : refuse("a rank");
}
// Not scaled, and what it reads is lost.
int toReal(int plan, void *in, void *out) {
  const int n = gPlan.lengths[0], half = n / 2 + 1;
  if (plan != 9 || gPlan.type != 0x6c)
    return refuse("a plan");
  auto *from = static_cast<std::complex<double> *>(in);
  for (int line = 0; line < gPlan.batch; ++line)
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int k = 0; k < n; ++k) {
        std::complex<double> factor = k < half ? from[line * half + k] : std::conj(from[line * half + n - k]);
        sum += (factor * std::polar(1.0, 2 * std::numbers::pi * i * k / n)).real();
      }
      static_cast<double *>(out)[line * n + i] = sum;
    }
  std::fill_n(from, gPlan.batch * half, -7.0);
  return 0;
}
int inverse(int plan, void *in, void *out, int direction) {
  const int n = gPlan.lengths[0];
  if (plan != 9 || gPlan.type != 0x29 || direction != 1)
    return refuse("a plan");
  for (int line = 0; line < gPlan.batch; ++line)
    for (int i = 0; i < n; ++i) {
      std::complex<float> sum = 0;
      for (int k = 0; k < n; ++k)
        sum += static_cast<std::complex<float> *>(in)[line * n + k] *
               std::complex<float>(std::polar(1.0, 2 * std::numbers::pi * i * k / n));
      static_cast<std::complex<float> *>(out)[line * n + i] = sum;
    }
  return 0;
}

class LibrariesFourier : public Libraries {
protected:
  void SetUp() override {
    Libraries::SetUp();
    FourierTable table;
    table.planMany = makePlan;
    table.destroy = [](int) { return --gOpen < 0 ? 1 : 0; };
    table.setStream = [](int, void *stream) { return stream == &gStream ? 0 : refuse("a stream"); };
    table.complexSingle = inverse;
    table.toRealDouble = toReal;
    libraries.fourier = table;
    batchRank = 2;
  }
  void beginTransform(const char *kind, int64_t length) {
    begin("fft", RuntimeCall::Kind::kLibrary);
    call.attributes = {{"fft_length", {program::IntegerArrayAttribute{ElementType::kI64, {length}}}},
                       {"fft_type", {std::string(kind)}}};
  }
};

TEST_F(LibrariesFourier, ScaleInverseTransforms) {
  std::vector<std::complex<float>> a = randomNumbers<std::complex<float>>(10), x;
  beginTransform("IFFT", 5);
  in({2, 5}, a);
  out({2, 5}, x);
  ASSERT_TRUE(run());
  for (int line = 0; line < 2; ++line) {
    std::complex<float> sum = 0;
    for (int i = 0; i < 5; ++i)
      sum += x[size_t(line * 5 + i)];
    EXPECT_LT(std::abs(sum - a[size_t(line * 5)]), 1e-5) << "the first is the sum of all";
  }
}

TEST_F(LibrariesFourier, KeepWhatTransformsToRealNumbersRead) {
  for (int64_t length : {6, 7}) {
    const int64_t half = length / 2 + 1;
    std::vector<std::complex<double>> a = randomNumbers<std::complex<double>>(2 * half), given = a;
    std::vector<double> x;
    beginTransform("IRFFT", length);
    in({2, half}, a);
    out({2, length}, x);
    ASSERT_TRUE(run());
    EXPECT_EQ(a, given);
    double sum = 0;
    for (int64_t i = 0; i < length; ++i)
      sum += x[size_t(length + i)];
    EXPECT_NEAR(sum, a[size_t(half)].real(), 1e-12);
  }
}

TEST_F(LibrariesFourier, LeaveInverseTransformsToTheHostWithoutCublas) {
  std::vector<std::complex<float>> a = randomNumbers<std::complex<float>>(10), x;
  beginTransform("IFFT", 5);
  in({2, 5}, a);
  out({2, 5}, x);
  libraries.blas.reset();
  EXPECT_FALSE(run());
}

TEST(DeviceLibraries, AreThoseThatTheEnvironmentNames) {
  ::setenv("TENON_CUDA_LIBRARIES", "cublas,cutlass", 1);
  EXPECT_THAT(DeviceLibraries::open(13000).status().message(), ::testing::HasSubstr("'cutlass'"));
  ::setenv("TENON_CUDA_LIBRARIES", "off", 1);
  auto none = DeviceLibraries::open(13000);
  ASSERT_TRUE(none.ok()) << none.status().message();
  EXPECT_FALSE(none->solver || none->fourier || none->blas || none->products || none->convolutions);
  ::unsetenv("TENON_CUDA_LIBRARIES");
}

} // namespace
} // namespace tenon::runtime::cuda
