// Emits elementwise ops and scalar regions made of them.
#include "tenon/codegen/llvm/element/kind.h"
#include "tenon/codegen/llvm/math/math.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "tenon/ir/traits.h"
#include "llvm/ADT/DenseMap.h"
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

// Whether the op gives its operand unchanged, which is a single element.
static bool isScalarIdentity(mlir::Operation *op) {
  auto isScalar = [](mlir::Type type) {
    auto shaped = dyn_cast<mlir::ShapedType>(type);
    return shaped && shaped.hasStaticShape() && shaped.getNumElements() == 1;
  };
  return op->hasTrait<ir::Reindexes>() && isScalar(op->getOperand(0).getType()) && isScalar(op->getResult(0).getType());
}

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
  raw_string_ostream(name) << at.op->getName() << '.' << at.type;
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
  if (isScalarIdentity(op))
    return operands.front();
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

// --- Regions ---

bool isScalarRegionSupported(mlir::Region &region) {
  if (!region.hasOneBlock())
    return false;
  for (mlir::BlockArgument argument : region.getArguments())
    if (!isElementTypeSupported(elementTypeOf(argument)))
      return false;
  for (mlir::Operation &op : region.front().without_terminator()) {
    mlir::DenseElementsAttr constant;
    bool isConstant = mlir::matchPattern(&op, mlir::m_Constant(&constant)) && constant.isSplat() &&
                      isElementTypeSupported(constant.getElementType());
    if (!isConstant && !isScalarIdentity(&op) && !isElementwiseSupported(&op))
      return false;
  }
  return true;
}

FailureOr<SmallVector<Element>> emitScalarRegion(IRBuilderBase &builder, mlir::Region &region,
                                                 ArrayRef<Element> arguments, unsigned lanes) {
  DenseMap<mlir::Value, Element> values;
  for (auto [argument, element] : zip_equal(region.getArguments(), arguments))
    values[argument] = element;
  for (mlir::Operation &op : region.front()) {
    if (mlir::matchPattern(&op, mlir::m_Constant()))
      continue; // emitted at their uses
    SmallVector<Element> operands;
    for (mlir::Value operand : op.getOperands()) {
      mlir::DenseElementsAttr constant;
      if (auto found = values.find(operand); found != values.end())
        operands.push_back(found->second);
      else if (mlir::matchPattern(operand, mlir::m_Constant(&constant)) && constant.isSplat())
        operands.push_back(constantElement(builder.getContext(), constant, 0, lanes));
      else
        return op.emitError("the region uses a value from outside that is not available to its code");
    }
    if (op.hasTrait<mlir::OpTrait::IsTerminator>())
      return operands;
    FailureOr<Element> result = emitElementwise(builder, &op, operands, lanes);
    if (failed(result))
      return failure();
    values[op.getResult(0)] = *result;
  }
  return failure();
}

} // namespace tenon::codegen
