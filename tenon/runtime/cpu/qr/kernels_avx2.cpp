#define TENON_ISA avx2
#define TENON_VECTOR_BYTES 32
#define TENON_TILE_VECTORS 2
#include "tenon/runtime/cpu/qr/kernels_impl.h"
