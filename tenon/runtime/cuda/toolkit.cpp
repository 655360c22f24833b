#include "tenon/runtime/cuda/toolkit.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include <spawn.h>

namespace tenon::runtime::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char *kSystemToolkit = "/usr/local/cuda";

// The folder `name` of the packages of the Python environment: nvidia/cu13/bin, nvidia/cuda_nvcc/bin.
void addPackageFolders(const char *name, std::vector<fs::path> &folders) {
  const char *environment = std::getenv("VIRTUAL_ENV");
  if (!environment)
    return;
  std::error_code none;
  for (const auto &python : fs::directory_iterator(fs::path(environment) / "lib", none)) {
    std::vector<fs::path> found;
    for (const auto &package : fs::directory_iterator(python.path() / "site-packages" / "nvidia", none))
      found.push_back(package.path() / name);
    std::sort(found.rbegin(), found.rend());
    folders.insert(folders.end(), found.begin(), found.end());
  }
}

std::vector<fs::path> programFolders() {
  if (const char *named = std::getenv("TENON_CUDA_PATH"))
    return {fs::path(named) / "bin"};
  std::vector<fs::path> folders;
  addPackageFolders("bin", folders);
  if (const char *path = std::getenv("PATH")) {
    std::stringstream list(path);
    for (std::string folder; std::getline(list, folder, ':');)
      if (!folder.empty())
        folders.emplace_back(folder);
  }
  folders.push_back(fs::path(kSystemToolkit) / "bin");
  return folders;
}

// The empty one stands for the loader's.
std::vector<fs::path> libraryFolders() {
  if (const char *named = std::getenv("TENON_CUDA_PATH"))
    return {fs::path(named) / "lib64", fs::path(named) / "lib"};
  std::vector<fs::path> folders;
  addPackageFolders("lib", folders);
  folders.emplace_back();
  for (const char *name : {"lib64", "lib"})
    folders.push_back(fs::path(kSystemToolkit) / name);
  return folders;
}

Status isNowhere(const std::string &what, const char *systemPlaces) {
  if (const char *named = std::getenv("TENON_CUDA_PATH"))
    return notFound("there is no " + what + " in " + named + ", where TENON_CUDA_PATH says");
  return notFound("there is no " + what + ": neither in the Python environment of VIRTUAL_ENV, nor in " + systemPlaces +
                  " or in " + kSystemToolkit + "; TENON_CUDA_PATH can say where");
}

StatusOr<void *> openFirst(const std::vector<std::string> &names) {
  const std::vector<fs::path> folders = libraryFolders();
  std::string all;
  for (const std::string &name : names) {
    for (const fs::path &folder : folders) {
      fs::path path = folder / name;
      if (!folder.empty() && ::access(path.c_str(), R_OK) != 0)
        continue;
      if (void *handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
        return handle;
    }
    all += (all.empty() ? "" : " or ") + name;
  }
  return isNowhere(all, "the loader's folders");
}

} // namespace

StatusOr<std::string> findProgram(const std::string &name) {
  for (const fs::path &folder : programFolders())
    if (fs::path path = folder / name; ::access(path.c_str(), X_OK) == 0)
      return path.string();
  return isNowhere(name, "PATH");
}

std::vector<std::string> libraryNames(const std::string &library, int versionOfTwelve, int driverGeneration) {
  std::vector<std::string> names;
  for (int generation : {13, 12})
    if (driverGeneration == 0 || generation <= driverGeneration)
      names.push_back(library + ".so." + std::to_string(versionOfTwelve + generation - 12));
  return names;
}

Status openLibrary(const std::vector<std::string> &names, std::initializer_list<LibraryFunction> functions) {
  TENON_ASSIGN_OR_RETURN(void *library, openFirst(names));
  for (const LibraryFunction &function : functions)
    if (!(*function.slot = ::dlsym(library, function.name)))
      return failedPrecondition("the library " + names.front() + " has no " + function.name);
  return {};
}

std::string readFile(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

ScratchFolder::ScratchFolder() {
  std::string form = (fs::temp_directory_path() / "tenon-ptx-XXXXXX").string();
  if (const char *made = ::mkdtemp(form.data()))
    path_ = made;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty())
    fs::remove_all(path_, ignored);
}

Status runProgram(std::vector<std::string> words, const fs::path &output, const fs::path &errors,
                  std::vector<std::string> variables) {
  std::vector<char *> arguments, environment;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  for (std::string &variable : variables)
    environment.push_back(variable.data());
  for (char **own = environ; *own; ++own) {
    const std::string_view variable(*own), name = variable.substr(0, variable.find('=') + 1);
    if (std::none_of(variables.begin(), variables.end(), [&](const auto &other) { return other.starts_with(name); }))
      environment.push_back(*own);
  }
  environment.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  int failed = posix_spawn(&child, words.front().c_str(), &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed)
    return internalError("cannot run " + words.front() + ": " + std::strerror(failed));
  int outcome = 0;
  while (::waitpid(child, &outcome, 0) < 0)
    if (errno != EINTR)
      return internalError("cannot wait for " + words.front() + ": " + std::strerror(errno));
  if (WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0)
    return {};
  return internalError(words.front() + " fails: " + readFile(errors));
}

} // namespace tenon::runtime::cuda
