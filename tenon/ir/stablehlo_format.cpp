#include "tenon/ir/stablehlo_format.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

namespace tenon::stablehlo {

using llvm::ArrayRef;
using llvm::failed;
using llvm::failure;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::succeeded;
using llvm::success;
using mlir::DenseI64ArrayAttr;
using mlir::FunctionType;
using mlir::Operation;
using mlir::Type;
using mlir::TypeRange;

//===- Types of operands and results -----------------------------------------------------------------------------===//

static ParseResult assignSignature(OpAsmParser &parser, llvm::SMLoc loc, FunctionType signature,
                                   ArrayRef<Type *> operands, Type &result) {
  if (signature.getNumInputs() != operands.size())
    return parser.emitError(loc) << operands.size() << " operands present, but expected " << signature.getNumInputs();
  if (signature.getNumResults() != 1)
    return parser.emitError(loc, "expected single output");
  for (auto [operand, type] : llvm::zip_equal(operands, signature.getInputs()))
    *operand = type;
  result = signature.getResult(0);
  return success();
}

static void printSignature(OpAsmPrinter &printer, TypeRange operands, Type result) {
  printer.printFunctionalType(operands, TypeRange(result));
}

ParseResult parseOneTypeOrSignature(OpAsmParser &parser, ArrayRef<Type *> operands, Type &result) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto signature = llvm::dyn_cast<FunctionType>(type))
    return assignSignature(parser, loc, signature, operands, result);
  for (Type *operand : operands)
    *operand = type;
  result = type;
  return success();
}

void printOneTypeOrSignature(OpAsmPrinter &printer, TypeRange operands, Type result) {
  if (llvm::all_of(operands, [&](Type type) { return type == result; }))
    printer << result;
  else
    printSignature(printer, operands, result);
}

ParseResult parseVariadicSameOperandsAndResultType(OpAsmParser &parser, UnresolvedOperands &operands,
                                                   llvm::SmallVectorImpl<Type> &types, Type &result) {
  types.resize(operands.size());
  SmallVector<Type *> pointers;
  for (Type &type : types)
    pointers.push_back(&type);
  return parseOneTypeOrSignature(parser, pointers, result);
}

void printVariadicSameOperandsAndResultType(OpAsmPrinter &printer, Operation *, mlir::OperandRange, TypeRange types,
                                            Type result) {
  printOneTypeOrSignature(printer, types, result);
}

/// The tensor type of a complex tensor's real parts, or null.
static Type realPartType(Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  auto element = tensor ? llvm::dyn_cast<mlir::ComplexType>(tensor.getElementType()) : nullptr;
  return element ? tensor.clone(element.getElementType()) : Type();
}

ParseResult parseComplexOpType(OpAsmParser &parser, Type &lhs, Type &rhs, Type &result) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto signature = llvm::dyn_cast<FunctionType>(type))
    return assignSignature(parser, loc, signature, {&lhs, &rhs}, result);
  lhs = rhs = realPartType(type);
  result = type;
  return lhs ? ParseResult(success()) : parser.emitError(loc, "expected tensor with complex element type");
}

void printComplexOpType(OpAsmPrinter &printer, Operation *, Type lhs, Type rhs, Type result) {
  if (lhs == rhs && lhs == realPartType(result))
    printer << result;
  else
    printSignature(printer, {lhs, rhs}, result);
}

ParseResult parseSelectOpType(OpAsmParser &parser, Type &pred, Type &onTrue, Type &onFalse, Type &result) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> types;
  if (parser.parseTypeList(types))
    return failure();
  if (types.size() == 2) {
    pred = types[0];
    onTrue = onFalse = result = types[1];
    return success();
  }
  auto signature = types.size() == 1 ? llvm::dyn_cast<FunctionType>(types[0]) : nullptr;
  if (!signature)
    return parser.emitError(loc, "expected functional type or list of two types");
  return assignSignature(parser, loc, signature, {&pred, &onTrue, &onFalse}, result);
}

void printSelectOpType(OpAsmPrinter &printer, Operation *, Type pred, Type onTrue, Type onFalse, Type result) {
  if (onTrue == result && onFalse == result)
    printer << pred << ", " << result;
  else
    printSignature(printer, {pred, onTrue, onFalse}, result);
}

