#include "test/fuzz/check.h"

#include "test/execution.h"
#include "test/fuzz/arguments.h"
#include "test/fuzz/emulated_gpu.h"
#include "test/fuzz/generator.h"
#include "test/fuzz/round_trip.h"

#include "tenon/checking/expectation.h"
#include "tenon/checking/interpret_all.h"
#include "tenon/checking/reduce.h"
#include "tenon/frontend/export/export.h"
#include "tenon/ir/register.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/passes/passes.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringExtras.h"

namespace tenon::fuzz {

using namespace mlir;
using Kind = Finding::Kind;

const char *kindName(Kind kind) {
  constexpr const char *names[] = {"nothing",       "invalid program",
                                   "round trip",    "interpreter error",
                                   "compile error", "run error",
                                   "wrong result",  "silent error",
                                   "crash",         "hang"};
  return names[static_cast<int>(kind)];
}

// The first line, without places and numbers.
static std::string essence(StringRef message) {
  StringRef line = message.split('\n').first;
  if (auto [before, after] = line.split("error: "); !after.empty())
    line = after;
  std::string text;
  for (char c : line)
    if (!llvm::isDigit(c))
      text += c;
  return text.substr(0, 60);
}

bool Finding::isLike(const Finding &other) const {
  if (kind != other.kind)
    return false;
  // Memory that was overwritten shows in many ways.
  bool isAssertion = StringRef(message).contains("Assertion") || StringRef(other.message).contains("Assertion");
  return kind == Kind::kWrongResult || kind == Kind::kHang || kind == Kind::kRoundTrip ||
         (kind == Kind::kCrash && !isAssertion) || essence(message) == essence(other.message);
}

namespace {

// By process.
using Arguments = std::vector<std::vector<interpreter::Value>>;

// A failure, which has to say why.
Finding failed(Kind kind, const Status &status, const std::string &context) {
  return {status.message().empty() ? Kind::kSilent : kind, status.message() + context};
}

// Without an expectation, only whether it can be compiled and run.
Finding checkOnProcessor(std::string_view source, const Arguments &arguments, checking::Expectation *expectation,
                         const compiler::CompileOptions &options) {
  std::string how = "\nfor " + options.targetCpu + (options.optimize ? "" : ", not optimised") +
                    (options.splitKernels ? ", kernels split" : "") + (options.selfContained ? ", self-contained" : "");
  auto program = testing::compileAndLoad(source, options);
  if (!program.ok())
    return failed(Kind::kCompileError, program.status(), how);
  // Padded, with sizes beside them that the interpreter does not have.
  bool padded = llvm::any_of((*program)->program().results,
                             [](const program::Result &result) { return !result.sizeResults.empty(); });
  std::vector<std::vector<llvm::ArrayRef<uint8_t>>> inputs;
  for (const auto &own : arguments)
    for (inputs.emplace_back(); const interpreter::Value &value : own)
      inputs.back().push_back(value.tensor().bytes());
  std::vector<std::vector<testing::Bytes>> first;
  for (bool again : {false, true}) {
    testing::RunForm form;
    form.guard = again ? codegen::testing::Guard::kBefore : codegen::testing::Guard::kBehind;
    form.givesArguments = !again;
    form.threads = options.splitKernels && !again ? 3 : 0;
    auto results = testing::runOnGrid(**program, inputs, form);
    if (!results.ok())
      return failed(Kind::kRunError, results.status(), how);
    if (again && *results != first)
      return {Kind::kWrongResult, "a second run gives other results" + how};
    unsigned number = 0;
    for (const auto &own : *results)
      for (const testing::Bytes &bytes : own)
        if (auto wrong = expectation && !padded ? expectation->check(number++, bytes) : std::nullopt)
          return {Kind::kWrongResult, *wrong + how};
    first = std::move(*results);
  }
  return {};
}

// How a program is compiled and run.
using RunCompiled = llvm::function_ref<Finding(std::string_view source, checking::Expectation *expectation)>;

//===- Damaged programs ------------------------------------------------------------------------------------------===//

constexpr int64_t kMaxElements = int64_t{1} << 20, kMaxWork = int64_t{1} << 26;

// Whether arguments can be made of this type and results of it be compared.
bool isOrdinary(Type type) {
  auto tensor = llvm::dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.getEncoding() && !tensor.getElementType().isIndex() &&
         interpreter::elementTypeOf(tensor.getElementType()) &&
         !llvm::isa<quant::QuantizedType>(tensor.getElementType());
}

// The product, or a larger number than any limit.
int64_t boundedProduct(llvm::ArrayRef<int64_t> sizes) { return interpreter::countElements(sizes).value_or(INT64_MAX); }

int64_t elementsOf(Type type) {
  auto tensor = llvm::dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return 0;
  Sizes sizes(tensor.getShape());
  llvm::replace(sizes, ShapedType::kDynamic, int64_t{1});
  return boundedProduct(sizes);
}

// How many elements each one of a result is computed of, at most.
int64_t termsOf(Operation *op) {
  if (auto window = op->getAttrOfType<DenseI64ArrayAttr>("window_dimensions"))
    return boundedProduct(window.asArrayRef());
  bool multiplies = llvm::isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp, stablehlo::DotOp>(op);
  return multiplies ? elementsOf(op->getOperand(1).getType()) : 1;
}

bool isTooLarge(ModuleOp module) {
  int64_t work = 0;
  auto add = [&](Type type, int64_t terms) {
    int64_t elements = elementsOf(type);
    work = elements > kMaxElements || terms > kMaxWork ? kMaxWork : std::min(kMaxWork, work + elements * terms);
  };
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      add(type, termsOf(op));
    for (Region &region : op->getRegions())
      for (Type type : region.getArgumentTypes())
        add(type, 1);
  });
  return work >= kMaxWork;
}

