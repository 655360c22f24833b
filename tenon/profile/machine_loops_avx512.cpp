#define TENON_LOOPS_ISA avx512
#define TENON_LOOPS_BYTES 64
#include "tenon/profile/machine_loops_impl.h"
