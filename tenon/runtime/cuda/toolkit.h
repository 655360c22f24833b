// NVIDIA's programs and libraries, which are there or not: they are looked for when they are wanted, and nothing of
// them is linked or shipped. They are looked for in the folder that TENON_CUDA_PATH names and nowhere else, so that no
// two toolkits mix; or, where it is not set, in the packages of the Python environment in use (VIRTUAL_ENV), where the
// system looks (PATH, the loader's folders) and in /usr/local/cuda, in this order.
#pragma once

#include "tenon/status.h"

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

namespace tenon::runtime::cuda {

// Its path. NOT_FOUND, with where it was looked for, if there is none.
StatusOr<std::string> findProgram(const std::string &name);

// File names of a library that goes with the driver's generation of CUDA (13), or an older one, the newest first: what
// is made for an older one runs on a newer driver. 0: any generation. `versionOfTwelve` is its own version in CUDA 12.
std::vector<std::string> libraryNames(const std::string &library, int versionOfTwelve, int driverGeneration);

// A function of a library, and where its address goes.
struct LibraryFunction {
  template <typename Function>
  LibraryFunction(const char *name, Function &function) : name(name), slot(reinterpret_cast<void **>(&function)) {
    static_assert(sizeof(Function) == sizeof(void *));
  }

  const char *name;
  void **slot;
};

// Finds these functions in the first of these libraries that is there, everywhere before the next; it stays loaded.
// NOT_FOUND, with their names, if there is none; FAILED_PRECONDITION if a function is missing.
Status openLibrary(const std::vector<std::string> &names, std::initializer_list<LibraryFunction> functions);

std::string readFile(const std::filesystem::path &path);

// A folder for the files of one call, which goes with it.
class ScratchFolder {
public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;

  bool exists() const { return !path_.empty(); }
  const std::filesystem::path &path() const { return path_; }
  std::filesystem::path file(const char *name) const { return path_ / name; }

private:
  std::filesystem::path path_;
};

// Runs a program with its output and errors in files. INTERNAL, with what it says, unless it succeeds. `variables`, as
// "NAME=value": of its environment, in the place of our own of these names.
Status runProgram(std::vector<std::string> words, const std::filesystem::path &output,
                  const std::filesystem::path &errors, std::vector<std::string> variables = {});

} // namespace tenon::runtime::cuda
