// What programs can run on, by name: "cpu" is compiled code in this process, "cuda" the first of NVIDIA's GPUs,
// "emulated" one that the host plays, "reference" the interpreter, and others are targets from outside
// (include/tenon/target.h), which come from shared libraries or from this process.
//
// With the environment variable TENON_GPU=emulated, "cuda" is played by the host, too. TENON_TARGETS lists libraries,
// separated by ':', that are loaded when a name is first looked for that is none of those.
#pragma once

#include "tenon/backend/backend.h"
#include "tenon/target.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon::backend {

// Lives as long as the process. kNotFound, with the names that there are and whatever kept a library of TENON_TARGETS
// from being loaded; an error of a target that cannot start is its own, and the next call tries again.
StatusOr<Backend *> backendOf(const std::string &name);

// What compiles for a backend in a process that has none of its devices and only stores programs. `name` is what
// compilerName says of the platform in the other process: "cpu", or of GPUs "cuda:sm_90a".
StatusOr<Backend *> compilerOf(const std::string &name);
StatusOr<std::string> compilerName(const std::string &platform);

// Loads a shared library and returns its target's name. A library that is loaded already is no error. kNotFound where
// the library cannot be loaded, kFailedPrecondition where it is no target's or of another version, kAlreadyExists for a
// name that is taken, kInvalidArgument for one that is no name.
StatusOr<std::string> loadTarget(const std::string &library);

// A target of this process. kAlreadyExists and kInvalidArgument as above.
Status registerTarget(const std::string &name, std::unique_ptr<target::Target> target);

// Sorted.
std::vector<std::string> targetNames();

} // namespace tenon::backend
