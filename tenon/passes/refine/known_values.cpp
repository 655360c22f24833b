// Arguments whose elements are sizes of the program.
//
// A program may be given the size of a dimension as an argument (JAX's shape polymorphism does so). Where its elements
// are known, and a shape cannot be made static without them, the program is compiled for them: refinement finds a
// constant in the argument's place. The argument stays, and a run that brings other elements ends with an error.

#include "tenon/passes/refine/known_values.h"

#include "tenon/ir/tenon.h"
#include "tenon/ir/types.h"
#include "tenon/passes/passes.h"
#include "tenon/passes/refine/refiner.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace refine {
namespace {

bool hasUnboundedDimension(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  ArrayRef<int64_t> bounds = ir::dimensionBounds(tensor);
  return llvm::any_of(llvm::seq(tensor.getRank()), [&](int64_t d) {
    return tensor.isDynamicDim(d) && (bounds.empty() || ShapedType::isDynamic(bounds[d]));
  });
}

// The operands that a rule has to find constants in, or give up.
SmallVector<Value> sizeOperands(Operation *op) {
  if (auto call = dyn_cast<sh::CustomCallOp>(op)) {
    StringRef target = call.getCallTargetName();
    if (target == "stablehlo.dynamic_top_k" && call->getNumOperands() == 2)
      return {call.getOperand(1)};
    if (target == "stablehlo.dynamic_reduce_window" && call->getNumOperands() >= 5)
      return llvm::to_vector(call->getOperands().take_back(5));
    bool takesShapes = target == "stablehlo.dynamic_rng_bit_generator" || call->hasAttr("indices_of_shape_operands");
    return takesShapes && llvm::any_of(op->getResultTypes(), hasUnboundedDimension) ? llvm::to_vector(op->getOperands())
                                                                                    : SmallVector<Value>();
  }
  if (auto gather = dyn_cast<sh::DynamicGatherOp>(op))
    return {gather.getSliceSizes()};
  if (auto convolution = dyn_cast<sh::DynamicConvOp>(op))
    return {convolution.getPadding()};
  if (op->getNumResults() != 1 || !hasUnboundedDimension(op->getResult(0).getType()))
    return {};
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([](sh::RngOp rng) { return SmallVector<Value>{rng.getShape()}; })
      .Case([](sh::DynamicIotaOp iota) { return SmallVector<Value>{iota.getOutputShape()}; })
      .Case([](sh::DynamicReshapeOp reshape) { return SmallVector<Value>{reshape.getOutputShape()}; })
      .Case([](sh::DynamicBroadcastInDimOp broadcast) { return SmallVector<Value>{broadcast.getOutputDimensions()}; })
      .Case([](sh::SetDimensionSizeOp set) { return SmallVector<Value>{set.getSize()}; })
      .Case([](sh::RealDynamicSliceOp slice) {
        return SmallVector<Value>{slice.getStartIndices(), slice.getLimitIndices(), slice.getStrides()};
      })
      .Case([](sh::DynamicPadOp pad) {
        return SmallVector<Value>{pad.getEdgePaddingLow(), pad.getEdgePaddingHigh(), pad.getInteriorPadding()};
      })
      .Default(SmallVector<Value>());
}

// Collects the values that a value is computed from: all operands of its op, and of ops around it or inside. A
// dimension's size follows from a shape, not from elements.
class Sources {
public:
  void add(Value value) {
    if (all_.insert(value).second)
      open_.push_back(value);
  }

  const llvm::DenseSet<Value> &close() {
    while (!open_.empty()) {
      Value value = open_.pop_back_val();
      if (Operation *op = value.getDefiningOp())
        addOperands(op);
      else if (Operation *around = value.getParentBlock()->getParentOp(); !isa<func::FuncOp>(around))
        addOperands(around);
    }
    return all_;
  }

private:
  void addOperands(Operation *op) {
    if (isa<sh::GetDimensionSizeOp>(op))
      return;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        add(operand);
    });
  }

  llvm::DenseSet<Value> all_;
  SmallVector<Value> open_;
};

} // namespace

void fixNeededValues(func::FuncOp main) {
  SmallVector<unsigned> needed = argumentsThatDecideSizes(main);
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    Attribute known = main.removeArgAttr(i, ir::kKnownValueAttribute);
    if (known && llvm::is_contained(needed, i))
      main.setArgAttr(i, ir::kValueAttribute, known);
  }
}

