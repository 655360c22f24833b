// Programs on quantized values as programs on the integers that they are stored in.
//
// Ops that move, carry or reinterpret elements stay, on storage types. Ops that compute become what the specification
// defines them by: dequantize the operands, compute in the expressed type, quantize the result. All of it is ordinary
// elementwise arithmetic around the op, which fuses as such:
//
//   add(a, b) : q8(scale s, zero point z)
//     =>  clamped rounding of  ((a - z) * s + (b - z) * s) / s + z
//
// The bits are the interpreter's. It computes elementary functions, sums of products and normalisations in a wider type
// and rounds once, where kernels are within an ulp: a difference that quantizing would turn into a different integer
// when the value is near a tie. So these are computed in f64 and rounded to the expressed type. What gives the same
// bits on the integers alone is done there (quantized_integer.cpp).

#include "tenon/interpreter/evaluator.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/tf32.h"
#include "tenon/ir/types.h"
#include "tenon/passes/legalize/quantize/quantized_integer.h"
#include "tenon/passes/passes.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

// Whether a kernel gives the one nearest result in every format.
bool isCorrectlyRounded(Operation *op) {
  return isa<sh::AbsOp, sh::AddOp, sh::CeilOp, sh::ClampOp, sh::CompareOp, sh::DivideOp, sh::DynamicIotaOp, sh::FloorOp,
             sh::IotaOp, sh::MaximumOp, sh::MinimumOp, sh::MultiplyOp, sh::NegateOp, sh::ReducePrecisionOp,
             sh::RemainderOp, sh::RoundNearestAfzOp, sh::RoundNearestEvenOp, sh::SelectOp, sh::SignOp, sh::SqrtOp,
             sh::SubtractOp>(op);
}

// Sums of products take operands of one type and sum in another.
bool isContraction(Operation *op) {
  return isa<sh::ConvolutionOp, sh::DotGeneralOp, sh::DotOp, sh::DynamicConvOp, sh::EinsumOp, sh::UnaryEinsumOp>(op);
}

// The op on expressed values. Results of quantized type are quantized again.
SmallVector<Value> computeExpressed(Operation *op, OpBuilder &builder) {
  QuantizedValues values(builder, op->getLoc());
  bool isWide = !isCorrectlyRounded(op) && llvm::any_of(op->getResultTypes(), isQuantized);
  Type f64 = builder.getF64Type();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Value value = isQuantized(operand.getType()) ? values.dequantize(operand) : operand;
    if (isWide && !isContraction(op) && isa<FloatType>(typeOf(value).getElementType()))
      value = values.convert(value, f64);
    operands.push_back(value);
  }
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  if (isa<sh::ConvolutionOp, sh::DotGeneralOp, sh::DotOp, sh::DynamicConvOp>(copy)) // as exact as the stored integers
    copy->setAttr("precision_config", ir::highestPrecision(op->getContext()));
  if (auto compare = dyn_cast<sh::CompareOp>(copy))
    compare.setCompareType(sh::ComparisonType::FLOAT);
  SmallVector<Value> results;
  for (auto [result, original] : llvm::zip(copy->getResults(), op->getResults())) {
    RankedTensorType type = typeOf(original);
    Type element = isQuantized(type) ? Type(Quantization(type).expressed) : type.getElementType();
    bool isReal = isa<FloatType>(element);
    result.setType(type.clone(isWide && isReal ? f64 : element));
    Value value = isReal ? values.convert(result, element) : Value(result);
    results.push_back(isQuantized(type) ? values.quantize(value, type) : value);
  }
  return results;
}

SmallVector<Value> lower(Operation *op, OpBuilder &builder) {
  QuantizedValues values(builder, op->getLoc());
  RankedTensorType type = typeOf(op->getResult(0));
  if (isa<sh::UniformDequantizeOp>(op))
    return {values.dequantize(op->getOperand(0))};
  if (isa<sh::UniformQuantizeOp>(op)) {
    Value operand = op->getOperand(0);
    return {values.quantize(isQuantized(operand.getType()) ? values.dequantize(operand) : operand, type)};
  }
  if (isa<sh::IsFiniteOp>(op))
    return {values.broadcastTo(1.0, type)};
  if (Value chosen = chooseStored(op, builder))
    return {chosen};
  if (Value product = isQuantized(type) ? integerProduct(op, builder) : Value())
    return {values.quantize(values.convert(product, Quantization(type).expressed), type)};
  return computeExpressed(op, builder);
}

