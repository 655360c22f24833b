// Ops that are compositions of others, as the specification's own pseudo-code gives them. What is left afterwards has a
// kernel, or runs as a runtime call.
//
//   batch_norm_inference(x, scale, offset, mean, var)  =>  (x - mean) / sqrt(var + eps) * scale + offset

#include "tenon/ir/stablehlo.h"
#include "tenon/passes/legalize/decompose/batch_norm.h"
#include "tenon/passes/legalize/decompose/patterns.h"
#include "tenon/passes/passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

template <typename Op> FailureOr<BatchNorm> formulaFor(Op op, PatternRewriter &rewriter) {
  RankedTensorType type = typeOf(op.getOperand());
  auto element = dyn_cast<FloatType>(type.getElementType());
  if (!type.hasStaticShape() || !element ||
      BatchNorm::computesIn(element) != element) // narrower ones are widened first
    return failure();
  return BatchNorm(rewriter, op.getLoc(), type, op.getFeatureIndex());
}

struct InferencePattern : OpRewritePattern<sh::BatchNormInferenceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::BatchNormInferenceOp op, PatternRewriter &rewriter) const override {
    FailureOr<BatchNorm> formula = formulaFor(op, rewriter);
    if (failed(formula))
      return failure();
    rewriter.replaceOp(op, formula->inference(op.getOperand(), op.getScale(), op.getOffset(), op.getMean(),
                                              op.getVariance(), op.getEpsilon().convertToFloat()));
    return success();
  }
};

struct TrainingPattern : OpRewritePattern<sh::BatchNormTrainingOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::BatchNormTrainingOp op, PatternRewriter &rewriter) const override {
    FailureOr<BatchNorm> formula = formulaFor(op, rewriter);
    if (failed(formula))
      return failure();
    rewriter.replaceOp(
        op, formula->training(op.getOperand(), op.getScale(), op.getOffset(), op.getEpsilon().convertToFloat()));
    return success();
  }
};

struct GradPattern : OpRewritePattern<sh::BatchNormGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::BatchNormGradOp op, PatternRewriter &rewriter) const override {
    FailureOr<BatchNorm> formula = formulaFor(op, rewriter);
    if (failed(formula))
      return failure();
    rewriter.replaceOp(op, formula->gradients(op.getOperand(), op.getScale(), op.getMean(), op.getVariance(),
                                              op.getGradOutput(), op.getEpsilon().convertToFloat()));
    return success();
  }
};

struct DotPattern : OpRewritePattern<sh::DotOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::DotOp op, PatternRewriter &rewriter) const override {
    int64_t lhsRank = typeOf(op.getLhs()).getRank();
    auto numbers = sh::DotDimensionNumbersAttr::get(op.getContext(), {}, {}, {lhsRank - 1}, {0});
    rewriter.replaceOpWithNewOp<sh::DotGeneralOp>(op, op.getType(), op.getLhs(), op.getRhs(), numbers,
                                                  op.getPrecisionConfigAttr(), sh::DotAlgorithmAttr());
    return success();
  }
};

// Windows over padding alone sum nothing: the convolution's code reads the operands.
struct EmptyConvolutionPattern : OpRewritePattern<sh::ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::ConvolutionOp op, PatternRewriter &rewriter) const override {
    auto isEmpty = [](Value value) { return typeOf(value).hasStaticShape() && typeOf(value).getNumElements() == 0; };
    if (!typeOf(op.getResult()).hasStaticShape() || !(isEmpty(op.getLhs()) || isEmpty(op.getRhs())))
      return failure();
    rewriter.replaceOp(op, zerosOf(rewriter, op.getLoc(), op.getType()));
    return success();
  }
};

struct BroadcastPattern : OpRewritePattern<sh::BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::BroadcastOp op, PatternRewriter &rewriter) const override {
    SmallVector<int64_t> dims;
    int64_t rank = typeOf(op.getOperand()).getRank(), outRank = typeOf(op.getResult()).getRank();
    for (int64_t i = 0; i < rank; ++i)
      dims.push_back(outRank - rank + i);
    rewriter.replaceOpWithNewOp<sh::BroadcastInDimOp>(op, op.getType(), op.getOperand(), dims);
    return success();
  }
};

