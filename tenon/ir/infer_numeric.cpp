// Factorisations, transforms, normalisations, random numbers.
#include "mlir/IR/Builders.h"
#include "tenon/ir/infer.h"

namespace tenon::stablehlo {

//===- Factorisations --------------------------------------------------------------------------------------------===//

static LogicalResult infer(const Rules &r, CholeskyOp::Adaptor op, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensor(op.getA());
  int64_t rank = type.getRank();
  if (rank < 2)
    return r.broken("cholesky_c2") << "a must have rank >= 2, got " << type;
  if (!compatible(type.getDimSize(rank - 2), type.getDimSize(rank - 1)))
    return r.broken("cholesky_c3") << "the last two dimensions of a must have the same size, got " << type;
  types.push_back(type);
  return success();
}
TENON_INFERRED(CholeskyOp, 1, 1)

static LogicalResult infer(const Rules &r, TriangularSolveOp::Adaptor op, SmallVectorImpl<Type> &types) {
  RankedTensorType a = tensor(op.getA()), b = tensor(op.getB());
  int64_t rank = a.getRank();
  if (!compatibleElements(a.getElementType(), b.getElementType()))
    return r.broken("triangular_solve_c1") << "a and b must have the same element type, got " << a << " and " << b;
  if (rank != b.getRank() || rank < 2)
    return r.broken("triangular_solve_c2") << "a and b must have the same rank >= 2, got " << a << " and " << b;
  bool batches = compatibleShapes(a.getShape().drop_back(2), b.getShape().drop_back(2));
  int64_t n = a.getDimSize(rank - 1);
  bool square = compatible(a.getDimSize(rank - 2), n);
  bool solves = compatible(n, b.getDimSize(op.getLeftSide() ? rank - 2 : rank - 1));
  if (!batches || !square || !solves)
    return r.broken("triangular_solve_c3")
           << "a must be a batch of square matrices that fit b, got " << a << " and " << b;
  if (op.getTransposeA() == Transpose::TRANSPOSE_INVALID)
    return r.broken("triangular_solve_i6")
           << "transpose_a must be NO_TRANSPOSE, TRANSPOSE or ADJOINT, got " << stringifyTranspose(op.getTransposeA());
  types.push_back(b);
  return success();
}
TENON_INFERRED(TriangularSolveOp, 4, 4)

//===- fft -------------------------------------------------------------------------------------------------------===//

static LogicalResult infer(const Rules &r, FftOp::Adaptor op, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensor(op.getOperand());
  ArrayRef<int64_t> lengths = op.getFftLength();
  Type element = type.getElementType();
  bool fromReal = op.getFftType() == FftType::RFFT, toReal = op.getFftType() == FftType::IRFFT;
  if (lengths.empty() || lengths.size() > 3)
    return r.broken("fft_c3") << "fft_length must have 1, 2 or 3 elements, got " << lengths;
  for (int64_t length : lengths)
    if (length < 0)
      return r.broken("fft_c3") << "fft_length must be >= 0, got " << lengths;
  if (type.getRank() < static_cast<int64_t>(lengths.size()))
    return r.broken("fft_c1") << "operand must have rank >= " << lengths.size() << ", got " << type;
  if (fromReal ? !ir::isFloat32Or64(element) : !ir::isComplex(element))
    return r.broken("fft_c2") << stringifyFftType(op.getFftType()) << " needs an operand of "
                              << (fromReal ? "f32 or f64" : "complex") << " elements, got " << type;
  SmallVector<int64_t> shape(type.getShape());
  ArrayRef<int64_t> trailing = type.getShape().take_back(lengths.size());
  // The rule speaks of real tensors only; of complex ones no transform of another length is defined.
  if (!toReal && !compatibleShapes(trailing, lengths))
    return r.broken("fft_c4") << "fft_length must be the operand's last dimensions " << trailing << ", got " << lengths;
  if (toReal && !compatibleShapes(trailing.drop_back(), lengths.drop_back()))
    return r.broken("fft_c4") << "fft_length must be the result's last dimensions, got " << lengths << " for " << type;
  auto halved = [](int64_t length) { return ShapedType::isDynamic(length) || length == 0 ? length : length / 2 + 1; };
  if (fromReal) {
    shape.back() = halved(shape.back());
    element = mlir::ComplexType::get(element);
  } else if (toReal) {
    // JAX asks for no numbers at all of a spectrum of one, 0 / 2 + 1.
    bool asksForNothing = lengths.back() == 0 && shape.back() == 1;
    if (!asksForNothing && !compatible(shape.back(), halved(lengths.back())))
      return r.broken("fft_c5") << "the operand's last dimension must be " << halved(lengths.back())
                                << " for a fft_length of " << lengths.back() << ", got " << shape.back();
    shape.back() = lengths.back();
    element = realElement(element);
  }
  types.push_back(makeTensor(shape, element));
  return success();
}
TENON_INFERRED(FftOp, 2, 5)

//===- Batch normalisation ---------------------------------------------------------------------------------------===//

static LogicalResult checkFeatureIndex(const Rules &r, RankedTensorType operand, int64_t index) {
  if (index >= 0 && index < operand.getRank())
    return success();
  return r.broken(1) << "feature_index must be in [0, " << operand.getRank() << "), got " << index;
}

static LogicalResult checkElements(const Rules &r, ValueRange operands) {
  for (Value operand : operands)
    if (!compatibleElements(tensor(operands.front()).getElementType(), tensor(operand).getElementType()))
      return r.broken(2) << "operands and results must have the same element type, got " << operands.front().getType()
                         << " and " << operand.getType();
  return success();
}

/// A vector has one element a feature.
static LogicalResult checkFeatures(const Rules &r, int rule, Name name, Value vector, RankedTensorType operand,
                                   int64_t featureIndex) {
  int64_t features = operand.getDimSize(featureIndex);
  if (compatible(tensor(vector).getDimSize(0), features))
    return success();
  return r.broken(rule) << name << " must have " << features << " elements, got " << vector.getType();
}

/// The type of a vector of one element a feature.
static RankedTensorType featureVector(RankedTensorType operand, int64_t featureIndex) {
  return makeTensor(operand.getDimSize(featureIndex), operand.getElementType());
}

static LogicalResult infer(const Rules &r, BatchNormGradOp::Adaptor op, SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensor(op.getOperand());
  int64_t index = op.getFeatureIndex();
  if (failed(checkFeatureIndex(r, operand, index)) || failed(checkElements(r, op.getOperands())))
    return failure();
  if (!compatibleShapes(operand.getShape(), tensor(op.getGradOutput()).getShape()))
    return r.broken("batch_norm_grad_c3") << "operand and grad_output must have the same shape, got " << operand
                                          << " and " << op.getGradOutput().getType();
  for (Value vector : {op.getMean(), op.getVariance()})
    if (!compatibleShapes(tensor(vector).getShape(), tensor(op.getScale()).getShape()))
      return r.broken("batch_norm_grad_c4") << "scale, mean and variance must have the same shape, got "
                                            << op.getScale().getType() << " and " << vector.getType();
  if (failed(checkFeatures(r, 5, "scale", op.getScale(), operand, index)))
    return failure();
  RankedTensorType vector = featureVector(operand, index);
  types.assign({operand, vector, vector});
  return success();
}

LogicalResult BatchNormGradOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                                Adaptor adaptor, SmallVectorImpl<Type> &types) {
  return infer(Rules(location, getOperationName()), adaptor, types);
}

