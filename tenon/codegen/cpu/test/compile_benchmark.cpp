// The cost of compiling a small kernel, alone and in groups.
#include "tenon/codegen/cpu/test/target_testing.h"
#include "tenon/support/testing/stopwatch.h"

#include <cstdio>

using namespace tenon;

int main() {
  constexpr int kKernels = 40;
  std::atomic<int> emitted{0};
  auto milliseconds = [&](int calls, int kernels, int threads) {
    return 1e3 * testing::secondsOf([&] {
             for (int i = 0; i < calls; ++i)
               (void)codegen::compileModules(codegen::testing::manyJobs(kernels, emitted), codegen::CpuTarget::host(),
                                             nullptr, threads);
           });
  };
  std::printf("first target and compiler: %.2f ms\n", milliseconds(1, 1, 1));
  double alone = milliseconds(kKernels, 1, 1), one = milliseconds(1, kKernels, 1), two = milliseconds(1, kKernels, 2);
  std::printf("ms a kernel: one by one %.2f, grouped %.2f, grouped on 2 threads %.2f\n", alone / kKernels,
              one / kKernels, two / kKernels);
}