ParseResult parseTupleOpType(OpAsmParser &parser, llvm::SmallVectorImpl<Type> &operands, Type &result) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(result))
    return failure();
  if (auto signature = llvm::dyn_cast<FunctionType>(result)) {
    if (signature.getNumResults() != 1)
      return parser.emitError(loc, "expected single output");
    llvm::append_range(operands, signature.getInputs());
    result = signature.getResult(0);
    return success();
  }
  auto tuple = llvm::dyn_cast<mlir::TupleType>(result);
  if (!tuple)
    return parser.emitError(loc, "expected tuple type");
  llvm::append_range(operands, tuple.getTypes());
  return success();
}

// Sizes that only one of two types knows make them different, as in the next.
void printTupleOpType(OpAsmPrinter &printer, Operation *, TypeRange operands, Type result) {
  auto tuple = llvm::dyn_cast<mlir::TupleType>(result);
  if (tuple && operands == tuple.getTypes())
    printer << result;
  else
    printSignature(printer, operands, result);
}

ParseResult parsePairwiseOpType(OpAsmParser &parser, llvm::SmallVectorImpl<Type> &operands,
                                llvm::SmallVectorImpl<Type> &results) {
  if (parser.parseTypeList(operands))
    return failure();
  if (auto signature = operands.size() == 1 ? llvm::dyn_cast<FunctionType>(operands[0]) : nullptr) {
    operands.assign(signature.getInputs().begin(), signature.getInputs().end());
    results.assign(signature.getResults().begin(), signature.getResults().end());
  } else {
    results.assign(operands.begin(), operands.end());
  }
  return success();
}

void printPairwiseOpType(OpAsmPrinter &printer, Operation *, TypeRange operands, TypeRange results) {
  if (operands == results)
    llvm::interleaveComma(operands, printer);
  else
    printer.printFunctionalType(operands, results);
}

//===- Operands and small attributes -----------------------------------------------------------------------------===//

ParseResult parseVariadicOperandWithAttribute(OpAsmParser &parser, UnresolvedOperands &operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    mlir::OptionalParseResult found = parser.parseOptionalOperand(operand);
    if (!found.has_value())
      return success();
    if (failed(*found) || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
}

void printVariadicOperandWithAttribute(OpAsmPrinter &printer, Operation *, mlir::OperandRange operands) {
  llvm::interleaveComma(operands, printer);
  if (!operands.empty())
    printer << ",";
}

ParseResult parseExponentMantissa(AsmParser &parser, mlir::IntegerAttr &exponent, mlir::IntegerAttr &mantissa) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  auto [exponentText, mantissaText] = word.split('m');
  int32_t exponentBits, mantissaBits;
  if (!exponentText.consume_front("e") || exponentText.getAsInteger(10, exponentBits) ||
      mantissaText.getAsInteger(10, mantissaBits))
    return parser.emitError(loc, "expected exponent mantissa in format e#m#, saw ") << word;
  exponent = parser.getBuilder().getI32IntegerAttr(exponentBits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissaBits);
  return success();
}

void printExponentMantissa(AsmPrinter &printer, Operation *, mlir::IntegerAttr exponent, mlir::IntegerAttr mantissa) {
  printer << 'e' << exponent.getInt() << 'm' << mantissa.getInt();
}

