#define TENON_ISA avx512
#define TENON_VECTOR_BYTES 64
#define TENON_TILE_VECTORS 4
#include "tenon/runtime/cpu/qr/kernels_impl.h"
