// A job of several OS processes, over which grids are spread: each process has an equal block of the places, in the
// order of the processes.
//
//   TENON_ASSIGN_OR_RETURN(auto job, Job::start(backend));  // null: the environment names none
//   TENON_ASSIGN_OR_RETURN(auto places, job->placesOf(grid));
//   TENON_RETURN_IF_ERROR(job->run(grid, options, [&](const runtime::RunOptions &place) { ... execute(..., place); }));
#pragma once

#include "tenon/backend/backend.h"
#include "tenon/runtime/control/processes.h"

namespace tenon::backend {

// The device of a process's place `place` of `places`, by its number among the `devices` that the process sees, where
// `before` other processes of the job on the same machine come before it. Processes that all see all devices of their
// machine are dealt out other ones each; one that sees as many as it has places (CUDA_VISIBLE_DEVICES) begins with its
// first.
int32_t localDevice(int64_t place, int64_t places, int64_t devices, int64_t before);

class Job {
public:
  // Finds the other processes, as the environment says (docs/processes.md); returns when all have started.
  static StatusOr<std::unique_ptr<Job>> start(const Backend &backend);

  ~Job();

  // Which of the processes this is, and how many there are.
  int32_t self() const { return processes_->self(); }
  int32_t count() const { return static_cast<int32_t>(processes_->nodes().size()); }

  struct Grid {
    int32_t numReplicas = 1, numPartitions = 1;
    // What runs at all places, which all processes must agree on. Null: programs may differ.
    const program::Program *program = nullptr;
  };
  // Sets options of programs that its grids run, where they are not set (launch.h); `places`: how many a grid has, 0
  // where that is not known yet.
  void setDefaults(CompileOptions &options, int64_t places = 0) const;

  // The places of a grid that are here. kInvalidArgument where the processes cannot have equally many.
  StatusOr<std::vector<int32_t>> placesOf(const Grid &grid) const;

  // Runs `process` for each place here at the same time, as runGrid does, one grid after the other: all processes run
  // the same grids in the same order. The first error, of whichever process: it names process, place and cause, and
  // later runs fail with it. Where the backend has devices of its own, RunOptions::deviceOrdinal is this process's
  // number of the place's device.
  Status run(const Grid &grid, const runtime::RunOptions &options,
             const std::function<Status(const runtime::RunOptions &)> &process);

  // Why no grid can run any more, once that is so, and what is requested then.
  Status status() const { return processes_->status(); }
  std::stop_token stop() const { return processes_->stop(); }

private:
  struct Running;

  Job(std::unique_ptr<runtime::Processes> processes, int64_t devices);
  // The process that has a place of a grid of so many.
  int32_t processOf(int64_t place, int64_t places) const { return static_cast<int32_t>(place / (places / count())); }

  const std::shared_ptr<Running> running_;
  const int64_t devices_; // of the backend; 0: it has none of its own
  std::unique_ptr<runtime::Processes> processes_;
  std::mutex mutex_; // held while a grid runs
  uint64_t launches_ = 0;
};

} // namespace tenon::backend
