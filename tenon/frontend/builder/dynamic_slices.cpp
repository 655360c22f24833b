// Slices whose place is computed (xla-operation-semantics, DynamicSlice and DynamicUpdateSlice). Coordinates count
// modulo the operand's sizes there, where StableHLO moves a slice back into the operand: a slice that stays inside is
// StableHLO's, and one that does not takes another way, decided when it runs.
#include "tenon/frontend/builder/call.h"
#include "tenon/ops.h"

#include "llvm/ADT/STLExtras.h"

namespace tenon::xla_2017 {

using internal::Call;
using internal::Node;
using Handle = ComputationDataHandle;
using Sizes = std::vector<int64>;

namespace {

// A scalar of 64 bits.
Value number(ProgramBuilder &program, bool isUnsigned, int64 value) {
  return isUnsigned ? program.constant(static_cast<uint64>(value)) : program.constant(value);
}

// Entry d of the start indices, modulo the size: an i64 scalar in [0, size).
Value wrappedIndex(Call &call, const Node &indices, int64 d, int64 size) {
  ProgramBuilder &program = call.state.program;
  const Value &all = indices.leaves[0];
  bool isUnsigned = IsUnsignedIntegerType(indices.shape.element_type());
  Value entry = ops::reshape(ops::slice(all, {d}, {d + 1}, {1}), all.elementType());
  Value divisor, rest;
  entry = ops::convert(entry, isUnsigned ? "ui64" : "i64");
  divisor = number(program, isUnsigned, size);
  rest = ops::remainder(entry, divisor);
  if (isUnsigned)
    return ops::convert(rest, "i64");
  Value negative = ops::compare(rest, number(program, false, 0), ops::ComparisonDirection::LT);
  return ops::select(negative, ops::add(rest, divisor), rest);
}

// The checked operands of both operations.
struct Place {
  const Node *operand = nullptr;
  Values start; // i64 scalars, in range
  Value inside; // whether the slice does not leave the operand; none: it cannot
};

std::optional<Place> placeOf(Call &call, const Handle &operand, const Handle &start_indices, const Sizes &sizes,
                             const char *what) {
  const Node *node = call.array(operand, "operand"), *indices = call.array(start_indices, "start_indices");
  if (!node || !indices)
    return std::nullopt;
  int64 rank = node->shape.dimensions_size();
  if (!IsIntegerType(indices->shape.element_type()) || indices->shape.dimensions_size() != 1 ||
      indices->shape.dimensions(0) != rank) {
    call.fail("start_indices must be a vector of " + std::to_string(rank) + " integers, and is " +
              ShapeUtil::HumanString(indices->shape));
    return std::nullopt;
  }
  if (!call.checkCount(sizes.size(), rank, what))
    return std::nullopt;
  for (auto [d, size] : llvm::enumerate(node->shape.dimensions()))
    if (sizes[d] <= 0 || sizes[d] > size) {
      call.fail(std::string(what) + ": 0 < " + std::to_string(sizes[d]) + " <= " + std::to_string(size) +
                " does not hold in dimension " + std::to_string(d));
      return std::nullopt;
    }
  Place place{node, {}, {}};
  for (auto [d, size] : llvm::enumerate(node->shape.dimensions())) {
    place.start.push_back(wrappedIndex(call, *indices, static_cast<int64>(d), size));
    if (sizes[d] == 1)
      continue;
    Value last = number(call.state.program, false, size - sizes[d]);
    Value fits = ops::compare(place.start.back(), last, ops::ComparisonDirection::LE);
    place.inside = place.inside ? ops::and_(place.inside, fits) : fits;
  }
  return place;
}

// The operand in an order that begins at `start` in each dimension where `sizes` is more than 1.
Value rotate(ProgramBuilder &program, Value operand, const Values &start, const Sizes &sizes) {
  Sizes all = operand.sizes();
  Value zero = number(program, false, 0);
  for (auto [d, size] : llvm::enumerate(sizes)) {
    if (size == 1)
      continue;
    Value twice = ops::concatenate({operand, operand}, static_cast<int64>(d));
    Values begin(all.size(), zero);
    begin[d] = start[d];
    operand = ops::dynamic_slice(twice, begin, all);
  }
  return operand;
}

// The start of the slice after `rotate`, which has moved it to the beginning of the dimensions that it rotated.
Values rotatedStart(ProgramBuilder &program, const Values &start, const Sizes &sizes) {
  Values result = start;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (size != 1)
      result[d] = number(program, false, 0);
  return result;
}

using Branch = std::function<Value()>;

// `inside` if the slice stays in the operand, `around` if not; both make a value of one type.
Handle choose(Call &call, const Place &place, const Branch &inside, const Branch &around) {
  return call.result(place.inside ? Value(ops::if_(place.inside, inside, around)) : inside());
}

} // namespace

Handle ComputationBuilder::DynamicSlice(const Handle &operand, const Handle &start_indices,
                                        gtl::ArraySlice<int64> size_indices, At at) {
  Call call(*state_, "DynamicSlice", at);
  const std::vector<int64> sizes = size_indices.toVector();
  auto place = placeOf(call, operand, start_indices, sizes, "size_indices");
  if (!place)
    return {};
  if (sizes.empty())
    return call.same(*place->operand);
  ProgramBuilder &program = state_->program;
  const Value value = place->operand->leaves[0];
  return choose(
      call, *place, [&] { return ops::dynamic_slice(value, place->start, sizes); },
      [&] {
        Value turned = rotate(program, value, place->start, sizes);
        return ops::dynamic_slice(turned, rotatedStart(program, place->start, sizes), sizes);
      });
}

Handle ComputationBuilder::DynamicUpdateSlice(const Handle &operand, const Handle &update, const Handle &start_indices,
                                              At at) {
  Call call(*state_, "DynamicUpdateSlice", at);
  const Node *part = call.array(update, "update"), *node = call.array(operand, "operand");
  if (!part || !node)
    return {};
  if (part->shape.element_type() != node->shape.element_type())
    return call.fail("the element types of " + ShapeUtil::HumanString(node->shape) + " and " +
                     ShapeUtil::HumanString(part->shape) + " differ");
  const Value value = node->leaves[0], patch = part->leaves[0];
  const std::vector<int64> sizes = patch.sizes();
  auto place = placeOf(call, operand, start_indices, sizes, "update");
  if (!place)
    return {};
  ProgramBuilder &program = state_->program;
  return choose(
      call, *place, [&] { return ops::dynamic_update_slice(value, patch, place->start); },
      [&] {
        Value turned = rotate(program, value, place->start, sizes);
        turned = ops::dynamic_update_slice(turned, patch, rotatedStart(program, place->start, sizes));
        Values back;
        for (auto [start, size] : llvm::zip(place->start, value.sizes()))
          back.push_back(ops::subtract(number(program, false, size), start));
        return rotate(program, turned, back, sizes);
      });
}

} // namespace tenon::xla_2017
