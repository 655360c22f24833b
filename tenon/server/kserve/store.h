// The folder that models are served from:
//
//   MODELS/
//     classifier/            the model's name
//       config.json          (config.h); may be missing
//       1/model.mlirbc       a version: a program in any form that is read, in a file whose name begins with "model."
//       2/model.mlirbc
//
// The folder is looked at again and again, and when a client asks. A version is served as soon as it is compiled; those
// that it replaces serve until then, and go on where it cannot be. What is under way with a version that goes comes to
// its end.
#pragma once

#include "tenon/server/kserve/model.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <set>
#include <thread>

namespace tenon::kserve {

struct StoreOptions {
  std::string folder;
  std::chrono::nanoseconds poll{0}; // between looks at the folder; 0: only when a client asks
  ModelLimits limits;
  // Told of each version that has begun to serve, could not, or has ended. From any thread; may be empty.
  std::function<void(const std::string &event, const std::string &model, int64_t version, const Status &status)> log;
};

// A version that is there, as the extension model_repository names its state.
struct IndexEntry {
  std::string name;
  int64_t version = 0; // 0: of the model as a whole
  std::string state;   // "READY", "LOADING", "UNAVAILABLE"
  std::string reason;
};

class Store {
public:
  // The backend must outlive the store.
  Store(backend::Backend &backend, StoreOptions options) : backend_(backend), options_(std::move(options)) {}
  ~Store() { stop(); }

  // Begins to load what is in the folder, on a thread of its own. FAILED_PRECONDITION where there is no such folder.
  Status start();
  // Ends what runs, and loads nothing from now on.
  void stop();

  // Whether the folder has been read and each model in it serves, those apart that clients have unloaded.
  bool isReady() const;
  // The version that serves, or the newest that does for version 0. NOT_FOUND for what is not in the folder, otherwise
  // UNAVAILABLE with the reason.
  StatusOr<std::shared_ptr<Model>> find(const std::string &name, int64_t version) const;
  // All versions of the model that serve, ascending.
  std::vector<std::shared_ptr<Model>> serving(const std::string &name) const;
  std::vector<std::shared_ptr<Model>> serving() const;

  std::vector<IndexEntry> index() const;
  // Takes what the folder has of the model now, and returns when it serves or has failed.
  Status load(const std::string &name);
  // The model ends to serve until it is loaded.
  Status unload(const std::string &name);

private:
  struct Version {
    std::string stamp; // of the files that it was loaded from, or that failed
    std::string reason;
    bool isLoading = false;
    std::shared_ptr<Model> model; // null unless it serves
  };
  struct Entry {
    std::map<int64_t, Version> versions;
    std::string reason; // why the folder as a whole cannot be served
    bool isUnloaded = false;
  };
  struct Found;

  void watch();
  void lookAtAll();
  // Brings what serves in line with the folder. The error is the first of a version that was to serve. `again`: tries
  // what has failed with the same files before.
  Status reconcile(const std::string &name, bool again);
  Status loadVersion(const std::string &name, int64_t version, const Found &found, bool again);
  void retire(const std::string &name, const std::set<int64_t> &kept);
  StatusOr<Found> readFolder(const std::string &name) const;
  void log(const std::string &event, const std::string &model, int64_t version, const Status &status) const;

  backend::Backend &backend_;
  const StoreOptions options_;
  std::mutex loading_; // held while something is compiled: one at a time
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Entry> models_;
  bool isRead_ = false, ends_ = false;
  std::thread watcher_;
};

} // namespace tenon::kserve
