// PJRT_Buffer: an array on a device, present or still being computed.
//
// A buffer is a handle; the array itself is a Value, held by the buffer, by the operations in flight that read or write
// it, and by external references (NumPy views, DLPack). Deleting or donating a buffer only drops its hold. A program
// may reuse the memory of a donated argument when nobody else holds the value, and otherwise computes into fresh
// memory; so donation is always safe and never has to wait.
#pragma once

#include "tenon/pjrt/client.h"
#include "tenon/pjrt/event.h"
#include "tenon/pjrt/types.h"

#include <atomic>
#include <thread>

namespace tenon::pjrt {

// Memory of one array: the runtime's, a device's, or somebody else's with a function to call when it is no longer used.
class Block {
public:
  using Release = std::function<void()>;

  Block() = default;
  // kResourceExhausted when there is no memory left.
  static StatusOr<Block> allocate(int64_t bytes, runtime::Device *device = nullptr);
  // A copy of an array of the host's.
  static StatusOr<Block> ofHost(const void *from, int64_t bytes, runtime::Device *device);
  static Block borrow(void *data, int64_t bytes, bool writable, Release release, runtime::Device *device = nullptr);
  // The memory of another one, which all that share it keep, and in which none of them computes in place.
  static Block share(std::shared_ptr<const Block> other);
  // A block of the device's memory, or of the host's, with the bytes of another.
  static StatusOr<Block> copyOf(const Block &other, runtime::Device *device);
  Block(Block &&other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)),
        device_(std::exchange(other.device_, nullptr)), owned_(std::exchange(other.owned_, false)),
        writable_(std::exchange(other.writable_, false)), release_(std::move(other.release_)) {}
  Block &operator=(Block &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Block();

  void *data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  // Whose memory it is; null: the host's.
  runtime::Device *device() const { return device_; }
  // Copies bytes to the host's memory, wherever the block is.
  Status read(int64_t offset, void *to, int64_t bytes) const;
  // Whether it is the runtime's or the device's, which it goes back to.
  bool owned() const { return owned_; }
  // Whether a program may compute a result in place here.
  bool writable() const { return writable_; }

private:
  static StatusOr<Block> own(StatusOr<void *> memory, int64_t bytes, runtime::Device *device);
  void swap(Block &other) noexcept;
  void *data_ = nullptr;
  int64_t bytes_ = 0;
  runtime::Device *device_ = nullptr;
  bool owned_ = false, writable_ = false;
  Release release_;
};

class SharedMemory;

// What came of a run, once its results are completed.
struct RunOutcome {
  Status status;
};

// Completed once the memory holds the array; the memory is only to be touched after that, or by whoever completes it,
// or, in the device's order, where the value is in its stream (runs_in_flight.h).
class Value final : public Completion {
public:
  Value() = default;
  explicit Value(Block memory, std::vector<int64_t> sizes = {})
      : Completion(kDone), block(std::move(memory)), sizes(std::move(sizes)) {}
  ~Value() override;
  Block block;
  // How much of each dimension counts, where the buffer's type leaves that open; else empty.
  std::vector<int64_t> sizes;
  // Set before the value is completed: what the device is given to do from then on finds the array.
  std::atomic<bool> isInStream{false};
  bool isInFlight = false; // what completes it has a reference; see isHeldAlone
  // If several devices have the result in one memory: that memory, and whether the run that computes the result still
  // has its reference.
  std::shared_ptr<SharedMemory> sharedMemory;
  std::atomic<bool> isPromised{false};
  std::shared_ptr<RunOutcome> maker; // of a value that is, or has been, in the stream
  bool isListed = false;             // HostCopies may know it
};

// Held for a few instructions.
class SpinLock {
public:
  void lock() {
    while (flag_.test_and_set(std::memory_order_acquire))
      std::this_thread::yield();
  }
  void unlock() { flag_.clear(std::memory_order_release); }

private:
  std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
};

} // namespace tenon::pjrt

struct PJRT_Buffer {
  PJRT_Buffer(tenon::pjrt::BufferTypeRef type, PJRT_Memory *memory, tenon::pjrt::Ref<tenon::pjrt::Value> value)
      : type(std::move(type)), memory(memory), value_(std::move(value)) {}

  const tenon::pjrt::BufferTypeRef type;
  PJRT_Memory *const memory;

  PJRT_Device *device() const { return tenon::pjrt::asMemory(memory)->device; }
  // Null once deleted or donated.
  tenon::pjrt::Ref<tenon::pjrt::Value> value() const;
  // The same, kept readable by external references after a deletion.
  tenon::pjrt::Ref<tenon::pjrt::Value> valueOrExternal() const;
  // Takes the buffer's hold away; null if that has happened already.
  tenon::pjrt::Ref<tenon::pjrt::Value> take();
  bool addExternalReference();
  bool dropExternalReference();
  // The sizes of the array, which lives as long as the buffer. Waits for the array where they depend on it.
  tenon::StatusOr<const std::vector<int64_t> *> sizes();

private:
  mutable tenon::pjrt::SpinLock lock_;
  tenon::pjrt::Ref<tenon::pjrt::Value> value_, external_;
  int64_t externalReferences_ = 0;
  std::vector<int64_t> sizes_;
};

namespace tenon::pjrt {

// The array, or the error that every use of a deleted buffer gets.
StatusOr<Ref<Value>> liveValue(const PJRT_Buffer *buffer);
Status deletedError();

// Calls `work` with the ready value: at once, or from the thread that completes it. `work` returns what the operation's
// own completion gets; an error of the value is passed on without calling it.
Ref<Completion> whenReady(Ref<Value> value, std::function<Status(Value &)> work);

void fillBufferSlots(PJRT_Api &api);       // what a buffer is, its life, its memory
void fillBufferCopySlots(PJRT_Api &api);   // copies out of buffers
void fillBufferCreateSlots(PJRT_Api &api); // buffers from host memory, views, promises
void fillTransferSlots(PJRT_Api &api);     // the asynchronous transfer manager

} // namespace tenon::pjrt
