#include "tenon/backend/registry.h"

#include "tenon/backend/factories.h"
#include "tenon/support/shown.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <mutex>

namespace tenon::backend {
namespace {

struct Entry {
  const target::Plugin *plugin = nullptr; // null of what is in this process
  std::unique_ptr<Backend> backend;
};

struct Registry {
  std::mutex mutex; // of all below
  std::map<std::string, Entry> entries;
  std::string problems; // of the libraries of TENON_TARGETS
  bool hasEnvironment = false;

  Registry() {
    entries["cpu"];
    entries["cuda"];
    entries["emulated"];
    entries["reference"].backend = makeReferenceBackend();
  }
};

// Never destroyed: programs may run until the process ends.
Registry &registry() {
  static auto *instance = new Registry;
  return *instance;
}

Status checkName(const Registry &known, const std::string &name) {
  auto fits = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; };
  if (name.empty() || !std::all_of(name.begin(), name.end(), fits))
    return invalidArgument("'" + name + "' cannot be a target's name: letters, digits, '-' and '_'");
  if (known.entries.contains(name))
    return {StatusCode::kAlreadyExists, "there is a target '" + name + "' already"};
  return {};
}

Status checkVersion(const target::Plugin &plugin, const std::string &library) {
  if (plugin.abiVersion != target::kAbiVersion)
    return failedPrecondition(library + " is for version " + std::to_string(plugin.abiVersion) +
                              " of the interface of targets, and this is version " +
                              std::to_string(target::kAbiVersion) + ": build it with this Tenon's tenon/target.h");
  if (plugin.layout != target::kLayout)
    return failedPrecondition(library + " was built with a C++ library whose types differ from those here");
  return {};
}

// The library stays loaded, unless it is no target's.
StatusOr<std::string> load(Registry &known, const std::string &library) {
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return notFound(dlerror());
  auto *describe = reinterpret_cast<const target::Plugin *(*)()>(dlsym(handle, "Tenon_TargetPlugin"));
  const target::Plugin *plugin = describe ? describe() : nullptr;
  if (!plugin) {
    dlclose(handle);
    return failedPrecondition(library + " is no target: it has no function Tenon_TargetPlugin");
  }
  Status status = checkVersion(*plugin, library);
  if (status.ok()) {
    std::string name = plugin->name ? plugin->name : "";
    if (auto found = known.entries.find(name); found != known.entries.end() && found->second.plugin == plugin)
      return name;
    status = checkName(known, name);
    if (status.ok()) {
      known.entries[name].plugin = plugin;
      return name;
    }
  }
  dlclose(handle);
  return Status(status.code(), library + ": " + status.message());
}

void loadEnvironment(Registry &known) {
  const char *list = std::getenv("TENON_TARGETS");
  if (known.hasEnvironment || !list)
    return;
  known.hasEnvironment = true;
  std::string_view rest = list;
  while (!rest.empty()) {
    std::string library(rest.substr(0, rest.find(':')));
    rest.remove_prefix(std::min(rest.size(), library.size() + 1));
    if (library.empty())
      continue;
    if (auto loaded = load(known, library); !loaded.ok())
      known.problems += "\nTENON_TARGETS: " + loaded.status().message();
  }
}

// How many GPUs the host plays by TENON_GPU: emulated is one, emulated:8 are eight; 0 where it is not set.
StatusOr<int> emulatedDevices() {
  constexpr int kMost = 64;
  const char *choice = std::getenv("TENON_GPU");
  std::string_view kind = choice ? choice : "";
  if (kind.empty())
    return 0;
  constexpr std::string_view kName = "emulated";
  int count = kind == kName ? 1 : 0;
  if (kind.starts_with("emulated:")) {
    std::string_view digits = kind.substr(kName.size() + 1);
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (error != std::errc() || end != digits.data() + digits.size())
      count = 0;
  }
  if (count < 1 || count > kMost)
    return invalidArgument("TENON_GPU is '" + std::string(kind) +
                           "'; it can be 'emulated', 'emulated:2' for two GPUs (to " + std::to_string(kMost) +
                           "), or not set");
  return count;
}

bool isGpu(std::string_view name) { return name == "cuda" || name == "emulated"; }

// What `cuda` is: TENON_GPU=emulated has the host play GPUs.
StatusOr<std::unique_ptr<Backend>> makeNamedGpu(const std::string &name) {
  TENON_ASSIGN_OR_RETURN(int devices, emulatedDevices());
  StatusOr<std::unique_ptr<Backend>> made = makeGpuBackend(name == "emulated" ? std::max(devices, 1) : devices);
  if (!made.ok())
    return Status(made.status().code(), "target '" + name + "': " + made.status().message());
  return made;
}

} // namespace

