// Running a program that computes whole arrays for several partitions.
//
// The partitions of one client share memory and processor cores. A program that was not partitioned is run once for all
// of them: their parts of the arguments are put together, and its results are taken apart again. The numbers are those
// of the unpartitioned program, to the bit. What is not cut is not copied.
#pragma once

#include "tenon/pjrt/executable.h"
#include "tenon/runtime/core/device_streams.h"

namespace tenon::pjrt {

struct UnpartitionedRun {
  CompiledProgramRef program;
  runtime::RunOptions options;
  std::shared_ptr<const std::unordered_map<int64_t, void *>> userData;
  std::vector<std::vector<Ref<Value>>> arguments; // by argument and partition
  std::vector<std::vector<Ref<Value>>> results;   // promises, by result and partition
  Ref<Completion> done;
  std::unique_ptr<runtime::HostTransfers> hostTransfers;
  std::shared_ptr<runtime::Channels> channels;
};

// Waits for the arguments, runs, and keeps the promises.
void runUnpartitioned(UnpartitionedRun &run);

} // namespace tenon::pjrt
