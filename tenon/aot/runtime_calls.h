// What a program's runtime calls become ahead of time. Private to the folder.
#pragma once

#include "tenon/program/program.h"
#include "tenon/status.h"

#include <string>

namespace tenon::aot {

// Whether the runtime call is an assertion about sizes, which needs no library.
bool isAssertion(const program::RuntimeCall &runtimeCall);
// Whether it is one of LAPACK's routines, which libtenon_lapack.a calls.
bool isLapack(const program::RuntimeCall &runtimeCall);
inline constexpr const char *kLapackFunction = "tenon_lapack_call";
// Whether it gives the seed of the run's random numbers: always 0 here.
bool isRunSeed(const program::RuntimeCall &runtimeCall);

// tenon_runtime_call of the program, as LLVM IR. It uses abi_functions.h's types and functions.
StatusOr<std::string> runtimeCallsText(const program::Program &program);

} // namespace tenon::aot
