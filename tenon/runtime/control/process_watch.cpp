#include "tenon/runtime/control/process_watch.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::runtime {
namespace {

namespace fs = std::filesystem;

// What proc(5) calls stat, of a process (its first thread) or of a thread.
struct ThreadState {
  bool isEnding = false;
  uint64_t started = 0;
};

// Nothing: there is no such thread.
std::optional<ThreadState> readState(const std::string &folder) {
  constexpr uint64_t kExiting = 4; // the kernel's PF_EXITING
  std::string line;
  if (!std::getline(std::ifstream(folder + "/stat"), line))
    return std::nullopt;
  // The second field is the program's name in parentheses, which may have any characters.
  size_t name = line.rfind(')');
  if (name == std::string::npos)
    return std::nullopt;
  std::istringstream fields(line.substr(name + 1));
  char state = 0;
  int64_t skipped = 0;
  uint64_t flags = 0;
  ThreadState result;
  fields >> state;
  for (int field = 4; field < 9; ++field)
    fields >> skipped;
  fields >> flags;
  for (int field = 10; field < 22; ++field)
    fields >> skipped;
  if (!(fields >> result.started))
    return std::nullopt;
  result.isEnding = state == 'Z' || state == 'X' || (flags & kExiting) != 0;
  return result;
}

uint64_t ownNamespace() {
  struct stat status{};
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

std::string folderOf(int64_t pid) { return "/proc/" + std::to_string(pid); }

} // namespace

ProcessIdentity ownIdentity() {
  ProcessIdentity identity{.pid = getpid(), .namespaceId = ownNamespace()};
  // A /proc of another namespace has other numbers.
  std::error_code error;
  std::optional<ThreadState> state = readState("/proc/self");
  if (state && fs::read_symlink("/proc/self", error) == std::to_string(identity.pid))
    identity.started = state->started;
  return identity;
}

ProcessWatch::ProcessWatch(const ProcessIdentity &process) : process_(process) {
  ProcessIdentity own = ownIdentity();
  if (!own.started || !process.started || own.namespaceId != process.namespaceId)
    return;
  // One that is not there may only be hidden.
  std::optional<ThreadState> state = readState(folderOf(process.pid));
  isPossible_ = state && state->started == process.started;
}

bool ProcessWatch::hasEnded() const {
  if (!isPossible_)
    return false;
  std::string folder = folderOf(process_.pid);
  std::optional<ThreadState> state = readState(folder);
  if (!state || state->started != process_.started)
    return true;
  if (!state->isEnding)
    return false;
  // The first thread may end before the others.
  std::error_code error;
  for (fs::directory_iterator thread(folder + "/task", error), end; !error && thread != end; thread.increment(error))
    if (std::optional<ThreadState> each = readState(thread->path()); each && !each->isEnding)
      return false;
  return true;
}

} // namespace tenon::runtime
