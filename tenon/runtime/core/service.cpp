#include "tenon/runtime/core/service.h"

#include "tenon/runtime/core/custom_call_memory.h"

#include <map>
#include <mutex>
#include <string>

namespace tenon::runtime {
namespace {

using program::Service;

struct BuiltIn {
  ServiceFactory factory;
  bool (*isAvailable)();
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, BuiltIn, std::less<>> builtIns;
  std::map<std::string, ServiceFactory, std::less<>> customCalls, library;
};

Registry &registry() {
  static Registry *instance = new Registry();
  return *instance;
}

std::string at(const Service &service) {
  return service.location.empty() ? std::string() : " (used at " + service.location + ")";
}

Status notRegistered(const Service &service) {
  switch (service.kind) {
  case Service::Kind::kCustomCall:
    return notFound("custom call target '" + service.target + "' is not registered" + at(service) +
                    "; register it for platform 'cpu' (jax.ffi.register_ffi_target, or registerCustomCall in C++) "
                    "before the program is compiled");
  case Service::Kind::kLibrary:
    return notFound("library routine '" + service.target + "' is not part of this runtime" + at(service));
  }
  return internalError("service '" + service.target + "' has an unknown kind");
}

template <typename T> T findIn(const std::map<std::string, T, std::less<>> &table, std::string_view name) {
  auto it = table.find(name);
  return it == table.end() ? T() : it->second;
}

ServiceFactory findCustomCall(std::string_view name) {
  Registry &r = registry();
  std::unique_lock lock(r.mutex);
  BuiltIn builtIn = findIn(r.builtIns, name);
  ServiceFactory outside = findIn(r.customCalls, name);
  lock.unlock(); // isAvailable may open libraries
  return builtIn.factory && (!outside || builtIn.isAvailable()) ? builtIn.factory : outside;
}

// Empty when nothing is registered.
ServiceFactory find(const Service &service) {
  if (service.kind == Service::Kind::kCustomCall)
    return findCustomCall(service.target);
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  return findIn(r.library, service.target);
}

class FunctionService final : public ServiceInstance {
public:
  explicit FunctionService(std::function<Status(const ServiceCall &)> function) : function_(std::move(function)) {}
  Status call(const ServiceCall &call) override { return function_(call); }

private:
  std::function<Status(const ServiceCall &)> function_;
};

} // namespace

void registerCustomCall(std::string_view name, ServiceFactory factory) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  r.customCalls.insert_or_assign(std::string(name), std::move(factory));
}

void registerBuiltInCustomCall(std::string_view name, ServiceFactory factory, bool (*isAvailable)()) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  r.builtIns.insert_or_assign(std::string(name), BuiltIn{std::move(factory), isAvailable});
}

void registerLibrary(std::string_view name, ServiceFactory factory) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  r.library.insert_or_assign(std::string(name), std::move(factory));
}

bool hasCustomCall(std::string_view name) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  return r.builtIns.contains(name) || r.customCalls.contains(name);
}

bool hasLibrary(std::string_view name) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  return r.library.contains(name);
}

std::vector<std::string> customCallNames() {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  std::vector<std::string> names;
  for (const auto &[name, factory] : r.customCalls)
    names.push_back(name);
  for (const auto &[name, builtIn] : r.builtIns)
    if (!r.customCalls.contains(name))
      names.push_back(name);
  return names;
}

StatusOr<std::unique_ptr<ServiceInstance>> instantiateService(const Service &service) {
  ServiceFactory factory = find(service);
  if (!factory)
    return notRegistered(service);
  StatusOr<std::unique_ptr<ServiceInstance>> instance = factory(service);
  if (instance.ok() && service.kind == Service::Kind::kCustomCall)
    instance = adaptMemory(*std::move(instance), service);
  if (!instance.ok())
    return Status(instance.status().code(), "'" + service.target + "': " + instance.status().message() + at(service));
  return instance;
}

Status checkService(const Service &service) { return find(service) ? Status() : notRegistered(service); }

std::unique_ptr<ServiceInstance> makeService(std::function<Status(const ServiceCall &)> function) {
  return std::make_unique<FunctionService>(std::move(function));
}

} // namespace tenon::runtime
