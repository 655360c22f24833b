#define TENON_FFT_ISA avx2
#include "tenon/runtime/cpu/fft_stages_impl.h"
