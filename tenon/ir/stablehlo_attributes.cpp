// Text of the StableHLO attributes.
//
// The dimension-number attributes are written as `<field = value, ...>`, in any order, without the fields that are
// empty or zero. #stablehlo.conv has a picture form, `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`, and, for numbers that
// do not make a picture, the field form after the word `raw`.
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tenon/ir/stablehlo_format.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>

#include "tenon/ops/stablehlo_enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tenon/ops/stablehlo_attributes.cpp.inc"

namespace tenon::stablehlo {

using llvm::ArrayRef;
using llvm::failed;
using llvm::failure;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::succeeded;
using llvm::success;
using mlir::Attribute;
using mlir::Type;

void StablehloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tenon/ops/stablehlo_attributes.cpp.inc"
      >();
}

Attribute StablehloDialect::parseAttribute(mlir::DialectAsmParser &parser, Type type) const {
  StringRef mnemonic;
  Attribute attribute;
  mlir::OptionalParseResult found = generatedAttributeParser(parser, &mnemonic, type, attribute);
  if (found.has_value())
    return attribute;
  if (mnemonic == "bounds") {
    SmallVector<int64_t> bounds;
    auto parseOne = [&]() -> ParseResult {
      if (succeeded(parser.parseOptionalQuestion())) {
        bounds.push_back(mlir::ShapedType::kDynamic);
        return success();
      }
      return parser.parseInteger(bounds.emplace_back());
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseOne))
      return {};
    return TypeExtensionsAttr::get(getContext(), bounds);
  }
  parser.emitError(parser.getNameLoc(), "unknown stablehlo attribute: ") << mnemonic;
  return {};
}

void StablehloDialect::printAttribute(Attribute attribute, mlir::DialectAsmPrinter &printer) const {
  if (auto extensions = llvm::dyn_cast<TypeExtensionsAttr>(attribute)) {
    printer << "bounds<";
    llvm::interleaveComma(extensions.getBounds(), printer, [&](int64_t bound) {
      if (mlir::ShapedType::isDynamic(bound))
        printer << '?';
      else
        printer << bound;
    });
    printer << '>';
    return;
  }
  if (failed(generatedAttributePrinter(attribute, printer)))
    llvm_unreachable("every attribute of the dialect has a generated printer");
}

//===- Fields ----------------------------------------------------------------------------------------------------===//

namespace {

/// The fields of one attribute: each is a list of dimensions or one number.
class Fields {
public:
  Fields &list(StringRef name, SmallVector<int64_t> &value) {
    entries_.push_back({name, &value, nullptr, false});
    return *this;
  }
  Fields &number(StringRef name, int64_t &value) {
    entries_.push_back({name, nullptr, &value, false});
    return *this;
  }

  /// Parses up to and including the closing `>`.
  ParseResult parse(AsmParser &parser) {
    while (failed(parser.parseOptionalGreater())) {
      Entry *entry = llvm::find_if(
          entries_, [&](Entry &candidate) { return succeeded(parser.parseOptionalKeyword(candidate.name)); });
      if (entry == entries_.end())
        return expected(parser);
      if (entry->seen)
        return parser.emitError(parser.getCurrentLocation()) << "duplicated `" << entry->name << "` entry";
      entry->seen = true;
      if (parser.parseEqual() || parseValue(parser, *entry))
        return failure();
      if (failed(parser.parseOptionalComma()))
        return parser.parseGreater();
    }
    return success();
  }

  void print(AsmPrinter &printer, StringRef prefix = "") const {
    printer << '<' << prefix;
    StringRef separator = "";
    for (const Entry &entry : entries_) {
      if (entry.list ? entry.list->empty() : *entry.number == 0)
        continue;
      printer << separator << entry.name << " = ";
      if (entry.list)
        ir::printDimensions(printer, *entry.list);
      else
        printer << *entry.number;
      separator = ", ";
    }
    printer << '>';
  }

private:
  struct Entry {
    StringRef name;
    SmallVector<int64_t> *list;
    int64_t *number;
    bool seen;
  };

