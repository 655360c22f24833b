#include "tenon/passes/partition/local/halo.h"

#include "tenon/ir/types.h"
#include "tenon/passes/partition/local/collectives.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

// The numbers of a cut dimension.
struct Blocks {
  Blocks(int64_t size, int64_t resultSize, int64_t parts, const Window &window)
      : parts(parts), size(llvm::divideCeil(size, parts) * window.dilation),
        resultSize(llvm::divideCeil(resultSize, parts)), end((size - 1) * window.dilation + 1), window(window),
        span((this->resultSize - 1) * window.stride + window.width) {}
  Blocks(const CutDimension &cut, const Window &window)
      : Blocks(cut.size, cut.resultSize, ir::partsOf(cut.axes), window) {}

  // Where in the operand the window of device k's first result begins, and where its own block ends.
  int64_t begin(int64_t k) const { return k * resultSize * window.stride - window.low; }
  // How many elements before its own, and behind them, a device needs. Both are linear in its number.
  int64_t left(int64_t k) const { return k * size - begin(k); }
  int64_t right(int64_t k) const { return begin(k) + span - (k + 1) * size; }
  Halo reach() const { return {std::max(left(0), left(parts - 1)), std::max(right(0), right(parts - 1))}; }

  int64_t parts, size, resultSize; // of a device
  int64_t end;                     // of the operand
  Window window;
  int64_t span; // of the windows of a device's results
};

Value sliceOf(ArrayBuilder &builder, Value value, int64_t dimension, int64_t begin, int64_t end) {
  SmallVector<int64_t> start(ir::typeOf(value).getRank(), 0), limit(ir::typeOf(value).getShape());
  if (begin == 0 && end == limit[dimension])
    return value;
  start[dimension] = begin;
  limit[dimension] = end;
  return builder.slice(value, start, limit);
}

Value joined(ArrayBuilder &builder, ValueRange parts, int64_t dimension) {
  if (parts.size() == 1)
    return parts.front();
  SmallVector<int64_t> sizes(ir::typeOf(parts.front()).getShape());
  sizes[dimension] = 0;
  for (Value part : parts)
    sizes[dimension] += ir::typeOf(part).getDimSize(dimension);
  return sh::ConcatenateOp::create(builder.builder, builder.loc, ir::typeOf(parts.front()).clone(sizes), parts,
                                   dimension);
}

// The elements from `start` + k * `step` on, of device k; the first or the last ones where those are outside.
Value sliceAt(ArrayBuilder &builder, Value value, const CutDimension &cut, int64_t start, int64_t step, int64_t size) {
  RankedTensorType type = ir::typeOf(value);
  if (step == 0) {
    start = std::clamp<int64_t>(start, 0, type.getDimSize(cut.number) - size);
    return sliceOf(builder, value, cut.number, start, start + size);
  }
  SmallVector<int64_t> sizes(type.getShape());
  sizes[cut.number] = size;
  SmallVector<Value> starts(type.getRank());
  for (auto [i, index] : llvm::enumerate(starts))
    index = builder.i32(static_cast<int64_t>(i) == cut.number ? start : 0);
  starts[cut.number] =
      builder.add(starts[cut.number], builder.multiply(partNumber(builder, cut.mesh, cut.axes), builder.i32(step)));
  return sh::DynamicSliceOp::create(builder.builder, builder.loc, type.clone(sizes), value, starts, sizes);
}

// With places between the elements, and behind the last one, as between it and the next device's first.
Value dilated(ArrayBuilder &builder, Value value, int64_t dimension, int64_t dilation, Value filler) {
  if (dilation == 1)
    return value;
  RankedTensorType type = ir::typeOf(value);
  SmallVector<int64_t> low(type.getRank(), 0), high = low, interior = low, sizes(type.getShape());
  high[dimension] = interior[dimension] = dilation - 1;
  sizes[dimension] *= dilation;
  return sh::PadOp::create(builder.builder, builder.loc, type.clone(sizes), value, filler, low, high, interior);
}

