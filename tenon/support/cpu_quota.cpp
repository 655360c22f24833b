#include "tenon/support/cpu_quota.h"

#include "tenon/support/shown.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#include <unistd.h>
#endif

namespace tenon {
namespace {

bool readWords(const std::string &path, std::string &first, std::string &second) {
  std::ifstream file(path);
  if (!(file >> first))
    return false;
  if (!(file >> second))
    second.clear();
  return true;
}

int64_t toInteger(const std::string &text) {
  char *end = nullptr;
  int64_t value = std::strtoll(text.c_str(), &end, 10);
  return end == text.c_str() ? -1 : value;
}

// This process's group below the controller's root; version 2 has the one line "0::/path".
std::string groupPath(const std::string &controller) {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controller.empty() ? names == ",," : names.find("," + controller + ",") != std::string::npos)
      return line.substr(second + 1);
  }
  return "/";
}

// Visits the group's directory and all above it: a limit anywhere on the way counts. In a container the group's path
// may not exist below the mount; its root is visited in any case.
void visitGroups(const std::string &root, std::string path, const std::function<void(const std::string &)> &visit) {
  while (path.size() > 1) {
    visit(root + path);
    size_t slash = path.rfind('/');
    path = slash == std::string::npos ? "" : path.substr(0, slash);
  }
  visit(root);
}

double cpuQuota() {
  double limit = std::numeric_limits<double>::infinity();
  auto apply = [&](const std::string &quotaText, const std::string &periodText) {
    int64_t quota = toInteger(quotaText), period = toInteger(periodText);
    if (quota > 0 && period > 0)
      limit = std::min(limit, double(quota) / double(period));
  };
  visitGroups("/sys/fs/cgroup", groupPath(""), [&](const std::string &directory) {
    std::string quota, period;
    if (readWords(directory + "/cpu.max", quota, period))
      apply(quota, period);
  });
  visitGroups("/sys/fs/cgroup/cpu", groupPath("cpu"), [&](const std::string &directory) {
    std::string quota, period, rest;
    if (readWords(directory + "/cpu.cfs_quota_us", quota, rest) &&
        readWords(directory + "/cpu.cfs_period_us", period, rest))
      apply(quota, period);
  });
  return limit;
}

int affinityCount() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return CPU_COUNT(&set);
#endif
  return int(std::thread::hardware_concurrency());
}

} // namespace

TENON_SHOWN int usableCpus() {
  static const double quota = cpuQuota(); // files are read for it, and every product asks
  int cpus = std::max(1, affinityCount());
  if (quota < cpus)
    cpus = std::max(1, int(quota) + (quota > int(quota)));
  return cpus;
}

int64_t usableMemory() {
  int64_t bytes = 0;
#if defined(__linux__)
  bytes = int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
#endif
  auto limit = [&](const std::string &file) {
    return [&bytes, file](const std::string &directory) {
      std::string text, rest;
      if (readWords(directory + file, text, rest) && toInteger(text) > 0)
        bytes = bytes > 0 ? std::min(bytes, toInteger(text)) : toInteger(text);
    };
  };
  visitGroups("/sys/fs/cgroup", groupPath(""), limit("/memory.max"));
  visitGroups("/sys/fs/cgroup/memory", groupPath("memory"), limit("/memory.limit_in_bytes"));
  return bytes;
}

} // namespace tenon
