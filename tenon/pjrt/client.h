// PJRT_Client, PJRT_Device, PJRT_Memory and the topology: who there is.
//
// One device is one place of the grid that a program runs on: it has an order of its own in which programs run, and
// shares the processor's cores and memory with the others. TENON_NUM_DEVICES says how many there are. A client knows
// those of the other OS processes of its job, too: their numbers follow one another in the order of the processes.
#pragma once

#include "tenon/pjrt/failure_news.h"
#include "tenon/pjrt/platform.h"
#include "tenon/pjrt/work_queue.h"
#include "tenon/runtime/control/processes.h"

#include "xla/pjrt/c/pjrt_c_api.h"

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

struct PJRT_DeviceDescription {
  // The device of this number, as JAX prints it.
  PJRT_DeviceDescription(const tenon::pjrt::Platform &platform, int id);

  const tenon::pjrt::Platform *platform;
  int id = 0;
  int processIndex = 0;
  std::string debugString, toString;
};

namespace tenon::pjrt {

class LaunchRegistry;
class ProcessCopies;

enum class MemoryKind : int { kDevice, kPinnedHost, kUnpinnedHost };
inline constexpr int kNumMemoryKinds = 3;
const char *memoryKindName(MemoryKind kind);

// Values the framework attaches to a memory by key.
class UserData {
public:
  ~UserData();
  void *get(const void *key);
  void set(const void *key, void *data, void (*destroy)(void *));

private:
  struct Entry {
    const void *key;
    void *data;
    void (*destroy)(void *);
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

struct Memory : PJRT_Memory {
  Memory();
  int id = 0;
  MemoryKind kind = MemoryKind::kDevice;
  PJRT_Device *device = nullptr;
  std::string debugString, toString;
  UserData userData;
};

inline Memory *asMemory(PJRT_Memory *memory) { return static_cast<Memory *>(memory); }

} // namespace tenon::pjrt

struct PJRT_Device {
  PJRT_Device(const tenon::pjrt::Platform &platform, int id) : description(platform, id) {}

  PJRT_Client *client = nullptr;
  PJRT_DeviceDescription description;
  tenon::runtime::Device *gpu = nullptr; // whose memory its arrays are in; null: the host's
  std::array<tenon::pjrt::Memory, tenon::pjrt::kNumMemoryKinds> memories;
  std::array<PJRT_Memory *, tenon::pjrt::kNumMemoryKinds> memoryPointers;
  tenon::pjrt::WorkQueue completions; // of runs that are in the device's stream; after the queue of runs
  tenon::pjrt::WorkQueue queue;
  int localId = 0; // its number among those of this process; -1: it is another's, and nothing here can reach it

  bool isHere() const { return localId >= 0; }
  // By which runs know it (RunOptions::deviceOrdinal): a GPU by its number in this process.
  int ordinal() const { return gpu ? localId : description.id; }
  PJRT_Memory *defaultMemory() { return memoryPointers[0]; }
};

struct PJRT_TopologyDescription {
  const tenon::pjrt::Platform *platform = nullptr;
  std::deque<PJRT_DeviceDescription> descriptions; // empty for a client's: those of its devices are used
  std::vector<PJRT_DeviceDescription *> pointers;
};

struct PJRT_Client {
  const tenon::pjrt::Platform *platform = nullptr;
  // That of the platform, and how the devices are spread over processes, by which their programs are compiled.
  std::string version;
  // For programs over several processes, which ask for it.
  std::shared_ptr<tenon::pjrt::LaunchRegistry> launches;
  // Null where this process is alone. Programs that run use it, so it ends after the devices.
  std::unique_ptr<tenon::runtime::Processes> processes;
  std::optional<tenon::pjrt::FailureNews::Source> failure; // of `processes`
  std::deque<PJRT_Device> devices;                         // of all processes, by id
  std::vector<PJRT_Device *> devicePointers;               // to all
  std::vector<PJRT_Device *> localDevices;                 // to this process's
  std::vector<PJRT_Memory *> memoryPointers;
  PJRT_TopologyDescription topology;
  std::atomic<int64_t> nextRunId{1};
  // Held while one launch is put into several devices' queues: all queues see launches in the same order.
  std::mutex launchMutex;
  // Ends the waiting of programs, for infeed and the like, when the client goes.
  std::stop_source stop;
  // Between devices of this and of other processes; null where this process is alone.
  std::shared_ptr<tenon::pjrt::ProcessCopies> copies;
  ~PJRT_Client() {
    stop.request_stop();
    if (processes)
      processes->endRuns();
  }

  int processIndex() const { return processes ? processes->self() : 0; }
  PJRT_Device *lookup(int id) { return id >= 0 && id < static_cast<int>(devices.size()) ? &devices[id] : nullptr; }
};

namespace tenon::pjrt {

// Called whenever a client has been made.
void setClientHook(void (*hook)());

// Where arrays of this memory are; null: in the host's.
runtime::Device *deviceOf(PJRT_Memory *memory);
// "device 5, which process 1 (host, pid 71) has".
std::string remoteName(const PJRT_Device &device);
// The memory that a call names: `memory`, or else the default memory of `device`, which must be of this process.
StatusOr<PJRT_Memory *> chooseMemory(PJRT_Client *client, PJRT_Memory *memory, PJRT_Device *device);

void fillClientSlots(PJRT_Api &api);
void fillDeviceSlots(PJRT_Api &api);
void fillTopologySlots(PJRT_Api &api);

} // namespace tenon::pjrt
