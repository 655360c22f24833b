// The events in Chrome's trace format, which Perfetto reads.
#include "tenon/profile/json.h"

#include <algorithm>
#include <limits>

using nlohmann::ordered_json;

namespace {

// Microseconds since the first event: what the format counts in, and few enough digits for a double.
double microseconds(std::chrono::nanoseconds time) { return static_cast<double>(time.count()) / 1e3; }

ordered_json argumentsOf(const xla::KernelProfile &kernel) {
  ordered_json json = {{"kernel", kernel.name},
                       {"kind", kernel.kind},
                       {"op_name", kernel.op_name},
                       {"source", kernel.source},
                       {"ops", kernel.ops},
                       {"flops", kernel.flops},
                       {"bytes_accessed", kernel.bytes_accessed}};
  if (kernel.limit.count() > 0)
    json["share_of_limit"] = kernel.ShareOfLimit();
  return json;
}

} // namespace

std::string xla::Profile::ToTrace() const {
  std::chrono::nanoseconds start = std::chrono::nanoseconds::max();
  for (const ProfileThread &thread : threads)
    for (const ProfileEvent &event : thread.events)
      start = std::min(start, event.begin);
  // What the events of a kernel share is made once: there may be millions.
  std::vector<std::string> arguments;
  for (const KernelProfile &kernel : kernels)
    arguments.push_back(",\"cat\":\"kernel\",\"args\":" + tenon::profile::dump(argumentsOf(kernel), -1));
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  const char *separator = "\n";
  for (const ProfileThread &thread : threads) {
    ordered_json name = {
        {"ph", "M"}, {"pid", 1}, {"tid", thread.id}, {"name", "thread_name"}, {"args", {{"name", thread.name}}}};
    text += separator + tenon::profile::dump(name, -1);
    separator = ",\n";
    for (const ProfileEvent &event : thread.events) {
      ordered_json head = {{"ph", "X"},
                           {"pid", 1},
                           {"tid", thread.id},
                           {"name", event.name},
                           {"ts", microseconds(event.begin - start)},
                           {"dur", microseconds(event.end - event.begin)}};
      std::string one = tenon::profile::dump(head, -1);
      one.pop_back();
      text += separator + one + (event.kernel >= 0 ? arguments[static_cast<size_t>(event.kernel)] : "") + "}";
    }
  }
  return text + "\n]}\n";
}
