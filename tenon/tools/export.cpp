#include "tenon/frontend/export/export.h"
#include "tenon/tools/commands.h"
#include "tenon/tools/program_file.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/ToolOutputFile.h"

namespace tenon::tools {

namespace {

// Whether the form has the options that only some forms have. False after an error, which has been printed.
bool suitsForm(const ExportOptions &options) {
  if (!options.version.empty() && options.format != "artifact")
    return reportError("--version is of portable artifacts (--as artifact), and not of --as " + options.format), false;
  if (options.locations && options.format != "text" && options.format != "generic")
    return reportError("--locations is of --as text and generic; --as " + options.format + " always has them"), false;
  return true;
}

// Empty after an error, which has been printed.
std::string exportAs(mlir::ModuleOp module, const ExportOptions &options) {
  if (options.format == "artifact") {
    std::optional<frontend::VhloVersion> version = frontend::kNewestVhloVersion;
    if (!options.version.empty())
      version = frontend::parseVhloVersion(options.version);
    if (!version)
      return reportError("--version: '" + options.version + "' is not a version of StableHLO, as 1.17.0 is"), "";
    return frontend::exportArtifact(module, *version);
  }
  if (options.format != "bytecode")
    return frontend::exportText(module, {options.format == "generic", options.locations});
  std::string bytes = frontend::exportBytecode(module);
  if (bytes.empty())
    reportError("MLIR cannot write this program as bytecode");
  return bytes;
}

} // namespace

int exportCommand(const ExportOptions &options) {
  if (!suitsForm(options))
    return 1;
  std::unique_ptr<ProgramFile> file = loadModule(options.program);
  if (!file)
    return 1;
  std::string bytes = exportAs(file->module(), options), message;
  if (bytes.empty())
    return 1;
  std::unique_ptr<llvm::ToolOutputFile> output = mlir::openOutputFile(options.output, &message);
  if (!output)
    return reportError(message);
  output->os() << bytes;
  output->keep();
  return 0;
}

} // namespace tenon::tools
