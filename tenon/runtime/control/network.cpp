#include "tenon/runtime/control/network.h"

#include <dlfcn.h>
#include <filesystem>

namespace tenon::runtime {
namespace {

constexpr const char kLibraryName[] = "libtenon_processes.so";

// Lies in the library or program that has this code.
const char anchor = 0;

// The file itself, or the name, which the loader then looks for.
std::string findLibrary() {
  Dl_info info{};
  if (dladdr(&anchor, &info) && info.dli_fname) {
    std::error_code error;
    std::filesystem::path own = std::filesystem::canonical(info.dli_fname, error);
    for (const char *folder : {".", "../lib"})
      if (auto path = own.parent_path() / folder / kLibraryName; !error && std::filesystem::exists(path, error))
        return path.lexically_normal();
  }
  return kLibraryName;
}

} // namespace

StatusOr<std::unique_ptr<Network>> openNetwork(const std::string &library, const NetworkOptions &options) {
  std::string path = library.empty() ? findLibrary() : library;
  // RTLD_LOCAL: its gRPC is not that of the framework, and neither may find the other's symbols.
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return failedPrecondition(std::string("a program over several processes needs ") + kLibraryName + ": " + dlerror());
  auto *make = reinterpret_cast<MakeNetwork *>(dlsym(handle, kMakeNetworkSymbol));
  if (!make)
    return failedPrecondition(path + " is not Tenon's library for several processes");
  Status status;
  std::unique_ptr<Network> network(make(kNetworkInterface, options, status));
  TENON_RETURN_IF_ERROR(status);
  return network;
}

} // namespace tenon::runtime
