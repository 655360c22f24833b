#include "tenon/ir/sdy.h"

#include "tenon/ir/inliner.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "tenon/ops/sdy_dialect.cpp.inc"
#include "tenon/ops/sdy_enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tenon/ops/sdy_attributes.cpp.inc"

#define GET_OP_CLASSES
#include "tenon/ops/sdy_ops.cpp.inc"

namespace tenon::sdy {

using llvm::failed;
using llvm::failure;
using llvm::LogicalResult;
using llvm::SmallVector;
using llvm::succeeded;
using llvm::success;
using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::Attribute;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::ParseResult;
using mlir::Type;

void SdyDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tenon/ops/sdy_ops.cpp.inc"
      >();
  addInterfaces<ir::InlineAnywhere>();
}

void SdyDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tenon/ops/sdy_attributes.cpp.inc"
      >();
}

//===- Parts of attributes ---------------------------------------------------------------------------------------===//

/// Parses `open item, item close` with `parseItem` giving each.
template <typename T>
static ParseResult parseList(AsmParser &parser, AsmParser::Delimiter delimiter, SmallVector<T> &items,
                             llvm::function_ref<T()> parseItem) {
  return parser.parseCommaSeparatedList(delimiter, [&]() -> ParseResult {
    items.push_back(parseItem());
    return success(static_cast<bool>(items.back()));
  });
}

static MeshAxisAttr parseMeshAxis(AsmParser &parser) {
  std::string name;
  int64_t size;
  if (parser.parseString(&name) || parser.parseEqual() || parser.parseInteger(size))
    return {};
  return MeshAxisAttr::get(parser.getContext(), name, size);
}

static SubAxisInfoAttr parseSubAxis(AsmParser &parser) {
  int64_t preSize, size;
  if (parser.parseLParen() || parser.parseInteger(preSize) || parser.parseRParen() || parser.parseInteger(size))
    return {};
  return SubAxisInfoAttr::get(parser.getContext(), preSize, size);
}

static AxisRefAttr parseAxis(AsmParser &parser) {
  std::string name;
  if (parser.parseString(&name))
    return {};
  SubAxisInfoAttr part;
  if (succeeded(parser.parseOptionalColon())) {
    part = parseSubAxis(parser);
    if (!part)
      return {};
  }
  return AxisRefAttr::get(parser.getContext(), name, part);
}

static ParseResult parseAxes(AsmParser &parser, SmallVector<AxisRefAttr> &axes) {
  return parseList<AxisRefAttr>(parser, AsmParser::Delimiter::Braces, axes, [&] { return parseAxis(parser); });
}

static void printAxis(AsmPrinter &printer, AxisRefAttr axis) {
  printer.printString(axis.getName());
  if (SubAxisInfoAttr part = axis.getSubAxisInfo())
    printer << ":(" << part.getPreSize() << ')' << part.getSize();
}

static void printAxes(AsmPrinter &printer, llvm::ArrayRef<AxisRefAttr> axes) {
  printer << '{';
  llvm::interleaveComma(axes, printer, [&](AxisRefAttr axis) { printAxis(printer, axis); });
  printer << '}';
}

static DimensionShardingAttr parseDimension(AsmParser &parser) {
  SmallVector<AxisRefAttr> axes;
  bool closed = true;
  auto parseOne = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      closed = false;
      return success();
    }
    if (!closed)
      return parser.emitError(parser.getCurrentLocation(), "`?` must come last");
    axes.push_back(parseAxis(parser));
    return success(static_cast<bool>(axes.back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parseOne))
    return {};
  std::optional<int64_t> priority;
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word))) {
    int64_t value;
    if (!word.consume_front("p") || word.getAsInteger(10, value)) {
      parser.emitError(loc, "expected a priority such as p1");
      return {};
    }
    priority = value;
  }
  return DimensionShardingAttr::get(parser.getContext(), axes, closed, priority);
}

static void printDimension(AsmPrinter &printer, DimensionShardingAttr dimension) {
  printer << '{';
  llvm::interleaveComma(dimension.getAxes(), printer, [&](AxisRefAttr axis) { printAxis(printer, axis); });
  if (!dimension.getIsClosed())
    printer << (dimension.getAxes().empty() ? "?" : ", ?");
  printer << '}';
  if (dimension.getPriority())
    printer << 'p' << *dimension.getPriority();
}

//===- Attributes ------------------------------------------------------------------------------------------------===//

