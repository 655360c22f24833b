// What the design of the GPU back end left open, because only hardware can say it.
#pragma once

#include "test/gpu/machine.h"

namespace tenon::testing {

struct OpenPoint {
  std::string what;
  Status status;     // of trying it: UNIMPLEMENTED where there is no code for it yet
  std::string value; // "1.3 us"; of what is not measured, empty
};

// Times are those of the emulation where that is the machine: they mean nothing, but that it was tried.
std::vector<OpenPoint> openPoints(const Machine &machine);

// What an iteration of each of loopPrograms() takes in each form, and as it is chosen.
std::vector<OpenPoint> loopTimes(const Machine &machine);

} // namespace tenon::testing
