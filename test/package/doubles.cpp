// Runs a model that tenon_add_aot_library compiled, in a project without C.
#include "double.h"

#include <cstdio>

int main() {
  alignas(DOUBLE_ALIGNMENT) static char arena[DOUBLE_ARENA_BYTES];
  const float x[] = {1, 2, 3};
  float twice[3];
  double_arguments arguments = {x};
  double_results results = {twice};
  if (double_run(&arguments, &results, arena) != DOUBLE_OK)
    return 1;
  std::printf("%g %g %g\n", twice[0], twice[1], twice[2]);
}
