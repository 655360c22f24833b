// Emits elementwise ops.
#include "tenon/codegen/llvm/element/kind.h"
#include "tenon/codegen/llvm/math/math.h"

#include "mlir/IR/BuiltinTypes.h"
#include "tenon/ir/traits.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tenon::codegen {

static mlir::Type elementTypeOf(mlir::Value value) { return mlir::getElementTypeOrSelf(value.getType()); }

// The function that computes the op, or null if its types or the op are not supported.
static ElementFunction supportedFunction(mlir::Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 || op->getNumOperands() == 0)
    return nullptr;
  for (mlir::Type type : concat<const mlir::Type>(op->getOperandTypes(), op->getResultTypes())) {
    auto shaped = dyn_cast<mlir::ShapedType>(type);
    if (!shaped || !isElementTypeSupported(shaped.getElementType()))
      return nullptr;
  }
  return elementFunction(op);
}

bool isElementwiseSupported(mlir::Operation *op) { return supportedFunction(op) != nullptr; }

// So many of one elementary function are computed in place in a block. Of more, each is a call: what is inlined takes
// milliseconds apiece to compile, and hundreds do not stay in the cache of instructions.
constexpr unsigned kMostInPlace = 16;

static bool isCalled(mlir::Operation *op) {
  std::optional<ir::ElementCost> cost = ir::elementCost(op->getName());
  if (!cost || *cost < ir::ElementCost::kExponential || !isFloatType(elementTypeOf(op->getOperand(0))))
    return false;
  unsigned count = 0;
  for (mlir::Operation &other : *op->getBlock())
    if (other.getName() == op->getName() && ++count > kMostInPlace)
      return true;
  return false;
}

// Computes the op by a call of the module's function for it and its types.
static Element callFunction(const ElementSite &at, ElementFunction function, ArrayRef<Element> operands) {
  std::string name;
  raw_string_ostream(name) << at.op->getName() << '.' << at.type << (isLogPlusOneOfUnit(at.op) ? ".unit" : "");
  SmallVector<Value *> arguments;
  for (const Element &operand : operands)
    arguments.push_back(operand.re);
  auto body = [&](IRBuilderBase &builder, ArrayRef<Value *> parameters) {
    SmallVector<Element> elements;
    for (Value *parameter : parameters)
      elements.push_back({parameter});
    return function({builder, at.type, at.op, at.lanes}, elements).re;
  };
  Type *type = valueType(at.builder.getContext(), elementTypeOf(at.op->getResult(0)), at.lanes);
  return {math::callShared(at.builder, name, arguments, type, body)};
}

FailureOr<Element> emitElementwise(IRBuilderBase &builder, mlir::Operation *op, ArrayRef<Element> operands,
                                   unsigned lanes) {
  ElementFunction function = supportedFunction(op);
  if (!function)
    return op->emitError("this operation has no elementwise code for its element type");
  ElementSite site{builder, elementTypeOf(op->getOperand(0)), op, lanes};
  // A constant operand may have a shorter formula.
  bool hasConstant = any_of(operands, [](const Element &operand) { return isa<Constant>(operand.re); });
  return !hasConstant && isCalled(op) ? callFunction(site, function, operands) : function(site, operands);
}

Element emitSinesAndCosines(IRBuilderBase &builder, Element x, ArrayRef<bool> isCosine) {
  SmallVector<Constant *> lanes = map_to_vector(isCosine, [&](bool is) -> Constant * { return builder.getInt1(is); });
  return {math::sinOrCos({&builder, x.re}, {&builder, ConstantVector::get(lanes)}).v};
}

} // namespace tenon::codegen
