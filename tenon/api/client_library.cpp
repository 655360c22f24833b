// The platforms of this process, by name: services that were registered, and a service for each target.
#include "tenon/api/local_service.h"
#include "tenon/backend/registry.h"
#include "tenon/client.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

namespace tenon::xla_2017 {

namespace {

using CreateService = StatusOr<std::shared_ptr<ServiceInterface>> (*)();

struct Platform {
  CreateService create;
  std::unique_ptr<Client> client;
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, Platform> platforms; // without the targets that nobody has asked for yet
};

// Never destroyed: clients are used until the process ends.
Registry &registry() {
  static auto *instance = new Registry;
  return *instance;
}

std::vector<std::string> namesOf(const Registry &known) {
  std::set<std::string> names;
  for (const auto &[name, platform] : known.platforms)
    names.insert(name);
  for (std::string &name : tenon::backend::targetNames())
    names.insert(std::move(name));
  return {names.begin(), names.end()};
}

StatusOr<std::shared_ptr<ServiceInterface>> serviceOf(const std::string &target) {
  TENON_ASSIGN_OR_RETURN(auto backend, tenon::backend::backendOf(target));
  TENON_ASSIGN_OR_RETURN(auto job, tenon::backend::Job::start(*backend));
  return std::shared_ptr<ServiceInterface>(
      std::make_shared<tenon::api::LocalService>(target, *backend, tenon::api::ServiceLimits(), std::move(job)));
}

} // namespace

Client *ClientLibrary::ClientLibraryOrDie() { return GetOrCreateLocalClient().ConsumeValueOrDie(); }

StatusOr<Client *> ClientLibrary::GetOrCreateLocalClient(const std::string &platform) {
  std::string name = platform;
  if (name.empty()) {
    const char *chosen = std::getenv("TENON_PLATFORM");
    name = chosen && *chosen ? chosen : "cpu";
  }
  Registry &known = registry();
  std::lock_guard lock(known.mutex);
  auto found = known.platforms.find(name);
  if (found != known.platforms.end() && found->second.client)
    return found->second.client.get();
  auto service = found == known.platforms.end() ? serviceOf(name) : found->second.create();
  if (!service.ok()) {
    std::string services;
    for (const auto &[other, platform] : known.platforms)
      services += (services.empty() ? "; registered services: " : ", ") + other;
    return service.status().code() == tenon::StatusCode::kNotFound
               ? tenon::notFound(service.status().message() + services)
               : service.status();
  }
  Platform &entry = known.platforms[name];
  entry.client = std::make_unique<Client>(*std::move(service));
  return entry.client.get();
}

Status ClientLibrary::RegisterPlatform(const std::string &name, CreateService create) {
  Registry &known = registry();
  std::lock_guard lock(known.mutex);
  std::vector<std::string> names = namesOf(known);
  if (std::find(names.begin(), names.end(), name) != names.end())
    return Status(tenon::StatusCode::kAlreadyExists, "there is a platform '" + name + "' already");
  known.platforms[name].create = create;
  return {};
}

StatusOr<std::string> ClientLibrary::LoadTarget(const std::string &library) {
  return tenon::backend::loadTarget(library);
}

std::vector<std::string> ClientLibrary::PlatformNames() {
  Registry &known = registry();
  std::lock_guard lock(known.mutex);
  return namesOf(known);
}

} // namespace tenon::xla_2017
