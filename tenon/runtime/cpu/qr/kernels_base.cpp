#define TENON_ISA base
#define TENON_VECTOR_BYTES 16
#define TENON_TILE_VECTORS 2
#include "tenon/runtime/cpu/qr/kernels_impl.h"
