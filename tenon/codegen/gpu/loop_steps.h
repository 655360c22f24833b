// What there is in a loop of a device's program, with the loops and branches in it.
#pragma once

#include "tenon/program/device_program.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

namespace tenon::codegen {

struct LoopContents {
  llvm::SmallVector<const program::KernelStep *> kernels;
  llvm::SmallVector<const program::CopyStep *> copies;
  llvm::SmallVector<std::pair<int32_t, int32_t>> exchanges;
  llvm::SmallVector<int32_t> decisions; // the places of predicates and selectors

  // Each once.
  llvm::SetVector<int32_t> places() const;
  llvm::SetVector<int32_t> exchanged() const;
};

LoopContents contentsOf(const program::LoopStep &loop);
LoopContents contentsOf(const program::DeviceSteps &steps);

// Calls `visit` for each step that starts a kernel.
void forEachKernel(program::DeviceSteps &steps, llvm::function_ref<void(program::KernelStep &)> visit);

} // namespace tenon::codegen
