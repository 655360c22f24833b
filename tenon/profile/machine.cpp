#include "tenon/profile/machine.h"

#include "tenon/profile/machine_loops.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/cpu/instruction_set.h"
#include "tenon/support/element_type.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tenon::profile {
namespace {

using xla::MachineLimits;
using Clock = std::chrono::steady_clock;

// Others may be using the machine: the best round counts.
constexpr int64_t kRounds = 8;
// What a round takes where the work can be chosen.
constexpr double kRoundSeconds = 1e-3;
constexpr std::array<int64_t, 7> kWorkingSets = {32 << 10, 128 << 10, 512 << 10, 2 << 20, 8 << 20, 32 << 20, 128 << 20};
constexpr int64_t kPiece = 8 << 20; // divides larger working sets
constexpr size_t kFloatsOfBlock = 256;
constexpr size_t kHugePage = 2 << 20;

// Not of the buffer cache: it is not part of what programs need, as memory statistics tell it.
class Memory {
public:
  explicit Memory(size_t bytes)
      : data_(static_cast<float *>(::operator new(bytes, std::align_val_t(kHugePage), std::nothrow))) {
    if (!data_)
      return;
#if defined(MADV_HUGEPAGE) // as arrays have them
    madvise(data_, bytes, MADV_HUGEPAGE);
#endif
    std::memset(data_, 0, bytes);
  }
  ~Memory() { ::operator delete(data_, std::align_val_t(kHugePage)); }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  float *data() const { return data_; }

private:
  float *data_;
};

double secondsOf(auto &&work) {
  Clock::time_point start = Clock::now();
  work();
  return std::max(std::chrono::duration<double>(Clock::now() - start).count(), 1e-9);
}

// How often a second each thread does `work(share, piece, times)` once for every thread. Large work comes in pieces, of
// which each round does another one: a long round would always be disturbed, and what is done again is in a cache.
double bestRate(runtime::ThreadPool &pool, int64_t pieces, auto &&work) {
  int64_t times = 1;
  while (pieces == 1 && times < int64_t{1} << 40 && secondsOf([&] { work(0, 0, times); }) < kRoundSeconds / 2)
    times *= 2;
  double best = 0;
  for (int64_t round = 0; round < std::max(kRounds, pieces); ++round) {
    double seconds = secondsOf([&] {
      pool.parallelFor(pool.size(), [&](int64_t begin, int64_t end, int) {
        for (int64_t share = begin; share < end; ++share)
          work(share, round % pieces, times);
      });
    });
    best = std::max(best, double(times) * pool.size() / seconds);
  }
  return best;
}

double arithmeticRate(runtime::ThreadPool &pool, const ArithmeticLoop &loop) {
  constexpr int64_t kTurns = 1000;
  return bestRate(pool, 1, [&](int64_t, int64_t, int64_t times) { loop.run(times * kTurns); }) * kTurns *
         loop.flopsOfRound;
}

// Reading, and reading two arrays and writing a third: a kernel may do either, so the limit is the faster one.
double memoryRate(runtime::ThreadPool &pool, float *memory, int64_t workingSet) {
  const MemoryLoops &loops = machineLoops().memory;
  int64_t pieces = std::max(workingSet / kPiece, int64_t{1});
  size_t blocks = size_t(workingSet / pieces / pool.size()) / sizeof(float) / kFloatsOfBlock;
  size_t count = std::max(blocks, size_t{3}) * kFloatsOfBlock, third = count / 3 / kFloatsOfBlock * kFloatsOfBlock;
  auto begin = [&](int64_t share, int64_t piece) { return memory + size_t(share * pieces + piece) * count; };
  std::vector<float> sums(size_t(pool.size()) * 16); // a cache line for each
  double reads = bestRate(pool, pieces, [&](int64_t share, int64_t piece, int64_t times) {
    for (int64_t i = 0; i < times; ++i)
      sums[size_t(share) * 16] += loops.sum(begin(share, piece), count);
  });
  double triads = bestRate(pool, pieces, [&](int64_t share, int64_t piece, int64_t times) {
    float *a = begin(share, piece);
    for (int64_t i = 0; i < times; ++i)
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
  // Together they are no slower than one of them, however busy the machine is.
  auto ofAll = [&](double ofOne, auto &&measure) { return threads == 1 ? ofOne : std::max(ofOne, measure(all)); };
  const std::pair<const char *, ArithmeticLoop> loops[] = {
      {"f64", machineLoops().f64}, {"f32", machineLoops().f32}, {"bf16", bf16Products()}, {"i8", i8Products()}};
  for (const auto &[type, loop] : loops)
    if (loop.run) {
      auto measure = [&](runtime::ThreadPool &pool) { return arithmeticRate(pool, loop); };
      double ofOne = measure(one);
      limits.throughputs.push_back({type, ofOne, ofAll(ofOne, measure)});
    }
  // The least share of a thread is larger than a part of the smallest working set, where threads are many.
  size_t least = size_t(all.size()) * 3 * kFloatsOfBlock * sizeof(float);
  Memory memory(std::max(size_t(kWorkingSets.back()), least));
  if (!memory.data())
    return limits;
  for (int64_t workingSet : kWorkingSets) {
    auto measure = [&](runtime::ThreadPool &pool) { return memoryRate(pool, memory.data(), workingSet); };
    double ofOne = measure(one);
    limits.bandwidths.push_back({workingSet, ofOne, ofAll(ofOne, measure)});
  }
  makeMonotone(limits.bandwidths);
  return limits;
}

} // namespace tenon::profile

namespace tenon::xla_2017 {

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

} // namespace tenon::xla_2017
