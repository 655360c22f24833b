// The OS processes that a client's devices are spread over.
#pragma once

#include "tenon/pjrt/executable.h"
#include "tenon/runtime/collectives/other_processes.h"

#include <memory>

namespace tenon::pjrt {

// Which of the framework's processes this is.
struct ProcessPlace {
  int self = 0, count = 1;
};

// Starts together with the others: those that the framework counts, which find each other by its keys, or else those
// that the environment names (docs/processes.md). Null where this process is alone. `devices`: how many it has.
StatusOr<std::unique_ptr<runtime::Processes>> startProcesses(const PJRT_Client_Create_Args &args,
                                                             const Platform &platform, ProcessPlace place, int devices);

// The launches over several processes that are not over, for others to know what devices here wait for.
class LaunchRegistry {
public:
  struct Launch {
    std::weak_ptr<runtime::Rendezvous> rendezvous;
    runtime::OtherProcesses::Launch launch;
  };
  void add(Launch launch);
  // The meetings that devices here wait in for others of this process.
  std::vector<runtime::OpenMeeting> meetings();

private:
  std::mutex mutex_;
  std::vector<Launch> launches_;
};

// Where the runs of one launch meet, if they are the processes of the program's grid. Those in other
// OS processes come to it by the client's connections.
std::shared_ptr<runtime::Rendezvous> makeRendezvous(const PJRT_LoadedExecutable &executable, int64_t launchId);

// Says to the other processes that the client compiles, as long as it lives.
class CompilingActivity {
public:
  explicit CompilingActivity(PJRT_Client &client);
  ~CompilingActivity();
  CompilingActivity(const CompilingActivity &) = delete;
  CompilingActivity &operator=(const CompilingActivity &) = delete;

private:
  PJRT_Client &client_;
};

} // namespace tenon::pjrt
