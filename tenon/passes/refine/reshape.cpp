// Reshaping a value with bounded dimensions. Its elements are not next to each other in the padded tensor, so in
// general each result index is turned into the operand's by the sizes of the run.

#include "tenon/passes/refine/refiner.h"

#include "tenon/support/strides.h"

#include <numeric>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::refine {
namespace {

// The static products between bounded dimensions, and the bounded lengths: shapes that agree in these have their
// elements at the same places.
SmallVector<std::pair<int64_t, bool>> structure(ArrayRef<int64_t> shape, ArrayRef<Value> sizes) {
  SmallVector<std::pair<int64_t, bool>> parts{{1, false}};
  for (auto [length, size] : llvm::zip(shape, sizes)) {
    if (size)
      parts.append({{length, true}, {1, false}});
    else
      parts.back().first *= length;
  }
  return parts;
}

Value product(Emitter &emit, ArrayRef<Value> factors) {
  Value total = emit.i32(1);
  for (Value factor : factors)
    total = emit.multiply(total, factor);
  return total;
}

// The element at each result index, through its position in row-major order.
Value gatherElements(Emitter &emit, const BoundedTensor &operand, ArrayRef<Value> operandSizes, ArrayRef<int64_t> shape,
                     ArrayRef<Value> resultSizes) {
  auto broadcast = [&](Value scalar) { return emit.fill(scalar, shape); };
  Value position = broadcast(emit.i32(0));
  for (auto [d, size] : llvm::enumerate(resultSizes))
    position = emit.add(emit.multiply(position, broadcast(size)), emit.iota(shape, d));
  Value place = broadcast(emit.i32(0));
  std::vector<int64_t> strides = rowMajorStrides(operand.type().getShape());
  for (int64_t d = operandSizes.size() - 1; d >= 0; --d) {
    Value size = broadcast(operandSizes[d]);
    place = emit.add(place, emit.multiply(emit.remainder(position, size), broadcast(emit.i32(strides[d]))));
    position = emit.divide(position, size);
  }
  int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  Value flat = emit.reshape(operand.value, {operand.type().getNumElements()});
  return emit.reshape(emit.take(flat, 0, emit.reshape(place, {count})), shape);
}

} // namespace

LogicalResult refineReshape(Refiner &refiner, Operation *op, const BoundedTensor &operand, ArrayRef<Extent> extents) {
  Emitter &emit = refiner.emit;
  SmallVector<int64_t> shape = lengthsOf(extents);
  SmallVector<Value, 4> sizes = sizesOf(extents);
  auto allSizes = [&](auto size, size_t rank) {
    SmallVector<Value> all;
    for (size_t d = 0; d < rank; ++d)
      all.push_back(size(d));
    return all;
  };
  SmallVector<Value> from = allSizes([&](int64_t d) { return emit.size(operand, d); }, operand.sizes.size());
  SmallVector<Value> to = allSizes([&](int64_t d) { return sizes[d] ? sizes[d] : emit.i32(shape[d]); }, sizes.size());
  Value before = product(emit, from), after = product(emit, to);
  if (failed(refiner.require(op, emit.compare(sh::ComparisonDirection::EQ, before, after),
                             "operand and result must have the same number of elements, got {0} and {1}",
                             {before, after})))
    return failure();
  Value result;
  if (structure(operand.type().getShape(), operand.sizes) == structure(shape, sizes))
    result = emit.reshape(operand.value, shape);
  else if (operand.type().getNumElements() == 0)
    result = emit.zeros(operand.type().clone(shape));
  else
    result = gatherElements(emit, operand, from, shape, to);
  return refiner.put(op, BoundedTensor(result, std::move(sizes)));
}

} // namespace tenon::passes::refine
