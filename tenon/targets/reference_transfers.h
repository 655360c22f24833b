// Infeed, outfeed, send and recv of interpreted programs, through what compiled ones use.
#pragma once

#include "tenon/interpreter/interpreter.h"
#include "tenon/runtime/core/service.h"

namespace tenon::targets {

// For interpreter::Options::transfer: moves data as a compiled program that is run with `run` does. `run` must outlive
// the handler.
interpreter::TransferHandler transferAsCompiled(const runtime::RunOptions &run);

} // namespace tenon::targets
