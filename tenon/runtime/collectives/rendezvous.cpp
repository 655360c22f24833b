#include "tenon/runtime/collectives/rendezvous.h"

#include "tenon/runtime/core/fiber_group.h"
#include "tenon/runtime/core/pause.h"
#include "tenon/runtime/core/signal.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/core/wait_until.h"
#include "tenon/runtime/transport/transport.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cstring>
#include <thread>
#include <utility>

namespace tenon::runtime {
namespace {

using Clock = std::chrono::steady_clock;

// A meeting of threads that run at the same time takes a microsecond; to sleep and be woken takes tens.
constexpr auto kSpinTime = std::chrono::microseconds(20);
constexpr int kYields = 16, kPauses = 32;
// How long a wait lasts before it looks for what may be in its way, and takes a lock for that.
constexpr auto kShortWait = std::chrono::milliseconds(1);

constexpr uint64_t kHashStart = 0xcbf29ce484222325, kHashPrime = 0x100000001b3; // FNV-1a

uint64_t hashOf(std::span<const int64_t> numbers) {
  uint64_t hash = kHashStart;
  for (int64_t number : numbers)
    hash = (hash ^ static_cast<uint64_t>(number)) * kHashPrime;
  return hash;
}

// Counts members that come to a point, and numbers the times that all have (from 0 on, modulo 2^32).
class Counter {
public:
  uint32_t turn() const { return static_cast<uint32_t>(state_.load(std::memory_order_seq_cst) >> 32); }
  // Whether the caller is the last of `count` of this turn, which must then call advance().
  bool come(size_t count) { return (state_.fetch_add(1, std::memory_order_seq_cst) & kCount) + 1 == count; }
  void advance() { state_.store(static_cast<uint64_t>(turn() + 1) << 32, std::memory_order_seq_cst); }
  // Takes the caller out of the turn again; false where all have come to it.
  bool withdraw(uint32_t turn, size_t count) {
    uint64_t state = state_.load(std::memory_order_seq_cst);
    while (state >> 32 == turn && (state & kCount) != count)
      if (state_.compare_exchange_weak(state, state - 1, std::memory_order_seq_cst))
        return true;
    return false;
  }

private:
  static constexpr uint64_t kCount = 0xffffffff;
  std::atomic<uint64_t> state_{0};
};

void copyContent(const Rendezvous::Part &part, std::byte *to) {
  if (!part.sent) {
    std::memcpy(to, part.content, part.copied);
    return;
  }
  const auto *table = static_cast<const void *const *>(part.content);
  for (size_t bytes : part.sent->bytes) {
    if (bytes)
      std::memcpy(to, *table, bytes);
    to += bytes;
    ++table;
  }
}

} // namespace

Purpose::Purpose(std::string text, std::string place)
    : text_(std::move(text)), place_(std::move(place)), number_(kHashStart) {
  for (char character : text_)
    number_ = (number_ ^ static_cast<unsigned char>(character)) * kHashPrime;
}

//===- The members of a group ------------------------------------------------------------------------------------===//

// Parts and outcomes are kept for two meetings: a member may come to the next one while others still read. It comes to
// none after that before they have come to the next one.
class Rendezvous::Group {
public:
  // `here`: how many of them are in this OS process.
  Group(std::span<const int64_t> members, size_t here)
      : members_(members.begin(), members.end()), here_(here), came_(members.size()) {
    for (std::vector<Part> &parts : parts_)
      parts.resize(members.size());
  }

  std::span<const int64_t> members() const { return members_; }
  size_t size() const { return members_.size(); }
  bool isSpread() const { return here_ < size(); }
  size_t placeOf(int64_t process) const {
    return static_cast<size_t>(std::find(members_.begin(), members_.end(), process) - members_.begin());
  }

  uint32_t turn() const { return arrivals_.turn(); }
  bool isOver(uint32_t turn) const { return arrivals_.turn() != turn; }
  bool haveAllRead(uint32_t turn) const { return readers_.turn() != turn; }

  // The member at place `at` comes, to the meeting of the turn. Whether it is the last one here: it calls complete()
  // then, when those of other OS processes have come, too.
  bool come(size_t at, uint32_t turn, const Part &part) {
    Part &own = parts_[turn % 2][at];
    own = part;
    if (size_t bytes = std::max(part.copied, part.staying)) {
      std::byte *copy = came_[at].copies[turn % 2].get(bytes);
      if (part.copied)
        copyContent(part, copy);
      else
        std::memcpy(copy, part.content, bytes);
      own.content = copy;
    }
    came_[at].turn.store(turn + 1, std::memory_order_seq_cst);
    return arrivals_.come(here_);
  }
  void complete(uint32_t turn, Status outcome) {
    outcomes_[turn % 2] = std::move(outcome);
    // That of the readers goes along with meetings without any.
    if (!outcomes_[turn % 2].ok() || parts_[turn % 2][0].copied)
      readers_.advance();
    arrivals_.advance();
    signal.notify();
  }
  bool withdraw(size_t at, uint32_t turn) {
    if (!arrivals_.withdraw(turn, here_))
      return false;
    came_[at].turn.store(turn, std::memory_order_seq_cst);
    return true;
  }
  void finishReading() {
    if (readers_.come(here_)) {
      readers_.advance();
      signal.notify();
    }
  }

