#define TENON_ISA avx2
#define TENON_VECTOR_BYTES 32
#define TENON_STRIP_VECTORS 2
#include "tenon/runtime/cpu/cholesky/kernels_impl.h"
