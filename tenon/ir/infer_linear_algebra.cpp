// Products and convolutions.
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "tenon/ir/einsum.h"
#include "tenon/ir/infer.h"

namespace tenon::stablehlo {

static LogicalResult checkPrecision(const Rules &r, int rule, std::optional<mlir::ArrayAttr> precision) {
  // The specification wants two; StableHLO reads fewer as well, of which none says anything about results.
  if (!precision || precision->size() <= 2)
    return success();
  return r.broken(rule) << "precision_config must have 2 elements, got " << precision->size();
}

//===- dot_general -----------------------------------------------------------------------------------------------===//

/// Pairs of dimensions must have the same sizes.
static LogicalResult checkPairedSizes(const Rules &r, int rule, Name name, RankedTensorType lhs, RankedTensorType rhs,
                                      ArrayRef<int64_t> lhsDimensions, ArrayRef<int64_t> rhsDimensions) {
  for (auto [left, right] : llvm::zip_equal(lhsDimensions, rhsDimensions))
    if (!compatible(lhs.getDimSize(left), rhs.getDimSize(right)))
      return r.broken(rule) << name << " dimensions must have the same sizes, got " << lhs.getDimSize(left) << " and "
                            << rhs.getDimSize(right) << " in dimensions " << left << " and " << right;
  return success();
}

static LogicalResult checkDotDimensions(const Rules &r, DotDimensionNumbersAttr numbers, RankedTensorType lhs,
                                        RankedTensorType rhs) {
  ArrayRef<int64_t> lhsBatch = numbers.getLhsBatchingDimensions(), rhsBatch = numbers.getRhsBatchingDimensions();
  ArrayRef<int64_t> lhsContracting = numbers.getLhsContractingDimensions();
  ArrayRef<int64_t> rhsContracting = numbers.getRhsContractingDimensions();
  if (lhsBatch.size() != rhsBatch.size())
    return r.broken("dot_general_c2") << "there must be as many batching dimensions on both sides, got " << lhsBatch
                                      << " and " << rhsBatch;
  if (lhsContracting.size() != rhsContracting.size())
    return r.broken("dot_general_c3") << "there must be as many contracting dimensions on both sides, got "
                                      << lhsContracting << " and " << rhsContracting;
  auto both = [](ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
    SmallVector<int64_t> all(a);
    llvm::append_range(all, b);
    return all;
  };
  return failure(failed(checkUnique(r, 4, "lhs batching and contracting dimensions", both(lhsBatch, lhsContracting))) ||
                 failed(checkUnique(r, 5, "rhs batching and contracting dimensions", both(rhsBatch, rhsContracting))) ||
                 failed(checkInRange(r, 6, "lhs_batching_dimensions", lhsBatch, lhs.getRank())) ||
                 failed(checkInRange(r, 7, "lhs_contracting_dimensions", lhsContracting, lhs.getRank())) ||
                 failed(checkInRange(r, 8, "rhs_batching_dimensions", rhsBatch, rhs.getRank())) ||
                 failed(checkInRange(r, 9, "rhs_contracting_dimensions", rhsContracting, rhs.getRank())) ||
                 failed(checkPairedSizes(r, 10, "batching", lhs, rhs, lhsBatch, rhsBatch)) ||
                 failed(checkPairedSizes(r, 11, "contracting", lhs, rhs, lhsContracting, rhsContracting)));
}

SmallVector<int64_t> dotShape(DotDimensionNumbersAttr numbers, RankedTensorType lhs, RankedTensorType rhs) {
  SmallVector<int64_t> shape;
  for (auto [left, right] : llvm::zip_equal(numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions()))
    shape.push_back(lhs.isDynamicDim(left) ? rhs.getDimSize(right) : lhs.getDimSize(left));
  auto appendFree = [&](RankedTensorType type, ArrayRef<int64_t> batching, ArrayRef<int64_t> contracting) {
    for (auto [i, size] : llvm::enumerate(type.getShape()))
      if (!llvm::is_contained(batching, static_cast<int64_t>(i)) &&
          !llvm::is_contained(contracting, static_cast<int64_t>(i)))
        shape.push_back(size);
  };
  appendFree(lhs, numbers.getLhsBatchingDimensions(), numbers.getLhsContractingDimensions());
  appendFree(rhs, numbers.getRhsBatchingDimensions(), numbers.getRhsContractingDimensions());
  return shape;
}

static Type expressedType(Type type) {
  auto quantized = llvm::dyn_cast<mlir::quant::QuantizedType>(type);
  return quantized ? quantized.getExpressedType() : type;
}

/// Real programs multiply two small float types, and quantized types by those and by what they express; the
/// specification wants one element type.
static bool mayMultiply(Type lhs, Type rhs) {
  if (lhs == rhs)
    return true;
  auto small = [](Type type) { return ir::isFloat(type) && type.getIntOrFloatBitWidth() <= 8; };
  bool quantized = ir::isQuantized(lhs) || ir::isQuantized(rhs);
  return quantized ? expressedType(lhs) == expressedType(rhs) : small(lhs) && small(rhs);
}

/// Results may accumulate in another type, but quantized operands have results that express the same.
static bool mayHoldProducts(Type lhs, Type rhs, Type result) {
  bool quantized = ir::isQuantized(lhs) || ir::isQuantized(rhs);
  return (!quantized || expressedType(lhs) == expressedType(result)) &&
         (ir::isQuantized(lhs) || !ir::isQuantized(result));
}

static LogicalResult checkProducts(mlir::Operation *op) {
  RankedTensorType lhs = tensor(op->getOperand(0)), rhs = tensor(op->getOperand(op->getNumOperands() == 1 ? 0 : 1));
  RankedTensorType result = tensor(op->getResult(0));
  if (!mayHoldProducts(lhs.getElementType(), rhs.getElementType(), result.getElementType()))
    return op->emitOpError() << "result cannot hold products of " << lhs << " and " << rhs << ", got " << result;
  return success();
}

/// StableHLO 1.20's rules for quantized products, those that dot_general, convolution and dynamic_conv share.
static LogicalResult checkQuantizedProducts(const Rules &r, RankedTensorType lhs, RankedTensorType rhs,
                                            RankedTensorType result) {
  auto left = llvm::dyn_cast<mlir::quant::QuantizedType>(lhs.getElementType());
  auto right = llvm::dyn_cast<mlir::quant::QuantizedType>(rhs.getElementType());
  bool isResultQuantized = ir::isQuantized(result.getElementType());
  if (!left && !right && !isResultQuantized)
    return success();
  auto broken = [&](StringRef rule) -> LogicalResult {
    return r.broken(r.mnemonic()) << "quantized products: " << rule << ", got " << lhs << ", " << rhs << " and "
                                  << result;
  };
  if (!right || (left != nullptr) != isResultQuantized)
    return broken("rhs must be quantized, and the result if lhs is");
  if (!left) {
    bool isExpressed =
        lhs.getElementType() == right.getExpressedType() && lhs.getElementType() == result.getElementType();
    return isExpressed ? success() : broken("lhs and result must have the type that rhs expresses");
  }
  if (left.getStorageType() != right.getStorageType() || left.isSigned() != right.isSigned())
    return broken("lhs and rhs must have the same storage type");
  if (ir::isQuantizedPerTensor(right) && ir::isQuantizedPerAxis(result.getElementType()))
    return broken("with a single scale of rhs, the result must have a single one");
  return success();
}

/// Those of dot_general alone: the weights have no zero point, and no sum goes over parts of different scales.
static LogicalResult checkWeights(const Rules &r, DotDimensionNumbersAttr numbers, RankedTensorType rhs) {
  SmallVector<int64_t> zeroPoints;
  if (auto perTensor = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(rhs.getElementType()))
    zeroPoints = {perTensor.getZeroPoint()};
  auto perAxis = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(rhs.getElementType());
  if (perAxis)
    llvm::append_range(zeroPoints, perAxis.getZeroPoints());
  if (llvm::any_of(zeroPoints, [](int64_t zeroPoint) { return zeroPoint != 0; }))
    return r.broken("dot_general") << "zero points of rhs must be 0, got " << rhs;
  if (perAxis && llvm::is_contained(numbers.getRhsContractingDimensions(), int64_t(perAxis.getQuantizedDimension())))
    return r.broken("dot_general") << "the quantized dimension of rhs must not be contracted, got " << rhs;
  return success();
}

/// Whether some hardware is known to have the algorithm (StableHLO 1.20: dot_general's C22 to C24, I8 to I14).
static bool isKnown(DotAlgorithmAttr algorithm) {
  Type lhs = algorithm.getLhsPrecisionType(), rhs = algorithm.getRhsPrecisionType(),
       sum = algorithm.getAccumulationType();
  int64_t products = algorithm.getNumPrimitiveOperations();
  if (algorithm.getLhsComponentCount() != 1 || algorithm.getRhsComponentCount() != 1)
    return false;
  auto isF8 = [](Type type) {
    return ir::isFloat(type) && type.getIntOrFloatBitWidth() == 8 && !llvm::isa<mlir::Float8E8M0FNUType>(type);
  };
  if (isF8(lhs) && isF8(rhs))
    return sum.isF32() && products == 1;
  if (lhs != rhs || algorithm.getAllowImpreciseAccumulation())
    return false;
  if (lhs.isBF16() && sum.isF32())
    return products == 1 || products == 3 || products == 6 || products == 9;
  if (lhs.isTF32())
    return sum.isF32() && (products == 1 || products == 3);
  bool isWide = sum == lhs || (lhs.isF16() && sum.isF32());
  return (lhs.isF16() || lhs.isBF16() || lhs.isF32() || lhs.isF64()) && isWide && products == 1;
}

static LogicalResult checkAlgorithm(const Rules &r, DotGeneralOp op) {
  std::optional<DotAlgorithmAttr> algorithm = op.getAlgorithm();
  if (!algorithm)
    return success();
  if (!isKnown(*algorithm))
    return r.broken("dot_general") << "algorithm must be one that is known on some hardware, got " << *algorithm;
  auto isDefault = [](mlir::Attribute precision) {
    return llvm::cast<PrecisionAttr>(precision).getValue() == Precision::DEFAULT;
  };
  if (op.getPrecisionConfig() && !llvm::all_of(*op.getPrecisionConfig(), isDefault))
    return r.broken("dot_general") << "precision_config must be DEFAULT beside an algorithm, got "
                                   << *op.getPrecisionConfig();
  return success();
}

LogicalResult DotGeneralOp::verify() {
  Rules r(*this);
  RankedTensorType lhs = tensor(getLhs()), rhs = tensor(getRhs());
  // An algorithm names the operands' precisions, which then need not be their types.
  if (!getAlgorithm() && !mayMultiply(lhs.getElementType(), rhs.getElementType()))
    return r.broken("dot_general_c1") << "lhs and rhs must have the same element type, got " << lhs << " and " << rhs;
  if (failed(checkDotDimensions(r, getDotDimensionNumbers(), lhs, rhs)) ||
      failed(checkPrecision(r, 12, getPrecisionConfig())) || failed(checkAlgorithm(r, *this)))
    return failure();
  SmallVector<int64_t> shape = dotShape(getDotDimensionNumbers(), lhs, rhs);
  if (!compatibleShapes(shape, getType().getShape()))
    return r.broken("dot_general_c13") << "result must have shape " << shape << ", got " << getType();
  if (failed(checkProducts(*this)) || failed(checkQuantizedProducts(r, lhs, rhs, getType())))
    return failure();
  return checkWeights(r, getDotDimensionNumbers(), rhs);
}

LogicalResult DotOp::verify() {
  Rules r(*this);
  RankedTensorType lhs = tensor(getLhs()), rhs = tensor(getRhs());
  if (lhs.getRank() < 1 || lhs.getRank() > 2 || rhs.getRank() < 1 || rhs.getRank() > 2)
    return r.broken("dot_c1") << "operands must have rank 1 or 2, got " << lhs << " and " << rhs;
  if (!compatible(lhs.getShape().back(), rhs.getShape().front()))
    return r.broken("dot_c2") << "the last dimension of lhs must have the size of the first of rhs, got " << lhs
                              << " and " << rhs;
  SmallVector<int64_t> shape(lhs.getShape().drop_back());
  llvm::append_range(shape, rhs.getShape().drop_front());
  if (!compatibleShapes(shape, getType().getShape()))
    return r.broken("dot_c3") << "result must have shape " << shape << ", got " << getType();
  if (!mayMultiply(lhs.getElementType(), rhs.getElementType()))
    return r.broken("dot_c4") << "lhs and rhs must have the same element type, got " << lhs << " and " << rhs;
  return checkProducts(*this);
}

// `ab,bc->ac`: a label for each dimension; one label, one size.
static LogicalResult checkEinsum(mlir::Operation *op) {
  auto config = op->getAttrOfType<mlir::StringAttr>("einsum_config");
  std::optional<EinsumLabels> labels = einsumLabels(op);
  if (!labels)
    return op->emitOpError() << "einsum_config " << config
                             << " is not of the form 'ab,bc->ac' with a letter for each dimension of "
                             << op->getOperandTypes() << " and " << op->getResultTypes();
  auto isHidden = [](char label) { return label < ' '; };
  llvm::SmallDenseMap<char, int64_t> sizes;
  auto check = [&](StringRef term, RankedTensorType type) -> LogicalResult {
    for (auto [label, size] : llvm::zip_equal(term, type.getShape())) {
      int64_t &known = sizes.try_emplace(label, size).first->second;
      if (!compatible(known, size))
        return op->emitOpError() << (isHidden(label) ? "the ellipsis" : "label '" + std::string(1, label) + "'")
                                 << " of einsum_config stands for sizes " << known << " and " << size;
      known = ShapedType::isDynamic(known) ? size : known;
    }
    return success();
  };
  for (auto [operand, term] : llvm::zip_equal(op->getOperands(), labels->operands)) {
    if (failed(check(term, tensor(operand))))
      return failure();
    if (!mayMultiply(tensor(op->getOperand(0)).getElementType(), tensor(operand).getElementType()))
      return op->emitOpError() << "operands must have the same element type, got " << op->getOperandTypes();
  }
  for (const std::string &term : labels->operands)
    if (llvm::count_if(term, isHidden) > llvm::count_if(labels->result, isHidden))
      return op->emitOpError() << "einsum_config " << config << " sums over the dimensions of an ellipsis";
  for (char label : labels->result)
    if (llvm::count(labels->result, label) > 1 || !sizes.contains(label))
      return op->emitOpError() << "einsum_config " << config << " gives a label that no operand has, or gives it twice";
  if (failed(check(labels->result, tensor(op->getResult(0)))))
    return failure();
  return checkProducts(op);
}

LogicalResult EinsumOp::verify() { return checkEinsum(*this); }
LogicalResult UnaryEinsumOp::verify() { return checkEinsum(*this); }

//===- convolution -----------------------------------------------------------------------------------------------===//

namespace {
/// The common part of convolution and dynamic_conv; the numbers of the rules are convolution's.
struct Convolution {
  const Rules &r;
  RankedTensorType lhs, rhs, result;
  ConvDimensionNumbersAttr numbers;
  int64_t featureGroups, batchGroups;
  SmallVector<WindowDimension> windows;