bool canBeRun(ModuleOp module) {
  constexpr int64_t kMaxProcesses = 16;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  ir::ProcessGrid grid = ir::processGrid(module);
  return main && !main.isExternal() && ir::checkGrid(grid).ok() && grid.size() <= kMaxProcesses &&
         llvm::all_of(main.getArgumentTypes(), isOrdinary) && llvm::all_of(main.getResultTypes(), isOrdinary) &&
         !isTooLarge(module);
}

// Legal programs that are refused when they are compiled; docs/status.md says so of each.
bool isKnownLimit(StringRef message) {
  static constexpr const char *limits[] = {"its computation uses a value from around it",
                                           "on whole arrays, exchange nothing",
                                           "has no place in the grid",
                                           "a manual computation over several devices needs",
                                           "which has no native code there",
                                           "depends on data, and its type does not give a bound"};
  return llvm::any_of(limits, [&](StringRef limit) { return message.contains(limit); });
}

// Sizes that contradict each other, and operations without a meaning, where the run does not come by.
bool isAboutOtherBodies(ModuleOp module, StringRef message) {
  bool hasBodies = false; // which may run no time at all
  module.walk([&](Operation *op) { hasBodies |= op->getNumRegions() != 0 && !llvm::isa<ModuleOp, func::FuncOp>(op); });
  static constexpr const char *faults[] = {"must have size",
                                           "must have shape",
                                           "must have the same size",
                                           "must have the same number of elements",
                                           "negative size",
                                           "must be >= 0, got -",
                                           "does not follow from the shapes",
                                           "must have type",
                                           "slices ",
                                           "is not defined on complex values",
                                           "sets a dimension of size",
                                           "slice_sizes must be"};
  return hasBodies && llvm::any_of(faults, [&](StringRef text) { return message.contains(text); });
}

// Shardings in XLA's notation that cannot be: the interpreter does not read them.
bool isAboutAnnotations(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  ScopedDiagnosticHandler handler(module.getContext(), [](Diagnostic &) { return success(); });
  return llvm::failed(passes::importShardings(*copy));
}

// Whether a damaged program, which can be interpreted, need not be compiled.
bool mayBeRefused(ModuleOp module, const Finding &finding) {
  return finding.kind == Kind::kCompileError &&
         (isKnownLimit(finding.message) || isAboutOtherBodies(module, finding.message) || isAboutAnnotations(module));
}

bool isGivenUp(const Status &status) {
  return status.code() == StatusCode::kDeadlineExceeded || status.code() == StatusCode::kCancelled ||
         status.code() == StatusCode::kResourceExhausted;
}

// What has no elements need not be computed.
void replaceEmptyResults(ModuleOp module) {
  auto isEmpty = [](Type type) {
    auto tensor = llvm::dyn_cast<RankedTensorType>(type);
    return tensor && isOrdinary(tensor) && tensor.hasStaticShape() && tensor.getNumElements() == 0;
  };
  module.walk([&](Operation *op) {
    for (OpResult result : op->getResults())
      if (isEmpty(result.getType()) && !result.use_empty() && !op->hasTrait<OpTrait::ConstantLike>())
        checking::replaceByZeros(result);
  });
}

// A program that the interpreter fails on: it fails when compiled as well, unless what fails is not needed.
Finding checkFailing(ModuleOp module, std::string_view source, const Arguments &arguments, const Status &status,
                     RunCompiled runCompiled) {
  Finding finding = runCompiled(source, nullptr);
  if (finding.kind == Kind::kCompileError || finding.kind == Kind::kRunError)
    return {};
  if (finding)
    return finding;
  replaceEmptyResults(module);
  checking::eraseDeadOps(module);
  auto expectation = checking::Expectation::create(module, arguments, {.foldsAreAssociative = false});
  if (expectation.ok())
    return runCompiled(source, &*expectation);
  if (isGivenUp(expectation.status()))
    return {};
  return {Kind::kInterpreterError, status.message() + "\nbut compiled it runs"};
}

