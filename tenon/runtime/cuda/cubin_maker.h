// Who makes machine code of PTX before the driver has to.
#pragma once

#include "tenon/runtime/cuda/assembler.h"
#include "tenon/status.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::runtime::cuda {

class CubinMaker {
public:
  virtual ~CubinMaker() = default;

  // "nvJitLink 13.5": the same version makes the same machine code of the same PTX.
  virtual const std::string &version() const = 0;
  // For a chip as "sm_90a". From any thread, many at a time. Errors as Assembler::assemble's.
  virtual StatusOr<Cubin> make(std::string_view ptx, const std::string &chip) const = 0;
};

// The program ptxas of CUDA 12.8 or later, or else the newer of it and the library nvJitLink; but none of a later
// generation of CUDA than the driver, whose version is given as it says it (12040), or 0 for any. It is ptxas where
// that will do, since nvJitLink makes code that can still be linked: divisions and roots have functions outside of the
// kernel then, and products of warp groups beside such calls wait for each other. Null: it is left to the driver, when
// a program is loaded. The environment variable TENON_CUDA_ASSEMBLER names one: nvjitlink, ptxas or driver. NOT_FOUND
// if that is not there, FAILED_PRECONDITION if it is too new.
StatusOr<std::shared_ptr<const CubinMaker>> findCubinMaker(int driverVersion = 0);

// Machine code for users, whose assembler may be of any version: its remarks are warnings in the process's errors.
StatusOr<std::string> makeMachineCode(const CubinMaker &maker, std::string_view ptx, const std::string &chip);

// nvJitLink, from a library of one of these names. NOT_FOUND if there is none, FAILED_PRECONDITION with the name of the
// function that it lacks.
StatusOr<std::shared_ptr<const CubinMaker>> openJitLink(const std::vector<std::string> &names);

} // namespace tenon::runtime::cuda