  int64_t spatial() const { return lhs.getRank() - 2; }
  /// Whether a static size is not a multiple of the divisor.
  static bool indivisible(int64_t size, int64_t divisor) { return !ShapedType::isDynamic(size) && size % divisor; }

  LogicalResult checkRanks() const {
    if (lhs.getRank() != rhs.getRank() || lhs.getRank() < 2)
      return r.broken(1) << "lhs and rhs must have the same rank, of at least 2, got " << lhs << " and " << rhs;
    if (!mayMultiply(lhs.getElementType(), rhs.getElementType()))
      return r.broken(2) << "lhs and rhs must have the same element type, got " << lhs << " and " << rhs;
    if (featureGroups <= 0)
      return r.broken(22) << "feature_group_count must be > 0, got " << featureGroups;
    if (batchGroups <= 0)
      return r.broken(23) << "batch_group_count must be > 0, got " << batchGroups;
    if (featureGroups > 1 && batchGroups > 1)
      return r.broken(24) << "feature_group_count or batch_group_count must be 1, got " << featureGroups << " and "
                          << batchGroups;
    return success();
  }

  /// One tensor's dimension numbers: as many spatial ones as there are, all different and in range.
  LogicalResult checkNumbers(int sizeRule, int rule, Name name, ArrayRef<int64_t> spatialDimensions, int64_t first,
                             int64_t second) const {
    if (failed(checkSize(r, sizeRule, name, spatialDimensions, spatial())))
      return failure();
    SmallVector<int64_t> all{first, second};
    llvm::append_range(all, spatialDimensions);
    return failure(failed(checkUnique(r, rule, name, all)) || failed(checkInRange(r, rule, name, all, lhs.getRank())));
  }

