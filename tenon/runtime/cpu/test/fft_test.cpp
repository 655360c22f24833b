#include "tenon/runtime/cpu/fft.h"

#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/cpu/fft_roots.h"
#include "tenon/runtime/cpu/instruction_set.h"
#include "tenon/runtime/cpu/test/fft_testing.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <complex>
#include <numbers>

namespace tenon::runtime {
namespace {

using namespace program::attribute;

using program::ElementType;
using program::RuntimeCall;
using testing::HasSubstr;
using Exact = std::complex<double>;

Status run(const RuntimeCall &runtimeCall, const void *in, void *out, ThreadPool &pool) {
  TENON_ASSIGN_OR_RETURN(auto instance, makeFftCall(runtimeCall));
  void *operands[] = {const_cast<void *>(in)}, *results[] = {out};
  RunOptions options;
  return instance->call({operands, results, options, pool});
}

// The definition, dimension by dimension.
std::vector<Exact> naive(std::vector<Exact> data, const std::vector<int64_t> &dims, size_t transformed, bool inverse) {
  for (size_t axis = dims.size() - transformed; axis < dims.size(); ++axis) {
    int64_t n = dims[axis], inner = 1, outer = 1;
    for (size_t i = 0; i < dims.size(); ++i)
      (i < axis ? outer : inner) *= i == axis ? 1 : dims[i];
    std::vector<Exact> roots;
    for (int64_t j = 0; j < n; ++j)
      roots.emplace_back(std::cos(2 * std::numbers::pi_v<long double> * j / n),
                         (inverse ? 1 : -1) * std::sin(2 * std::numbers::pi_v<long double> * j / n));
    std::vector<Exact> line(size_t(n), Exact{});
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i) {
        Exact *base = &data[size_t(o * n * inner + i)];
        for (int64_t k = 0; k < n; ++k) {
          Exact sum = 0;
          for (int64_t j = 0; j < n; ++j)
            sum += base[j * inner] * roots[size_t(j * k % n)];
          line[size_t(k)] = inverse ? sum / double(n) : sum;
        }
        for (int64_t k = 0; k < n; ++k)
          base[k * inner] = line[size_t(k)];
      }
  }
  return data;
}

int64_t product(const std::vector<int64_t> &dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

// Root mean square of the difference over that of the expected values.
template <typename T> double relativeError(const std::vector<T> &got, const std::vector<T> &expected) {
  double difference = 0, norm = 1e-300;
  for (size_t i = 0; i < got.size(); ++i) {
    difference += std::norm(Exact(got[i]) - Exact(expected[i]));
    norm += std::norm(Exact(expected[i]));
  }
  return std::sqrt(difference / norm);
}

template <typename T> double tolerance(int64_t count) {
  return std::numeric_limits<T>::epsilon() * (4 + 2 * std::log2(double(count) + 1));
}

template <typename T> void checkComplex(const std::vector<int64_t> &dims, size_t rank, ThreadPool &pool) {
  std::vector<int64_t> lengths(dims.end() - ptrdiff_t(rank), dims.end());
  bool isDouble = std::is_same_v<T, double>;
  auto in = randomComplex<T>(product(dims));
  for (bool inverse : {false, true}) {
    auto exact = naive({in.begin(), in.end()}, dims, rank, inverse);
    std::vector<std::complex<T>> expected(exact.begin(), exact.end()), out(in.size());
    Status status = run(fftCall(inverse ? "IFFT" : "FFT", dims, lengths, isDouble), in.data(), out.data(), pool);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_LT(relativeError(out, expected), tolerance<T>(product(lengths)))
        << testing::PrintToString(dims) << (inverse ? " inverse" : " forward") << (isDouble ? " f64" : " f32");
  }
}

template <typename T> void checkReal(const std::vector<int64_t> &dims, size_t rank, ThreadPool &pool) {
  std::vector<int64_t> lengths(dims.end() - ptrdiff_t(rank), dims.end());
  bool isDouble = std::is_same_v<T, double>;
  int64_t last = dims.back(), kept = last / 2 + 1, rows = product(dims) / last;
  std::vector<T> in;
  for (std::complex<T> value : randomComplex<T>(product(dims)))
    in.push_back(value.real());
  auto exact = naive({in.begin(), in.end()}, dims, rank, false);
  std::vector<std::complex<T>> expected, out(size_t(rows * kept));
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t k = 0; k < kept; ++k)
      expected.emplace_back(exact[size_t(row * last + k)]);
  Status status = run(fftCall("RFFT", dims, lengths, isDouble), in.data(), out.data(), pool);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_LT(relativeError(out, expected), tolerance<T>(product(lengths))) << testing::PrintToString(dims) << " RFFT";
  // The inverse gets back to the input, whatever the imaginary parts that a real signal cannot have.
  if (rank == 1)
    for (int64_t row = 0; row < rows; ++row) {
      expected[size_t(row * kept)].imag(5);
      if (last % 2 == 0)
        expected[size_t(row * kept + kept - 1)].imag(-7);
    }
  std::vector<T> back(in.size());
  status = run(fftCall("IRFFT", dims, lengths, isDouble), expected.data(), back.data(), pool);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_LT(relativeError(back, in), 2 * tolerance<T>(product(lengths))) << testing::PrintToString(dims) << " IRFFT";
}

// Calls `body` with the loops of each instruction set that this machine has.
template <typename Body> void onEveryInstructionSet(Body body) {
  InstructionSet most = instructionSet();
  for (InstructionSet set : {InstructionSet::kBase, InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    if (set > most)
      break;
    limitInstructionSet(set);
    SCOPED_TRACE("instruction set " + std::to_string(int(set)));
    body();
  }
  limitInstructionSet(most);
}

void checkAll(const std::vector<int64_t> &dims, size_t rank, ThreadPool &pool) {
  checkComplex<float>(dims, rank, pool);
  checkComplex<double>(dims, rank, pool);
  checkReal<float>(dims, rank, pool);
  checkReal<double>(dims, rank, pool);
}

TEST(Fft, EveryLength) {
  ThreadPool pool(2);
  onEveryInstructionSet([&] {
    for (int64_t length = 1; length <= 70; ++length)
      checkAll({length}, 1, pool);
    for (int64_t length : {74,  97,  100, 101, 121, 128, 134, 143,  169,  210,  243,  256, 272,
                           343, 509, 512, 625, 729, 961, 999, 1000, 1024, 1369, 2048, 2401})
      checkAll({length}, 1, pool);
  });
}

// Fewer rows than a vector has lanes, as many, and some more.
TEST(Fft, Batches) {
  ThreadPool pool(3);
  onEveryInstructionSet([&] {
    for (const std::vector<int64_t> &dims : {std::vector<int64_t>{3, 8},
                                             {1, 5},
                                             {16, 16},
                                             {17, 100},
                                             {2, 3, 37},
                                             {40, 12},
                                             {5, 1},
                                             {33, 2},
                                             {35, 64},
                                             {33, 67},
                                             {18, 343},
                                             {19, 512}})
      checkAll(dims, 1, pool);
  });
}

TEST(Fft, SeveralDimensions) {
  ThreadPool pool(2);
  onEveryInstructionSet([&] {
    checkAll({8, 12}, 2, pool);
    checkAll({3, 17, 20}, 2, pool);
    checkAll({4, 5, 6}, 3, pool);
    checkAll({2, 7, 3, 37}, 3, pool);
    checkAll({1, 1, 1}, 3, pool);
    checkAll({3, 9, 15}, 2, pool);
    checkAll({2, 4, 6, 10}, 3, pool);
    checkAll({2, 134, 36}, 2, pool);
    checkAll({16, 8, 32}, 3, pool);
  });
}

// Long ones against the definition at a few places, and through the inverse.
template <typename T> void checkLong(int64_t length, ThreadPool &pool) {
  auto in = randomComplex<T>(length);
  std::vector<std::complex<T>> out(in.size()), back(in.size());
  bool isDouble = std::is_same_v<T, double>;
  ASSERT_TRUE(run(fftCall("FFT", {length}, {length}, isDouble), in.data(), out.data(), pool).ok());
  for (int64_t k : {int64_t(0), int64_t(1), length / 3, length - 1}) {
    Exact sum = 0;
    for (int64_t j = 0; j < length; ++j)
      sum += Exact(in[size_t(j)]) * fft::unitRoot(int64_t(__int128(j) * k % length), length);
    EXPECT_LT(std::abs(sum - Exact(out[size_t(k)])), 4 * tolerance<T>(length) * std::sqrt(double(length)))
        << length << " at " << k;
  }
  ASSERT_TRUE(run(fftCall("IFFT", {length}, {length}, isDouble), out.data(), back.data(), pool).ok());
  EXPECT_LT(relativeError(back, in), 2 * tolerance<T>(length)) << length;
}

TEST(Fft, LongSequences) {
  ThreadPool pool(2);
  onEveryInstructionSet([&] {
    for (int64_t length : {65536, 100000, 65537, 177147, 262144}) {
      checkLong<float>(length, pool);
      checkLong<double>(length, pool);
    }
  });
}

// Rows that the workers share, and rows that they have for themselves; forward, and back into real numbers.
TEST(Fft, SameBitsForAnyNumberOfThreads) {
  ThreadPool one(1), three(3);
  onEveryInstructionSet([&] {
    for (const std::vector<int64_t> &dims :
         {std::vector<int64_t>{50, 100}, {131072}, {3, 37}, {2, 59049}, {100000}, {5, 67, 36}})
      for (const char *type : {"FFT", "RFFT", "IRFFT"}) {
        auto in = randomComplex<float>(2 * product(dims));
        std::vector<std::complex<float>> a(in.size()), b(in.size());
        std::vector<int64_t> lengths(dims.size() > 2 ? dims.end() - 2 : dims.end() - 1, dims.end());
        RuntimeCall runtimeCall = fftCall(type, dims, lengths, false);
        ASSERT_TRUE(run(runtimeCall, in.data(), a.data(), one).ok());
        ASSERT_TRUE(run(runtimeCall, in.data(), b.data(), three).ok());
        EXPECT_EQ(a, b) << type << testing::PrintToString(dims);
      }
  });
}

// Real numbers by sequences of pairs: with factors 3, 5 and 7, around the least lengths that have them, in rows that
// are fewer than lanes, as many, and more.
TEST(Fft, OddNumbersOfReals) {
  ThreadPool pool(2);
  onEveryInstructionSet([&] {
    for (const std::vector<int64_t> &dims : {std::vector<int64_t>{99},
                                             {3, 93},
                                             {17, 165},
                                             {16, 155},
                                             {9, 231},
                                             {2, 1125},
                                             {5, 1309},
                                             {33, 273},
                                             {2, 507}}) {
      checkReal<float>(dims, 1, pool);
      checkReal<double>(dims, 1, pool);
    }
    checkReal<float>({2, 10, 105}, 2, pool);
    checkReal<double>({2, 105, 99}, 2, pool);
  });
}

// What a row has, however large, is nothing to its neighbours.
TEST(Fft, RowsOfRealsDoNotMeet) {
  ThreadPool pool(1);
  const int64_t length = 165, kept = length / 2 + 1, rows = 20;
  onEveryInstructionSet([&] {
    std::vector<float> in;
    for (std::complex<float> value : randomComplex<float>(rows * length))
      in.push_back(value.real());
    std::vector<std::complex<float>> alone(size_t(rows * kept)), beside(alone.size());
    ASSERT_TRUE(run(fftCall("RFFT", {rows, length}, {length}, false), in.data(), alone.data(), pool).ok());
    const float strange[] = {INFINITY, NAN, 1e38f, 1e20f};
    for (int64_t row = 1; row < rows; row += 2)
      in[size_t(row * length + row)] = strange[row / 2 % 4];
    ASSERT_TRUE(run(fftCall("RFFT", {rows, length}, {length}, false), in.data(), beside.data(), pool).ok());
    std::vector<float> back(in.size());
    ASSERT_TRUE(run(fftCall("IRFFT", {rows, length}, {length}, false), beside.data(), back.data(), pool).ok());
    for (int64_t row = 0; row < rows; row += 2) {
      auto from = [&](auto &all, int64_t size) { return all.begin() + row * size; };
      EXPECT_TRUE(std::equal(from(alone, kept), from(alone, kept) + kept, from(beside, kept))) << row;
      for (int64_t j = 0; j < length; ++j)
        EXPECT_NEAR(back[size_t(row * length + j)], in[size_t(row * length + j)], 1e-5) << row << ' ' << j;
    }
    EXPECT_TRUE(std::isnan(beside[size_t(3 * kept + 7)].real())) << "NaN is seen in its own row";
  });
}

TEST(Fft, UnitRoots) {
  for (int64_t n : {1, 2, 3, 4, 8, 12, 97, 1000})
    for (int64_t j = -3; j < 2 * n; ++j) {
      long double angle = -2 * std::numbers::pi_v<long double> * j / n;
      EXPECT_NEAR(fft::unitRoot(j, n).real(), double(std::cos(angle)), 2e-16) << j << "/" << n;
      EXPECT_NEAR(fft::unitRoot(j, n).imag(), double(std::sin(angle)), 2e-16) << j << "/" << n;
    }
  fft::UnitRoots roots(5000);
  for (int64_t j = 0; j < 5000; ++j) {
    EXPECT_NEAR(roots(j).real(), fft::unitRoot(j, 5000).real(), 2.3e-16) << j;
    EXPECT_NEAR(roots(j).imag(), fft::unitRoot(j, 5000).imag(), 2.3e-16) << j;
  }
  EXPECT_EQ(fft::unitRoot(1, 4), Exact(0, -1));
  EXPECT_EQ(fft::unitRoot(2, 4), Exact(-1, 0));
  EXPECT_EQ(fft::unitRoot(1, 8).real(), -fft::unitRoot(1, 8).imag());
}

TEST(Fft, EmptyArraysAndSpecialValues) {
  ThreadPool pool(1);
  EXPECT_TRUE(run(fftCall("FFT", {0, 4}, {4}, false), nullptr, nullptr, pool).ok());
  for (const char *type : {"FFT", "IFFT", "RFFT", "IRFFT"})
    EXPECT_TRUE(run(fftCall(type, {2, 0}, {0}, false), nullptr, nullptr, pool).ok()) << type;
  std::vector<std::complex<float>> in(8), out(8);
  in[3] = {NAN, 0};
  ASSERT_TRUE(run(fftCall("FFT", {8}, {8}, false), in.data(), out.data(), pool).ok());
  for (std::complex<float> value : out)
    EXPECT_TRUE(std::isnan(value.real()) || std::isnan(value.imag()));
}

TEST(Fft, RefusesWhatDoesNotFit) {
  auto message = [](const RuntimeCall &runtimeCall) { return makeFftCall(runtimeCall).status().message(); };
  RuntimeCall good = fftCall("FFT", {2, 8}, {8}, false);
  EXPECT_TRUE(makeFftCall(good).ok());
  RuntimeCall bad = good;
  bad.attributes = {{"fft_type", string("FFT")}};
  EXPECT_THAT(message(bad), HasSubstr("fft_length"));
  bad.attributes = {{"fft_type", string("DCT")}, {"fft_length", i64s({8})}};
  EXPECT_THAT(message(bad), HasSubstr("fft_type"));
  bad.attributes = {{"fft_type", string("FFT")}, {"fft_length", i64s({9})}};
  EXPECT_FALSE(makeFftCall(bad).ok());
  bad = good;
  bad.results[0].dims = {2, 9};
  EXPECT_FALSE(makeFftCall(bad).ok());
  bad = good;
  bad.operands[0].type = ElementType::kF32;
  EXPECT_FALSE(makeFftCall(bad).ok());
  bad = fftCall("RFFT", {8}, {8}, false);
  bad.results[0].dims = {8};
  EXPECT_FALSE(makeFftCall(bad).ok());
  EXPECT_FALSE(makeFftCall(fftCall("FFT", {1, 1, 1, 1}, {1, 1, 1, 1}, false)).ok());
}

} // namespace
} // namespace tenon::runtime
