// What a client asks of a service, which owns compiled programs and the data on its devices (xla-preview-2017,
// "Getting started": client and server). The service of this process, one behind a network connection, and a user's own
// back end are implementations.
#pragma once

#include "tenon/literal.h"
#include "tenon/xla_namespace.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tenon::xla_2017 {

// What is to be compiled.
struct CompileRequest {
  std::string name;
  // A StableHLO program, in any form, whose `main` takes and returns the arrays inside the parameters' and the result's
  // shapes, depth first.
  std::string program;
  // With the layouts that arguments will have and the result shall have.
  ProgramShape shape;
};

// What is to be run.
struct ExecuteRequest {
  int64 executable = 0;
  std::vector<int64> arguments; // data, one for each parameter
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::optional<uint64> seed; // of the random numbers; absent: others at each execution
};

// A grid of processes that are to be run at the same time (StableHLO specification, "Parallel execution").
struct ParallelExecuteRequest {
  // What one process runs, and the data that it is given.
  struct Process {
    int64 executable = 0; // of a program for a grid of this size
    std::vector<int64> arguments;
  };

  int64 num_replicas = 1;
  int64 num_partitions = 1;
  std::vector<Process> processes; // (replica, partition) is processes[replica * num_partitions + partition]
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::optional<uint64> seed; // of the random numbers; absent: others at each execution
};

// What an execution took.
struct ExecutionProfile {
  // From the moment the service had all arguments to that of the last result.
  std::chrono::nanoseconds compute_time{0};
};

// What a service has done for its client, and what it holds for it.
struct ServiceStatistics {
  int64 compilations = 0; // since the service began
  int64 executions = 0;
  int64 executables = 0; // held now
  int64 allocations = 0; // data held now
  int64 bytes = 0;       // of data held now
};

// All members may be called from any thread, many at a time. Handles are positive and never used again.
class TENON_API ServiceInterface {
public:
  // Absent: never.
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;

  // Gives the service its id.
  ServiceInterface();
  // Frees all that the service holds. Clients and data keep their service alive, so that no call can be under way.
  virtual ~ServiceInterface();

  // No other service of the process ever has or had it.
  uint64 id() const { return id_; }

  // "cpu", "reference", ...: what computations run on.
  virtual std::string platform_name() const = 0;
  // How many devices have streams: TransferToInfeed takes numbers below.
  virtual int64 device_count() const { return 1; }
  // Which of the OS processes of its job the service is in. A grid is spread over them: each has an equal block of its
  // processes, in order, and ExecuteParallel is given those.
  virtual int64 process_index() const { return 0; }
  // How many OS processes the job has.
  virtual int64 process_count() const { return 1; }

  // Keeps a copy of an array or a tuple, in its layout. kResourceExhausted without memory.
  virtual StatusOr<int64> TransferToServer(const Literal &literal) = 0;
  // In the layout of `shape`, which is that of the data but for layouts.
  virtual StatusOr<Literal> TransferFromServer(int64 data, const Shape &shape) = 0;
  // Data of the elements of a tuple, which share its memory. kInvalidArgument for an array, kNotFound for no data.
  virtual StatusOr<std::vector<int64>> DeconstructTuple(int64 data) = 0;
  // Frees data; executions that read it go on. kNotFound for data that there is not, or not any more.
  virtual Status Release(int64 data) = 0;

  // Compiles a program, for arguments of these layouts. kInvalidArgument for one that is not valid, or whose main has
  // other shapes; kUnimplemented for one that the service does not have code for.
  virtual StatusOr<int64> Compile(const CompileRequest &request) = 0;
  // Data of the result's shape.
  virtual StatusOr<int64> Execute(const ExecuteRequest &request, ExecutionProfile *profile) = 0;
  // Data of each process's result. The first error, which names its process. Process i has the streams of device i, so
  // that there may be device_count() of them. kUnimplemented of services that run one process at a time.
  virtual StatusOr<std::vector<int64>> ExecuteParallel(const ParallelExecuteRequest &request,
                                                       ExecutionProfile *profile);
  // What the compiler knows of a compiled program. kUnimplemented of services that do not say.
  virtual StatusOr<ExecutableAnalysis> Analyze(int64 executable);
  // Frees a compiled program; executions of it go on. kNotFound for one that there is not, or not any more.
  virtual Status ReleaseExecutable(int64 executable) = 0;

  // The streams of a device (xla-preview-2017, Infeed). TransferToInfeed waits while the stream is full,
  // TransferFromOutfeed while it is empty, both up to the deadline.
  virtual Status TransferToInfeed(const Literal &literal, int64 device, Deadline deadline) = 0;
  // Takes an item out, which must be of that shape but for layouts, and which comes in its layout.
  virtual StatusOr<Literal> TransferFromOutfeed(const Shape &shape, int64 device, Deadline deadline) = 0;

  // Counts, as they are now.
  virtual StatusOr<ServiceStatistics> GetStatistics() = 0;

  // Without copies, where service and client are in one process; kFailedPrecondition elsewhere. The memory handed in
  // is read until the data is released; the memory handed out lives as long as the data.
  virtual StatusOr<int64> ShareWithServer(const Shape &shape, const void *data);
  // The memory of an array that the service holds.
  virtual StatusOr<const void *> ShareFromServer(int64 data);

private:
  uint64 id_;
};

} // namespace tenon::xla_2017
