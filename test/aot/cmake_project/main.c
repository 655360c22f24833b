#include "double.h"
#include "sum.h"
#include "tenon_threads.h"

#include <stdio.h>

/* A model named after a file whose name is a word of C's still has names of its own: double_run, ... */
static _Alignas(64) char arena[DOUBLE_ARENA_BYTES + SUM_ARENA_BYTES + SUM_ARENA_BYTES_PER_THREAD];

int main(void) {
  const float x[] = {1, 2, 3};
  float twice[3], total[3];
  double_arguments arguments = {x};
  double_results results = {twice};
  if (double_run(&arguments, &results, arena) != DOUBLE_OK)
    return 1;
  TenonThreads *threads = tenon_threads_create(2);
  sum_arguments both = {x, twice};
  sum_results sums = {total};
  int code = sum_run_parallel(&both, &sums, arena, threads);
  tenon_threads_destroy(threads);
  printf("%g %g %g\n", total[0], total[1], total[2]);
  return code;
}
