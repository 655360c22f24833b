#include "tenon/tools/ahead_of_time.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::tools {

Status writeFile(const std::string &path, std::string_view contents) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (!error) {
    out << llvm::StringRef(contents.data(), contents.size());
    out.close();
    error = out.error();
    out.clear_error();
  }
  return error ? failedPrecondition(path + ": " + error.message()) : Status();
}

aot::PackageOptions aotPackageOptions(const CompileOptions &options) {
  aot::PackageOptions request;
  request.name = options.aot.name;
  if (request.name.empty())
    request.name = options.program == "-" ? "model" : aot::identifierFor(llvm::sys::path::stem(options.program).str());
  request.externalWeights = options.aot.weights == "external";
  return request;
}

// By the user's C compiler: it knows where the system's libc and libm are.
static Status linkShared(const std::string &object, const std::string &library, const std::string &linker) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(linker).split(words, ' ', -1, /*KeepEmpty=*/false);
  if (words.empty())
    return invalidArgument("--linker names no program");
  auto program = llvm::sys::findProgramByName(words[0]);
  if (!program)
    return failedPrecondition("a shared library needs a C compiler, and '" + words[0].str() +
                              "' is not there; --linker names another");
  std::string soname = "-Wl,-soname," + llvm::sys::path::filename(library).str();
  words.append({"-shared", "-o", library, object, "-lm", soname});
  std::string message;
  int code = llvm::sys::ExecuteAndWait(*program, words, std::nullopt, {}, 0, 0, &message);
  if (code != 0)
    return failedPrecondition(library + ": " + words[0].str() + " failed" + (message.empty() ? "" : ": " + message));
  return {};
}

Status writeAheadOfTime(const aot::Package &package, const CompileOptions &options) {
  const std::string &folder = options.aot.folder;
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return failedPrecondition(folder + ": " + error.message());
  std::string path = folder + "/" + aotPackageOptions(options).name;
  Status status = writeFile(path + ".o", package.object);
  if (status.ok())
    status = writeFile(path + ".h", package.header);
  if (status.ok() && !package.weights.empty())
    status = writeFile(path + ".weights", package.weights);
  if (status.ok() && options.aot.shared)
    status = linkShared(path + ".o", path + ".so", options.aot.linker);
  return status;
}

} // namespace tenon::tools
