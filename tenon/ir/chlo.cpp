#include "tenon/ir/chlo_infer.h"
#include "tenon/ir/inliner.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include "tenon/ops/chlo_dialect.cpp.inc"
#include "tenon/ops/chlo_enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tenon/ops/chlo_attributes.cpp.inc"

namespace tenon::chlo {

using llvm::failed;
using llvm::failure;
using llvm::FailureOr;
using llvm::LogicalResult;
using llvm::SmallVector;
using llvm::succeeded;
using llvm::success;
using mlir::OpAsmParser;
using mlir::ParseResult;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::Type;

void ChloDialect::initialize() {
  registerChloDialectOperations(this);
  registerAttributes();
  addInterfaces<ir::InlineAnywhere>();
}

void ChloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tenon/ops/chlo_attributes.cpp.inc"
      >();
}

mlir::Operation *ChloDialect::materializeConstant(mlir::OpBuilder &builder, mlir::Attribute value, Type type,
                                                  mlir::Location loc) {
  auto elements = llvm::dyn_cast<mlir::ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

//===- Attributes ------------------------------------------------------------------------------------------------===//

mlir::Attribute RaggedDotDimensionNumbersAttr::parse(mlir::AsmParser &parser, Type) {
  constexpr llvm::StringLiteral names[] = {"lhs_batching_dimensions",    "rhs_batching_dimensions",
                                           "lhs_contracting_dimensions", "rhs_contracting_dimensions",
                                           "lhs_ragged_dimensions",      "rhs_group_dimensions"};
  SmallVector<int64_t> lists[6];
  auto parseField = [&]() -> ParseResult {
    for (auto [name, list] : llvm::zip_equal(names, lists)) {
      if (failed(parser.parseOptionalKeyword(name)))
        continue;
      if (parser.parseEqual())
        return failure();
      auto dimensions = ir::parseDimensions(parser);
      if (succeeded(dimensions))
        list = *dimensions;
      return ParseResult(dimensions);
    }
    return parser.emitError(parser.getCurrentLocation(), "unknown field of ragged dot dimension numbers");
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::LessGreater, parseField))
    return {};
  return get(parser.getContext(), lists[0], lists[1], lists[2], lists[3], lists[4], lists[5]);
}

void RaggedDotDimensionNumbersAttr::print(mlir::AsmPrinter &printer) const {
  llvm::StringRef separator = "";
  auto field = [&](llvm::StringRef name, llvm::ArrayRef<int64_t> dimensions) {
    if (dimensions.empty())
      return;
    printer << separator << name << " = ";
    ir::printDimensions(printer, dimensions);
    separator = ", ";
  };
  printer << '<';
  field("lhs_batching_dimensions", getLhsBatchingDimensions());
  field("rhs_batching_dimensions", getRhsBatchingDimensions());
  field("lhs_contracting_dimensions", getLhsContractingDimensions());
  field("rhs_contracting_dimensions", getRhsContractingDimensions());
  field("lhs_ragged_dimensions", getLhsRaggedDimensions());
  field("rhs_group_dimensions", getRhsGroupDimensions());
  printer << '>';
}

//===- Result types ----------------------------------------------------------------------------------------------===//

LogicalResult inferSameType(std::optional<mlir::Location> location, mlir::ValueRange operands,
                            llvm::SmallVectorImpl<Type> &types) {
  for (Type type : operands.getTypes())
    if (!ir::areCompatibleTensors(operands.front().getType(), type))
      return mlir::emitOptionalError(location, "operands must have the same type: ", operands.getTypes());
  types.push_back(operands.front().getType());
  return success();
}

TENON_INFER(ConstantOp) {
  types.push_back(op.getValue().getType());
  return success();
}

TENON_INFER(ConstantLikeOp) {
  types.push_back(llvm::cast<ShapedType>(op.getOperand().getType()).clone(op.getValue().getType()));
  return success();
}

/// The common shape of operands that broadcast; the lower ranks' dimensions are trailing unless given, in order.
static FailureOr<SmallVector<int64_t>> broadcastShape(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b,
                                                      std::optional<llvm::ArrayRef<int64_t>> dimensions) {
  if (a.size() < b.size())
    std::swap(a, b);
  SmallVector<int64_t> trailing = llvm::to_vector(llvm::seq<int64_t>(a.size() - b.size(), a.size()));
  llvm::ArrayRef<int64_t> map = dimensions ? *dimensions : llvm::ArrayRef<int64_t>(trailing);
  SmallVector<int64_t> shape(a);
  bool ascends = std::adjacent_find(map.begin(), map.end(), std::greater_equal<>()) == map.end();
  if (map.size() != b.size() || !ascends)
    return failure();
  for (auto [size, target] : llvm::zip_equal(b, map)) {
    if (target < 0 || target >= static_cast<int64_t>(shape.size()))
      return failure();
    int64_t &result = shape[target];
    // A dynamic size may turn out to be one, so beside a static size other than one it is that size.
    if (result == 1 || (ShapedType::isDynamic(result) && size != 1))
      result = size;
    else if (size != 1 && size != result && !ShapedType::isDynamic(size))
      return failure();
  }
  return shape;
}

