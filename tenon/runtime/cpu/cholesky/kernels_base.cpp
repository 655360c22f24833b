#define TENON_ISA base
#define TENON_VECTOR_BYTES 16
#define TENON_STRIP_VECTORS 2
#include "tenon/runtime/cpu/cholesky/kernels_impl.h"
