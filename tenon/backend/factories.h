// What the backends share, and how registry.cpp makes them. Private to the folder.
#pragma once

#include "tenon/backend/backend.h"
#include "tenon/backend/source_module.h"
#include "tenon/compiler/compiler.h"
#include "tenon/target.h"

#include <memory>
#include <string_view>

namespace tenon::backend {

// What the compiler is told of a program whichever backend compiles it. kInvalidArgument for an option that none has.
StatusOr<compiler::CompileOptions> compilerOptions(const CompileOptions &options);

// What an option says that is true or false, which is taken from the others; `otherwise` where it is not set.
StatusOr<bool> takeBoolean(CompileOptions &options, std::string_view name, bool otherwise);

// What the runtime of this process brings itself is there for programs that are loaded from now on.
void registerRuntime();

// Executable::optimizedModule of a program that was compiled from this source: asked for by people, rarely, so the
// passes run again rather than every compilation paying for the text.
StatusOr<std::string> showOptimized(const SourceModule &source, const program::Program &program);

// The GPUs of this machine, or so many that the host plays (0: none, those of the machine).
StatusOr<std::unique_ptr<Backend>> makeGpuBackend(int emulatedDevices);

// What compiles as that does for GPUs of this kind ("sm_90a"), and has none: its programs can be stored, but not run.
StatusOr<std::unique_ptr<Backend>> makeGpuCompiler(std::string chip, bool isEmulated);

// The interpreter. Programs of known shapes alone; it compiles nothing, and shows programs as they were given.
std::unique_ptr<Backend> makeReferenceBackend();

// Runs the passes that all targets share, and has the target compile what they give.
std::unique_ptr<Backend> makeTargetBackend(std::string name, std::unique_ptr<target::Target> target);

} // namespace tenon::backend
