#include "tenon/runtime/core/runtime_call.h"

#include "tenon/runtime/core/custom_call_memory.h"
#include "tenon/runtime/core/guarded_call.h"
#include "tenon/runtime/core/untyped_call.h"
#include "tenon/support/shown.h"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <numeric>
#include <set>
#include <string>

namespace tenon::runtime {
namespace {

using program::RuntimeCall;

struct BuiltIn {
  RuntimeCallFactory factory;
  bool (*isAvailable)();
};

struct CustomCall {
  RuntimeCallFactory factory;
  CallInterface interface = CallInterface::kAny;
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, BuiltIn, std::less<>> builtIns;
  std::map<std::string, CustomCall, std::less<>> customCalls;
  std::map<std::string, void *, std::less<>> untypedCalls;
  std::map<std::string, RuntimeCallFactory, std::less<>> library;
};

Registry &registry() {
  static Registry *instance = new Registry();
  return *instance;
}

std::string at(const RuntimeCall &runtimeCall) {
  return runtimeCall.location.empty() ? std::string() : " (used at " + runtimeCall.location + ")";
}

// The number of letters to insert, remove or replace.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j + 1] + 1, row[j] + 1});
    }
  }
  return row.back();
}

// " Did you mean 'foo' or 'bar'?", or nothing.
std::string suggestions(std::string_view name) {
  std::vector<std::pair<size_t, std::string>> near;
  for (std::string &known : customCallNames())
    if (size_t apart = distance(name, known); apart <= std::max<size_t>(2, name.size() / 4))
      near.emplace_back(apart, std::move(known));
  std::sort(near.begin(), near.end());
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(near.size(), 3); ++i)
    text += (text.empty() ? ". Did you mean '" : " or '") + near[i].second + "'";
  return text.empty() ? text : text + "?";
}

Status customCallNotFound(const RuntimeCall &runtimeCall) {
  std::string call = "custom call target '" + runtimeCall.target + "' ";
  bool isTyped = runtimeCall.apiVersion == kTypedApiVersion;
  Registry &r = registry();
  std::unique_lock lock(r.mutex);
  if (isTyped && r.untypedCalls.contains(runtimeCall.target))
    return notFound(call + "is registered as a plain function, but called with api_version = 4" + at(runtimeCall));
  if (!isTyped && r.customCalls.contains(runtimeCall.target))
    return notFound(call + "is registered as a handler of the FFI (api_version = 4), but called with api_version = " +
                    std::to_string(runtimeCall.apiVersion) + at(runtimeCall));
  lock.unlock();
  return notFound(
      call + "is not registered" + at(runtimeCall) +
      "; register it for platform 'cpu', or for 'CUDA' if it works on GPUs (jax.ffi.register_ffi_target, or "
      "Tenon_RegisterCustomCall in C), before the program is compiled" +
      suggestions(runtimeCall.target));
}

Status notRegistered(const RuntimeCall &runtimeCall) {
  if (runtimeCall.kind == RuntimeCall::Kind::kCustomCall)
    return customCallNotFound(runtimeCall);
  return notFound("library routine '" + runtimeCall.target + "' is not part of this runtime" + at(runtimeCall));
}

template <typename T> T findIn(const std::map<std::string, T, std::less<>> &table, std::string_view name) {
  auto it = table.find(name);
  return it == table.end() ? T() : it->second;
}

std::atomic<bool> processSymbols{true};

RuntimeCallFactory findCustomCall(const RuntimeCall &runtimeCall) {
  const std::string &name = runtimeCall.target;
  bool isTyped = runtimeCall.apiVersion == kTypedApiVersion;
  Registry &r = registry();
  std::unique_lock lock(r.mutex);
  auto untyped = [](void *function) {
    return [function](const RuntimeCall &runtimeCall) { return makeUntypedCall(runtimeCall, function); };
  };
  if (void *function = isTyped ? nullptr : findIn(r.untypedCalls, name))
    return untyped(function);
  BuiltIn builtIn = findIn(r.builtIns, name);
  CustomCall outside = findIn(r.customCalls, name);
  lock.unlock(); // isAvailable may open libraries
  if (!isTyped && outside.interface == CallInterface::kTyped)
    outside = {};
  if (builtIn.factory && (!outside.factory || builtIn.isAvailable()))
    return builtIn.factory;
  if (outside.factory || isTyped)
    return outside.factory;
  void *symbol = processSymbols ? dlsym(RTLD_DEFAULT, name.c_str()) : nullptr;
  return symbol ? untyped(symbol) : RuntimeCallFactory();
}

