#include "tenon/pjrt/queued_runs.h"

#include "tenon/pjrt/runs_in_flight.h"
#include "tenon/pjrt/shared_outcome.h"
#include "tenon/runtime/core/fiber_group.h"

#include <atomic>
#include <utility>

namespace tenon::pjrt {
namespace {

// A thread keeps as many as run at the same time on it: the devices of a launch.
constexpr size_t kMostSpares = 64;

} // namespace

//===- Runs of one device ----------------------------------------------------------------------------------------===//

std::unique_ptr<Run> RunPool::get() {
  std::vector<std::unique_ptr<Run>> &spares = list();
  if (spares.empty())
    return std::make_unique<Run>();
  std::unique_ptr<Run> run = std::move(spares.back());
  spares.pop_back();
  return run;
}

void RunPool::put(std::unique_ptr<Run> run) {
  run->clear();
  if (list().size() < kMostSpares)
    list().push_back(std::move(run));
}

std::vector<std::unique_ptr<Run>> &RunPool::list() {
  thread_local std::vector<std::unique_ptr<Run>> spares;
  return spares;
}

Status awaitArguments(const Run &run) {
  for (const Ref<Value> &argument : run.arguments)
    if (!isUsable(*argument, run.device))
      TENON_RETURN_IF_ERROR(argument->await());
  return {};
}

static Status computeQueued(Run &run) {
  TENON_RETURN_IF_ERROR(awaitArguments(run));
  return compute(run);
}

// The run has been computed, with this status: keeps the promises.
static void finishQueued(std::unique_ptr<Run> run, Status status) {
  if (run->sharedOutcome)
    run->sharedOutcome->post(run->work, status);
  if (run->work) {
    WorkQueue &completions = *run->completions;
    if (run->rendezvous) // it comes to no meeting any more
      run->rendezvous->leave(run->options.process());
    completeWhenDone(completions, std::move(run));
    return;
  }
  // Where it was ended since others cannot go on, that is why.
  if (status.code() == StatusCode::kCancelled && run->processes)
    if (Status cause = run->processes->status(); !cause.ok())
      status = cause;
  // Where it has been cancelled otherwise, this process ends.
  if (!status.ok() && run->processes && status.code() != StatusCode::kCancelled)
    run->processes->fail("device " + std::to_string(run->deviceId) + ": " + status.message());
  if (!status.ok() && run->channels)
    run->channels->close(
        {StatusCode::kAborted, "device " + std::to_string(run->deviceId) + " failed: " + status.message()});
  if (run->rendezvous)
    run->rendezvous->leave(run->options.process(), status);
  run->arguments.clear(); // memory goes back before anyone is told
  for (size_t i = 0; i < run->results.size(); ++i) {
    if (status.ok()) {
      run->results[i]->block = std::move(run->blocks[i]);
      run->results[i]->sizes = run->sizesOf(i);
    }
    run->results[i]->complete(status);
    run->results[i]->isPromised.store(false, std::memory_order_release);
  }
  Ref<Completion> done = std::move(run->done);
  RunPool::put(std::move(run));
  if (done)
    done->complete(std::move(status));
}

void runQueued(std::unique_ptr<Run> run) {
  Status status = computeQueued(*run);
  finishQueued(std::move(run), std::move(status));
}

bool steppedAside(WorkQueue &queue, const std::shared_ptr<std::unique_ptr<Run>> &run) {
  std::vector<Ref<Value>> pending;
  for (const Ref<Value> &argument : (*run)->arguments)
    if (!argument->done() && !isUsable(*argument, (*run)->device))
      pending.push_back(argument);
  if (pending.empty())
    return false;
  queue.stepAside();
  auto left = std::make_shared<std::atomic<size_t>>(pending.size());
  for (const Ref<Value> &argument : pending)
    argument->onDone([&queue, run, left](const Status &) {
      if (left->fetch_sub(1) == 1)
        queue.resume([run] { runQueued(std::move(*run)); });
    });
  return true;
}

//===- Runs of several devices -----------------------------------------------------------------------------------===//

void FiberLaunch::add(std::unique_ptr<Run> run, WorkQueue &queue) {
  runs_.push_back(std::move(run));
  queues_.push_back(&queue);
}

void FiberLaunch::start() {
  auto self = shared_from_this();
  for (size_t i = 1; i < queues_.size(); ++i)
    queues_[i]->reserve([self] { self->stopped_.count_down(); });
  queues_[0]->push([self] { self->run(); }, WorkQueue::Order::kStrict);
}

// Not within a fiber: whoever is told may need more of a stack, or look for the thread's.
void FiberLaunch::finish(size_t i, Status status) {
  finishQueued(std::move(runs_[i]), std::move(status));
  if (i > 0 || isHere_)
    queues_[i]->release();
}

bool FiberLaunch::runHere() {
  for (const std::unique_ptr<Run> &run : runs_)
    for (const Ref<Value> &argument : run->arguments)
      if (!isUsable(*argument, run->device))
        return false;
  size_t stopped = 0;
  while (stopped < queues_.size() && queues_[stopped]->tryReserve())
    ++stopped;
  if (stopped < queues_.size()) {
    while (stopped > 0)
      queues_[--stopped]->release();
    return false;
  }
  isHere_ = true;
  run();
  return true;
}

void FiberLaunch::run() {
  if (!isHere_)
    stopped_.wait();
  const size_t count = runs_.size();
  std::vector<Status> outcomes(count);
  std::vector<std::function<void()>> bodies;
  bodies.reserve(count);
  for (size_t i = 0; i < count; ++i)
    bodies.emplace_back([this, i, &outcomes] { outcomes[i] = computeQueued(*runs_[i]); });
  Status status = runtime::FiberGroup::runAll(std::move(bodies), [&](size_t i) { finish(i, std::move(outcomes[i])); });
  for (size_t i = 0; i < count && !status.ok(); ++i)
    finish(i, status);
}

} // namespace tenon::pjrt