  LogicalResult checkAllNumbers() const {
    return failure(
        failed(checkNumbers(13, 14, "input dimensions", numbers.getInputSpatialDimensions(),
                            numbers.getInputBatchDimension(), numbers.getInputFeatureDimension())) ||
        failed(checkNumbers(18, 19, "kernel dimensions", numbers.getKernelSpatialDimensions(),
                            numbers.getKernelInputFeatureDimension(), numbers.getKernelOutputFeatureDimension())) ||
        failed(checkNumbers(20, 21, "output dimensions", numbers.getOutputSpatialDimensions(),
                            numbers.getOutputBatchDimension(), numbers.getOutputFeatureDimension())));
  }

  LogicalResult checkGroups() const {
    int64_t batch = lhs.getDimSize(numbers.getInputBatchDimension());
    int64_t features = lhs.getDimSize(numbers.getInputFeatureDimension());
    int64_t kernelInputs = rhs.getDimSize(numbers.getKernelInputFeatureDimension());
    int64_t kernelOutputs = rhs.getDimSize(numbers.getKernelOutputFeatureDimension());
    if (indivisible(batch, batchGroups))
      return r.broken(11) << "the batch size must be a multiple of batch_group_count " << batchGroups << ", got "
                          << batch;
    if (indivisible(features, featureGroups))
      return r.broken(12) << "the number of input features must be a multiple of feature_group_count " << featureGroups
                          << ", got " << features;
    if (!ShapedType::isDynamic(features) && !compatible(kernelInputs, features / featureGroups))
      return r.broken(15) << "the kernel must have " << features / featureGroups << " input features, got "
                          << kernelInputs;
    if (indivisible(kernelOutputs, batchGroups))
      return r.broken(16) << "the kernel's number of output features must be a multiple of batch_group_count "
                          << batchGroups << ", got " << kernelOutputs;
    if (indivisible(kernelOutputs, featureGroups))
      return r.broken(17) << "the kernel's number of output features must be a multiple of feature_group_count "
                          << featureGroups << ", got " << kernelOutputs;
    return success();
  }

