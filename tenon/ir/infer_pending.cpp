#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "tenon/ir/rules.h"
#include "tenon/ir/stablehlo.h"

namespace tenon::stablehlo {

#define INFER(Op)                                                                                                      \
  LogicalResult Op::inferReturnTypes(mlir::MLIRContext *context, std::optional<mlir::Location> location, Adaptor op,   \
                                     SmallVectorImpl<Type> &types)

#define SAME_AS_OPERANDS(Op)                                                                                           \
  INFER(Op) {                                                                                                          \
    SmallVector<RankedTensorType> all;                                                                                 \
    for (mlir::Value operand : op.getOperands())                                                                       \
      all.push_back(tensor(operand));                                                                                  \
    types.push_back(mostSpecific(all));                                                                                \
    return success();                                                                                                  \
  }
#define SAME_EACH(Op)                                                                                                  \
  INFER(Op) {                                                                                                          \
    llvm::append_range(types, op.getOperands().getTypes());                                                            \
    return success();                                                                                                  \
  }

SAME_AS_OPERANDS(CbrtOp)
SAME_AS_OPERANDS(CeilOp)
SAME_AS_OPERANDS(CosineOp) SAME_AS_OPERANDS(CountLeadingZerosOp) SAME_AS_OPERANDS(ExponentialOp)
    SAME_AS_OPERANDS(ExponentialMinusOneOp) SAME_AS_OPERANDS(FloorOp) SAME_AS_OPERANDS(LogOp)
        SAME_AS_OPERANDS(LogPlusOneOp) SAME_AS_OPERANDS(LogisticOp) SAME_AS_OPERANDS(NegateOp) SAME_AS_OPERANDS(NotOp)
            SAME_AS_OPERANDS(PopcntOp) SAME_AS_OPERANDS(RoundNearestAfzOp) SAME_AS_OPERANDS(RoundNearestEvenOp)
                SAME_AS_OPERANDS(RsqrtOp) SAME_AS_OPERANDS(SignOp) SAME_AS_OPERANDS(SineOp) SAME_AS_OPERANDS(SqrtOp)
                    SAME_AS_OPERANDS(TanOp) SAME_AS_OPERANDS(TanhOp) SAME_AS_OPERANDS(ReducePrecisionOp)
                        SAME_AS_OPERANDS(AddOp) SAME_AS_OPERANDS(AndOp) SAME_AS_OPERANDS(Atan2Op)
                            SAME_AS_OPERANDS(DivideOp) SAME_AS_OPERANDS(MaximumOp) SAME_AS_OPERANDS(MinimumOp)
                                SAME_AS_OPERANDS(MultiplyOp) SAME_AS_OPERANDS(OrOp) SAME_AS_OPERANDS(PowerOp)
                                    SAME_AS_OPERANDS(RemainderOp) SAME_AS_OPERANDS(ShiftLeftOp)
                                        SAME_AS_OPERANDS(ShiftRightArithmeticOp) SAME_AS_OPERANDS(ShiftRightLogicalOp)
                                            SAME_AS_OPERANDS(SubtractOp) SAME_AS_OPERANDS(XorOp)
                                                SAME_AS_OPERANDS(ReverseOp) SAME_AS_OPERANDS(CholeskyOp)
                                                    SAME_AS_OPERANDS(CollectivePermuteOp)
                                                        SAME_AS_OPERANDS(CrossReplicaSumOp) SAME_EACH(SortOp)
                                                            SAME_EACH(WhileOp) SAME_EACH(OptimizationBarrierOp)
                                                                SAME_EACH(AllReduceOp) SAME_EACH(CollectiveBroadcastOp)
                                                                    SAME_EACH(CollectiveReduceOp)

