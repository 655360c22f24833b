// Ops that make or move elements.
#include "test/fuzz/generator.h"

#include "tenon/ir/stablehlo.h"

namespace tenon::fuzz {

using namespace mlir;

namespace {

void constant(Generator &g) { g.constant(g.tensor(g.shape(), g.element(isAny))); }

void chloConstant(Generator &g) {
  Value value = g.constant(g.tensor(g.shape(2), g.element(isAny)));
  if (auto constant = value ? value.getDefiningOp<stablehlo::ConstantOp>() : nullptr)
    g.emit("chlo.constant", {}, g.named("value", constant.getValueAttr()));
}

void iota(Generator &g, bool dynamic) {
  Sizes sizes = g.shape();
  if (sizes.empty())
    return;
  auto type = g.tensor(sizes, g.element(isNumber));
  auto dimension = g.number("iota_dimension", g.pick(sizes.size()));
  if (!dynamic)
    g.emit("stablehlo.iota", {}, dimension, type);
  else
    g.emitOpen("stablehlo.dynamic_iota", g.vector(sizes), dimension, type);
}

void broadcastInDim(Generator &g, bool dynamic) {
  Value x = g.value();
  if (!x)
    return;
  Sizes sizes(shapeOf(x)), dimensions = g.chance(20) ? g.permutation(sizes.size()) : Sizes();
  for (int64_t d = static_cast<int64_t>(dimensions.size()); d < typeOf(x).getRank(); ++d)
    dimensions.push_back(d);
  Sizes to(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d)
    to[dimensions[d]] = sizes[d] == 1 ? g.between(1, 9) : sizes[d];
  for (int64_t added = g.pick(3); added > 0; --added) {
    int64_t at = g.pick(to.size() + 1);
    to.insert(to.begin() + at, g.between(1, 9));
    for (int64_t &dimension : dimensions)
      dimension += dimension >= at;
  }
  auto list = g.list("broadcast_dimensions", dimensions);
  if (!dynamic)
    g.emit("stablehlo.broadcast_in_dim", x, list, g.tensor(to, elementTypeOf(x)));
  else if (product(to) <= g.maxElements())
    g.emitOpen("stablehlo.dynamic_broadcast_in_dim", {x, g.vector(to)}, list, g.tensor(to, elementTypeOf(x)));
}

void broadcast(Generator &g) {
  Sizes sizes;
  for (int64_t i = 0, n = g.pick(3); i < n; ++i)
    sizes.push_back(g.between(1, 5));
  Value x = g.value();
  g.emit("stablehlo.broadcast", x, g.list("broadcast_sizes", sizes));
}

void concatenate(Generator &g) {
  Value x = g.valueOfRank(isAny, 1);
  if (!x)
    return;
  int64_t dimension = g.pick(typeOf(x).getRank());
  Values pieces{x};
  for (int64_t i = 0, n = g.pick(4); i < n; ++i) {
    Sizes sizes(shapeOf(x));
    if (g.chance(50))
      sizes[dimension] = g.between(0, 9);
    pieces.push_back(g.chance(15) ? x : g.valueOf(g.tensor(sizes, elementTypeOf(x))));
  }
  g.emit("stablehlo.concatenate", pieces, g.number("dimension", dimension));
}

void reshape(Generator &g, bool dynamic) {
  Value x = g.value();
  if (!x)
    return;
  Sizes factors, to;
  int64_t count = product(shapeOf(x));
  if (count == 0)
    factors.push_back(0);
  for (int64_t p = 2; p <= count; ++p)
    for (; count % p == 0; count /= p)
      factors.push_back(p);
  for (int64_t at : g.permutation(factors.size()))
    if (!to.empty() && (g.chance(50) || to.size() >= 4))
      to.back() *= factors[at];
    else
      to.push_back(factors[at]);
  if (g.chance(25))
    to.insert(to.begin() + g.pick(to.size() + 1), 1);
  if (!dynamic)
    g.emit("stablehlo.reshape", x, {}, g.tensor(to, elementTypeOf(x)));
  else
    g.emitOpen("stablehlo.dynamic_reshape", {x, g.vector(to)}, {}, g.tensor(to, elementTypeOf(x)));
}

void reverse(Generator &g) {
  if (Value x = g.value())
    g.emit("stablehlo.reverse", x, g.list("dimensions", g.choose(typeOf(x).getRank(), g.pick(4))));
}

void transpose(Generator &g) {
  if (Value x = g.value())
    g.emit("stablehlo.transpose", x, g.list("permutation", g.permutation(typeOf(x).getRank())));
}

void dynamicPad(Generator &g, Value x, const Sizes &low, const Sizes &high, const Sizes &interior) {
  Sizes to;
  for (auto [d, size] : llvm::enumerate(shapeOf(x))) {
    to.push_back(low[d] + size + std::max<int64_t>(0, size - 1) * interior[d] + high[d]);
    if (to.back() < 0)
      return;
  }
  if (product(to) <= g.maxElements())
    g.emitOpen("stablehlo.dynamic_pad",
               {x, g.valueOf(g.scalar(elementTypeOf(x))), g.vector(low), g.vector(high), g.vector(interior)}, {},
               g.tensor(to, elementTypeOf(x)));
}

void pad(Generator &g, bool dynamic) {
  Value x = g.value();
  if (!x)
    return;
  Sizes low, high, interior;
  for (int64_t d = 0; d < typeOf(x).getRank(); ++d) {
    low.push_back(g.between(-2, 3));
    high.push_back(g.between(-2, 3));
    interior.push_back(g.chance(30) ? g.pick(3) : 0);
  }
  if (dynamic)
    return dynamicPad(g, x, low, high, interior);
  g.emit("stablehlo.pad", {x, g.valueOf(g.scalar(elementTypeOf(x)))},
         {g.list("edge_padding_low", low), g.list("edge_padding_high", high), g.list("interior_padding", interior)});
}

void slice(Generator &g, bool dynamic) {
  Value x = g.value();
  if (!x)
    return;
  Sizes starts, limits, strides, to;
  for (int64_t size : shapeOf(x)) {
    starts.push_back(g.chance(40) ? 0 : g.pick(size + 1));
    limits.push_back(g.chance(40) ? size : g.between(starts.back(), size));
    strides.push_back(g.chance(70) ? 1 : g.between(1, 4));
    to.push_back((limits.back() - starts.back() + strides.back() - 1) / strides.back());
  }
  if (dynamic) {
    g.emitOpen("stablehlo.real_dynamic_slice", {x, g.vector(starts), g.vector(limits), g.vector(strides)}, {},
               g.tensor(to, elementTypeOf(x)));
    return;
  }
  g.emit("stablehlo.slice", x,
         {g.list("start_indices", starts), g.list("limit_indices", limits), g.list("strides", strides)});
}

void getDimensionSize(Generator &g) {
  if (Value x = g.valueOfRank(isAny, 1))
    g.emit("stablehlo.get_dimension_size", x, g.number("dimension", g.pick(typeOf(x).getRank())));
}

// The form whose sizes are operands.
template <void (*Emit)(Generator &, bool dynamic)> void always(Generator &g) { Emit(g, true); }
template <void (*Emit)(Generator &, bool dynamic)> void sometimes(Generator &g) { Emit(g, g.chance(10)); }

} // namespace

void addShape(std::vector<Entry> &entries) {
  entries.push_back({"stablehlo.constant", 2, constant});
  entries.push_back({"stablehlo.iota", 4, sometimes<iota>});
  entries.push_back({"stablehlo.broadcast_in_dim", 10, sometimes<broadcastInDim>});
  entries.push_back({"stablehlo.broadcast", 1, broadcast});
  entries.push_back({"stablehlo.concatenate", 6, concatenate});
  entries.push_back({"stablehlo.reshape", 8, sometimes<reshape>});
  entries.push_back({"stablehlo.reverse", 4, reverse});
  entries.push_back({"stablehlo.transpose", 8, transpose});
  entries.push_back({"stablehlo.pad", 6, sometimes<pad>});
  entries.push_back({"stablehlo.slice", 8, sometimes<slice>});
  entries.push_back({"stablehlo.get_dimension_size", 1, getDimensionSize});
  entries.push_back({"chlo.constant", 1, chloConstant});
  // Now and then.
  entries.push_back({"stablehlo.dynamic_iota", 1, always<iota>});
  entries.push_back({"stablehlo.dynamic_broadcast_in_dim", 1, always<broadcastInDim>});
  entries.push_back({"stablehlo.dynamic_reshape", 1, always<reshape>});
  entries.push_back({"stablehlo.dynamic_pad", 1, always<pad>});
  entries.push_back({"stablehlo.real_dynamic_slice", 1, always<slice>});
}

} // namespace tenon::fuzz