LogicalResult BatchNormGradOp::verify() {
  Rules r(*this);
  SmallVector<Type> types;
  if (failed(infer(r, Adaptor(*this), types)))
    return failure();
  // The operand's gradient and the vectors' have a rule each for their shapes.
  for (auto [i, expected, actual] : llvm::enumerate(types, getResultTypes())) {
    if (!compatibleElements(tensor(expected).getElementType(), tensor(actual).getElementType()))
      return r.broken("batch_norm_grad_c2") << "result " << i << " must have type " << expected << ", got " << actual;
    if (!compatibleTypes(expected, actual))
      return r.broken(i == 0 ? 3 : 4) << "result " << i << " must have type " << expected << ", got " << actual;
  }
  return success();
}

static LogicalResult infer(const Rules &r, BatchNormInferenceOp::Adaptor op, SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensor(op.getOperand());
  int64_t index = op.getFeatureIndex();
  types.push_back(operand);
  return failure(failed(checkFeatureIndex(r, operand, index)) || failed(checkElements(r, op.getOperands())) ||
                 failed(checkFeatures(r, 3, "scale", op.getScale(), operand, index)) ||
                 failed(checkFeatures(r, 4, "offset", op.getOffset(), operand, index)) ||
                 failed(checkFeatures(r, 5, "mean", op.getMean(), operand, index)) ||
                 failed(checkFeatures(r, 6, "variance", op.getVariance(), operand, index)));
}
TENON_INFERRED(BatchNormInferenceOp, 7, 7)

