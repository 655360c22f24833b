#include "tenon/pjrt/xspace.h"

#include "tenon/profile/calls.h"
#include "tenon/support/proto.h"

#include <algorithm>
#include <unordered_map>

namespace tenon::pjrt {
namespace {

// JAX's profiler merges the plane of this name into its own of the host's threads, so that kernels show on the threads
// that run them, below the Python function that started them.
constexpr const char kPlaneName[] = "/host:TPU-runtime";

// Field numbers.
namespace xspace {
constexpr uint32_t kPlanes = 1;
}
namespace xplane {
constexpr uint32_t kName = 2, kLines = 3, kEventMetadata = 4, kStatMetadata = 5, kStats = 6;
}
namespace xline {
constexpr uint32_t kId = 1, kName = 2, kTimestampNs = 3, kEvents = 4;
}
namespace xevent {
constexpr uint32_t kMetadataId = 1, kOffsetPs = 2, kDurationPs = 3, kStats = 4;
}
namespace xstat {
constexpr uint32_t kMetadataId = 1, kDouble = 2, kInt64 = 4, kReference = 7;
}
namespace metadata { // of events and stats
constexpr uint32_t kId = 1, kName = 2;
}
namespace entry { // of a map
constexpr uint32_t kKey = 1, kValue = 2;
}

class PlaneWriter {
public:
  explicit PlaneWriter(const xla::MachineLimits &machine) : machine_(machine) {}

  std::string write(const std::vector<trace::ThreadEvents> &threads) {
    calls_ = profile::kernelCalls(threads);
    plane_.bytes(xplane::kName, kPlaneName);
    int64_t dropped = 0;
    for (const trace::ThreadEvents &thread : threads) {
      plane_.bytes(xplane::kLines, line(thread));
      dropped += thread.dropped;
    }
    if (dropped)
      plane_.bytes(xplane::kStats, stat("dropped_events", dropped));
    return plane_.take();
  }

private:
  // What the events of one label share.
  struct Described {
    int64_t id = 0;
    std::vector<std::string> stats;
  };

  std::string line(const trace::ThreadEvents &thread) {
    int64_t start = thread.events.empty() ? 0 : thread.events.front().begin;
    for (const trace::Event &event : thread.events)
      start = std::min(start, event.begin);
    ProtoWriter writer;
    writer.integer(xline::kId, thread.thread);
    writer.bytes(xline::kName, thread.name);
    writer.integer(xline::kTimestampNs, start);
    for (const trace::Event &event : thread.events)
      writer.bytes(xline::kEvents, this->event(event, start));
    return writer.take();
  }

  std::string event(const trace::Event &event, int64_t start) {
    ProtoWriter writer;
    const Described &described = describe(*event.label);
    writer.integer(xevent::kMetadataId, described.id);
    writer.integer(xevent::kOffsetPs, (event.begin - start) * 1000);
    writer.integer(xevent::kDurationPs, std::max<int64_t>(event.end - event.begin, 0) * 1000);
    for (const std::string &stat : described.stats)
      writer.bytes(xevent::kStats, stat);
    if (event.bytes >= 0)
      writer.bytes(xevent::kStats, stat("bytes", event.bytes));
    if (auto call = calls_.find(event.group); call != calls_.end() && event.label->kind == trace::Label::Kind::kKernel)
      writeRates(writer, call->second);
    return writer.take();
  }

  // The rates of the whole call, on whatever threads: an event is one thread's part of it.
  void writeRates(ProtoWriter &writer, const profile::Call &call) {
    auto write = [&](const char *name, double value) {
      if (value > 0)
        writer.bytes(xevent::kStats, stat(name, value));
    };
    write("bytes_per_second", profile::bytesPerSecond(call));
    write("flops_per_second", profile::flopsPerSecond(call));
    write("share_of_limit", profile::shareOfLimit(call, machine_));
  }

  std::string stat(const std::string &name, const std::variant<int64_t, double, std::string> &value) {
    ProtoWriter writer;
    writer.integer(xstat::kMetadataId, statMetadata(name));
    if (auto *integer = std::get_if<int64_t>(&value))
      writer.integer(xstat::kInt64, *integer);
    else if (auto *number = std::get_if<double>(&value))
      writer.number(xstat::kDouble, *number);
    else
      writer.integer(xstat::kReference, statMetadata(std::get<std::string>(value)));
    return writer.take();
  }

  // Readers look for details at each event, so each has them; texts are references to one copy.
  const Described &describe(const trace::Label &label) {
    auto [found, isNew] = described_.try_emplace(&label);
    Described &described = found->second;
    if (isNew) {
      described.id = static_cast<int64_t>(described_.size());
      for (const auto &[name, value] : label.details)
        described.stats.push_back(stat(name, value));
      ProtoWriter writer;
      writer.integer(metadata::kId, described.id);
      writer.bytes(metadata::kName, label.name);
      addEntry(xplane::kEventMetadata, described.id, writer.take());
    }
    return described;
  }

  int64_t statMetadata(const std::string &name) {
    auto [found, isNew] = statIds_.try_emplace(name, statIds_.size() + 1);
    if (isNew) {
      ProtoWriter writer;
      writer.integer(metadata::kId, found->second);
      writer.bytes(metadata::kName, name);
      addEntry(xplane::kStatMetadata, found->second, writer.take());
    }
    return found->second;
  }

  void addEntry(uint32_t map, int64_t key, const std::string &value) {
    ProtoWriter writer;
    writer.integer(entry::kKey, key);
    writer.bytes(entry::kValue, value);
    plane_.bytes(map, writer.take());
  }

  const xla::MachineLimits &machine_;
  std::unordered_map<uint64_t, profile::Call> calls_;
  ProtoWriter plane_;
  std::unordered_map<const trace::Label *, Described> described_;
  std::unordered_map<std::string, int64_t> statIds_;
};

} // namespace

std::string toXSpace(const std::vector<trace::ThreadEvents> &threads, const xla::MachineLimits &machine) {
  ProtoWriter writer;
  writer.bytes(xspace::kPlanes, PlaneWriter(machine).write(threads));
  return writer.take();
}

} // namespace tenon::pjrt