  /// Reads the window, all but its sizes and padding.
  LogicalResult readWindow(std::optional<ArrayRef<int64_t>> strides, std::optional<ArrayRef<int64_t>> lhsDilation,
                           std::optional<ArrayRef<int64_t>> rhsDilation, std::optional<ArrayRef<bool>> reversal) {
    windows.assign(spatial(), WindowDimension());
    auto read = [&](int sizeRule, int rule, Name name, std::optional<ArrayRef<int64_t>> values,
                    int64_t WindowDimension::*field) {
      if (!values)
        return success();
      if (failed(checkSize(r, sizeRule, name, *values, spatial())) || failed(checkPositive(r, rule, name, *values)))
        return failure();
      for (auto [window, value] : llvm::zip_equal(windows, *values))
        window.*field = value;
      return success();
    };
    if (failed(read(3, 4, "window_strides", strides, &WindowDimension::stride)) ||
        failed(read(6, 7, "lhs_dilation", lhsDilation, &WindowDimension::baseDilation)) ||
        failed(read(8, 9, "rhs_dilation", rhsDilation, &WindowDimension::windowDilation)))
      return failure();
    if (reversal && static_cast<int64_t>(reversal->size()) != spatial())
      return r.broken(10) << "window_reversal must have " << spatial() << " elements, got " << reversal->size();
    return success();
  }

