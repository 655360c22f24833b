// The loop that spreads shardings until nothing changes any more.
#pragma once

#include "tenon/passes/partition/propagate/prepare.h"

namespace tenon::passes::propagate {

/// Spreads the shardings over the program, the dimensions of the first user priority first. Removes ops on the way that
/// nothing uses.
void spreadAll(ValueShardings &values, const Groups &groups);

} // namespace tenon::passes::propagate
