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
#include <functional>
#include <vector>

namespace tenon::runtime {
namespace {

constexpr int64_t kBlock = 1024;

void add(void *const *buffers, int64_t, int64_t, void *) {
  const auto *left = static_cast<const float *>(buffers[0]), *right = static_cast<const float *>(buffers[1]);
  auto *result = static_cast<float *>(buffers[2]);
  for (int64_t i = 0; i < kBlock; ++i)
    result[i] = left[i] + right[i];
}

// Seconds of one turn, of `turns` on as many threads.
double secondsOf(int32_t processes, int turns, const std::function<void(const RunOptions &)> &turn) {
  std::barrier start(processes);
  double seconds = 0;
  Status status = runGrid(processes, 1, {}, [&](const RunOptions &options) -> Status {
    turn(options);
    start.arrive_and_wait();
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < turns; ++i)
      turn(options);
    start.arrive_and_wait();
    if (options.replicaId == 0)
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / turns;
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
                     {"block", {program::IntegerAttribute{program::ElementType::kI64, kBlock}}},
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
    Status status = call->call({{&operand, 1}, {&result, 1}, options, ThreadPool::global(), {add, kBlock}});
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
  std::vector<double> sums, others;
  for (int round = 0; round < 7; ++round) { // in turns: other work of the machine meets both
    sums.push_back(secondsOf(processes, turns, reduce));
    others.push_back(
        secondsOf(processes, turns, elements < 1000 ? std::function<void(const RunOptions &)>(meet) : copy));
  }
  std::sort(sums.begin(), sums.end());
  std::sort(others.begin(), others.end());
  std::printf("all_reduce of %ld floats, %d processes: %.2f us; %s: %.2f us; ratio %.2f (medians)\n", long(elements),
              int(processes), 1e6 * sums[3], elements < 1000 ? "a barrier" : "a copy", 1e6 * others[3],
              sums[3] / others[3]);
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