ParseResult parseSliceRanges(OpAsmParser &parser, DenseI64ArrayAttr &starts, DenseI64ArrayAttr &limits,
                             DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> start, limit, stride;
  auto parseRange = [&]() -> ParseResult {
    stride.push_back(1);
    if (parser.parseInteger(start.emplace_back()) || parser.parseColon() || parser.parseInteger(limit.emplace_back()))
      return failure();
    return succeeded(parser.parseOptionalColon()) ? parser.parseInteger(stride.back()) : success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return failure();
  starts = parser.getBuilder().getDenseI64ArrayAttr(start);
  limits = parser.getBuilder().getDenseI64ArrayAttr(limit);
  strides = parser.getBuilder().getDenseI64ArrayAttr(stride);
  return success();
}

void printSliceRanges(OpAsmPrinter &printer, Operation *, ArrayRef<int64_t> starts, ArrayRef<int64_t> limits,
                      ArrayRef<int64_t> strides) {
  // Lists of unequal length do not verify, but a diagnostic may still print the op.
  size_t size = std::min({starts.size(), limits.size(), strides.size()});
  printer << '[';
  for (size_t i = 0; i < size; ++i) {
    printer << (i ? ", " : "") << starts[i] << ':' << limits[i];
    if (strides[i] != 1)
      printer << ':' << strides[i];
  }
  printer << ']';
}

ParseResult parseCustomCallTarget(AsmParser &parser, mlir::StringAttr &target) {
  return parser.parseSymbolName(target);
}

void printCustomCallTarget(AsmPrinter &printer, Operation *, mlir::StringAttr target) {
  printer.printSymbolName(target.getValue());
}

//===- Products --------------------------------------------------------------------------------------------------===//

static ParseResult parseDimensionPair(AsmParser &parser, SmallVector<int64_t> &lhs, SmallVector<int64_t> &rhs) {
  auto left = ir::parseDimensions(parser);
  if (failed(left) || parser.parseKeyword("x"))
    return failure();
  auto right = ir::parseDimensions(parser);
  if (failed(right))
    return failure();
  lhs = *left;
  rhs = *right;
  return success();
}

static void printDimensionPair(AsmPrinter &printer, ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  ir::printDimensions(printer, lhs);
  printer << " x ";
  ir::printDimensions(printer, rhs);
}

ParseResult parseDotDimensionNumbers(AsmParser &parser, DotDimensionNumbersAttr &numbers) {
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsContracting, rhsContracting;
  if (succeeded(parser.parseOptionalKeyword("batching_dims"))) {
    if (parser.parseEqual() || parseDimensionPair(parser, lhsBatch, rhsBatch) || parser.parseComma())
      return failure();
  }
  if (parser.parseKeyword("contracting_dims") || parser.parseEqual() ||
      parseDimensionPair(parser, lhsContracting, rhsContracting))
    return failure();
  numbers = DotDimensionNumbersAttr::get(parser.getContext(), lhsBatch, rhsBatch, lhsContracting, rhsContracting);
  return success();
}

void printDotDimensionNumbers(AsmPrinter &printer, Operation *, DotDimensionNumbersAttr numbers) {
  if (!numbers.getLhsBatchingDimensions().empty() || !numbers.getRhsBatchingDimensions().empty()) {
    printer << "batching_dims = ";
    printDimensionPair(printer, numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions());
    printer << ", ";
  }
  printer << "contracting_dims = ";
  printDimensionPair(printer, numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions());
}

static ParseResult parsePrecisionList(OpAsmParser &parser, mlir::ArrayAttr &precision) {
  SmallVector<mlir::Attribute> values;
  auto parseOne = [&]() -> ParseResult {
    values.push_back(PrecisionAttr::parse(parser, {}));
    return success(static_cast<bool>(values.back()));
  };
  if (parser.parseKeyword("precision") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  precision = parser.getBuilder().getArrayAttr(values);
  return success();
}

ParseResult parsePrecisionConfig(OpAsmParser &parser, mlir::ArrayAttr &precision) {
  return failed(parser.parseOptionalComma()) ? ParseResult(success()) : parsePrecisionList(parser, precision);
}

void printPrecisionConfig(OpAsmPrinter &printer, Operation *, mlir::ArrayAttr precision) {
  if (!precision)
    return;
  printer << ", precision = [";
  llvm::interleaveComma(precision.getAsRange<PrecisionAttr>(), printer,
                        [&](PrecisionAttr value) { printer << stringifyPrecision(value.getValue()); });
  printer << ']';
}

ParseResult parsePrecisionConfigAndAlgorithm(OpAsmParser &parser, mlir::ArrayAttr &precision,
                                             DotAlgorithmAttr &algorithm) {
  if (failed(parser.parseOptionalComma()))
    return success();
  if (failed(parser.parseOptionalKeyword("algorithm"))) {
    if (parsePrecisionList(parser, precision))
      return failure();
    if (failed(parser.parseOptionalComma()))
      return success();
    if (parser.parseKeyword("algorithm"))
      return failure();
  }
  if (parser.parseEqual())
    return failure();
  algorithm = llvm::dyn_cast_or_null<DotAlgorithmAttr>(DotAlgorithmAttr::parse(parser, {}));
  return success(static_cast<bool>(algorithm));
}

void printPrecisionConfigAndAlgorithm(OpAsmPrinter &printer, Operation *op, mlir::ArrayAttr precision,
                                      DotAlgorithmAttr algorithm) {
  printPrecisionConfig(printer, op, precision);
  if (algorithm) {
    printer << ", algorithm = ";
    printer.printStrippedAttrOrType(algorithm);
  }
}

//===- Ops with regions ------------------------------------------------------------------------------------------===//

ParseResult ConstantOp::parse(OpAsmParser &parser, mlir::OperationState &result) {
  // Where the value's type is not the result's, the op is written `() <{value = ...}> : () -> type`.
  if (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseRParen())
      return failure();
    if (succeeded(parser.parseOptionalLess()) &&
        (parser.parseAttribute(result.propertiesAttr) || parser.parseGreater()))
      return failure();
    Type type;
    if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() || parser.parseLParen() ||
        parser.parseRParen() || parser.parseArrow() || parser.parseType(type))
      return failure();
    result.addTypes(type);
    return success();
  }
  mlir::ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseCustomAttributeWithFallback(value, Type(), "value", result.attributes))
    return failure();
  result.addTypes(value.getType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  if (getValue().getType() != getType()) {
    printer.printGenericOp(getOperation(), /*printOpName=*/false);
    return;
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ';
  printer.printStrippedAttrOrType(getValueAttr());
}

ParseResult WhileOp::parse(OpAsmParser &parser, mlir::OperationState &result) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  auto parsePair = [&]() -> ParseResult {
    return success(succeeded(parser.parseArgument(arguments.emplace_back())) && succeeded(parser.parseEqual()) &&
                   succeeded(parser.parseOperand(operands.emplace_back())));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parsePair))
    return failure();
  if (!operands.empty() && parser.parseColonTypeList(result.types))
    return failure();
  SmallVector<Type> types(result.types.begin(), result.types.end());
  // Then the regions say what their arguments are.
  if (auto signature = types.size() == 1 ? llvm::dyn_cast<FunctionType>(types[0]) : nullptr) {
    types.assign(signature.getInputs().begin(), signature.getInputs().end());
    result.types.assign(signature.getResults().begin(), signature.getResults().end());
    arguments.clear();
  }
  if (types.size() != operands.size())
    return parser.emitError(loc) << operands.size() << " operands present, but expected " << types.size();
  for (auto [argument, type] : llvm::zip(arguments, types))
    argument.type = type;
  return success(succeeded(parser.resolveOperands(operands, types, loc, result.operands)) &&
                 succeeded(parser.parseOptionalAttrDictWithKeyword(result.attributes)) &&
                 succeeded(parser.parseKeyword("cond")) &&
                 succeeded(parser.parseRegion(*result.addRegion(), arguments)) &&
                 succeeded(parser.parseKeyword("do")) && succeeded(parser.parseRegion(*result.addRegion(), arguments)));
}

