// Sums over a compiled program's report of its buffers.
#pragma once

#include "tenon/program/program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::program {

struct MemorySummary {
  int64_t argumentBytes = 0, resultBytes = 0, constantBytes = 0; // the caller's memory, and tables
  // For each half step, the bytes of the arena that hold something that is still needed.
  std::vector<int64_t> liveBytes;
  // The maximum of liveBytes. No plan of the same kernels in the same order gets along with less than this.
  int64_t peakBytes = 0;
  int32_t peakStep = -1;            // the first such step; -1: the arena is empty
  std::vector<int32_t> aliveAtPeak; // in report.buffers, of the arena
  // How much larger the arena is than its peak, as a share of the arena: gaps, and rounding to 64 bytes.
  double fragmentation = 0;
};

MemorySummary summarizeMemory(const Program &program);

// The memory that a loaded program keeps beside contentBytes: its report, runtime calls and source locations. Overhead
// of the allocator is not counted.
int64_t descriptionBytes(const Program &program);

// Describes the purpose of a buffer: "argument 0 (x)", "result 1", "temporary", "workspace: carried (temporary)".
std::string describeBuffer(const Program &program, const BufferEntry &buffer);

// Describes what runs in a step: "loop_add_0", "end of stablehlo.while".
std::string describeStep(const Program &program, size_t step);

} // namespace tenon::program