// map applies an elementwise computation: its body runs on whole arrays.
struct MapPattern : OpRewritePattern<sh::MapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::MapOp op, PatternRewriter &rewriter) const override {
    RankedTensorType type = typeOf(op.getResult());
    if (!type.hasStaticShape())
      return failure();
    Block &body = op.getComputation().front();
    for (Operation &inner : body.without_terminator())
      if (!inner.hasTrait<ir::Elementwise>() && !inner.hasTrait<OpTrait::ConstantLike>())
        return failure();
    IRMapping mapping;
    mapping.map(body.getArguments(), op.getInputs());
    auto arrayOf = [&](Value value) -> Value {
      Value mapped = mapping.lookupOrDefault(value);
      if (typeOf(mapped).getShape() == type.getShape())
        return mapped;
      auto wide = RankedTensorType::get(type.getShape(), typeOf(mapped).getElementType());
      return sh::BroadcastInDimOp::create(rewriter, op.getLoc(), wide, mapped, ArrayRef<int64_t>{});
    };
    for (Operation &inner : body.without_terminator()) {
      if (inner.hasTrait<OpTrait::ConstantLike>()) {
        mapping.map(inner.getResult(0), rewriter.clone(inner)->getResult(0));
        continue;
      }
      OperationState state(inner.getLoc(), inner.getName().getStringRef());
      for (Value operand : inner.getOperands())
        state.operands.push_back(arrayOf(operand));
      for (Type result : inner.getResultTypes())
        state.addTypes(RankedTensorType::get(type.getShape(), cast<RankedTensorType>(result).getElementType()));
      state.propertiesAttr = inner.getPropertiesAsAttribute();
      Operation *copy = rewriter.create(state);
      mapping.map(inner.getResults(), copy->getResults());
    }
    rewriter.replaceOp(op, arrayOf(body.getTerminator()->getOperand(0)));
    return success();
  }
};

// A dimension counted from the end becomes one from the front.
struct SortDimensionPattern : OpRewritePattern<sh::SortOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::SortOp op, PatternRewriter &rewriter) const override {
    auto dimension = static_cast<int64_t>(op.getDimension());
    if (dimension >= 0 || op.getInputs().empty())
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.setDimension(dimension + typeOf(op.getInputs()[0]).getRank()); });
    return success();
  }
};

// What a reduction takes together is in the order of the operand's elements, however its dimensions are listed; later
// stages read the dimensions from the outermost to the innermost.
struct ReduceDimensionsPattern : OpRewritePattern<sh::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::ReduceOp op, PatternRewriter &rewriter) const override {
    if (llvm::is_sorted(op.getDimensions()))
      return failure();
    SmallVector<int64_t> dimensions(op.getDimensions());
    llvm::sort(dimensions);
    rewriter.modifyOpInPlace(op, [&] { op.setDimensions(dimensions); });
    return success();
  }
};

} // namespace

void populateMapPatterns(RewritePatternSet &patterns) { patterns.add<MapPattern>(patterns.getContext()); }

LogicalResult decompose(ModuleOp module) {
  if (failed(expandRng(module)) || failed(expandBroadcasting(module)) || failed(expandEinsums(module)))
    return failure();
  RewritePatternSet patterns(module.getContext());
  patterns.add<InferencePattern, TrainingPattern, GradPattern, DotPattern, EmptyConvolutionPattern, BroadcastPattern,
               SortDimensionPattern, ReduceDimensionsPattern>(module.getContext());
  populateBitcastPatterns(patterns);
  populateChloPatterns(patterns);
  populateCollectivePatterns(patterns);
  populateComputationPatterns(patterns);
  populateGridCollectivePatterns(patterns);
  populateIndexingLegalization(patterns);
  populateKnownCallPatterns(patterns);
  populateMapPatterns(patterns);
  populateMixedKindPatterns(patterns);
  populateNarrowFloatPatterns(patterns);
  populateRaggedDotPatterns(patterns);
  populateRngPatterns(patterns);
  populateScanPatterns(patterns);
  populateAssociativeScanPatterns(patterns);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  (void)applyPatternsGreedily(module, std::move(patterns), config);
  return verifyCompilable(module);
}

} // namespace tenon::passes
