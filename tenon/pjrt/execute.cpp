// PJRT_LoadedExecutable_Execute.
//
// A call checks everything first, for all devices, then donates, then runs; so an error leaves the arguments alone.
// Short programs on one device whose arguments are ready run on the calling thread: no queue, no wake-up, no promise.
// Its error, if any, is the call's, so it is reported where the user called. Others go into the queues of their
// devices; their results are promises until then, and that is where errors are found. A call of a program with effects
// (CompiledProgram::runsWithCaller) ends with the runs, wherever they run.
#include "tenon/pjrt/error.h"
#include "tenon/pjrt/host_transfers.h"
#include "tenon/pjrt/processes.h"
#include "tenon/pjrt/queued_runs.h"
#include "tenon/pjrt/run.h"
#include "tenon/pjrt/runs_in_flight.h"
#include "tenon/pjrt/shared_outcome.h"
#include "tenon/pjrt/shared_results.h"
#include "tenon/pjrt/unpartitioned_run.h"
#include "tenon/runtime/collectives/grid_channels.h"
#include "tenon/runtime/core/thread_shares.h"
#include "tenon/support/strides.h"
#include "tenon/support/trace.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace tenon::pjrt {
namespace {

class Execution {
public:
  explicit Execution(PJRT_LoadedExecutable_Execute_Args &args)
      : args_(args), executable_(*args.executable), program_(*args.executable->program) {}

  Status execute();

private:
  Status check();
  Status gather(size_t device);
  Status checkArgument(size_t device, size_t index, const PJRT_Buffer &buffer) const;
  Status checkDonations(size_t device) const;
  std::string argumentName(size_t index) const {
    return program::describeArgument(program_.executable->program(), index);
  }
  bool isDonatable(int argument) const;
  void donate(size_t device);
  void shareResults();
  Status dispatch(size_t device);
  Ref<Value> promise(size_t device, size_t index);
  Status executeUnpartitioned();
  bool mayRunHere(const UnpartitionedRun &whole) const;
  Status dispatchAll();
  Status dispatchFromTask();
  bool dispatchAsFibers();
  void promiseResults(size_t device, Run &run);
  bool endsWithRuns() const;
  // Whether devices have memory of their own, which is no other's.
  bool hasOwnMemories() const { return !executable_.client->platform->devices.empty(); }
  Status awaitRuns();
  void finishInPlace(size_t device, Run &run);
  void finishInStream(size_t device, std::unique_ptr<Run> run);
  void failResults(size_t device, const Status &status);
  PJRT_Device *device(size_t index) const {
    return args_.execute_device ? args_.execute_device : executable_.devices[index];
  }
  size_t place(size_t index) const {
    if (!args_.execute_device)
      return index;
    return std::find(executable_.devices.begin(), executable_.devices.end(), args_.execute_device) -
           executable_.devices.begin();
  }

