// That programs over several OS processes cannot go on, for who waits for it in the framework's language. A program
// that is launched or compiled afterwards ends with that error; while Python traces one, nobody asks.
#pragma once

#include "tenon/runtime/control/processes.h"

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>

namespace tenon::pjrt {

class FailureNews {
public:
  // The news of all clients. They live as long as the OS process: a thread may wait when that ends.
  static FailureNews &ofAll();

  // Waits until there is a source that has failed, and says why.
  std::string await();
  // The same without waiting: "" if there is none.
  std::string failure();

  // Tells when these fail, which counts as long as it lives; not when they end as they mean to.
  class Source {
  public:
    explicit Source(runtime::Processes &processes);
    ~Source() { ofAll().forget(this); }
    Source(const Source &) = delete;
    Source &operator=(const Source &) = delete;

  private:
    std::stop_callback<std::function<void()>> told_;
  };

private:
  void tell(const Source *source, const Status &status);
  void forget(const Source *source);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<const Source *, std::string> failures_;
};

} // namespace tenon::pjrt
