#include "tenon/server/kserve/store.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ranges>
#include <sys/stat.h>

namespace tenon::kserve {

namespace fs = std::filesystem;

namespace {

StatusOr<std::string> readFile(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file)
    return notFound("cannot read '" + path.string() + "'");
  return text;
}

// What changes when a file is written or replaced.
std::string stampOf(const fs::path &path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0)
    return "none";
  return std::to_string(status.st_ino) + "." + std::to_string(status.st_size) + "." +
         std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
}

// The number that a folder of a version is named after; 0 for other folders.
int64_t versionNamed(const std::string &folder) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(folder.data(), folder.data() + folder.size(), number);
  bool isNumber = error == std::errc() && end == folder.data() + folder.size() && number > 0 && folder.front() != '0';
  return isNumber ? number : 0;
}

// Names come from clients, too: one that is a path would lead out of the folder.
bool isModelName(const std::string &name) {
  auto isPlain = [](char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.'; };
  return !name.empty() && name.size() <= 128 && name.front() != '.' && std::ranges::all_of(name, isPlain);
}

StatusOr<fs::path> programFile(const fs::path &version) {
  fs::path found;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(version, error))
    if (entry.path().filename().string().starts_with("model.")) {
      if (!found.empty())
        return invalidArgument("'" + version.string() + "' has more than one file whose name begins with 'model.'");
      found = entry.path();
    }
  if (found.empty())
    return notFound("'" + version.string() + "' has no program: a file whose name begins with 'model.'");
  return found;
}

} // namespace

// What the folder of a model has.
struct Store::Found {
  fs::path folder;
  std::string configStamp;
  ModelConfig config;
  std::set<int64_t> chosen; // the versions that are to serve
};

void Store::log(const std::string &event, const std::string &model, int64_t version, const Status &status) const {
  if (options_.log)
    options_.log(event, model, version, status);
}

Status Store::start() {
  std::error_code error;
  if (!fs::is_directory(options_.folder, error))
    return failedPrecondition("there is no folder of models '" + options_.folder + "'");
  watcher_ = std::thread([this] { watch(); });
  return {};
}

void Store::stop() {
  {
    std::lock_guard lock(mutex_);
    ends_ = true;
    for (auto &[name, entry] : models_)
      for (auto &[number, version] : entry.versions)
        if (version.model)
          version.model->stop();
  }
  changed_.notify_all();
  if (watcher_.joinable())
    watcher_.join();
}

void Store::watch() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    lock.unlock();
    lookAtAll();
    lock.lock();
    isRead_ = true;
    if (options_.poll.count() > 0)
      changed_.wait_for(lock, options_.poll, [&] { return ends_; });
    else
      changed_.wait(lock, [&] { return ends_; });
  }
}

void Store::lookAtAll() {
  std::set<std::string> names;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(options_.folder, error))
    if (std::string name = entry.path().filename().string(); isModelName(name) && entry.is_directory(error))
      names.insert(name);
  {
    std::lock_guard lock(mutex_);
    for (const auto &[name, entry] : models_) // those whose folder has gone
      names.insert(name);
  }
  for (const std::string &name : names)
    (void)reconcile(name, /*again=*/false);
}

bool Store::isReady() const {
  std::lock_guard lock(mutex_);
  auto isServed = [](const Entry &entry) {
    return entry.isUnloaded ||
           std::ranges::any_of(entry.versions, [](const auto &version) { return version.second.model != nullptr; });
  };
  return isRead_ && !ends_ && std::ranges::all_of(models_, [&](const auto &entry) { return isServed(entry.second); });
}

StatusOr<Store::Found> Store::readFolder(const std::string &name) const {
  Found found;
  found.folder = fs::path(options_.folder) / name;
  std::error_code error;
  if (!isModelName(name) || !fs::is_directory(found.folder, error))
    return notFound("there is no model '" + name.substr(0, 128) + "'");
  fs::path config = found.folder / "config.json";
  found.configStamp = stampOf(config);
  if (fs::exists(config, error)) {
    TENON_ASSIGN_OR_RETURN(auto text, readFile(config));
    TENON_ASSIGN_OR_RETURN(found.config, readConfig(text));
  }
  std::set<int64_t> present;
  for (const auto &entry : fs::directory_iterator(found.folder, error))
    if (int64_t version = versionNamed(entry.path().filename().string()); version > 0 && entry.is_directory(error))
      present.insert(version);
  found.chosen = chosenVersions(found.config.versions, present);
  if (found.chosen.empty())
    return notFound("the model '" + name + "' has no version to serve");
  return found;
}

