// What it costs to meet, against a bare barrier of as many threads, and to sum large arrays, against copying them.
#include "tenon/runtime/collectives/collectives.h"
#include "tenon/runtime/collectives/grid_run.h"
#include "tenon/runtime/core/memory.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/runtime/core/thread_pool.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <vector>

namespace tenon::runtime {
namespace {

// As for compiled programs (codegen::reductionBlock).
int64_t blockFor(int64_t elements) { return elements <= 64 ? 64 : 1024; }

// Compiled for the processor, as programs are.
#if defined(__x86_64__)
[[gnu::target_clones("avx512f", "avx2", "default")]]
#endif
void add(void *const *buffers, int64_t begin, int64_t end, void *) {
  const auto *left = static_cast<const float *>(buffers[0]), *right = static_cast<const float *>(buffers[1]);
  auto *result = static_cast<float *>(buffers[2]);
  for (int64_t i = begin; i < end; ++i)
    result[i] = left[i] + right[i];
}

struct Seconds {
  double wall = 0, processor = 0; // of one turn
};

// What `turns` take on as many threads.
Seconds secondsOf(int32_t processes, int turns, const std::function<void(const RunOptions &)> &turn) {
  std::barrier start(processes);
  Seconds seconds;
  Status status = runGrid(processes, 1, {}, [&](const RunOptions &options) -> Status {
    turn(options);
    start.arrive_and_wait();
    auto begin = std::chrono::steady_clock::now();
    std::clock_t processor = std::clock();
    for (int i = 0; i < turns; ++i)
      turn(options);
    start.arrive_and_wait();
    if (options.replicaId == 0)
      seconds = {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / turns,
                 double(std::clock() - processor) / CLOCKS_PER_SEC / turns};
    return {};
  });
  if (!status.ok())
    std::printf("%s\n", status.message().c_str());
  return seconds;
}

std::unique_ptr<RuntimeCallInstance> allReduce(int32_t processes, int64_t elements) {
  program::RuntimeCall call;
  call.target = "fold_group";
  call.operands = call.results = {{program::ElementType::kF32, {elements}}};
  using List = program::IntegerArrayAttribute;
  call.attributes = {{"axes", {List{program::ElementType::kI64, {processes, 1}}}},
                     {"block", {program::IntegerAttribute{program::ElementType::kI64, blockFor(elements)}}},
                     {"op", {std::string("all_reduce")}}};
  return *instantiateRuntimeCall(call);
}

void measure(int32_t processes, int64_t elements, int turns) {
  std::vector<Buffer> operands, results;
  for (int32_t i = 0; i < processes; ++i) {
    operands.emplace_back(size_t(elements) * sizeof(float));
    results.emplace_back(size_t(elements) * sizeof(float));
    std::fill_n(static_cast<float *>(operands.back().data()), elements, 1.0F);
  }
  auto call = allReduce(processes, elements);
  auto reduce = [&](const RunOptions &options) {
    void *operand = operands[size_t(options.replicaId)].data(), *result = results[size_t(options.replicaId)].data();
    Status status = call->call({{&operand, 1}, {&result, 1}, options, ThreadPool::global(), {add, blockFor(elements)}});
    if (!status.ok())
      std::printf("%s\n", status.message().c_str());
  };
  std::barrier barrier(processes);
  auto meet = [&](const RunOptions &) { barrier.arrive_and_wait(); };
  // As many bytes as a sum reads and writes at least.
  auto copy = [&](const RunOptions &options) {
    auto i = size_t(options.replicaId);
    std::memcpy(results[i].data(), operands[i].data(), results[i].size());
    barrier.arrive_and_wait();
  };
  bool isSmall = elements < 1000;
  std::vector<double> wall[2], processor[2];
  for (int round = 0; round < 7; ++round) // in turns: other work of the machine meets both
    for (int other : {0, 1}) {
      std::function<void(const RunOptions &)> turn = reduce;
      if (other)
        turn = isSmall ? std::function<void(const RunOptions &)>(meet) : copy;
      Seconds seconds = secondsOf(processes, turns, turn);
      wall[other].push_back(seconds.wall);
      processor[other].push_back(seconds.processor);
    }
  auto median = [](std::vector<double> &values) {
    std::sort(values.begin(), values.end());
    return 1e6 * values[values.size() / 2];
  };
  double sum = median(wall[0]), bare = median(wall[1]), sumWork = median(processor[0]), bareWork = median(processor[1]);
  std::printf(
      "%8ld floats, %d processes: all_reduce %.2f us, %s %.2f us, ratio %.2f; processor %.2f and %.2f us, ratio "
      "%.2f\n",
      long(elements), int(processes), sum, isSmall ? "barrier" : "copy", bare, sum / bare, sumWork, bareWork,
      sumWork / bareWork);
}

} // namespace
} // namespace tenon::runtime

int main() {
  tenon::runtime::registerCollectives();
  for (int processes : {2, 4, 8})
    tenon::runtime::measure(processes, 4, 2000);
  for (int processes : {2, 4, 8})
    tenon::runtime::measure(processes, 16 << 20, 2);
}