static LogicalResult infer(const Rules &r, BatchNormTrainingOp::Adaptor op, SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensor(op.getOperand());
  int64_t index = op.getFeatureIndex();
  if (failed(checkFeatureIndex(r, operand, index)) || failed(checkElements(r, op.getOperands())) ||
      failed(checkFeatures(r, 3, "scale", op.getScale(), operand, index)) ||
      failed(checkFeatures(r, 4, "offset", op.getOffset(), operand, index)))
    return failure();
  RankedTensorType vector = featureVector(operand, index);
  types.assign({operand, vector, vector});
  return success();
}

LogicalResult BatchNormTrainingOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location,
                                                    Adaptor adaptor, SmallVectorImpl<Type> &types) {
  return infer(Rules(location, getOperationName()), adaptor, types);
}

LogicalResult BatchNormTrainingOp::verify() {
  Rules r(*this);
  SmallVector<Type> types;
  if (failed(infer(r, Adaptor(*this), types)))
    return failure();
  if (!compatibleTypes(types[0], getOutput().getType()))
    return r.broken("batch_norm_training_c7")
           << "operand and output must have the same type, got " << types[0] << " and " << getOutput().getType();
  for (auto [rule, vector] : {std::pair<int, Value>(5, getBatchMean()), std::pair<int, Value>(6, getBatchVar())}) {
    if (!compatibleElements(tensor(types[1]).getElementType(), tensor(vector).getElementType()))
      return r.broken("batch_norm_training_c2")
             << "operands and results must have the same element type, got " << types[0] << " and " << vector.getType();
    if (!compatibleTypes(types[1], vector.getType()))
      return r.broken(rule) << (rule == 5 ? "batch_mean" : "batch_var") << " must have type " << types[1] << ", got "
                            << vector.getType();
  }
  return success();
}

//===- Random numbers --------------------------------------------------------------------------------------------===//

static LogicalResult infer(const Rules &r, RngOp::Adaptor op, SmallVectorImpl<Type> &types) {
  Type a = tensor(op.getA()).getElementType(), b = tensor(op.getB()).getElementType();
  if (a != b)
    return r.broken("rng_c1") << "a and b must have the same element type, got " << a << " and " << b;
  if (op.getRngDistribution() == RngDistribution::NORMAL && !ir::isFloat(a))
    return r.broken("rng_c2") << "a normal distribution must be of floating-point elements, got " << a;
  int64_t rank = tensor(op.getShape()).getDimSize(0);
  if (ShapedType::isDynamic(rank))
    return r.broken("rng_i3") << "shape must have a static size, got " << op.getShape().getType();
  if (rank > ir::kMaxListedElements)
    return r.broken("rng_i3") << "shape must have at most " << ir::kMaxListedElements << " elements, got " << rank;
  SmallVector<int64_t> sizes(rank, ShapedType::kDynamic);
  // A constant further down, which is wrong, has not been verified yet.
  auto constant = op.getShape().getDefiningOp<ConstantOp>();
  auto shape = llvm::dyn_cast_if_present<mlir::DenseIntElementsAttr>(constant ? constant.getValueAttr() : nullptr);
  if (shape && shape.getType() == op.getShape().getType())
    for (auto [size, value] : llvm::zip_equal(sizes, shape.getValues<llvm::APInt>())) {
      size = value.getSExtValue();
      if (size < 0) // the least of which means "dynamic" in a type
        return r.broken("rng_i3") << "shape must be of sizes >= 0, got " << size;
    }
  types.push_back(makeTensor(sizes, a));
  return success();
}
TENON_INFERRED(RngOp, 1, 3)

bool isGeneratorState(RankedTensorType state) {
  return state.getRank() == 1 && state.getElementType().isUnsignedInteger(64);
}

LogicalResult RngBitGeneratorOp::verify() {
  Rules r(*this);
  RankedTensorType state = tensor(getInitialState()), after = tensor(getOutputState());
  if (!compatibleTypes(state, after))
    return r.broken("rng_bit_generator_c1")
           << "initial_state and output_state must have the same type, got " << state << " and " << after;
  // StableHLO reads states of any type and shape; what they would mean, nothing says (ir::whyWithoutMeaning).
  if (!isGeneratorState(state))
    return success();
  int64_t size = state.getDimSize(0);
  bool threeFry = getRngAlgorithm() == RngAlgorithm::THREE_FRY, philox = getRngAlgorithm() == RngAlgorithm::PHILOX;
  if (!ShapedType::isDynamic(size) && ((threeFry && size != 2) || (philox && size != 2 && size != 3)))
    return r.broken("rng_bit_generator_c2")
           << "the state of " << stringifyRngAlgorithm(getRngAlgorithm()) << " must have "
           << (threeFry ? "2" : "2 or 3") << " elements, got " << size;
  return success();
}

} // namespace tenon::stablehlo