  ParseResult parseValue(AsmParser &parser, Entry &entry) {
    if (entry.number)
      return parser.parseInteger(*entry.number);
    auto dimensions = ir::parseDimensions(parser);
    if (succeeded(dimensions))
      *entry.list = *dimensions;
    return ParseResult(dimensions);
  }

  ParseResult expected(AsmParser &parser) {
    auto diagnostic = parser.emitError(parser.getCurrentLocation()) << "expected one of: ";
    llvm::interleaveComma(entries_, diagnostic, [&](const Entry &entry) { diagnostic << '`' << entry.name << '`'; });
    return diagnostic;
  }

  SmallVector<Entry> entries_;
};

/// An attribute's parameters as mutable values, with their names.
struct DotFields {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  Fields fields() {
    return Fields()
        .list("lhs_batching_dimensions", lhsBatching)
        .list("rhs_batching_dimensions", rhsBatching)
        .list("lhs_contracting_dimensions", lhsContracting)
        .list("rhs_contracting_dimensions", rhsContracting);
  }
};

struct GatherFields {
  SmallVector<int64_t> offset, collapsed, operandBatching, indicesBatching, startIndexMap;
  int64_t indexVectorDim = 0;
  Fields fields() {
    return Fields()
        .list("offset_dims", offset)
        .list("collapsed_slice_dims", collapsed)
        .list("operand_batching_dims", operandBatching)
        .list("start_indices_batching_dims", indicesBatching)
        .list("start_index_map", startIndexMap)
        .number("index_vector_dim", indexVectorDim);
  }
};

struct ScatterFields {
  SmallVector<int64_t> window, inserted, inputBatching, indicesBatching, scatterToOperand;
  int64_t indexVectorDim = 0;
  Fields fields() {
    return Fields()
        .list("update_window_dims", window)
        .list("inserted_window_dims", inserted)
        .list("input_batching_dims", inputBatching)
        .list("scatter_indices_batching_dims", indicesBatching)
        .list("scatter_dims_to_operand_dims", scatterToOperand)
        .number("index_vector_dim", indexVectorDim);
  }
};

struct ConvFields {
  int64_t inputBatch = 0, inputFeature = 0, kernelInput = 0, kernelOutput = 0, outputBatch = 0, outputFeature = 0;
  SmallVector<int64_t> inputSpatial, kernelSpatial, outputSpatial;
  Fields fields() {
    return Fields()
        .number("input_batch_dimension", inputBatch)
        .number("input_feature_dimension", inputFeature)
        .list("input_spatial_dimensions", inputSpatial)
        .number("kernel_input_feature_dimension", kernelInput)
        .number("kernel_output_feature_dimension", kernelOutput)
        .list("kernel_spatial_dimensions", kernelSpatial)
        .number("output_batch_dimension", outputBatch)
        .number("output_feature_dimension", outputFeature)
        .list("output_spatial_dimensions", outputSpatial);
  }
};

} // namespace

static SmallVector<int64_t> copy(ArrayRef<int64_t> values) { return SmallVector<int64_t>(values); }

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  DotFields f;
  if (parser.parseLess() || f.fields().parse(parser))
    return {};
  return get(parser.getContext(), f.lhsBatching, f.rhsBatching, f.lhsContracting, f.rhsContracting);
}

void DotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  DotFields f{copy(getLhsBatchingDimensions()), copy(getRhsBatchingDimensions()), copy(getLhsContractingDimensions()),
              copy(getRhsContractingDimensions())};
  f.fields().print(printer);
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  GatherFields f;
  if (parser.parseLess() || f.fields().parse(parser))
    return {};
  return get(parser.getContext(), f.offset, f.collapsed, f.operandBatching, f.indicesBatching, f.startIndexMap,
             f.indexVectorDim);
}

