// Random numbers (xla-preview-2017: RngBernoulli, RngNormal, RngUniform).
#include "tenon/frontend/builder/broadcast.h"
#include "tenon/ops.h"

#include "llvm/ADT/STLExtras.h"

namespace tenon::xla_2017 {

using internal::Call;
using internal::Node;
using Handle = ComputationDataHandle;

namespace {

Value rng(Call &call, const Value &a, const Value &b, const Shape &shape, ops::RngDistribution distribution) {
  std::vector<int64> sizes(shape.dimensions().begin(), shape.dimensions().end());
  return ops::rng(a, b, call.state.program.constant(LiteralUtil::CreateR1<int64>(sizes)), distribution);
}

// Two scalars and a shape of one element type, which is one of those allowed.
Handle distributed(Call &call, const Handle &a, const Handle &b, const Shape &shape,
                   std::initializer_list<PrimitiveType> allowed, ops::RngDistribution distribution,
                   std::pair<const char *, const char *> names) {
  const Node *first = call.scalar(a, names.first), *second = call.scalar(b, names.second);
  if (!call.checkArray(shape, "shape") || !first || !second)
    return {};
  if (!llvm::is_contained(allowed, shape.element_type()))
    return call.fail("shape: there are no random numbers of " + ShapeUtil::HumanString(shape) + " here");
  for (const Node *node : {first, second})
    if (node->shape.element_type() != shape.element_type())
      return call.fail(std::string(names.first) + " and " + names.second + " must be of the element type of " +
                       ShapeUtil::HumanString(shape));
  return call.result(rng(call, first->leaves[0], second->leaves[0], shape, distribution));
}

} // namespace

Handle ComputationBuilder::RngNormal(const Handle &mu, const Handle &sigma, const Shape &shape, At at) {
  Call call(*state_, "RngNormal", at);
  return distributed(call, mu, sigma, shape, {F32}, ops::RngDistribution::NORMAL, {"mu", "sigma"});
}

Handle ComputationBuilder::RngUniform(const Handle &a, const Handle &b, const Shape &shape, At at) {
  Call call(*state_, "RngUniform", at);
  return distributed(call, a, b, shape, {F32, S32, U32}, ops::RngDistribution::UNIFORM, {"a", "b"});
}

Handle ComputationBuilder::RngBernoulli(const Handle &mean, const Shape &shape, At at) {
  Call call(*state_, "RngBernoulli", at);
  const Node *probability = call.scalar(mean, "mean");
  if (!call.checkArray(shape, "shape") || !probability)
    return {};
  if (probability->shape.element_type() != F32 || shape.element_type() != U32)
    return call.fail("mean must be of F32 and shape of U32: " + ShapeUtil::HumanString(probability->shape) + ", " +
                     ShapeUtil::HumanString(shape));
  ProgramBuilder &program = state_->program;
  Value zero = program.constant(0.0F), one = program.constant(1.0F);
  Value uniform = rng(call, zero, one, shape, ops::RngDistribution::UNIFORM);
  Value threshold = internal::broadcastTo(probability->leaves[0], {}, ShapeUtil::Dimensions(shape));
  Value hit = ops::compare(uniform, threshold, ops::ComparisonDirection::LT);
  return call.result(ops::convert(hit, call.elementType(U32)));
}

} // namespace tenon::xla_2017
