#include "tenon/profile/machine.h"

#include "tenon/profile/machine_loops.h"
#include "tenon/runtime/core/memory.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/cpu/instruction_set.h"
#include "tenon/support/element_type.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

namespace tenon::profile {
namespace {

using xla::MachineLimits;
using Clock = std::chrono::steady_clock;

// Others may be using the machine: the best round counts.
constexpr int kRounds = 8;
// What a round takes where the work can be chosen.
constexpr double kRoundSeconds = 1e-3;
constexpr std::array<int64_t, 7> kWorkingSets = {32 << 10, 128 << 10, 512 << 10, 2 << 20, 8 << 20, 32 << 20, 128 << 20};
constexpr size_t kFloatsOfBlock = 256;

double secondsOf(auto &&work) {
  Clock::time_point start = Clock::now();
  work();
  return std::max(std::chrono::duration<double>(Clock::now() - start).count(), 1e-9);
}

// Units of work a second, each thread doing as many as take it about a round.
double bestRate(runtime::ThreadPool &pool, auto &&work) {
  int64_t units = 1;
  while (units < int64_t{1} << 40 && secondsOf([&] { work(0, units); }) < kRoundSeconds / 2)
    units *= 2;
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    double seconds = secondsOf([&] {
      pool.parallelFor(pool.size(), [&](int64_t begin, int64_t end, int) {
        for (int64_t share = begin; share < end; ++share)
          work(share, units);
      });
    });
    best = std::max(best, double(units) * pool.size() / seconds);
  }
  return best;
}

double arithmeticRate(runtime::ThreadPool &pool, const ArithmeticLoop &loop) {
  constexpr int64_t kTurns = 1000;
  return bestRate(pool, [&](int64_t, int64_t units) { loop.run(units * kTurns); }) * kTurns * loop.flopsOfRound;
}

// Reading, and reading two arrays and writing a third: a kernel may do either, so the limit is the faster one.
double memoryRate(runtime::ThreadPool &pool, float *memory, int64_t workingSet) {
  const MemoryLoops &loops = machineLoops().memory;
  size_t floats = size_t(workingSet) / sizeof(float) / size_t(pool.size());
  size_t count = std::max(floats / kFloatsOfBlock, size_t{3}) * kFloatsOfBlock,
         third = count / 3 / kFloatsOfBlock * kFloatsOfBlock;
  std::vector<float> sums(size_t(pool.size()) * 16); // a cache line for each
  double reads = bestRate(pool, [&](int64_t share, int64_t units) {
    for (int64_t i = 0; i < units; ++i)
      sums[size_t(share) * 16] += loops.sum(memory + size_t(share) * count, count);
  });
  double triads = bestRate(pool, [&](int64_t share, int64_t units) {
    float *a = memory + size_t(share) * count;
    for (int64_t i = 0; i < units; ++i)
      loops.triad(a, a + third, a + 2 * third, third);
  });
  return double(sizeof(float)) * std::max(reads * double(count), triads * double(3 * third));
}

// Data in a smaller working set is no slower to reach; a disturbed measurement may say so.
void makeMonotone(std::vector<MachineLimits::Bandwidth> &bandwidths) {
  for (size_t i = bandwidths.size(); i-- > 1;) {
    bandwidths[i - 1].one_thread = std::max(bandwidths[i - 1].one_thread, bandwidths[i].one_thread);
    bandwidths[i - 1].all_threads = std::max(bandwidths[i - 1].all_threads, bandwidths[i].all_threads);
  }
}

} // namespace

const MachineLoops &machineLoops() { return TENON_VARIANT(kLoops); }

MachineLimits measureMachine(int threads) {
  MachineLimits limits;
  limits.threads = threads;
  // The process's own pool may be busy.
  runtime::ThreadPool one(1), all(threads);
  const std::pair<const char *, ArithmeticLoop> loops[] = {
      {"f64", machineLoops().f64}, {"f32", machineLoops().f32}, {"bf16", bf16Products()}, {"i8", i8Products()}};
  for (const auto &[type, loop] : loops)
    if (loop.run)
      limits.throughputs.push_back({type, arithmeticRate(one, loop), arithmeticRate(all, loop)});
  // The least share of a thread is larger than a part of the smallest working set, where threads are many.
  size_t least = size_t(all.size()) * 3 * kFloatsOfBlock * sizeof(float);
  runtime::Buffer memory(std::max(size_t(kWorkingSets.back()), least));
  if (memory) {
    std::memset(memory.data(), 0, memory.size());
    for (int64_t workingSet : kWorkingSets)
      limits.bandwidths.push_back({workingSet, memoryRate(one, static_cast<float *>(memory.data()), workingSet),
                                   memoryRate(all, static_cast<float *>(memory.data()), workingSet)});
    makeMonotone(limits.bandwidths);
  }
  return limits;
}

} // namespace tenon::profile

namespace xla {

double MachineLimits::BandwidthOf(double bytes) const {
  double found = bandwidths.empty() ? 0 : bandwidths.front().all_threads;
  for (const Bandwidth &bandwidth : bandwidths)
    if (double(bandwidth.working_set) <= bytes)
      found = bandwidth.all_threads;
  return found;
}

double MachineLimits::ThroughputOf(const std::string &type) const {
  auto measured = [&](std::string_view name) {
    for (const Throughput &throughput : throughputs)
      if (throughput.type == name)
        return throughput.all_threads;
    return 0.0;
  };
  if (tenon::bitWidth(tenon::elementTypeNamed(type)) == 64)
    return measured("f64");
  // Narrow products may be slower than widening their operands.
  return std::max(measured("f32"), measured(type == "ui8" ? "i8" : type));
}

const MachineLimits &GetMachineLimits() {
  static const MachineLimits limits = tenon::profile::measureMachine(tenon::runtime::ThreadPool::global().size());
  return limits;
}

} // namespace xla
