#include "tenon/compiler/compiler.h"

#include "tenon/codegen/common/location.h"
#include "tenon/codegen/cpu/target.h"
#include "tenon/codegen/routines/shipped.h"
#include "tenon/compiler/context_pool.h"
#include "tenon/compiler/imported_program.h"
#include "tenon/compiler/open_results.h"
#include "tenon/compiler/pipeline.h"
#include "tenon/compiler/readable.h"
#include "tenon/frontend/export/export.h"
#include "tenon/frontend/import/diagnostics.h"
#include "tenon/frontend/import/import.h"
#include "tenon/ir/element_types.h"
#include "tenon/ir/register.h"
#include "tenon/ir/tenon.h"
#include "tenon/passes/partition/partition.h"
#include "tenon/passes/passes.h"
#include "tenon/passes/refine/known_values.h"
#include "tenon/support/compile_stop.h"
#include "tenon/support/hash.h"
#include "tenon/support/shown.h"
#include "tenon/support/trace.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tenon::compiler {
namespace {

// Collects the errors of a context as text.
class Errors {
public:
  Errors(MLIRContext &context, std::string_view source, const CompileOptions &options)
      : reader_(context, {options.fileName, source}, [&](DiagnosticSeverity severity, std::string_view message) {
          if (severity != DiagnosticSeverity::Error)
            return;
          StringRef line = StringRef(message).rtrim();
          if (options.diagnostic)
            options.diagnostic(line);
          text += (text.empty() ? "" : "\n") + line.str();
        }) {}

  std::string text;

private:
  frontend::DiagnosticReader reader_;
};

} // namespace

// Imports `source` and gives the module to `use`. Whatever goes wrong becomes one Status.
template <typename Result>
static StatusOr<Result> withModule(std::string_view source, const CompileOptions &options,
                                   llvm::function_ref<FailureOr<Result>(ModuleOp)> use) {
  std::optional<ContextLoan> loan;
  if (options.imported)
    loadAllDialects(*options.imported->context);
  else
    loan.emplace(source.size());
  MLIRContext &context = loan ? **loan : *options.imported->context;
  OwningOpRef<ModuleOp> own;
  OwningOpRef<ModuleOp> &module = loan ? own : options.imported->module;
  Errors errors(context, source, options);
  frontend::ImportOptions importOptions;
  importOptions.fileName = options.fileName;
  importOptions.entry = options.entry;
  importOptions.flattenMain = true;
  if (options.numReplicas || options.numPartitions)
    importOptions.grid = {std::max<int64_t>(1, options.numReplicas), std::max<int64_t>(1, options.numPartitions)};
  if (!module) {
    trace::Span span("import");
    module = frontend::importModule({source.data(), source.size()}, context, importOptions);
  }
  if (!module)
    return invalidArgument(errors.text.empty() ? "the program can't be read" : errors.text);
  if (options.unpartitioned)
    (*module)->setAttr(ir::kUnpartitionedAttribute, UnitAttr::get(&context));
  if (options.mustPartition)
    (*module)->setAttr(passes::kMustPartitionAttribute, UnitAttr::get(&context));
  if (options.partitionIfNeeded)
    (*module)->setAttr(passes::kPartitionIfNeededAttribute, UnitAttr::get(&context));
  if (options.sharesMemory)
    (*module)->setAttr(passes::kSharesMemoryAttribute, UnitAttr::get(&context));
  // Kernels are emitted by several threads, which read the module and make types.
  context.enableMultithreading();
  FailureOr<Result> result = use(*module);
  if (succeeded(result))
    return std::move(*result);
  if (CompileStop::ofThread().stop_requested())
    return Status(StatusCode::kCancelled, "compiling was stopped");
  bool bug = errors.text.find("internal error") != std::string::npos;
  return Status(bug ? StatusCode::kInternal : StatusCode::kUnimplemented, errors.text);
}

StatusOr<codegen::CpuTarget> targetOf(const CompileOptions &options) {
  // To ask LLVM for it takes as long as to read a small program.
  if (options.targetCpu.empty() && options.targetTriple.empty())
    return codegen::CpuTarget::hostOrError();
  codegen::CpuTargetOptions targetOptions;
  targetOptions.cpu = options.targetCpu;
  targetOptions.triple = options.targetTriple;
  return codegen::CpuTarget::create(targetOptions);
}

static Status checkStages(const CompileOptions &options) {
  for (const std::string &stage : options.dumpAfter)
    if (stage != "all" && !llvm::is_contained(stageNames(), stage))
      return invalidArgument("there is no stage '" + stage + "'; the stages are " + llvm::join(stageNames(), ", "));
    else if (!runsStage(stage, options))
      return invalidArgument("the stage '" + stage + "' has no part in compiling with these options");
  return {};
}