void GatherDimensionNumbersAttr::print(AsmPrinter &printer) const {
  GatherFields f{copy(getOffsetDims()),          copy(getCollapsedSliceDims()),
                 copy(getOperandBatchingDims()), copy(getStartIndicesBatchingDims()),
                 copy(getStartIndexMap()),       getIndexVectorDim()};
  f.fields().print(printer);
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  ScatterFields f;
  if (parser.parseLess() || f.fields().parse(parser))
    return {};
  return get(parser.getContext(), f.window, f.inserted, f.inputBatching, f.indicesBatching, f.scatterToOperand,
             f.indexVectorDim);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter &printer) const {
  ScatterFields f{copy(getUpdateWindowDims()),         copy(getInsertedWindowDims()),
                  copy(getInputBatchingDims()),        copy(getScatterIndicesBatchingDims()),
                  copy(getScatterDimsToOperandDims()), getIndexVectorDim()};
  f.fields().print(printer);
}

//===- conv ------------------------------------------------------------------------------------------------------===//

namespace {
/// The positions of a tensor's two named dimensions; the others are spatial, in order.
struct Picture {
  char firstName, secondName;
  int64_t first = 0, second = 0;
  SmallVector<int64_t> spatial;

  /// Every dimension named once: what a picture can show.
  bool wellFormed() const {
    SmallVector<int64_t> all = spatial;
    all.push_back(first);
    all.push_back(second);
    llvm::sort(all);
    for (auto [i, dimension] : llvm::enumerate(all))
      if (dimension != static_cast<int64_t>(i))
        return false;
    return true;
  }

  void print(AsmPrinter &printer) const {
    printer << '[';
    for (int64_t dimension = 0, rank = spatial.size() + 2; dimension < rank; ++dimension) {
      printer << (dimension ? ", " : "");
      if (dimension == first)
        printer << StringRef(&firstName, 1);
      else if (dimension == second)
        printer << StringRef(&secondName, 1);
      else
        printer << (llvm::find(spatial, dimension) - spatial.begin());
    }
    printer << ']';
  }