static LogicalResult inferBroadcast(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                    std::optional<llvm::ArrayRef<int64_t>> dimensions, Type element,
                                    llvm::SmallVectorImpl<Type> &types) {
  // A predicate before them is of another type.
  mlir::ValueRange alike = operands.take_back(2);
  if (!ir::compatibleElements(mlir::getElementTypeOrSelf(alike[0]), mlir::getElementTypeOrSelf(alike[1])))
    return mlir::emitOptionalError(location, "operands must have the same element type: ", alike.getTypes());
  SmallVector<int64_t> shape;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    auto type = llvm::dyn_cast<RankedTensorType>(operand.getType());
    if (!type) {
      types.push_back(mlir::UnrankedTensorType::get(element));
      return success();
    }
    auto next = i == 0 ? FailureOr<SmallVector<int64_t>>(SmallVector<int64_t>(type.getShape()))
                       : broadcastShape(shape, type.getShape(), dimensions);
    if (failed(next))
      return mlir::emitOptionalError(location, "shapes of the operands do not broadcast: ", operands.getTypes());
    shape = *next;
  }
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

// The plain ops refuse the same elements.
static bool isAny(Type) { return true; }
static bool isFloatLike(Type type) { return ir::isFloat(type) || ir::isComplex(type); }
static bool isInt(Type type) { return ir::isSignedInt(type) || ir::isUnsignedInt(type); }
static bool isBoolOrInt(Type type) { return ir::isBool(type) || isInt(type); }
static bool isNumber(Type type) { return !ir::isBool(type); }

#define TENON_BROADCASTING(Op, accepts)                                                                                \
  TENON_INFER(Op) {                                                                                                    \
    Type element = mlir::getElementTypeOrSelf(op.getLhs());                                                            \
    if (!accepts(element))                                                                                             \
      return mlir::emitOptionalError(location, "is not defined for elements of type ", element);                       \
    return inferBroadcast(location, op.getOperands(), op.getBroadcastDimensions(), element, types);                    \
  }
TENON_BROADCASTING(BroadcastAddOp, isAny)
TENON_BROADCASTING(BroadcastAndOp, isBoolOrInt)
TENON_BROADCASTING(BroadcastAtan2Op, isFloatLike)
TENON_BROADCASTING(BroadcastDivideOp, isNumber)
TENON_BROADCASTING(BroadcastMaximumOp, isAny)
TENON_BROADCASTING(BroadcastMinimumOp, isAny)
TENON_BROADCASTING(BroadcastMultiplyOp, isAny)
TENON_BROADCASTING(BroadcastNextAfterOp, ir::isFloat)
TENON_BROADCASTING(BroadcastOrOp, isBoolOrInt)
TENON_BROADCASTING(BroadcastPolygammaOp, ir::isFloat)
TENON_BROADCASTING(BroadcastPowerOp, isNumber)
TENON_BROADCASTING(BroadcastRemainderOp, isNumber)
TENON_BROADCASTING(BroadcastShiftLeftOp, isInt)
TENON_BROADCASTING(BroadcastShiftRightArithmeticOp, isInt)
TENON_BROADCASTING(BroadcastShiftRightLogicalOp, isInt)
TENON_BROADCASTING(BroadcastSubtractOp, isNumber)
TENON_BROADCASTING(BroadcastXorOp, isBoolOrInt)
TENON_BROADCASTING(BroadcastZetaOp, ir::isFloat)

TENON_INFER(BroadcastCompareOp) {
  return inferBroadcast(location, op.getOperands(), op.getBroadcastDimensions(), mlir::IntegerType::get(context, 1),
                        types);
}
TENON_INFER(BroadcastComplexOp) {
  if (!ir::isFloat32Or64(mlir::getElementTypeOrSelf(op.getLhs())))
    return mlir::emitOptionalError(location, "operands must hold f32 or f64, got ", op.getLhs().getType());
  return inferBroadcast(location, op.getOperands(), op.getBroadcastDimensions(),
                        mlir::ComplexType::get(mlir::getElementTypeOrSelf(op.getLhs())), types);
}
TENON_INFER(BroadcastSelectOp) {
  if (!ir::isBool(mlir::getElementTypeOrSelf(op.getPred())))
    return mlir::emitOptionalError(location, "pred must hold i1, got ", op.getPred().getType());
  return inferBroadcast(location, op.getOperands(), std::nullopt, mlir::getElementTypeOrSelf(op.getOnTrue()), types);
}

