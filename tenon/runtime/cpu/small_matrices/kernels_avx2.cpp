#define TENON_ISA avx2
#define TENON_VECTOR_BYTES 32
#include "tenon/runtime/cpu/small_matrices/kernels_impl.h"