  ParseResult parse(AsmParser &parser) {
    llvm::SMLoc loc = parser.getCurrentLocation();
    std::map<int64_t, int64_t> positions;
    int64_t dimension = 0;
    first = second = -1;
    auto parseOne = [&]() -> ParseResult {
      int64_t number;
      mlir::OptionalParseResult isNumber = parser.parseOptionalInteger(number);
      if (isNumber.has_value()) {
        if (failed(*isNumber))
          return failure();
        if (number < 0 || !positions.try_emplace(number, dimension++).second)
          return parser.emitError(loc) << "Unexpected or duplicate spatial dimension " << number;
        return success();
      }
      StringRef name;
      if (parser.parseKeyword(&name))
        return failure();
      int64_t *place = name == StringRef(&firstName, 1)    ? &first
                       : name == StringRef(&secondName, 1) ? &second
                                                           : nullptr;
      if (!place || *place >= 0)
        return parser.emitError(loc) << "Unexpected dimension " << name;
      *place = dimension++;
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
      return failure();
    if (first < 0 || second < 0)
      return parser.emitError(loc) << "Expected dimensions " << firstName << " and " << secondName;
    for (int64_t i = 0, e = positions.size(); i < e; ++i) {
      auto found = positions.find(i);
      if (found == positions.end())
        return parser.emitError(loc) << "Expected spatial dimensions " << i << " not specified";
      spatial.push_back(found->second);
    }
    return success();
  }
};
} // namespace

ParseResult parseConvolutionDimensions(AsmParser &parser, ConvDimensionNumbersAttr &numbers) {
  Picture input{'b', 'f', 0, 0, {}}, kernel{'i', 'o', 0, 0, {}}, output{'b', 'f', 0, 0, {}};
  if (input.parse(parser) || parser.parseKeyword("x") || kernel.parse(parser) || parser.parseArrow() ||
      output.parse(parser))
    return failure();
  numbers = ConvDimensionNumbersAttr::get(parser.getContext(), input.first, input.second, input.spatial, kernel.first,
                                          kernel.second, kernel.spatial, output.first, output.second, output.spatial);
  return success();
}

static SmallVector<Picture, 3> pictures(ConvDimensionNumbersAttr numbers) {
  return {Picture{'b', 'f', numbers.getInputBatchDimension(), numbers.getInputFeatureDimension(),
                  copy(numbers.getInputSpatialDimensions())},
          Picture{'i', 'o', numbers.getKernelInputFeatureDimension(), numbers.getKernelOutputFeatureDimension(),
                  copy(numbers.getKernelSpatialDimensions())},
          Picture{'b', 'f', numbers.getOutputBatchDimension(), numbers.getOutputFeatureDimension(),
                  copy(numbers.getOutputSpatialDimensions())}};
}

void printConvolutionDimensions(AsmPrinter &printer, ConvDimensionNumbersAttr numbers) {
  SmallVector<Picture, 3> parts = pictures(numbers);
  parts[0].print(printer);
  printer << 'x';
  parts[1].print(printer);
  printer << "->";
  parts[2].print(printer);
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  if (failed(parser.parseOptionalKeyword("raw"))) {
    ConvDimensionNumbersAttr numbers;
    return parseConvolutionDimensions(parser, numbers) || parser.parseGreater() ? Attribute() : numbers;
  }
  ConvFields f;
  if (f.fields().parse(parser))
    return {};
  return get(parser.getContext(), f.inputBatch, f.inputFeature, f.inputSpatial, f.kernelInput, f.kernelOutput,
             f.kernelSpatial, f.outputBatch, f.outputFeature, f.outputSpatial);
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  if (llvm::all_of(pictures(*this), [](const Picture &picture) { return picture.wellFormed(); })) {
    printer << '<';
    printConvolutionDimensions(printer, *this);
    printer << '>';
    return;
  }
  ConvFields f{
      getInputBatchDimension(),          getInputFeatureDimension(),         getKernelInputFeatureDimension(),
      getKernelOutputFeatureDimension(), getOutputBatchDimension(),          getOutputFeatureDimension(),
      copy(getInputSpatialDimensions()), copy(getKernelSpatialDimensions()), copy(getOutputSpatialDimensions())};
  f.fields().print(printer, "raw ");
}

//===- Windows ---------------------------------------------------------------------------------------------------===//

static ParseResult parsePadding(OpAsmParser &parser, mlir::DenseIntElementsAttr &padding) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> values;
  auto parsePair = [&]() -> ParseResult {
    size_t before = values.size();
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       [&] { return parser.parseInteger(values.emplace_back()); }))
      return failure();
    if (values.size() != before + 2)
      return parser.emitError(loc) << "Expected array with 2 elements, got " << values.size() - before
                                   << " elements instead";
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
    return failure();
  auto type =
      mlir::RankedTensorType::get({static_cast<int64_t>(values.size() / 2), 2}, parser.getBuilder().getIntegerType(64));
  padding = mlir::DenseIntElementsAttr::get(type, values);
  return success();
}

ParseResult parseWindowAttributes(OpAsmParser &parser, mlir::DenseI64ArrayAttr &strides,
                                  mlir::DenseIntElementsAttr &padding, mlir::DenseI64ArrayAttr &lhsDilation,
                                  mlir::DenseI64ArrayAttr &rhsDilation, mlir::DenseBoolArrayAttr &reversal) {
  StringRef name;
  while (succeeded(parser.parseOptionalKeyword(&name))) {
    llvm::SMLoc loc = parser.getCurrentLocation();
    if (parser.parseEqual())
      return failure();
    if (name == "pad") {
      if (padding)
        return parser.emitError(loc, "Unexpected keyword ") << name;
      if (parsePadding(parser, padding))
        return failure();
    } else {
      SmallVector<int64_t> values;
      if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                         [&] { return parser.parseInteger(values.emplace_back()); }))
        return failure();
      mlir::DenseI64ArrayAttr *target = llvm::StringSwitch<mlir::DenseI64ArrayAttr *>(name)
                                            .Case("stride", &strides)
                                            .Case("lhs_dilate", &lhsDilation)
                                            .Case("rhs_dilate", &rhsDilation)
                                            .Default(nullptr);
      if (target && !*target) {
        *target = parser.getBuilder().getDenseI64ArrayAttr(values);
      } else if (name == "reverse" && !reversal) {
        auto flags = llvm::map_to_vector(values, [](int64_t value) { return value != 0; });
        reversal = mlir::DenseBoolArrayAttr::get(parser.getContext(), flags);
      } else {
        return parser.emitError(loc, "Unexpected keyword ") << name;
      }
    }
    if (failed(parser.parseOptionalComma()))
      break;
  }
  return success();
}

