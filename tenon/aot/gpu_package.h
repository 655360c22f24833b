// Ahead-of-time output for NVIDIA's GPUs: an object with the program's PTX and machine code inside, and a header whose
// functions take a stream and addresses of the device's memory. It wants libtenon_cuda.a.
#pragma once

#include "tenon/aot/package.h"
#include "tenon/program/device_program.h"

namespace tenon::aot {

// The object is for this machine's kind of processor. Errors: as makePackage's; kUnimplemented, too, for programs that
// call the host in between, and for weights in a file.
StatusOr<Package> makeGpuPackage(const program::Program &program, const program::DeviceProgram &code,
                                 const PackageOptions &options);

} // namespace tenon::aot
