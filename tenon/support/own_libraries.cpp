#include "tenon/support/own_libraries.h"

#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <vector>

namespace tenon {
namespace {

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

std::vector<std::filesystem::path> foldersOfLibraries() {
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

} // namespace

std::string findOwnLibrary(const std::string &name) {
  std::error_code error;
  for (const std::filesystem::path &folder : foldersOfLibraries())
    if (std::filesystem::path path = folder / name; std::filesystem::exists(path, error))
      return path.lexically_normal();
  return name;
}

} // namespace tenon
