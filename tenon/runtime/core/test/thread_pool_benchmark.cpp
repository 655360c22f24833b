// The cost of a loop that has nothing to do.
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/support/testing/stopwatch.h"

#include <cstdio>

int main() {
  constexpr int kLoops = 20000;
  for (int threads : {2, 4, 8}) {
    tenon::runtime::ThreadPool pool(threads);
    double seconds = tenon::testing::bestSecondsOf(5, [&] {
      for (int i = 0; i < kLoops; ++i)
        pool.parallelFor(threads, [](int64_t, int64_t, int) {});
    });
    std::printf("empty loop on %d threads: %.0f ns\n", threads, 1e9 * seconds / kLoops);
  }
}
