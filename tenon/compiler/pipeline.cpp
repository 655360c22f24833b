// Every stage of a compilation, in order, with the reason for each. What a stage does is described where it is declared
// (passes/passes.h).

#include "tenon/compiler/pipeline.h"

#include "tenon/frontend/export/export.h"
#include "tenon/frontend/import/import.h"
#include "tenon/ir/tenon.h"
#include "tenon/passes/fuse/kernel_panels.h"
#include "tenon/passes/fuse/loop_panels.h"
#include "tenon/passes/legalize/layout/convolution_kernels.h"
#include "tenon/passes/legalize/layout/features_last.h"
#include "tenon/passes/partition/partition.h"
#include "tenon/passes/partition/report.h"
#include "tenon/passes/passes.h"
#include "tenon/passes/simplify/few_products.h"
#include "tenon/passes/simplify/narrow_integers.h"
#include "tenon/passes/simplify/one_hot.h"
#include "tenon/program/attributes.h"
#include "tenon/support/compile_stop.h"
#include "tenon/support/trace.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Verifier.h"
#include "llvm/IR/Module.h"

#include <chrono>
#include <mutex>

using namespace mlir;

namespace tenon::compiler {
namespace {

struct Stage {
  const char *name;
  const char *description;         // of the pass "tenon-<name>" of tenon opt; empty: there is none
  bool CompileOptions::*condition; // the option without which it is left out; null: it always runs
  LogicalResult (*run)(ModuleOp);
  // In its place when compiling.
  LogicalResult (*runForTarget)(ModuleOp, const codegen::CodeTarget &, const CompileOptions &) = nullptr;
  LogicalResult (*runWithOptions)(ModuleOp, const CompileOptions &) = nullptr;

