// `tenon reduce`: each smaller program is tried by a process of its own, which may crash or hang.
#include "tenon/checking/reduce.h"
#include "tenon/compiler/compiler.h"
#include "tenon/frontend/export/export.h"
#include "tenon/frontend/import/import.h"
#include "tenon/ir/element_types.h"
#include "tenon/support/files.h"
#include "tenon/tools/array.h"
#include "tenon/tools/commands.h"
#include "tenon/tools/program_file.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace tenon::tools {

namespace {

// How a process ended.
struct Ending {
  enum class Kind { kExit, kSignal, kTimeout } kind = Kind::kExit;
  int status = 0;        // of an exit
  std::string assertion; // the one that failed, if any

  bool isCrash() const { return kind != Kind::kExit; }
};

std::string assertionIn(llvm::StringRef errors) {
  for (llvm::StringRef line : llvm::split(errors, '\n'))
    if (size_t at = line.find("Assertion `"); at != llvm::StringRef::npos)
      return line.substr(at).str();
  return "";
}

class Trial {
public:
  Trial(const ReduceOptions &options, std::string folder) : options_(options), folder_(std::move(folder)) {}

  // Whether there is a failure to keep, and which.
  Status begin(const std::string &program) {
    TENON_ASSIGN_OR_RETURN(first_, run(program));
    if (options_.keep == "CRASH" && !first_.isCrash())
      return failedPrecondition("tenon run --random --seed " + std::to_string(options_.seed) +
                                " does not crash on the program: there is nothing to keep");
    if (options_.keep == "WRONG" && !isWrong(first_))
      return failedPrecondition("tenon check --seed " + std::to_string(options_.seed) +
                                " finds no wrong result: there is nothing to keep");
    if (isCommand() && !succeeds(first_))
      return failedPrecondition("the command fails on the program itself: there is nothing to keep");
    return {};
  }

  bool stillFails(const std::string &program) {
    StatusOr<Ending> ending = run(program);
    if (!ending.ok())
      return false;
    if (options_.keep == "CRASH")
      return ending->kind == first_.kind && ending->assertion == first_.assertion;
    return isCommand() ? succeeds(*ending) : isWrong(*ending);
  }

private:
  bool isCommand() const { return options_.keep != "CRASH" && options_.keep != "WRONG"; }
  static bool succeeds(const Ending &ending) { return !ending.isCrash() && ending.status == 0; }
  static bool isWrong(const Ending &ending) { return !ending.isCrash() && ending.status == kDiffer; }

  std::vector<std::string> words(const std::string &file) const {
    std::string self = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
    std::string seed = std::to_string(options_.seed);
    if (options_.keep == "CRASH")
      return {self, "run", file, "--random", "--seed", seed};
    if (options_.keep == "WRONG")
      return {self, "check", file, "--results-only", "--seed", seed};
    std::string command = options_.keep;
    size_t at = command.find("{}");
    command = at == std::string::npos ? command + " " + file : command.replace(at, 2, file);
    return {"/bin/sh", "-c", command};
  }

  StatusOr<Ending> run(const std::string &program) const {
    std::string file = folder_ + "/program.mlir", errors = folder_ + "/errors";
    TENON_RETURN_IF_ERROR(writeFile(file, program));
    std::vector<std::string> owned = words(file);
    llvm::SmallVector<llvm::StringRef> arguments(owned.begin(), owned.end());
    std::optional<llvm::StringRef> redirects[] = {"", "", errors};
    std::string message;
    bool failed = false;
    int status = llvm::sys::ExecuteAndWait(owned[0], arguments, std::nullopt, redirects,
                                           static_cast<unsigned>(std::ceil(options_.timeLimit)), 0, &message, &failed);
    if (failed)
      return internalError(message);
    Ending ending;
    ending.status = status;
    if (status == -2) // ended by a signal, its own or ours
      ending.kind = llvm::StringRef(message).contains("timed out") ? Ending::Kind::kTimeout : Ending::Kind::kSignal;
    if (auto text = llvm::MemoryBuffer::getFile(errors))
      ending.assertion = assertionIn((*text)->getBuffer());
    return ending;
  }

  const ReduceOptions &options_;
  std::string folder_;
  Ending first_;
};

// As text, with the shapes that are given.
StatusOr<std::string> programText(const ReduceOptions &options, ProgramFile &file) {
  if (options.shapes.empty() && options.constants.empty())
    return frontend::exportText(file.module());
  compiler::CompileOptions refine;
  refine.fileName = file.path;
  TENON_ASSIGN_OR_RETURN(refine.argumentShapes, file.argumentShapes(options.shapes));
  TENON_ASSIGN_OR_RETURN(refine.argumentValues, file.argumentValues(options.constants));
  TENON_ASSIGN_OR_RETURN(std::string bytecode, compiler::refinedProgram(file.bytes, refine));
  auto module = frontend::importModule(bytecode, *file.imported->context);
  if (!module)
    return internalError("the program with its shapes can't be read");
  return frontend::exportText(*module);
}

size_t countOps(const std::string &program, mlir::MLIRContext &context) {
  size_t count = 0;
  if (auto module = frontend::importModule(program, context))
    module->walk([&](mlir::Operation *) { ++count; });
  return count;
}

// The values that `tenon run --random` gives.
interpreter::Tensor inputOf(mlir::RankedTensorType type, uint64_t seed) {
  program::Shape shape{ir::toElementType(type.getElementType()), type.getShape().vec()};
  StatusOr<Literal> array = randomArray(shape, seed);
  if (!array.ok())
    return {type.getShape(), type.getElementType()};
  llvm::ArrayRef bytes(static_cast<const uint8_t *>(dataOf(*array)), static_cast<size_t>(shape.byteSize()));
  return *interpreter::Tensor::fromBytes(type, bytes);
}

Status reduce(const ReduceOptions &options, ProgramFile &file) {
  TENON_ASSIGN_OR_RETURN(std::string program, programText(options, file));
  llvm::SmallString<128> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("tenon-reduce", folder))
    return {StatusCode::kUnknown, "a folder for the programs: " + error.message()};
  llvm::scope_exit remove([&] {
    if (std::error_code error = llvm::sys::fs::remove_directories(folder))
      llvm::errs() << "warning: " << folder << " is still there: " << error.message() << "\n";
  });
  Trial trial(options, folder.str().str());
  TENON_RETURN_IF_ERROR(trial.begin(program));
  size_t tries = 0;
  std::string reduced = checking::reduceProgram(
      program, [&](mlir::RankedTensorType type, uint64_t number) { return inputOf(type, options.seed + number); },
      [&](const std::string &candidate) {
        ++tries;
        return trial.stillFails(candidate);
      },
      options.seconds);
  mlir::MLIRContext &context = *file.imported->context;
  llvm::errs() << countOps(reduced, context) << " of " << countOps(program, context) << " operations are left, after "
               << tries << " tries\n";
  if (options.output != "-")
    return writeFile(options.output, reduced);
  llvm::outs() << reduced;
  return {};
}

} // namespace

int reduceCommand(const ReduceOptions &options) {
  std::unique_ptr<ProgramFile> file = loadSource(options.program, options.entry);
  if (!file)
    return 1;
  Status status = reduce(options, *file);
  return status.ok() ? 0 : reportCompileError(status);
}

} // namespace tenon::tools
