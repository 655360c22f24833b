// The FFT on one thread, with and without powers of two.
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/cpu/fft.h"
#include "tenon/runtime/cpu/test/fft_testing.h"
#include "tenon/support/testing/stopwatch.h"

#include <cmath>
#include <cstdio>

using namespace tenon;

int main() {
  runtime::ThreadPool pool(1);
  for (auto [rows, length] :
       {std::pair<int64_t, int64_t>{1024, 64}, {256, 1024}, {256, 1000}, {1, 1 << 18}, {64, 997}}) {
    auto in = runtime::randomComplex<float>(rows * length);
    std::vector<std::complex<float>> out(in.size());
    auto instance = runtime::makeFftCall(runtime::fftCall("FFT", {rows, length}, {length}, false));
    void *operands[] = {in.data()}, *results[] = {out.data()};
    runtime::RunOptions options;
    Status status = instance.status();
    double best = testing::bestSecondsOf(10, [&] {
      if (status.ok())
        status = (*instance)->call({operands, results, options, pool});
    });
    if (!status.ok()) {
      std::fprintf(stderr, "%s\n", status.ToString().c_str());
      return 1;
    }
    std::printf("%5ld x %6ld c64: %8.1f us, %5.1f GFLOP/s (5 n log2 n)\n", long(rows), long(length), best * 1e6,
                5e-9 * double(rows * length) * std::log2(double(length)) / best);
  }
}
