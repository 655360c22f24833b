// Ops that are compositions of others, as the specification's own pseudo-code gives them. What is left afterwards has a
// kernel, or runs as a service.
//
//   batch_norm_inference(x, scale, offset, mean, var)  =>  (x - mean) / sqrt(var + eps) * scale + offset

#include "tenon/ir/stablehlo.h"
#include "tenon/passes/legalize/patterns.h"
#include "tenon/passes/passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

// Shorthand for building the normalisation formulas.
class Formula {
public:
  Formula(PatternRewriter &rewriter, Location loc, RankedTensorType type, int64_t feature)
      : rewriter(rewriter), loc(loc), type(type), feature(feature) {}

  Value constant(double value) {
    APFloat number(value);
    bool lost;
    auto element = cast<FloatType>(type.getElementType());
    number.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
    return sh::ConstantOp::create(rewriter, loc, SplatElementsAttr::get(RankedTensorType::get({}, element), number));
  }
  Value spread(Value perFeature) {
    return sh::BroadcastInDimOp::create(rewriter, loc, type, perFeature, ArrayRef<int64_t>{feature});
  }
  Value fill(Value scalar, Type shape) {
    return sh::BroadcastInDimOp::create(rewriter, loc, cast<RankedTensorType>(shape), scalar, ArrayRef<int64_t>{});
  }
  template <typename Op> Value binary(Value lhs, Value rhs) {
    return Op::create(rewriter, loc, lhs.getType(), lhs, rhs);
  }
  Value add(Value a, Value b) { return binary<sh::AddOp>(a, b); }
  Value sub(Value a, Value b) { return binary<sh::SubtractOp>(a, b); }
  Value mul(Value a, Value b) { return binary<sh::MultiplyOp>(a, b); }
  Value div(Value a, Value b) { return binary<sh::DivideOp>(a, b); }
  Value sqrt(Value a) { return sh::SqrtOp::create(rewriter, loc, a.getType(), a); }

  // sqrt(variance + epsilon), one value a feature.
  Value deviation(Value variance, double epsilon) {
    return sqrt(add(variance, fill(constant(epsilon), variance.getType())));
  }

  // Sum over all dimensions but the feature's.
  Value sum(Value value) {
    SmallVector<int64_t> dims;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (i != feature)
        dims.push_back(i);
    auto resultType = RankedTensorType::get({type.getDimSize(feature)}, type.getElementType());
    auto reduce =
        sh::ReduceOp::create(rewriter, loc, TypeRange{resultType}, ValueRange{value}, ValueRange{constant(0.0)}, dims);
    OpBuilder::InsertionGuard guard(rewriter);
    auto scalar = RankedTensorType::get({}, type.getElementType());
    Block *body = rewriter.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {loc, loc});
    Value total = sh::AddOp::create(rewriter, loc, scalar, body->getArgument(0), body->getArgument(1));
    sh::ReturnOp::create(rewriter, loc, total);
    return reduce.getResult(0);
  }
  Value mean(Value value) {
    Value total = sum(value);
    double count = double(type.getNumElements()) / double(std::max<int64_t>(1, type.getDimSize(feature)));
    return div(total, fill(constant(count), total.getType()));
  }

  Value normalize(Value operand, Value scale, Value offset, Value mean, Value variance, double epsilon) {
    Value centered = sub(operand, spread(mean));
    Value normalized = div(centered, spread(deviation(variance, epsilon)));
    return add(mul(spread(scale), normalized), spread(offset));
  }

private:
  PatternRewriter &rewriter;
  Location loc;
  RankedTensorType type;
  int64_t feature;
};

template <typename Op> FailureOr<Formula> formulaFor(Op op, PatternRewriter &rewriter) {
  RankedTensorType type = typeOf(op.getOperand());
  auto element = dyn_cast<FloatType>(type.getElementType());
  if (!type.hasStaticShape() || !element || element.getWidth() < 16) // narrower ones are widened first
    return failure();
  return Formula(rewriter, op.getLoc(), type, op.getFeatureIndex());
}

struct InferencePattern : OpRewritePattern<sh::BatchNormInferenceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::BatchNormInferenceOp op, PatternRewriter &rewriter) const override {
    FailureOr<Formula> f = formulaFor(op, rewriter);
    if (failed(f))
      return failure();
    rewriter.replaceOp(op, f->normalize(op.getOperand(), op.getScale(), op.getOffset(), op.getMean(), op.getVariance(),
                                        op.getEpsilon().convertToFloat()));
    return success();
  }
};

struct TrainingPattern : OpRewritePattern<sh::BatchNormTrainingOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::BatchNormTrainingOp op, PatternRewriter &rewriter) const override {
    FailureOr<Formula> f = formulaFor(op, rewriter);
    if (failed(f))
      return failure();
    Value mean = f->mean(op.getOperand());
    Value centered = f->sub(op.getOperand(), f->spread(mean));
    Value variance = f->mean(f->mul(centered, centered));
    Value output =
        f->normalize(op.getOperand(), op.getScale(), op.getOffset(), mean, variance, op.getEpsilon().convertToFloat());
    rewriter.replaceOp(op, {output, mean, variance});
    return success();
  }
};

struct GradPattern : OpRewritePattern<sh::BatchNormGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::BatchNormGradOp op, PatternRewriter &rewriter) const override {
    FailureOr<Formula> f = formulaFor(op, rewriter);
    if (failed(f))
      return failure();
    RankedTensorType type = typeOf(op.getOperand());
    Value gradient = op.getGradOutput();
    Value centered = f->sub(op.getOperand(), f->spread(op.getMean()));
    Value deviation = f->deviation(op.getVariance(), op.getEpsilon().convertToFloat());
    Value gradOffset = f->sum(gradient);
    Value weighted = f->sum(f->mul(gradient, centered));
    Value gradScale = f->div(weighted, deviation);
    double count = double(type.getNumElements()) / double(std::max<int64_t>(1, type.getDimSize(op.getFeatureIndex())));
    Value perFeature = f->fill(f->constant(count), gradOffset.getType());
    Value variance = f->mul(deviation, deviation);
    // scale / deviation / N * (N * gradient - sum(gradient) - centered * sum(gradient * centered) / (variance + eps))
    Value scaled = f->mul(gradient, f->spread(perFeature));
    Value less = f->sub(scaled, f->spread(gradOffset));
    Value correction = f->div(f->mul(centered, f->spread(weighted)), f->spread(variance));
    Value factor = f->div(f->div(op.getScale(), deviation), perFeature);
    Value gradOperand = f->mul(f->spread(factor), f->sub(less, correction));
    rewriter.replaceOp(op, {gradOperand, gradScale, gradOffset});
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

} // namespace

LogicalResult decompose(ModuleOp module) {
  if (failed(expandRng(module)) || failed(expandBroadcasting(module)) || failed(expandEinsums(module)))
    return failure();
  RewritePatternSet patterns(module.getContext());
  patterns.add<InferencePattern, TrainingPattern, GradPattern, DotPattern, BroadcastPattern, MapPattern,
               SortDimensionPattern>(module.getContext());
  populateBitcastPatterns(patterns);
  populateChloPatterns(patterns);
  populateCollectivePatterns(patterns);
  populateComputationPatterns(patterns);
  populateIndexingLegalization(patterns);
  populateMixedKindPatterns(patterns);
  populateNarrowFloatPatterns(patterns);
  populateRaggedDotPatterns(patterns);
  populateRngPatterns(patterns);
  populateScanPatterns(patterns);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  (void)applyPatternsGreedily(module, std::move(patterns), config);
  return refuseUnsupported(module);
}

} // namespace tenon::passes
