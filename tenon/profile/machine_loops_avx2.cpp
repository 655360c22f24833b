#define TENON_LOOPS_ISA avx2
#define TENON_LOOPS_BYTES 32
#include "tenon/profile/machine_loops_impl.h"