  bool isEnabled(const CompileOptions &options) const { return !condition || options.*condition; }
};

LogicalResult fuse(ModuleOp module, const codegen::CodeTarget &target, const CompileOptions &compileOptions) {
  bool packs = compileOptions.packConstants;
  if (int64_t lanes = target.featureLanes(); packs && lanes > 0)
    passes::placeFeaturesLast(module, lanes, target.costs());
  auto standsAlone = [&](Operation *op) { return target.standsAlone(op); };
  passes::orderConvolutionKernels(module, [&](Operation *op) { return target.ordersKernelOf(op); }, standsAlone);
  auto panelColumns = [&](Operation *product, int64_t runs) { return target.panelColumns(product, runs); };
  if (packs)
    passes::packConstantOperands(module, panelColumns);
  passes::packLoopOperands(module, panelColumns, target.costs());
  passes::FuseOptions options;
  options.canFuse = [&](Operation *op) { return target.canFuse(op); };
  options.canEmit = [&](Operation *op) { return target.canEmit(op); };
  options.standsAlone = standsAlone;
  options.costs = target.costs();
  if (failed(passes::fuse(module, options)))
    return failure();
  if (packs)
    passes::packConstantKernels(module, [&](Operation *op) { return target.kernelPanelColumns(op); });
  return success();
}

// Every op the grouping knows fuses; what a target can emit is asked when there is one.
LogicalResult fuseAnything(ModuleOp module) {
  passes::FuseOptions options;
  options.canFuse = options.canEmit = [](Operation *) { return true; };
  return passes::fuse(module, options);
}

// A pass that asks what work costs: without a target, and for one.
template <LogicalResult (*pass)(ModuleOp, const CostModel &)> LogicalResult atUsualCosts(ModuleOp module) {
  return pass(module, CostModel());
}
template <LogicalResult (*pass)(ModuleOp, const CostModel &)>
LogicalResult atCostsOf(ModuleOp module, const codegen::CodeTarget &target, const CompileOptions & /*unused*/) {
  return pass(module, target.costs());
}

// What the framework says that each of so many devices computes of a call.
passes::ReadLocalProgram readerOfLocalPrograms(MLIRContext *context) {
  return [context](StringRef bytes, int64_t devices) -> OwningOpRef<ModuleOp> {
    frontend::ImportOptions options;
    options.fileName = "<partitioned call>";
    options.flattenMain = true;
    options.grid = {1, devices};
    options.replaceGrid = true; // which is written for one device
    OwningOpRef<ModuleOp> module = frontend::importModule(bytes, *context, options);
    if (!module || failed(passes::expandCustomCalls(*module)) || failed(passes::inlineCalls(*module)))
      return nullptr;
    return module;
  };
}

LogicalResult partitionProgram(ModuleOp module, const CompileOptions &options) {
  passes::PartitionReport report;
  if (failed(passes::partitionProgram(module, report, readerOfLocalPrograms(module.getContext()))))
    return failure();
  if (options.partitionReport)
    options.partitionReport(report);
  return success();
}

LogicalResult partitionCalls(ModuleOp module, const CompileOptions & /*unused*/) {
  return passes::partitionCalls(module, readerOfLocalPrograms(module.getContext()));
}
LogicalResult partitionCallsOfNobody(ModuleOp module) { return passes::partitionCalls(module, nullptr); }

constexpr bool CompileOptions::*kAlways = nullptr;
constexpr bool CompileOptions::*kOptimizing = &CompileOptions::optimize;

// clang-format off
constexpr Stage kStages[] = {
    // Everybody after knows one notation; what it says of functions binds calls.
    {"import-shardings", "make shardings of annotations in XLA's notation", kAlways, passes::importShardings},
    // While the functions that they name are still there.
    {"expand-custom-calls", "turn custom calls with a computation into ordinary ops",
     kAlways, passes::expandCustomCalls},
    // Before shardings of inner functions and constraints are dropped; everything after sees one device's program.
    {"partition", "make of a program for a mesh of devices one for a single device of it",
     &CompileOptions::partition, passes::partitionProgram, nullptr, partitionProgram},
    // Where shardings are known, and before a computation for single devices is outlined.
    {"partition-calls", "make computations for single devices of calls that the framework cuts",
     kAlways, partitionCallsOfNobody, nullptr, partitionCalls},
    // One flat main: everything after sees whole programs.
    {"inline", "replace calls and composites by the callee's body", kAlways, passes::inlineCalls},
    // Their bodies have shapes, and a grid, of their own.
    {"outline-manual-computations", "make a module of each computation written for one of several devices",
     kAlways, passes::outlineManualComputations},
    // Everybody after sees reductions of one type; conversions are elementwise, whatever the shapes.
    {"promote-computations", "convert the operands of reductions that compute in a wider type",
     kAlways, passes::promoteComputations},
    // One function makes it a single walk; from here on every shape is static.
    {"refine-shapes", "make dynamic shapes static", kAlways, passes::refineShapes},
    // Before ops are taken apart by formulas that ask for floats; nobody after sees a quantized type.
    {"lower-quantized", "turn arithmetic on quantized values into arithmetic on their storage",
     kAlways, passes::lowerQuantized},
    // Ahead of time nobody is there who would turn arrays around.
    {"lower-layouts", "take arguments and give results as they lie in the caller's memory",
     &CompileOptions::layouts, passes::lowerLayouts},
    // At run time there is; what may lie anyhow is made without.
    {"lower-open-layouts", "give results of open layouts as they lie best",
     &CompileOptions::openLayouts, passes::lowerOpenLayouts},
    // Fewer kinds of ops for everybody after.
    {"decompose", "rewrite ops that are compositions of others", kAlways, passes::decompose},
    // Ahead of time, and on targets from outside, there is no library; what comes out is simplified like all else.
    {"expand-library-calls", "rewrite runtime calls into ops with kernels",
     &CompileOptions::selfContained, passes::expandLibraryCalls},
    // The host cannot run a device's code on the arrays of several.
    {"expand-group-reductions", "rewrite reductions over processes into moves of arrays and arithmetic",
     &CompileOptions::movesOnly, passes::expandGroupReductions},
    // Front ends emit much that cancels out; index arithmetic of constants turns gathers into slices.
    {"simplify", "simplify algebra, shapes and indexing; fold constants; remove common subexpressions",
     kOptimizing, passes::simplify},
    // What loops do not change leaves them, and arrays of a few numbers become scalars; the values then simplify in
    // their new place.
    {"simplify-loops", "move what does not change out of while loops, and make scalars of few numbers",
     kOptimizing, atUsualCosts<passes::simplifyLoops>, atCostsOf<passes::simplifyLoops>},
    {"simplify-again", "", kOptimizing, passes::simplify},
    // Barriers have done their work once nothing is reordered any more.
    {"strip-barriers", "remove barriers and annotations", kAlways, passes::stripBarriers},
    // Apart from those, so that people can be shown them (compiler.h, optimizedModule).
    {"strip-sinks", "remove calls that do nothing when a program runs", kAlways, passes::stripSinks},
    // Behind all that knows products; the branches that it makes are fused, too.
    {"read-table-rows", "read rows of a table in the place of products with one-hot matrices",
     kOptimizing, atUsualCosts<passes::readRowsOfTables>, atCostsOf<passes::readRowsOfTables>},
    // The same; sums of a few products are fused.
    {"sum-few-products", "make reductions of products whose sums have a few terms",
     kOptimizing, atUsualCosts<passes::sumFewProducts>, atCostsOf<passes::sumFewProducts>},
    // Behind what knows patterns of the usual types.
    {"narrow-integers", "compute integers in as few bits as they need",
     kOptimizing, atUsualCosts<passes::narrowIntegers>, atCostsOf<passes::narrowIntegers>},
    // Last, so that what is fused is what will run.
    {"fuse", "group ops into fusions", kOptimizing, fuseAnything, fuse},
};
// clang-format on

bool isDumped(const CompileOptions &options, StringRef stage) {
  return options.dump && (llvm::is_contained(options.dumpAfter, "all") || llvm::is_contained(options.dumpAfter, stage));
}

void show(const CompileOptions &options, StringRef stage, ModuleOp module) {
  if (options.inspect)
    options.inspect(stage, module);
  if (isDumped(options, stage))
    options.dump(stage, frontend::exportText(module));
}

// Where a layout is given it counts, and not what the module says. The attribute is ours alone.
LogicalResult setLayouts(ModuleOp module, const CompileOptions &options) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  Builder builder(module.getContext());
  auto describe = [&](const ArrayLayout &layout) {
    return builder.getDictionaryAttr(
        {builder.getNamedAttr("minor_to_major", builder.getDenseI64ArrayAttr(layout.minorToMajor)),
         builder.getNamedAttr("padded", builder.getDenseI64ArrayAttr(layout.paddedDims)),
         builder.getNamedAttr("padding", builder.getStringAttr(layout.padding))});
  };
  auto isWrong = [&](const std::vector<ArrayLayout> &layouts, unsigned number) {
    return !layouts.empty() && layouts.size() != number;
  };
  if (isWrong(options.argumentLayouts, main.getNumArguments()) || isWrong(options.resultLayouts, main.getNumResults()))
    return main.emitError() << "layouts are not given for as many arrays as the program takes and gives";
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    main.removeArgAttr(i, ir::kLayoutAttribute);
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    main.removeResultAttr(i, builder.getStringAttr(ir::kLayoutAttribute));
  for (auto [i, layout] : llvm::enumerate(options.argumentLayouts))
    if (!layout.minorToMajor.empty())
      main.setArgAttr(i, ir::kLayoutAttribute, describe(layout));
  for (auto [i, layout] : llvm::enumerate(options.resultLayouts))
    if (!layout.minorToMajor.empty())
      main.setResultAttr(i, ir::kLayoutAttribute, describe(layout));
  return success();
}

// The modules beside main, which no later pass may see.
void takeManualComputations(ModuleOp module, std::vector<OwningOpRef<ModuleOp>> *manualComputations) {
  for (auto inner : llvm::make_early_inc_range(module.getOps<ModuleOp>())) {
    inner->remove();
    OwningOpRef<ModuleOp> owned(inner);
    if (manualComputations && inner->hasAttr(ir::kManualComputationAttribute))
      manualComputations->push_back(std::move(owned));
  }
}

// Tells those who asked where values lie.
LogicalResult tellShardings(ModuleOp module, const CompileOptions &options) {
  auto inspected = module->getAttrOfType<ArrayAttr>(passes::kInspectedAttribute);
  if (!inspected || !options.inspectSharding)
    return success();
  for (auto pair : inspected.getAsRange<ArrayAttr>())
    if (Status status =
            options.inspectSharding(cast<StringAttr>(pair[0]).getValue(), cast<StringAttr>(pair[1]).getValue());
        !status.ok())
      return module.emitError(status.message());
  return success();
}

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

LogicalResult setArguments(ModuleOp module, const CompileOptions &options) {
  if (!options.argumentShapes.empty() && failed(passes::setArgumentShapes(module, options.argumentShapes)))
    return failure();
  for (const program::ArgumentValue &value : options.argumentValues)
    if (failed(passes::setArgumentValue(module, value.argument, value.elements, value.always)))
      return failure();
  return success();
}

LogicalResult runPasses(ModuleOp module, const CompileOptions &options, StringRef before,
                        std::vector<std::pair<std::string, double>> *seconds,
                        std::vector<OwningOpRef<ModuleOp>> *manualComputations, const codegen::CodeTarget *target) {
  show(options, "import", module);
  if (failed(setArguments(module, options)))
    return failure();
  if (options.layouts && failed(setLayouts(module, options)))
    return failure();
  for (const Stage &stage : kStages) {
    if (before == stage.name)
      break;
    if (!stage.isEnabled(options))
      continue;
    if (CompileStop::ofThread().stop_requested())
      return failure();
    auto start = std::chrono::steady_clock::now();
    trace::Span span(stage.name);
    if (failed(stage.runForTarget && target ? stage.runForTarget(module, *target, options)
               : stage.runWithOptions       ? stage.runWithOptions(module, options)
                                            : stage.run(module)))
      return failure();
    if (seconds)
      seconds->emplace_back(stage.name, secondsSince(start));
    if (options.verifyStages && failed(verify(module)))
      return module.emitError("internal error: stage '") << stage.name << "' made an invalid program";
    show(options, stage.name, module);
    takeManualComputations(module, manualComputations);
  }
  return success();
}

// Compiles the modules that the program's runtime calls run, and puts their code there.
static LogicalResult compileManualComputations(ModuleOp main, ArrayRef<OwningOpRef<ModuleOp>> manualComputations,
                                               const codegen::CodeTarget &target, const CompileOptions &options,
                                               program::Program &program) {
  CompileOptions own = options;
  own.argumentShapes.clear();
  own.argumentValues.clear();
  own.inspect = nullptr;
  own.inspectSharding = nullptr;
  own.partition = false;
  own.overlap = false; // their devices are all in this process
  for (program::RuntimeCall &runtimeCall : program.runtimeCalls) {
    if (runtimeCall.kind != program::RuntimeCall::Kind::kLibrary || runtimeCall.target != "manual_computation")
      continue;
    StatusOr<int64_t> number = program::integerAttribute(runtimeCall.attributes, "module");
    const auto *found = llvm::find_if(manualComputations, [&](const OwningOpRef<ModuleOp> &candidate) {
      auto own = candidate.get()->getAttrOfType<IntegerAttr>(ir::kManualComputationAttribute);
      return number.ok() && own && own.getValue() == static_cast<uint64_t>(*number);
    });
    if (found == manualComputations.end())
      return main.emitError("'manual_computation' names no program (used at ") << runtimeCall.location << ")";
    ModuleOp module = found->get();
    FailureOr<program::Program> part = runPipeline(OwningOpRef<ModuleOp>(module.clone()).get(), target, own);
    if (failed(part))
      return failure();
    program.report.kernels.insert(program.report.kernels.end(), part->report.kernels.begin(),
                                  part->report.kernels.end());
    program.report.flops += part->report.flops * part->numPartitions;
    program.report.bytes += part->report.bytes * part->numPartitions;
    program.report.transcendentals += part->report.transcendentals * part->numPartitions;
    program.estimatedNanoseconds += part->estimatedNanoseconds * part->numPartitions;
    runtimeCall.threads = part->numPartitions;
    runtimeCall.temporaryBytes = program::temporaryBytes(*part) * part->numPartitions;
    runtimeCall.programs.push_back(*std::move(part));
  }
  return success();
}

FailureOr<program::Program> runPipeline(ModuleOp module, const codegen::CodeTarget &target,
                                        const CompileOptions &options) {
  std::vector<std::pair<std::string, double>> seconds;
  std::vector<OwningOpRef<ModuleOp>> manualComputations;
  if (failed(runPasses(module, options, /*before=*/"", &seconds, &manualComputations, &target)) ||
      failed(tellShardings(module, options)))
    return failure();
  auto start = std::chrono::steady_clock::now();
  trace::Span span("codegen");
  codegen::GenerateOptions generate;
  generate.threads = options.threads;
  generate.reorder = options.optimize;
  generate.groupMemory = options.groupMemory;
  generate.overlap = options.overlap && options.optimize;
  generate.splitKernels = options.splitKernels;
  generate.bitcode = options.bitcode;
  if (isDumped(options, "plan"))
    generate.showPlans = [&](llvm::StringRef text) { options.dump("plan", text); };
  std::mutex mutex;
  if (isDumped(options, "llvm"))
    generate.inspect = [&](const llvm::Module &llvmModule) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      llvmModule.print(stream, nullptr);
      std::lock_guard lock(mutex);
      options.dump("llvm", text);
    };
  FailureOr<program::Program> program = target.generate(module, generate);
  if (failed(program) || failed(compileManualComputations(module, manualComputations, target, options, *program)))
    return failure();
  seconds.emplace_back("codegen", secondsSince(start));
  program->report.stageSeconds = std::move(seconds);
  if (auto identity = module->getAttrOfType<StringAttr>(passes::kIdentityAttribute))
    program->fingerprint = identity.str();
  if (module->hasAttr(ir::kUnpartitionedAttribute)) {
    program->unpartitioned = true;
    program->numPartitions = 1;
  }
  return program;
}

