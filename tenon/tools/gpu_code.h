// Programs compiled for GPUs.
#pragma once

#include "tenon/compiler/compiler.h"
#include "tenon/program/device_program.h"
#include "tenon/tools/commands.h"

#include <string_view>

namespace tenon::tools {

// Whether --target names a GPU.
bool isForGpu(const CompileOptions &options);

// The stages of --dump-after that only programs for GPUs have, after those of every target.
inline constexpr std::string_view kPtxStage = "ptx", kMachineCodeStage = "sass";

// Compiles as `request` says, and prints the stages that the options ask for. The code goes to `device`: with machine
// code, where that is to be written and there is an assembler.
StatusOr<program::Program> compileForGpu(std::string_view source, compiler::CompileOptions request,
                                         const CompileOptions &options, program::DeviceProgram &device);

} // namespace tenon::tools