Attribute MeshAxisAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  MeshAxisAttr axis = parseMeshAxis(parser);
  return !axis || parser.parseGreater() ? Attribute() : axis;
}
void MeshAxisAttr::print(AsmPrinter &printer) const { printer << "<\"" << getName() << "\"=" << getSize() << '>'; }

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> devices;
  if (parser.parseLess() ||
      parseList<MeshAxisAttr>(parser, AsmParser::Delimiter::Square, axes, [&] { return parseMeshAxis(parser); }))
    return {};
  if (succeeded(parser.parseOptionalComma()) && (parser.parseKeyword("device_ids") || parser.parseEqual() ||
                                                 parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
                                                   return parser.parseInteger(devices.emplace_back());
                                                 })))
    return {};
  return parser.parseGreater() ? Attribute() : get(parser.getContext(), axes, devices);
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getAxes(), printer, [&](MeshAxisAttr axis) {
    printer.printString(axis.getName());
    printer << '=' << axis.getSize();
  });
  printer << ']';
  if (!getDeviceIds().empty()) {
    printer << ", device_ids=[";
    llvm::interleaveComma(getDeviceIds(), printer);
    printer << ']';
  }
  printer << '>';
}

Attribute SubAxisInfoAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  SubAxisInfoAttr part = parseSubAxis(parser);
  return !part || parser.parseGreater() ? Attribute() : part;
}
void SubAxisInfoAttr::print(AsmPrinter &printer) const { printer << "<(" << getPreSize() << ')' << getSize() << '>'; }

Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  AxisRefAttr axis = parseAxis(parser);
  return !axis || parser.parseGreater() ? Attribute() : axis;
}
void AxisRefAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printAxis(printer, *this);
  printer << '>';
}

Attribute DimensionShardingAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  DimensionShardingAttr dimension = parseDimension(parser);
  return !dimension || parser.parseGreater() ? Attribute() : dimension;
}
void DimensionShardingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printDimension(printer, *this);
  printer << '>';
}

Attribute TensorShardingAttr::parse(AsmParser &parser, Type) {
  Attribute mesh;
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("mesh"))) {
    mesh = MeshAttr::parse(parser, {});
    if (!mesh)
      return {};
  } else {
    mlir::StringAttr name;
    if (parser.parseSymbolName(name))
      return {};
    mesh = mlir::FlatSymbolRefAttr::get(name);
  }
  SmallVector<DimensionShardingAttr> dimensions;
  if (parser.parseComma() || parseList<DimensionShardingAttr>(parser, AsmParser::Delimiter::Square, dimensions,
                                                              [&] { return parseDimension(parser); }))
    return {};
  SmallVector<AxisRefAttr> replicated, unreduced;
  ReductionOp kind = ReductionOp::SUM;
  while (succeeded(parser.parseOptionalComma())) {
    bool isReplicated = succeeded(parser.parseOptionalKeyword("replicated"));
    if (!isReplicated && parser.parseKeyword("unreduced", " or `replicated`"))
      return {};
    if (parser.parseEqual())
      return {};
    for (ReductionOp known : {ReductionOp::SUM, ReductionOp::MAX, ReductionOp::MIN})
      if (!isReplicated && succeeded(parser.parseOptionalKeyword(stringifyReductionOp(known))))
        kind = known;
    if (parseAxes(parser, isReplicated ? replicated : unreduced))
      return {};
  }
  if (unreduced.empty())
    kind = ReductionOp::SUM; // which has no text then
  return parser.parseGreater() ? Attribute() : get(parser.getContext(), mesh, dimensions, replicated, unreduced, kind);
}

void TensorShardingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (auto mesh = llvm::dyn_cast<MeshAttr>(getMeshOrRef())) {
    printer << "mesh";
    mesh.print(printer);
  } else {
    printer << getMeshOrRef();
  }
  printer << ", [";
  llvm::interleaveComma(getDimShardings(), printer,
                        [&](DimensionShardingAttr dimension) { printDimension(printer, dimension); });
  printer << ']';
  if (!getReplicatedAxes().empty()) {
    printer << ", replicated=";
    printAxes(printer, getReplicatedAxes());
  }
  if (!getUnreducedAxes().empty()) {
    printer << ", unreduced=";
    if (getReductionOp() != ReductionOp::SUM)
      printer << stringifyReductionOp(getReductionOp());
    printAxes(printer, getUnreducedAxes());
  }
  printer << '>';
}

/// `[<@mesh, [..]>, <..>]`
static TensorShardingPerValueAttr parseShardings(AsmParser &parser) {
  SmallVector<TensorShardingAttr> shardings;
  if (parseList<TensorShardingAttr>(parser, AsmParser::Delimiter::Square, shardings, [&] {
        return llvm::dyn_cast_or_null<TensorShardingAttr>(TensorShardingAttr::parse(parser, {}));
      }))
    return {};
  return TensorShardingPerValueAttr::get(parser.getContext(), shardings);
}

static void printShardings(AsmPrinter &printer, TensorShardingPerValueAttr shardings) {
  printer << '[';
  llvm::interleaveComma(shardings.getShardings(), printer,
                        [&](TensorShardingAttr sharding) { sharding.print(printer); });
  printer << ']';
}