Value padded(ArrayBuilder &builder, Value value, int64_t dimension, int64_t low, int64_t high, Value filler) {
  if (low == 0 && high == 0)
    return value;
  RankedTensorType type = ir::typeOf(value);
  SmallVector<int64_t> lows(type.getRank(), 0), highs = lows, none = lows, sizes(type.getShape());
  lows[dimension] = low;
  highs[dimension] = high;
  sizes[dimension] += low + high;
  return sh::PadOp::create(builder.builder, builder.loc, type.clone(sizes), value, filler, lows, highs, none);
}

// Puts the filler where windows of results are outside of the operand.
Value fillOutside(ArrayBuilder &builder, Value value, const CutDimension &cut, const Blocks &blocks, Value filler) {
  const Window &window = blocks.window;
  bool beginsOutside = window.low > 0;
  bool endsOutside = (cut.resultSize - 1) * window.stride - window.low + window.width > blocks.end;
  if (!filler || !(beginsOutside || endsOutside))
    return value;
  ArrayRef<int64_t> sizes = ir::typeOf(value).getShape();
  Value number = partNumber(builder, cut.mesh, cut.axes);
  Value begin = builder.subtract(builder.multiply(number, builder.i32(blocks.resultSize * window.stride)),
                                 builder.i32(window.low));
  Value place = builder.add(builder.iota(sizes, cut.number), builder.broadcast(begin, sizes, {}));
  auto isWithin = [&](sh::ComparisonDirection direction, int64_t bound) {
    return builder.compare(place, direction, builder.broadcast(builder.i32(bound), sizes, {}));
  };
  Value isInside;
  if (beginsOutside)
    isInside = isWithin(sh::ComparisonDirection::GE, 0);
  if (endsOutside) {
    Value isBefore = isWithin(sh::ComparisonDirection::LT, blocks.end);
    isInside = isInside ? builder.logicalAnd(isInside, isBefore) : isBefore;
  }
  return builder.select(isInside, value, builder.broadcast(filler, sizes, {}));
}

// In every group along the axes, each gets the array of the one with the number that `sourceOf` gives, if there is one.
Value permuteAlong(ArrayBuilder &builder, Value value, const ir::Mesh &mesh, ArrayRef<ir::Atom> axes,
                   llvm::function_ref<int64_t(int64_t)> sourceOf) {
  SmallVector<int64_t> pairs;
  for (const auto &group : ir::groupsAlong(mesh, axes))
    for (auto [number, device] : llvm::enumerate(group))
      if (int64_t source = sourceOf(static_cast<int64_t>(number));
          source >= 0 && source < static_cast<int64_t>(group.size()))
        pairs.append({group[source], device});
  return collectivePermute(builder, value, pairs);
}

// The same of factor * number + offset, which takes the same room for any number of devices.
Value permuteAlong(ArrayBuilder &builder, Value value, const ir::Mesh &mesh, ArrayRef<ir::Atom> axes, int64_t factor,
                   int64_t offset) {
  if (!mesh.ids.empty())
    return permuteAlong(builder, value, mesh, axes, [&](int64_t number) { return factor * number + offset; });
  SmallVector<ir::ProcessAxis, 4> places = processAxes(mesh, axes);
  return collectivePermute(builder, value, ir::GroupPermutation{places, places, factor, offset});
}

// The number of the device that has the first element that device k needs; negative where that is outside.
int64_t firstSourceOf(const Blocks &blocks, int64_t k) { return llvm::divideFloorSigned(blocks.begin(k), blocks.size); }

int64_t sourceCountOf(const Blocks &blocks) {
  int64_t most = 0;
  for (int64_t k = 0; k < blocks.parts; ++k) {
    int64_t last = llvm::divideFloorSigned(blocks.begin(k) + blocks.span - 1, blocks.size);
    most = std::max(most, last - firstSourceOf(blocks, k) + 1);
  }
  return most;
}

} // namespace

