#include "tenon/passes/legalize/decompose/batch_norm.h"

#include "tenon/ir/stablehlo.h"

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
  auto element = cast<FloatType>(type.getElementType());
  number.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
  return sh::ConstantOp::create(builder, loc, SplatElementsAttr::get(RankedTensorType::get({}, element), number));
}

Value BatchNorm::spread(Value perFeature) const {
  return sh::BroadcastInDimOp::create(builder, loc, type, perFeature, ArrayRef<int64_t>{feature});
}

Value BatchNorm::fill(Value scalar, Type shape) const {
  return sh::BroadcastInDimOp::create(builder, loc, cast<RankedTensorType>(shape), scalar, ArrayRef<int64_t>{});
}

// sqrt(variance + epsilon), one value a feature.
Value BatchNorm::deviation(Value variance, double epsilon) const {
  Value sum = Arithmetic{builder, loc}.add(variance, fill(constant(epsilon), variance.getType()));
  return sh::SqrtOp::create(builder, loc, sum.getType(), sum);
}

// Sum over all dimensions but the feature's.
Value BatchNorm::sum(Value value) const {
  if (counted)
    value = sh::SelectOp::create(builder, loc, type, counted, value, fill(constant(0.0), type));
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != feature)
      dims.push_back(i);
  auto resultType = RankedTensorType::get({type.getDimSize(feature)}, type.getElementType());
  auto reduce =
      sh::ReduceOp::create(builder, loc, TypeRange{resultType}, ValueRange{value}, ValueRange{constant(0.0)}, dims);
  OpBuilder::InsertionGuard guard(builder);
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Block *body = builder.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {loc, loc});
  Value total = sh::AddOp::create(builder, loc, scalar, body->getArgument(0), body->getArgument(1));
  sh::ReturnOp::create(builder, loc, total);
  return reduce.getResult(0);
}

Value BatchNorm::countOf(Type shape) const {
  if (count)
    return fill(count, shape);
  return fill(constant(double(type.getNumElements()) / double(std::max<int64_t>(1, type.getDimSize(feature)))), shape);
}

Value BatchNorm::inference(Value operand, Value scale, Value offset, Value mean, Value variance, double epsilon) const {
  Arithmetic f{builder, loc};
  Value centered = f.sub(operand, spread(mean));
  Value normalized = f.div(centered, spread(deviation(variance, epsilon)));
  return f.add(f.mul(spread(scale), normalized), spread(offset));
}

SmallVector<Value> BatchNorm::training(Value operand, Value scale, Value offset, double epsilon) const {
  Arithmetic f{builder, loc};
  Value total = sum(operand);
  Value mean = f.div(total, countOf(total.getType()));
  Value centered = f.sub(operand, spread(mean));
  Value variance = f.div(sum(f.mul(centered, centered)), countOf(total.getType()));
  return {inference(operand, scale, offset, mean, variance, epsilon), mean, variance};
}

// scale / deviation / N * (N * gradient - sum(gradient) - centered * sum(gradient * centered) / (variance + eps))
SmallVector<Value> BatchNorm::gradients(Value operand, Value scale, Value mean, Value variance, Value gradOutput,
                                        double epsilon) const {
  Arithmetic f{builder, loc};
  Value centered = f.sub(operand, spread(mean));
  Value deviation = this->deviation(variance, epsilon);
  Value gradOffset = sum(gradOutput);
  Value weighted = sum(f.mul(gradOutput, centered));
  Value gradScale = f.div(weighted, deviation);
  Value count = countOf(gradOffset.getType());
  Value scaled = f.mul(gradOutput, spread(count));
  Value less = f.sub(scaled, spread(gradOffset));
  Value correction = f.div(f.mul(centered, spread(weighted)), spread(f.mul(deviation, deviation)));
  Value factor = f.div(f.div(scale, deviation), count);
  return {f.mul(spread(factor), f.sub(less, correction)), gradScale, gradOffset};
}

} // namespace tenon::passes