Attribute TensorShardingPerValueAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  TensorShardingPerValueAttr shardings = parseShardings(parser);
  return !shardings || parser.parseGreater() ? Attribute() : shardings;
}
void TensorShardingPerValueAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printShardings(printer, *this);
  printer << '>';
}

Attribute ManualAxesAttr::parse(AsmParser &parser, Type) {
  SmallVector<mlir::StringAttr> axes;
  auto parseOne = [&]() -> ParseResult {
    std::string name;
    if (parser.parseString(&name))
      return failure();
    axes.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parseOne))
    return {};
  return get(parser.getContext(), axes);
}
void ManualAxesAttr::print(AsmPrinter &printer) const {
  printer << '{';
  llvm::interleaveComma(getAxes(), printer);
  printer << '}';
}

namespace {
/// Reads a sharding rule and writes it again with canonical spacing.
class RuleText {
public:
  RuleText(AsmParser &parser) : parser_(parser), os_(text) {}

  ParseResult parse() {
    if (parser_.parseLess() || tensors() || parser_.parseArrow())
      return failure();
    os_ << "->";
    if (tensors() || sizes())
      return failure();
    bool first = true;
    while (failed(parser_.parseOptionalGreater())) {
      if (succeeded(parser_.parseOptionalComma())) {
        os_ << ", ";
        first = false;
      } else if (first) {
        os_ << ' ';
      }
      if (clause())
        return failure();
    }
    return success();
  }

  std::string text;

private:
  using Delimiter = AsmParser::Delimiter;

  ParseResult list(Delimiter delimiter, llvm::function_ref<ParseResult()> item) {
    bool first = true;
    return parser_.parseCommaSeparatedList(delimiter, [&]() -> ParseResult {
      os_ << (first ? "" : ", ");
      first = false;
      return item();
    });
  }

  ParseResult word() {
    llvm::StringRef name;
    if (parser_.parseKeyword(&name))
      return failure();
    os_ << name;
    return success();
  }

  /// `([i, jk], [])`
  ParseResult tensors() {
    os_ << '(';
    auto tensor = [&]() -> ParseResult {
      os_ << '[';
      if (list(Delimiter::Square, [&] { return word(); }))
        return failure();
      os_ << ']';
      return success();
    };
    if (list(Delimiter::Paren, tensor))
      return failure();
    os_ << ')';
    return success();
  }

  /// ` {i=4, j=8}`, which a rule about scalars does not have
  ParseResult sizes() {
    if (failed(parser_.parseOptionalLBrace()))
      return success();
    os_ << " {";
    auto size = [&]() -> ParseResult {
      int64_t value;
      if (word() || parser_.parseEqual() || parser_.parseInteger(value))
        return failure();
      os_ << '=' << value;
      return success();
    };
    if (list(Delimiter::None, size) || parser_.parseRBrace())
      return failure();
    os_ << '}';
    return success();
  }

  /// `custom` or `reduction={i, j}`
  ParseResult clause() {
    if (word())
      return failure();
    if (failed(parser_.parseOptionalEqual()))
      return success();
    os_ << "={";
    if (list(Delimiter::Braces, [&] { return word(); }))
      return failure();
    os_ << '}';
    return success();
  }

  AsmParser &parser_;
  llvm::raw_string_ostream os_;
};
} // namespace

Attribute OpShardingRuleAttr::parse(AsmParser &parser, Type) {
  RuleText rule(parser);
  return rule.parse() ? Attribute() : get(parser.getContext(), rule.text);
}
void OpShardingRuleAttr::print(AsmPrinter &printer) const { printer << '<' << getText() << '>'; }

MeshAttr meshOf(mlir::Operation *op, TensorShardingAttr sharding) {
  auto symbol = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(sharding.getMeshOrRef());
  if (!symbol)
    return llvm::dyn_cast<MeshAttr>(sharding.getMeshOrRef());
  auto mesh = mlir::SymbolTable::lookupNearestSymbolFrom<MeshOp>(op, symbol);
  return mesh ? mesh.getMesh() : MeshAttr();
}

//===- Ops -------------------------------------------------------------------------------------------------------===//

llvm::LogicalResult ConstantOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location>, Adaptor op,
                                                 llvm::SmallVectorImpl<Type> &types) {
  types.push_back(op.getValue().getType());
  return success();
}

/// `in_shardings=[...] out_shardings=[...]`, each of which may be absent where `optional`.
static ParseResult parseInOut(OpAsmParser &parser, mlir::OperationState &result, bool optional) {
  for (llvm::StringRef name : {"in_shardings", "out_shardings"}) {
    if (failed(parser.parseOptionalKeyword(name))) {
      if (optional)
        continue;
      return parser.emitError(parser.getCurrentLocation()) << "expected `" << name << "`";
    }
    if (parser.parseEqual())
      return failure();
    TensorShardingPerValueAttr shardings = parseShardings(parser);
    if (!shardings)
      return failure();
    result.addAttribute(name, shardings);
  }
  return success();
}

