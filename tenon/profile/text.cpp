// A profile as a table, and the numbers in it.
#include "tenon/profile/text.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace tenon::profile {

std::string scaled(double value, std::string_view unit) {
  static constexpr std::array<const char *, 5> kPrefixes = {"", "k", "M", "G", "T"};
  size_t prefix = 0;
  for (; value >= 1000 && prefix + 1 < kPrefixes.size(); ++prefix)
    value /= 1000;
  char text[48];
  std::snprintf(text, sizeof text, prefix == 0 && value == static_cast<int64_t>(value) ? "%.0f" : "%.3g", value);
  return std::string(text) + " " + kPrefixes[prefix] + std::string(unit);
}

std::string duration(std::chrono::duration<double, std::nano> time) {
  static constexpr std::array<const char *, 4> kUnits = {"ns", "us", "ms", "s"};
  double value = time.count();
  size_t unit = 0;
  for (; value >= 1000 && unit + 1 < kUnits.size(); ++unit)
    value /= 1000;
  char text[48];
  std::snprintf(text, sizeof text, "%.*f %s", value >= 100 ? 0 : value >= 10 ? 1 : 2, value, kUnits[unit]);
  return text;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %%", share >= 0.0995 || share == 0 ? 0 : 1, 100 * share);
  return text;
}

std::string shortSource(std::string_view source) { return std::string(source.substr(source.rfind('/') + 1)); }

namespace {

using xla::KernelProfile;
using xla::Profile;

// Rows of cells in columns as wide as their widest one; all but the last `leftColumns` end flush.
std::string table(const std::vector<std::vector<std::string>> &rows, size_t leftColumns) {
  std::vector<size_t> widths(rows.front().size());
  for (const std::vector<std::string> &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const std::vector<std::string> &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      std::string gap(widths[i] - row[i].size(), ' ');
      line += (i ? "  " : "") + (i + leftColumns < row.size() ? gap + row[i] : row[i] + gap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string machineText(const xla::MachineLimits &machine) {
  std::string text = "limits of the machine, " + std::to_string(machine.threads) +
                     (machine.threads == 1 ? " thread:" : " threads (one alone):");
  auto add = [&](double all, double one, std::string_view unit, const std::string &what) {
    text += "\n  " + scaled(all, unit) + (machine.threads == 1 ? "" : " (" + scaled(one, unit) + ")") + " " + what;
  };
  for (const auto &throughput : machine.throughputs)
    add(throughput.all_threads, throughput.one_thread, "FLOP/s", "of " + throughput.type);
  for (const auto &bandwidth : machine.bandwidths)
    add(bandwidth.all_threads, bandwidth.one_thread, "B/s",
        "from " + std::to_string(bandwidth.working_set >> 10) + " KiB");
  return text + "\n";
}

std::vector<std::string> cells(const KernelProfile &kernel, const Profile &profile) {
  double share = profile.run_time.count() > 0
                     ? static_cast<double>(kernel.total.count()) / static_cast<double>(profile.run_time.count())
                     : 0;
  bool isKnown = kernel.limit.count() > 0;
  return {percent(share),
          duration(kernel.total),
          std::to_string(kernel.calls),
          duration(kernel.total / std::max<std::int64_t>(kernel.calls, 1)),
          kernel.bytes_accessed > 0 ? scaled(kernel.BytesPerSecond(), "B/s") : "-",
          kernel.flops > 0 ? scaled(kernel.FlopsPerSecond(), "FLOP/s") : "-",
          isKnown ? percent(kernel.ShareOfLimit()) + (kernel.is_bound_by_memory ? " mem" : " " + kernel.arithmetic)
                  : "-",
          kernel.threads > 0 ? percent(kernel.Waiting(profile.machine.threads)) : "-",
          kernel.name,
          shortSource(kernel.source)};
}

} // namespace
} // namespace tenon::profile

namespace tenon::xla_2017 {

using namespace tenon::profile;

std::string Profile::ToText() const {
  std::string text = std::to_string(runs) + (runs == 1 ? " run, " : " runs, ") + duration(run_time) +
                     (runs > 1 ? ", " + duration(run_time / runs) + " each" : "") + "; between kernels " +
                     duration(between) + "; threads wait " + percent(waiting) + " of the time\n\n";
  std::vector<std::vector<std::string>> rows = {
      {"time", "total", "calls", "each", "moved", "computed", "of limit", "waiting", "kernel", "source"}};
  for (const KernelProfile &kernel : kernels)
    rows.push_back(cells(kernel, *this));
  text += table(rows, 2) + "\n" + machineText(machine);
  if (dropped_events > 0)
    text += "\n" + std::to_string(dropped_events) + " events more than a thread may record are left out\n";
  return text;
}

} // namespace tenon::xla_2017