Status Store::loadVersion(const std::string &name, int64_t number, const Found &found, bool again) {
  fs::path folder = found.folder / std::to_string(number);
  auto file = programFile(folder);
  std::string stamp = found.configStamp + " " + (file.ok() ? stampOf(*file) : file.status().message());
  {
    std::lock_guard lock(mutex_);
    Version &version = models_[name].versions[number];
    if (version.stamp == stamp && (version.reason.empty() || !again))
      return version.reason.empty() ? Status() : Status(StatusCode::kFailedPrecondition, version.reason);
    version.isLoading = true;
  }
  auto model = [&]() -> StatusOr<std::shared_ptr<Model>> {
    TENON_RETURN_IF_ERROR(file.status());
    TENON_ASSIGN_OR_RETURN(auto program, readFile(*file));
    return Model::load(backend_, name, number, std::move(program), found.config, options_.limits);
  }();
  std::shared_ptr<Model> replaced; // ends outside of the lock
  {
    std::lock_guard lock(mutex_);
    Version &version = models_[name].versions[number];
    version.isLoading = false;
    version.stamp = stamp;
    version.reason = model.ok() ? "" : model.status().message();
    if (model.ok())
      replaced = std::exchange(version.model, *model);
    if (model.ok() && ends_)
      (*model)->stop();
  }
  log(model.ok() ? "loaded" : "not loaded", name, number, model.status());
  return model.status();
}

void Store::retire(const std::string &name, const std::set<int64_t> &kept) {
  std::vector<std::shared_ptr<Model>> retired; // end outside of the lock
  {
    std::lock_guard lock(mutex_);
    auto entry = models_.find(name);
    if (entry == models_.end())
      return;
    auto &versions = entry->second.versions;
    for (auto version = versions.begin(); version != versions.end();)
      if (kept.contains(version->first)) {
        ++version;
      } else {
        if (version->second.model)
          retired.push_back(std::move(version->second.model));
        version = versions.erase(version);
      }
  }
  for (const auto &model : retired)
    log("unloaded", name, model->version(), {});
}

Status Store::reconcile(const std::string &name, bool again) {
  std::lock_guard one(loading_);
  auto found = readFolder(name);
  std::error_code error;
  bool isGone = !isModelName(name) || !fs::is_directory(fs::path(options_.folder) / name, error);
  if (isGone)
    retire(name, {});
  {
    std::lock_guard lock(mutex_);
    if (ends_)
      return {StatusCode::kUnavailable, "the server is shutting down"};
    if (isGone) {
      models_.erase(name);
      return found.status();
    }
    Entry &entry = models_[name];
    if (entry.isUnloaded && !again)
      return {};
    entry.isUnloaded = false;
    entry.reason = found.ok() ? "" : found.status().message();
  }
  if (!found.ok())
    return found.status();
  Status first;
  for (int64_t version : found->chosen)
    if (Status status = loadVersion(name, version, *found, again); !status.ok() && first.ok())
      first = status;
  // What serves stays until all that is to serve does.
  if (first.ok())
    retire(name, found->chosen);
  return first;
}

Status Store::load(const std::string &name) { return reconcile(name, /*again=*/true); }

Status Store::unload(const std::string &name) {
  std::lock_guard one(loading_);
  {
    std::lock_guard lock(mutex_);
    auto entry = models_.find(name);
    if (entry == models_.end())
      return notFound("there is no model '" + name.substr(0, 128) + "'");
    entry->second.isUnloaded = true;
  }
  retire(name, {});
  return {};
}

StatusOr<std::shared_ptr<Model>> Store::find(const std::string &name, int64_t version) const {
  std::lock_guard lock(mutex_);
  auto entry = models_.find(name);
  if (entry == models_.end())
    return notFound("there is no model '" + name.substr(0, 128) + "'");
  std::string reason = entry->second.isUnloaded ? "it is unloaded" : entry->second.reason;
  for (const auto &[number, each] : std::views::reverse(entry->second.versions)) {
    if (version != 0 && number != version)
      continue;
    if (each.model)
      return each.model;
    if (reason.empty())
      reason = each.isLoading ? "it is being loaded" : each.reason;
  }
  if (reason.empty() && version != 0)
    return notFound("the model '" + name + "' serves no version " + std::to_string(version));
  return Status(StatusCode::kUnavailable, "the model '" + name + "' does not serve: " + reason);
}

std::vector<std::shared_ptr<Model>> Store::serving(const std::string &name) const {
  std::vector<std::shared_ptr<Model>> result;
  std::lock_guard lock(mutex_);
  if (auto entry = models_.find(name); entry != models_.end())
    for (const auto &[number, version] : entry->second.versions)
      if (version.model)
        result.push_back(version.model);
  return result;
}

std::vector<std::shared_ptr<Model>> Store::serving() const {
  std::vector<std::shared_ptr<Model>> result;
  std::lock_guard lock(mutex_);
  for (const auto &[name, entry] : models_)
    for (const auto &[number, version] : entry.versions)
      if (version.model)
        result.push_back(version.model);
  return result;
}

std::vector<IndexEntry> Store::index() const {
  std::vector<IndexEntry> result;
  std::lock_guard lock(mutex_);
  for (const auto &[name, entry] : models_) {
    if (entry.versions.empty())
      result.push_back({name, 0, "UNAVAILABLE", entry.isUnloaded ? "unloaded" : entry.reason});
    for (const auto &[number, version] : entry.versions)
      result.push_back({name, number,
                        version.model       ? "READY"
                        : version.isLoading ? "LOADING"
                                            : "UNAVAILABLE",
                        version.reason});
  }
  return result;
}

} // namespace tenon::kserve
