// Tests that need NVIDIA's assembler.
#pragma once

#include "tenon/runtime/cuda/assembler.h"
#include "tenon/runtime/cuda/cubin_maker.h"
#include "tenon/runtime/cuda/toolkit.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

namespace tenon::runtime::cuda {

// A machine may be without; TENON_CUDA_TESTS=required says that this one is not.
class AssemblerFixture : public ::testing::Test {
protected:
  void SetUp() override {
    StatusOr<Assembler> program = Assembler::find();
    StatusOr<std::shared_ptr<const CubinMaker>> library = openJitLink(libraryNames("libnvJitLink", 12, 0));
    if (program.ok())
      assembler.emplace(*std::move(program));
    else if (isRequired())
      FAIL() << program.status().message();
    else
      GTEST_SKIP() << program.status().message();
    if (library.ok())
      jitLink = *std::move(library);
    else if (isRequired())
      FAIL() << library.status().message();
  }

  // What an assembler that users may have makes of a module: of ptxas, and of nvJitLink where it is there, in this
  // order.
  StatusOr<std::vector<Cubin>> assembleByAll(std::string_view ptx, const std::string &chip) const {
    std::vector<Cubin> cubins;
    TENON_ASSIGN_OR_RETURN(cubins.emplace_back(), assembler->assemble(ptx, chip));
    if (jitLink) {
      TENON_ASSIGN_OR_RETURN(cubins.emplace_back(), jitLink->make(ptx, chip));
    }
    return cubins;
  }

  std::optional<Assembler> assembler;        // ptxas
  std::shared_ptr<const CubinMaker> jitLink; // null where it is not there

private:
  static bool isRequired() { return std::getenv("TENON_CUDA_TESTS"); }
};

} // namespace tenon::runtime::cuda
