#include "tenon/backend/job.h"

#include "tenon/backend/launch.h"
#include "tenon/compiler/compiler.h"
#include "tenon/runtime/collectives/grid_run.h"
#include "tenon/support/shown.h"

#include <algorithm>

namespace tenon::backend {

StatusOr<std::unique_ptr<Job>> Job::start(const Backend &backend) {
  TENON_ASSIGN_OR_RETURN(runtime::ProcessesOptions options, processesOptions(backend));
  if (options.count == 1 && options.mpiShim.empty())
    return std::unique_ptr<Job>();
  TENON_ASSIGN_OR_RETURN(auto processes, runtime::Processes::start(options));
  return std::unique_ptr<Job>(new Job(std::move(processes), static_cast<int64_t>(backend.devices().size())));
}

int32_t localDevice(int64_t place, int64_t places, int64_t devices, int64_t before) {
  return static_cast<int32_t>((before * places + place) % devices);
}

// The grid that runs, for others to know what places here wait for.
struct Job::Running {
  std::mutex mutex;
  const runtime::Rendezvous *rendezvous = nullptr; // null: none does
  runtime::OtherProcesses::Launch launch;
};

Job::Job(std::unique_ptr<runtime::Processes> processes, int64_t devices)
    : running_(std::make_shared<Running>()), devices_(devices), processes_(std::move(processes)) {
  processes_->setLocalMeetings([running = running_] {
    std::vector<runtime::OpenMeeting> meetings;
    std::lock_guard lock(running->mutex);
    if (running->rendezvous)
      addOpenMeetings(*running->rendezvous, running->launch, meetings);
    return meetings;
  });
}

TENON_SHOWN Job::~Job() = default;

// How many processes before this one are on its machine.
static int64_t neighboursBefore(const std::vector<runtime::Node> &nodes, int32_t self) {
  const auto own = nodes.begin() + self;
  return std::count_if(nodes.begin(), own, [&](const runtime::Node &node) { return node.bootId == own->bootId; });
}

void Job::setDefaults(CompileOptions &options, int64_t places) const {
  const std::vector<runtime::Node> &nodes = processes_->nodes();
  if (devices_ > 0 && options.deviceAssignment.empty())
    options.deviceAssignment = {
        localDevice(0, std::max<int64_t>(1, places / count()), devices_, neighboursBefore(nodes, self()))};
  if (nodes[static_cast<size_t>(self())].cpuLevel != compiler::hostTarget()) // other targets do not know the options
    return;
  askForOverlap(nodes, options);
  if (places == count())
    setDefault(options, "group_memory", false);
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
  const auto here = static_cast<int64_t>(part.places.size());
  if (devices_ > 0 && here > devices_)
    return invalidArgument("this process has " + std::to_string(here) + " of the program's devices, and " +
                           std::to_string(devices_) + " to run them on");
  const int64_t places = here * count(), first = part.places.front();
  LaunchedGrid launched;
  for (int64_t place = 0; place < places; ++place) {
    launched.peers.push_back(processOf(place, places));
    launched.devices.push_back(static_cast<uint32_t>(place));
    launched.localDevices.push_back(place - first);
  }
  ++launches_;
  if (count() > 1) {
    runtime::OtherProcesses::Options others = otherProcesses(*processes_, launches_, grid.program, std::move(launched));
    part.onRendezvous = [this, launch = others.launch](const runtime::Rendezvous *rendezvous) {
      std::lock_guard running(running_->mutex);
      running_->rendezvous = rendezvous;
      running_->launch = launch;
    };
    part.elsewhere = std::make_unique<runtime::OtherProcesses>(std::move(others));
  }
  std::stop_source over; // asked for by the caller, or since others cannot go on
  std::stop_callback onStop(options.wait.stop, [&over] { over.request_stop(); });
  std::stop_callback onFailure(processes_->stop(), [&over] { over.request_stop(); });
  runtime::RunOptions own = options;
  own.wait.stop = over.get_token();
  auto onDevice = [&, before = neighboursBefore(processes_->nodes(), self())](const runtime::RunOptions &place) {
    runtime::RunOptions local = place;
    local.deviceOrdinal = localDevice(place.process() - first, here, devices_, before);
    return process(local);
  };
  Status status = runtime::runGrid(
      grid.numReplicas, grid.numPartitions, own,
      devices_ > 0 ? std::function<Status(const runtime::RunOptions &)>(onDevice) : process, std::move(part));
  // Where it has been cancelled, this process ends.
  if (!status.ok() && status.code() != StatusCode::kCancelled)
    processes_->fail(status.message());
  Status cause = processes_->status();
  return cause.ok() ? status : cause;
}

} // namespace tenon::backend
