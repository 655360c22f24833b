#include "tenon/runtime/control/network.h"

#include "tenon/support/own_libraries.h"

#include <dlfcn.h>

namespace tenon::runtime {

static constexpr const char kLibraryName[] = "libtenon_processes.so";

StatusOr<std::unique_ptr<Network>> openNetwork(const std::string &library, const NetworkOptions &options) {
  std::string path = library.empty() ? findOwnLibrary(kLibraryName) : library;
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
