#include "tenon/aot/package.h"
#include "tenon/compiler/compiler.h"
#include "tenon/program/serialization.h"
#include "tenon/tools/commands.h"
#include "tenon/tools/program_file.h"
#include "tenon/tools/report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace tenon::tools {
namespace {

Status writeFile(const std::string &path, llvm::StringRef contents) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (!error) {
    out << contents;
    out.close();
    error = out.error();
    out.clear_error();
  }
  return error ? failedPrecondition(path + ": " + error.message()) : Status();
}

aot::PackageOptions packageOptions(const CompileOptions &options) {
  aot::PackageOptions request;
  request.name = options.aot.name;
  if (request.name.empty())
    request.name = options.program == "-" ? "model" : aot::identifierFor(llvm::sys::path::stem(options.program).str());
  request.externalWeights = options.aot.weights == "external";
  return request;
}

Status writePackage(const aot::Package &package, const std::string &folder, const std::string &name) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return failedPrecondition(folder + ": " + error.message());
  std::string path = folder + "/" + name;
  Status status = writeFile(path + ".o", package.object);
  if (status.ok())
    status = writeFile(path + ".h", package.header);
  if (status.ok() && !package.weights.empty())
    status = writeFile(path + ".weights", package.weights);
  return status;
}

} // namespace

int compileCommand(const CompileOptions &options) {
  if (auto stages = compiler::stageNames();
      !options.dumpAfter.empty() && options.dumpAfter != "all" && !llvm::is_contained(stages, options.dumpAfter))
    return reportError("no stage is named '" + options.dumpAfter + "'; there are: " + llvm::join(stages, ", "));
  std::unique_ptr<ProgramFile> file = loadSource(options.program);
  if (!file)
    return 1;
  compiler::CompileOptions request;
  request.fileName = file->path;
  auto shapes = file->argumentShapes(options.shapes);
  if (!shapes.ok())
    return reportError(shapes.status());
  request.argumentShapes = std::move(*shapes);
  if (!options.targetCpu.empty())
    request.targetCpu = options.targetCpu;
  request.targetTriple = options.targetTriple;
  if (!options.dumpAfter.empty())
    request.dumpAfter = {options.dumpAfter};
  request.dump = [](std::string_view stage, std::string_view text) {
    llvm::outs() << "// after " << stage << "\n" << text << "\n";
  };
  auto result = compiler::compile(file->bytes, request);
  if (!result.ok())
    return reportError(result.status());
  std::optional<aot::Package> package;
  if (!options.aot.folder.empty()) {
    auto made = aot::makePackage(*result, packageOptions(options));
    if (!made.ok())
      return reportError(made.status());
    package = std::move(*made);
  }
  const aot::PackageSizes *sizes = package ? &package->sizes : nullptr;
  if (options.report == "json")
    llvm::outs() << formatReportJson(*result, sizes);
  else if (!options.report.empty())
    llvm::outs() << formatReport(*result, sizes);
  Status status;
  if (!options.output.empty())
    status = writeFile(options.output, program::serialize(*result));
  if (status.ok() && package)
    status = writePackage(*package, options.aot.folder, packageOptions(options).name);
  return status.ok() ? 0 : reportError(status);
}

} // namespace tenon::tools
