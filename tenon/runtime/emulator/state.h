// What the driver's functions share (driver.cpp, graphs.cpp).
#pragma once

#include "tenon/runtime/emulator/driver.h"
#include "tenon/runtime/jit/linker.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tenon::runtime::cuda {

// A device's.
struct ContextHandle {
  int retained = 0;
};

// Where the work of a stream goes that is captured, and what the next of it depends on.
struct Capture {
  GraphHandle *graph = nullptr;
  std::vector<GraphNodeHandle *> last;
  bool isInvalid = false;
};

// Work in the order in which it is to be done.
struct StreamHandle {
  ContextHandle *context = nullptr;
  std::optional<Capture> capture;
  std::deque<std::function<Result()>> work;
  uint64_t done = 0; // how much has been

  uint64_t end() const { return done + work.size(); }
};

// Where in a stream it was recorded: done when so much work of it is.
struct EventHandle {
  ContextHandle *context = nullptr; // whose streams it may be recorded in
  StreamHandle *stream = nullptr;   // none yet: done
  uint64_t position = 0;
};

struct FunctionHandle {
  emulator::EmulatedKernel kernel;
  std::vector<uint32_t> parameterBytes;
  std::shared_ptr<LinkedCode> code;
  ContextHandle *context = nullptr;        // whose streams it may be started in
  int64_t sharedBytes = kPlainSharedBytes; // that a launch may ask for
  uint32_t clusterBlocks = 1;
};

struct ModuleHandle {
  std::shared_ptr<LinkedCode> code;
  std::map<std::string, std::unique_ptr<FunctionHandle>> functions;
  ContextHandle *context = nullptr;
};

} // namespace tenon::runtime::cuda

namespace tenon::runtime::emulator {

constexpr size_t kAlignment = 256;
// The shared memory that a block may have, as on sm_90.
constexpr int kMostSharedBytes = 227 << 10;
// The multiprocessors of an H100.
constexpr int kMultiprocessors = 132;

struct Freed {
  size_t bytes;
  const cuda::ContextHandle *owner; // null: the host's, which all devices see
  void operator()(char *memory) const { ::operator delete(memory, std::align_val_t(kAlignment)); }
};
using Allocation = std::unique_ptr<char, Freed>;

// All of it is under one mutex: this is for tests, and a kernel's blocks run side by side anyhow.
class State {
public:
  static State &instance();

  std::recursive_mutex mutex;
  bool isInitialized = false;
  std::deque<cuda::ContextHandle> contexts = std::deque<cuda::ContextHandle>(1); // one for each device
  cuda::ContextHandle *running = nullptr; // whose work is being done; null: none is
  std::map<cuda::DeviceAddress, Allocation> memory;
  std::set<cuda::StreamHandle *> streams;
  std::set<cuda::EventHandle *> events;
  std::set<cuda::ModuleHandle *> modules;
  ThreadOrder order = ThreadOrder::kForward;
  bool checksAccesses = false;
  int multiprocessors = kMultiprocessors;
  std::string failure;
  cuda::Result sticky = cuda::Result::kSuccess;
  GraphCounts counts;

  cuda::Result fail(cuda::Result result, const std::string &what);
  // The bytes, if they are all of one allocation, which is one of the device's (null: of any) or of the host's.
  char *find(cuda::DeviceAddress address, size_t bytes, const cuda::ContextHandle *context);
  // For the device whose work is being done.
  char *find(cuda::DeviceAddress address, size_t bytes);
  // Does what is enqueued, until so much of the stream is done. A stream that is gone has done all.
  cuda::Result drain(cuda::StreamHandle *stream, uint64_t position);
  cuda::Result drainAll();
};

// The context of the calling thread.
cuda::ContextHandle *currentContext();
bool isDevice(cuda::Device device);

// Every call that needs a context begins so.
cuda::Result checkContext(State &state);

#define TENON_ENTER(state)                                                                                             \
  State &state = State::instance();                                                                                    \
  std::lock_guard lock(state.mutex);                                                                                   \
  if (Result result = checkContext(state); result != Result::kSuccess)                                                 \
  return result

// Into the stream, or the graph that its work is captured for.
cuda::Result enqueue(State &state, cuda::StreamHandle *stream, std::function<cuda::Result()> work);
bool isStream(State &state, cuda::StreamHandle *stream);
// For what no graph may have, or what would wait for it: fails where the stream is captured, and with it the capture.
cuda::Result refuseCapture(State &state, cuda::StreamHandle *stream);

// The threads that a block may have, as on sm_90.
constexpr unsigned kMaxThreads = 1024;

// A launch with its parameters, checked.
struct PreparedLaunch {
  EmulatedKernel kernel = nullptr;
  std::shared_ptr<LinkedCode> code; // that it is in
  cuda::ContextHandle *context = nullptr;
  std::vector<std::vector<char>> parameters;
  Launch launch;
};
cuda::Result prepareLaunch(State &state, const cuda::KernelNodeParameters &given, PreparedLaunch &prepared);
// All blocks are to be at work at once: refused where there are more than the device has room for.
cuda::Result makeCooperative(State &state, PreparedLaunch &prepared);
// How many blocks a multiprocessor has at work at once.
int blocksOfMultiprocessor(const Launch &launch);
cuda::Result runLaunch(State &state, PreparedLaunch &prepared);

void addDeviceFunctions(cuda::Driver &driver);
void addGraphFunctions(cuda::Driver &driver);
// Adds it to the graph that is captured.
void capture(cuda::Capture &capture, std::function<cuda::Result()> work);

} // namespace tenon::runtime::emulator
