#include "tenon/profile.h"
#include "tenon/capi/execution.h"

using namespace tenon::capi;
using tenon::Status;

struct tenon_profiler {
  std::unique_ptr<xla::Profiler> value;
};

struct tenon_profile {
  xla::Profile value;
};

tenon_status *tenon_profiler_start(tenon_profiler **profiler) {
  return guard({{profiler, "profiler"}}, [&]() -> Status {
    TENON_ASSIGN_OR_RETURN(auto started, xla::Profiler::Start());
    *profiler = new tenon_profiler{std::move(started)};
    return {};
  });
}

tenon_status *tenon_profiler_stop(tenon_profiler *profiler, tenon_profile **profile) {
  return guard({{profiler, "profiler"}, {profile, "profile"}}, [&]() -> Status {
    *profile = new tenon_profile{profiler->value->Stop()};
    return {};
  });
}

void tenon_profiler_destroy(tenon_profiler *profiler) { delete profiler; }

void tenon_profile_destroy(tenon_profile *profile) { delete profile; }

tenon_status *tenon_profile_get_figures(const tenon_profile *profile, tenon_profile_figures *figures) {
  return guard({{profile, "profile"}, {figures, "figures"}}, [&] {
    const xla::Profile &known = profile->value;
    tenon_profile_figures filled{};
    filled.runs = known.runs;
    filled.run_ns = known.run_time.count();
    filled.between_ns = known.between.count();
    filled.waiting = known.waiting;
    filled.dropped_events = known.dropped_events;
    filled.threads = known.machine.threads;
    filled.kernels = known.kernels.size();
    return fill(filled, figures, "figures");
  });
}

tenon_status *tenon_profile_get_kernel(const tenon_profile *profile, size_t kernel, tenon_kernel_profile *info) {
  return guard({{profile, "profile"}, {info, "info"}}, [&]() -> Status {
    TENON_RETURN_IF_ERROR(checkIndex(kernel, profile->value.kernels.size(), "kernels"));
    const xla::KernelProfile &known = profile->value.kernels[kernel];
    tenon_kernel_profile filled{};
    filled.program = known.program.c_str();
    filled.name = known.name.c_str();
    filled.kind = known.kind.c_str();
    filled.ops = known.ops.c_str();
    filled.op_name = known.op_name.c_str();
    filled.source = known.source.c_str();
    filled.other_sources = known.other_sources.c_str();
    filled.arithmetic = known.arithmetic.c_str();
    filled.flops = known.flops;
    filled.bytes_accessed = known.bytes_accessed;
    filled.transcendentals = known.transcendentals;
    filled.calls = known.calls;
    filled.total_ns = known.total.count();
    filled.shortest_ns = known.shortest.count();
    filled.busy_ns = known.busy.count();
    filled.threads = known.threads;
    filled.bytes_per_second = known.BytesPerSecond();
    filled.flops_per_second = known.FlopsPerSecond();
    filled.limit_ns = known.limit.count();
    filled.share_of_limit = known.ShareOfLimit();
    filled.is_bound_by_memory = known.is_bound_by_memory;
    filled.waiting = known.Waiting(profile->value.machine.threads);
    return fill(filled, info, "info");
  });
}

tenon_status *tenon_profile_to_text(const tenon_profile *profile, tenon_profile_format format, char **text) {
  return guard({{profile, "profile"}, {text, "text"}}, [&]() -> Status {
    switch (format) {
    case TENON_PROFILE_TEXT:
      return giveText(profile->value.ToText(), text);
    case TENON_PROFILE_JSON:
      return giveText(profile->value.ToJson(), text);
    case TENON_PROFILE_HTML:
      return giveText(profile->value.ToHtml(), text);
    case TENON_PROFILE_TRACE:
      return giveText(profile->value.ToTrace(), text);
    }
    return tenon::invalidArgument("there is no form " + std::to_string(static_cast<int>(format)) + " of a profile");
  });
}