TENON_SHOWN StatusOr<Backend *> backendOf(const std::string &name) {
  if (name == "cpu")
    return &defaultBackend();
  Registry &known = registry();
  std::lock_guard lock(known.mutex);
  if (name != "reference" && !isGpu(name))
    loadEnvironment(known);
  auto found = known.entries.find(name);
  if (found == known.entries.end()) {
    std::string names;
    for (const auto &[other, entry] : known.entries)
      names += (names.empty() ? "" : ", ") + other;
    return notFound("there is no platform '" + name + "'; known are: " + names + known.problems);
  }
  Entry &entry = found->second;
  if (!entry.backend && isGpu(name)) {
    TENON_ASSIGN_OR_RETURN(entry.backend, makeNamedGpu(name));
  } else if (!entry.backend) {
    StatusOr<std::unique_ptr<target::Target>> target = entry.plugin->create();
    if (!target.ok())
      return Status(target.status().code(), "target '" + name + "': " + target.status().message());
    entry.backend = makeTargetBackend(name, *std::move(target));
  }
  return entry.backend.get();
}

TENON_SHOWN StatusOr<Backend *> compilerOf(const std::string &name) {
  const size_t colon = name.find(':');
  if (colon == std::string::npos || !isGpu(name.substr(0, colon)))
    return backendOf(name);
  TENON_ASSIGN_OR_RETURN(int devices, emulatedDevices());
  const bool isEmulated = devices > 0 || name.starts_with("emulated");
  Registry &known = registry();
  std::lock_guard lock(known.mutex);
  auto found = known.entries.find(name);
  if (found == known.entries.end()) {
    TENON_ASSIGN_OR_RETURN(auto made, makeGpuCompiler(name.substr(colon + 1), isEmulated));
    found = known.entries.emplace(name, Entry{nullptr, std::move(made)}).first;
  }
  return found->second.backend.get();
}

TENON_SHOWN StatusOr<std::string> compilerName(const std::string &platform) {
  if (!isGpu(platform))
    return platform;
  TENON_ASSIGN_OR_RETURN(Backend * backend, backendOf(platform));
  std::string target = backend->target(); // "cuda:sm_90a with tf32, played by ..."
  const size_t chip = target.find(':');
  return platform + target.substr(chip, target.find_first_of(" ,") - chip);
}

StatusOr<std::string> loadTarget(const std::string &library) {
  Registry &known = registry();
  std::lock_guard lock(known.mutex);
  return load(known, library);
}

Status registerTarget(const std::string &name, std::unique_ptr<target::Target> target) {
  Registry &known = registry();
  std::lock_guard lock(known.mutex);
  TENON_RETURN_IF_ERROR(checkName(known, name));
  known.entries[name].backend = makeTargetBackend(name, std::move(target));
  return {};
}

std::vector<std::string> targetNames() {
  Registry &known = registry();
  std::lock_guard lock(known.mutex);
  loadEnvironment(known);
  std::vector<std::string> names;
  for (const auto &[name, entry] : known.entries)
    names.push_back(name);
  return names;
}

} // namespace tenon::backend
