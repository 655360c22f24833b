// Makes a program of the operations that a builder has enqueued.
#pragma once

#include "tenon/frontend/builder/builder_state.h"

namespace tenon::xla_2017::internal {

// The computation that Build returns, or the first error: parameters without a number in between, an empty builder,
// items of the infeed read in no order.
StatusOr<std::shared_ptr<const BuiltComputation>> buildProgram(BuilderState &state);

// A computation without parameters of the value alone: only the operations that it needs. An error where it depends on
// a parameter or on the infeed.
StatusOr<std::shared_ptr<const BuiltComputation>> buildConstant(BuilderState &state,
                                                                const ComputationDataHandle &handle);

} // namespace tenon::xla_2017::internal