/// `(%arg: type, ...) { ... } attributes : signature`
static ParseResult parseBody(OpAsmParser &parser, llvm::SMLoc loc,
                             llvm::ArrayRef<OpAsmParser::UnresolvedOperand> operands, mlir::OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  mlir::FunctionType signature;
  if (parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseRegion(*result.addRegion(), arguments) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(signature) || parser.resolveOperands(operands, signature.getInputs(), loc, result.operands))
    return failure();
  result.addTypes(signature.getResults());
  return success();
}

static void printBody(OpAsmPrinter &printer, mlir::Operation *op, llvm::ArrayRef<llvm::StringRef> elided) {
  mlir::Region &body = op->getRegion(0);
  printer << " (";
  llvm::interleaveComma(body.getArguments(), printer,
                        [&](mlir::BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict(op->getAttrs(), elided);
  printer << " : ";
  printer.printFunctionalType(op);
}

// Verifies the types that the body takes and gives against the types outside.
static LogicalResult verifyBody(mlir::Operation *op,
                                llvm::function_ref<bool(mlir::TypeRange outer, mlir::TypeRange inner)> fits) {
  mlir::Block &body = op->getRegion(0).front();
  if (!body.mightHaveTerminator())
    return op->emitOpError() << "body must end with a return";
  mlir::TypeRange arguments = body.getArgumentTypes(), results = body.getTerminator()->getOperandTypes();
  if (!fits(op->getOperandTypes(), arguments))
    return op->emitOpError() << "body takes " << arguments << ", but the operands are " << op->getOperandTypes();
  if (!fits(op->getResultTypes(), results))
    return op->emitOpError() << "body gives " << results << ", but the results are " << op->getResultTypes();
  return success();
}

LogicalResult NamedComputationOp::verify() {
  return verifyBody(*this, [](mlir::TypeRange outer, mlir::TypeRange inner) { return outer == inner; });
}

// Parts are of the arrays' ranks and elements; their sizes depend on the mesh (verifySymbolUses).
LogicalResult ManualComputationOp::verify() {
  auto isShard = [](Type outer, Type inner) {
    auto array = llvm::dyn_cast<mlir::RankedTensorType>(outer), shard = llvm::dyn_cast<mlir::RankedTensorType>(inner);
    return outer == inner ||
           (array && shard && array.getRank() == shard.getRank() && array.getElementType() == shard.getElementType());
  };
  return verifyBody(*this, [&](mlir::TypeRange outer, mlir::TypeRange inner) {
    return outer.size() == inner.size() && llvm::all_of(llvm::zip_equal(outer, inner), [&](auto pair) {
             return isShard(std::get<0>(pair), std::get<1>(pair));
           });
  });
}

ParseResult ManualComputationOp::parse(OpAsmParser &parser, mlir::OperationState &result) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  if (parser.parseOperandList(operands, AsmParser::Delimiter::Paren) ||
      parseInOut(parser, result, /*optional=*/false) || parser.parseKeyword("manual_axes") || parser.parseEqual())
    return failure();
  Attribute axes = ManualAxesAttr::parse(parser, {});
  if (!axes)
    return failure();
  result.addAttribute("manual_axes", axes);
  return parseBody(parser, loc, operands, result);
}

void ManualComputationOp::print(OpAsmPrinter &printer) {
  printer << '(' << getTensors() << ") in_shardings=";
  printShardings(printer, getInShardings());
  printer << " out_shardings=";
  printShardings(printer, getOutShardings());
  printer << " manual_axes=";
  getManualAxes().print(printer);
  printBody(printer, getOperation(), {"in_shardings", "out_shardings", "manual_axes"});
}

ParseResult NamedComputationOp::parse(OpAsmParser &parser, mlir::OperationState &result) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  mlir::StringAttr name;
  if (parser.parseLess() || parser.parseAttribute(name, "name", result.attributes) || parser.parseGreater() ||
      parser.parseOperandList(operands, AsmParser::Delimiter::Paren) || parseInOut(parser, result, /*optional=*/true))
    return failure();
  return parseBody(parser, loc, operands, result);
}

void NamedComputationOp::print(OpAsmPrinter &printer) {
  printer << '<' << getNameAttr() << ">(" << getOperands() << ')';
  if (getInShardings()) {
    printer << " in_shardings=";
    printShardings(printer, *getInShardings());
  }
  if (getOutShardings()) {
    printer << " out_shardings=";
    printShardings(printer, *getOutShardings());
  }
  printBody(printer, getOperation(), {"name", "in_shardings", "out_shardings"});
}

} // namespace tenon::sdy