StatusOr<program::Program> compile(std::string_view source, const CompileOptions &options) {
  codegen::useShippedRoutines();
  TENON_RETURN_IF_ERROR(checkStages(options));
  trace::Span span("compile");
  TENON_ASSIGN_OR_RETURN(codegen::CpuTarget target, targetOf(options));
  return withModule<program::Program>(source, options,
                                      [&](ModuleOp module) { return runPipeline(module, target, options); });
}

StatusOr<program::Program> compileFor(const codegen::CodeTarget &target, std::string_view source,
                                      const CompileOptions &options) {
  TENON_RETURN_IF_ERROR(checkStages(options));
  trace::Span span("compile");
  return withModule<program::Program>(source, options,
                                      [&](ModuleOp module) { return runPipeline(module, target, options); });
}

std::string hostTarget() {
  const StatusOr<codegen::CpuTarget> &made = codegen::CpuTarget::hostOrError();
  if (!made.ok())
    return std::string(made.status().message()); // which compiling answers
  const codegen::CpuTarget &host = *made;
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

// An argument or result of main, but for its name.
static OpenArgument describeArray(Type type) {
  OpenArgument described;
  described.type = debugString(type);
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    described.elementType = ir::toElementType(tensor.getElementType());
    for (int64_t size : tensor.getShape())
      described.dims.push_back(ShapedType::isDynamic(size) ? -1 : size);
  }
  return described;
}

TENON_SHOWN StatusOr<OpenProgram> describeOpenProgram(std::string_view source, const CompileOptions &options) {
  return withModule<OpenProgram>(source, options, [&](ModuleOp module) -> FailureOr<OpenProgram> {
    auto isOpen = [](Type type) {
      auto tensor = dyn_cast<ShapedType>(type);
      return tensor && !tensor.hasStaticShape();
    };
    OpenProgram program;
    auto main = module.lookupSymbol<func::FuncOp>("main");
    for (BlockArgument argument : main.getArguments()) {
      OpenArgument &described = program.arguments.emplace_back(describeArray(argument.getType()));
      described.name = codegen::locationName(argument.getLoc());
      program.isOpen |= isa<RankedTensorType>(argument.getType()) && isOpen(argument.getType());
    }
    if (failed(passes::expandCustomCalls(module)) || failed(passes::inlineCalls(module)))
      return failure();
    for (unsigned argument : passes::argumentsThatDecideSizes(main))
      program.arguments[argument].decidesSizes = program.isOpen = true;
    program.isOpen |= llvm::any_of(main.getResultTypes(), isOpen);
    return program;
  });
}

TENON_SHOWN StatusOr<std::vector<OpenArgument>> describeResults(std::string_view source,
                                                                const CompileOptions &options) {
  return withModule<std::vector<OpenArgument>>(
      source, options, [&](ModuleOp module) -> FailureOr<std::vector<OpenArgument>> {
        std::vector<OpenArgument> results;
        auto main = module.lookupSymbol<func::FuncOp>("main");
        for (auto [i, type] : llvm::enumerate(main.getResultTypes())) {
          OpenArgument &described = results.emplace_back(describeArray(type));
          if (auto name = main.getResultAttrOfType<StringAttr>(i, "jax.result_info"))
            described.name = name.str();
        }
        return results;
      });
}

StatusOr<std::string> refinedProgram(std::string_view source, const CompileOptions &options) {
  return withModule<std::string>(source, options, [&](ModuleOp module) -> FailureOr<std::string> {
    if (failed(setArguments(module, options)) || failed(passes::expandCustomCalls(module)) ||
        failed(passes::inlineCalls(module)) || failed(passes::promoteComputations(module)) ||
        failed(passes::refineShapes(module)))
      return failure();
    auto main = module.lookupSymbol<func::FuncOp>("main");
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      if (main.getResultAttr(i, ir::kSizeOfAttribute))
        return main.emitError("the size of a result is only known when the program runs");
    // They have done their work; whoever reads the program takes it as any other.
    for (unsigned i = 0; i < main.getNumArguments(); ++i) {
      main.removeArgAttr(i, ir::kValueAttribute);
      main.removeArgAttr(i, ir::kDeclaredTypeAttribute);
    }
    return frontend::exportBytecode(module);
  });
}

StatusOr<std::string> optimizedModule(std::string_view source, const CompileOptions &options) {
  constexpr StringLiteral end = "strip-sinks";
  return withModule<std::string>(source, options, [&](ModuleOp module) -> FailureOr<std::string> {
    std::vector<OwningOpRef<ModuleOp>> manualComputations;
    if (failed(runPasses(module, options, end, nullptr, &manualComputations)))
      return failure();
    CompileOptions own = options;
    own.argumentShapes.clear();
    for (OwningOpRef<ModuleOp> &inner : manualComputations)
      if (failed(runPasses(inner.get(), own, end, nullptr)))
        return failure();
    makeReadable(module, manualComputations);
    return frontend::exportText(module, {.locations = true});
  });
}

} // namespace tenon::compiler
