#include "tenon/server/command/command.h"

#include "tenon/support/own_libraries.h"

#include <dlfcn.h>

namespace tenon::server {

StatusOr<Commands> openCommands() {
  constexpr const char kLibraryName[] = "libtenon_serve.so";
  void *get = dlsym(RTLD_DEFAULT, kCommandsSymbol);
  if (!get) {
    // All symbols at once: what the program lacks shows here.
    void *handle = dlopen(findOwnLibrary(kLibraryName).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      return failedPrecondition(std::string("a server needs ") + kLibraryName + ": " + dlerror());
    get = dlsym(handle, kCommandsSymbol);
  }
  if (!get)
    return failedPrecondition(std::string(kLibraryName) + " is not that of this build");
  return *reinterpret_cast<GetCommands *>(get)();
}

} // namespace tenon::server
