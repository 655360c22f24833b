#include "tenon/runtime/control/mpi_network.h"

#include "tenon/runtime/control/bytes.h"

#include <algorithm>

namespace tenon::runtime {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr int kFrames = 1, kKeys = 2; // tags
// How many frames may be on their way to a process: with one, it would wait for each acknowledgement.
constexpr size_t kMaxSending = 4;
// MPI wakes nobody. Who has looked in vain looks again after twice the time, but soon after anything has happened.
constexpr microseconds kFirstPause{20}, kLongestPause{1000};
constexpr milliseconds kKeyPause{2};

} // namespace

//===- Keys ------------------------------------------------------------------------------------------------------===//

Status MpiKeyStore::put(const std::string &key, const std::string &value) {
  values_[key] = value;
  ByteWriter writer;
  writer.text(key);
  writer.text(value);
  const std::string message = writer.take();
  for (int to = 0; to < mpi_.size(); ++to) {
    if (to == mpi_.rank())
      continue;
    auto &[bytes, request] = sends_.emplace_back(message, Mpi::Request());
    TENON_ASSIGN_OR_RETURN(request, mpi_.send(std::as_bytes(std::span(bytes)), to, kKeys));
  }
  return {};
}

StatusOr<bool> MpiKeyStore::receiveOne() {
  TENON_ASSIGN_OR_RETURN(std::optional<Mpi::Message> message, mpi_.find(kKeys));
  if (!message)
    return false;
  std::string bytes(message->bytes, '\0');
  TENON_ASSIGN_OR_RETURN(Mpi::Request request, mpi_.receive(*message, std::as_writable_bytes(std::span(bytes))));
  while (!request.isEmpty())
    TENON_RETURN_IF_ERROR(mpi_.isDone(request).status());
  ByteReader reader(bytes);
  std::string key = reader.text(bytes.size()), value = reader.text(bytes.size());
  if (!reader.isDone())
    return Status(StatusCode::kDataLoss, "a damaged key has come by MPI");
  values_[key] = value;
  return true;
}

StatusOr<std::string> MpiKeyStore::get(const std::string &key, milliseconds timeout) {
  auto end = Clock::now() + timeout;
  while (true) {
    if (auto found = values_.find(key); found != values_.end())
      return found->second;
    TENON_ASSIGN_OR_RETURN(bool hasOne, receiveOne());
    if (hasOne)
      continue;
    if (Clock::now() >= end)
      return Status(StatusCode::kDeadlineExceeded, "nobody has put " + key);
    std::this_thread::sleep_for(kKeyPause);
  }
}

MpiKeyStore::~MpiKeyStore() {
  for (auto &[bytes, request] : sends_)
    while (!request.isEmpty()) {
      if (!mpi_.isDone(request).ok())
        break;
      std::this_thread::yield();
    }
}

//===- Frames ----------------------------------------------------------------------------------------------------===//

void MpiNetwork::open(Peer self, std::vector<PeerAddress> addresses, Events &events) {
  events_ = &events;
  control_->open(self, std::move(addresses), events);
  thread_ = std::thread([this] { run(); });
}

void MpiNetwork::wake(Peer peer) {
  std::lock_guard lock(mutex_);
  awake_.insert(peer);
  changed_.notify_all();
}

void MpiNetwork::cut(Peer peer) {
  events_->disconnected(peer, /*isControl=*/false, {StatusCode::kCancelled, "a transfer was given up"});
}

void MpiNetwork::lose(Peer peer, const Status &why) {
  if (lost_.insert(peer).second)
    events_->disconnected(peer, /*isControl=*/false, why);
}

