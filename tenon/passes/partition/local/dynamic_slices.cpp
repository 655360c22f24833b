// Slices at places that only a run knows, of and into dimensions that are cut. A device reads or writes a window of its
// part, as large as the slice, which has all that the two have in common:
//
//   part: [e f g h] of [a b c d | e f g h | ...], slice [c d e f] from 2 on   window [e f g h], 2 places behind the
//   slice
//     dynamic_slice: [0 0 e f], unreduced      dynamic_update_slice of [1 2 3 4]: [3 4 g h]
#include "tenon/ir/types.h"
#include "tenon/passes/partition/local/forms.h"
#include "tenon/passes/partition/local/indices.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

// The windows of a slice's dimensions.
struct Windows {
  SmallVector<int64_t> moved; // the dimensions that are cut and not taken as a whole
  SmallVector<int64_t> sizes; // of each dimension's window
  SmallVector<Value> starts;  // of each one in the device's part
  SmallVector<Value> behind;  // of a moved dimension: how many places a window is behind the slice; may be negative
};

// For slices of operand 0, of `sizes` in the whole program and `localSizes` on a device, at the places that `indices`
// are.
Windows windowsOf(LocalOp &op, ArrayRef<int64_t> sizes, ArrayRef<int64_t> localSizes, ValueRange indices) {
  ArrayBuilder &builder = op.builder;
  ir::Sharding sharding = op.operandSharding(0);
  RankedTensorType whole = op.operandType(0), local = op.localOperandType(0);
  Windows windows;
  windows.sizes.assign(localSizes.begin(), localSizes.end());
  for (int64_t i = 0; i < whole.getRank(); ++i) {
    bool isWhole = sizes[i] == whole.getDimSize(i);
    if (isWhole || !isCut(sharding, i)) {
      windows.starts.push_back(isWhole ? builder.i32(0) : clamped(builder, indices[i], whole.getDimSize(i) - sizes[i]));
      continue;
    }
    Value begin = fromPart(op, 0, i, clamped(builder, indices[i], whole.getDimSize(i) - sizes[i]));
    windows.moved.push_back(i);
    windows.sizes[i] = std::min(sizes[i], local.getDimSize(i));
    windows.starts.push_back(clamped(builder, begin, local.getDimSize(i) - windows.sizes[i]));
    windows.behind.push_back(builder.subtract(windows.starts.back(), begin));
  }
  return windows;
}

Value slice(ArrayBuilder &builder, Value value, ValueRange starts, ArrayRef<int64_t> sizes) {
  return sh::DynamicSliceOp::create(builder.builder, builder.loc, ir::typeOf(value).clone(sizes), value, starts, sizes);
}

// The array moved by as many places along a dimension, in a frame of `size` places. Where nothing comes to lie, there
// is the filler; without one, anything.
Value moved(ArrayBuilder &builder, Value value, int64_t dimension, Value by, int64_t size, Value filler) {
  RankedTensorType type = ir::typeOf(value);
  SmallVector<int64_t> around(type.getRank(), 0), none(type.getRank(), 0), sizes(type.getShape());
  around[dimension] = size;
  sizes[dimension] += 2 * size;
  if (!filler)
    filler = sh::ConstantOp::create(
        builder.builder, builder.loc,
        cast<ElementsAttr>(builder.builder.getZeroAttr(RankedTensorType::get({}, type.getElementType()))));
  Value wide = sh::PadOp::create(builder.builder, builder.loc, type.clone(sizes), value, filler, around, around, none);
  SmallVector<Value> starts(type.getRank(), builder.i32(0));
  starts[dimension] = builder.subtract(builder.i32(size), by);
  sizes[dimension] = size;
  return slice(builder, wide, starts, sizes);
}

// Which elements of the windows are in the slice.
Value isInSlice(ArrayBuilder &builder, const Windows &windows, ArrayRef<int64_t> sizes) {
  Value mask;
  for (auto [i, behind] : llvm::zip_equal(windows.moved, windows.behind)) {
    Value places = builder.add(builder.iota(windows.sizes, i), builder.broadcast(behind, ArrayRef(windows.sizes), {}));
    Value isIn = isBetween(builder, places, 0, sizes[i]);
    mask = mask ? builder.logicalAnd(mask, isIn) : isIn;
  }
  return mask;
}

SmallVector<Value> buildDynamicSlice(LocalOp &op) {
  ArrayBuilder &builder = op.builder;
  ArrayRef<int64_t> sizes = op.resultType(0).getShape();
  Windows windows = windowsOf(op, sizes, op.localResultType(0).getShape(), ArrayRef<Value>(op.operands).drop_front());
  Value result = slice(builder, op.operands[0], windows.starts, windows.sizes);
  if (windows.moved.empty())
    return {result};
  Value neutral = neutralElement(builder, op.resultType(0).getElementType(), SumKind::kAdd);
  result = builder.select(isInSlice(builder, windows, sizes), result, builder.broadcast(neutral, windows.sizes, {}));
  for (auto [i, behind] : llvm::zip_equal(windows.moved, windows.behind))
    if (sizes[i] > 1)
      result = moved(builder, result, i, behind, sizes[i], neutral);
  return {result};
}

bool canCutUpdate(Operation *, const ir::Factors &factors, size_t factor, int64_t) {
  return factors.factors[factor].type == ir::FactorType::kPassThrough && hasFactor(factors.results[0], factor);
}

// Each device has the whole update along the dimensions that are written to.
SmallVector<Value> buildUpdate(LocalOp &op) {
  ArrayBuilder &builder = op.builder;
  ArrayRef<int64_t> sizes = op.operandType(1).getShape();
  Windows windows = windowsOf(op, sizes, op.localOperandType(1).getShape(), ArrayRef<Value>(op.operands).drop_front(2));
  Value update = op.operands[1];
  if (!windows.moved.empty()) {
    for (auto [i, behind] : llvm::zip_equal(windows.moved, windows.behind))
      if (sizes[i] > 1)
        update = moved(builder, update, i, builder.unary<sh::NegateOp>(behind), windows.sizes[i], {});
    Value old = slice(builder, op.operands[0], windows.starts, windows.sizes);
    update = builder.select(isInSlice(builder, windows, sizes), update, old);
  }
  SmallVector<Value> operands = {op.operands[0], update};
  operands.append(windows.starts);
  return op.cloneWith(operands);
}

ir::Factors factorsOfSlice(Operation *op, const ir::Factors &factors) {
  return withOwnResults(op, factors,
                        [&](size_t number) { return factors.factors[number].type == ir::FactorType::kReplicated; });
}

} // namespace

LocalForm dynamicSliceForm() { return {.factors = factorsOfSlice, .sum = sumOfMoved, .build = buildDynamicSlice}; }
LocalForm updateForm() { return {.canCut = canCutUpdate, .build = buildUpdate}; }

} // namespace tenon::passes::partition
