/* Runs what aot.cpp has made. */
#include "axpy.h"

#include <stdio.h>

static _Alignas(AXPY_ALIGNMENT) char arena[AXPY_ARENA_BYTES];

int main(void) {
  float x[] = {1, 2, 3}, y[] = {10, 20, 30}, sums[3];
  axpy_arguments arguments = {x, y};
  axpy_results results = {sums};
  if (axpy_run(&arguments, &results, arena) != AXPY_OK)
    return 1;
  printf("%g %g %g\n", sums[0], sums[1], sums[2]);
  return 0;
}
