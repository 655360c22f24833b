// Models of other frameworks are read by Python's packages, so this command is one of the package `tenon`
// (tenon/python/package/tenon/importing): here a Python is found that has it.
#include "tenon/tools/commands.h"
#include "tenon/tools/program_file.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace tenon::tools {

namespace {

using llvm::StringRef;

constexpr char kScript[] = R"(
import sys
try:
    from tenon.importing.command import main
except ModuleNotFoundError as error:
    sys.exit(f"error: {sys.executable} does not have the package '{error.name.split('.')[0]}': pip install 'tenon-compiler[import]', or "
             "name another Python by TENON_PYTHON")
sys.exit(main(sys.argv[1:]))
)";

std::string folderOfCommand() {
  static int anchor;
  return llvm::sys::path::parent_path(llvm::sys::fs::getMainExecutable(nullptr, &anchor)).str();
}

// That of TENON_PYTHON, the one beside this command, as in a virtual environment, or that of PATH.
std::string findPython() {
  if (const char *named = std::getenv("TENON_PYTHON"))
    return named;
  std::string beside = folderOfCommand();
  if (auto found = llvm::sys::findProgramByName("python3", {StringRef(beside)}))
    return *found;
  auto found = llvm::sys::findProgramByName("python3");
  return found ? *found : std::string();
}

// In a build folder the package is beside the commands' folder.
void addPackageOfBuild() {
  llvm::SmallString<256> package(folderOfCommand());
  llvm::sys::path::append(package, "..", "python");
  llvm::SmallString<256> file(package);
  llvm::sys::path::append(file, "tenon", "importing", "command.py");
  if (!llvm::sys::fs::exists(file))
    return;
  const char *old = std::getenv("PYTHONPATH");
  std::string paths = package.str().str() + (old && *old ? ":" + std::string(old) : "");
  setenv("PYTHONPATH", paths.c_str(), /*replace=*/1);
}

} // namespace

int importCommand(const ImportOptions &options) {
  std::string python = findPython();
  if (python.empty())
    return reportError(notFound("models are imported by Python, and PATH has no python3; TENON_PYTHON may name one"));
  std::vector<std::string> words = {python, "-c", kScript, options.model, "-o", options.output};
  for (auto [option, values] : {std::pair{"--shape", &options.shapes}, std::pair{"--size", &options.sizes},
                                std::pair{"--value", &options.values}})
    for (const std::string &value : *values)
      words.insert(words.end(), {option, value});
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  addPackageOfBuild();
  execv(python.c_str(), arguments.data());
  return reportError(notFound("'" + python + "' cannot be run: " + std::strerror(errno)));
}

} // namespace tenon::tools
