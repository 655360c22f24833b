// What the backends share, and how registry.cpp makes them. Private to the folder.
#pragma once

#include "tenon/backend/backend.h"
#include "tenon/compiler/compiler.h"
#include "tenon/target.h"

#include <memory>

namespace tenon::backend {

// What the compiler is told of a program whichever backend compiles it. kInvalidArgument for an option that none has.
StatusOr<compiler::CompileOptions> compilerOptions(const CompileOptions &options);

// The interpreter. Programs of known shapes alone; it compiles nothing, and shows programs as they were given.
std::unique_ptr<Backend> makeReferenceBackend();

// Runs the passes that all targets share, and has the target compile what they give.
std::unique_ptr<Backend> makeTargetBackend(std::string name, std::unique_ptr<target::Target> target);

} // namespace tenon::backend