// Some arguments lend their memory to a result of their type.
void lendArguments(ModuleOp module, uint64_t seed) {
  constexpr const char *kLent = "tf.aliasing_output";
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal())
    return;
  auto results = main.getResultTypes();
  llvm::DenseSet<unsigned> taken;
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes())) {
    if (!isOrdinary(type) || !llvm::cast<RankedTensorType>(type).hasStaticShape() || main.getArgAttr(i, kLent))
      continue;
    for (unsigned step = 0; step < results.size(); ++step) {
      unsigned result = (seed + i + step) % results.size();
      if (results[result] == type && taken.insert(result).second) {
        main.setArgAttr(i, kLent, IntegerAttr::get(IntegerType::get(module.getContext(), 32), result));
        break;
      }
    }
  }
}

// Takes away what is said of a scatter's indices, which GPUs believe; whether there was anything.
bool dropScatterHints(ModuleOp module) {
  bool hasHints = false;
  module.walk([&](stablehlo::ScatterOp op) {
    hasHints |= op.getIndicesAreSorted() || op.getUniqueIndices();
    op.setIndicesAreSorted(false);
    op.setUniqueIndices(false);
  });
  return hasHints;
}

compiler::CompileOptions compileOptions(ModuleOp module, const Arguments &arguments, uint64_t seed) {
  compiler::CompileOptions options;
  options.splitKernels = seed / 11 % 2;
  options.selfContained = seed / 13 % 2;
  options.verifyStages = true;
  options.unpartitioned = checking::isUnpartitioned(module);
  for (const interpreter::Value &value : arguments.front())
    options.argumentShapes.emplace_back(value.tensor().shape().vec());
  return options;
}

// What is found on a GPU, but for what wrong hints of scatters lead to. `check` runs what `source` is.
Finding checkWithoutHints(ModuleOp module, std::string &source, llvm::function_ref<Finding()> check) {
  Finding finding = check();
  bool maybeHints = finding.kind == Kind::kWrongResult || finding.kind == Kind::kRunError;
  if (!maybeHints || !dropScatterHints(module))
    return finding;
  source = frontend::exportText(module);
  return check();
}

} // namespace

Finding checkProgram(std::string_view text, uint64_t seed, Origin origin, Target target) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string error;
  auto module = readProgram(text, context, error);
  if (!module)
    return {error.empty() ? Kind::kSilent : Kind::kInvalid, error};
  if (ir::processGrid(*module).size() > 1)
    context.enableMultithreading(); // processes are threads
  // Each way of running for a share of the seeds that has nothing to do with the others.
  if (seed / 7 % 2)
    lendArguments(*module, seed);
  for (auto broken : {brokenRoundTrip, brokenArtifact})
    if (auto finding = broken(*module))
      return {Kind::kRoundTrip, *finding};
  if (origin == Origin::kDamaged && !canBeRun(*module))
    return {};
  bool isOnGpu = target == Target::kEmulatedGpu;
  if (isOnGpu && (ir::processGrid(*module).size() > 1 || checking::isUnpartitioned(*module)))
    return {};
  Arguments arguments = makeAllArguments(*module, seed);
  auto expectation =
      checking::Expectation::create(*module, arguments, {.foldsAreAssociative = origin == Origin::kOrdinary});
  if (!expectation.ok() && isGivenUp(expectation.status()))
    return {};
  std::string source = seed % 2 ? frontend::exportText(*module) : frontend::exportBytecode(*module);
  compiler::CompileOptions options = compileOptions(*module, arguments, seed);
  auto runCompiled = [&](std::string_view own, checking::Expectation *expected) {
    return isOnGpu ? checkOnEmulatedGpu(own, arguments.front(), expected, options, seed)
                   : checkOnProcessor(own, arguments, expected, options);
  };
  if (!expectation.ok()) {
    Finding failure = failed(Kind::kInterpreterError, expectation.status(), "");
    return origin == Origin::kOrdinary || failure.kind == Kind::kSilent
               ? failure
               : checkFailing(*module, source, arguments, expectation.status(), runCompiled);
  }
  auto check = [&]() -> Finding {
    Finding finding = runCompiled(source, &*expectation);
    return origin == Origin::kDamaged && mayBeRefused(*module, finding) ? Finding() : finding;
  };
  if (isOnGpu)
    return checkWithoutHints(*module, source, check);
  // More damaged programs are worth more than each in more ways.
  if (origin == Origin::kOrdinary || seed % 4 < 2)
    if (Finding finding = check(); finding || origin == Origin::kDamaged)
      return finding;
  constexpr const char *levels[] = {"host", "x86-64", "x86-64-v3"};
  options.targetCpu = levels[seed % 3];
  options.optimize = seed % 3 == 0 || seed % 5 < 3 ? false : true;
  return check();
}

} // namespace tenon::fuzz
