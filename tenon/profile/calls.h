// Recorded events as calls: of a kernel, whose parts several threads compute, or of a runtime call.
#pragma once

#include "tenon/profile.h"
#include "tenon/support/trace.h"

#include <unordered_map>
#include <vector>

namespace tenon::profile {

// One phase of a kernel's call (a label's detail "phases" says how many there are), a runtime call, or a copy.
struct Call {
  const trace::Label *label = nullptr;
  int64_t begin = 0, end = 0; // nanoseconds since 1970: from when the first thread began to when the last one ended
  // Nanoseconds, the sum over threads, and how many took part. 0 of runtime calls, which share work among the threads
  // themselves.
  int64_t busy = 0;
  int threads = 0;
  int64_t bytesCopied = -1; // of a copy
};

// A kernel's by the events' group.
std::unordered_map<uint64_t, Call> kernelCalls(const std::vector<trace::ThreadEvents> &threads);

// The calls of kernels and runtime calls, by when they began.
std::vector<Call> allCalls(const std::vector<trace::ThreadEvents> &threads);

// What a call would take at the machine's limits, and whether that is the memory's. 0: not known.
struct Limit {
  double nanoseconds = 0;
  bool isMemory = false;
};
Limit limitOf(double flops, double bytes, const std::string &arithmetic, const xla::MachineLimits &machine);

// Operations and bytes a second that a call reaches; 0 of runtime calls, and of a phase, whose part of the work is not
// known.
double flopsPerSecond(const Call &call);
double bytesPerSecond(const Call &call);
// What the call reaches of the machine's limit, likewise.
double shareOfLimit(const Call &call, const xla::MachineLimits &machine);

} // namespace tenon::profile