void printWindowAttributes(OpAsmPrinter &printer, mlir::Operation *, mlir::DenseI64ArrayAttr strides,
                           mlir::DenseIntElementsAttr padding, mlir::DenseI64ArrayAttr lhsDilation,
                           mlir::DenseI64ArrayAttr rhsDilation, mlir::DenseBoolArrayAttr reversal) {
  StringRef separator = "";
  auto begin = [&](StringRef name) {
    printer << separator << name << " = [";
    separator = ", ";
  };
  auto list = [&](StringRef name, mlir::DenseI64ArrayAttr values) {
    if (!values)
      return;
    begin(name);
    llvm::interleaveComma(values.asArrayRef(), printer);
    printer << ']';
  };
  list("stride", strides);
  if (padding) {
    begin("pad");
    auto values = llvm::to_vector(padding.getValues<int64_t>());
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      printer << (i ? ", " : "") << '[' << values[i] << ", " << values[i + 1] << ']';
    printer << ']';
  }
  list("lhs_dilate", lhsDilation);
  list("rhs_dilate", rhsDilation);
  if (reversal) {
    begin("reverse");
    llvm::interleaveComma(reversal.asArrayRef(), printer, [&](bool value) { printer << (value ? "true" : "false"); });
    printer << ']';
  }
}

//===- Others ----------------------------------------------------------------------------------------------------===//

Attribute TypeExtensionsAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess() || parser.parseKeyword("bounds") || parser.parseEqual())
    return {};
  auto bounds = ir::parseDimensions(parser);
  return failed(bounds) || parser.parseGreater() ? Attribute() : get(parser.getContext(), *bounds);
}

void TypeExtensionsAttr::print(AsmPrinter &printer) const {
  printer << "<bounds = ";
  ir::printDimensions(printer, getBounds());
  printer << '>';
}

llvm::LogicalResult TypeExtensionsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                                       llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const {
  if (getBounds().size() != shape.size())
    return emitError() << "Bounds length is " << getBounds().size() << ", expected to be equal to rank(" << shape.size()
                       << ") of the tensor";
  for (auto [dimension, bound, size] : llvm::enumerate(getBounds(), shape)) {
    if (!mlir::ShapedType::isDynamic(bound) && bound < 0)
      return emitError() << "Bound " << bound << " of dimension " << dimension << " is negative";
    if (!mlir::ShapedType::isDynamic(bound) && !mlir::ShapedType::isDynamic(size))
      return emitError() << "Static dimension " << dimension << " cannot have a bound, use `?` there";
  }
  return success();
}

Attribute ResultAccuracyAttr::parse(AsmParser &parser, Type) {
  double absolute = 0, relative = 0;
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("atol")) &&
      (parser.parseEqual() || parser.parseFloat(absolute) || parser.parseComma()))
    return {};
  if (succeeded(parser.parseOptionalKeyword("rtol")) &&
      (parser.parseEqual() || parser.parseFloat(relative) || parser.parseComma()))
    return {};
  if (succeeded(parser.parseOptionalKeyword("ulps")) &&
      (parser.parseEqual() || parser.parseInteger(ulps) || parser.parseComma()))
    return {};
  if (parser.parseKeyword("mode") || parser.parseEqual() || parser.parseAttribute(mode) || parser.parseGreater())
    return {};
  return get(parser.getContext(), llvm::APFloat(absolute), llvm::APFloat(relative), ulps, mode);
}

void ResultAccuracyAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (!getAtol().isZero()) {
    printer << "atol = ";
    printer.printFloat(getAtol());
    printer << ", ";
  }
  if (!getRtol().isZero()) {
    printer << "rtol = ";
    printer.printFloat(getRtol());
    printer << ", ";
  }
  if (getUlps() != 0)
    printer << "ulps = " << getUlps() << ", ";
  printer << "mode = " << getMode() << '>';
}

} // namespace tenon::stablehlo
