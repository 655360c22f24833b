#include "tenon/compiler/compiler.h"
#include "tenon/program/serialization.h"
#include "tenon/tools/commands.h"
#include "tenon/tools/program_file.h"
#include "tenon/tools/report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::tools {

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
  if (!options.dumpAfter.empty())
    request.dumpAfter = {options.dumpAfter};
  request.dump = [](std::string_view stage, std::string_view text) {
    llvm::outs() << "// after " << stage << "\n" << text << "\n";
  };
  auto result = compiler::compile(file->bytes, request);
  if (!result.ok())
    return reportError(result.status());
  if (options.report == "json")
    llvm::outs() << formatReportJson(*result);
  else if (!options.report.empty())
    llvm::outs() << formatReport(*result);
  if (options.output.empty())
    return 0;
  std::error_code error;
  llvm::raw_fd_ostream out(options.output, error);
  if (!error) {
    out << program::serialize(*result);
    out.close();
    error = out.error();
    out.clear_error();
  }
  return error ? reportError(options.output + ": " + error.message()) : 0;
}

} // namespace tenon::tools
