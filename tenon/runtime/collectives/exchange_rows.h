// Rows that each process of a group sends to each other one, as many as its arrays say: the routine exchange_rows.
#pragma once

#include "tenon/program/program.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/status.h"

#include <memory>

namespace tenon::runtime {

// The routine of the library (collectives.h).
StatusOr<std::unique_ptr<RuntimeCallInstance>> makeExchangeRows(const program::RuntimeCall &runtimeCall);

} // namespace tenon::runtime
