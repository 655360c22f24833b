// Work that generated code leaves to others: custom calls and library routines.
//
// A program names its runtime calls (program::RuntimeCall); loading it turns each into a RuntimeCallInstance through
// the registry here. So what is missing is known, with the place in the user's source, before anything runs.
#pragma once

#include "tenon/program/program.h"
#include "tenon/runtime/core/abi.h"
#include "tenon/runtime/core/wait.h"
#include "tenon/status.h"

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tenon::runtime {

class BackgroundCalls;
class Channels;
class DeviceStreams;
class HostTransfers;
class Rendezvous;
class ThreadPool;

// What the caller of a program says about one run. Runtime calls see it.
struct RunOptions {
  int64_t runId = 0;
  int32_t deviceOrdinal = 0;
  int32_t replicaId = 0, partitionId = 0;
  uint64_t seed = 0; // of the program's random numbers
  // Opaque pointers by type id, from the framework (XLA_FFI_ExecutionContext_Get); outlives the run.
  const std::unordered_map<int64_t, void *> *userData = nullptr;
  // Null: the process's pool.
  ThreadPool *pool = nullptr;
  // How long the run may wait for its infeed and the like.
  Wait wait;
  // The grid that replicaId and partitionId are places in.
  int32_t numReplicas = 1, numPartitions = 1;
  // The number of this place.
  int64_t process() const { return int64_t(replicaId) * numPartitions + partitionId; }
  // The place where the processes of the grid meet in collectives. Null if the grid is one process.
  Rendezvous *rendezvous = nullptr;
  // Whether no process of the grid reads what is in the memory of results that they have together
  // (program::kProgramResults), so that each may write its part before the others have come to the collective.
  bool sharedResultsAreFree = false;
  // Where runtime calls go on beside the run, which makes it (background_calls.h). Null: nowhere.
  BackgroundCalls *background = nullptr;
  // The other ends of infeed, outfeed, send and recv (device_streams.h). Null: those of device `deviceOrdinal`, the
  // process's channels between devices, and, for host transfers, the channels of the streams.
  DeviceStreams *streams = nullptr;
  Channels *channels = nullptr;
  HostTransfers *hostTransfers = nullptr;
  // Given the bytes of each item that the run puts into a queue; the item keeps what it returns while it waits there.
  // Its error is that of the run. May be empty.
  std::function<StatusOr<std::shared_ptr<void>>(int64_t bytes)> account;
  // Called first on each thread that a runtime call starts for the run; may be empty.
  std::function<void()> enterThread;
};

// A computation that a routine applies to blocks of two arrays (tenon_runtime_call_with). May be null.
struct BlockKernel {
  TenonKernel kernel = nullptr;
  int64_t extent = 0;

  void operator()(const void *left, const void *right, void *result) const {
    void *const buffers[] = {const_cast<void *>(left), const_cast<void *>(right), result};
    kernel(buffers, 0, extent, nullptr);
  }
};

struct CallBuffers {
  std::span<void *const> operands;
  std::span<void *const> results;
  const RunOptions &options;
  ThreadPool &pool;
  BlockKernel computation = {};
};

// One runtime call of one loaded program. `call` may come from several threads at once, one for each run in flight.
class RuntimeCallInstance {
public:
  virtual ~RuntimeCallInstance() = default;
  virtual Status call(const CallBuffers &call) = 0;
  // A run ends before its program has: waits until others read nothing more of what it has shown them.
  virtual void endRun(const RunOptions &options) {}
};

using RuntimeCallFactory = std::function<StatusOr<std::unique_ptr<RuntimeCallInstance>>(const program::RuntimeCall &)>;

// Whom a custom call target serves: calls of any api_version, or those of the FFI only.
enum class CallInterface { kAny, kTyped };

// Custom calls find operands and results in the layouts that the runtime call names, and an aliased result at its
// operand's address with its contents.
//
// Registering a name again replaces the factory; programs already loaded keep the old one.
void registerCustomCall(std::string_view name, RuntimeCallFactory factory,
                        CallInterface interface = CallInterface::kAny);
// A plain C function (untyped_call.h), for calls of api_version 0 to 3; they look here first, and where nothing is
// registered for a symbol of that name in the process.
void registerUntypedCall(std::string_view name, void *function);
// A custom call that the runtime brings itself. It goes before one registered from outside under the same name, unless
// `isAvailable`, asked when a program is loaded, says no.
void registerBuiltInCustomCall(std::string_view name, RuntimeCallFactory factory, bool (*isAvailable)());
void registerLibrary(std::string_view name, RuntimeCallFactory factory);

// Whether untyped calls of names that nobody has registered go to symbols of the process. They do, unless programs come
// from people who may not call what they like.
void allowProcessSymbols(bool allow);

bool hasCustomCall(std::string_view name);
bool isBuiltInCustomCall(std::string_view name);
std::vector<std::string> customCallNames(); // of all kinds, sorted

// NOT_FOUND, naming target and location, if nothing is registered for it.
StatusOr<std::unique_ptr<RuntimeCallInstance>> instantiateRuntimeCall(const program::RuntimeCall &runtimeCall);

// Makes the call. Exceptions become errors, and these name the call and the location of the op, which is what a user
// can act on.
Status makeCall(RuntimeCallInstance &instance, const program::RuntimeCall &runtimeCall, const CallBuffers &call);

// An instance that calls a function; for runtime calls without state.
std::unique_ptr<RuntimeCallInstance> makeRuntimeCall(std::function<Status(const CallBuffers &)> function);

} // namespace tenon::runtime