StatusOr<bool> MpiNetwork::sendSome() {
  bool hasMoved = false;
  for (auto &[peer, messages] : sending_)
    while (!messages.empty()) {
      TENON_ASSIGN_OR_RETURN(bool isDone, mpi_->isDone(messages.front().request));
      if (!isDone)
        break;
      messages.pop_front();
      hasMoved = true;
    }
  std::set<Peer> awake;
  awake.swap(full_);
  {
    std::lock_guard lock(mutex_);
    awake.merge(awake_);
    awake_.clear();
  }
  for (Peer peer : awake) {
    std::deque<Moving> &messages = sending_[peer];
    std::optional<Exchange::Outgoing> frame;
    while (messages.size() < kMaxSending && (frame = events_->nextFrame(peer))) {
      Moving &next = messages.emplace_back();
      auto append = [&](std::span<const std::byte> bytes) {
        next.bytes.insert(next.bytes.end(), bytes.begin(), bytes.end());
      };
      append(frame->header);
      append(std::as_bytes(std::span(frame->text)));
      for (std::span<const std::byte> piece : frame->chunk)
        append(piece);
      frame.reset(); // its memory is the sender's again
      TENON_ASSIGN_OR_RETURN(next.request, mpi_->send(next.bytes, peer, kFrames));
      hasMoved = true;
    }
    if (messages.size() >= kMaxSending)
      full_.insert(peer);
  }
  return hasMoved;
}

StatusOr<bool> MpiNetwork::receiveSome() {
  TENON_ASSIGN_OR_RETURN(std::optional<Mpi::Message> message, mpi_->find(kFrames));
  if (!message)
    return false;
  if (message->bytes > kMaxFrameBytes)
    return Status(StatusCode::kDataLoss,
                  "a message of " + std::to_string(message->bytes) + " bytes has come by MPI: longer than any of ours");
  Moving &next = receiving_[message->from].emplace_back();
  next.bytes.resize(message->bytes);
  TENON_ASSIGN_OR_RETURN(next.request, mpi_->receive(*message, next.bytes));
  return true;
}

StatusOr<bool> MpiNetwork::deliverSome() {
  bool hasMoved = false;
  for (auto &[peer, messages] : receiving_)
    while (!messages.empty()) {
      Moving &next = messages.front();
      TENON_ASSIGN_OR_RETURN(bool isDone, mpi_->isDone(next.request));
      if (!isDone)
        break;
      std::span<const std::byte> piece(next.bytes);
      if (Status status = events_->received(peer, {&piece, 1}); !status.ok())
        lose(peer, status);
      messages.pop_front();
      hasMoved = true;
    }
  return hasMoved;
}

bool MpiNetwork::hasSentAll() const {
  return std::all_of(sending_.begin(), sending_.end(), [](const auto &each) { return each.second.empty(); });
}

void MpiNetwork::run() {
  auto pause = kFirstPause;
  auto step = [&]() -> StatusOr<bool> {
    TENON_ASSIGN_OR_RETURN(bool hasSent, sendSome());
    TENON_ASSIGN_OR_RETURN(bool hasReceived, receiveSome());
    TENON_ASSIGN_OR_RETURN(bool hasDelivered, deliverSome());
    return hasSent || hasReceived || hasDelivered;
  };
  while (true) {
    StatusOr<bool> hasMoved = step();
    if (!hasMoved.ok()) {
      for (Peer peer = 0; peer < mpi_->size(); ++peer)
        if (peer != mpi_->rank())
          lose(peer, hasMoved.status());
      return;
    }
    pause = *hasMoved ? kFirstPause : std::min(2 * pause, kLongestPause);
    std::unique_lock lock(mutex_);
    if (isEnding_ && (hasSentAll() || Clock::now() >= end_))
      return;
    if (!*hasMoved)
      changed_.wait_for(lock, pause, [&] { return !awake_.empty(); });
  }
}

void MpiNetwork::shutDown(milliseconds grace, bool hasFailed) {
  if (!thread_.joinable())
    return;
  {
    std::lock_guard lock(mutex_);
    isEnding_ = true;
    end_ = Clock::now() + grace;
  }
  changed_.notify_all();
  thread_.join();
  control_->shutDown(grace, hasFailed);
  if (!hasFailed && lost_.empty() && hasSentAll()) {
    (void)mpi_->end();
    return;
  }
  // MPI may go on to use the memory of what is on its way, and its end would wait for a process that has gone.
  using Messages = std::map<Peer, std::deque<Moving>>;
  [[maybe_unused]] static std::vector<Messages *> &kept = *new std::vector<Messages *>;
  kept.push_back(new Messages(std::move(sending_)));
  kept.push_back(new Messages(std::move(receiving_)));
}

} // namespace tenon::runtime
