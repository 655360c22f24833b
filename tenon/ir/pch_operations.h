// Precompiled: the classes of the operations, which nearly every file that touches programs includes.
#pragma once

#include "tenon/ir/chlo.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