  /// Padding that is an operand.
  LogicalResult checkPadding(RankedTensorType padding) const {
    if (!compatibleShapes({spatial(), 2}, padding.getShape()))
      return r.broken(5) << "padding must have shape " << ArrayRef<int64_t>{spatial(), 2} << ", got " << padding;
    return success();
  }

  SmallVector<int64_t> shapeOfResult(bool paddingKnown) {
    SmallVector<int64_t> shape(lhs.getRank(), ShapedType::kDynamic);
    int64_t batch = lhs.getDimSize(numbers.getInputBatchDimension());
    shape[numbers.getOutputBatchDimension()] = ShapedType::isDynamic(batch) ? batch : batch / batchGroups;
    shape[numbers.getOutputFeatureDimension()] = rhs.getDimSize(numbers.getKernelOutputFeatureDimension());
    for (int64_t i = 0; paddingKnown && i < spatial(); ++i) {
      windows[i].size = rhs.getDimSize(numbers.getKernelSpatialDimensions()[i]);
      if (!ShapedType::isDynamic(windows[i].size))
        shape[numbers.getOutputSpatialDimensions()[i]] =
            windows[i].count(lhs.getDimSize(numbers.getInputSpatialDimensions()[i]));
    }
    return shape;
  }

  LogicalResult checkResult(bool paddingKnown) {
    if (result.getRank() != lhs.getRank())
      return r.broken(28) << "result must have rank " << lhs.getRank() << ", got " << result;
    SmallVector<int64_t> shape = shapeOfResult(paddingKnown);
    if (!compatibleShapes(shape, result.getShape()))
      return r.broken(26) << "result must have shape " << shape << ", got " << result;
    return success();
  }

