#include "tenon/pjrt/runs_in_flight.h"

#include "tenon/pjrt/shared_outcome.h"

#include <mutex>

namespace tenon::pjrt {
namespace {

// Guards Value::isInFlight of all values, so that counting their references and letting go of them are apart.
std::mutex &holdMutex() {
  static std::mutex mutex;
  return mutex;
}

// What is to be told when the work has been done.
struct Promises {
  CompiledProgramRef program; // whose code runs
  std::shared_ptr<runtime::DeviceWork> work;
  std::shared_ptr<RunOutcome> outcome = std::make_shared<RunOutcome>();
  std::vector<std::shared_ptr<RunOutcome>> before; // of the runs that made the arguments
  std::shared_ptr<SharedOutcome> launch;           // null: the run is alone
  std::vector<Ref<Value>> arguments;               // whose memory is somebody else's
  std::vector<Ref<Value>> results;
  Ref<Completion> done;

  // Runs that these arguments come from were enqueued before, and are over.
  void keep() {
    Status status = work->wait();
    if (launch && status.ok())
      status = launch->await();
    for (const std::shared_ptr<RunOutcome> &maker : before)
      if (status.ok())
        status = maker->status;
    outcome->status = status;
    arguments.clear();
    for (const Ref<Value> &result : results)
      result->complete(status);
    {
      std::lock_guard lock(holdMutex());
      for (const Ref<Value> &result : results)
        result->isInFlight = false;
      results.clear();
    }
    if (done)
      done->complete(std::move(status));
  }
};

} // namespace

bool isUsable(const Value &value, const runtime::Device *device) {
  return value.succeeded() || (device && value.isInStream.load(std::memory_order_acquire) && !value.done());
}

bool isHeldAlone(const Value &value) {
  if (!value.isInStream.load(std::memory_order_acquire))
    return value.references() == 1;
  std::lock_guard lock(holdMutex());
  return value.references() == (value.isInFlight ? 2 : 1);
}

void completeWhenDone(WorkQueue &completions, std::unique_ptr<Run> run) {
  auto promises = std::make_shared<Promises>();
  promises->program = run->program;
  promises->work = std::move(run->work);
  promises->launch = std::move(run->sharedOutcome);
  promises->done = std::move(run->done);
  // What the device's memory has goes in the device's order, too.
  for (Ref<Value> &argument : run->arguments) {
    if (argument->maker)
      promises->before.push_back(argument->maker);
    if (argument->block.data() && !argument->block.owned())
      promises->arguments.push_back(std::move(argument));
  }
  for (size_t i = 0; i < run->results.size(); ++i) {
    Value &result = *run->results[i];
    result.block = std::move(run->blocks[i]);
    result.maker = promises->outcome;
    {
      std::lock_guard lock(holdMutex());
      result.isInFlight = true;
    }
    result.isInStream.store(true, std::memory_order_release);
  }
  promises->results = std::move(run->results);
  completions.push([promises] { promises->keep(); });
}

} // namespace tenon::pjrt
