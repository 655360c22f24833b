#include "tenon/tools/ahead_of_time.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

namespace tenon::tools {

static std::string stemOf(const std::string &program) {
  return program == "-" ? "model" : aot::identifierFor(llvm::sys::path::stem(program).str());
}

// Sets of shapes, each as --shapes takes it; one that says nothing where there are none.
static std::vector<std::vector<std::string>> shapeSets(const std::vector<std::string> &shapes) {
  std::vector<std::vector<std::string>> sets(1);
  for (const std::string &text : shapes) {
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(text).split(parts, ';');
    for (auto [i, part] : llvm::enumerate(parts)) {
      if (i > 0)
        sets.emplace_back();
      sets.back().push_back(part.str());
    }
  }
  return sets;
}

// "1x64,-" as a part of a name: "1x64_any".
static std::string nameOf(const std::vector<std::string> &shapes) {
  std::string name;
  for (const std::string &shape : shapes)
    name += (name.empty() ? "" : "_") + (shape == "-" ? "any" : shape);
  return name;
}

StatusOr<std::vector<ProgramChoice>> chosenPrograms(const CompileOptions &options) {
  std::vector<std::string> entries = options.entries.empty() ? std::vector<std::string>{""} : options.entries;
  std::vector<std::vector<std::string>> sets = shapeSets(options.shapes);
  std::vector<ProgramChoice> choices;
  for (const std::string &program : options.programs)
    for (const std::string &entry : entries)
      for (const std::vector<std::string> &shapes : sets) {
        std::string model = aotPackageOptions(options).name;
        if (options.programs.size() > 1)
          model += "_" + stemOf(program);
        if (entries.size() > 1)
          model += "_" + aot::identifierFor(entry);
        if (sets.size() > 1)
          model += "_" + nameOf(shapes);
        choices.push_back({std::move(model), program, entry, shapes});
      }
  if (choices.size() == 1)
    return choices;
  if (options.aot.folder.empty())
    return invalidArgument("several programs, entries or sets of shapes are compiled together by --aot only");
  if (options.programs.size() > 1 && options.aot.name.empty())
    return invalidArgument("--name says what the files of several programs are called");
  if (llvm::is_contained(options.programs, "-"))
    return invalidArgument("of several programs none can be standard input");
  return choices;
}

aot::PackageOptions aotPackageOptions(const CompileOptions &options) {
  aot::PackageOptions request;
  request.name = options.aot.name;
  if (request.name.empty())
    request.name = stemOf(options.programs.front());
  return request;
}

Status setWeights(const CompileOptions &options, aot::PackageOptions &request) {
  const std::string &weights = options.aot.weights;
  request.externalWeights = weights == "external";
  if (weights == "embedded" || weights == "external")
    return options.aot.bindings.empty() ? Status() : invalidArgument("--bind is for --weights FILE.safetensors");
  aot::WeightsFile &file = request.weightsFile.emplace();
  file.path = weights;
  for (const std::string &text : options.aot.bindings) {
    auto [argument, tensor] = llvm::StringRef(text).rsplit('=');
    if (argument.empty() || tensor.empty())
      return invalidArgument("--bind: '" + text + "' is not ARGUMENT=TENSOR");
    file.bindings[argument.str()] = tensor.str();
  }
  return {};
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
