#define TENON_FFT_ISA base
#include "tenon/runtime/cpu/fft_kernels_impl.h"
