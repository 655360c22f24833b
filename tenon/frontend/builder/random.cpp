// Random numbers (xla-preview-2017: RngBernoulli, RngNormal, RngUniform).
#include "tenon/frontend/builder/broadcast.h"
#include "tenon/ir/stablehlo.h"

#include "llvm/ADT/STLExtras.h"

namespace tenon::xla_2017 {

namespace sh = tenon::stablehlo;
using internal::Call;
using internal::Node;
using Handle = ComputationDataHandle;

namespace {

mlir::Value rng(Call &call, mlir::Value a, mlir::Value b, mlir::RankedTensorType type,
                sh::RngDistribution distribution) {
  auto &ops = call.ops();
  auto sizesType = mlir::RankedTensorType::get({type.getRank()}, ops.getI64Type());
  auto sizes = sh::ConstantOp::create(ops, mlir::DenseElementsAttr::get(sizesType, type.getShape()));
  return sh::RngOp::create(ops, type, a, b, sizes, distribution);
}

// Two scalars and a shape of one element type, which is one of those allowed.
Handle distributed(Call &call, const Handle &a, const Handle &b, const Shape &shape,
                   std::initializer_list<PrimitiveType> allowed, sh::RngDistribution distribution,
                   std::pair<const char *, const char *> names) {
  const Node *first = call.scalar(a, names.first), *second = call.scalar(b, names.second);
  mlir::RankedTensorType type = call.type(shape, "shape");
  if (!first || !second || !type)
    return {};
  if (!llvm::is_contained(allowed, shape.element_type()))
    return call.fail("shape: there are no random numbers of " + ShapeUtil::HumanString(shape) + " here");
  for (const Node *node : {first, second})
    if (node->shape.element_type() != shape.element_type())
      return call.fail(std::string(names.first) + " and " + names.second + " must be of the element type of " +
                       ShapeUtil::HumanString(shape));
  return call.result(rng(call, first->leaves[0], second->leaves[0], type, distribution));
}

mlir::Value f32(Call &call, float value) {
  auto type = mlir::RankedTensorType::get({}, call.ops().getF32Type());
  return sh::ConstantOp::create(call.ops(), mlir::DenseElementsAttr::get(type, value));
}

} // namespace

Handle ComputationBuilder::RngNormal(const Handle &mu, const Handle &sigma, const Shape &shape, At at) {
  Call call(*state_, "RngNormal", at);
  return distributed(call, mu, sigma, shape, {F32}, sh::RngDistribution::NORMAL, {"mu", "sigma"});
}

Handle ComputationBuilder::RngUniform(const Handle &a, const Handle &b, const Shape &shape, At at) {
  Call call(*state_, "RngUniform", at);
  return distributed(call, a, b, shape, {F32, S32, U32}, sh::RngDistribution::UNIFORM, {"a", "b"});
}

Handle ComputationBuilder::RngBernoulli(const Handle &mean, const Shape &shape, At at) {
  Call call(*state_, "RngBernoulli", at);
  const Node *probability = call.scalar(mean, "mean");
  mlir::RankedTensorType type = call.type(shape, "shape");
  if (!probability || !type)
    return {};
  if (probability->shape.element_type() != F32 || shape.element_type() != U32)
    return call.fail("mean must be of F32 and shape of U32: " + ShapeUtil::HumanString(probability->shape) + ", " +
                     ShapeUtil::HumanString(shape));
  mlir::Value uniform =
      rng(call, f32(call, 0), f32(call, 1), type.clone(call.ops().getF32Type()), sh::RngDistribution::UNIFORM);
  mlir::Value threshold = internal::broadcastScalar(call, probability->leaves[0], type.getShape());
  mlir::Value hit = sh::CompareOp::create(call.ops(), uniform, threshold, sh::ComparisonDirection::LT);
  return call.result(sh::ConvertOp::create(call.ops(), type, hit));
}

} // namespace tenon::xla_2017
