#include "tenon/tools/ahead_of_time.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

namespace tenon::tools {

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
  std::string name = aotPackageOptions(options).name, path = options.aot.folder + "/" + name;
  Status status = aot::writeFiles(options.aot.folder, name, package.object, package.header, package.weights);
  if (status.ok() && options.aot.shared)
    status = linkShared(path + ".o", path + ".so", options.aot.linker);
  return status;
}

} // namespace tenon::tools
