#include "tenon/server/metrics.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace tenon::server {

namespace {

int64_t residentBytes() {
  int64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

void describe(std::ostream &out, const std::string &name, const char *type, const char *help) {
  out << "# HELP " << name << " " << help << "\n# TYPE " << name << " " << type << "\n";
}

void counter(std::ostream &out, const std::string &name, const char *help, int64_t value) {
  describe(out, name, "counter", help);
  out << name << " " << value << "\n";
}

} // namespace

void Metrics::countCall(const std::string &method, StatusCode code, std::chrono::nanoseconds time) {
  double seconds = std::chrono::duration<double>(time).count();
  std::lock_guard lock(mutex_);
  ++calls_[{method, code}];
  Histogram &histogram = times_[method];
  ++histogram.buckets[static_cast<size_t>(std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin())];
  histogram.seconds += seconds;
  ++histogram.count;
}

std::string Metrics::text(const Gauges &gauges) const {
  std::ostringstream out;
  std::lock_guard lock(mutex_);
  describe(out, "tenon_calls_total", "counter", "Calls that have ended, by method and status.");
  for (const auto &[key, count] : calls_)
    out << "tenon_calls_total{method=\"" << key.first << "\",code=\"" << statusCodeName(key.second) << "\"} " << count
        << "\n";
  describe(out, "tenon_call_seconds", "histogram", "How long calls took.");
  for (const auto &[method, histogram] : times_) {
    int64_t sum = 0;
    for (size_t i = 0; i < kBounds.size(); ++i)
      out << "tenon_call_seconds_bucket{method=\"" << method << "\",le=\"" << kBounds[i] << "\"} "
          << (sum += histogram.buckets[i]) << "\n";
    out << "tenon_call_seconds_bucket{method=\"" << method << "\",le=\"+Inf\"} " << histogram.count << "\n"
        << "tenon_call_seconds_sum{method=\"" << method << "\"} " << histogram.seconds << "\n"
        << "tenon_call_seconds_count{method=\"" << method << "\"} " << histogram.count << "\n";
  }
  counter(out, "tenon_received_bytes_total", "Bytes of arrays and programs from clients.", receivedBytes);
  counter(out, "tenon_sent_bytes_total", "Bytes of arrays to clients.", sentBytes);
  counter(out, "tenon_sessions_total", "Sessions opened.", sessionsOpened);
  counter(out, "tenon_compile_workers_total", "Processes started to compile.", workersStarted);
  counter(out, "tenon_compile_workers_killed_total", "Of these, ended for their time or their client.", workersKilled);
  counter(out, "tenon_compile_workers_crashed_total", "Of these, ended by a crash.", workersCrashed);
  for (const auto &[name, value] : gauges) {
    out << "# TYPE tenon_" << name << " gauge\n";
    out << "tenon_" << name << " " << value << "\n";
  }
  describe(out, "process_resident_memory_bytes", "gauge", "Resident memory of the server.");
  out << "process_resident_memory_bytes " << residentBytes() << "\n";
  return out.str();
}

} // namespace tenon::server
