#define TENON_ISA base
#define TENON_VECTOR_BYTES 16
#include "tenon/runtime/cpu/small_matrices/kernels_impl.h"
