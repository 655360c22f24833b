#include "tenon/passes/partition/redistribute.h"

#include "tenon/ir/types.h"
#include "tenon/passes/partition/local/collectives.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

// How many of the first axes of a dimension stay as they are.
size_t keptAxes(RankedTensorType global, const ir::Sharding &from, const ir::Sharding &to, int64_t dimension) {
  if (from.mesh != to.mesh)
    return 0;
  const ir::Axes &old = from.dims[dimension].axes, &wanted = to.dims[dimension].axes;
  size_t kept = 0;
  while (kept < std::min(old.size(), wanted.size()) && old[kept] == wanted[kept])
    ++kept;
  // The parts' edges are elsewhere where one of the cuts is uneven.
  bool isKept = kept == old.size() && kept == wanted.size();
  return isKept || (!isUneven(global, from, dimension) && !isUneven(global, to, dimension)) ? kept : 0;
}

Value withoutExcess(ArrayBuilder &builder, Value value, int64_t dimension, int64_t size) {
  SmallVector<int64_t> start(ir::typeOf(value).getRank(), 0), limit(ir::typeOf(value).getShape());
  if (limit[dimension] == size)
    return value;
  limit[dimension] = size;
  return builder.slice(value, start, limit);
}

// Of what a device has, the part along the axes.
Value takePart(ArrayBuilder &builder, Value value, int64_t dimension, const ir::Mesh &mesh, ArrayRef<ir::Atom> axes) {
  RankedTensorType type = ir::typeOf(value);
  int64_t parts = ir::partsOf(axes), part = llvm::divideCeil(type.getDimSize(dimension), parts);
  SmallVector<int64_t> sizes(type.getShape()), none(type.getRank(), 0), high(type.getRank(), 0);
  if (part * parts != sizes[dimension]) {
    high[dimension] = part * parts - sizes[dimension];
    sizes[dimension] = part * parts;
    value = sh::PadOp::create(builder.builder, builder.loc, type.clone(sizes), value,
                              builder.fill(type.getElementType(), {}, 0), none, high, none);
  }
  sizes[dimension] = part;
  SmallVector<Value> starts(type.getRank());
  for (auto [i, start] : llvm::enumerate(starts))
    start = static_cast<int64_t>(i) == dimension ? builder.multiply(partNumber(builder, mesh, axes), builder.i32(part))
                                                 : builder.i32(0);
  return sh::DynamicSliceOp::create(builder.builder, builder.loc, type.clone(sizes), value, starts, sizes);
}

// The axes in which the lists differ.
ir::Axes axesBeyond(ArrayRef<ir::Atom> axes, ArrayRef<ir::Atom> others) {
  ir::Axes beyond;
  for (const ir::Atom &atom : axes)
    if (!llvm::is_contained(others, atom))
      beyond.push_back(atom);
  return beyond;
}

// Zeros on all but the first device along the axes.
Value onFirst(ArrayBuilder &builder, Value value, const ir::Mesh &mesh, ArrayRef<ir::Atom> axes) {
  ArrayRef<int64_t> sizes = ir::typeOf(value).getShape();
  Value isFirst = builder.compare(partNumber(builder, mesh, axes), sh::ComparisonDirection::EQ, builder.i32(0));
  return builder.select(builder.broadcast(isFirst, sizes, {}), value,
                        builder.fill(ir::typeOf(value).getElementType(), sizes, 0));
}

} // namespace

bool liesAlike(const ir::Sharding &a, const ir::Sharding &b) {
  return a.mesh == b.mesh && a.unreduced == b.unreduced &&
         llvm::equal(a.dims, b.dims, [](const ir::DimCut &x, const ir::DimCut &y) { return x.axes == y.axes; });
}

Value redistribute(OpBuilder &opBuilder, Value local, RankedTensorType globalType, const ir::Sharding &from,
                   const ir::Sharding &to) {
  if (liesAlike(from, to))
    return local;
  ArrayBuilder builder(opBuilder, local.getLoc());
  bool isOneMesh = from.mesh == to.mesh;
  ir::Axes ended = isOneMesh ? axesBeyond(from.unreduced, to.unreduced) : from.unreduced;
  if (!ended.empty())
    local = allReduce(builder, local, *from.mesh, ended);
  SmallVector<size_t> kept;
  for (int64_t i = 0; i < globalType.getRank(); ++i) {
    kept.push_back(keptAxes(globalType, from, to, i));
    ArrayRef<ir::Atom> axes = ArrayRef(from.dims[i].axes).drop_front(kept.back());
    if (axes.empty())
      continue;
    local = allGather(builder, local, i, *from.mesh, axes);
    if (kept.back() == 0)
      local = withoutExcess(builder, local, i, globalType.getDimSize(i));
  }
  for (int64_t i = 0; i < globalType.getRank(); ++i)
    if (ArrayRef<ir::Atom> axes = ArrayRef(to.dims[i].axes).drop_front(kept[i]); !axes.empty())
      local = takePart(builder, local, i, *to.mesh, axes);
  ir::Axes begun = isOneMesh ? axesBeyond(to.unreduced, from.unreduced) : to.unreduced;
  if (!begun.empty())
    local = onFirst(builder, local, *to.mesh, begun);
  return local;
}

int64_t redistributionBytes(RankedTensorType globalType, const ir::Sharding &from, const ir::Sharding &to) {
  if (liesAlike(from, to))
    return 0;
  int64_t bytes = ir::storedBytes(localType(globalType, from)), moved = 0;
  int64_t sums = ir::partsOf(axesBeyond(from.unreduced, to.unreduced));
  moved += 2 * bytes * (sums - 1) / sums;
  for (int64_t i = 0; i < globalType.getRank(); ++i) {
    int64_t parts = ir::partsOf(ArrayRef(from.dims[i].axes).drop_front(keptAxes(globalType, from, to, i)));
    moved += bytes * (parts - 1);
    bytes *= parts;
  }
  return moved;
}

} // namespace tenon::passes::partition
