// The job that the environment names.
#include "tenon/runtime/control/processes.h"

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace tenon::runtime {
namespace {

constexpr int64_t kMaxProcesses = 4096;
constexpr int64_t kMaxSeconds = 1'000'000;
constexpr size_t kMinTokenBytes = 16;

std::string variable(const char *name) {
  const char *text = std::getenv(name);
  return text ? text : "";
}

// Leaves `value` as it is where the variable is not set.
template <typename Integer> Status readInteger(const char *name, int64_t least, int64_t most, Integer &value) {
  std::string text = variable(name);
  if (text.empty())
    return {};
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most)
    return invalidArgument(std::string(name) + " is '" + text + "'; expected a number from " + std::to_string(least) +
                           " to " + std::to_string(most));
  value = static_cast<Integer>(number);
  return {};
}

Status readSeconds(const char *name, int64_t least, std::chrono::milliseconds &value) {
  int64_t seconds = value.count() / 1000;
  TENON_RETURN_IF_ERROR(readInteger(name, least, kMaxSeconds, seconds));
  value = std::chrono::seconds(seconds);
  return {};
}

// Where the launcher says which of how many processes this is.
struct Launcher {
  const char *name, *self, *count;
};
constexpr Launcher kLaunchers[] = {{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                   {"MPICH", "PMI_RANK", "PMI_SIZE"},
                                   {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

// Our own variables, and without them those of the first launcher that there is.
Status readPlace(int &self, int &count) {
  Launcher launcher{"Tenon", "TENON_PROCESS", "TENON_PROCESSES"};
  if (variable(launcher.self).empty() && variable(launcher.count).empty())
    for (const Launcher &each : kLaunchers)
      if (!variable(each.self).empty() && !variable(each.count).empty()) {
        launcher = each;
        break;
      }
  TENON_RETURN_IF_ERROR(readInteger(launcher.count, 1, kMaxProcesses, count));
  TENON_RETURN_IF_ERROR(readInteger(launcher.self, 0, kMaxProcesses - 1, self));
  if (count && self >= count)
    return invalidArgument(std::string(launcher.self) + " is " + std::to_string(self) + ", of " +
                           std::to_string(count) + " processes (" + launcher.count + ")");
  return {};
}

Status readPem(const char *name, std::string &text) {
  std::string path = variable(name);
  if (path.empty())
    return {};
  std::ifstream file(path);
  std::stringstream contents;
  contents << file.rdbuf();
  text = contents.str();
  if (!file || text.find("-----BEGIN ") == std::string::npos)
    return invalidArgument(std::string(name) + " names '" + path + "', which is no PEM file that can be read");
  return {};
}

Status readSecurity(ProcessesOptions &options) {
  NetworkSecurity &security = options.security;
  TENON_RETURN_IF_ERROR(readPem("TENON_TLS_CERTIFICATE", security.certificate));
  TENON_RETURN_IF_ERROR(readPem("TENON_TLS_KEY", security.privateKey));
  TENON_RETURN_IF_ERROR(readPem("TENON_TLS_AUTHORITIES", security.authorities));
  security.name = variable("TENON_TLS_NAME");
  bool hasAny = !security.certificate.empty() || !security.privateKey.empty() || !security.authorities.empty();
  if (hasAny && (security.certificate.empty() || security.privateKey.empty() || security.authorities.empty()))
    return invalidArgument("TENON_TLS_CERTIFICATE, TENON_TLS_KEY and TENON_TLS_AUTHORITIES belong together");
  int plain = 0;
  TENON_RETURN_IF_ERROR(readInteger("TENON_PLAIN_NETWORK", 0, 1, plain));
  options.mayBePlain = plain == 1;
  return {};
}

} // namespace

Status readEnvironment(ProcessesOptions &options) {
  TENON_RETURN_IF_ERROR(readSecurity(options));
  TENON_RETURN_IF_ERROR(readSeconds("TENON_START_TIMEOUT", 1, options.startTimeout));
  TENON_RETURN_IF_ERROR(readSeconds("TENON_PEER_TIMEOUT", 0, options.liveness.peerTimeout));
  TENON_RETURN_IF_ERROR(readSeconds("TENON_COLLECTIVE_TIMEOUT", 1, options.liveness.collectiveTimeout));
  options.address = variable("TENON_SOCKET_ADDRESS");
  options.mpiShim = variable("TENON_MPI_SHIM");
  TENON_RETURN_IF_ERROR(readInteger("TENON_SHARED_MEMORY", 0, 1, options.sharesMemory));
  options.coordinator = variable("TENON_COORDINATOR");
  if (options.coordinator.empty())
    return {};
  int count = 0, self = -1;
  TENON_RETURN_IF_ERROR(readPlace(self, count));
  if (count == 0 || self < 0)
    return invalidArgument(
        "TENON_COORDINATOR needs TENON_PROCESSES, their number, and TENON_PROCESS, which of them this "
        "is, from 0 on, or a launcher that says both (Open MPI, MPICH, Slurm)");
  options.count = count;
  options.self = self;
  options.jobToken = variable("TENON_JOB_TOKEN");
  if (options.jobToken.size() < kMinTokenBytes)
    return invalidArgument("TENON_COORDINATOR needs TENON_JOB_TOKEN, a secret of the job's processes of at least " +
                           std::to_string(kMinTokenBytes) + " characters");
  return {};
}

} // namespace tenon::runtime
