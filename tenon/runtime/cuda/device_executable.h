// Programs of a device, loaded through the driver's table, and run as a graph (graph.h) or launch by launch (walk.h).
#pragma once

#include "tenon/program/device_program.h"
#include "tenon/program/program.h"
#include "tenon/runtime/core/device.h"
#include "tenon/runtime/core/device_call.h"
#include "tenon/runtime/cuda/device_libraries.h"
#include "tenon/runtime/cuda/device_memory.h"
#include "tenon/runtime/cuda/driver.h"
#include "tenon/runtime/cuda/library_steps.h"
#include "tenon/status.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace tenon::runtime::cuda {

// What a loaded program has for all of its runs.
struct LoadedDeviceCode {
  const Driver &driver;
  ContextHandle *context; // of whoever calls
  program::DeviceProgram program;
  const program::Program &description; // of the calls of the runtime
  std::vector<ModuleHandle *> modules;
  std::vector<std::vector<FunctionHandle *>> kernels; // of each module
  std::vector<FunctionHandle *> control;              // by program::ControlKernel
  std::vector<DeviceMemory> constants;
  // By the number of the call: who makes it in the device's memory, if anybody, and who on copies of the host, where
  // that is null or not for each run.
  std::vector<std::unique_ptr<DeviceCallInstance>> deviceCalls;
  std::vector<std::unique_ptr<RuntimeCallInstance>> services;
  std::vector<bool> isExchanged = {};                      // of each place
  std::vector<std::unique_ptr<LibraryOp>> libraryOps = {}; // of each module that a library may compute
  LibrarySteps librarySteps = {};                          // the steps that it does

  // Null where the step is its kernels.
  LibraryOp *libraryOpOf(const program::KernelStep &step) const {
    auto found = librarySteps.find(&step);
    return found == librarySteps.end() ? nullptr : found->second;
  }
  bool isFixed(int32_t place) const { return cuda::isFixed(program.places[size_t(place)], isExchanged[size_t(place)]); }
  int64_t blocksOf(const program::DeviceKernel &kernel) const;
};

// The addresses of all arguments and results, 16-byte aligned.
struct DeviceRun {
  std::span<const DeviceAddress> arguments, results;
  const RunOptions &options;
};

// What runs the program, one run at a time, with memory of its own.
class DeviceRunner {
public:
  virtual ~DeviceRunner() = default;
  // Returns when the results are there.
  virtual Status run(const DeviceRun &run) = 0;
  // Returns when the work is in the stream, or, where the host has to decide in between, has been done.
  virtual Status enqueue(const DeviceRun &run, StreamHandle *stream) = 0;
  // Whether enqueue() waits for work in the stream, in such a run.
  virtual bool waits(const RunOptions & /*options*/) const { return true; }
  // The word that ends a run which is enqueued when it becomes kStop; null where enqueue() does all of it.
  virtual int32_t *stopWord() { return nullptr; }
};

class RunInFlight;

enum class RunMode : uint8_t {
  kGraphIfPossible,
  kWalk, // launch by launch: for debugging, and to compare with
};

// A loaded program. Whatever thread calls has the context in which it was loaded.
class DeviceExecutable {
public:
  // Loads the modules, brings the constants to the device by way of the stream, and looks up the calls of the runtime:
  // NOT_FOUND with the name of one that nobody has registered. `description` outlives the program.
  static StatusOr<std::unique_ptr<DeviceExecutable>> load(const Driver &driver, program::DeviceProgram program,
                                                          const program::Program &description, StreamHandle *stream,
                                                          RunMode mode = RunMode::kGraphIfPossible,
                                                          const DeviceLibraries &libraries = {});
  ~DeviceExecutable();
  DeviceExecutable(const DeviceExecutable &) = delete;
  DeviceExecutable &operator=(const DeviceExecutable &) = delete;

  // Returns when the results are there. From any thread, many at a time: each has memory of its own between kernels. A
  // call of the runtime may run the program again.
  Status run(const DeviceRun &run);
  // Enqueues the run in the stream that the program was loaded by, and returns, with memory of its own as run() does: a
  // few runs are in the stream at a time, another one waits for the first of them to end. Null where the run has ended:
  // of programs for which the host has to decide or to call. The program outlives the work.
  StatusOr<std::shared_ptr<DeviceWork>> start(const DeviceRun &run);
  // Enqueues the run in a stream of the caller's, after what is there, and returns; a program for which
  // the host has to decide or to call has then ended. Whoever enqueues several runs does so in one stream, or after the
  // one before has ended: they work in the same memory. RunOptions::wait ends a run that has not begun.
  Status enqueue(const DeviceRun &run, StreamHandle *stream);

private:
  DeviceExecutable(const Driver &driver, program::DeviceProgram program, const program::Program &description,
                   StreamHandle *stream);

  Status loadModules();
  // A module that has these kernels, in machine code or in PTX.
  StatusOr<ModuleHandle *> handleOf(const program::DeviceModule &module);
  Status loadModule(program::DeviceModule &module, std::vector<FunctionHandle *> &kernels);
  Status loadConstants();
  Status loadServices();
  Status loadLibraryOps();
  StatusOr<std::unique_ptr<DeviceRunner>> makeRunner();
  StatusOr<std::unique_ptr<DeviceRunner>> takeRunner();
  void giveBack(std::unique_ptr<DeviceRunner> runner);
  void waitForRoom();

  LoadedDeviceCode code_;
  std::map<const char *, ModuleHandle *> machineCode_; // what was loaded of it; null: the driver does not take it
  StreamHandle *stream_;
  std::mutex mutex_;
  RunMode mode_ = RunMode::kGraphIfPossible;
  DeviceLibraries libraries_;                         // while there are ops of theirs
  std::vector<std::unique_ptr<DeviceRunner>> idle_;   // what runs that have ended have left
  std::deque<std::shared_ptr<RunInFlight>> inFlight_; // the first to end first; some have ended
  std::mutex enqueueMutex_;
  std::unique_ptr<DeviceRunner> enqueued_; // of all runs that are enqueued
};

} // namespace tenon::runtime::cuda
