#include "tenon/backend/job.h"

#include "tenon/runtime/collectives/grid_run.h"
#include "tenon/runtime/collectives/other_processes.h"
#include "tenon/support/hash.h"
#include "tenon/support/library_version.h"

namespace tenon::backend {

StatusOr<std::unique_ptr<Job>> Job::start(const Backend &backend) {
  runtime::ProcessesOptions options;
  TENON_RETURN_IF_ERROR(runtime::readEnvironment(options));
  if (options.count == 1 && options.mpiShim.empty())
    return std::unique_ptr<Job>();
  options.version = libraryVersion();
  options.fingerprint = options.version;
  options.cpuLevel = backend.target();
  TENON_ASSIGN_OR_RETURN(auto processes, runtime::Processes::start(options));
  return std::unique_ptr<Job>(new Job(std::move(processes)));
}

StatusOr<std::vector<int32_t>> Job::placesOf(const Grid &grid) const {
  int64_t places = int64_t(grid.numReplicas) * grid.numPartitions;
  if (places < 1 || places % count() != 0)
    return invalidArgument("a program for " + std::to_string(places) + " devices (" + std::to_string(grid.numReplicas) +
                           " replicas of " + std::to_string(grid.numPartitions) +
                           " partitions) cannot be spread over " + std::to_string(count()) +
                           " processes: each has equally many");
  std::vector<int32_t> here;
  for (int64_t place = 0; place < places; ++place)
    if (processOf(place, places) == self())
      here.push_back(static_cast<int32_t>(place));
  return here;
}

Status Job::run(const Grid &grid, const runtime::RunOptions &options,
                const std::function<Status(const runtime::RunOptions &)> &process) {
  std::lock_guard lock(mutex_);
  TENON_RETURN_IF_ERROR(processes_->status());
  runtime::GridPart part;
  TENON_ASSIGN_OR_RETURN(part.places, placesOf(grid));
  int64_t places = int64_t(part.places.size()) * count();
  runtime::OtherProcesses::Options others;
  others.transport = &processes_->transport();
  others.self = self();
  for (int64_t place = 0; place < places; ++place) {
    others.peers.push_back(processOf(place, places));
    others.devices.push_back(static_cast<uint32_t>(place));
  }
  others.launch = ++launches_;
  if (grid.program) {
    others.programHash = stableHash(grid.program->fingerprint);
    others.program = " of program '" + grid.program->name + "' (" + grid.program->fingerprint + ")";
  }
  others.onWait = [&, first = part.places.front(), launch = others.launch](int64_t place, const std::string &what) {
    runtime::Activity activity;
    activity.device = place - first;
    if (!what.empty()) {
      activity.state = runtime::Activity::State::kRunning;
      activity.launch = launch;
      activity.what = what;
    }
    processes_->setActivity(activity);
  };
  if (count() > 1)
    part.elsewhere = std::make_unique<runtime::OtherProcesses>(std::move(others));
  Status status = runtime::runGrid(grid.numReplicas, grid.numPartitions, options, process, std::move(part));
  // Where it has been cancelled, this process ends.
  if (!status.ok() && status.code() != StatusCode::kCancelled)
    processes_->fail(status.message());
  Status cause = processes_->status();
  return cause.ok() ? status : cause;
}

} // namespace tenon::backend
