#include "tenon/profile/calls.h"

#include <algorithm>

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
  ++call.threads; // a thread has one event of a group
}

double perSecond(const Call &call, const char *detail) {
  if (call.label->detail<int64_t>("phases", 1) > 1 || call.end <= call.begin)
    return 0;
  return call.label->detail<double>(detail) * 1e9 / double(call.end - call.begin);
}

} // namespace

std::unordered_map<uint64_t, Call> kernelCalls(const std::vector<trace::ThreadEvents> &threads) {
  std::unordered_map<uint64_t, Call> calls;
  for (const trace::ThreadEvents &thread : threads)
    for (const trace::Event &event : thread.events)
      if (event.label->kind == Kind::kKernel)
        addTo(calls[event.group], event);
  return calls;
}

std::vector<Call> allCalls(const std::vector<trace::ThreadEvents> &threads) {
  std::vector<Call> calls;
  for (auto &[group, call] : kernelCalls(threads))
    calls.push_back(call);
  for (const trace::ThreadEvents &thread : threads)
    for (const trace::Event &event : thread.events)
      if (event.label->kind == Kind::kRuntimeCall)
        addTo(calls.emplace_back(), event);
  std::ranges::sort(calls, {}, &Call::begin);
  return calls;
}

double flopsPerSecond(const Call &call) { return perSecond(call, "flops"); }
double bytesPerSecond(const Call &call) { return perSecond(call, "bytes_accessed"); }

} // namespace tenon::profile
