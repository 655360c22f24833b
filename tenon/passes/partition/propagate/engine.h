// The loop that spreads shardings until nothing changes any more.
#pragma once

#include "tenon/passes/partition/propagate/prepare.h"

namespace tenon::passes::propagate {

/// Spreads the shardings over the program, the dimensions of the first user priority first. Removes ops on the way that
/// nothing uses. Fails, with a diagnostic, where the framework cannot say how a call's results lie.
llvm::LogicalResult spreadAll(ValueShardings &values, const Groups &groups);

} // namespace tenon::passes::propagate
