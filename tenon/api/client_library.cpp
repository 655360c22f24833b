// The platforms of this process, by name.
#include "tenon/api/local_service.h"
#include "tenon/client.h"
#include "tenon/client/client.h"

#include <cstdlib>
#include <map>
#include <mutex>

namespace xla {

namespace {

using CreateService = StatusOr<std::shared_ptr<ServiceInterface>> (*)();

struct Platform {
  CreateService create;
  std::unique_ptr<Client> client;
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, Platform> platforms;

  Registry() {
    platforms["cpu"].create = +[]() -> StatusOr<std::shared_ptr<ServiceInterface>> {
      return std::shared_ptr<ServiceInterface>(
          std::make_shared<tenon::api::LocalService>("cpu", tenon::client::defaultBackend()));
    };
  }
};

// Never destroyed: clients are used until the process ends.
Registry &registry() {
  static auto *instance = new Registry;
  return *instance;
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
  if (found == known.platforms.end()) {
    std::string names;
    for (const auto &[other, entry] : known.platforms)
      names += (names.empty() ? "" : ", ") + other;
    return tenon::notFound("there is no platform '" + name + "'; known are: " + names);
  }
  Platform &entry = found->second;
  if (!entry.client) {
    auto service = entry.create();
    if (!service.ok())
      return service.status();
    entry.client = std::make_unique<Client>(*std::move(service));
  }
  return entry.client.get();
}

Status ClientLibrary::RegisterPlatform(const std::string &name, CreateService create) {
  Registry &known = registry();
  std::lock_guard lock(known.mutex);
  if (!known.platforms.try_emplace(name, Platform{create, nullptr}).second)
    return Status(tenon::StatusCode::kAlreadyExists, "there is a platform '" + name + "' already");
  return {};
}

std::vector<std::string> ClientLibrary::PlatformNames() {
  Registry &known = registry();
  std::lock_guard lock(known.mutex);
  std::vector<std::string> names;
  for (const auto &[name, platform] : known.platforms)
    names.push_back(name);
  return names;
}

} // namespace xla
