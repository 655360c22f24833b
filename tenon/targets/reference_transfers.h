// Infeed, outfeed, send, recv and collectives of interpreted programs, through what compiled ones use.
#pragma once

#include "tenon/interpreter/interpreter.h"
#include "tenon/runtime/core/service.h"

namespace tenon::targets {

// For interpreter::Options::transfer: moves data as a compiled program that is run with `run` does. `run` must outlive
// the handler.
interpreter::TransferHandler transferAsCompiled(const runtime::RunOptions &run);

// For interpreter::Options::exchange: meets the other processes where those of compiled programs meet (but the
// processes of one grid must all be interpreted, or all be compiled). `run` must outlive the handler.
interpreter::ExchangeHandler exchangeAt(const runtime::RunOptions &run);

} // namespace tenon::targets
