#include "tenon/ir/tenon.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

#include "tenon/ops/tenon_dialect.cpp.inc"
#include "tenon/ops/tenon_enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tenon/ops/tenon_attributes.cpp.inc"

#define GET_OP_CLASSES
#include "tenon/ops/tenon_ops.cpp.inc"

namespace tenon::ir {

using llvm::failure;
using llvm::SmallVector;
using llvm::success;
using mlir::OpAsmParser;
using mlir::ParseResult;

namespace {
/// Fusions may stand wherever their operands do; nothing is inlined into them.
struct Inliner : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(mlir::Operation *, mlir::Region *, bool, mlir::IRMapping &) const final { return true; }
};
} // namespace

void TenonDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tenon/ops/tenon_attributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tenon/ops/tenon_ops.cpp.inc"
      >();
  addInterfaces<Inliner>();
}

//===- fusion ----------------------------------------------------------------------------------------------------===//

void FusionOp::build(mlir::OpBuilder &builder, mlir::OperationState &state, mlir::TypeRange results,
                     mlir::ValueRange inputs, FusionKind kind) {
  state.addOperands(inputs);
  state.addTypes(results);
  state.getOrAddProperties<Properties>().kind = FusionKindAttr::get(builder.getContext(), kind);
  mlir::Block &block = state.addRegion()->emplaceBlock();
  for (mlir::Value input : inputs)
    block.addArgument(input.getType(), input.getLoc());
}

llvm::LogicalResult FusionOp::verify() {
  mlir::Block &block = getBlock();
  if (block.getArgumentTypes() != getInputs().getTypes())
    return emitOpError() << "body's argument types " << block.getArgumentTypes() << " differ from the inputs' "
                         << getInputs().getTypes();
  auto yield = llvm::dyn_cast<YieldOp>(getYield());
  if (!yield)
    return emitOpError() << "body must end in tenon.yield";
  if (yield.getOperandTypes() != getResultTypes())
    return emitOpError() << "yields types " << yield.getOperandTypes() << " but has result types " << getResultTypes();
  return success();
}

void FusionOp::getAsmBlockArgumentNames(mlir::Region &region, mlir::OpAsmSetValueNameFn setName) {
  for (mlir::BlockArgument argument : region.getArguments())
    setName(argument, "in");
}

// `tenon.fusion loop(%x = %a, %y = %b) attributes {...} : (types) -> (types) { body }`

ParseResult FusionOp::parse(OpAsmParser &parser, mlir::OperationState &result) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<FusionKind> kind = symbolizeFusionKind(word);
  if (!kind)
    return parser.emitError(loc, "unknown kind of fusion: ") << word;
  result.getOrAddProperties<Properties>().kind = FusionKindAttr::get(parser.getContext(), *kind);

  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  auto parsePair = [&]() -> ParseResult {
    return success(succeeded(parser.parseArgument(arguments.emplace_back())) && succeeded(parser.parseEqual()) &&
                   succeeded(parser.parseOperand(operands.emplace_back())));
  };
  mlir::FunctionType signature;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parsePair) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseColonType(signature) ||
      parser.resolveOperands(operands, signature.getInputs(), loc, result.operands))
    return failure();
  for (auto [argument, type] : llvm::zip_equal(arguments, signature.getInputs()))
    argument.type = type;
  result.addTypes(signature.getResults());
  return parser.parseRegion(*result.addRegion(), arguments);
}

void FusionOp::print(mlir::OpAsmPrinter &printer) {
  printer << ' ' << stringifyFusionKind(getKind()) << '(';
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getInputs()), printer,
                        [&](auto pair) { printer << std::get<0>(pair) << " = " << std::get<1>(pair); });
  printer << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"kind"});
  printer << " : ";
  printer.printFunctionalType(getOperation());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

} // namespace tenon::ir