  bool isPresent(size_t at, uint32_t turn) const { return came_[at].turn.load(std::memory_order_seq_cst) == turn + 1; }
  const Part &part(size_t at, uint32_t turn) const { return parts_[turn % 2][at]; }
  std::span<Part> parts(uint32_t turn) { return parts_[turn % 2]; }
  Received &received(uint32_t turn) { return received_[turn % 2]; }
  const Status &outcome(uint32_t turn) const { return outcomes_[turn % 2]; }

  Signal signal; // of a change that those who wait want to see

private:
  // Few bytes, as most meetings are about, take no allocation.
  class Copy {
  public:
    std::byte *get(size_t bytes) {
      if (bytes <= few_.size())
        return few_.data();
      if (many_.size() < bytes)
        many_.resize(bytes);
      return many_.data();
    }

  private:
    alignas(16) std::array<std::byte, 64> few_;
    std::vector<std::byte> many_;
  };
  // Each in cache lines of its own, which only its member writes.
  struct alignas(64) Came {
    std::atomic<uint32_t> turn{0}; // the number of the last meeting, from 1 on
    std::array<Copy, 2> copies;    // of what it has shown
  };

  const std::vector<int64_t> members_;
  const size_t here_;
  alignas(64) Counter arrivals_;
  alignas(64) Counter readers_;
  std::vector<Came> came_;
  std::array<std::vector<Part>, 2> parts_;
  std::array<Received, 2> received_;
  std::array<Status, 2> outcomes_;
};

namespace {

// Sleeps until the signal has come since `seen`, or a time.
void sleep(Signal &signal, uint32_t seen, Clock::time_point until) {
  if (FiberGroup *fibers = FiberGroup::current())
    fibers->sleep(signal, seen, until);
  else
    signal.wait(seen, until);
}

// Waits until `isOver`, a short time; whether it is. Before it sleeps it lets others run that are ready to: on a
// machine with more threads than processors, those are what it waits for, and cost less that way than to be waited for
// asleep.
template <typename IsOver> bool waitShortly(Signal &signal, bool spins, Clock::time_point until, const IsOver &isOver) {
  Clock::time_point start = Clock::now();
  for (int i = 0; !FiberGroup::current() && i < kYields && Clock::now() - start < kSpinTime; ++i) {
    for (int j = 0; spins && j < kPauses; ++j) {
      if (isOver())
        return true;
      pauseCpu();
    }
    if (isOver())
      return true;
    std::this_thread::yield();
  }
  until = std::min(until, start + kShortWait);
  while (true) {
    uint32_t seen = signal.now();
    if (isOver())
      return true;
    sleep(signal, seen, until);
    if (Clock::now() >= until)
      return isOver();
  }
}

} // namespace

//===- Meetings --------------------------------------------------------------------------------------------------===//

Rendezvous::Rendezvous(std::vector<std::string> names, std::unique_ptr<Elsewhere> elsewhere)
    : processes_(names.size()), elsewhere_(std::move(elsewhere)), here_(countHere()),
      spins_(here_ <= ThreadPool::defaultThreadCount()) {
  for (size_t i = 0; i < names.size(); ++i)
    processes_[i].name = std::move(names[i]);
}

int64_t Rendezvous::countHere() const {
  int64_t count = 0;
  for (int64_t process = 0; process < static_cast<int64_t>(processes_.size()); ++process)
    count += isHere(process);
  return count;
}

Rendezvous::~Rendezvous() { assert(longWaits_.empty() && others_.empty() && "a process is still waiting"); }

const Purpose &Rendezvous::purpose(const std::string &text) {
  std::lock_guard lock(mutex_);
  return purposes_.try_emplace(text, text).first->second;
}

Rendezvous::Group &Rendezvous::groupOf(std::span<const int64_t> members, int64_t self) {
  auto isOfMembers = [&](const Group &group) { return std::ranges::equal(group.members(), members); };
  std::vector<Group *> &known = processes_[static_cast<size_t>(self)].groups;
  for (Group *group : known)
    if (isOfMembers(*group))
      return *group;
  const uint64_t hash = hashOf(members);
  std::lock_guard lock(mutex_);
  Group *group = nullptr;
  for (auto [at, end] = groups_.equal_range(hash); at != end; ++at)
    if (isOfMembers(*at->second))
      group = at->second.get();
  if (!group) {
    auto here = std::count_if(members.begin(), members.end(), [&](int64_t member) { return isHere(member); });
    group = groups_.emplace(hash, std::make_unique<Group>(members, static_cast<size_t>(here)))->second.get();
  }
  known.push_back(group);
  return *group;
}

Status Rendezvous::mismatch(const Group &group, uint32_t turn) const {
  const Part *first = nullptr;
  for (size_t i = 0; i < group.size(); ++i) {
    if (!group.isPresent(i, turn))
      continue;
    const Part &part = group.part(i, turn);
    if (!first)
      first = &part;
    if (part.purpose->number() != first->purpose->number() || part.copied != first->copied ||
        part.staying != first->staying || part.joined != first->joined)
      return invalidArgument("processes of a group do different things:\n  " + first->purpose->text() + "\n  " +
                             processes_[static_cast<size_t>(group.members()[i])].name + ": " + part.purpose->text());
  }
  return {};
}

Status Rendezvous::hindrance(const Group &group, uint32_t turn) const {
  for (size_t i = 0; i < group.size(); ++i) {
    const Process &process = processes_[static_cast<size_t>(group.members()[i])];
    if (!group.isPresent(i, turn) && process.ended)
      return process.ended->ok() ? failedPrecondition(process.name + " has ended, and others of its group wait for it")
                                 : Status(StatusCode::kAborted, process.name + " failed: " + process.ended->message());
  }
  TENON_RETURN_IF_ERROR(mismatch(group, turn));
  return deadlock_;
}

Status Rendezvous::awaitLong(Group &group, int64_t self, uint32_t turn, const Wait &wait) {
  std::unique_lock lock(mutex_);
  auto entry = longWaits_.insert(longWaits_.end(), {self, &group, turn});
  noticeDeadlock();
  std::stop_callback onStop(wait.stop, [&] { group.signal.notify(); });
  Status status;
  while (true) {
    uint32_t seen = group.signal.now();
    if (group.isOver(turn) || !(status = hindrance(group, turn)).ok())
      break;
    if (wait.stop.stop_requested()) {
      status = {StatusCode::kCancelled, "the run has been cancelled while it waited for other processes"};
      break;
    }
    if (Clock::now() >= wait.deadline) {
      status = {StatusCode::kDeadlineExceeded, "the run takes longer than it may: it waits for other processes"};
      break;
    }
    lock.unlock();
    sleep(group.signal, seen, wait.deadline);
    lock.lock();
  }
  longWaits_.erase(entry);
  if (!status.ok() && !group.withdraw(group.placeOf(self), turn))
    status = {}; // all have come by now
  return status;
}

Status Rendezvous::awaitMembers(Group &group, int64_t self, size_t at, uint32_t turn, const Wait &wait) {
  auto isOver = [&] { return group.isOver(turn); };
  if (!waitShortly(group.signal, spins_, wait.deadline, isOver))
    TENON_RETURN_IF_ERROR(awaitLong(group, self, turn, wait));
  while (!isOver()) // the last one to come is about to say so
    waitShortly(group.signal, spins_, Clock::time_point::max(), isOver);
  return {};
}

Status Rendezvous::bringTogether(Group &group, uint32_t turn, const Wait &wait) {
  TENON_RETURN_IF_ERROR(mismatch(group, turn));
  if (!group.isSpread())
    return {};
  return elsewhere_->exchange(group.members(), turn, group.parts(turn), group.received(turn), wait);
}

Status Rendezvous::meet(std::span<const int64_t> members, int64_t self, const Part &part, const Read &read,
                        const Wait &wait) {
  assert(part.copied <= mostCopied());
  for (int64_t member : members)
    if (member < 0 || member >= static_cast<int64_t>(processes_.size()))
      return invalidArgument("there is no process " + std::to_string(member) + " in this run");
  Group &group = groupOf(members, self);
  size_t at = group.placeOf(self);
  assert(at < group.size());
  uint32_t turn = group.turn();
  if (group.come(at, turn, part))
    group.complete(turn, bringTogether(group, turn, wait));
  else
    TENON_RETURN_IF_ERROR(awaitMembers(group, self, at, turn, wait));
  TENON_RETURN_IF_ERROR(group.outcome(turn));
  Status status = read(group.parts(turn));
  if (part.copied)
    return status;
  group.finishReading();
  if (part.staying) {
    Process &process = processes_[static_cast<size_t>(self)];
    process.stayingFor = &group;
    process.stayingTurn = turn;
    return status;
  }
  auto haveAllRead = [&] { return group.haveAllRead(turn); };
  while (!haveAllRead())
    waitShortly(group.signal, spins_, Clock::time_point::max(), haveAllRead);
  return status;
}

void Rendezvous::awaitReaders(int64_t self) {
  Process &process = processes_[static_cast<size_t>(self)];
  Group *group = std::exchange(process.stayingFor, nullptr);
  auto haveAllRead = [&] { return group->haveAllRead(process.stayingTurn); };
  while (group && !haveAllRead())
    waitShortly(group->signal, spins_, Clock::time_point::max(), haveAllRead);
}

void *Rendezvous::groupMemory(int64_t first, size_t bytes) {
  std::lock_guard lock(mutex_);
  Buffer &memory = groupMemory_[first];
  if (!memory)
    memory = Buffer(bytes);
  assert(!memory || memory.size() >= bytes);
  return memory.data();
}

//===- Other waits, and their end --------------------------------------------------------------------------------===//

std::string Rendezvous::describeWaits() const {
  std::vector<std::pair<int64_t, std::string>> waits;
  for (const LongWait &wait : longWaits_)
    waits.emplace_back(wait.process, wait.group->part(wait.group->placeOf(wait.process), wait.turn).purpose->text());
  for (const Other &other : others_)
    waits.emplace_back(other.process, other.what);
  std::sort(waits.begin(), waits.end());
  std::string text;
  for (const auto &[process, what] : waits)
    text += "\n  " + processes_[static_cast<size_t>(process)].name + ": " + what;
  return text;
}

void Rendezvous::noticeDeadlock() {
  auto waits = static_cast<int64_t>(longWaits_.size() + others_.size());
  if (!deadlock_.ok() || waits == 0 || waits + ended_ < here_)
    return;
  for (const Other &other : others_)
    if (other.isReady())
      return;
  for (const LongWait &wait : longWaits_)
    if (wait.group->isOver(wait.turn))
      return;
  const char *who = ended_ ? "all processes that have not ended wait:" : "all processes wait for each other:";
  deadlock_ = failedPrecondition(who + describeWaits());
  for (const LongWait &wait : longWaits_)
    wait.group->signal.notify();
  changed_.notify_all();
}

Status Rendezvous::waitUntil(int64_t self, std::string what, int64_t awaited, const std::function<bool()> &isReady,
                             const std::function<Status()> &go, const Wait &wait) {
  std::unique_lock lock(mutex_);
  auto entry = others_.insert(others_.end(), {self, std::move(what), awaited, othersSoFar_++, isReady});
  noticeDeadlock();
  bool isOver = runtime::waitUntil(changed_, lock, wait, [&] { return isReady() || !deadlock_.ok(); });
  others_.erase(entry);
  if (!isOver && wait.stop.stop_requested())
    return {StatusCode::kCancelled, "the run has been cancelled while it waited for other processes"};
  if (!isOver)
    return {StatusCode::kDeadlineExceeded, "the run takes longer than it may: it waits for other processes"};
  if (!isReady())
    return deadlock_;
  Status status = go();
  changed_.notify_all();
  return status;
}

void Rendezvous::leave(int64_t process, const Status &status) {
  std::lock_guard lock(mutex_);
  Process &left = processes_[static_cast<size_t>(process)];
  left.ended = status;
  ++ended_;
  noticeDeadlock();
  if (firstError_.ok() && !status.ok())
    firstError_ = Status(status.code(), left.name + ": " + status.message());
  for (const LongWait &wait : longWaits_)
    wait.group->signal.notify();
  if (!others_.empty())
    changed_.notify_all();
}

std::vector<Rendezvous::Waiting> Rendezvous::waiting() const {
  std::lock_guard lock(mutex_);
  std::vector<Waiting> result;
  for (const auto &[process, group, turn] : longWaits_) {
    if (group->isOver(turn))
      continue;
    const Purpose &purpose = *group->part(group->placeOf(process), turn).purpose;
    Waiting &waiting = result.emplace_back(Waiting{process, purpose.sentence(), purpose.number(), turn, {}});
    for (size_t i = 0; i < group->size(); ++i)
      if (int64_t member = group->members()[i]; isHere(member) && !group->isPresent(i, turn))
        waiting.missing.push_back(member);
  }
  for (const Other &other : others_)
    if (other.awaited >= 0 && !other.isReady())
      result.push_back({other.process, other.what, Purpose(other.what).number(), other.turn, {other.awaited}});
  return result;
}

Status Rendezvous::firstError() const {
  std::lock_guard lock(mutex_);
  return firstError_;
}

} // namespace tenon::runtime