void WhileOp::print(OpAsmPrinter &printer) {
  printer << '(';
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getOperand()), printer,
                        [&](auto pair) { printer << std::get<0>(pair) << " = " << std::get<1>(pair); });
  printer << ')';
  // Some may know sizes that others do not.
  TypeRange types = getOperand().getTypes();
  bool differ = types != getResultTypes() || types != TypeRange(getCond().getArgumentTypes()) ||
                types != TypeRange(getBody().getArgumentTypes());
  if (differ) {
    printer << " : ";
    printer.printFunctionalType(types, getResultTypes());
  } else if (!types.empty()) {
    printer << " : " << types;
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/differ);
  printer << " do ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/differ);
}

void WhileOp::getAsmBlockArgumentNames(mlir::Region &region, mlir::OpAsmSetValueNameFn setName) {
  for (mlir::BlockArgument argument : region.getArguments())
    setName(argument, "iterArg");
}

//===- reduce ----------------------------------------------------------------------------------------------------===//
//
// `stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : signature` stands for a body that
// is one commutative op on the two arguments. Any other body is written out, after `reducer`, with its arguments
// paired like the operands.

/// The body's only op, if the short form says the same as the body.
static Operation *singleReducer(ReduceOp op) {
  mlir::Block &block = op.getBody().front();
  if (!block.mightHaveTerminator() || !llvm::hasSingleElement(block.without_terminator()) || op.getInputs().size() != 1)
    return nullptr;
  Operation &inner = block.front();
  auto element = llvm::cast<mlir::ShapedType>(op.getInputs()[0].getType()).getElementType();
  Type scalar = mlir::RankedTensorType::get({}, element);
  bool plain = inner.getDialect() == op->getDialect() && inner.hasTrait<mlir::OpTrait::IsCommutative>() &&
               inner.getNumOperands() == 2 && inner.getNumResults() == 1 && inner.getNumRegions() == 0 &&
               inner.getDiscardableAttrs().empty();
  bool forwards = plain && inner.getOperand(0).getType() == scalar && inner.getResult(0).getType() == scalar &&
                  llvm::equal(block.getArguments(), inner.getOperands()) &&
                  llvm::isa<ReturnOp>(block.getTerminator()) &&
                  llvm::equal(inner.getResults(), block.getTerminator()->getOperands());
  return forwards ? &inner : nullptr;
}

