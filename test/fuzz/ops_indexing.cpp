// Ops that take indices as values.
#include "test/fuzz/generator.h"

#include "tenon/ir/stablehlo.h"

namespace tenon::fuzz {

using namespace mlir;

namespace {

// Unsigned and narrow types, too: they wrap and extend differently.
Type indexElement(Generator &g) { return g.chance(60) ? g.builder.getI32Type() : g.element(isInteger); }

Values startIndices(Generator &g, int64_t rank) {
  Type element = indexElement(g);
  Values starts;
  for (int64_t i = 0; i < rank; ++i)
    starts.push_back(g.valueOf(g.scalar(element)));
  return starts;
}

Sizes partOf(Generator &g, llvm::ArrayRef<int64_t> shape) {
  Sizes sizes;
  for (int64_t size : shape)
    sizes.push_back(g.chance(30) ? size : g.pick(size + 1));
  return sizes;
}

void dynamicSlice(Generator &g) {
  Value x = g.value();
  if (!x)
    return;
  Values operands{x};
  llvm::append_range(operands, startIndices(g, typeOf(x).getRank()));
  g.emit("stablehlo.dynamic_slice", operands, g.list("slice_sizes", partOf(g, shapeOf(x))));
}

void dynamicUpdateSlice(Generator &g) {
  Value x = g.value();
  if (!x)
    return;
  Values operands{x, g.valueOf(g.tensor(partOf(g, shapeOf(x)), elementTypeOf(x)))};
  llvm::append_range(operands, startIndices(g, typeOf(x).getRank()));
  g.emit("stablehlo.dynamic_update_slice", operands);
}

// What gather and scatter have in common: an operand of which windows are addressed by vectors of indices.
struct Windows {
  Sizes collapsed, batching, indicesBatching, map; // dimensions of the operand, of the indices for the second last
  Sizes sizes;                                     // of a window, in each dimension of the operand
  Sizes indices;                                   // shape
  int64_t vectorDimension;
  Sizes offsetDimensions; // where windows are in the shape of all of them
  Sizes all;              // that shape
};

Windows makeWindows(Generator &g, llvm::ArrayRef<int64_t> shape) {
  Windows w;
  auto rank = static_cast<int64_t>(shape.size());
  Sizes free = g.permutation(rank);
  auto take = [&](int64_t count) {
    Sizes taken(free.end() - count, free.end());
    free.resize(free.size() - count);
    return taken;
  };
  if (rank > 1 && g.chance(25))
    w.batching = take(1);
  w.map = free;
  w.map.resize(g.pick(free.size() + 1));
  w.collapsed = take(g.pick(free.size() + 1));
  llvm::sort(w.collapsed);
  for (int64_t d = 0; d < rank; ++d) {
    bool single = llvm::is_contained(w.collapsed, d) || llvm::is_contained(w.batching, d);
    w.sizes.push_back(single ? std::min<int64_t>(1, shape[d]) : g.chance(40) ? shape[d] : g.pick(shape[d] + 1));
  }
  Sizes batch;
  for (int64_t i = 0, n = g.pick(3); i < n; ++i)
    batch.push_back(g.chance(5) ? 0 : g.between(1, 9));
  for (int64_t d : w.batching) {
    w.indicesBatching.push_back(g.pick(batch.size() + 1));
    batch.insert(batch.begin() + w.indicesBatching.back(), shape[d]);
  }
  w.indices = batch;
  w.vectorDimension = g.pick(batch.size() + 1);
  if (w.map.size() == 1 && g.chance(30)) {
    w.vectorDimension = static_cast<int64_t>(batch.size());
  } else {
    w.indices.insert(w.indices.begin() + w.vectorDimension, static_cast<int64_t>(w.map.size()));
    for (int64_t &d : w.indicesBatching)
      d += d >= w.vectorDimension;
  }
  Sizes window;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(w.collapsed, d) && !llvm::is_contained(w.batching, d))
      window.push_back(w.sizes[d]);
  w.offsetDimensions = g.choose(static_cast<int64_t>(window.size() + batch.size()), window.size());
  llvm::sort(w.offsetDimensions);
  size_t nextWindow = 0, nextBatch = 0;
  for (size_t d = 0; d < window.size() + batch.size(); ++d)
    w.all.push_back(llvm::is_contained(w.offsetDimensions, static_cast<int64_t>(d)) ? window[nextWindow++]
                                                                                    : batch[nextBatch++]);
  return w;
}

NamedAttribute flag(Generator &g, StringRef name) { return g.named(name, g.builder.getBoolAttr(g.chance(20))); }

void gather(Generator &g) {
  Value x = g.value();
  if (!x)
    return;
  Windows w = makeWindows(g, shapeOf(x));
  Value indices = g.valueOf(g.tensor(w.indices, indexElement(g)));
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(g.builder.getContext(), w.offsetDimensions, w.collapsed,
                                                            w.batching, w.indicesBatching, w.map, w.vectorDimension);
  llvm::SmallVector<NamedAttribute> attributes{g.named("dimension_numbers", numbers), flag(g, "indices_are_sorted")};
  if (g.chance(10) && product(w.all) <= g.maxElements()) {
    g.emitOpen("stablehlo.dynamic_gather", {x, indices, g.vector(w.sizes)}, attributes,
               g.tensor(w.all, elementTypeOf(x)));
    return;
  }
  attributes.push_back(g.list("slice_sizes", w.sizes));
  g.emit("stablehlo.gather", {x, indices}, attributes);
}

void scatter(Generator &g) {
  Value x = g.value();
  if (!x)
    return;
  Windows w = makeWindows(g, shapeOf(x));
  int64_t count = g.chance(20) ? 2 : 1;
  Values operands{x}, updates;
  llvm::SmallVector<Type> scalars;
  if (count == 2)
    operands.push_back(g.valueOf(g.tensor(shapeOf(x), g.element(isAny))));
  for (Value operand : operands)
    updates.push_back(operand ? g.valueOf(g.tensor(w.all, elementTypeOf(operand))) : Value());
  if (llvm::is_contained(updates, Value()))
    return;
  for (int side = 0; side < 2; ++side)
    for (Value operand : operands)
      scalars.push_back(g.scalar(elementTypeOf(operand)));
  auto body = g.closedRegion(scalars, [&](ValueRange arguments) {
    Values results;
    for (int64_t i = 0; i < count; ++i) {
      Value old = arguments[i], update = arguments[count + i];
      bool isBool = ir::isBool(elementTypeOf(old));
      StringRef name = g.oneOf({"add", "add", "multiply", "maximum", "minimum", "replace", "subtract"});
      if (name == "replace" || (isBool && name == "subtract"))
        results.push_back(update);
      else
        results.push_back(g.emitValue(("stablehlo." + name).str(), {old, update}));
    }
    return results;
  });
  auto numbers = stablehlo::ScatterDimensionNumbersAttr::get(g.builder.getContext(), w.offsetDimensions, w.collapsed,
                                                             w.batching, w.indicesBatching, w.map, w.vectorDimension);
  operands.push_back(g.valueOf(g.tensor(w.indices, indexElement(g))));
  llvm::append_range(operands, updates);
  std::vector<Generator::Region> regions;
  regions.push_back(std::move(body));
  // Both promises are documented to be ignored.
  g.emit("stablehlo.scatter", operands,
         {g.named("scatter_dimension_numbers", numbers), flag(g, "indices_are_sorted"), flag(g, "unique_indices")}, {},
         std::move(regions));
}

void torchIndexSelect(Generator &g) {
  Value x = g.valueOfRank(isAny, 1);
  if (!x)
    return;
  int64_t dimension = g.pick(typeOf(x).getRank()), batch = g.pick(dimension + 1);
  Sizes indices(shapeOf(x).take_front(batch)), to(shapeOf(x).take_front(dimension));
  for (int64_t i = 0, n = g.pick(2) + (batch == 0); i < n; ++i)
    indices.push_back(g.between(1, 6));
  llvm::append_range(to, llvm::ArrayRef(indices).drop_front(batch));
  llvm::append_range(to, shapeOf(x).drop_front(dimension + 1));
  // Out of bounds it is an error.
  Type element = g.builder.getI32Type();
  Value inBounds = g.emitValue("stablehlo.clamp", {g.splat(g.scalar(element), 0), g.valueOf(g.tensor(indices, element)),
                                                   g.splat(g.scalar(element), shapeOf(x)[dimension] - 1.0)});
  if (shapeOf(x)[dimension] == 0)
    return;
  g.emit("stablehlo.torch_index_select", {x, inBounds}, {g.number("dim", dimension), g.number("batch_dims", batch)},
         g.tensor(to, elementTypeOf(x)));
}

} // namespace

void addIndexing(std::vector<Entry> &entries) {
  entries.push_back({"stablehlo.dynamic_slice", 6, dynamicSlice});
  entries.push_back({"stablehlo.dynamic_update_slice", 6, dynamicUpdateSlice});
  entries.push_back({"stablehlo.gather", 8, gather});
  entries.push_back({"stablehlo.dynamic_gather", 1, gather}); // now and then
  entries.push_back({"stablehlo.scatter", 8, scatter});
  entries.push_back({"stablehlo.torch_index_select", 1, torchIndexSelect});
}

} // namespace tenon::fuzz
