#include "tenon/frontend/builder/broadcast.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace tenon::xla_2017::internal {

Value broadcastTo(const Value &value, gtl::ArraySlice<int64> dimensions, gtl::ArraySlice<int64> sizes) {
  return value.sizes() == sizes.toVector() ? value : value.broadcastTo(sizes, dimensions);
}

namespace {

// For each dimension of the operand of lower rank, the dimension of the other that it is matched with; for scalars and
// explicit dimensions. None after an error.
std::optional<llvm::SmallVector<int64>> matchDimensions(Call &call, const Shape &low, const Shape &high,
                                                        gtl::ArraySlice<int64> dimensions) {
  int64 lowRank = low.dimensions_size(), highRank = high.dimensions_size();
  if (lowRank == highRank) {
    auto identity = llvm::to_vector(llvm::seq<int64>(0, highRank));
    if (!dimensions.empty() && !(dimensions == gtl::ArraySlice<int64>(identity))) {
      call.fail("broadcast_dimensions " + listText(dimensions) + ": operands of equal rank take none");
      return std::nullopt;
    }
    return identity;
  }
  if (lowRank != 0 && dimensions.empty()) {
    call.fail("the ranks of " + ShapeUtil::HumanString(low) + " and " + ShapeUtil::HumanString(high) +
              " differ: broadcast_dimensions must say which dimensions meet");
    return std::nullopt;
  }
  if (static_cast<int64>(dimensions.size()) != lowRank) {
    call.fail("broadcast_dimensions " + listText(dimensions) + " must have an entry for each dimension of " +
              ShapeUtil::HumanString(low));
    return std::nullopt;
  }
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] < 0 || dimensions[i] >= highRank || (i > 0 && dimensions[i] <= dimensions[i - 1])) {
      call.fail("broadcast_dimensions " + listText(dimensions) + " must be dimensions of " +
                ShapeUtil::HumanString(high) + " in strictly increasing order");
      return std::nullopt;
    }
  }
  return llvm::SmallVector<int64>(dimensions.begin(), dimensions.end());
}

} // namespace

Operands broadcastOperands(Call &call, const ComputationDataHandle &lhs, const ComputationDataHandle &rhs,
                           gtl::ArraySlice<int64> broadcast_dimensions) {
  const Node *a = call.array(lhs, "lhs"), *b = call.array(rhs, "rhs");
  if (!a || !b)
    return {};
  if (a->shape.element_type() != b->shape.element_type()) {
    call.fail("the element types of " + ShapeUtil::HumanString(a->shape) + " and " + ShapeUtil::HumanString(b->shape) +
              " differ");
    return {};
  }
  bool swapped = a->shape.dimensions_size() > b->shape.dimensions_size();
  const Node *low = swapped ? b : a, *high = swapped ? a : b;
  auto lowDimensions = matchDimensions(call, low->shape, high->shape, broadcast_dimensions);
  if (!lowDimensions)
    return {};
  llvm::SmallVector<int64> sizes = sizesOf(high->shape);
  for (auto [i, d] : llvm::enumerate(*lowDimensions)) {
    int64 size = low->shape.dimensions(static_cast<int>(i));
    if (size != sizes[d] && size != 1 && sizes[d] != 1) {
      call.fail(ShapeUtil::HumanString(a->shape) + " and " + ShapeUtil::HumanString(b->shape) + " do not fit: sizes " +
                std::to_string(size) + " and " + std::to_string(sizes[d]) + " meet in dimension " + std::to_string(d));
      return {};
    }
    if (sizes[d] == 1)
      sizes[d] = size;
  }
  auto highDimensions = llvm::to_vector(llvm::seq<int64>(0, static_cast<int64>(sizes.size())));
  Value lowValue = broadcastTo(low->leaves[0], *lowDimensions, sizes);
  Value highValue = broadcastTo(high->leaves[0], highDimensions, sizes);
  return swapped ? Operands{highValue, lowValue} : Operands{lowValue, highValue};
}

} // namespace tenon::xla_2017::internal
