#include "tenon/pjrt/host_transfers.h"

#include "tenon/pjrt/error.h"
#include "tenon/pjrt/event.h"
#include "tenon/runtime/core/wait_until.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <vector>

namespace tenon::pjrt {
namespace {

// The data that one `recv` waits for. The framework's handle and the program share it, as either may give up first.
class Reception {
public:
  explicit Reception(std::span<const runtime::StreamType> types) {
    for (const runtime::StreamType &type : types) {
      auto bytes = static_cast<size_t>(type.shape.byteSize());
      item_.arrays.push_back({type, runtime::Buffer(std::max<size_t>(bytes, 1))});
      isAllocated_ &= static_cast<bool>(item_.arrays.back().data);
    }
    total_ = item_.bytes();
  }

  bool isAllocated() const { return isAllocated_; }
  int64_t total() const { return total_; }
  int64_t current() {
    std::lock_guard lock(mutex_);
    return current_;
  }

  Status add(const void *data, int64_t bytes) {
    {
      std::lock_guard lock(mutex_);
      if (current_ + bytes > total_) {
        Status status = invalidArgument("a chunk of " + std::to_string(bytes) + " bytes was added to a stream of " +
                                        std::to_string(total_) + " bytes that has " + std::to_string(current_));
        if (status_.ok())
          status_ = status;
        changed_.notify_all();
        return status;
      }
      copy(static_cast<const char *>(data), bytes);
    }
    changed_.notify_all();
    return {};
  }

  // The framework has given up its handle: nothing more comes.
  void abandon() {
    {
      std::lock_guard lock(mutex_);
      if (current_ < total_ && status_.ok())
        status_ = {StatusCode::kDataLoss,
                   "the framework gave " + std::to_string(current_) + " of " + std::to_string(total_) + " bytes"};
    }
    changed_.notify_all();
  }

  StatusOr<runtime::StreamItem> take(const runtime::Wait &wait) {
    std::unique_lock lock(mutex_);
    auto isDone = [this] { return current_ == total_ || !status_.ok(); };
    bool done = runtime::waitUntil(changed_, lock, wait, isDone);
    if (wait.stop.stop_requested())
      return Status(StatusCode::kCancelled, "cancelled while waiting for data from the framework");
    if (!done)
      return Status(StatusCode::kDeadlineExceeded, "the deadline passed while waiting for data from the framework");
    if (!status_.ok())
      return status_;
    return std::move(item_);
  }

private:
  // Appends bytes to the data received so far, filling one array after the other.
  void copy(const char *data, int64_t bytes) {
    int64_t begin = 0; // of the array, in the stream
    for (runtime::StreamArray &array : item_.arrays) {
      int64_t size = array.type.shape.byteSize(), at = std::max<int64_t>(current_ - begin, 0);
      int64_t part = std::min(bytes, size - at);
      begin += size;
      if (part <= 0)
        continue;
      std::memcpy(static_cast<char *>(array.data.data()) + at, data, static_cast<size_t>(part));
      data += part;
      bytes -= part;
      current_ += part;
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  runtime::StreamItem item_;
  bool isAllocated_ = true;
  int64_t total_ = 0, current_ = 0;
  Status status_;
};

} // namespace
} // namespace tenon::pjrt

struct PJRT_CopyToDeviceStream {
  std::shared_ptr<tenon::pjrt::Reception> reception;
};

namespace tenon::pjrt {
namespace {

class CallbackTransfers : public runtime::HostTransfers {
public:
  std::vector<PJRT_SendCallbackInfo> sends;
  std::vector<PJRT_RecvCallbackInfo> receives;

