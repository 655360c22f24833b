#include "tenon/profile/json.h"

namespace tenon::profile {

using nlohmann::ordered_json;

namespace {

ordered_json machineJson(const xla::MachineLimits &machine) {
  ordered_json json = {
      {"threads", machine.threads}, {"bandwidths", ordered_json::array()}, {"throughputs", ordered_json::array()}};
  for (const auto &bandwidth : machine.bandwidths)
    json["bandwidths"].push_back({{"working_set", bandwidth.working_set},
                                  {"one_thread", bandwidth.one_thread},
                                  {"all_threads", bandwidth.all_threads}});
  for (const auto &throughput : machine.throughputs)
    json["throughputs"].push_back(
        {{"type", throughput.type}, {"one_thread", throughput.one_thread}, {"all_threads", throughput.all_threads}});
  return json;
}

ordered_json kernelJson(const xla::KernelProfile &kernel, int threads) {
  ordered_json json = {{"program", kernel.program},
                       {"name", kernel.name},
                       {"kind", kernel.kind},
                       {"ops", kernel.ops},
                       {"op_name", kernel.op_name},
                       {"source", kernel.source},
                       {"other_sources", kernel.other_sources},
                       {"flops", kernel.flops},
                       {"bytes_accessed", kernel.bytes_accessed},
                       {"transcendentals", kernel.transcendentals},
                       {"arithmetic", kernel.arithmetic},
                       {"calls", kernel.calls},
                       {"total_ns", kernel.total.count()},
                       {"shortest_ns", kernel.shortest.count()},
                       {"busy_ns", kernel.busy.count()},
                       {"threads", kernel.threads},
                       {"bytes_per_second", kernel.BytesPerSecond()},
                       {"flops_per_second", kernel.FlopsPerSecond()}};
  json["waiting"] = kernel.threads > 0 ? ordered_json(kernel.Waiting(threads)) : ordered_json();
  bool isKnown = kernel.limit.count() > 0;
  json["limit_ns"] = isKnown ? ordered_json(kernel.limit.count()) : ordered_json();
  json["bound_by"] = isKnown ? ordered_json(kernel.is_bound_by_memory ? "memory" : "arithmetic") : ordered_json();
  json["share_of_limit"] = isKnown ? ordered_json(kernel.ShareOfLimit()) : ordered_json();
  return json;
}

} // namespace

ordered_json profileJson(const xla::Profile &profile) {
  ordered_json json = {{"machine", machineJson(profile.machine)},
                       {"runs", profile.runs},
                       {"run_ns", profile.run_time.count()},
                       {"between_ns", profile.between.count()},
                       {"waiting", profile.waiting},
                       {"dropped_events", profile.dropped_events},
                       {"kernels", ordered_json::array()}};
  for (const xla::KernelProfile &kernel : profile.kernels)
    json["kernels"].push_back(kernelJson(kernel, profile.machine.threads));
  return json;
}

std::string dump(const ordered_json &json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false, ordered_json::error_handler_t::replace);
}

} // namespace tenon::profile

std::string xla::Profile::ToJson() const { return tenon::profile::dump(tenon::profile::profileJson(*this), 2) + "\n"; }
