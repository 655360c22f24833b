// Counted references for objects on the dispatch path: one word, no separate control block.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace tenon::pjrt {

template <typename T> class Ref;

// Starts with no references; the first Ref makes it owned.
class RefCounted {
public:
  RefCounted() = default;
  RefCounted(const RefCounted &) = delete;
  RefCounted &operator=(const RefCounted &) = delete;
  int32_t references() const { return references_.load(std::memory_order_acquire); }

protected:
  virtual ~RefCounted() = default;

private:
  template <typename T> friend class Ref;
  void retain() const { references_.fetch_add(1, std::memory_order_relaxed); }
  // False if the last reference has gone.
  bool retainIfLive() const {
    int32_t count = references_.load(std::memory_order_relaxed);
    while (count != 0)
      if (references_.compare_exchange_weak(count, count + 1, std::memory_order_acquire, std::memory_order_relaxed))
        return true;
    return false;
  }
  void release() const {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }
  mutable std::atomic<int32_t> references_{0};
};

template <typename T> class Ref {
public:
  Ref() = default;
  Ref(T *object) : object_(object) {
    if (object_)
      object_->retain();
  }
  Ref(const Ref &other) : Ref(other.object_) {}
  Ref(Ref &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref &operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_)
      object_->release();
  }

  // A reference to an object that the caller does not hold, but whose destructor has not ended; null if the last
  // reference has gone.
  static Ref ofLive(T *object) {
    Ref ref;
    if (object->retainIfLive())
      ref.object_ = object;
    return ref;
  }

  T *get() const { return object_; }
  T *operator->() const { return object_; }
  T &operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const Ref &other) const { return object_ == other.object_; }

private:
  T *object_ = nullptr;
};

template <typename T, typename... Args> Ref<T> makeRef(Args &&...args) {
  return Ref<T>(new T(std::forward<Args>(args)...));
}

} // namespace tenon::pjrt
