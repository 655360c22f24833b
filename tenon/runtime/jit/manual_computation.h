// Parts of a program that are written for one of several devices (sdy.manual_computation), in a program that runs once
// for all of them.
//
// The library's routine `manual_computation` runs RuntimeCall::program, of a grid of 1 x {count}, on as many threads.
// Operands and results have a dimension in front, of that size, with the part of each device; operands whose number is
// in {shared} have none, and are the same for all. Both are in the call's backend_config.
#pragma once

namespace tenon::runtime {

// loadProgram does it. Idempotent, thread-safe.
void registerManualComputations();

} // namespace tenon::runtime
