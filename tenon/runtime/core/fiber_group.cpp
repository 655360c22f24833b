#include "tenon/runtime/core/fiber_group.h"

#include "tenon/runtime/core/interrupt.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace tenon::runtime {
namespace {

// As of a thread; pages that nobody touches cost nothing.
constexpr size_t kStackBytes = size_t(4) << 20;
// How many stretches a loop of tasks is cut into. What tasks of a stretch read in common is to fit a core's own cache.
constexpr int64_t kStretches = 32;
// Before the thread sleeps it lets others run that are ready to, which may be those that its fibers wait for.
constexpr int kYields = 16;
// How long it sleeps where its fibers wait for signals of several groups.
constexpr auto kShortSleep = std::chrono::microseconds(50);

thread_local FiberGroup *groupOfThread = nullptr;

// Groups that have ended, by how many stacks they have: no more than have run at the same time.
class SpareGroups {
public:
  static std::unique_ptr<FiberGroup> get(size_t count) {
    {
      std::lock_guard lock(mutex());
      std::vector<std::unique_ptr<FiberGroup>> &spares = list()[count];
      if (!spares.empty()) {
        std::unique_ptr<FiberGroup> group = std::move(spares.back());
        spares.pop_back();
        return group;
      }
    }
    return FiberGroup::create(count);
  }
  static void put(size_t count, std::unique_ptr<FiberGroup> group) {
    std::lock_guard lock(mutex());
    list()[count].push_back(std::move(group));
  }

private:
  static std::mutex &mutex() {
    static auto *mutex = new std::mutex;
    return *mutex;
  }
  static std::map<size_t, std::vector<std::unique_ptr<FiberGroup>>> &list() {
    static auto *list = new std::map<size_t, std::vector<std::unique_ptr<FiberGroup>>>;
    return *list;
  }
};

} // namespace

struct FiberGroup::Tasks {
  const void *key;
  int64_t extent;
  RangeBody body;
};

struct FiberGroup::Member {
  std::unique_ptr<Fiber> fiber;
  RunFlag runFlag;                                // of what it works for, while it is suspended
  const Tasks *tasks = nullptr;                   // that it has come to
  Signal *signal = nullptr;                       // that it waits for
  const std::function<void()> *outside = nullptr; // that it wants called before it goes on
  uint32_t seen = 0;
  Signal::Time until;
  bool hasEnded = true;

  bool isReady() const { return !hasEnded && !tasks && (!signal || signal->now() != seen); }
};

FiberGroup::FiberGroup(std::vector<std::unique_ptr<Fiber>> fibers) : members_(fibers.size()) {
  for (size_t i = 0; i < fibers.size(); ++i)
    members_[i].fiber = std::move(fibers[i]);
}

FiberGroup::~FiberGroup() = default;

std::unique_ptr<FiberGroup> FiberGroup::create(size_t count) {
  std::vector<std::unique_ptr<Fiber>> fibers;
  for (size_t i = 0; i < count; ++i) {
    fibers.push_back(Fiber::create(kStackBytes));
    if (!fibers.back())
      return nullptr;
  }
  return std::unique_ptr<FiberGroup>(new FiberGroup(std::move(fibers)));
}

FiberGroup *FiberGroup::current() { return groupOfThread; }

void FiberGroup::resume(Member &member) {
  running_ = &member;
  member.signal = nullptr;
  groupOfThread = this;
  RunFlag outside = RunFlag::ofThread();
  member.runFlag.use();
  member.fiber->resume();
  while (member.outside) {
    groupOfThread = nullptr;
    (*std::exchange(member.outside, nullptr))();
    groupOfThread = this;
    member.fiber->resume();
  }
  member.runFlag = RunFlag::ofThread();
  outside.use();
  groupOfThread = nullptr;
  running_ = nullptr;
}

void FiberGroup::suspend() { running_->fiber->suspend(); }

void FiberGroup::callOnThread(const std::function<void()> &function) {
  if (!groupOfThread)
    return function();
  groupOfThread->running_->outside = &function;
  groupOfThread->suspend();
}

void FiberGroup::sleep(Signal &signal, uint32_t seen, Signal::Time until) {
  running_->signal = &signal;
  running_->seen = seen;
  running_->until = until;
  suspend();
}

void FiberGroup::runTasks(const void *key, int64_t extent, RangeBody body) {
  if (live_ == 1)
    return body(0, extent, 0);
  Tasks tasks{key, extent, body};
  running_->tasks = &tasks;
  suspend();
}

bool FiberGroup::resumeReady(const std::function<void(size_t)> &ended) {
  bool any = false;
  for (Member &member : members_)
    while (member.isReady()) { // it may wait for what has come meanwhile
      any = true;
      resume(member);
      if (!member.fiber->hasEnded())
        continue;
      member.hasEnded = true;
      --live_;
      ended(static_cast<size_t>(&member - members_.data()));
    }
  return any;
}

// Runs the tasks that the first fiber waits for, and others with it.
bool FiberGroup::runWaitingTasks() {
  auto first = std::ranges::find_if(members_, [](const Member &member) { return member.tasks != nullptr; });
  if (first == members_.end())
    return false;
  const Tasks &model = *first->tasks;
  std::vector<Member *> together;
  for (auto member = first; member != members_.end(); ++member)
    if (member->tasks && member->tasks->key == model.key && member->tasks->extent == model.extent)
      together.push_back(&*member);
  const int64_t extent = model.extent;
  const int64_t step = together.size() == 1 ? extent : std::max<int64_t>(1, extent / kStretches);
  for (int64_t begin = 0; begin < extent; begin += step)
    for (Member *member : together)
      member->tasks->body(begin, std::min(extent, begin + step), 0);
  for (Member *member : together)
    member->tasks = nullptr;
  return true;
}

void FiberGroup::sleepUntilSignal() {
  Member *first = nullptr;
  auto until = Signal::Time::max();
  for (Member &member : members_) {
    if (member.hasEnded)
      continue;
    assert(member.signal);
    until = std::min(until, member.until);
    if (!first)
      first = &member;
    else if (member.signal != first->signal)
      until = std::min(until, std::chrono::steady_clock::now() + kShortSleep);
  }
  for (int i = 0; i < kYields; ++i) {
    std::this_thread::yield();
    if (std::ranges::any_of(members_, &Member::isReady))
      return;
  }
  first->signal->wait(first->seen, until);
  auto now = std::chrono::steady_clock::now();
  for (Member &member : members_)
    if (!member.hasEnded && member.until <= now)
      member.signal = nullptr; // its time is over
}

Status FiberGroup::runAll(std::vector<std::function<void()>> bodies, const std::function<void(size_t)> &ended) {
  const size_t count = bodies.size();
  std::unique_ptr<FiberGroup> group = SpareGroups::get(count);
  if (!group)
    return {StatusCode::kResourceExhausted, "out of memory: cannot allocate the stack of a device's run"};
  group->run(std::move(bodies), ended);
  SpareGroups::put(count, std::move(group));
  return {};
}

void FiberGroup::run(std::vector<std::function<void()>> bodies, const std::function<void(size_t)> &ended) {
  assert(bodies.size() == members_.size() && !groupOfThread);
  live_ = members_.size();
  for (size_t i = 0; i < bodies.size(); ++i) {
    members_[i].runFlag = RunFlag::ofThread();
    members_[i].hasEnded = false;
    members_[i].fiber->start(std::move(bodies[i]));
  }
  while (live_)
    if (!resumeReady(ended) && !runWaitingTasks())
      sleepUntilSignal();
}

} // namespace tenon::runtime
