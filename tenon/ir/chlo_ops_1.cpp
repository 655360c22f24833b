// One of the units that the generated op classes are compiled in.
#include "tenon/ir/chlo_infer.h"

#define GET_OP_DEFS_1
#include "tenon/ops/chlo_ops.cpp.inc"
