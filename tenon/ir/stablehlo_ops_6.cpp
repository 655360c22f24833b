// One of the units that the generated op classes are compiled in.
#include "tenon/ir/attribute_kinds.h"
#include "tenon/ir/infer.h"
#include "tenon/ir/stablehlo_format.h"

#define GET_OP_DEFS_6
#include "tenon/ops/stablehlo_ops.cpp.inc"