void registerPasses() {
  for (const Stage &stage : kStages)
    if (*stage.description)
      passes::registerPass(std::string("tenon-") + stage.name, stage.description, stage.run);
  passes::registerPass("tenon-annotate-factors",
                       "say of every op how its operands' and results' dimensions belong together",
                       passes::annotateFactors);
  passes::registerPass(
      "tenon-order-convolution-kernels", "let the kernels of convolutions lie as their images do, as cuDNN reads them",
      [](ModuleOp module) {
        passes::orderConvolutionKernels(module, [](Operation *) { return true; }, [](Operation *) { return false; });
        return success();
      });
  passes::registerPass("tenon-pack-loop-operands", "pack matrices that loops multiply with, in panels of 16 columns",
                       [](ModuleOp module) {
                         auto columns = [](Operation *, int64_t runs) -> int64_t { return runs > 4 ? 16 : 0; };
                         passes::packConstantOperands(module, columns);
                         passes::packLoopOperands(module, columns, CostModel());
                         return success();
                       });
  passes::registerPass(
      "tenon-place-features-last",
      "have convolutions with constant kernels give images with their features last, as for vectors of 8",
      [](ModuleOp module) {
        constexpr int64_t kLanes = 8;
        passes::placeFeaturesLast(module, kLanes, CostModel());
        return success();
      });
  passes::registerPass("tenon-pack-constant-kernels", "pack constant kernels of convolutions, in panels of 16 features",
                       [](ModuleOp module) {
                         passes::packConstantKernels(module, [](Operation *) -> int64_t { return 16; });
                         return success();
                       });
  passes::registerPass("tenon-propagate-shardings", "spread shardings over all values, as Shardy does",
                       passes::propagateShardings);
}

std::vector<std::string> stageNames() {
  std::vector<std::string> names{"import"};
  for (const Stage &stage : kStages)
    names.emplace_back(stage.name);
  names.emplace_back("plan");
  names.emplace_back("llvm");
  return names;
}

bool runsStage(std::string_view name, const CompileOptions &options) {
  return llvm::none_of(kStages, [&](const Stage &stage) { return stage.name == name && !stage.isEnabled(options); });
}

} // namespace tenon::compiler
