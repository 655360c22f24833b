// Infeed, outfeed, send, recv and collectives of interpreted programs, through what compiled ones use.
#pragma once

#include "tenon/interpreter/interpreter.h"
#include "tenon/runtime/core/runtime_call.h"

namespace tenon::backend {

// For interpreter::Options::transfer: moves data as a compiled program that is run with `run` does. `run` must outlive
// the handler.
interpreter::TransferHandler transferAsCompiled(const runtime::RunOptions &run);

// For interpreter::Options::exchange: meets the other processes where those of compiled programs meet (but the
// processes of one grid must all be interpreted, or all be compiled). `run` has a rendezvous, and must outlive the
// handler.
interpreter::ExchangeHandler exchangeAt(const runtime::RunOptions &run);

// For interpreter::Options::devices: threads that meet where those of compiled programs meet. Besides the place and
// what connects them, they have a `stop` of their own. `run` must outlive the handler.
interpreter::DevicesHandler devicesOf(const runtime::RunOptions &run);

// Success, or why the run is to end.
Status checkWait(const runtime::Wait &wait);

} // namespace tenon::backend
