#define TENON_ISA avx512
#define TENON_VECTOR_BYTES 64
#include "tenon/runtime/cpu/small_matrices/kernels_impl.h"
