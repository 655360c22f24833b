// The threads that help are kept, not for the time that it takes to make one, but for memory: malloc gives a new thread
// the next of its arenas in turn, so with one new thread for each program, each arena would come to hold the megabyte
// that compiling it takes.
//
// A helper takes part only if it comes before the caller has done all the work, and the caller waits for those that
// take part. So nobody waits for threads that are busy elsewhere, could not be started or were lost in a fork.

#include "tenon/support/parallel.h"

#include "tenon/support/cpu_quota.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>

#if defined(__linux__)
#include <pthread.h>
#endif

namespace tenon {
namespace {

class Helpers {
public:
  static Helpers &ofProcess() {
    static auto *instance = new Helpers; // never destroyed: its threads never end
    return *instance;
  }

  // Calls `share` here and on up to `count` helpers, at the same time.
  void call(int count, const std::function<void()> &share) {
    std::list<Offer> own;
    own.emplace_back(share, count);
    Offer &offer = own.front();
    {
      std::lock_guard lock(mutex_);
      start(count);
      offers_.splice(offers_.end(), own);
    }
    offered_.fetch_add(1);
    offered_.notify_all();
    share();
    std::unique_lock lock(mutex_);
    offer.places = 0;
    while (int inside = offer.inside) {
      lock.unlock();
      offer.inside.wait(inside);
      lock.lock();
    }
    offers_.remove_if([&](const Offer &other) { return &other == &offer; });
  }

private:
  struct Offer {
    Offer(const std::function<void()> &share, int places) : share(share), places(places) {}
    const std::function<void()> &share;
    int places; // for helpers who have not come yet
    std::atomic<int> inside{0};
  };

  void start(int count) {
    for (; started_ < count; ++started_) {
      try {
        std::thread([this] { help(); }).detach();
      } catch (const std::system_error &) {
        return; // the caller does the work of those that there are no threads for
      }
    }
  }

  void help() {
#if defined(__linux__)
    pthread_setname_np(pthread_self(), "tenon-compiler");
#endif
    std::unique_lock lock(mutex_);
    while (true) {
      auto offer = std::find_if(offers_.begin(), offers_.end(), [](const Offer &offer) { return offer.places > 0; });
      if (offer == offers_.end()) {
        uint32_t seen = offered_.load();
        lock.unlock();
        offered_.wait(seen);
        lock.lock();
        continue;
      }
      --offer->places;
      ++offer->inside;
      lock.unlock();
      offer->share();
      lock.lock();
      --offer->inside;
      offer->inside.notify_all(); // with the lock: the caller takes the offer away
    }
  }

  std::mutex mutex_;
  // No condition variable: in the child of a fork those wait for the parent's threads.
  std::atomic<uint32_t> offered_{0};
  std::list<Offer> offers_;
  int started_ = 0;
};

} // namespace

void forEachInParallel(size_t count, int threads, const std::function<void(size_t)> &work) {
  std::atomic<size_t> next{0};
  auto share = [&] {
    for (size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1))
      work(i);
  };
  int most = threads > 0 ? threads : usableCpus();
  if (size_t helpers = std::min(count, size_t(most)); helpers > 1)
    Helpers::ofProcess().call(int(helpers) - 1, share);
  else
    share();
}

} // namespace tenon
