#define TENON_LOOPS_ISA base
#define TENON_LOOPS_BYTES 16
#include "tenon/profile/machine_loops_impl.h"
