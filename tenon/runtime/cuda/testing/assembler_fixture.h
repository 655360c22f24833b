// Tests that need NVIDIA's assembler.
#pragma once

#include "tenon/runtime/cuda/assembler.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

namespace tenon::runtime::cuda {

// A machine may be without; TENON_CUDA_TESTS=required says that this one is not.
class AssemblerFixture : public ::testing::Test {
protected:
  void SetUp() override {
    StatusOr<Assembler> found = Assembler::find();
    if (found.ok())
      assembler.emplace(*std::move(found));
    else if (std::getenv("TENON_CUDA_TESTS"))
      FAIL() << found.status().message();
    else
      GTEST_SKIP() << found.status().message();
  }

  std::optional<Assembler> assembler;
};

} // namespace tenon::runtime::cuda
