#include "tenon/runtime/cuda/assembler.h"

#include "tenon/support/files.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include <spawn.h>

namespace tenon::runtime::cuda {
namespace {

namespace fs = std::filesystem;

std::string readFile(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

// The folder `name` of the packages of an environment: nvidia/cu13/bin, nvidia/cuda_nvcc/bin.
void addPackageFolders(const fs::path &environment, std::vector<fs::path> &folders) {
  std::error_code none;
  for (const auto &python : fs::directory_iterator(environment / "lib", none)) {
    std::vector<fs::path> found;
    for (const auto &package : fs::directory_iterator(python.path() / "site-packages" / "nvidia", none))
      found.push_back(package.path() / "bin");
    std::sort(found.rbegin(), found.rend());
    folders.insert(folders.end(), found.begin(), found.end());
  }
}

// Where the toolkit's programs may be, in order.
std::vector<fs::path> programFolders() {
  std::vector<fs::path> folders;
  if (const char *named = std::getenv("TENON_CUDA_PATH"))
    folders.push_back(fs::path(named) / "bin");
  if (const char *environment = std::getenv("VIRTUAL_ENV"))
    addPackageFolders(environment, folders);
  if (const char *path = std::getenv("PATH")) {
    std::stringstream list(path);
    for (std::string folder; std::getline(list, folder, ':');)
      if (!folder.empty())
        folders.emplace_back(folder);
  }
  folders.emplace_back("/usr/local/cuda/bin");
  return folders;
}

StatusOr<std::string> findProgram(const std::string &name) {
  for (const fs::path &folder : programFolders())
    if (fs::path path = folder / name; ::access(path.c_str(), X_OK) == 0)
      return path.string();
  return notFound("there is no " + name +
                  ": neither where TENON_CUDA_PATH says, nor in the Python environment of VIRTUAL_ENV, in PATH or in "
                  "/usr/local/cuda");
}

// A folder for the files of one call, which goes with it.
class ScratchFolder {
public:
  ScratchFolder() {
    std::string form = (fs::temp_directory_path() / "tenon-ptx-XXXXXX").string();
    if (const char *made = ::mkdtemp(form.data()))
      path_ = made;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty())
      fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;

  bool exists() const { return !path_.empty(); }
  fs::path file(const char *name) const { return path_ / name; }

private:
  fs::path path_;
};

// Runs a program with its output and errors in files. INTERNAL, with what it says, unless it succeeds.
Status runProgram(std::vector<std::string> words, const fs::path &output, const fs::path &errors) {
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  int failed = posix_spawn(&child, words.front().c_str(), &actions, nullptr, arguments.data(), environ);
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

// "ptxas info : Function properties for f", and a line or two further on what it takes.
std::vector<FunctionResources> readResources(const std::string &report) {
  static const std::regex compiled("Compiling entry function '([^']*)'"), properties("Function properties for (\\S+)"),
      memory("(\\d+) bytes stack frame, (\\d+) bytes spill stores, (\\d+) bytes spill loads"),
      registers("Used (\\d+) registers");
  std::vector<FunctionResources> functions;
  std::string kernel;
  std::stringstream lines(report);
  std::smatch found;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, found, compiled)) {
      kernel = found[1];
    } else if (std::regex_search(line, found, properties)) {
      functions.emplace_back().name = found[1];
      functions.back().isKernel = found[1] == kernel;
    } else if (std::regex_search(line, found, memory) && !functions.empty()) {
      functions.back().stackBytes = std::stoll(found[1]);
      functions.back().spillStoreBytes = std::stoll(found[2]);
      functions.back().spillLoadBytes = std::stoll(found[3]);
    } else if (std::regex_search(line, found, registers)) {
      for (FunctionResources &function : functions)
        if (function.name == kernel)
          function.registers = std::stoi(found[1]);
    }
  }
  return functions;
}

// The first remark of the assembler on products of warp groups that it does not leave as they are.
std::string findRepair(const std::string &report) {
  static const std::regex remark("[^\\n]*\\(C75[0-9]+\\)[^\\n]*");
  std::smatch found;
  return std::regex_search(report, found, remark) ? found[0].str() : "";
}

} // namespace

StatusOr<Assembler> Assembler::find() {
  TENON_ASSIGN_OR_RETURN(std::string ptxas, findProgram("ptxas"));
  return Assembler(std::move(ptxas));
}

StatusOr<Cubin> Assembler::assemble(std::string_view ptx, const std::string &chip) const {
  ScratchFolder folder;
  if (!folder.exists())
    return internalError("cannot make a folder for temporary files: " + std::string(std::strerror(errno)));
  fs::path source = folder.file("module.ptx"), result = folder.file("module.cubin"), errors = folder.file("errors");
  TENON_RETURN_IF_ERROR(writeFile(source, ptx));
  TENON_RETURN_IF_ERROR(runProgram({ptxas_, "-v", "-arch=" + chip, "-o", result.string(), source.string()},
                                   folder.file("output"), errors));
  std::string report = readFile(errors);
  if (std::string repair = findRepair(report); !repair.empty())
    return internalError("the assembler changes what was asked for: " + repair);
  return Cubin{readFile(result), readResources(report)};
}

StatusOr<std::string> Assembler::disassemble(std::string_view cubin) const {
  TENON_ASSIGN_OR_RETURN(std::string nvdisasm, findProgram("nvdisasm"));
  ScratchFolder folder;
  if (!folder.exists())
    return internalError("cannot make a folder for temporary files: " + std::string(std::strerror(errno)));
  fs::path source = folder.file("module.cubin"), text = folder.file("text");
  TENON_RETURN_IF_ERROR(writeFile(source, cubin));
  TENON_RETURN_IF_ERROR(runProgram({nvdisasm, "-c", source.string()}, text, folder.file("errors")));
  return readFile(text);
}

} // namespace tenon::runtime::cuda
