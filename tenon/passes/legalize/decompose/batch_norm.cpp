#include "tenon/passes/legalize/decompose/batch_norm.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/passes/legalize/decompose/array_builder.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

// Shorthand for building the formulas.
struct Arithmetic {
  OpBuilder &builder;
  Location loc;

  template <typename Op> Value binary(Value lhs, Value rhs) const {
    return Op::create(builder, loc, lhs.getType(), lhs, rhs);
  }
  Value add(Value a, Value b) const { return binary<sh::AddOp>(a, b); }
  Value sub(Value a, Value b) const { return binary<sh::SubtractOp>(a, b); }
  Value mul(Value a, Value b) const { return binary<sh::MultiplyOp>(a, b); }
  Value div(Value a, Value b) const { return binary<sh::DivideOp>(a, b); }
};

} // namespace

FloatType BatchNorm::computesIn(FloatType element) {
  return element.getWidth() < 32 ? Builder(element.getContext()).getF32Type() : element;
}

Value BatchNorm::constant(double value) const {
  APFloat number(value);
  bool lost;
  auto element = cast<FloatType>(type_.getElementType());
  number.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
  return sh::ConstantOp::create(builder_, loc_, SplatElementsAttr::get(RankedTensorType::get({}, element), number));
}

Value BatchNorm::broadcastTo(Value perFeature) const {
  return sh::BroadcastInDimOp::create(builder_, loc_, type_, perFeature, ArrayRef<int64_t>{feature_});
}

Value BatchNorm::fill(Value scalar, Type shape) const {
  return sh::BroadcastInDimOp::create(builder_, loc_, cast<RankedTensorType>(shape), scalar, ArrayRef<int64_t>{});
}

// sqrt(variance + epsilon), one value a feature.
Value BatchNorm::deviation(Value variance, double epsilon) const {
  Value sum = Arithmetic{builder_, loc_}.add(variance, fill(constant(epsilon), variance.getType()));
  return sh::SqrtOp::create(builder_, loc_, sum.getType(), sum);
}

// Sum over all dimensions but the feature's.
Value BatchNorm::sum(Value value) const {
  if (counted_)
    value = sh::SelectOp::create(builder_, loc_, type_, counted_, value, fill(constant(0.0), type_));
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < type_.getRank(); ++i)
    if (i != feature_)
      dims.push_back(i);
  return ArrayBuilder(builder_, loc_).sum(value, dims);
}

Value BatchNorm::countOf(Type shape) const {
  if (count_)
    return fill(count_, shape);
  return fill(constant(double(type_.getNumElements()) / double(std::max<int64_t>(1, type_.getDimSize(feature_)))),
              shape);
}

Value BatchNorm::inference(Value operand, Value scale, Value offset, Value mean, Value variance, double epsilon) const {
  Arithmetic f{builder_, loc_};
  Value centered = f.sub(operand, broadcastTo(mean));
  Value normalized = f.div(centered, broadcastTo(deviation(variance, epsilon)));
  return f.add(f.mul(broadcastTo(scale), normalized), broadcastTo(offset));
}

SmallVector<Value> BatchNorm::training(Value operand, Value scale, Value offset, double epsilon) const {
  Arithmetic f{builder_, loc_};
  Value total = sum(operand);
  Value mean = f.div(total, countOf(total.getType()));
  Value centered = f.sub(operand, broadcastTo(mean));
  Value variance = f.div(sum(f.mul(centered, centered)), countOf(total.getType()));
  return {inference(operand, scale, offset, mean, variance, epsilon), mean, variance};
}

// scale / deviation / N * (N * gradient - sum(gradient) - centered * sum(gradient * centered) / (variance + eps))
SmallVector<Value> BatchNorm::gradients(Value operand, Value scale, Value mean, Value variance, Value gradOutput,
                                        double epsilon) const {
  Arithmetic f{builder_, loc_};
  Value centered = f.sub(operand, broadcastTo(mean));
  Value deviation = this->deviation(variance, epsilon);
  Value gradOffset = sum(gradOutput);
  Value weighted = sum(f.mul(gradOutput, centered));
  Value gradScale = f.div(weighted, deviation);
  Value count = countOf(gradOffset.getType());
  Value scaled = f.mul(gradOutput, broadcastTo(count));
  Value less = f.sub(scaled, broadcastTo(gradOffset));
  Value correction = f.div(f.mul(centered, broadcastTo(weighted)), broadcastTo(f.mul(deviation, deviation)));
  Value factor = f.div(f.div(scale, deviation), count);
  return {f.mul(broadcastTo(factor), f.sub(less, correction)), gradScale, gradOffset};
}

} // namespace tenon::passes
