#include "tenon/runtime/core/abi.h"

#include "tenon/runtime/core/context.h"
#include "tenon/runtime/core/fiber_group.h"
#include "tenon/runtime/core/interrupt.h"

#include <algorithm>
#include <cstring>
#include <span>

using namespace tenon;
using namespace tenon::runtime;

extern "C" constexpr uint8_t tenon_tile_configuration[64] = {
    1,  0,  0,  0,  0,  0,  0,  0, 0,  0, 0,  0, 0,  0, 0,  0, // palette 1
    64, 0,  64, 0,  64, 0,  64, 0, 64, 0, 64, 0, 64, 0, 64, 0, // bytes of a row of each register
    0,  0,  0,  0,  0,  0,  0,  0, 0,  0, 0,  0, 0,  0, 0,  0, //
    16, 16, 16, 16, 16, 16, 16, 16};                           // rows

// Has the workers share tasks of a kernel or, where a thread has runs of several devices, these.
static void runTasks(TenonContext *context, TenonKernel kernel, int64_t extent, RangeBody body, bool isLong) {
  if (FiberGroup *group = FiberGroup::current())
    group->runTasks(reinterpret_cast<const void *>(kernel), extent, body);
  else
    context->pool.parallelFor(extent, body, 1, isLong);
}

extern "C" void tenon_parallel_for(TenonContext *context, TenonKernel kernel, void *const *buffers, int64_t extent,
                                   int32_t isLong) {
  char *scratch = context->scratch;
  size_t stride = context->scratchStride;
  int32_t *stop = &context->stop;
  auto run = [=](int64_t begin, int64_t end, int worker) {
    CurrentRun worksFor(stop);
    if (tenon_stopped())
      return;
    kernel(buffers, begin, end, scratch + size_t(worker) * stride);
  };
  runTasks(context, kernel, extent, run, isLong != 0);
}

extern "C" void tenon_copy(TenonContext *context, void *to, const void *from, int64_t bytes) {
  trace::Span span(TraceLabels::copy(), bytes);
  constexpr int64_t kChunk = 128 << 10;
  context->pool.parallelFor((bytes + kChunk - 1) / kChunk, [=](int64_t begin, int64_t end, int) {
    int64_t first = begin * kChunk, last = std::min(bytes, end * kChunk);
    std::memcpy(static_cast<char *>(to) + first, static_cast<const char *>(from) + first, size_t(last - first));
  });
}

// Records a worker's shares of kernels that are traced, each of which comes in pieces.
static void traceShare(TenonContext *context, int32_t call, uint64_t group, int64_t start) {
  context->session()->record(context->labels->call(call), start, trace::now(), -1, group);
}

static void tracedKernel(TenonContext *context, int32_t call, TenonKernel kernel, void *const *buffers, int64_t extent,
                         int32_t sharing) {
  uint64_t group = context->session()->newGroups(1);
  auto run = [&](int64_t begin, int64_t end, int worker) {
    CurrentRun worksFor(&context->stop);
    if (tenon_stopped())
      return;
    int64_t start = trace::now();
    kernel(buffers, begin, end, context->scratch + size_t(worker) * context->scratchStride);
    traceShare(context, call, group, start);
  };
  if (sharing != TENON_ALONE)
    runTasks(context, kernel, extent, run, sharing == TENON_LONG);
  else
    run(0, extent, 0);
}

extern "C" void tenon_call_kernel(TenonContext *context, int32_t call, TenonKernel kernel, void *const *buffers,
                                  int64_t extent, int32_t sharing) {
  if (context->isStopped())
    return;
  if (context->trace)
    tracedKernel(context, call, kernel, buffers, extent, sharing);
  else if (sharing != TENON_ALONE)
    tenon_parallel_for(context, kernel, buffers, extent, sharing == TENON_LONG);
  else
    kernel(buffers, 0, extent, context->scratch);
}

static void *bufferAt(int64_t place, void *const *bases) {
  int64_t base = place & 7, index = place >> 3;
  if (base == TENON_ARENA)
    return static_cast<char *>(bases[base]) + index;
  return static_cast<void *const *>(bases[base])[index];
}

