#define TENON_FFT_ISA avx2
#include "tenon/runtime/cpu/fft_kernels_impl.h"