std::optional<int64_t> sourceCountOf(int64_t size, int64_t resultSize, int64_t parts, int64_t low) {
  constexpr int64_t kMost = 8;
  if (size == 0 || resultSize < size)
    return std::nullopt;
  int64_t count = sourceCountOf(Blocks(size, resultSize, parts, {1, low, 1}));
  return count <= kMost && count < parts - 1 ? std::optional(count) : std::nullopt;
}

// A result's part is no smaller than the operand's, so that no two devices have the same first source, or the same one
// behind it.
Value fromSources(ArrayBuilder &builder, Value local, const CutDimension &cut, int64_t low) {
  Blocks blocks(cut, {1, low, 1});
  SmallVector<Value> parts;
  for (int64_t i = 0, count = sourceCountOf(blocks); i < count; ++i)
    parts.push_back(permuteAlong(builder, local, cut.mesh, cut.axes,
                                 [&](int64_t number) { return firstSourceOf(blocks, number) + i; }));
  Value around = joined(builder, parts, cut.number);
  // Where the device's part begins in its first source, counted so that nothing is negative.
  int64_t blocksBefore = llvm::divideCeil(std::max<int64_t>(low, 0), blocks.size);
  Value begin = builder.add(builder.multiply(partNumber(builder, cut.mesh, cut.axes), builder.i32(blocks.resultSize)),
                            builder.i32(blocksBefore * blocks.size - low));
  RankedTensorType type = ir::typeOf(around);
  SmallVector<int64_t> sizes(type.getShape());
  sizes[cut.number] = blocks.span;
  SmallVector<Value> starts(type.getRank(), builder.i32(0));
  starts[cut.number] = builder.binary<sh::RemainderOp>(begin, builder.i32(blocks.size));
  return sh::DynamicSliceOp::create(builder.builder, builder.loc, type.clone(sizes), around, starts, sizes);
}

std::optional<Halo> haloOf(int64_t size, int64_t resultSize, int64_t parts, const Window &window) {
  if (size == 0 || resultSize == 0)
    return std::nullopt;
  Blocks blocks(size, resultSize, parts, window);
  int64_t others = (parts - 1) * blocks.size;
  Halo halo;
  for (int64_t k = 0; k < parts; ++k) {
    halo.left = std::max(halo.left, std::min(blocks.left(k), k * blocks.size));
    halo.right = std::max(halo.right, std::min(blocks.right(k), blocks.end - (k + 1) * blocks.size));
  }
  // One of two devices needs no more than the other's part, and windows of one element are computed no faster of all.
  bool isNoMore = parts == 2 && window.width == 1 && halo.left + halo.right == others;
  return halo.left + halo.right < others || isNoMore ? std::optional(halo) : std::nullopt;
}

Value fromDistance(ArrayBuilder &builder, Value value, const ir::Mesh &mesh, ArrayRef<ir::Atom> axes,
                   int64_t distance) {
  return permuteAlong(builder, value, mesh, axes, 1, distance);
}

Value fromAround(ArrayBuilder &builder, Value value, const ir::Mesh &mesh, ArrayRef<ir::Atom> axes, int64_t distance) {
  int64_t parts = ir::partsOf(axes);
  if (!mesh.ids.empty())
    return permuteAlong(builder, value, mesh, axes, [&](int64_t number) { return (number + distance) % parts; });
  SmallVector<ir::ProcessAxis, 4> places = processAxes(mesh, axes);
  return collectivePermute(builder, value, ir::GroupPermutation{places, places, 1, distance, /*wraps=*/true});
}

Value fromMirrored(ArrayBuilder &builder, Value value, const ir::Mesh &mesh, ArrayRef<ir::Atom> axes) {
  return permuteAlong(builder, value, mesh, axes, -1, ir::partsOf(axes) - 1);
}

