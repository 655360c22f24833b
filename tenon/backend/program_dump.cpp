#include "tenon/backend/program_dump.h"

#include "tenon/support/files.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace tenon::backend {
namespace {

constexpr std::string_view kBytecodeMagic = "ML\xefR";
constexpr size_t kLongestName = 80;

// The first number above those in the directory.
int nextNumber(const std::string &directory) {
  int next = 0;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(directory, error)) {
    int number = 0;
    std::string name = entry.path().filename().string();
    if (!llvm::StringRef(name).split('.').first.getAsInteger(10, number))
      next = std::max(next, number + 1);
  }
  return next;
}

// Makes an empty file where none is. False where one is; otherwise `error` says why it was not made.
bool makeNew(const std::string &path, std::error_code &error) {
  int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (file >= 0)
    return ::close(file), true;
  if (errno != EEXIST)
    error = {errno, std::generic_category()};
  return false;
}

// The name as a part of a file's name.
std::string fileNameOf(llvm::StringRef name) {
  std::string text;
  for (char c : name.take_front(kLongestName))
    text += llvm::isAlnum(c) || c == '_' || c == '-' ? c : '_';
  return text.empty() ? "module" : text;
}

} // namespace

StatusOr<std::shared_ptr<ProgramDump>> ProgramDump::create(const std::string &directory, std::string_view source) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  const char *extension = source.starts_with(kBytecodeMagic) ? ".source.mlirbc" : ".source.mlir";
  // The file of the source is what holds a number against other processes.
  for (int number = error ? 0 : nextNumber(directory); !error; ++number) {
    std::string digits = std::to_string(number);
    std::string prefix = directory + "/" + std::string(4 - std::min<size_t>(4, digits.size()), '0') + digits;
    if (!makeNew(prefix + extension, error))
      continue;
    TENON_RETURN_IF_ERROR(writeFile(prefix + extension, source));
    return std::shared_ptr<ProgramDump>(new ProgramDump(prefix));
  }
  return failedPrecondition("programs cannot be dumped to " + directory + ": " + error.message());
}

void ProgramDump::attach(const std::shared_ptr<ProgramDump> &dump, compiler::CompileOptions &options) {
  options.dumpAfter = {"all"};
  options.inspect = [dump, inspect = std::move(options.inspect)](std::string_view stage, mlir::ModuleOp module) {
    if (inspect)
      inspect(stage, module);
    std::lock_guard lock(dump->mutex_);
    if (dump->module_.empty())
      dump->module_ = fileNameOf(module.getName().value_or(""));
  };
  options.dump = [dump](std::string_view stage, std::string_view text) { dump->write(stage, text); };
}

void ProgramDump::write(std::string_view stage, std::string_view text) {
  std::lock_guard lock(mutex_);
  std::vector<std::string> stages = compiler::stageNames();
  auto place = llvm::find(stages, stage) - stages.begin();
  int earlier = modulesOfStage_[std::string(stage)]++;
  std::string path =
      prefix_ + "." + module_ + (place < 10 ? ".0" : ".") + std::to_string(place) + "." + std::string(stage);
  const char *extension = stage == "llvm" ? ".ll" : stage == "plan" ? ".txt" : ".mlir";
  path += (earlier ? "." + std::to_string(earlier) : "") + extension;
  Status status = writeFile(path, text);
  if (status_.ok())
    status_ = status;
}

Status ProgramDump::status() const {
  std::lock_guard lock(mutex_);
  return status_;
}

StatusOr<program::Program> compileAndDump(std::string_view source, compiler::CompileOptions options,
                                          std::string directory, const CompileFunction &compile) {
  if (const char *general = std::getenv("TENON_DUMP_TO"); directory.empty() && general)
    directory = general;
  if (directory.empty())
    return compile(options);
  TENON_ASSIGN_OR_RETURN(auto dump, ProgramDump::create(directory, source));
  ProgramDump::attach(dump, options);
  StatusOr<program::Program> program = compile(options);
  if (program.ok() && !dump->status().ok())
    return dump->status();
  return program;
}

} // namespace tenon::backend
