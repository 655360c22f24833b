#include "tenon/compiler/compiler.h"

#include "tenon/compiler/pipeline.h"
#include "tenon/frontend/import/import.h"
#include "tenon/ir/register.h"
#include "tenon/support/hash.h"
#include "tenon/support/trace.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"

#include <mutex>

using namespace mlir;

namespace tenon::compiler {
namespace {

// Turns MLIR's diagnostics into text, with the source line and a caret where the location is in `source`.
class DiagnosticText {
public:
  DiagnosticText(MLIRContext &context, std::string_view source, const CompileOptions &options)
      : source(source), options(options), handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            add(diagnostic);
          return success();
        }) {}

  std::string text;

private:
  void add(Diagnostic &diagnostic) {
    std::string line = describe(diagnostic, "error");
    for (Diagnostic &note : diagnostic.getNotes())
      line += "\n" + describe(note, "note");
    if (options.diagnostic)
      options.diagnostic(line);
    std::lock_guard lock(mutex);
    text += (text.empty() ? "" : "\n") + line;
  }

  std::string describe(Diagnostic &diagnostic, const char *severity) {
    std::string line;
    auto file = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
    if (file)
      line = (file.getFilename().getValue() + ":" + std::to_string(file.getLine()) + ":" +
              std::to_string(file.getColumn()) + ": ")
                 .str();
    else
      line = options.fileName + ": ";
    line += std::string(severity) + ": " + diagnostic.str();
    if (file && file.getFilename() == options.fileName)
      line += sourceLine(file.getLine(), file.getColumn());
    return line;
  }

  std::string sourceLine(unsigned line, unsigned column) {
    std::string_view rest = source;
    for (unsigned i = 1; i < line; ++i) {
      size_t end = rest.find('\n');
      if (end == std::string_view::npos)
        return "";
      rest.remove_prefix(end + 1);
    }
    std::string text(rest.substr(0, std::min<size_t>(rest.find('\n'), 200)));
    bool printable = llvm::all_of(text, [](char c) { return c == '\t' || llvm::isPrint(c); });
    if (!printable || column == 0 || column > text.size() + 1)
      return "";
    return "\n  " + text + "\n  " + std::string(column - 1, ' ') + "^";
  }

  std::string_view source;
  const CompileOptions &options;
  std::mutex mutex;
  ScopedDiagnosticHandler handler;
};

} // namespace

// Imports `source` and gives the module to `use`. Whatever goes wrong becomes one Status.
template <typename Result>
static StatusOr<Result> withModule(std::string_view source, const CompileOptions &options,
                                   llvm::function_ref<FailureOr<Result>(ModuleOp)> use) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false); // messages name the place; whole loops in notes help nobody
  DiagnosticText diagnostics(context, source, options);
  frontend::ImportOptions importOptions;
  importOptions.fileName = options.fileName;
  OwningOpRef<ModuleOp> module;
  {
    trace::Span span("import");
    module = frontend::importModule({source.data(), source.size()}, context, importOptions);
  }
  if (!module)
    return invalidArgument(diagnostics.text.empty() ? "the program can't be read" : diagnostics.text);
  // Kernels are emitted by several threads, which read the module and make types.
  context.enableMultithreading();
  FailureOr<Result> result = use(*module);
  if (succeeded(result))
    return std::move(*result);
  bool bug = diagnostics.text.find("internal error") != std::string::npos;
  return Status(bug ? StatusCode::kInternal : StatusCode::kUnimplemented, diagnostics.text);
}

StatusOr<program::Program> compile(std::string_view source, const CompileOptions &options) {
  for (const std::string &stage : options.dumpAfter)
    if (stage != "all" && !llvm::is_contained(stageNames(), stage))
      return invalidArgument("there is no stage '" + stage + "'; the stages are " + llvm::join(stageNames(), ", "));
  trace::Span span("compile");
  codegen::CpuTargetOptions targetOptions;
  targetOptions.cpu = options.targetCpu;
  targetOptions.triple = options.targetTriple;
  StatusOr<codegen::CpuTarget> target = codegen::CpuTarget::create(targetOptions);
  if (!target.ok())
    return target.status();
  return withModule<program::Program>(source, options,
                                      [&](ModuleOp module) { return runPipeline(module, *target, options); });
}

std::string hostTarget() {
  const codegen::CpuTarget &host = codegen::CpuTarget::host();
  return host.cpu() + " " + hexDigits(stableHash(host.key()));
}

Status withOptimizedModule(std::string_view source, const CompileOptions &options,
                           llvm::function_ref<void(ModuleOp)> use) {
  auto done = withModule<bool>(source, options, [&](ModuleOp module) -> FailureOr<bool> {
    if (failed(runPasses(module, options, /*before=*/"fuse", nullptr)))
      return failure();
    use(module);
    return true;
  });
  return done.ok() ? Status() : done.status();
}

StatusOr<std::string> optimizedModule(std::string_view source, const CompileOptions &options) {
  std::string text;
  Status status = withOptimizedModule(source, options, [&](ModuleOp module) {
    llvm::raw_string_ostream stream(text);
    module.print(stream);
  });
  if (!status.ok())
    return status;
  return text;
}

} // namespace tenon::compiler
