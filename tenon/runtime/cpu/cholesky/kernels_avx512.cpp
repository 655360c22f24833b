#define TENON_ISA avx512
#define TENON_VECTOR_BYTES 64
#define TENON_STRIP_VECTORS 4
#include "tenon/runtime/cpu/cholesky/kernels_impl.h"
