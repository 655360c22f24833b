#define TENON_FFT_ISA avx512
#include "tenon/runtime/cpu/fft_kernels_impl.h"