  /// Other types must not drop a part of each product.
  LogicalResult checkResultType() const {
    Type element = lhs.getElementType(), sum = result.getElementType();
    if (!mayHoldProducts(element, rhs.getElementType(), sum) ||
        (!ir::isQuantized(element) && ir::numberKind(element) > ir::numberKind(sum)))
      return r.broken(27) << "lhs and result must have the same element type, got " << lhs << " and " << result;
    return checkQuantization();
  }

  /// StableHLO 1.20's C28 to C34.
  LogicalResult checkQuantization() const {
    auto weights = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(rhs.getElementType());
    if (weights && weights.getQuantizedDimension() != numbers.getKernelOutputFeatureDimension())
      return r.broken(r.mnemonic()) << "rhs must be quantized along the kernel's output features, dimension "
                                    << numbers.getKernelOutputFeatureDimension() << ", got " << rhs;
    auto sums = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(result.getElementType());
    if (sums && sums.getQuantizedDimension() != numbers.getOutputFeatureDimension())
      return r.broken(r.mnemonic()) << "result must be quantized along the output's features, dimension "
                                    << numbers.getOutputFeatureDimension() << ", got " << result;
    return checkQuantizedProducts(r, lhs, rhs, result);
  }
};
} // namespace

/// The op's convolution, its inputs checked.
static FailureOr<Convolution> checkedConvolution(const Rules &r, ConvolutionOp op) {
  Convolution conv{r,
                   tensor(op.getLhs()),
                   tensor(op.getRhs()),
                   op.getType(),
                   op.getDimensionNumbers(),
                   static_cast<int64_t>(op.getFeatureGroupCount()),
                   static_cast<int64_t>(op.getBatchGroupCount()),
                   {}};
  if (failed(conv.checkRanks()) ||
      failed(conv.readWindow(op.getWindowStrides(), op.getLhsDilation(), op.getRhsDilation(), op.getWindowReversal())))
    return failure();
  auto padding = paddingPairs(r, 5, op.getPadding(), conv.spatial());
  if (failed(padding) || failed(conv.checkAllNumbers()) || failed(conv.checkGroups()) ||
      failed(checkPrecision(r, 25, op.getPrecisionConfig())))
    return failure();
  for (auto [window, pair] : llvm::zip_equal(conv.windows, *padding))
    std::tie(window.padLow, window.padHigh) = pair;
  return conv;
}

FailureOr<SmallVector<int64_t>> convolutionShape(ConvolutionOp op) {
  Rules r(op);
  FailureOr<Convolution> conv = checkedConvolution(r, op);
  if (failed(conv))
    return failure();
  return conv->shapeOfResult(/*paddingKnown=*/true);
}

LogicalResult ConvolutionOp::verify() {
  Rules r(*this);
  FailureOr<Convolution> conv = checkedConvolution(r, *this);
  if (failed(conv) || failed(conv->checkResult(/*paddingKnown=*/true)))
    return failure();
  return conv->checkResultType();
}

LogicalResult DynamicConvOp::verify() {
  Rules r(*this);
  Convolution conv{r,
                   tensor(getLhs()),
                   tensor(getRhs()),
                   getType(),
                   getDimensionNumbers(),
                   static_cast<int64_t>(getFeatureGroupCount()),
                   static_cast<int64_t>(getBatchGroupCount()),
                   {}};
  return failure(failed(conv.checkRanks()) ||
                 failed(conv.readWindow(getWindowStrides(), getLhsDilation(), getRhsDilation(), getWindowReversal())) ||
                 failed(conv.checkAllNumbers()) || failed(conv.checkGroups()) ||
                 failed(checkPrecision(r, 25, getPrecisionConfig())) ||
                 failed(conv.checkPadding(tensor(getPadding()))) || failed(conv.checkResult(/*paddingKnown=*/false)) ||
                 failed(conv.checkResultType()));
}

} // namespace tenon::stablehlo