LogicalResult checkQuantized(Operation *op, Type type) {
  if (!isQuantized(type))
    return success();
  auto tensor = cast<RankedTensorType>(type);
  if (!ir::isQuantized(tensor.getElementType()))
    return op->emitOpError("computes on a quantized type that is neither per tensor nor per axis: ") << type;
  if (!tensor.hasStaticShape())
    return op->emitOpError("computes on quantized values of a dynamic shape, which is not implemented: ") << type;
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(tensor.getElementType());
  if (!perAxis)
    return success();
  int64_t axis = perAxis.getQuantizedDimension();
  if (axis >= tensor.getRank() || tensor.getDimSize(axis) != int64_t(perAxis.getScales().size()))
    return op->emitOpError(
               "computes on a type that does not have one scale for each index of its quantized dimension: ")
           << type;
  return success();
}

LogicalResult lowerComputation(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    bool computes =
        interpreter::computesOnExpressedValues(op) || isa<sh::UniformQuantizeOp, sh::UniformDequantizeOp>(op);
    if (computes &&
        (llvm::any_of(op->getOperandTypes(), isQuantized) || llvm::any_of(op->getResultTypes(), isQuantized)))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    auto isRefused = [&](Type type) { return failed(checkQuantized(op, type)); };
    if (llvm::any_of(op->getOperandTypes(), isRefused) || llvm::any_of(op->getResultTypes(), isRefused))
      return failure();
    OpBuilder builder(op);
    op->replaceAllUsesWith(lower(op, builder));
    op->erase();
  }
  return success();
}

// A quantized constant is written in the signless type of its storage's width.
void writeConstantInStorage(Operation *op) {
  auto value = op->getAttrOfType<ElementsAttr>("value");
  auto quantized = cast<quant::QuantizedType>(typeOf(op->getResult(0)).getElementType());
  IntegerType storage = Quantization::storageOf(quantized);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    op->setAttr("value", DenseResourceElementsAttr::get(resource.getType().clone(storage), resource.getRawHandle()));
  else if (auto dense = dyn_cast<DenseElementsAttr>(value))
    op->setAttr("value", dense.bitcast(storage));
}

// Notes what a collective gives to processes that receive nothing: the zero points of its results.
void noteZeroPoints(Operation *op) {
  if (!isa<sh::CollectivePermuteOp, sh::CollectiveBroadcastOp, sh::CollectiveReduceOp>(op) ||
      llvm::none_of(op->getResultTypes(), isQuantized))
    return;
  SmallVector<int64_t> zeroPoints;
  for (Value result : op->getResults()) {
    auto type = dyn_cast<quant::UniformQuantizedType>(typeOf(result).getElementType());
    zeroPoints.push_back(type ? std::clamp(type.getZeroPoint(), type.getStorageTypeMin(), type.getStorageTypeMax())
                              : 0);
  }
  op->setAttr(ir::kZeroPointsAttribute, DenseI64ArrayAttr::get(op->getContext(), zeroPoints));
}

// Gives every value its storage type; casts and bitcasts between equal types go.
void changeTypes(ModuleOp module) {
  module.walk([](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>() && isQuantized(op->getResult(0).getType()))
      writeConstantInStorage(op);
    noteZeroPoints(op);
  });
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](quant::QuantizedType type) -> std::optional<Type> { return Quantization::storageOf(type); });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
  module.walk([](Operation *op) {
    if (!isa<UnrealizedConversionCastOp, sh::BitcastConvertOp>(op) ||
        op->getOperand(0).getType() != op->getResult(0).getType())
      return;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  });
}

bool mentionsQuantizedTypes(ModuleOp module) {
  auto mentions = [](Type type) {
    if (!isa<TupleType>(type))
      return isQuantized(type);
    return type.walk([](quant::QuantizedType) { return WalkResult::interrupt(); }).wasInterrupted();
  };
  return module
      .walk([&](Operation *op) {
        bool found = llvm::any_of(op->getResultTypes(), mentions);
        for (Region &region : op->getRegions())
          for (Block &block : region)
            found |= llvm::any_of(block.getArgumentTypes(), mentions);
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace

LogicalResult lowerQuantized(ModuleOp module) {
  if (!mentionsQuantizedTypes(module))
    return success();
  if (failed(lowerComputation(module)))
    return failure();
  changeTypes(module);
  return success();
}

} // namespace tenon::passes