FailureOr<Value> fixValue(Refiner &refiner, func::FuncOp main, unsigned argument, Value value) {
  auto elements = main.getArgAttrOfType<DenseI64ArrayAttr>(argument, ir::kValueAttribute);
  if (!elements)
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getNumElements() != elements.size())
    return main.emitError() << "argument " << argument << " has type " << type << ", but is given " << elements.size()
                            << " elements";
  Emitter &emit = refiner.emit;
  auto integer = cast<IntegerType>(type.getElementType());
  SmallVector<APInt> numbers;
  for (int64_t element : elements.asArrayRef())
    numbers.emplace_back(integer.getWidth(), static_cast<uint64_t>(element), /*isSigned=*/true, /*implicitTrunc=*/true);
  Value actual = emit.reshape(value, {elements.size()});
  for (auto [i, number] : llvm::enumerate(numbers)) {
    auto position = static_cast<int64_t>(i);
    Type one = RankedTensorType::get({1}, integer);
    Value found = emit.reshape(emit.make<sh::SliceOp>(one, actual, ArrayRef<int64_t>{position},
                                                      ArrayRef<int64_t>{position + 1}, ArrayRef<int64_t>{1}),
                               {});
    Value expected = emit.make<sh::ConstantOp>(
        DenseIntElementsAttr::get(RankedTensorType::get({}, integer), ArrayRef<APInt>(number)));
    Type printed = integer.isUnsigned() ? Type(IntegerType::get(main.getContext(), 64, IntegerType::Unsigned))
                                        : emit.builder.getI64Type();
    std::string place = elements.size() == 1 ? "" : "element " + std::to_string(i) + " of ";
    if (failed(refiner.require(main, emit.compare(sh::ComparisonDirection::EQ, found, expected),
                               place + "argument " + std::to_string(argument) +
                                   " must be {1}, for which the program was compiled, got {0}",
                               {emit.convert(found, printed), emit.convert(expected, printed)})))
      return failure();
  }
  return emit.make<sh::ConstantOp>(DenseIntElementsAttr::get(type, numbers));
}

} // namespace refine

SmallVector<unsigned> argumentsThatDecideSizes(func::FuncOp main) {
  refine::Sources sources;
  main.walk([&](Operation *op) {
    for (Value operand : refine::sizeOperands(op))
      sources.add(operand);
  });
  const llvm::DenseSet<Value> &needed = sources.close();
  SmallVector<unsigned> arguments;
  for (BlockArgument argument : main.getArguments())
    if (needed.contains(argument))
      arguments.push_back(argument.getArgNumber());
  return arguments;
}

LogicalResult setArgumentValue(ModuleOp module, int64_t argument, ArrayRef<int64_t> elements, bool always) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (argument < 0 || argument >= main.getNumArguments())
    return main.emitError() << "elements are given for argument " << argument << ", the program takes "
                            << main.getNumArguments() << " arguments";
  auto index = static_cast<unsigned>(argument);
  auto tensor = dyn_cast<RankedTensorType>(main.getArgumentTypes()[index]);
  auto integer = tensor ? dyn_cast<IntegerType>(tensor.getElementType()) : IntegerType();
  // Elements of other types, as stored integers of quantized ones, decide no size: knowing them is of no use.
  if (!integer && !always)
    return success();
  if (!integer || integer.getWidth() == 1 || tensor.getRank() > 1 || elements.empty() ||
      (tensor.getRank() == 0 && elements.size() != 1))
    return main.emitError() << "argument " << argument << " has type " << main.getArgumentTypes()[index]
                            << ": only an integer, or a list of some, can be given as " << elements.size()
                            << " constant elements";
  for (int64_t element : elements) {
    bool fits = integer.isUnsigned() ? element >= 0 && (integer.getWidth() >= 64 || element >> integer.getWidth() == 0)
                                     : llvm::isIntN(integer.getWidth(), element);
    if (!fits)
      return main.emitError() << "argument " << argument << " has type " << tensor << ", which does not hold "
                              << element;
  }
  main.setArgAttr(index, always ? ir::kValueAttribute : ir::kKnownValueAttribute,
                  DenseI64ArrayAttr::get(module.getContext(), elements));
  return success();
}

} // namespace tenon::passes