                                                                        static Type
    withElement(mlir::Value value, Type element) {
  return tensor(value).clone(element);
}
static Type realOf(Type type) {
  auto complex = llvm::dyn_cast<mlir::ComplexType>(type);
  return complex ? complex.getElementType() : type;
}
#define REAL_PART(Op)                                                                                                  \
  INFER(Op) {                                                                                                          \
    types.push_back(withElement(op.getOperand(), realOf(tensor(op.getOperand()).getElementType())));                   \
    return success();                                                                                                  \
  }
REAL_PART(AbsOp)
REAL_PART(RealOp)
REAL_PART(ImagOp)

    INFER(IsFiniteOp) {
  types.push_back(withElement(op.getX(), mlir::IntegerType::get(context, 1)));
  return success();
}
INFER(UniformDequantizeOp) {
  types.push_back(withElement(op.getOperand(), tensor(op.getOperand()).getElementType()));
  return success();
}
INFER(ComplexOp) {
  types.push_back(withElement(op.getLhs(), mlir::ComplexType::get(tensor(op.getLhs()).getElementType())));
  return success();
}
INFER(CompareOp) {
  types.push_back(withElement(op.getLhs(), mlir::IntegerType::get(context, 1)));
  return success();
}
INFER(ClampOp) {
  types.push_back(op.getOperand().getType());
  return success();
}
INFER(SelectOp) {
  types.push_back(mostSpecific({tensor(op.getOnTrue()), tensor(op.getOnFalse())}));
  return success();
}
INFER(ConstantOp) {
  types.push_back(op.getValue().getType());
  return success();
}

//===- Shape -----------------------------------------------------------------------------------------------------===//

INFER(BroadcastOp) {
  SmallVector<int64_t> shape(op.getBroadcastSizes());
  llvm::append_range(shape, tensor(op.getOperand()).getShape());
  types.push_back(makeTensor(shape, tensor(op.getOperand()).getElementType()));
  return success();
}
INFER(ConcatenateOp) {
  RankedTensorType first = tensor(op.getInputs().front());
  SmallVector<int64_t> shape(first.getShape());
  int64_t d = op.getDimension();
  for (mlir::Value input : op.getInputs().drop_front()) {
    int64_t size = tensor(input).getDimSize(d);
    shape[d] = ShapedType::isDynamic(shape[d]) || ShapedType::isDynamic(size) ? ShapedType::kDynamic : shape[d] + size;
  }
  types.push_back(makeTensor(shape, first.getElementType()));
  return success();
}
INFER(TransposeOp) {
  RankedTensorType type = tensor(op.getOperand());
  SmallVector<int64_t> shape, bounds;
  for (int64_t d : op.getPermutation()) {
    shape.push_back(type.getDimSize(d));
    if (!ir::dimensionBounds(type).empty())
      bounds.push_back(ir::dimensionBounds(type)[d]);
  }
  types.push_back(makeTensor(shape, type.getElementType(), bounds));
  return success();
}
INFER(PadOp) {
  RankedTensorType type = tensor(op.getOperand());
  SmallVector<int64_t> shape(type.getShape());
  for (auto [d, size] : llvm::enumerate(shape))
    if (!ShapedType::isDynamic(size))
      size += std::max<int64_t>(size - 1, 0) * op.getInteriorPadding()[d] + op.getEdgePaddingLow()[d] +
              op.getEdgePaddingHigh()[d];
  types.push_back(makeTensor(shape, type.getElementType()));
  return success();
}
INFER(SliceOp) {
  SmallVector<int64_t> shape;
  for (auto [start, limit, stride] : llvm::zip(op.getStartIndices(), op.getLimitIndices(), op.getStrides()))
    shape.push_back((limit - start + stride - 1) / stride);
  types.push_back(makeTensor(shape, tensor(op.getOperand()).getElementType()));
  return success();
}
INFER(DynamicSliceOp) {
  types.push_back(makeTensor(op.getSliceSizes(), tensor(op.getOperand()).getElementType()));
  return success();
}
INFER(DynamicUpdateSliceOp) {
  types.push_back(op.getOperand().getType());
  return success();
}
INFER(GatherOp) {
  RankedTensorType indices = tensor(op.getStartIndices());
  GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  SmallVector<int64_t> batch, offset;
  for (int64_t d = 0; d < indices.getRank(); ++d)
    if (d != numbers.getIndexVectorDim())
      batch.push_back(indices.getDimSize(d));
  for (auto [d, size] : llvm::enumerate(op.getSliceSizes()))
    if (!llvm::is_contained(numbers.getCollapsedSliceDims(), int64_t(d)) &&
        !llvm::is_contained(numbers.getOperandBatchingDims(), int64_t(d)))
      offset.push_back(size);
  SmallVector<int64_t> shape;
  size_t nextBatch = 0, nextOffset = 0;
  for (int64_t d = 0, e = batch.size() + offset.size(); d < e; ++d)
    shape.push_back(llvm::is_contained(numbers.getOffsetDims(), d) ? offset[nextOffset++] : batch[nextBatch++]);
  types.push_back(makeTensor(shape, tensor(op.getOperand()).getElementType()));
  return success();
}
INFER(GetDimensionSizeOp) {
  types.push_back(makeTensor({}, mlir::IntegerType::get(context, 32)));
  return success();
}
INFER(SetDimensionSizeOp) {
  RankedTensorType type = tensor(op.getOperand());
  SmallVector<int64_t> shape(type.getShape()), bounds(shape.size(), ShapedType::kDynamic);
  bounds[op.getDimension()] = shape[op.getDimension()];
  shape[op.getDimension()] = ShapedType::kDynamic;
  types.push_back(makeTensor(shape, type.getElementType(), bounds));
  return success();
}

//===- Reduction -------------------------------------------------------------------------------------------------===//

INFER(ReduceOp) {
  for (auto [input, init] : llvm::zip(op.getInputs(), op.getInitValues())) {
    SmallVector<int64_t> shape;
    for (auto [d, size] : llvm::enumerate(tensor(input).getShape()))
      if (!llvm::is_contained(op.getDimensions(), int64_t(d)))
        shape.push_back(size);
    types.push_back(makeTensor(shape, tensor(init).getElementType()));
  }
  return success();
}
INFER(ReduceWindowOp) {
  for (auto [input, init] : llvm::zip(op.getInputs(), op.getInitValues())) {
    SmallVector<int64_t> shape;
    for (auto [d, size] : llvm::enumerate(tensor(input).getShape())) {
      int64_t baseDilation = op.getBaseDilations() ? (*op.getBaseDilations())[d] : 1;
      int64_t windowDilation = op.getWindowDilations() ? (*op.getWindowDilations())[d] : 1;
      int64_t stride = op.getWindowStrides() ? (*op.getWindowStrides())[d] : 1;
      int64_t padding = 0;
      if (op.getPadding())
        padding = op.getPadding()->getValues<int64_t>()[{d, 0}] + op.getPadding()->getValues<int64_t>()[{d, 1}];
      int64_t padded = (size == 0 ? 0 : (size - 1) * baseDilation + 1) + padding;
      int64_t window = (op.getWindowDimensions()[d] - 1) * windowDilation + 1;
      shape.push_back(ShapedType::isDynamic(size)      ? size
                      : padded == 0 || window > padded ? 0
                                                       : (padded - window) / stride + 1);
    }
    types.push_back(makeTensor(shape, tensor(init).getElementType()));
  }
  return success();
}
INFER(SelectAndScatterOp) {
  types.push_back(op.getOperand().getType());
  return success();
}
INFER(ScatterOp) {
  llvm::append_range(types, op.getInputs().getTypes());
  return success();
}
static mlir::TypeRange returned(mlir::Region &region) { return region.front().getTerminator()->getOperandTypes(); }
INFER(MapOp) {
  Type element = tensor(returned(op.getComputation())[0]).getElementType();
  types.push_back(tensor(op.getInputs()[0]).clone(element));
  return success();
}
INFER(IfOp) {
  llvm::append_range(types, returned(op.getTrueBranch()));
  return success();
}
INFER(CaseOp) {
  llvm::append_range(types, returned(*op.getBranches().front()));
  return success();
}

//===- Tokens, collectives, linear algebra
//-------------------------------------------------------------------------===//

#define GIVES_TOKEN(Op)                                                                                                \
  INFER(Op) {                                                                                                          \
    types.push_back(TokenType::get(context));                                                                          \
    return success();                                                                                                  \
  }
GIVES_TOKEN(CreateTokenOp) GIVES_TOKEN(AfterAllOp) GIVES_TOKEN(OutfeedOp) GIVES_TOKEN(SendOp) INFER(TupleOp) {
  types.push_back(mlir::TupleType::get(context, llvm::to_vector(op.getVal().getTypes())));
  return success();
}
INFER(GetTupleElementOp) {
  types.push_back(llvm::cast<mlir::TupleType>(op.getOperand().getType()).getType(op.getIndex()));
  return success();
}
#define GIVES_ID(Op)                                                                                                   \
  INFER(Op) {                                                                                                          \
    types.push_back(makeTensor({}, mlir::IntegerType::get(context, 32, mlir::IntegerType::Unsigned)));                 \
    return success();                                                                                                  \
  }
GIVES_ID(ReplicaIdOp) GIVES_ID(PartitionIdOp) INFER(AllToAllOp) {
  for (mlir::Value operand : op.getOperands()) {
    SmallVector<int64_t> shape(tensor(operand).getShape());
    if (!ShapedType::isDynamic(shape[op.getSplitDimension()]))
      shape[op.getSplitDimension()] /= op.getSplitCount();
    if (!ShapedType::isDynamic(shape[op.getConcatDimension()]))
      shape[op.getConcatDimension()] *= op.getSplitCount();
    types.push_back(makeTensor(shape, tensor(operand).getElementType()));
  }
  return success();
}
INFER(AsyncStartOp) {
  types.push_back(FutureType::get(context, llvm::to_vector(returned(op.getBody()))));
  return success();
}
INFER(AsyncDoneOp) {
  llvm::append_range(types, llvm::cast<FutureType>(op.getOperand().getType()).getTypes());
  return success();
}
INFER(TriangularSolveOp) {
  types.push_back(op.getB().getType());
  return success();
}
INFER(FftOp) {
  RankedTensorType type = tensor(op.getOperand());
  SmallVector<int64_t> shape(type.getShape());
  Type element = type.getElementType();
  if (op.getFftType() == FftType::RFFT) {
    element = mlir::ComplexType::get(element);
    shape.back() = ShapedType::isDynamic(shape.back()) || shape.back() == 0 ? shape.back() : shape.back() / 2 + 1;
  } else if (op.getFftType() == FftType::IRFFT) {
    element = realOf(element);
    shape.back() = op.getFftLength().back();
  }
  types.push_back(makeTensor(shape, element));
  return success();
}
INFER(BatchNormGradOp) {
  types.assign({op.getOperand().getType(), op.getScale().getType(), op.getScale().getType()});
  return success();
}
INFER(BatchNormInferenceOp) {
  types.push_back(op.getOperand().getType());
  return success();
}
INFER(BatchNormTrainingOp) {
  types.assign({op.getOperand().getType(), op.getScale().getType(), op.getScale().getType()});
  return success();
}
INFER(RngOp) {
  mlir::DenseIntElementsAttr shape;
  auto type = tensor(op.getShape());
  SmallVector<int64_t> sizes(type.isDynamicDim(0) ? 0 : type.getDimSize(0), ShapedType::kDynamic);
  if (mlir::matchPattern(op.getShape(), mlir::m_Constant(&shape)))
    for (auto [size, value] : llvm::zip(sizes, shape.getValues<llvm::APInt>()))
      size = value.getSExtValue();
  types.push_back(makeTensor(sizes, tensor(op.getA()).getElementType()));
  return success();
}

} // namespace tenon::stablehlo
