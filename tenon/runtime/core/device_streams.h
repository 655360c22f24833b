// What a device exchanges with its host and with other devices while a program runs: infeed, outfeed, send and recv.
//
//   DeviceStreams &streams = DeviceStreams::ofDevice(0);
//   streams.infeed.push(item);                       // any thread, before or while the program runs
//   StatusOr<StreamItem> item = streams.outfeed.pop();
//
// Every queue is first in, first out, safe to use from any threads, and bounded: who pushes more than it holds waits,
// on the host and in the program alike. A program that waits sleeps on the thread that called LoadedProgram::run and
// holds none of the pool's workers, so others run meanwhile, those that feed it included; it must not be run by the
// thread that is to feed it. Waiting ends with an error when the caller's Wait says so, or when the queue is closed.
#pragma once

#include "tenon/program/program.h"
#include "tenon/runtime/core/memory.h"
#include "tenon/runtime/core/wait.h"
#include "tenon/status.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace tenon::runtime {

// One array of an item: its type, and the order of dimensions in memory, minor to major (empty: row-major).
struct StreamType {
  program::Shape shape;
  std::vector<int64_t> layout;

  // "f32[2,3]", with "{0,1}" behind it where the order is not row-major.
  std::string toString() const;
  // Orders that put the elements into the same places are equal.
  bool operator==(const StreamType &other) const;
};
std::string toString(std::span<const StreamType> types);

struct StreamArray {
  StreamType type;
  Buffer data; // in program::ElementType's storage

  // A copy of `data`.
  static StatusOr<StreamArray> copyOf(StreamType type, const void *data);
};

// What one infeed, outfeed, send or recv moves. `config` is the op's opaque string, of outfeeds.
struct StreamItem {
  std::vector<StreamArray> arrays;
  std::string config;
  std::shared_ptr<void> account; // see RunOptions::account

  int64_t bytes() const;
  std::vector<StreamType> types() const;
};

class StreamQueue {
public:
  static constexpr int64_t kDefaultCapacity = int64_t(1) << 30;

  // `name`: how errors call it.
  explicit StreamQueue(std::string name, int64_t capacityBytes = kDefaultCapacity)
      : name_(std::move(name)), capacity_(capacityBytes) {}

  const std::string &name() const { return name_; }

  // An empty queue takes an item of any size.
  Status push(StreamItem item, const Wait &wait = {});
  StatusOr<StreamItem> pop(const Wait &wait = {});
  // Takes the next item, which must have these types: INVALID_ARGUMENT, naming both, where it has not; it is gone then.
  StatusOr<StreamItem> pop(std::span<const StreamType> types, const Wait &wait = {});

  // No more items: what is there can be taken, then pop fails with OUT_OF_RANGE. push fails.
  void finish();
  // Drops the items and makes all calls fail with `reason`, those that wait now too.
  void close(Status reason);
  // Undoes finish and close, and drops the items.
  void reset();

  int64_t itemCount() const;
  int64_t bytes() const;
  // Whether push and pop would not wait.
  bool hasRoom() const;
  bool hasItem() const;
  // Calls of push and pop that wait now.
  int64_t waiting() const;

private:
  Status waitFor(std::unique_lock<std::mutex> &lock, const Wait &wait, const char *what,
                 bool (StreamQueue::*ready)() const);
  bool canPush() const { return items_.empty() || bytes_ < capacity_ || finished_ || !closed_.ok(); }
  bool canPop() const { return !items_.empty() || finished_ || !closed_.ok(); }

  const std::string name_;
  const int64_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<StreamItem> items_;
  int64_t bytes_ = 0, taken_ = 0, waiting_ = 0;
  bool finished_ = false;
  Status closed_;
};

// The host's end of one device.
class DeviceStreams {
public:
  explicit DeviceStreams(int32_t device, int64_t capacityBytes = StreamQueue::kDefaultCapacity);

  // The process's streams of a device, made when first asked for and never destroyed.
  static DeviceStreams &ofDevice(int32_t device);

  StreamQueue infeed, outfeed;
  // The channels of host transfers: what `send` gives to the host, and what `recv` gets from it.
  StreamQueue &toHost(int64_t channel);
  StreamQueue &fromHost(int64_t channel);

  void close(const Status &reason);

private:
  StreamQueue &queueOf(std::map<int64_t, std::unique_ptr<StreamQueue>> &queues, int64_t channel, const char *direction);

  const int32_t device_;
  const int64_t capacity_;
  std::mutex mutex_;
  std::optional<Status> closed_;
  std::map<int64_t, std::unique_ptr<StreamQueue>> toHost_, fromHost_;
};

// The channels between devices. A message goes from a `send` to the `recv` with its channel's id and, where the ops
// name pairs of processes, its source and target.
class Channels {
public:
  // `alone`: nobody beside the one run sends, so that to wait for a message would be for ever; it is an error.
  explicit Channels(bool alone = false, int64_t capacityBytes = StreamQueue::kDefaultCapacity)
      : alone_(alone), capacity_(capacityBytes) {}

  virtual ~Channels() = default;
  Channels(const Channels &) = delete;
  Channels &operator=(const Channels &) = delete;

  // The channels of runs that name none in their RunOptions. They are never destroyed.
  static Channels &ofProcess();

  struct Key {
    int64_t channel = 0;
    int32_t group = 0, source = -1, target = -1;
    // The numbers of both in the grid; they follow from the others.
    int64_t sourceProcess = -1, targetProcess = -1;

    // Whether the ops name no pairs.
    bool isOpen() const { return target < 0; }
    bool operator<(const Key &other) const {
      return std::tie(channel, group, source, target) <
             std::tie(other.channel, other.group, other.source, other.target);
    }
  };
  StreamQueue &queue(const Key &key);

  // Push and pop of a StreamQueue, called by process `self` of the grid. They fail with FAILED_PRECONDITION where it is
  // known that the wait would never end.
  virtual Status send(const Key &key, StreamItem item, int64_t self, const Wait &wait);
  virtual StatusOr<StreamItem> receive(const Key &key, std::span<const StreamType> types, int64_t self,
                                       const Wait &wait);
  // The program of process `self` has ended well; `used` are the channels that it may have sent or received on. Returns
  // when nothing of it is needed any more.
  virtual Status finish(std::span<const Key> used, int64_t self, const Wait &wait);

  // A device failed: those that wait for its messages learn it.
  void close(const Status &reason);

private:
  const bool alone_;
  const int64_t capacity_;
  std::mutex mutex_;
  std::optional<Status> closed_;
  std::map<Key, std::unique_ptr<StreamQueue>> queues_;
};

// Host transfers of one run that go elsewhere than into DeviceStreams (PJRT's callbacks). Calls may block.
class HostTransfers {
public:
  virtual ~HostTransfers() = default;
  virtual Status send(int64_t channel, StreamItem item, const Wait &wait) = 0;
  virtual StatusOr<StreamItem> receive(int64_t channel, std::span<const StreamType> types, const Wait &wait) = 0;
};

} // namespace tenon::runtime
