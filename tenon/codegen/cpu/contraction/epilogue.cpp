#include "tenon/codegen/cpu/contraction/epilogue.h"

#include "tenon/codegen/llvm/element/element.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/support/strides.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {
namespace {

using ir::typeOf;

// Evaluates the fusion's values at one place of the result.
class EpilogueEvaluator {
public:
  EpilogueEvaluator(ir::FusionOp fusion, Operation *contraction, llvm::IRBuilderBase &builder,
                    const EpilogueContext &where)
      : fusion(fusion), contraction(contraction), builder(builder), where(where) {}

  llvm::Value *run(llvm::Value *accumulator) {
    values[contraction->getResult(0)] = fromAccumulator(accumulator);
    for (Operation &op : fusion.getBlock().without_terminator())
      if (&op != contraction && !values.contains(op.getResult(0)))
        if (!evaluate(op.getResult(0)).re)
          return nullptr;
    OperandRange yielded = fusion.getYield()->getOperands();
    for (unsigned i = 0; i + 1 < yielded.size(); ++i) {
      Type type = typeOf(yielded[i]).getElementType();
      llvm::Value *base = tablePointer(fusion->getNumOperands() + i);
      storeElements(builder, type, evaluate(yielded[i]), elementAddress(builder, type, base, where.outOffset),
                    where.lanes);
    }
    return toStored(yielded.back(), evaluate(yielded.back()));
  }

private:
  llvm::Value *tablePointer(unsigned index) {
    llvm::Value *slot = builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), where.buffers, index);
    auto *load = builder.CreateLoad(builder.getPtrTy(), slot);
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(builder.getContext(), {}));
    return load;
  }

  // The contraction's result type from the wide type that it was accumulated in.
  Element fromAccumulator(llvm::Value *accumulator) {
    Type type = typeOf(contraction->getResult(0)).getElementType();
    if (isa<ComplexType>(type))
      return {builder.CreateExtractValue(accumulator, 0), builder.CreateExtractValue(accumulator, 1)};
    llvm::Type *scalar = accumulator->getType()->getScalarType();
    if (isa<FloatType>(type)) {
      Type wide = scalar->isDoubleTy() ? Type(float64(type)) : Type(float32(type));
      return wide == type ? Element{accumulator} : emitConvert(builder, wide, type, {accumulator});
    }
    auto integer = cast<IntegerType>(type);
    if (integer.getWidth() == 1)
      return {builder.CreateIsNotNull(accumulator)};
    auto wide = IntegerType::get(type.getContext(), scalar->getIntegerBitWidth(), integer.getSignedness());
    return wide == type ? Element{accumulator} : emitConvert(builder, wide, type, {accumulator});
  }

  static Type float32(Type type) { return Float32Type::get(type.getContext()); }
  static Type float64(Type type) { return Float64Type::get(type.getContext()); }

  llvm::Value *toStored(Value value, Element element) {
    if (!element.im)
      return element.re;
    llvm::Type *part = element.re->getType();
    llvm::Value *pair = llvm::UndefValue::get(llvm::StructType::get(builder.getContext(), {part, part}));
    pair = builder.CreateInsertValue(pair, element.re, 0);
    return builder.CreateInsertValue(pair, element.im, 1);
  }

  Element evaluate(Value value) {
    if (auto found = values.find(value); found != values.end())
      return found->second;
    Element result;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      result = loadArgument(argument);
    } else if (DenseElementsAttr constant; matchPattern(value, m_Constant(&constant))) {
      if (constant.isSplat())
        result = constantElement(builder.getContext(), constant, 0, where.lanes);
    } else if (auto broadcast = value.getDefiningOp<sh::BroadcastInDimOp>()) {
      result = evaluateBroadcast(broadcast);
    } else {
      SmallVector<Element> operands;
      Operation *op = value.getDefiningOp();
      for (Value operand : op->getOperands())
        operands.push_back(evaluate(operand));
      ElementContext context{builder};
      if (auto emitted = emitElementwise(context, op, operands, where.lanes); succeeded(emitted))
        result = *emitted;
    }
    return values[value] = result;
  }

  // An operand of the result's shape, or a scalar.
  Element loadArgument(BlockArgument argument) {
    RankedTensorType type = typeOf(argument);
    llvm::Value *base = tablePointer(argument.getArgNumber());
    if (type.getRank() == 0)
      return splat(builder, loadElements(builder, type.getElementType(), base, 1), where.lanes);
    llvm::Value *address = elementAddress(builder, type.getElementType(), base, where.outOffset);
    return loadElements(builder, type.getElementType(), address, where.lanes);
  }

  Element evaluateBroadcast(sh::BroadcastInDimOp op) {
    Value source = op.getOperand();
    auto argument = dyn_cast<BlockArgument>(source);
    RankedTensorType type = typeOf(source);
    if (!argument || type.getRank() == 0)
      return evaluate(source);
    llvm::Value *offset = builder.getInt64(0);
    int64_t laneStride = 0;
    std::vector<int64_t> strides = rowMajorStrides(type.getShape());
    for (int64_t i = type.getRank() - 1; i >= 0; --i) {
      int64_t dim = op.getBroadcastDimensions()[i];
      if (type.getDimSize(i) == 1)
        continue;
      offset = builder.CreateAdd(offset, builder.CreateMul(where.index[dim], builder.getInt64(strides[i])));
      if (dim == where.laneDim)
        laneStride = strides[i];
    }
    Type element = type.getElementType();
    llvm::Value *base = tablePointer(argument.getArgNumber());
    llvm::Value *address = elementAddress(builder, element, base, offset);
    if (laneStride == 0 || where.lanes == 1)
      return splat(builder, loadElements(builder, element, address, 1), where.lanes);
    if (laneStride == 1)
      return loadElements(builder, element, address, where.lanes);
    SmallVector<llvm::Constant *> steps;
    for (unsigned lane = 0; lane < where.lanes; ++lane)
      steps.push_back(builder.getInt64(lane * laneStride));
    return gatherElements(builder, element, address, llvm::ConstantVector::get(steps), where.lanes);
  }

  ir::FusionOp fusion;
  Operation *contraction;
  llvm::IRBuilderBase &builder;
  const EpilogueContext &where;
  llvm::DenseMap<Value, Element> values;
};

} // namespace