Value withHalo(ArrayBuilder &builder, Value local, const CutDimension &cut, const Window &window, Value filler) {
  Blocks blocks(cut, window);
  Halo halo = *haloOf(cut.size, cut.resultSize, blocks.parts, window);
  local = dilated(builder, local, cut.number, window.dilation, filler);
  SmallVector<Value> parts;
  for (int64_t distance = llvm::divideCeil(halo.left, blocks.size); distance > 0; --distance) {
    int64_t given = std::min(blocks.size, halo.left - (distance - 1) * blocks.size);
    Value part = sliceOf(builder, local, cut.number, blocks.size - given, blocks.size);
    parts.push_back(fromDistance(builder, part, cut.mesh, cut.axes, -distance));
  }
  parts.push_back(local);
  for (int64_t distance = 1; (distance - 1) * blocks.size < halo.right; ++distance) {
    int64_t given = std::min(blocks.size, halo.right - (distance - 1) * blocks.size);
    Value part = sliceOf(builder, local, cut.number, 0, given);
    parts.push_back(fromDistance(builder, part, cut.mesh, cut.axes, distance));
  }
  Value around = joined(builder, parts, cut.number);
  // The first window begins left(k) elements before the device's own. Where that or the last one's end is outside of
  // the operand, and nobody gives anything for it, the slice is to begin and end in padding, of which a slice's size is
  // enough: starts are clamped.
  Halo reach = blocks.reach();
  int64_t low = std::clamp<int64_t>(reach.left - halo.left, 0, blocks.span);
  int64_t high = std::clamp<int64_t>(reach.right - halo.right, 0, blocks.span);
  if (low > 0 || high > 0)
    around = padded(builder, around, cut.number, low, high, builder.fill(ir::typeOf(local).getElementType(), {}, 0));
  int64_t step = blocks.left(0) - blocks.left(1);
  Value needed = sliceAt(builder, around, cut, low + halo.left - blocks.left(0), step, blocks.span);
  return fillOutside(builder, needed, cut, blocks, filler);
}

Value windowOfWhole(ArrayBuilder &builder, Value local, const CutDimension &cut, const Window &window) {
  Blocks blocks(cut, window);
  Value whole = allGather(builder, local, cut.number, cut.mesh, cut.axes);
  int64_t low = std::max<int64_t>(0, -blocks.begin(0));
  int64_t high =
      std::max<int64_t>(0, blocks.begin(blocks.parts - 1) + blocks.span - ir::typeOf(whole).getDimSize(cut.number));
  Value around = padded(builder, whole, cut.number, low, high, builder.fill(ir::typeOf(whole).getElementType(), {}, 0));
  return sliceAt(builder, around, cut, low + blocks.begin(0), blocks.begin(1) - blocks.begin(0), blocks.span);
}

// They are added to what changes nothing, once up and once down.
bool isFew(RankedTensorType type, int64_t size, int64_t resultSize, int64_t parts) {
  return isa<IntegerType, Float16Type, BFloat16Type, Float32Type, Float64Type>(type.getElementType()) &&
         resultSize > 0 && 2 * resultSize < (parts - 1) * static_cast<int64_t>(llvm::divideCeil(size, parts));
}

Value partOfFew(ArrayBuilder &builder, Value local, const CutDimension &cut, int64_t begin) {
  Value neutral = builder.fill(ir::typeOf(local).getElementType(), {}, -0.0);
  int64_t parts = ir::partsOf(cut.axes), size = ir::typeOf(local).getDimSize(cut.number);
  int64_t partSize = llvm::divideCeil(cut.resultSize, parts);
  // Slices that would begin or end outside are moved into the padding, and all of it is that.
  Value around = padded(builder, local, cut.number, cut.resultSize, cut.resultSize, neutral);
  Value own = sliceAt(builder, around, cut, cut.resultSize + begin, -size, cut.resultSize);
  Value few = allReduce(builder, own, cut.mesh, cut.axes);
  Value whole = padded(builder, few, cut.number, 0, parts * partSize - cut.resultSize, neutral);
  return sliceAt(builder, whole, cut, 0, partSize, partSize);
}

} // namespace tenon::passes::partition
