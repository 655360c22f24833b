// Timing of kernels on one and two threads.
#pragma once

#include "tenon/codegen/kernel/matmul/test/jit_testing.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

namespace tenon::codegen::testing {

using namespace matmul;

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// On one thread the processor time counts, so that a busy machine disturbs less.
inline double cpuNow() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

inline void *alignedBlock(int64_t bytes) { return std::aligned_alloc(4096, size_t(bytes + 8191) / 4096 * 4096); }

// Ordinary numbers of the type.
inline void *allocateNumbers(int64_t bytes, ElementType type) {
  using Type = ElementType;
  auto *data = static_cast<uint8_t *>(alignedBlock(bytes));
  uint32_t state = 1;
  for (int64_t i = 0; i + 4 <= bytes; i += 4) {
    state = state * 1664525 + 1013904223;
    float value = float(int(state >> 8) % 1000) * 0.001f;
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    if (type == Type::kBF16 || type == Type::kF16)
      bits = 0x3c003c00;
    if (type == Type::kI8 || type == Type::kUI8)
      bits = state;
    std::memcpy(data + i, &bits, 4);
  }
  return data;
}

// Best time of a whole kernel in seconds. The second thread spins: what is measured is the kernel, not a pool.
inline double timeKernel(JitModule &jit, const Kernel &kernel, std::vector<void *> buffers, int threads) {
  std::vector<std::pair<TenonKernel, int64_t>> phases;
  for (const KernelPhase &phase : kernel.phases)
    phases.emplace_back(jit.lookup(phase.symbol), phase.extent);
  void *temp = alignedBlock(kernel.tempBytes);
  if (kernel.tempBytes)
    buffers.push_back(temp);
  std::vector<void *> scratch;
  for (int i = 0; i < threads; ++i)
    scratch.push_back(alignedBlock(kernel.scratchBytes));
  std::atomic<int> go{0}, done{0};
  std::atomic<bool> stop{false};
  std::atomic<int64_t> next{0};
  std::atomic<size_t> current{0};
  auto work = [&](int thread) {
    auto [run, extent] = phases[current];
    int64_t chunk = threads == 1 ? std::max<int64_t>(extent, 1) : std::max<int64_t>(1, extent / (int64_t(threads) * 4));
    for (int64_t begin; (begin = next.fetch_add(chunk)) < extent;)
      run(buffers.data(), begin, std::min(extent, begin + chunk), scratch[size_t(thread)]);
  };
  std::thread helper;
  if (threads == 2)
    helper = std::thread([&] {
      for (int seen = 0; !stop;)
        if (go.load() != seen) {
          ++seen;
          work(1);
          done = seen;
        }
    });
  double best = 1e9, start = now();
  for (int i = 0; (now() - start < 0.2 && i < 5000) || i < 3; ++i) {
    double before = threads == 1 ? cpuNow() : now();
    for (size_t phase = 0; phase < phases.size(); ++phase) {
      next = 0;
      current = phase;
      ++go;
      work(0);
      while (threads == 2 && done.load() != go.load())
        ;
    }
    best = std::min(best, (threads == 1 ? cpuNow() : now()) - before);
  }
  stop = true;
  if (helper.joinable())
    helper.join();
  for (void *block : scratch)
    std::free(block);
  std::free(temp);
  return best;
}

} // namespace tenon::codegen::testing
