// The FFT on one thread, with and without powers of two, and of odd numbers of reals.
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/cpu/fft.h"
#include "tenon/runtime/cpu/test/fft_testing.h"
#include "tenon/support/testing/stopwatch.h"

#include <cmath>
#include <cstdio>

using namespace tenon;

static bool measure(const char *type, int64_t rows, int64_t length, runtime::ThreadPool &pool) {
  auto in = runtime::randomComplex<float>(rows * length);
  std::vector<std::complex<float>> out(in.size());
  auto instance = runtime::makeFftCall(runtime::fftCall(type, {rows, length}, {length}, false));
  void *operands[] = {in.data()}, *results[] = {out.data()};
  runtime::RunOptions options;
  Status status = instance.status();
  double best = testing::bestSecondsOf(10, [&] {
    if (status.ok())
      status = (*instance)->call({operands, results, options, pool});
  });
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return false;
  }
  std::printf("%5s %5ld x %6ld f32: %8.1f us, %5.1f GFLOP/s (5 n log2 n)\n", type, long(rows), long(length), best * 1e6,
              5e-9 * double(rows * length) * std::log2(double(length)) / best);
  return true;
}

int main() {
  runtime::ThreadPool pool(1);
  for (auto [rows, length] : {std::pair<int64_t, int64_t>{1024, 64}, {256, 1024}, {256, 1000}, {1, 1 << 18}, {64, 997}})
    if (!measure("FFT", rows, length, pool))
      return 1;
  for (const char *type : {"RFFT", "IRFFT"})
    for (auto [rows, length] :
         {std::pair<int64_t, int64_t>{1024, 255}, {256, 1001}, {64, 1125}, {64, 4095}, {16, 15015}})
      if (!measure(type, rows, length, pool))
        return 1;
}
