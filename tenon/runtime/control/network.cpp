#include "tenon/runtime/control/network.h"

#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <vector>

namespace tenon::runtime {
namespace {

constexpr const char kLibraryName[] = "libtenon_processes.so";

// Lies in the library or program that has this code.
const char anchor = 0;

// Where the file is that has this code; empty if that is not known. A program itself has the name by which it was
// called, which may be found by PATH alone.
std::filesystem::path ownFolder() {
  Dl_info info{};
  link_map *map = nullptr;
  std::error_code error;
  if (!dladdr1(&anchor, &info, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) || !map)
    return {};
  return std::filesystem::canonical(*map->l_name ? map->l_name : "/proc/self/exe", error).parent_path();
}

// Beside it, where an installation has it, and, of the command of a wheel, where the wheel's package has it.
std::vector<std::filesystem::path> foldersOfLibrary() {
  std::filesystem::path own = ownFolder();
  if (own.empty())
    return {};
  std::vector<std::filesystem::path> folders{own, own / "../lib"};
  std::error_code error;
  for (std::filesystem::directory_iterator entry(own / "../lib", error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().filename().string().starts_with("python3."))
      folders.push_back(entry->path() / "site-packages/jax_plugins/tenon");
  return folders;
}

// The file itself, or the name, which the loader then looks for.
std::string findLibrary() {
  std::error_code error;
  for (const std::filesystem::path &folder : foldersOfLibrary())
    if (std::filesystem::path path = folder / kLibraryName; std::filesystem::exists(path, error))
      return path.lexically_normal();
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