bool canEmitEpilogue(ir::FusionOp fusion, Operation *contraction) {
  for (Operation &op : fusion.getBlock().without_terminator()) {
    DenseElementsAttr constant;
    if (&op == contraction)
      continue;
    if (matchPattern(&op, m_Constant(&constant))) {
      if (!constant.isSplat())
        return false;
    } else if (auto broadcast = dyn_cast<sh::BroadcastInDimOp>(op)) {
      Value source = broadcast.getOperand();
      bool constantSource = source.getDefiningOp() && source.getDefiningOp()->hasTrait<OpTrait::ConstantLike>();
      if (!isa<BlockArgument>(source) && !constantSource)
        return false;
    } else if (!isElementwiseSupported(&op)) {
      return false;
    }
  }
  // The kernel's own store converts nothing between kinds of numbers.
  auto kind = [](Value value) {
    Type element = typeOf(value).getElementType();
    return isa<ComplexType>(element) ? 2 : isa<FloatType>(element) ? 1 : 0;
  };
  if (kind(fusion.getYield()->getOperands().back()) != kind(contraction->getResult(0)))
    return false;
  return llvm::all_of(fusion.getYield()->getOperands(), [&](Value value) {
    return value.getDefiningOp() && typeOf(value).getShape() == typeOf(contraction->getResult(0)).getShape();
  });
}

Epilogue makeEpilogue(ir::FusionOp fusion, Operation *contraction) {
  return [fusion, contraction](llvm::IRBuilderBase &builder, const EpilogueContext &where, llvm::Value *accumulator) {
    return EpilogueEvaluator(fusion, contraction, builder, where).run(accumulator);
  };
}

} // namespace tenon::codegen
