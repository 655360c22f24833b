// One run of a program, as the C ABI's functions see it.
#pragma once

#include "tenon/runtime/core/abi.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/runtime/core/signals.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/core/trace_labels.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

struct TenonContext : TenonContextHead { // its first member by the ABI
  tenon::runtime::ThreadPool &pool;
  const tenon::runtime::RunOptions &options;
  const std::vector<tenon::program::RuntimeCall> &runtimeCalls;
  std::span<const std::unique_ptr<tenon::runtime::RuntimeCallInstance>> instances;
  // One block of `scratchStride` bytes for each worker of the pool; worker 0 is the thread that runs the entry
  // function.
  char *scratch;
  size_t scratchStride;
  const tenon::runtime::TraceLabels *labels; // null unless traced
  // The first error; written only by the thread that runs the entry function.
  tenon::Status error;

  tenon::trace::Session *session() const { return static_cast<tenon::trace::Session *>(trace); }

  // A signal that nobody has looked at yet does not count.
  bool isStopped() const {
    int32_t value = __atomic_load_n(&stop, __ATOMIC_RELAXED);
    return value != 0 && value != tenon::runtime::kSignal;
  }

  void fail(tenon::Status status) {
    if (error.ok())
      error = std::move(status);
  }
};
