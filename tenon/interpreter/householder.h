// The custom calls that JAX makes of QR factorisations where a platform has no library for them.
#pragma once

#include "tenon/interpreter/evaluator.h"

namespace tenon::interpreter {

// "Qr": [a] to [r above, vectors below the diagonal; tau], LAPACK's geqrf.
LogicalResult factorQr(Invocation &call);

// "ProductOfElementaryHouseholderReflectors": [vectors; tau] to the product of the reflectors' first columns, orgqr.
LogicalResult multiplyReflectors(Invocation &call);

} // namespace tenon::interpreter