// Calls whose tasks are numbered one call after the other. `buffers` holds those of all calls in the same order.
static void callTogether(TenonContext *context, std::span<const TenonKernelCall> calls, void *const *buffers) {
  int64_t tasks = 0;
  for (const TenonKernelCall &call : calls)
    tasks += call.extent;
  uint64_t group = context->trace ? context->session()->newGroups(calls.size()) : 0;
  auto run = [=](int64_t begin, int64_t end, int worker) {
    CurrentRun worksFor(&context->stop);
    void *scratch = context->scratch + size_t(worker) * context->scratchStride;
    void *const *own = buffers;
    for (size_t i = 0; i < calls.size() && end > 0; ++i) {
      const TenonKernelCall &call = calls[i];
      if (begin < call.extent) {
        if (tenon_stopped())
          return;
        int64_t start = context->trace ? trace::now() : 0;
        call.kernel(own, std::max<int64_t>(begin, 0), std::min(end, call.extent), scratch);
        if (context->trace)
          traceShare(context, call.call, group + i, start);
      }
      begin -= call.extent;
      end -= call.extent;
      own += call.places;
    }
  };
  runTasks(context, calls.front().kernel, tasks, run, calls.front().sharing == TENON_LONG);
}

static void callAlone(TenonContext *context, const TenonKernelCall &call, void *const *buffers) {
  tenon_call_kernel(context, call.call, call.kernel, buffers, call.extent, call.sharing);
}

extern "C" void tenon_call_kernels(TenonContext *context, const TenonKernelCall *calls, int64_t count,
                                   const int64_t *places, void *const *bases, void **buffers) {
  for (const TenonKernelCall &call : std::span(calls, size_t(count))) {
    for (int32_t i = 0; i < call.places; ++i)
      buffers[i] = bufferAt(*places++, bases);
    callAlone(context, call, buffers);
  }
}

extern "C" void tenon_call_kernels_together(TenonContext *context, const TenonKernelCall *calls, int64_t count,
                                            const int64_t *places, void *const *bases, void **buffers) {
  std::span<const TenonKernelCall> rest(calls, size_t(count));
  while (!rest.empty()) {
    std::span<const TenonKernelCall> next = rest.first(size_t(rest.front().together));
    int64_t filled = 0;
    for (const TenonKernelCall &call : next)
      for (int32_t i = 0; i < call.places; ++i)
        buffers[filled++] = bufferAt(*places++, bases);
    if (next.size() == 1)
      callAlone(context, next.front(), buffers);
    else if (!context->isStopped())
      callTogether(context, next, buffers);
    rest = rest.subspan(next.size());
  }
}

extern "C" void *tenon_scratch(TenonContext *context) { return context->scratch; }

extern "C" int32_t tenon_runtime_call(TenonContext *context, int32_t runtimeCall, void *const *operands,
                                      void *const *results) {
  return tenon_runtime_call_with(context, runtimeCall, operands, results, nullptr, 0);
}

extern "C" int32_t tenon_runtime_call_with(TenonContext *context, int32_t runtimeCall, void *const *operands,
                                           void *const *results, TenonKernel kernel, int64_t extent) {
  // A stopped run makes no runtime call: its operands may be unfinished, and side effects are visible outside.
  if (context->isStopped())
    return 1;
  if (runtimeCall < 0 || size_t(runtimeCall) >= context->instances.size()) {
    context->fail(
        internalError("generated code calls runtime call " + std::to_string(runtimeCall) + ", which does not exist"));
    return 1;
  }
  const program::RuntimeCall &description = context->runtimeCalls[size_t(runtimeCall)];
  CallBuffers call{std::span(operands, description.operands.size()),
                   std::span(results, description.results.size()),
                   context->options,
                   context->pool,
                   {kernel, extent}};
  int64_t start = context->trace ? trace::now() : 0;
  Status status = makeCall(*context->instances[size_t(runtimeCall)], description, call);
  if (context->trace)
    context->session()->record(context->labels->runtimeCall(runtimeCall), start, trace::now());
  if (status.ok())
    return 0;
  context->fail(std::move(status));
  return 1;
}

extern "C" void tenon_fail(TenonContext *context, const char *message) {
  context->fail(failedPrecondition(message ? message : "the program failed"));
}
