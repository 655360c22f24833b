#include "tenon/runtime/cpu/lapack_library.h"

#include <cstdlib>
#include <mutex>
#include <vector>

#include <dlfcn.h>

namespace tenon::runtime {
namespace {

struct Suggestions {
  std::mutex mutex;
  std::vector<std::string> paths;
};

Suggestions &suggestions() {
  static auto *instance = new Suggestions();
  return *instance;
}

std::vector<std::string> candidates() {
  if (const char *path = std::getenv("TENON_LAPACK_LIBRARY"); path && *path)
    return {path};
  std::lock_guard lock(suggestions().mutex);
  std::vector<std::string> paths = suggestions().paths;
  paths.insert(paths.end(), {"libopenblas.so.0", "libopenblas.so", "liblapack.so.3", "libmkl_rt.so.2"});
  return paths;
}

} // namespace

void LapackLibrary::suggest(std::string path) {
  std::lock_guard lock(suggestions().mutex);
  suggestions().paths.push_back(std::move(path));
}

bool LapackLibrary::load(const std::string &path, std::string &errors) {
  // Somebody else's copy keeps its settings.
  void *loadedBefore = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  handle_ = loadedBefore ? loadedBefore : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_) {
    const char *reason = dlerror();
    errors += "\n  " + path + ": " + (reason ? reason : "cannot be opened");
    return false;
  }
  for (const char *prefix : {"", "scipy_"}) {
    prefix_ = prefix;
    if (!find("spotrf") || !find("zgesdd"))
      continue;
    path_ = path;
    // Its own threads would spin against ours: matrices of a batch are shared among our workers instead.
    if (!loadedBefore)
      if (void *set = dlsym(handle_, (prefix_ + "openblas_set_num_threads").c_str()))
        reinterpret_cast<void (*)(int)>(set)(1);
    return true;
  }
  errors += "\n  " + path + ": has no LAPACK with 32-bit integers";
  dlclose(handle_);
  return false;
}

void *LapackLibrary::find(const std::string &routine) const {
  return dlsym(handle_, (prefix_ + routine + "_").c_str());
}

StatusOr<const LapackLibrary *> LapackLibrary::open() {
  auto *library = new LapackLibrary(); // never closed
  std::string errors;
  for (const std::string &path : candidates())
    if (library->load(path, errors))
      return library;
  delete library;
  return failedPrecondition(
      "no LAPACK library was found; install OpenBLAS or SciPy, or set TENON_LAPACK_LIBRARY to a shared "
      "library with LAPACK (32-bit integers). Tried:" +
      errors);
}

StatusOr<const LapackLibrary *> LapackLibrary::get() {
  static const auto *result = new StatusOr<const LapackLibrary *>(open());
  return *result;
}

} // namespace tenon::runtime
