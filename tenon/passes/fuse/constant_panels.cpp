#include "tenon/passes/fuse/constant_panels.h"

#include "tenon/ir/folded.h"
#include "tenon/ir/types.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {

using ir::shapeOf, ir::typeOf;

bool liesInBytes(sh::ConstantOp constant) {
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  auto type = dyn_cast<FloatType>(typeOf(constant.getResult()).getElementType());
  return elements && !elements.isSplat() && !elements.empty() && type && type.getWidth() % 8 == 0;
}

// With zeros behind the last index of a dimension.
static Value padded(ArrayBuilder &arrays, Value value, int64_t dimension, int64_t count) {
  if (count == 0)
    return value;
  SmallVector<int64_t> sizes(shapeOf(value)), none(sizes.size(), 0), high(sizes.size(), 0);
  sizes[size_t(dimension)] += count;
  high[size_t(dimension)] = count;
  Value zero = arrays.fill(typeOf(value).getElementType(), {}, 0);
  return sh::PadOp::create(arrays.builder, arrays.loc, typeOf(value).clone(sizes), value, zero, none, high, none);
}

Value inPanels(ArrayBuilder &arrays, Value value, ArrayRef<int64_t> order, int64_t columns) {
  int64_t last = order.back(), size = shapeOf(value)[size_t(last)];
  int64_t panels = int64_t(llvm::divideCeil(uint64_t(size), uint64_t(columns)));
  Value whole = padded(arrays, value, last, panels * columns - size);
  // The dimension is parted into panels and columns of these, which come first and last.
  SmallVector<int64_t> parts(shapeOf(whole)), permutation{last};
  parts[size_t(last)] = panels;
  parts.insert(parts.begin() + last + 1, columns);
  for (int64_t dim : order.drop_back())
    permutation.push_back(dim > last ? dim + 1 : dim);
  permutation.push_back(last + 1);
  return arrays.transpose(arrays.reshape(whole, parts), permutation);
}

Value foldedInPanels(sh::ConstantOp constant, ArrayRef<int64_t> order, int64_t columns) {
  assert(liesInBytes(constant) && columns > 0);
  ArrayRef<int64_t> shape = shapeOf(constant.getResult());
  SmallVector<int64_t> sizes{int64_t(llvm::divideCeil(uint64_t(shape[size_t(order.back())]), uint64_t(columns)))};
  for (int64_t dim : order.drop_back())
    sizes.push_back(shape[size_t(dim)]);
  sizes.push_back(columns);
  OpBuilder builder(constant->getContext());
  builder.setInsertionPointAfter(constant);
  auto fusion = ir::FusionOp::create(builder, constant.getLoc(), TypeRange(typeOf(constant.getResult()).clone(sizes)),
                                     ValueRange(constant.getResult()), ir::FusionKind::Loop);
  fusion->setAttr(ir::kFoldedAttribute, builder.getUnitAttr());
  builder.setInsertionPointToEnd(&fusion.getBlock());
  ArrayBuilder arrays(builder, constant.getLoc());
  Value panels = inPanels(arrays, fusion.getBody().getArgument(0), order, columns);
  ir::YieldOp::create(builder, constant.getLoc(), panels);
  return fusion->getResult(0);
}

} // namespace tenon::passes
