#include "tenon/backend/partition_news.h"

#include "tenon/compiler/partition_report.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>

namespace tenon::backend {

Status tellOfPartition(const passes::PartitionReport &report) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  static std::set<std::string> said;
  for (const std::string &warning : compiler::partitionWarnings(report))
    if (said.insert(warning).second)
      std::fprintf(stderr, "tenon: warning: %s\n", warning.c_str());
  static const char *path = std::getenv("TENON_PARTITION_REPORT");
  if (!path || !compiler::isCut(report))
    return {};
  std::ofstream file(path, std::ios::app | std::ios::binary);
  file << compiler::partitionReportJson(report, /*indent=*/-1) << std::flush;
  return file ? Status()
              : Status(StatusCode::kUnavailable, "TENON_PARTITION_REPORT: cannot write to " + std::string(path));
}

} // namespace tenon::backend