// Empty when nothing is registered.
RuntimeCallFactory find(const RuntimeCall &runtimeCall) {
  if (runtimeCall.kind == RuntimeCall::Kind::kCustomCall)
    return findCustomCall(runtimeCall);
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  return findIn(r.library, runtimeCall.target);
}

class FunctionCall final : public RuntimeCallInstance {
public:
  explicit FunctionCall(std::function<Status(const CallBuffers &)> function) : function_(std::move(function)) {}
  Status call(const CallBuffers &call) override { return function_(call); }

private:
  std::function<Status(const CallBuffers &)> function_;
};

} // namespace

void registerCustomCall(std::string_view name, RuntimeCallFactory factory, CallInterface interface) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  r.customCalls.insert_or_assign(std::string(name), CustomCall{std::move(factory), interface});
}

void registerUntypedCall(std::string_view name, void *function) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  r.untypedCalls.insert_or_assign(std::string(name), function);
}

void registerBuiltInCustomCall(std::string_view name, RuntimeCallFactory factory, bool (*isAvailable)()) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  r.builtIns.insert_or_assign(std::string(name), BuiltIn{std::move(factory), isAvailable});
}

void registerLibrary(std::string_view name, RuntimeCallFactory factory) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  r.library.insert_or_assign(std::string(name), std::move(factory));
}

TENON_SHOWN void allowProcessSymbols(bool allow) { processSymbols = allow; }

bool hasCustomCall(std::string_view name) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  return r.builtIns.contains(name) || r.customCalls.contains(name) || r.untypedCalls.contains(name);
}

bool isBuiltInCustomCall(std::string_view name) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  return r.builtIns.contains(name);
}

std::vector<std::string> customCallNames() {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  std::set<std::string> names;
  auto add = [&](const auto &table) {
    for (const auto &[name, entry] : table)
      names.insert(name);
  };
  add(r.customCalls);
  add(r.untypedCalls);
  add(r.builtIns);
  return {names.begin(), names.end()};
}

StatusOr<std::unique_ptr<RuntimeCallInstance>> instantiateRuntimeCall(const RuntimeCall &runtimeCall) {
  RuntimeCallFactory factory = find(runtimeCall);
  if (!factory)
    return notRegistered(runtimeCall);
  StatusOr<std::unique_ptr<RuntimeCallInstance>> instance = factory(runtimeCall);
  if (instance.ok() && runtimeCall.kind == RuntimeCall::Kind::kCustomCall)
    instance = adaptMemory(*std::move(instance), runtimeCall);
  if (!instance.ok())
    return Status(instance.status().code(),
                  "'" + runtimeCall.target + "': " + instance.status().message() + at(runtimeCall));
  return instance;
}

Status makeCall(RuntimeCallInstance &instance, const RuntimeCall &runtimeCall, const CallBuffers &call) {
  return guardedCall(runtimeCall, [&] { return instance.call(call); });
}

Status guardedCall(const RuntimeCall &runtimeCall, const std::function<Status()> &function) {
  Status status;
  try {
    status = function();
  } catch (const std::bad_alloc &) {
    status = Status(StatusCode::kResourceExhausted, "out of memory");
  } catch (const std::exception &error) {
    status = internalError(std::string("exception: ") + error.what());
  } catch (...) {
    status = internalError("unknown exception");
  }
  if (status.ok())
    return status;
  std::string where = runtimeCall.location.empty() ? "" : " (at " + runtimeCall.location + ")";
  return Status(status.code(), runtimeCall.target + ": " + status.message() + where);
}

std::unique_ptr<RuntimeCallInstance> makeRuntimeCall(std::function<Status(const CallBuffers &)> function) {
  return std::make_unique<FunctionCall>(std::move(function));
}

} // namespace tenon::runtime