  Status send(int64_t channel, runtime::StreamItem item, const runtime::Wait &) override {
    const PJRT_SendCallbackInfo *info = find(sends, channel);
    if (!info)
      return missing("send", channel);
    int64_t total = item.bytes();
    for (size_t i = 0; i < item.arrays.size(); ++i) {
      auto *array = new runtime::StreamArray(std::move(item.arrays[i]));
      PJRT_Chunk chunk{array->data.data(), static_cast<size_t>(array->type.shape.byteSize()),
                       [](void *, void *owner) { delete static_cast<runtime::StreamArray *>(owner); }, array};
      bool done = i + 1 == item.arrays.size();
      PJRT_CallbackError callback = callbackError;
      PJRT_Error *error = info->send_callback(&chunk, &callback, static_cast<size_t>(total), done, info->user_arg);
      if (error)
        return takeStatus(error);
    }
    return {};
  }

  StatusOr<runtime::StreamItem> receive(int64_t channel, std::span<const runtime::StreamType> types,
                                        const runtime::Wait &wait) override {
    const PJRT_RecvCallbackInfo *info = find(receives, channel);
    if (!info)
      return missing("receive", channel);
    auto reception = std::make_shared<Reception>(types);
    if (!reception->isAllocated())
      return Status(StatusCode::kResourceExhausted, "out of memory");
    info->recv_callback(new PJRT_CopyToDeviceStream{reception}, info->user_arg);
    return reception->take(wait);
  }

private:
  template <typename Info> static const Info *find(const std::vector<Info> &infos, int64_t channel) {
    auto found = std::find_if(infos.begin(), infos.end(), [&](const Info &info) { return info.channel_id == channel; });
    return found == infos.end() ? nullptr : &*found;
  }
  static Status missing(const char *kind, int64_t channel) {
    return failedPrecondition("the framework gave no " + std::string(kind) + " callback for channel " +
                              std::to_string(channel));
  }
};

Status addChunk(PJRT_CopyToDeviceStream_AddChunk_Args &args) {
  PJRT_Chunk &chunk = *args.chunk;
  Status status = args.stream->reception->add(chunk.data, static_cast<int64_t>(chunk.size));
  if (chunk.deleter)
    chunk.deleter(chunk.data, chunk.deleter_arg);
  args.transfer_complete = status.ok() ? makeDoneEvent() : makeErrorEvent(status);
  return {};
}

} // namespace

std::unique_ptr<runtime::HostTransfers> makeHostTransfers(const PJRT_ExecuteOptions &options, size_t device) {
  if (!options.num_send_ops && !options.num_recv_ops)
    return nullptr;
  auto transfers = std::make_unique<CallbackTransfers>();
  if (options.num_send_ops)
    transfers->sends.assign(options.send_callbacks[device], options.send_callbacks[device] + options.num_send_ops);
  if (options.num_recv_ops)
    transfers->receives.assign(options.recv_callbacks[device], options.recv_callbacks[device] + options.num_recv_ops);
  return transfers;
}

void fillStreamSlots(PJRT_Api &api) {
  TENON_PJRT_SLOT(api, PJRT_CopyToDeviceStream_Destroy, [](PJRT_CopyToDeviceStream_Destroy_Args &args) -> Status {
    if (args.stream)
      args.stream->reception->abandon();
    delete args.stream;
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_CopyToDeviceStream_AddChunk, addChunk);
  TENON_PJRT_SLOT(api, PJRT_CopyToDeviceStream_TotalBytes, [](PJRT_CopyToDeviceStream_TotalBytes_Args &args) -> Status {
    args.total_bytes = args.stream->reception->total();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_CopyToDeviceStream_GranuleSize,
                  [](PJRT_CopyToDeviceStream_GranuleSize_Args &args) -> Status {
                    args.granule_size_in_bytes = 1;
                    return {};
                  });
  TENON_PJRT_SLOT(api, PJRT_CopyToDeviceStream_CurrentBytes,
                  [](PJRT_CopyToDeviceStream_CurrentBytes_Args &args) -> Status {
                    args.current_bytes = args.stream->reception->current();
                    return {};
                  });
}

} // namespace tenon::pjrt
