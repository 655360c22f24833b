#include "tenon/runtime/core/device_streams.h"

#include "tenon/runtime/core/relayout.h"
#include "tenon/runtime/core/wait_until.h"
#include "tenon/support/strides.h"

#include <cstring>

namespace tenon::runtime {

// --- Types and items ---

std::string StreamType::toString() const {
  std::string text = shape.toString();
  if (isRowMajor(shape.dims, layout))
    return text;
  text += '{';
  for (size_t i = 0; i < layout.size(); ++i)
    text += (i ? "," : "") + std::to_string(layout[i]);
  return text + '}';
}

bool StreamType::operator==(const StreamType &other) const {
  if (shape != other.shape)
    return false;
  bool mine = isRowMajor(shape.dims, layout), others = isRowMajor(shape.dims, other.layout);
  return mine == others && (mine || layout == other.layout);
}

std::string toString(std::span<const StreamType> types) {
  std::string text;
  for (const StreamType &type : types)
    text += (text.empty() ? "" : ", ") + type.toString();
  return types.size() == 1 ? text : "(" + text + ")";
}

StatusOr<StreamArray> StreamArray::copyOf(StreamType type, const void *data) {
  if (!type.layout.empty() && !isPermutation(type.layout, type.shape.dims.size()))
    return invalidArgument("the layout of " + type.shape.toString() + " is not an order of its dimensions");
  auto bytes = size_t(type.shape.byteSize());
  StreamArray array{std::move(type), {}};
  if (bytes == 0)
    return array;
  array.data = Buffer(bytes);
  if (!array.data)
    return Status(StatusCode::kResourceExhausted, "out of memory: cannot allocate " + std::to_string(bytes) + " bytes");
  std::memcpy(array.data.data(), data, bytes);
  return array;
}

int64_t StreamItem::bytes() const {
  int64_t sum = 0;
  for (const StreamArray &array : arrays)
    sum += array.type.shape.byteSize();
  return sum;
}

std::vector<StreamType> StreamItem::types() const {
  std::vector<StreamType> types;
  for (const StreamArray &array : arrays)
    types.push_back(array.type);
  return types;
}

// --- Queues ---

Status StreamQueue::waitFor(std::unique_lock<std::mutex> &lock, const Wait &wait, const char *what,
                            bool (StreamQueue::*ready)() const) {
  auto isReady = [&] { return (this->*ready)(); };
  ++waiting_;
  bool done = waitUntil(changed_, lock, wait, isReady);
  --waiting_;
  if (wait.stop.stop_requested())
    return {StatusCode::kCancelled, "cancelled while waiting for " + name_ + what};
  if (!done)
    return {StatusCode::kDeadlineExceeded, "the deadline passed while waiting for " + name_ + what};
  return closed_;
}

Status StreamQueue::push(StreamItem item, const Wait &wait) {
  std::unique_lock lock(mutex_);
  TENON_RETURN_IF_ERROR(waitFor(lock, wait, " to have room", &StreamQueue::canPush));
  if (finished_)
    return failedPrecondition(name_ + " is finished and takes no more data");
  bytes_ += item.bytes();
  items_.push_back(std::move(item));
  lock.unlock();
  changed_.notify_all();
  return {};
}

StatusOr<StreamItem> StreamQueue::pop(const Wait &wait) {
  std::unique_lock lock(mutex_);
  TENON_RETURN_IF_ERROR(waitFor(lock, wait, "", &StreamQueue::canPop));
  if (items_.empty())
    return Status(StatusCode::kOutOfRange, name_ + " has no more data: " + std::to_string(taken_) +
                                               (taken_ == 1 ? " item has" : " items have") + " been taken from it");
  StreamItem item = std::move(items_.front());
  items_.pop_front();
  bytes_ -= item.bytes();
  ++taken_;
  lock.unlock();
  changed_.notify_all();
  return item;
}

StatusOr<StreamItem> StreamQueue::pop(std::span<const StreamType> types, const Wait &wait) {
  TENON_ASSIGN_OR_RETURN(StreamItem item, pop(wait));
  std::vector<StreamType> given = item.types();
  if (!std::equal(given.begin(), given.end(), types.begin(), types.end()))
    return invalidArgument(name_ + " holds " + toString(given) + " where " + toString(types) + " is expected");
  return item;
}

void StreamQueue::finish() {
  {
    std::lock_guard lock(mutex_);
    finished_ = true;
  }
  changed_.notify_all();
}

void StreamQueue::close(Status reason) {
  std::deque<StreamItem> dropped;
  {
    std::lock_guard lock(mutex_);
    closed_ = std::move(reason);
    dropped.swap(items_);
    bytes_ = 0;
  }
  changed_.notify_all();
}

void StreamQueue::reset() {
  std::deque<StreamItem> dropped;
  {
    std::lock_guard lock(mutex_);
    closed_ = Status();
    finished_ = false;
    dropped.swap(items_);
    bytes_ = taken_ = 0;
  }
  changed_.notify_all();
}

int64_t StreamQueue::itemCount() const {
  std::lock_guard lock(mutex_);
  return int64_t(items_.size());
}

int64_t StreamQueue::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

bool StreamQueue::hasRoom() const {
  std::lock_guard lock(mutex_);
  return canPush();
}

bool StreamQueue::hasItem() const {
  std::lock_guard lock(mutex_);
  return canPop();
}

int64_t StreamQueue::waiting() const {
  std::lock_guard lock(mutex_);
  return waiting_;
}

// --- Devices and channels ---

DeviceStreams::DeviceStreams(int32_t device, int64_t capacityBytes)
    : infeed("the infeed of device " + std::to_string(device), capacityBytes),
      outfeed("the outfeed of device " + std::to_string(device), capacityBytes), device_(device),
      capacity_(capacityBytes) {}

DeviceStreams &DeviceStreams::ofDevice(int32_t device) {
  static auto *mutex = new std::mutex;
  static auto *all = new std::map<int32_t, std::unique_ptr<DeviceStreams>>;
  std::lock_guard lock(*mutex);
  std::unique_ptr<DeviceStreams> &streams = (*all)[device];
  if (!streams)
    streams = std::make_unique<DeviceStreams>(device);
  return *streams;
}

StreamQueue &DeviceStreams::queueOf(std::map<int64_t, std::unique_ptr<StreamQueue>> &queues, int64_t channel,
                                    const char *direction) {
  std::lock_guard lock(mutex_);
  std::unique_ptr<StreamQueue> &queue = queues[channel];
  if (!queue) {
    queue = std::make_unique<StreamQueue>(
        "channel " + std::to_string(channel) + direction + "of device " + std::to_string(device_), capacity_);
    if (closed_)
      queue->close(*closed_);
  }
  return *queue;
}

StreamQueue &DeviceStreams::toHost(int64_t channel) { return queueOf(toHost_, channel, " to the host "); }
StreamQueue &DeviceStreams::fromHost(int64_t channel) { return queueOf(fromHost_, channel, " from the host "); }

void DeviceStreams::close(const Status &reason) {
  infeed.close(reason);
  outfeed.close(reason);
  std::lock_guard lock(mutex_);
  closed_ = reason;
  for (auto *queues : {&toHost_, &fromHost_})
    for (auto &[channel, queue] : *queues)
      queue->close(reason);
}

Channels &Channels::ofProcess() {
  static auto *channels = new Channels;
  return *channels;
}

StreamQueue &Channels::queue(const Key &key) {
  std::lock_guard lock(mutex_);
  std::unique_ptr<StreamQueue> &queue = queues_[key];
  if (!queue) {
    std::string name = "channel " + std::to_string(key.channel);
    if (!key.isOpen())
      name += " from process " + std::to_string(key.source) + " to process " + std::to_string(key.target);
    queue = std::make_unique<StreamQueue>(name, capacity_);
    if (closed_)
      queue->close(*closed_);
  }
  return *queue;
}

Status Channels::send(const Key &key, StreamItem item, int64_t, const Wait &wait) {
  return queue(key).push(std::move(item), wait);
}

StatusOr<StreamItem> Channels::receive(const Key &key, std::span<const StreamType> types, int64_t, const Wait &wait) {
  StreamQueue &queue = this->queue(key);
  if (alone_ && queue.itemCount() == 0)
    return failedPrecondition("waits for a message on " + queue.name() + ", which nobody has sent and nobody will");
  return queue.pop(types, wait);
}

Status Channels::finish(std::span<const Key>, int64_t, const Wait &) { return {}; }

void Channels::close(const Status &reason) {
  std::lock_guard lock(mutex_);
  closed_ = reason;
  for (auto &[key, queue] : queues_)
    queue->close(reason);
}

} // namespace tenon::runtime
