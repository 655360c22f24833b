// Arrays cut short by a number that is known when the program runs. What becomes of them has a static shape again,
// since everything open is folded in the end.
#include "test/fuzz/generator.h"

#include "tenon/ir/stablehlo.h"

namespace tenon::fuzz {

using namespace mlir;

namespace {

Sizes someDimensions(Generator &g, Value x) { return g.choose(typeOf(x).getRank(), g.pick(typeOf(x).getRank() + 1)); }

// A computation of two scalars.
std::vector<Generator::Region> combine(Generator &g, StringRef name, Type element) {
  Type scalar = g.scalar(element);
  return one(
      g.closedRegion({scalar, scalar}, [&](ValueRange arguments) -> Values { return {g.emitValue(name, arguments)}; }));
}

Value firstResult(Operation *op) { return op ? op->getResult(0) : Value(); }

StringRef anySum(Generator &g) { return g.oneOf({"stablehlo.add", "stablehlo.maximum", "stablehlo.minimum"}); }

Value reversed(Generator &g, Value x) {
  return g.emitValue("stablehlo.reverse", x, g.list("dimensions", someDimensions(g, x)), x.getType());
}

Value padded(Generator &g, Value x) {
  Sizes low, high, interior;
  for (int64_t d = 0; d < typeOf(x).getRank(); ++d) {
    low.push_back(g.between(0, 2));
    high.push_back(g.between(0, 2));
    interior.push_back(g.chance(70) ? 0 : 1);
  }
  return g.emitValue(
      "stablehlo.pad", {x, g.valueOf(g.scalar(elementTypeOf(x)))},
      {g.list("edge_padding_low", low), g.list("edge_padding_high", high), g.list("interior_padding", interior)});
}

Value joined(Generator &g, Value x) {
  Values inputs(static_cast<size_t>(g.between(1, 3)), x);
  return g.emitValue("stablehlo.concatenate", inputs, g.number("dimension", g.pick(typeOf(x).getRank())));
}

Value sorted(Generator &g, Value x) {
  Type scalar = g.scalar(elementTypeOf(x));
  auto type = ir::isFloat(elementTypeOf(x)) ? stablehlo::ComparisonType::TOTALORDER : stablehlo::ComparisonType::NOTYPE;
  auto body = g.closedRegion({scalar, scalar}, [&](ValueRange arguments) -> Values {
    MLIRContext *context = g.builder.getContext();
    auto less = stablehlo::ComparisonDirectionAttr::get(context, stablehlo::ComparisonDirection::LT);
    llvm::SmallVector<NamedAttribute> attributes{g.named("comparison_direction", less)};
    if (type == stablehlo::ComparisonType::TOTALORDER)
      attributes.push_back(g.named("compare_type", stablehlo::ComparisonTypeAttr::get(context, type)));
    return {g.emitValue("stablehlo.compare", arguments, attributes)};
  });
  return firstResult(g.emit("stablehlo.sort", x, g.number("dimension", g.pick(typeOf(x).getRank())), x.getType(),
                            one(std::move(body))));
}

// Some dimensions of the array multiplied with themselves, in some order, kept or summed over.
Value multiplied(Generator &g, Value x) {
  int64_t rank = typeOf(x).getRank();
  std::string labels, others, result;
  for (int64_t d = 0; d < rank; ++d)
    labels += static_cast<char>('a' + d);
  Sizes order = g.permutation(rank), sizes;
  for (int64_t d : order)
    others += labels[d];
  for (int64_t d : someDimensions(g, x)) {
    result += labels[d];
    sizes.push_back(shapeOf(x)[d]);
  }
  auto type = g.tensor(sizes, elementTypeOf(x));
  if (g.chance(50))
    return g.emitValue("stablehlo.unary_einsum", x,
                       g.named("einsum_config", g.builder.getStringAttr(labels + "->" + result)), type);
  return g.emitValue("stablehlo.einsum", {x, permuted(g, x, order)},
                     g.named("einsum_config", g.builder.getStringAttr(labels + "," + others + "->" + result)), type);
}

// With an array that is stretched to it.
Value stretched(Generator &g, Value x) {
  Sizes sizes;
  for (int64_t size : shapeOf(x).take_back(g.pick(typeOf(x).getRank() + 1)))
    sizes.push_back(ShapedType::isDynamic(size) || g.chance(30) ? 1 : size);
  Values operands{x, g.valueOf(g.tensor(sizes, elementTypeOf(x)))};
  if (g.chance(50))
    std::swap(operands[0], operands[1]);
  StringRef name = anyBroadcasting(g, elementTypeOf(x));
  return name.empty() ? Value() : g.emitValue(name, operands);
}

// Sums of the first elements.
Value scanned(Generator &g, Value x) {
  Sizes open = openDimensions(typeOf(x));
  int64_t dimension = open.empty() ? g.pick(typeOf(x).getRank()) : open[0];
  Sizes sizes(shapeOf(x));
  sizes.erase(sizes.begin() + dimension);
  auto part = g.tensor(sizes, elementTypeOf(x));
  if (!part.hasStaticShape())
    return x;
  StringRef name = anySum(g);
  auto body = g.closedRegion({part, part}, [&](ValueRange arguments) -> Values {
    Value sum = g.emitValue(name, arguments, {}, part);
    return {sum, sum};
  });
  auto segments = g.builder.getDenseI32ArrayAttr({1, 1});
  return firstResult(
      g.emit("chlo.scan", {x, g.valueOf(part)},
             {g.number("dimension", dimension), g.named("operandSegmentSizes", segments),
              g.named("resultSegmentSizes", segments), g.named("is_reverse", g.builder.getBoolAttr(g.chance(50)))},
             {g.tensor(shapeOf(x), elementTypeOf(x)), part}, one(std::move(body))));
}

Value slid(Generator &g, Value x) {
  Sizes window, strides, dilations, pads;
  for (int64_t d = 0; d < typeOf(x).getRank(); ++d) {
    window.push_back(g.between(1, 3));
    strides.push_back(g.chance(60) ? 1 : g.between(1, 3));
    dilations.push_back(g.chance(80) ? 1 : 2);
    pads.append({g.between(0, 2), g.between(0, 2)});
  }
  return firstResult(g.emit("stablehlo.reduce_window", {x, g.valueOf(g.scalar(elementTypeOf(x)))},
                            {g.list("window_dimensions", window), g.list("window_strides", strides),
                             g.list("base_dilations", dilations), g.padding("padding", pads)},
                            {}, combine(g, anySum(g), elementTypeOf(x))));
}

Value elementwise(Generator &g, Value x) { return anyElementwise(g, x, g.chance(50) ? x : reversed(g, x)); }

void setDimensionSize(Generator &g) {
  using Step = Value (*)(Generator &, Value);
  constexpr Step kSteps[] = {elementwise, elementwise, elementwise, reversed, padded, joined,
                             sorted,      multiplied,  stretched,   scanned,  slid,   annotated};
  Value x = g.valueOfRank(isAny, 1);
  if (!x)
    return;
  x = cutShort(g, x, g.pick(typeOf(x).getRank()));
  for (int64_t i = 0, n = g.pick(4); x && i < n && !openDimensions(typeOf(x)).empty(); ++i)
    if (Value next = g.oneOf(ArrayRef(kSteps))(g, x))
      x = next;
  foldOpen(g, x);
}

} // namespace

Value cutShort(Generator &g, Value x, int64_t dimension) {
  auto number = g.scalar(g.builder.getI32Type());
  Value size = g.emitValue("stablehlo.clamp", {g.splat(number, 0), g.valueOf(number),
                                               g.splat(number, static_cast<double>(shapeOf(x)[dimension]))});
  return g.emitValue("stablehlo.set_dimension_size", {x, size}, g.number("dimension", dimension));
}

Value permuted(Generator &g, Value x, ArrayRef<int64_t> order) {
  Sizes sizes;
  for (int64_t d : order)
    sizes.push_back(shapeOf(x)[d]);
  return g.emitValue("stablehlo.transpose", x, g.list("permutation", order), g.tensor(sizes, elementTypeOf(x)));
}

void foldOpen(Generator &g, Value x) {
  if (x)
    g.emit("stablehlo.reduce", {x, g.valueOf(g.scalar(elementTypeOf(x)))},
           g.list("dimensions", openDimensions(typeOf(x))), {}, combine(g, anySum(g), elementTypeOf(x)));
}

void addBounded(std::vector<Entry> &entries) {
  entries.push_back({"stablehlo.set_dimension_size", 4, setDimensionSize});
}

} // namespace tenon::fuzz
