// Ops that fold, order or select elements by a body.
#include "test/fuzz/generator.h"

#include "tenon/ir/stablehlo.h"

namespace tenon::fuzz {

using namespace mlir;

namespace {

llvm::SmallVector<Type> scalarsOf(Generator &g, ValueRange operands) {
  llvm::SmallVector<Type> scalars;
  for (Value operand : operands)
    scalars.push_back(g.scalar(elementTypeOf(operand)));
  return scalars;
}

Value compare(Generator &g, Value x, Value y, stablehlo::ComparisonDirection direction,
              std::optional<stablehlo::ComparisonType> type = {}) {
  MLIRContext *context = g.builder.getContext();
  llvm::SmallVector<NamedAttribute> attributes{
      g.named("comparison_direction", stablehlo::ComparisonDirectionAttr::get(context, direction))};
  if (type)
    attributes.push_back(g.named("compare_type", stablehlo::ComparisonTypeAttr::get(context, *type)));
  return g.emitValue("stablehlo.compare", {x, y}, attributes);
}

// An associative function of two scalars, sometimes computed in a wider type.
Value combine(Generator &g, Value x, Value y) {
  Type element = elementTypeOf(x);
  bool isBits = ir::isBool(element) || isInteger(element);
  StringRef name = g.oneOf({"add", "add", "add", "maximum", "minimum", "multiply", "and", "or", "xor"});
  if (!isBits && (name == "and" || name == "or" || name == "xor"))
    name = "maximum";
  if (element.isBF16() && g.chance(40)) {
    auto wide = [&](Value v) { return g.emitValue("stablehlo.convert", v, {}, g.scalar(g.builder.getF32Type())); };
    Value sum = g.emitValue(("stablehlo." + name).str(), {wide(x), wide(y)});
    return g.emitValue("stablehlo.convert", sum, {}, g.scalar(element));
  }
  if (g.chance(50))
    std::swap(x, y);
  return g.emitValue(("stablehlo." + name).str(), {x, y});
}

// The larger of two values with where it was, as argmax has it: NaN first, then the lower index.
Values combineWithIndex(Generator &g, ValueRange arguments) {
  using stablehlo::ComparisonDirection;
  Value x = arguments[0], i = arguments[1], y = arguments[2], j = arguments[3];
  auto direction = g.chance(50) ? ComparisonDirection::GT : ComparisonDirection::LT;
  Value better = g.emitValue("stablehlo.or", {compare(g, x, y, direction), compare(g, x, x, ComparisonDirection::NE)});
  Value tie = g.emitValue("stablehlo.and",
                          {compare(g, x, y, ComparisonDirection::EQ), compare(g, i, j, ComparisonDirection::LT)});
  Value first = g.emitValue("stablehlo.or", {better, tie});
  return {g.emitValue("stablehlo.select", {better, x, y}), g.emitValue("stablehlo.select", {first, i, j})};
}

// Operands with initial values and a body for a fold over them.
struct Fold {
  Values operands;
  Generator::Region body;
};

std::optional<Fold> makeFold(Generator &g, Value x, bool argmax) {
  Values inputs{x};
  if (argmax)
    inputs.push_back(g.emitValue("stablehlo.iota", {}, g.number("iota_dimension", g.pick(typeOf(x).getRank())),
                                 g.tensor(shapeOf(x), g.builder.getI32Type())));
  else
    for (int64_t i = 0, n = g.chance(20) ? g.between(1, 2) : 0; i < n; ++i)
      inputs.push_back(g.valueOf(g.tensor(shapeOf(x), g.element(isAny))));
  if (llvm::is_contained(inputs, Value()))
    return std::nullopt;
  Fold fold;
  fold.operands = inputs;
  for (Value input : inputs)
    fold.operands.push_back(g.valueOf(g.scalar(elementTypeOf(input))));
  if (llvm::is_contained(fold.operands, Value()))
    return std::nullopt;
  auto scalars = scalarsOf(g, inputs);
  scalars.append(scalarsOf(g, inputs));
  fold.body = g.closedRegion(scalars, [&](ValueRange arguments) {
    if (argmax)
      return combineWithIndex(g, arguments);
    Values results;
    for (size_t i = 0; i < inputs.size(); ++i)
      results.push_back(combine(g, arguments[i], arguments[inputs.size() + i]));
    return results;
  });
  return fold;
}

void reduce(Generator &g) {
  Value x = g.value();
  if (!x)
    return;
  bool argmax = typeOf(x).getRank() > 0 && !ir::isComplex(elementTypeOf(x)) && g.chance(15);
  std::optional<Fold> fold = makeFold(g, x, argmax);
  if (!fold)
    return;
  Sizes dimensions = g.choose(typeOf(x).getRank(), g.pick(typeOf(x).getRank() + 1));
  if (g.chance(80))
    llvm::sort(dimensions);
  g.emit("stablehlo.reduce", fold->operands, g.list("dimensions", dimensions), {}, one(std::move(fold->body)));
}

void reduceWindow(Generator &g) {
  Value x = g.value();
  if (!x)
    return;
  std::optional<Fold> fold = makeFold(g, x, false);
  if (!fold)
    return;
  Sizes window, strides, baseDilations, windowDilations, pads;
  bool cumulative = g.chance(20); // as cumsum is written
  // For the interpreter, each window costs as much as it is long.
  constexpr int64_t kMaxSteps = 1 << 18;
  for (int64_t size : shapeOf(x)) {
    if (cumulative && size > 0 && size * product(shapeOf(x)) <= kMaxSteps) {
      window.push_back(size);
      strides.push_back(1);
      baseDilations.push_back(1);
      windowDilations.push_back(1);
      pads.append({size - 1, 0});
      cumulative = false;
      continue;
    }
    window.push_back(g.between(1, 3));
    strides.push_back(g.chance(60) ? 1 : g.between(1, 3));
    baseDilations.push_back(g.chance(80) ? 1 : g.between(1, 3));
    windowDilations.push_back(g.chance(80) ? 1 : g.between(1, 3));
    pads.append({g.between(-1, 2), g.between(-1, 2)});
  }
  llvm::SmallVector<NamedAttribute> attributes{g.list("window_dimensions", window)};
  if (g.chance(70))
    attributes.push_back(g.list("window_strides", strides));
  if (g.chance(50))
    attributes.push_back(g.list("base_dilations", baseDilations));
  if (g.chance(50))
    attributes.push_back(g.list("window_dilations", windowDilations));
  if (g.chance(70))
    attributes.push_back(g.padding("padding", pads));
  g.emit("stablehlo.reduce_window", fold->operands, attributes, {}, one(std::move(fold->body)));
}

void selectAndScatter(Generator &g) {
  using stablehlo::ComparisonDirection;
  Value x = g.value([](Type type) { return !ir::isComplex(type); });
  if (!x)
    return;
  Sizes window, strides, pads, source;
  bool padded = g.chance(60), strided = g.chance(80);
  for (int64_t size : shapeOf(x)) {
    window.push_back(g.between(1, 3));
    strides.push_back(strided ? g.between(1, 3) : 1);
    pads.append({padded ? g.between(0, 2) : 0, padded ? g.between(0, 2) : 0});
    int64_t extent = size + pads[pads.size() - 2] + pads.back();
    source.push_back(size == 0 || extent < window.back() ? 0 : (extent - window.back()) / strides.back() + 1);
  }
  Values operands{x, g.valueOf(g.tensor(source, elementTypeOf(x))), g.valueOf(g.scalar(elementTypeOf(x)))};
  if (llvm::is_contained(operands, Value()))
    return;
  auto direction = g.chance(50) ? ComparisonDirection::GE : ComparisonDirection::LT;
  Type scalar = g.scalar(elementTypeOf(x));
  std::vector<Generator::Region> regions;
  regions.push_back(g.closedRegion({scalar, scalar}, [&](ValueRange arguments) -> Values {
    return {compare(g, arguments[0], arguments[1], direction)};
  }));
  regions.push_back(g.closedRegion({scalar, scalar}, [&](ValueRange arguments) -> Values {
    return {g.emitValue(g.chance(70) ? "stablehlo.add" : "stablehlo.maximum", arguments)};
  }));
  llvm::SmallVector<NamedAttribute> attributes{g.list("window_dimensions", window)};
  if (strided)
    attributes.push_back(g.list("window_strides", strides));
  if (padded)
    attributes.push_back(g.padding("padding", pads));
  g.emit("stablehlo.select_and_scatter", operands, attributes, {}, std::move(regions));
}

// Less or greater in the first key, among equals in the second. Strict: what is not a strict order gives no definite
// result.
Value comesFirst(Generator &g, ValueRange arguments, bool twoKeys) {
  using stablehlo::ComparisonDirection;
  auto direction = g.chance(50) ? ComparisonDirection::LT : ComparisonDirection::GT;
  std::optional<stablehlo::ComparisonType> type;
  if (ir::isFloat(elementTypeOf(arguments[0])) && g.chance(60))
    type = stablehlo::ComparisonType::TOTALORDER;
  Value first = compare(g, arguments[0], arguments[1], direction, type);
  if (!twoKeys)
    return first;
  Value same = compare(g, arguments[0], arguments[1], ComparisonDirection::EQ, type);
  Value second = compare(g, arguments[2], arguments[3], direction);
  return g.emitValue("stablehlo.or", {first, g.emitValue("stablehlo.and", {same, second})});
}

void sort(Generator &g) {
  Value x = g.valueOfRank(isAny, 1);
  if (!x)
    return;
  Values operands{x};
  for (int64_t i = 0, n = g.pick(3); i < n; ++i)
    operands.push_back(g.valueOf(g.tensor(shapeOf(x), g.element(isAny))));
  if (llvm::is_contained(operands, Value()))
    return;
  llvm::SmallVector<Type> scalars;
  for (Value operand : operands)
    scalars.append(2, g.scalar(elementTypeOf(operand)));
  bool twoKeys = operands.size() > 1 && g.chance(30);
  auto body =
      g.closedRegion(scalars, [&](ValueRange arguments) -> Values { return {comesFirst(g, arguments, twoKeys)}; });
  int64_t rank = typeOf(x).getRank();
  g.emit("stablehlo.sort", operands,
         {g.number("dimension", g.between(-rank, rank - 1)), g.named("is_stable", g.builder.getBoolAttr(g.chance(50)))},
         {}, one(std::move(body)));
}

void scan(Generator &g) {
  Value x = g.valueOfRank(isAny, 1);
  if (!x)
    return;
  int64_t dimension = g.pick(typeOf(x).getRank());
  Sizes sizes(shapeOf(x));
  sizes.erase(sizes.begin() + dimension);
  auto part = g.tensor(sizes, elementTypeOf(x)),
       carried = g.tensor(g.chance(70) ? sizes : g.shape(1), elementTypeOf(x));
  Value init = g.valueOf(carried);
  auto body = g.closedRegion({part, carried}, [&](ValueRange) -> Values {
    g.emitOps(static_cast<int>(g.between(1, 3)));
    return {g.valueOf(part), g.valueOf(carried)};
  });
  llvm::SmallVector<NamedAttribute> attributes{g.number("dimension", dimension),
                                               g.named("operandSegmentSizes", g.builder.getDenseI32ArrayAttr({1, 1})),
                                               g.named("resultSegmentSizes", g.builder.getDenseI32ArrayAttr({1, 1}))};
  if (g.chance(50))
    attributes.push_back(g.named("is_reverse", g.builder.getBoolAttr(g.chance(70))));
  g.emit("chlo.scan", {x, init}, attributes, {x.getType(), carried}, one(std::move(body)));
}

void topK(Generator &g) {
  Value x = g.valueOfRank([](Type type) { return isReal(type) || isInteger(type); }, 1);
  if (x)
    g.emit("chlo.top_k", x, g.number("k", g.pick(shapeOf(x).back() + 1)));
}

} // namespace

void addReductions(std::vector<Entry> &entries) {
  entries.push_back({"stablehlo.reduce", 14, reduce});
  entries.push_back({"stablehlo.reduce_window", 6, reduceWindow});
  entries.push_back({"stablehlo.select_and_scatter", 3, selectAndScatter});
  entries.push_back({"stablehlo.sort", 5, sort});
  entries.push_back({"chlo.scan", 2, scan});
  entries.push_back({"chlo.top_k", 2, topK});
}

} // namespace tenon::fuzz