void ReduceOp::print(OpAsmPrinter &printer) {
  size_t count = getInputs().size();
  llvm::interleaveComma(llvm::seq<size_t>(0, count), printer,
                        [&](size_t i) { printer << '(' << getInputs()[i] << " init: " << getInitValues()[i] << ')'; });
  Operation *inner = singleReducer(*this);
  if (inner) {
    printer << " applies ";
    printer.printKeywordOrString(inner->getName().getStringRef());
  }
  printer << " across dimensions = [";
  llvm::interleaveComma(getDimensions(), printer);
  printer << ']';
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(getOperation());
  if (inner)
    return;
  printer.printNewline();
  printer << " reducer";
  mlir::Block &block = getBody().front();
  for (size_t i = 0; i < count && i + count < block.getNumArguments(); ++i) {
    printer << '(';
    printer.printRegionArgument(block.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(i + count));
    printer << ") ";
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// Builds the body that `applies <name>` stands for.
static ParseResult buildReducer(OpAsmParser &parser, llvm::SMLoc loc, mlir::OperationName name, FunctionType signature,
                                mlir::OperationState &result) {
  if (!name.isRegistered() || name.getDialectNamespace() != "stablehlo" ||
      !name.hasTrait<mlir::OpTrait::IsCommutative>() || !name.hasTrait<mlir::OpTrait::OneResult>())
    return parser.emitError(loc, "expected the inner-op to be a commutative binary-op from the stablehlo dialect");
  if (signature.getNumInputs() == 0)
    return parser.emitError(loc, "input types missing in reduce-op function type");
  // The implied ops take the location that follows the op, so it is read here rather than by the caller.
  std::optional<mlir::Location> location;
  if (parser.parseOptionalLocationSpecifier(location))
    return failure();
  result.location = location.value_or(result.location);
  Type scalar = mlir::RankedTensorType::get({}, mlir::getElementTypeOrSelf(signature.getInput(0)));
  mlir::Block &block = result.addRegion()->emplaceBlock();
  mlir::OpBuilder builder(parser.getContext());
  builder.setInsertionPointToStart(&block);
  block.addArguments({scalar, scalar}, {result.location, result.location});
  mlir::OperationState inner(result.location, name);
  inner.addOperands(block.getArguments());
  inner.addTypes(scalar);
  ReturnOp::create(builder, result.location, builder.create(inner)->getResults());
  return success();
}

/// Parses `(%a: type, %b: type) (...)`: the arguments, reordered to all first ones, then all second ones.
static ParseResult parseReducerArguments(OpAsmParser &parser, SmallVector<OpAsmParser::Argument> &arguments) {
  SmallVector<OpAsmParser::Argument> second;
  while (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseArgument(arguments.emplace_back(), /*allowType=*/true) || parser.parseComma() ||
        parser.parseArgument(second.emplace_back(), /*allowType=*/true) || parser.parseRParen())
      return failure();
  }
  llvm::append_range(arguments, second);
  return success();
}

ParseResult ReduceOp::parse(OpAsmParser &parser, mlir::OperationState &result) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands, inits;
  auto parsePair = [&]() -> ParseResult {
    return success(succeeded(parser.parseLParen()) && succeeded(parser.parseOperand(operands.emplace_back())) &&
                   succeeded(parser.parseKeyword("init")) && succeeded(parser.parseColon()) &&
                   succeeded(parser.parseOperand(inits.emplace_back())) && succeeded(parser.parseRParen()));
  };
  if (parser.parseCommaSeparatedList(parsePair))
    return failure();
  llvm::append_range(operands, inits);

  std::optional<mlir::OperationName> inner;
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    llvm::FailureOr<mlir::OperationName> name = parser.parseCustomOperationName();
    if (failed(name))
      return failure();
    inner = *name;
  }

  SmallVector<int64_t> dimensions;
  FunctionType signature;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return parser.parseInteger(dimensions.emplace_back()); }) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(signature) ||
      parser.resolveOperands(operands, signature.getInputs(), loc, result.operands))
    return failure();
  result.addAttribute("dimensions", parser.getBuilder().getDenseI64ArrayAttr(dimensions));
  result.addTypes(signature.getResults());

  if (inner)
    return buildReducer(parser, loc, *inner, signature, result);
  SmallVector<OpAsmParser::Argument> arguments;
  return success(succeeded(parser.parseKeyword("reducer")) && succeeded(parseReducerArguments(parser, arguments)) &&
                 succeeded(parser.parseRegion(*result.addRegion(), arguments)));
}

} // namespace tenon::stablehlo
