// `tenon diff`: what two files are, and who compares such.
#include "tenon/tools/diff/diff.h"

#include "tenon/compiler/compiler.h"
#include "tenon/frontend/export/export.h"
#include "tenon/program/serialization.h"
#include "tenon/tools/commands.h"
#include "tenon/tools/program_file.h"
#include "tenon/tools/report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <optional>

namespace tenon::tools {

namespace {

using nlohmann::json;

enum class Kind { kArrays, kJson, kCompiled, kProgram, kText };

const char *nameOf(Kind kind) {
  constexpr const char *names[] = {"results", "a report", "a compiled program", "a program", "text"};
  return names[static_cast<int>(kind)];
}

// Whether the text is one that a stage leaves which is no program: LLVM's, or the plans of kernels.
bool isStageText(llvm::StringRef text) {
  return text.contains("\n// after plan\n") || text.starts_with("// after plan") || text.starts_with("// after llvm") ||
         text.starts_with("; ModuleID");
}

Kind kindOf(const std::string &path, llvm::StringRef bytes) {
  if (llvm::sys::fs::is_directory(path) || llvm::sys::path::extension(path) == ".npy")
    return Kind::kArrays;
  if (program::isSerializedProgram(bytes))
    return Kind::kCompiled;
  llvm::StringRef start = bytes.ltrim();
  if ((start.starts_with("{") || start.starts_with("[")) && json::accept(bytes.str()))
    return Kind::kJson;
  llvm::StringRef suffix = llvm::sys::path::extension(path);
  if (isStageText(start) || suffix == ".txt" || suffix == ".ll" || suffix == ".ptx")
    return Kind::kText;
  return Kind::kProgram;
}

struct Side {
  std::string path;
  std::string bytes; // none of a folder
  Kind kind = Kind::kText;
};

StatusOr<Side> read(const std::string &path) {
  Side side{path, "", Kind::kArrays};
  if (!llvm::sys::fs::is_directory(path)) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (std::error_code error = buffer.getError())
      return Status(StatusCode::kNotFound, path + ": " + error.message());
    side.bytes = (*buffer)->getBuffer().str();
  }
  side.kind = kindOf(path, side.bytes);
  return side;
}

compiler::CompileOptions requestFor(const DiffOptions &options, ProgramFile &file) {
  compiler::CompileOptions request;
  request.fileName = file.path;
  request.imported = file.imported;
  request.targetCpu = options.targetCpu;
  return request;
}

// The program as text, as it was read or after a stage.
StatusOr<std::string> textOf(const DiffOptions &options, ProgramFile &file) {
  if (options.after.empty())
    return frontend::exportText(file.module());
  compiler::CompileOptions request = requestFor(options, file);
  TENON_ASSIGN_OR_RETURN(request.argumentShapes, file.argumentShapes(options.shapes));
  std::string text;
  request.dumpAfter = {options.after};
  request.dump = [&](std::string_view, std::string_view dumped) { text += dumped; };
  TENON_RETURN_IF_ERROR(compiler::compile(file.bytes, request).status());
  return text;
}

StatusOr<json> reportOf(const DiffOptions &options, ProgramFile &file) {
  compiler::CompileOptions request = requestFor(options, file);
  TENON_ASSIGN_OR_RETURN(request.argumentShapes, file.argumentShapes(options.shapes));
  TENON_ASSIGN_OR_RETURN(program::Program program, compiler::compile(file.bytes, request));
  return json::parse(formatReportJson(program));
}

StatusOr<bool> diffPrograms(const DiffOptions &options, ProgramFile &a, ProgramFile &b) {
  if (options.report) {
    TENON_ASSIGN_OR_RETURN(json reportA, reportOf(options, a));
    TENON_ASSIGN_OR_RETURN(json reportB, reportOf(options, b));
    return diffJson(reportA, reportB, llvm::outs());
  }
  TENON_ASSIGN_OR_RETURN(std::string textA, textOf(options, a));
  TENON_ASSIGN_OR_RETURN(std::string textB, textOf(options, b));
  return diffTexts(textA, textB, llvm::outs());
}

StatusOr<bool> diffCompiled(const Side &a, const Side &b) {
  TENON_ASSIGN_OR_RETURN(program::Program programA, program::deserialize(a.bytes));
  TENON_ASSIGN_OR_RETURN(program::Program programB, program::deserialize(b.bytes));
  return diffJson(json::parse(formatReportJson(programA)), json::parse(formatReportJson(programB)), llvm::outs());
}

// Not of programs.
StatusOr<bool> diffSides(const Side &a, const Side &b) {
  switch (a.kind) {
  case Kind::kArrays:
    return diffArrays(a.path, b.path, llvm::outs());
  case Kind::kJson:
    return diffJson(json::parse(a.bytes), json::parse(b.bytes), llvm::outs());
  case Kind::kCompiled:
    return diffCompiled(a, b);
  default:
    return diffTexts(a.bytes, b.bytes, llvm::outs());
  }
}

int exitStatus(const StatusOr<bool> &differs) {
  if (!differs.ok())
    return reportCompileError(differs.status());
  return *differs ? kDiffer : 0;
}

} // namespace

int diffCommand(const DiffOptions &options) {
  auto a = read(options.a), b = read(options.b);
  if (!a.ok() || !b.ok())
    return reportError((a.ok() ? b : a).status());
  if (a->kind != b->kind)
    return reportError(options.a + " is " + nameOf(a->kind) + ", and " + options.b + " is " + nameOf(b->kind));
  if (a->kind != Kind::kProgram && (options.report || !options.after.empty()))
    return reportError("--after and --report are for programs; " + options.a + " is " + nameOf(a->kind));
  if (a->kind != Kind::kProgram)
    return exitStatus(diffSides(*a, *b));
  std::unique_ptr<ProgramFile> fileA = loadSource(options.a, ""), fileB = loadSource(options.b, "");
  return fileA && fileB ? exitStatus(diffPrograms(options, *fileA, *fileB)) : 1;
}

} // namespace tenon::tools