TENON_INFER(TopKOp) {
  auto type = llvm::cast<RankedTensorType>(op.getOperand().getType());
  if (type.getRank() == 0)
    return mlir::emitOptionalError(location, "operand's rank must be at least 1");
  SmallVector<int64_t> shape(type.getShape());
  if (static_cast<int64_t>(op.getK()) < 0 ||
      (!ShapedType::isDynamic(shape.back()) && static_cast<int64_t>(op.getK()) > shape.back()))
    return mlir::emitOptionalError(location, "operand's last dimension must be at least ", op.getK());
  shape.back() = op.getK();
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  types.push_back(RankedTensorType::get(shape, mlir::IntegerType::get(context, 32)));
  return success();
}

//===- Verification ----------------------------------------------------------------------------------------------===//

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValueAttr(); }

LogicalResult ConstantOp::verify() {
  return getValue().getType() == getType()
             ? LogicalResult(success())
             : emitOpError() << "value has type " << getValue().getType() << " but result has type " << getType();
}

LogicalResult ConstantLikeOp::verify() {
  Type element = mlir::getElementTypeOrSelf(getType());
  if (getValue().getType() != element)
    return emitOpError() << "value's type " << getValue().getType() << " doesn't match element return type " << element;
  // MLIR's parser lets the sign stand.
  auto number = llvm::dyn_cast<mlir::FloatAttr>(getValue());
  if (number && number.getValue().isNegative() &&
      !llvm::APFloat::semanticsHasSignedRepr(number.getValue().getSemantics()))
    return emitOpError() << "value is negative, which " << element << " cannot be";
  return success();
}

// Like the generated function, except for the attribute that older readers do not expect.
LogicalResult TopKOp::readProperties(mlir::DialectBytecodeReader &reader, mlir::OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  return LogicalResult(success(succeeded(reader.readOptionalAttribute(properties.is_stable)) &&
                               succeeded(reader.readAttribute(properties.k))));
}

void TopKOp::writeProperties(mlir::DialectBytecodeWriter &writer) {
  llvm::FailureOr<const mlir::DialectVersion *> version = writer.getDialectVersion<ChloDialect>();
  if (failed(version) || static_cast<const ChloVersion *>(*version)->hasStability)
    writer.writeOptionalAttribute(getProperties().is_stable);
  writer.writeAttribute(getProperties().k);
}

//===- scan ------------------------------------------------------------------------------------------------------===//
//
// `chlo.scan(%inputs) inits (%inits) dimension=0 attributes {...} { body } : signature`

ParseResult ScanOp::parse(OpAsmParser &parser, mlir::OperationState &result) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  int64_t dimension;
  mlir::FunctionType signature;
  if (parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("inits") ||
      parser.parseOperandList(inits, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("dimension") ||
      parser.parseEqual() || parser.parseInteger(dimension) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseRegion(*result.addRegion()) ||
      parser.parseColonType(signature))
    return failure();
  int32_t carries = inits.size();
  int32_t outputs = static_cast<int32_t>(signature.getNumResults()) - carries;
  if (signature.getNumInputs() != inputs.size() + inits.size() || outputs < 0)
    return parser.emitError(loc, "signature does not fit the number of inputs and inits");
  llvm::append_range(inputs, inits);
  if (parser.resolveOperands(inputs, signature.getInputs(), loc, result.operands))
    return failure();
  result.addTypes(signature.getResults());
  mlir::Builder &builder = parser.getBuilder();
  result.addAttribute("dimension", builder.getI64IntegerAttr(dimension));
  result.addAttribute("operandSegmentSizes",
                      builder.getDenseI32ArrayAttr({static_cast<int32_t>(inputs.size()) - carries, carries}));
  result.addAttribute("resultSegmentSizes", builder.getDenseI32ArrayAttr({outputs, carries}));
  return success();
}

void ScanOp::print(mlir::OpAsmPrinter &printer) {
  printer << '(' << getInputs() << ") inits (" << getInits() << ") dimension=" << getDimension() << ' ';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {"dimension", "operandSegmentSizes", "resultSegmentSizes"});
  printer << ' ';
  printer.printRegion(getBody());
  printer << " : ";
  printer.printFunctionalType(getOperation());
}

void ScanOp::getAsmBlockArgumentNames(mlir::Region &region, mlir::OpAsmSetValueNameFn setName) {
  for (mlir::BlockArgument argument : region.getArguments())
    setName(argument, argument.getArgNumber() < getInputs().size() ? "input" : "carry");
}

} // namespace tenon::chlo
