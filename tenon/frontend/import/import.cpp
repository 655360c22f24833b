#include "tenon/frontend/import/import.h"
#include "tenon/frontend/import/argument_names.h"
#include "tenon/frontend/import/bytecode_reader.h"
#include "tenon/frontend/import/exported.h"
#include "tenon/frontend/import/flatten_main.h"
#include "tenon/frontend/import/foreign.h"
#include "tenon/frontend/import/legacy_attributes.h"
#include "tenon/frontend/import/legacy_custom_calls.h"
#include "tenon/frontend/import/parse_errors.h"
#include "tenon/frontend/import/part_counter.h"
#include "tenon/frontend/import/sub_byte_constants.h"
#include "tenon/frontend/import/text.h"
#include "tenon/frontend/import/vhlo_version.h"
#include "tenon/ir/attribute_kinds.h"
#include "tenon/ir/infer.h"
#include "tenon/ir/meaning.h"
#include "tenon/ir/register.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/types.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"

namespace tenon::frontend {

using llvm::failed;
using llvm::failure;
using llvm::LogicalResult;
using llvm::StringRef;
using llvm::success;
using mlir::ModuleOp;
using mlir::OwningOpRef;
using mlir::func::FuncOp;

namespace {

constexpr StringRef kBytecodeMagic = "ML\xefR";
constexpr StringRef kArtifactProducer = "StableHLO_v";

// The producer string of a bytecode file: a null-terminated text behind the magic number and the version, which is one
// byte for all versions that exist.
StringRef bytecodeProducer(StringRef bytes) {
  bytes = bytes.drop_front(std::min<size_t>(bytes.size(), kBytecodeMagic.size() + 1));
  return bytes.take_front(std::min(bytes.find('\0'), size_t(256)));
}

mlir::Location programLocation(mlir::MLIRContext &context, const ImportOptions &options) {
  return mlir::FileLineColLoc::get(&context, options.fileName, 1, 1);
}

LogicalResult checkArtifactVersion(StringRef bytes, mlir::Location location) {
  StringRef text = bytecodeProducer(bytes).drop_front(kArtifactProducer.size());
  auto version = parseVhloVersion(text);
  if (!version)
    return mlir::emitError(location) << "portable artifact with malformed version '" << text << "'";
  if (auto reason = whyUnsupported(*version))
    return mlir::emitError(location) << "portable artifact of StableHLO " << text << ": " << *reason;
  return success();
}

OwningOpRef<ModuleOp> parseText(StringRef bytes, mlir::Location location, StringRef fileName) {
  if (auto form = nameForeignForm(bytes)) {
    mlir::emitError(mlir::FileLineColLoc::get(location.getContext(), fileName, 0, 0)) // no line is to be quoted
        << "not a StableHLO program: this is " << *form;
    return {};
  }
  if (auto hazard = findHazard(bytes)) {
    StringRef before = bytes.drop_back(hazard->rest.size());
    auto line = static_cast<unsigned>(before.count('\n') + 1);
    auto column = static_cast<unsigned>(before.size() - before.rfind('\n')); // npos is -1
    mlir::emitError(mlir::FileLineColLoc::get(location.getContext(), fileName, line, column)) << hazard->reason;
    return {};
  }
  // A copy in any case: MLIR's lexer looks at the byte behind the text.
  std::string text = modernizeText(bytes).value_or(bytes.str());
  // MLIR continues after some errors: a byte that begins no token, between a dialect's attribute and its closing
  // bracket.
  bool isRefused = false;
  mlir::ScopedDiagnosticHandler handler(location.getContext(), [&](mlir::Diagnostic &diagnostic) {
    isRefused |= diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
    clarifyParseError(diagnostic, text);
    return failure(); // for the next handler to show
  });
  // Verified by the caller, when the program has its final form.
  mlir::ParserConfig config(location.getContext(), /*verifyAfterParse=*/false);
  auto module = mlir::parseSourceString<ModuleOp>(text, config, fileName);
  if (!module || isRefused)
    return {};
  canonicalizeSubByteConstants(*module, text);
  nameArguments(*module, text, fileName);
  return module;
}

// In the specification's own syntax functions end in stablehlo.return.
void useFuncReturns(ModuleOp module) {
  llvm::SmallVector<stablehlo::ReturnOp> results;
  module.walk([&](stablehlo::ReturnOp result) { // a function that is not verified yet may lack its region
    if (llvm::isa_and_nonnull<FuncOp>(result->getParentOp()) && result->getNextNode() == nullptr)
      results.push_back(result);
  });
  for (stablehlo::ReturnOp result : results) {
    mlir::OpBuilder builder(result);
    mlir::func::ReturnOp::create(builder, result.getLoc(), result->getOperands());
    result->erase();
  }
}

// Constants that a text keeps in its resource section become ordinary ones.
LogicalResult inlineResources(ModuleOp module) {
  auto result = module.walk([](stablehlo::ConstantOp constant) {
    auto resource = llvm::dyn_cast_or_null<mlir::DenseResourceElementsAttr>(constant.getValueAttr());
    if (!resource)
      return mlir::WalkResult::advance();
    mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return constant.emitError("the data of resource '") << resource.getRawHandle().getKey() << "' is not in the file",
             mlir::WalkResult::interrupt();
    mlir::ShapedType type = resource.getType();
    llvm::ArrayRef<char> bytes = blob->getData();
    bool isSplat, isBoolean = type.getElementType().isInteger(1);
    bool fits = type.hasStaticShape() && (isBoolean ? static_cast<int64_t>(bytes.size()) == type.getNumElements()
                                                    : mlir::DenseElementsAttr::isValidRawBuffer(type, bytes, isSplat));
    if (!fits)
      return constant.emitError("resource of ") << bytes.size() << " bytes for a constant of type " << type,
             mlir::WalkResult::interrupt();
    if (isBoolean) {
      auto values = llvm::map_to_vector(bytes, [](char byte) { return byte != 0; });
      constant.setValueAttr(mlir::DenseElementsAttr::get(type, llvm::ArrayRef<bool>(values)));
    } else {
      constant.setValueAttr(makeDenseElements(type, bytes));
    }
    return mlir::WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

// StableHLO takes an empty list of a window for none, and reads what the specification wants to have a value for each
// dimension.
void dropEmptyWindowAttributes(ModuleOp module) {
  module.walk([](mlir::Operation *op) {
    if (!llvm::isa<stablehlo::ConvolutionOp, stablehlo::ReduceWindowOp, stablehlo::SelectAndScatterOp>(op))
      return;
    for (StringRef name : {"window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal",
                           "base_dilations", "window_dilations"}) {
      mlir::Attribute value = op->getInherentAttr(name).value_or(mlir::Attribute());
      auto array = llvm::dyn_cast_or_null<mlir::DenseArrayAttr>(value);
      auto elements = llvm::dyn_cast_or_null<mlir::DenseElementsAttr>(value);
      if ((array && array.empty()) || (elements && elements.empty()))
        op->setInherentAttr(mlir::StringAttr::get(op->getContext(), name), nullptr);
    }
  });
}

// Before the program is verified: some rules need to know the grid.
LogicalResult setGrid(ModuleOp module, const ir::ProcessGrid &grid, bool replaces, mlir::Location location) {
  mlir::Builder builder(module.getContext());
  auto set = [&](StringRef name, std::optional<int64_t> said, int64_t count) -> LogicalResult {
    if (said && *said != count && !replaces)
      return mlir::emitError(location) << "the program is for a grid with " << name << " = " << *said << ", and not "
                                       << count;
    module->setAttr(name, builder.getI32IntegerAttr(static_cast<int32_t>(count)));
    return success();
  };
  return success(succeeded(set("mhlo.num_replicas", ir::numReplicas(module), grid.replicas)) &&
                 succeeded(set("mhlo.num_partitions", ir::numPartitions(module), grid.partitions)));
}

bool isTooLarge(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && !ir::countElements(tensor.getShape(), ir::kMaxElements);
}

bool isElement(mlir::Type type) {
  return ir::isBool(type) || ir::isDimensionSize(type) || ir::isFloat(type) || ir::isComplex(type) ||
         ir::isQuantized(type);
}

// Whether a type is one of MLIR's own that programs cannot have. They may have tensors, plain buffers, and tuples of
// such.
bool isForeign(mlir::Type type) {
  if (auto tuple = llvm::dyn_cast<mlir::TupleType>(type))
    return llvm::any_of(tuple.getTypes(), isForeign);
  if (llvm::isa<stablehlo::FutureType>(type))
    return !ir::isFutureOfTensors(type);
  if (auto buffer = llvm::dyn_cast<mlir::MemRefType>(type))
    return !isElement(buffer.getElementType()) || !buffer.getLayout().isIdentity() || buffer.getMemorySpace();
  if (auto tensor = llvm::dyn_cast<mlir::TensorType>(type))
    return !isElement(tensor.getElementType());
  return llvm::isa<mlir::BuiltinDialect>(type.getDialect());
}

// Finds elements of other kinds than dense numbers in tensors, which are all that anything behind the importer knows;
// resources, which become those, are let pass.
mlir::AttrTypeWalker constantChecker(std::string &wrong) {
  mlir::AttrTypeWalker walker;
  walker.addWalk([&](mlir::ElementsAttr elements) {
    bool isDense = llvm::isa<mlir::DenseIntOrFPElementsAttr, mlir::DenseResourceElementsAttr>(elements);
    if (llvm::isa<mlir::DenseArrayAttr>(elements) ||
        (isDense && llvm::isa<mlir::RankedTensorType>(elements.getShapedType())))
      return mlir::WalkResult::advance();
    llvm::raw_string_ostream(wrong) << (isDense ? "constants must be tensors, got one of type "
                                                : "constants must be of dense numbers, got another of type ")
                                    << elements.getShapedType();
    return mlir::WalkResult::interrupt();
  });
  return walker;
}

// Whether each slice along the quantized dimension has a scale of its own.
bool hasItsScales(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  auto axis = tensor ? llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(tensor.getElementType()) : nullptr;
  if (!axis)
    return true;
  int64_t dimension = axis.getQuantizedDimension();
  return dimension >= 0 && dimension < tensor.getRank() &&
         stablehlo::compatible(tensor.getDimSize(dimension), static_cast<int64_t>(axis.getScales().size()));
}

// Whether the zero points of a quantized type are in the range of its storage type, as the specification demands.
bool storesItsZeroPoints(mlir::Type type) {
  auto quantized = llvm::dyn_cast<mlir::quant::QuantizedType>(mlir::getElementTypeOrSelf(type));
  llvm::SmallVector<int64_t> zeroPoints;
  if (auto perTensor = llvm::dyn_cast_or_null<mlir::quant::UniformQuantizedType>(quantized))
    zeroPoints = {perTensor.getZeroPoint()};
  else if (auto perAxis = llvm::dyn_cast_or_null<mlir::quant::UniformQuantizedPerAxisType>(quantized))
    llvm::append_range(zeroPoints, perAxis.getZeroPoints());
  return llvm::all_of(zeroPoints, [&](int64_t zeroPoint) {
    return zeroPoint >= quantized.getStorageTypeMin() && zeroPoint <= quantized.getStorageTypeMax();
  });
}

LogicalResult checkTypes(ModuleOp module, mlir::Location location) {
  llvm::SmallDenseSet<mlir::Type> checked;
  PartCounter parts;
  std::string wrong;
  mlir::AttrTypeWalker constants = constantChecker(wrong);
  auto result = module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    llvm::SmallVector<mlir::Type> types(op->getResultTypes());
    uint64_t count = parts.count(op->getAttrDictionary()) + parts.count(mlir::Attribute(op->getLoc()));
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        for (mlir::BlockArgument argument : block.getArguments()) {
          types.push_back(argument.getType());
          count += parts.count(mlir::Attribute(argument.getLoc()));
        }
    for (mlir::Type type : types)
      count += parts.count(type);
    // The op could not be printed, nor its location.
    if (count >= PartCounter::kMany)
      return mlir::emitError(location) << "attributes, types or locations of '" << op->getName() << "' are too large",
             mlir::WalkResult::interrupt();
    if (constants.walk(op->getAttrDictionary()).wasInterrupted())
      return op->emitError(wrong), mlir::WalkResult::interrupt();
    for (mlir::Type type : types) {
      if (!checked.insert(type).second)
        continue;
      if (isTooLarge(type))
        return op->emitError("a value of type ") << type << " is too large", mlir::WalkResult::interrupt();
      if (isForeign(type))
        return op->emitError("a program has no values of type ") << type, mlir::WalkResult::interrupt();
      if (!hasItsScales(type))
        return op->emitError("the quantized dimension must have a scale for each index, in ") << type,
               mlir::WalkResult::interrupt();
      if (!storesItsZeroPoints(type))
        return op->emitError("zero points must be numbers that the storage can have, in ") << type,
               mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult checkBegunOps(ModuleOp module) {
  auto result = module.walk([](stablehlo::AsyncStartOp op) {
    return succeeded(stablehlo::checkBegun(op)) ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

// Warns about operations that can be read but not be run.
void warnAboutMeaning(ModuleOp module) {
  module.walk([](mlir::Operation *op) {
    if (std::optional<std::string> reason = ir::whyWithoutMeaning(op))
      op->emitWarning("cannot be run: ") << *reason;
  });
}

// "f, g"; of many the first ones.
std::string namesOf(llvm::ArrayRef<FuncOp> functions) {
  constexpr size_t kShown = 10;
  auto shown = llvm::map_to_vector(functions.take_front(kShown), [](FuncOp function) { return function.getName(); });
  return llvm::join(shown, ", ") + (functions.size() > kShown ? ", ..." : "");
}

// The function that the options choose; null after an error.
FuncOp findEntry(llvm::ArrayRef<FuncOp> functions, mlir::Location location, const ImportOptions &options) {
  StringRef wanted = options.entry.empty() ? StringRef("main") : StringRef(options.entry);
  const auto *named = llvm::find_if(functions, [&](FuncOp function) { return function.getName() == wanted; });
  if (named != functions.end())
    return *named;
  if (functions.empty())
    return mlir::emitError(location) << "the program has no function", FuncOp();
  if (!options.entry.empty())
    return mlir::emitError(location) << "the program has no function '" << options.entry
                                     << "'; there are: " << namesOf(functions),
           FuncOp();
  auto isPublic = [](FuncOp function) { return function.isPublic() && !function.isExternal(); };
  if (functions.size() == 1)
    return functions.front();
  if (llvm::count_if(functions, isPublic) == 1)
    return *llvm::find_if(functions, isPublic);
  std::string help = options.entryOption.empty() ? "" : "; " + options.entryOption + " chooses one";
  return mlir::emitError(location) << "the program has " << functions.size()
                                   << " functions, none of them named 'main': " << namesOf(functions) << help,
         FuncOp();
}

// Gives the name `main` to the program's function.
LogicalResult ensureMain(ModuleOp module, mlir::Location location, const ImportOptions &options) {
  auto functions = llvm::to_vector(module.getOps<FuncOp>());
  FuncOp entry = findEntry(functions, location, options);
  if (!entry)
    return failure();
  if (entry.isExternal())
    return entry.emitError("function '") << entry.getName() << "' has no body";
  mlir::SymbolTable symbols(module);
  if (auto main = symbols.lookup<FuncOp>("main"); main && main != entry) {
    if (failed(symbols.renameToUnique(main, {})))
      return main.emitError("function 'main' cannot be named otherwise");
    main.setPrivate();
  }
  if (entry.getName() != "main" && failed(symbols.rename(entry, "main")))
    return entry.emitError("function '") << entry.getName() << "' cannot be the program's main function";
  entry.setPublic();
  return success();
}

} // namespace

ProgramFormat sniffFormat(StringRef bytes) {
  if (looksExported(bytes))
    return ProgramFormat::kExported;
  if (!bytes.starts_with(kBytecodeMagic))
    return ProgramFormat::kText;
  return bytecodeProducer(bytes).starts_with(kArtifactProducer) ? ProgramFormat::kPortableArtifact
                                                                : ProgramFormat::kBytecode;
}

// Parses the bytes without checking the program.
static OwningOpRef<ModuleOp> parse(StringRef bytes, ProgramFormat format, mlir::Location location, StringRef fileName) {
  if (format == ProgramFormat::kText)
    return parseText(bytes, location, fileName);
  if (format == ProgramFormat::kPortableArtifact && failed(checkArtifactVersion(bytes, location)))
    return {};
  return readBytecode(bytes, location);
}

static LogicalResult checkExported(const ExportedProgram &exported, mlir::Location location) {
  if (sniffFormat(exported.artifact) == ProgramFormat::kPortableArtifact)
    return success();
  return mlir::emitError(location) << "malformed file of jax.export: its module is no portable artifact";
}

OwningOpRef<ModuleOp> importModule(StringRef bytes, mlir::MLIRContext &context, const ImportOptions &options) {
  loadAllDialects(context);
  mlir::Location location = programLocation(context, options);
  ProgramFormat format = sniffFormat(bytes);
  mlir::ScopedDiagnosticHandler handler(&context, [](mlir::Diagnostic &diagnostic) {
    clarifyParseError(diagnostic, "");
    return failure(); // for the next handler to show
  });
  std::optional<ExportedProgram> exported;
  if (format == ProgramFormat::kExported) {
    StatusOr<ExportedProgram> read = readExported(bytes);
    if (!read.ok())
      return mlir::emitError(location) << read.status().message(), nullptr;
    if (failed(checkExported(*read, location)))
      return {};
    exported = std::move(*read);
    bytes = exported->artifact;
    format = ProgramFormat::kPortableArtifact;
  }
  OwningOpRef<ModuleOp> module = parse(bytes, format, location, options.fileName);
  if (!module)
    return {};
  useFuncReturns(*module);
  dropEmptyWindowAttributes(*module);
  if (options.grid && failed(setGrid(*module, *options.grid, options.replaceGrid, location)))
    return {};
  if (Status status = ir::checkGrid(ir::processGrid(*module)); !status.ok()) {
    mlir::emitError(location) << status.message();
    return {};
  }
  if (failed(checkTypes(*module, location)) ||
      (format == ProgramFormat::kText && failed(convertLegacyAttributes(*module))) ||
      failed(decodeCustomCalls(*module)) || failed(inlineResources(*module)) || failed(mlir::verify(*module)) ||
      failed(checkBegunOps(*module)) || (exported && failed(bindPlatform(*module, exported->platforms))) ||
      (options.requireMain && failed(ensureMain(*module, location, options))) ||
      (options.flattenMain && failed(flattenMain(*module))))
    return {};
  warnAboutMeaning(*module);
  return module;
}

} // namespace tenon::frontend