  PJRT_LoadedExecutable_Execute_Args &args_;
  PJRT_LoadedExecutable &executable_;
  CompiledProgram &program_;
  int64_t runId_ = 0;
  std::shared_ptr<runtime::Channels> channels_;
  std::shared_ptr<runtime::Rendezvous> rendezvous_;
  std::vector<std::shared_ptr<SharedMemory>> sharedMemories_; // by device and result; empty if there are none
  std::shared_ptr<SharedOutcome> sharedOutcome_;
  std::vector<runtime::ThreadPool *> pools_; // of devices that run at the same time
  std::vector<std::unique_ptr<Run>> runs_;
  std::vector<Ref<Completion>> dispatched_; // of the runs, for a call that ends with them
};

Status Execution::check() {
  if (executable_.deleted)
    return invalidArgument("the executable has been deleted");
  if (args_.execute_device && args_.num_devices != 1)
    return invalidArgument("execute_device was given for a run on " + std::to_string(args_.num_devices) + " devices");
  if (executable_.spansProcesses()) {
    TENON_RETURN_IF_ERROR(executable_.client->processes->status());
    if (WorkQueue::onWorkerThread())
      return {StatusCode::kFailedPrecondition,
              "a host callback has launched a program whose devices are of several OS processes; these run it in the "
              "order of their other programs, so it cannot run while one of those waits for the callback"};
  }
  if (!args_.execute_device && args_.num_devices != executable_.devices.size())
    return invalidArgument("the program runs on " + std::to_string(executable_.devices.size()) +
                           " devices, arguments were given for " + std::to_string(args_.num_devices));
  if (args_.execute_device && place(0) == executable_.devices.size() && executable_.devices.size() != 1)
    return invalidArgument("the program was not compiled for device " +
                           std::to_string(args_.execute_device->description.id));
  if (args_.execute_device && program_.isUnpartitioned)
    return unimplemented("the program was not partitioned, so it cannot run for one of its devices alone");
  if (args_.num_args != program_.argumentTypes.size())
    return invalidArgument("the program takes " + std::to_string(program_.argumentTypes.size()) + " arguments, " +
                           std::to_string(args_.num_args) + " were given");
  return {};
}

Status Execution::checkArgument(size_t deviceIndex, size_t index, const PJRT_Buffer &buffer) const {
  const BufferType &expected = *program_.argumentTypes[index];
  // Frameworks pass empty arrays for tokens.
  bool isToken = expected.shape.type == program::ElementType::kToken;
  if (buffer.type.get() != &expected && !isToken) {
    if (!(buffer.type->shape == expected.shape))
      return invalidArgument(argumentName(index) + " should be " + expected.shape.toString() + ", but is " +
                             buffer.type->shape.toString());
    // JAX says of arrays that are bound to no device that they are row-major, whatever they are.
    if (program_.isUnpartitioned && !sameStrides(expected.shape, buffer.type->strides, expected.strides))
      return invalidArgument(argumentName(index) + " should have the layout " + layoutText(expected.minorToMajor) +
                             ", but has " + layoutText(buffer.type->minorToMajor));
  }
  if (!buffer.type->dynamicDims.empty())
    return invalidArgument(argumentName(index) + " has a size that depends on data; copy it to the host and back");
  if (buffer.device() != device(deviceIndex))
    return invalidArgument(argumentName(index) + " is on device " + std::to_string(buffer.device()->description.id) +
                           ", but the program runs on device " + std::to_string(device(deviceIndex)->description.id));
  return {};
}

Status Execution::gather(size_t deviceIndex) {
  std::unique_ptr<Run> run = RunPool::get();
  run->program = executable_.program;
  run->device = device(deviceIndex)->gpu;
  run->completions = &device(deviceIndex)->completions;
  for (size_t i = 0; i < args_.num_args; ++i) {
    const PJRT_Buffer &buffer = *args_.argument_lists[deviceIndex][i];
    TENON_RETURN_IF_ERROR(checkArgument(deviceIndex, i, buffer));
    Ref<Value> value = buffer.value();
    if (!value)
      return invalidArgument(argumentName(i) + ": " + deletedError().message());
    run->arguments.push_back(std::move(value));
    if (buffer.type->isRowMajor != program_.argumentTypes[i]->isRowMajor ||
        !(buffer.type->isRowMajor || buffer.type == program_.argumentTypes[i]))
      run->otherTypes.emplace_back(i, buffer.type);
  }
  size_t at = place(deviceIndex);
  PJRT_LogicalDeviceIds ids = at < executable_.logicalIds.size() ? executable_.logicalIds[at] : PJRT_LogicalDeviceIds{};
  run->options = {};
  run->options.runId = runId_;
  run->options.deviceOrdinal = device(deviceIndex)->ordinal();
  run->deviceId = device(deviceIndex)->description.id;
  run->options.replicaId = ids.replica;
  run->options.partitionId = ids.partition;
  run->processes = executable_.spansProcesses() ? executable_.client->processes.get() : nullptr;
  run->options.wait.stop = run->processes ? run->processes->stop() : executable_.client->stop.get_token();
  if (!program_.isUnpartitioned && args_.num_devices > 1)
    run->options.pool = pools_[deviceIndex];
  run->options.numReplicas = program_.executable->program().numReplicas;
  run->options.numPartitions = program_.executable->program().numPartitions;
  run->hostTransfers = makeHostTransfers(*args_.options, deviceIndex);
  run->options.hostTransfers = run->hostTransfers.get();
  run->channels = channels_;
  run->options.channels = channels_.get();
  run->rendezvous = rendezvous_;
  run->sharedOutcome = sharedOutcome_;
  run->options.rendezvous = rendezvous_.get();
  if (PJRT_ExecuteContext *context = args_.options->context) {
    std::lock_guard lock(context->mutex);
    run->userData = context->userData;
  }
  runs_.push_back(std::move(run));
  return {};
}

bool Execution::isDonatable(int argument) const {
  const int64_t *indices = args_.options->non_donatable_input_indices;
  return std::find(indices, indices + args_.options->num_non_donatable_input_indices, argument) ==
         indices + args_.options->num_non_donatable_input_indices;
}

// No argument of the same call may be what a donated one is. The messages begin as XLA's, which programs look for.
Status Execution::checkDonations(size_t deviceIndex) const {
  std::vector<std::pair<const PJRT_Buffer *, int>> buffers;
  for (size_t i = 0; i < args_.num_args; ++i)
    buffers.emplace_back(args_.argument_lists[deviceIndex][i], static_cast<int>(i));
  std::sort(buffers.begin(), buffers.end());
  auto isDonated = [&](int argument) {
    return std::binary_search(program_.donatedArguments.begin(), program_.donatedArguments.end(), argument) &&
           isDonatable(argument);
  };
  for (size_t i = 0; i + 1 < buffers.size(); ++i) {
    if (buffers[i].first != buffers[i + 1].first)
      continue;
    int first = buffers[i].second, second = buffers[i + 1].second;
    bool firstDonated = isDonated(first), secondDonated = isDonated(second);
    std::string where = " (" + argumentName(first) + " and " + argumentName(second) + ")";
    if (firstDonated && secondDonated)
      return invalidArgument("Attempt to donate the same buffer twice in Execute()" + where +
                             ", as in f(donate(a), donate(a))");
    if (secondDonated)
      return invalidArgument("Attempt to donate a buffer which is also used by the same call to Execute()" + where +
                             ", as in f(a, donate(a))");
    if (firstDonated)
      return invalidArgument("Attempt to use a buffer that was previously donated in the same call to Execute()" +
                             where + ", as in f(donate(a), a)");
  }
  return {};
}

void Execution::donate(size_t deviceIndex) {
  Run &run = *runs_[deviceIndex];
  for (int argument : program_.donatedArguments) {
    if (!isDonatable(argument))
      continue;
    run.donated.resize(args_.num_args);
    args_.argument_lists[deviceIndex][argument]->take();
    run.donated[argument] = true;
  }
}

// Finds memories for results that devices of the launch have together.
void Execution::shareResults() {
  const size_t results = program_.resultTypes.size();
  for (size_t i = 0; i < results; ++i) {
    if (!program_.sharingGroups[i])
      continue;
    sharedMemories_.resize(args_.num_devices * results);
    const int argument = program_.argumentOfResult[i];
    std::map<int64_t, std::shared_ptr<SharedMemory>> byGroup; // by its first process
    for (size_t device = 0; device < args_.num_devices; ++device) {
      const Run &run = *runs_[device];
      StatusOr<std::vector<int64_t>> group = program_.sharingGroups[i]->ofProcess(run.options.process());
      if (!group.ok())
        continue;
      std::shared_ptr<SharedMemory> &memory = byGroup[group->front()];
      if (!memory)
        memory = std::make_shared<SharedMemory>(program_.resultTypes[i]->bytes);
      bool isGiven = argument >= 0 && !run.donated.empty() && run.donated[static_cast<size_t>(argument)];
      memory->add(isGiven ? run.arguments[static_cast<size_t>(argument)] : Ref<Value>());
      sharedMemories_[device * results + i] = memory;
    }
  }
}

void Execution::finishInPlace(size_t deviceIndex, Run &run) {
  PJRT_Memory **memories = device(deviceIndex)->memoryPointers.data();
  for (size_t i = 0; i < program_.resultTypes.size(); ++i) {
    auto value = makeRef<Value>(std::move(run.blocks[i]), run.sizesOf(i));
    args_.output_lists[deviceIndex][i] =
        new PJRT_Buffer(program_.resultTypes[i], memories[static_cast<int>(program_.resultMemories[i])], value);
  }
  if (args_.device_complete_events)
    args_.device_complete_events[deviceIndex] = makeDoneEvent();
}

// The results of a run in place that the device still works at.
void Execution::finishInStream(size_t deviceIndex, std::unique_ptr<Run> run) {
  for (size_t i = 0; i < program_.resultTypes.size(); ++i)
    run->results.push_back(promise(deviceIndex, i));
  if (args_.device_complete_events || endsWithRuns())
    run->done = makeRef<Completion>();
  if (endsWithRuns())
    dispatched_.push_back(run->done);
  else if (args_.device_complete_events)
    args_.device_complete_events[deviceIndex] = makeEvent(run->done);
  completeWhenDone(device(deviceIndex)->completions, std::move(run));
}

// The results of a run in place that was stopped: whoever reads them finds the error.
void Execution::failResults(size_t deviceIndex, const Status &status) {
  for (size_t i = 0; i < program_.resultTypes.size(); ++i)
    promise(deviceIndex, i)->complete(status);
  if (args_.device_complete_events)
    args_.device_complete_events[deviceIndex] = makeErrorEvent(status);
}

// A result that is yet to come: its buffer goes to the caller, its value is returned.
Ref<Value> Execution::promise(size_t deviceIndex, size_t index) {
  auto value = makeRef<Value>();
  PJRT_Memory *memory = device(deviceIndex)->memoryPointers[static_cast<int>(program_.resultMemories[index])];
  if (!sharedMemories_.empty()) {
    value->sharedMemory = sharedMemories_[deviceIndex * program_.resultTypes.size() + index];
    value->isPromised = true;
  }
  args_.output_lists[deviceIndex][index] = new PJRT_Buffer(program_.resultTypes[index], memory, value);
  return value;
}

void Execution::promiseResults(size_t deviceIndex, Run &run) {
  for (size_t i = 0; i < program_.resultTypes.size(); ++i)
    run.results.push_back(promise(deviceIndex, i));
  if (endsWithRuns()) {
    run.done = makeRef<Completion>();
    dispatched_.push_back(run.done);
  } else if (args_.device_complete_events) {
    run.done = makeRef<Completion>();
    args_.device_complete_events[deviceIndex] = makeEvent(run.done);
  }
}

// Has each thread run as many of the devices, as fibers. Whether it does: not where a run may keep its thread. Those of
// a short program are one thread's, the calling one's if it can be, since threads that are to meet wait longer for each
// other than all devices take.
bool Execution::dispatchAsFibers() {
  const size_t devices = args_.num_devices;
  if (!program_.waitsForDevicesOnly || executable_.spansProcesses() || hasOwnMemories())
    return false;
  const bool isShort =
      program_.estimatedNanoseconds * static_cast<int64_t>(devices) <= kRunInPlaceNanoseconds && !trace::current();
  const size_t threads = isShort ? 1 : runtime::threadsForFibers(devices);
  for (size_t thread = 0; thread < threads; ++thread) {
    auto [first, end] = runtime::threadShare(thread, threads, devices);
    auto launch = std::make_shared<FiberLaunch>(end - first);
    for (size_t at = first; at < end; ++at) {
      promiseResults(at, *runs_[at]);
      launch->add(std::move(runs_[at]), device(at)->queue);
    }
    if (!isShort || !launch->runHere())
      launch->start();
  }
  return threads > 0;
}

Status Execution::dispatch(size_t deviceIndex) {
  std::unique_ptr<Run> run = std::move(runs_[deviceIndex]);
  bool alone = args_.num_devices == 1 && executable_.deviceIds.size() == 1;
  bool withCaller = alone && !program_.exchangesData && endsWithRuns();
  bool ready = std::all_of(run->arguments.begin(), run->arguments.end(),
                           [&](const Ref<Value> &argument) { return isUsable(*argument, run->device); });
  if (withCaller || (alone && ready && (program_.runInPlace || WorkQueue::onWorkerThread()))) {
    Status status = ready ? Status() : awaitArguments(*run);
    if (status.ok())
      status = compute(*run);
    if (run->work) {
      finishInStream(deviceIndex, std::move(run));
      return {};
    }
    run->arguments.clear();
    // A stopped run is no failure of the call: the exception that the signal's handler raises must come after a call
    // that succeeded.
    bool isStopped = status.code() == StatusCode::kCancelled;
    if (status.ok())
      finishInPlace(deviceIndex, *run);
    else if (isStopped)
      failResults(deviceIndex, status);
    RunPool::put(std::move(run));
    return isStopped ? Status() : status;
  }
  promiseResults(deviceIndex, *run);
  if (alone && WorkQueue::onWorkerThread()) {
    runQueued(std::move(run));
    return {};
  }
  // The programs of a launch on several devices may wait for each other, in the order of the launches.
  bool loose = alone && !program_.exchangesData;
  WorkQueue &queue = device(deviceIndex)->queue;
  queue.push(
      [&queue, loose, run = std::make_shared<std::unique_ptr<Run>>(std::move(run))] {
        if (!loose || !steppedAside(queue, run))
          runQueued(std::move(*run));
      },
      program_.exchangesData ? WorkQueue::Order::kStrict : WorkQueue::Order::kLoose);
  return {};
}

// Whether a run on whole arrays is short, with what is put together and taken apart for it, and waits for nothing.
bool Execution::mayRunHere(const UnpartitionedRun &whole) const {
  constexpr int64_t kMostBytes = 256 << 10; // some ten microseconds
  if (program_.estimatedNanoseconds > kRunInPlaceNanoseconds || !program_.waitsForDevicesOnly || hasOwnMemories())
    return false;
  int64_t bytes = 0;
  for (const std::vector<BufferTypeRef> *types : {&program_.wholeArgumentTypes, &program_.wholeResultTypes})
    for (const BufferTypeRef &type : *types)
      bytes += type->bytes;
  return bytes <= kMostBytes && std::ranges::all_of(whole.arguments, [](const std::vector<Ref<Value>> &parts) {
           return std::ranges::all_of(parts, [](const Ref<Value> &part) { return isUsable(*part, nullptr); });
         });
}

// One run for the partitions of each replica. Its results and its event are shared out to them.
Status Execution::executeUnpartitioned() {
  size_t partitions = static_cast<size_t>(program_.options.numPartitions);
  for (size_t first = 0; first < args_.num_devices; first += partitions) {
    auto whole = std::make_shared<UnpartitionedRun>();
    whole->program = executable_.program;
    whole->options = runs_[first]->options;
    whole->userData = runs_[first]->userData;
    whole->hostTransfers = std::move(runs_[first]->hostTransfers);
    whole->channels = channels_;
    whole->arguments.resize(args_.num_args);
    whole->results.resize(program_.resultTypes.size());
    whole->done = makeRef<Completion>();
    for (size_t device = first; device < first + partitions; ++device) {
      for (size_t i = 0; i < args_.num_args; ++i)
        whole->arguments[i].push_back(std::move(runs_[device]->arguments[i]));
      for (size_t i = 0; i < program_.resultTypes.size(); ++i)
        whole->results[i].push_back(promise(device, i));
      if (args_.device_complete_events && !endsWithRuns())
        args_.device_complete_events[device] = makeEvent(whole->done);
      RunPool::put(std::move(runs_[device]));
    }
    if (endsWithRuns())
      dispatched_.push_back(whole->done);
    WorkQueue &queue = device(first)->queue;
    if (WorkQueue::onWorkerThread()) {
      runUnpartitioned(*whole);
    } else if (mayRunHere(*whole) && queue.tryReserve()) {
      runUnpartitioned(*whole);
      queue.release();
    } else {
      queue.push([whole] { runUnpartitioned(*whole); });
    }
  }
  return {};
}

Status Execution::execute() {
  TENON_RETURN_IF_ERROR(check());
  runId_ = args_.execute_device && executable_.devices.size() > 1 ? args_.options->launch_id
                                                                  : executable_.client->nextRunId++;
  if (args_.num_devices > 1 || executable_.spansProcesses()) {
    rendezvous_ = makeRendezvous(executable_, args_.options->launch_id);
    if (rendezvous_)
      channels_ = std::make_shared<runtime::GridChannels>(*rendezvous_);
    else
      channels_ = std::make_shared<runtime::Channels>();
  }
  if (args_.num_devices > 1 && !program_.isUnpartitioned && hasOwnMemories())
    sharedOutcome_ = std::make_shared<SharedOutcome>(args_.num_devices);
  if (!program_.isUnpartitioned && args_.num_devices > 1)
    pools_ = runtime::poolsOfDevices(args_.num_devices);
  Status status;
  for (size_t device = 0; device < args_.num_devices && status.ok(); ++device) {
    status = gather(device);
    if (status.ok() && !program_.donatedArguments.empty())
      status = checkDonations(device);
  }
  if (!status.ok())
    return status;
  for (size_t device = 0; device < args_.num_devices; ++device)
    donate(device);
  if (args_.num_devices > 1 && !program_.isUnpartitioned && !hasOwnMemories())
    shareResults();
  status = program_.isUnpartitioned ? executeUnpartitioned() : dispatchAll();
  return status.ok() ? awaitRuns() : status;
}

// A launch on several devices by a task of one of their queues (a host callback of a program that runs): the other
// queues may be at runs that wait for that task, so threads of its own do it, and this call ends with them.
Status Execution::dispatchFromTask() {
  auto runQueuedHere = [joinTask = WorkQueue::joinTask()](std::unique_ptr<Run> run) {
    joinTask();
    runQueued(std::move(run));
  };
  std::vector<std::jthread> threads;
  for (size_t device = 0; device < args_.num_devices; ++device) {
    promiseResults(device, *runs_[device]);
    threads.emplace_back(runQueuedHere, std::move(runs_[device]));
  }
  return {};
}

Status Execution::dispatchAll() {
  if (args_.num_devices > 1 && WorkQueue::onWorkerThread())
    return dispatchFromTask();
  std::unique_lock<std::mutex> order;
  if (args_.num_devices > 1)
    order = std::unique_lock(executable_.client->launchMutex);
  if (args_.num_devices > 1 && dispatchAsFibers())
    return {};
  Status status;
  for (size_t device = 0; device < args_.num_devices && status.ok(); ++device)
    status = dispatch(device);
  return status;
}

// A thread that works at a task must not wait for its own queue, and one device of several may wait for runs that the
// caller has yet to launch.
bool Execution::endsWithRuns() const {
  return program_.runsWithCaller && !WorkQueue::onWorkerThread() && args_.num_devices == executable_.devices.size();
}

Status Execution::awaitRuns() {
  Status status;
  for (const Ref<Completion> &run : dispatched_)
    if (const Status &outcome = run->await(); status.ok())
      status = outcome;
  if (dispatched_.empty())
    return status;
  for (size_t device = 0; device < args_.num_devices; ++device) {
    for (size_t i = 0; i < program_.resultTypes.size() && !status.ok(); ++i)
      delete std::exchange(args_.output_lists[device][i], nullptr);
    if (args_.device_complete_events && status.ok())
      args_.device_complete_events[device] = makeDoneEvent();
  }
  return status;
}

} // namespace

void fillExecuteSlots(PJRT_Api &api) {
  TENON_PJRT_SLOT(api, PJRT_LoadedExecutable_Execute,
                  [](PJRT_LoadedExecutable_Execute_Args &args) -> Status { return Execution(args).execute(); });
  TENON_PJRT_SLOT(api, PJRT_ExecuteContext_Create, [](PJRT_ExecuteContext_Create_Args &args) -> Status {
    args.context = new PJRT_ExecuteContext;
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_ExecuteContext_Destroy, [](PJRT_ExecuteContext_Destroy_Args &args) -> Status {
    delete args.context;
    return {};
  });
}

} // namespace tenon::pjrt
