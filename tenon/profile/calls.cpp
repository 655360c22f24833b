#include "tenon/profile/calls.h"

#include <algorithm>
#include <unordered_set>

namespace tenon::profile {
namespace {

using Kind = trace::Label::Kind;

void addTo(Call &call, const trace::Event &event) {
  bool isFirst = !call.label;
  call.label = event.label;
  call.begin = isFirst ? event.begin : std::min(call.begin, event.begin);
  call.end = isFirst ? event.end : std::max(call.end, event.end);
  call.busy += event.end - event.begin;
  call.bytesCopied = event.bytes;
}

bool isWhole(const Call &call) { return call.label->detail<int64_t>("phases", 1) == 1 && call.end > call.begin; }

double perSecond(const Call &call, const char *detail) {
  if (!isWhole(call))
    return 0;
  return call.label->detail<double>(detail) * 1e9 / double(call.end - call.begin);
}

} // namespace

std::unordered_map<uint64_t, Call> kernelCalls(const std::vector<trace::ThreadEvents> &threads) {
  std::unordered_map<uint64_t, Call> calls;
  for (const trace::ThreadEvents &thread : threads) {
    std::unordered_set<uint64_t> groups; // of calls that were made together, a thread may have several events each
    for (const trace::Event &event : thread.events)
      if (event.label->kind == Kind::kKernel) {
        Call &call = calls[event.group];
        addTo(call, event);
        call.threads += groups.insert(event.group).second;
      }
  }
  return calls;
}

std::vector<Call> allCalls(const std::vector<trace::ThreadEvents> &threads) {
  std::vector<Call> calls;
  for (auto &[group, call] : kernelCalls(threads))
    calls.push_back(call);
  for (const trace::ThreadEvents &thread : threads)
    for (const trace::Event &event : thread.events)
      if (event.label->kind == Kind::kRuntimeCall) {
        Call &call = calls.emplace_back();
        addTo(call, event);
        call.busy = 0;
      }
  std::ranges::sort(calls, {}, &Call::begin);
  return calls;
}

Limit limitOf(double flops, double bytes, const std::string &arithmetic, const xla::MachineLimits &machine) {
  double bandwidth = machine.BandwidthOf(bytes);
  double throughput = flops > 0 ? machine.ThroughputOf(arithmetic) : 0;
  double moving = bandwidth > 0 ? bytes / bandwidth : 0;
  double computing = throughput > 0 ? flops / throughput : 0;
  return {1e9 * std::max(moving, computing), moving >= computing};
}

double shareOfLimit(const Call &call, const xla::MachineLimits &machine) {
  if (!isWhole(call))
    return 0;
  Limit limit = limitOf(call.label->detail<double>("flops"), call.label->detail<double>("bytes_accessed"),
                        call.label->detail<std::string>("arithmetic"), machine);
  return limit.nanoseconds / double(call.end - call.begin);
}

double flopsPerSecond(const Call &call) { return perSecond(call, "flops"); }
double bytesPerSecond(const Call &call) { return perSecond(call, "bytes_accessed"); }

} // namespace tenon::profile
