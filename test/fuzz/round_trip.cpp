#include "test/fuzz/round_trip.h"

#include "tenon/frontend/export/export.h"
#include "tenon/frontend/import/import.h"

#include "mlir/IR/Diagnostics.h"

namespace tenon::fuzz {

using namespace mlir;

OwningOpRef<ModuleOp> readProgram(StringRef bytes, MLIRContext &context, std::string &errors) {
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors += diagnostic.str() + "\n";
    return success();
  });
  return frontend::importModule(bytes, context);
}

static std::optional<std::string> broken(ModuleOp module, const char *form, const std::string &text,
                                         const std::string &bytes) {
  std::string error;
  auto again = readProgram(bytes, *module->getContext(), error);
  if (!again)
    return std::string(form) + " cannot be read back: " + error;
  std::string now = frontend::exportText(*again);
  if (now == text)
    return std::nullopt;
  auto [at, ignored] = std::mismatch(text.begin(), text.end(), now.begin(), now.end());
  size_t from = std::max<ptrdiff_t>(0, at - text.begin() - 100);
  return std::string(form) + " reads back as another program: instead of\n" + text.substr(from, 200) + "\nit is\n" +
         now.substr(std::min(from, now.size()), 200);
}

std::optional<std::string> brokenRoundTrip(ModuleOp module) {
  std::string text = frontend::exportText(module);
  if (auto finding = broken(module, "text", text, text))
    return finding;
  if (auto finding = broken(module, "generic text", text, frontend::exportText(module, {.generic = true})))
    return finding;
  return broken(module, "bytecode", text, frontend::exportBytecode(module));
}

static std::string artifactOf(ModuleOp module) {
  ScopedDiagnosticHandler silence(module->getContext(), [](Diagnostic &) { return success(); });
  return frontend::exportArtifact(module, frontend::kNewestVhloVersion);
}

std::optional<std::string> brokenArtifact(ModuleOp module) {
  std::string artifact = artifactOf(module), error;
  if (artifact.empty())
    return std::nullopt;
  auto again = readProgram(artifact, *module->getContext(), error);
  if (!again)
    return "artifact cannot be read back: " + error;
  return broken(*again, "artifact", frontend::exportText(*again), artifactOf(*again));
}

} // namespace tenon::fuzz
