// Which steps of a program are a library's, in place of kernels of ours (library_op.h).
//
// A library is told addresses by the host. So its steps are those whose arrays are where the host knows: always at
// the same address, or, outside of loops and branches, in arguments and results. Loops are graphs that the host does
// not see again, and places that exchange their memory are where the device alone knows: those steps keep the program's
// own kernels, which find their arrays by rows. It is the same whether the program is a graph or a walk.
#pragma once

#include "tenon/program/device_program.h"
#include "tenon/runtime/cuda/library_op.h"

#include <map>
#include <memory>
#include <vector>

namespace tenon::runtime::cuda {

// Whether each place's memory is exchanged with another's.
std::vector<bool> exchangedPlaces(const program::DeviceProgram &program);

// Whether what is here has the same address at each run, and all of the time.
bool isFixed(const program::DevicePlace &place, bool isExchanged);

using LibrarySteps = std::map<const program::KernelStep *, LibraryOp *>;

// `ops`: of each module that a library computes, by its number; null for others.
LibrarySteps findLibrarySteps(const program::DeviceProgram &program, const std::vector<bool> &isExchanged,
                              const std::vector<std::unique_ptr<LibraryOp>> &ops);

} // namespace tenon::runtime::cuda
