// The service in this process: it compiles with a Backend and runs on its device (xla-preview-2017, "Getting started").
#pragma once

#include "tenon/api/memory_quota.h"
#include "tenon/backend/backend.h"
#include "tenon/backend/job.h"
#include "tenon/runtime/core/device_streams.h"
#include "tenon/runtime/core/memory.h"
#include "tenon/service_interface.h"

#include <atomic>
#include <limits>
#include <map>
#include <mutex>
#include <stop_token>

namespace tenon::api {

// An array in the service's memory, in the layout of its shape. Never changed once it is made.
struct DeviceArray {
  xla::Shape shape;
  runtime::Buffer buffer;
  const void *shared = nullptr; // memory of the client's instead
  MemoryQuota::Share share;

  const void *data() const { return shared ? shared : buffer.data(); }
};

// The arrays inside a value, depth first.
struct DeviceData {
  xla::Shape shape;
  std::vector<std::shared_ptr<const DeviceArray>> leaves;
};

// The limits of a client's resources. A request beyond them fails with RESOURCE_EXHAUSTED.
struct ServiceLimits {
  // The sum of data (items that wait in streams included), programs with their constants, and the memory of runs.
  int64_t bytes = std::numeric_limits<int64_t>::max();
  int64_t executables = std::numeric_limits<int64_t>::max();
  // The capacity of each infeed, outfeed and channel. Putting more there waits.
  int64_t streamBytes = runtime::StreamQueue::kDefaultCapacity;
  // The processes of a grid, and the devices that a program is written for: each is a thread. Each process of a grid
  // has the streams of its own device.
  int64_t processes = 64;
};

class LocalService : public xla::ServiceInterface {
public:
  // The backend must outlive the service.
  // `job`: of several OS processes, over which grids are spread; null: this one is alone.
  LocalService(std::string platform, backend::Backend &backend, const ServiceLimits &limits = {},
               std::unique_ptr<backend::Job> job = nullptr);
  ~LocalService() override;

  // Ends what runs and what waits, now and from now on, with `reason`.
  void stop(const Status &reason);

  // For callers that receive data in pieces. allocateData gives memory for a value of a valid shape of arrays and
  // tuples, the caller fills it with bytes that are valid for the element types, and keepData takes it.
  struct Incoming {
    xla::Shape shape;
    std::vector<std::shared_ptr<DeviceArray>> leaves;
  };
  StatusOr<Incoming> allocateData(const xla::Shape &shape);
  StatusOr<int64_t> keepData(Incoming incoming);
  StatusOr<std::shared_ptr<const DeviceData>> find(int64_t data);
  MemoryQuota &quota() { return *quota_; }

  std::string platform_name() const override { return platform_; }
  int64_t device_count() const override { return limits_.processes; }
  int64_t process_index() const override { return job_ ? job_->self() : 0; }
  int64_t process_count() const override { return job_ ? job_->count() : 1; }

  StatusOr<int64_t> TransferToServer(const xla::Literal &literal) override;
  StatusOr<xla::Literal> TransferFromServer(int64_t data, const xla::Shape &shape) override;
  StatusOr<std::vector<int64_t>> DeconstructTuple(int64_t data) override;
  Status Release(int64_t data) override;

  StatusOr<int64_t> Compile(const xla::CompileRequest &request) override;
  StatusOr<int64_t> Execute(const xla::ExecuteRequest &request, xla::ExecutionProfile *profile) override;
  StatusOr<std::vector<int64_t>> ExecuteParallel(const xla::ParallelExecuteRequest &request,
                                                 xla::ExecutionProfile *profile) override;
  StatusOr<xla::ExecutableAnalysis> Analyze(int64_t executable) override;
  Status ReleaseExecutable(int64_t executable) override;

  Status TransferToInfeed(const xla::Literal &literal, int64_t device, Deadline deadline) override;
  StatusOr<xla::Literal> TransferFromOutfeed(const xla::Shape &shape, int64_t device, Deadline deadline) override;

  StatusOr<xla::ServiceStatistics> GetStatistics() override;

  StatusOr<int64_t> ShareWithServer(const xla::Shape &shape, const void *data) override;
  StatusOr<const void *> ShareFromServer(int64_t data) override;

private:
  struct Held {
    std::shared_ptr<const DeviceData> data;
    MemoryQuota::Share share; // of the handle itself
  };
  struct Compiled {
    xla::ProgramShape shape;
    std::shared_ptr<backend::Executable> executable;
    MemoryQuota::Share share;
  };

  // A program with its arguments and the memory for its results, all row-major.
  struct Prepared;
  StatusOr<Prepared> prepare(int64_t executable, const std::vector<int64_t> &arguments);
  // Keeps its results, in the layouts that it was compiled for.
  StatusOr<int64_t> finish(Prepared &prepared);
  runtime::RunOptions runOptions(Deadline deadline, const std::optional<uint64_t> &seed);
  // The share of the quota that an item of so many bytes takes while it waits in a queue.
  StatusOr<std::shared_ptr<void>> accountFor(int64_t itemBytes);
  runtime::DeviceStreams &streamsOf(int64_t device);
  StatusOr<std::shared_ptr<DeviceArray>> allocate(const xla::Shape &shape);
  StatusOr<std::shared_ptr<const DeviceArray>> copyOf(const xla::Literal &literal);
  StatusOr<std::shared_ptr<const DeviceArray>> inLayout(const std::shared_ptr<const DeviceArray> &array,
                                                        const xla::Shape &shape);
  StatusOr<int64_t> keep(DeviceData data);
  StatusOr<std::shared_ptr<const Compiled>> findExecutable(int64_t executable);
  Status checkDevice(int64_t device) const;
  Status tooManyExecutables() const;
  Status tooManyProcesses(int64_t processes) const;

  const std::string platform_;
  backend::Backend &backend_;
  const ServiceLimits limits_;
  const std::shared_ptr<MemoryQuota> quota_;
  const std::unique_ptr<backend::Job> job_;
  std::stop_source stop_;
  std::atomic<uint64_t> lastSeed_{0};

  std::mutex streamsMutex_;
  Status stopped_;
  runtime::Channels channels_;
  std::map<int64_t, std::unique_ptr<runtime::DeviceStreams>> streams_; // by device, made when first used

  std::mutex mutex_;
  int64_t lastHandle_ = 0;
  std::map<int64_t, Held> data_;
  std::map<int64_t, std::shared_ptr<const Compiled>> executables_;
  xla::ServiceStatistics statistics_;
};

} // namespace tenon::api
