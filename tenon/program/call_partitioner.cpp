#include "tenon/program/call_partitioner.h"

#include <map>
#include <mutex>

namespace tenon::program {
namespace {

struct Partitioners {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const CallPartitioner>, std::less<>> byTarget;
};

// Never destroyed: what a framework has registered may be gone when the process ends.
Partitioners &partitioners() {
  static auto *all = new Partitioners;
  return *all;
}

} // namespace

void registerCallPartitioner(std::string target, std::shared_ptr<const CallPartitioner> partitioner) {
  std::lock_guard lock(partitioners().mutex);
  partitioners().byTarget.insert_or_assign(std::move(target), std::move(partitioner));
}

std::shared_ptr<const CallPartitioner> findCallPartitioner(std::string_view target) {
  std::lock_guard lock(partitioners().mutex);
  auto found = partitioners().byTarget.find(target);
  return found == partitioners().byTarget.end() ? nullptr : found->second;
}

} // namespace tenon::program
