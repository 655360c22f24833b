// Ops that compute element by element.
#include "test/fuzz/generator.h"

#include "tenon/ir/chlo.h"
#include "tenon/ir/stablehlo.h"

namespace tenon::fuzz {

using namespace mlir;

namespace {

bool isSignedOrFloat(Type type) { return ir::isSignedInt(type) || isFloatOrComplex(type); }
bool isBits(Type type) { return ir::isBool(type) || isInteger(type); }
bool isRealNumber(Type type) { return isReal(type) || isInteger(type); }
bool isComplexPart(Type type) { return ir::isFloat32Or64(type); }

// Elements that the op takes, operands all of one type.
struct Row {
  const char *name;
  bool (*accepts)(Type);
  int weight = 2;
};

constexpr Row kUnary[] = {
    {"stablehlo.abs", isSignedOrFloat},
    {"stablehlo.cbrt", isFloatOrComplex, 1},
    {"stablehlo.ceil", isReal},
    {"stablehlo.cosine", isFloatOrComplex},
    {"stablehlo.count_leading_zeros", isInteger},
    {"stablehlo.exponential", isFloatOrComplex, 3},
    {"stablehlo.exponential_minus_one", isFloatOrComplex},
    {"stablehlo.floor", isReal},
    {"stablehlo.imag", isFloatOrComplex},
    {"stablehlo.is_finite", isReal},
    {"stablehlo.log", isFloatOrComplex},
    {"stablehlo.log_plus_one", isFloatOrComplex},
    {"stablehlo.logistic", isFloatOrComplex},
    {"stablehlo.negate", isNumber},
    {"stablehlo.not", isBits},
    {"stablehlo.popcnt", isInteger},
    {"stablehlo.real", isFloatOrComplex},
    {"stablehlo.round_nearest_afz", isReal},
    {"stablehlo.round_nearest_even", isReal},
    {"stablehlo.rsqrt", isFloatOrComplex},
    {"stablehlo.sign", isSignedOrFloat},
    {"stablehlo.sine", isFloatOrComplex},
    {"stablehlo.sqrt", isFloatOrComplex},
    {"stablehlo.tan", isFloatOrComplex, 1},
    {"stablehlo.tanh", isFloatOrComplex, 3},
    {"chlo._asin_acos_kernel", ir::isComplex, 1},
    {"chlo.acos", isFloatOrComplex, 1},
    {"chlo.acosh", isFloatOrComplex, 1},
    {"chlo.asin", isFloatOrComplex, 1},
    {"chlo.asinh", isFloatOrComplex, 1},
    {"chlo.atan", isFloatOrComplex, 1},
    {"chlo.atanh", isFloatOrComplex, 1},
    {"chlo.bessel_i1e", isReal, 1},
    {"chlo.conj", isFloatOrComplex, 1},
    {"chlo.cosh", isFloatOrComplex, 1},
    {"chlo.digamma", isReal, 1},
    {"chlo.erf", isReal, 1},
    {"chlo.erf_inv", isReal, 1},
    {"chlo.erfc", isReal, 1},
    {"chlo.is_inf", isReal, 1},
    {"chlo.is_neg_inf", isReal, 1},
    {"chlo.is_pos_inf", isReal, 1},
    {"chlo.lgamma", isReal, 1},
    {"chlo.sinh", isFloatOrComplex, 1},
    {"chlo.square", isFloatOrComplex, 1},
    {"chlo.tan", isFloatOrComplex, 1},
};

constexpr Row kBinary[] = {
    {"stablehlo.add", isAny, 6},
    {"stablehlo.and", isBits},
    {"stablehlo.atan2", isFloatOrComplex},
    {"stablehlo.complex", isComplexPart},
    {"stablehlo.divide", isNumber, 3},
    {"stablehlo.maximum", isAny, 4},
    {"stablehlo.minimum", isAny, 4},
    {"stablehlo.multiply", isAny, 6},
    {"stablehlo.or", isBits},
    {"stablehlo.power", isNumber},
    {"stablehlo.remainder", isRealNumber},
    {"stablehlo.shift_left", isInteger},
    {"stablehlo.shift_right_arithmetic", isInteger},
    {"stablehlo.shift_right_logical", isInteger},
    {"stablehlo.subtract", isNumber, 6},
    {"stablehlo.xor", isBits},
    {"chlo.mulhi", isInteger, 1},
    {"chlo.next_after", isReal, 1},
    {"chlo.polygamma", isReal, 1},
    {"chlo.zeta", isReal, 1},
};

constexpr Row kBroadcasting[] = {
    {"chlo.broadcast_add", isAny, 1},
    {"chlo.broadcast_and", isBits, 1},
    {"chlo.broadcast_divide", isNumber, 1},
    {"chlo.broadcast_maximum", isAny, 1},
    {"chlo.broadcast_minimum", isAny, 1},
    {"chlo.broadcast_multiply", isNumber, 1},
    {"chlo.broadcast_subtract", isNumber, 1},
    {"chlo.broadcast_xor", isBits, 1},
    {"chlo.broadcast_atan2", isFloatOrComplex, 1},
    {"chlo.broadcast_complex", isComplexPart, 1},
    {"chlo.broadcast_next_after", isReal, 1},
    {"chlo.broadcast_or", isBits, 1},
    {"chlo.broadcast_polygamma", isReal, 1},
    {"chlo.broadcast_power", isNumber, 1},
    {"chlo.broadcast_remainder", isRealNumber, 1},
    {"chlo.broadcast_shift_left", isInteger, 1},
    {"chlo.broadcast_shift_right_arithmetic", isInteger, 1},
    {"chlo.broadcast_shift_right_logical", isInteger, 1},
    {"chlo.broadcast_zeta", isReal, 1},
};

void unary(Generator &g, const Row &row) {
  Value x = g.value(row.accepts);
  g.emit(row.name, x);
}

void binary(Generator &g, const Row &row) {
  Value x = g.value(row.accepts);
  if (!x)
    return;
  Value y = g.valueOf(typeOf(x));
  if (g.chance(50))
    std::swap(x, y);
  g.emit(row.name, {x, y});
}

// The last dimensions of a shape, some of size one.
Sizes narrowed(Generator &g, llvm::ArrayRef<int64_t> shape) {
  Sizes sizes(shape.drop_front(g.pick(shape.size() + 1)));
  for (int64_t &size : sizes)
    size = g.chance(40) ? 1 : size;
  return sizes;
}

void broadcastSelect(Generator &g) {
  Value x = g.value();
  if (!x)
    return;
  Value y = g.valueOf(g.tensor(narrowed(g, shapeOf(x)), elementTypeOf(x)));
  Sizes sizes = g.chance(50) ? Sizes() : Sizes(shapeOf(x));
  g.emit("chlo.broadcast_select", {g.valueOf(g.tensor(sizes, g.builder.getI1Type())), x, y});
}

void constantLike(Generator &g) {
  Value x = g.value();
  if (!x)
    return;
  Value one = g.constant(g.scalar(g.element([](Type type) { return !ir::isComplex(type); })));
  auto constant = one ? one.getDefiningOp<stablehlo::ConstantOp>() : nullptr;
  if (!constant)
    return;
  auto value = *llvm::cast<DenseElementsAttr>(constant.getValueAttr()).value_begin<Attribute>();
  g.emit("chlo.constant_like", x, g.named("value", value));
}

void broadcasting(Generator &g, const Row &row) {
  Value x = g.value(row.accepts);
  if (!x)
    return;
  Value y = g.valueOf(g.tensor(narrowed(g, shapeOf(x)), elementTypeOf(x)));
  if (g.chance(50))
    std::swap(x, y);
  g.emit(row.name, {x, y});
}

void convert(Generator &g) {
  if (Value x = g.value())
    g.emit("stablehlo.convert", x, {}, g.tensor(shapeOf(x), g.element(isAny)));
}

void bitcastConvert(Generator &g) {
  Value x = g.value(isNumber);
  if (!x)
    return;
  auto width = [](Type type) -> int64_t {
    auto complex = llvm::dyn_cast<ComplexType>(type);
    return complex ? 2 * complex.getElementType().getIntOrFloatBitWidth() : type.getIntOrFloatBitWidth();
  };
  Type to = g.element(isNumber);
  int64_t from = width(elementTypeOf(x)), wanted = width(to);
  if (from < wanted && wanted % from == 0) { // several elements become one
    Sizes sizes = g.shape(2);
    sizes.push_back(wanted / from);
    x = g.valueOf(g.tensor(sizes, elementTypeOf(x)));
    if (!x)
      return;
  }
  Sizes sizes(shapeOf(x));
  if (from > wanted && from % wanted == 0)
    sizes.push_back(from / wanted);
  else if (from < wanted && !sizes.empty() && sizes.back() * from == wanted)
    sizes.pop_back();
  g.emit("stablehlo.bitcast_convert", x, {}, g.tensor(sizes, to));
}

void compare(Generator &g) {
  Value x = g.value();
  if (!x)
    return;
  auto direction = static_cast<stablehlo::ComparisonDirection>(g.pick(6));
  llvm::SmallVector<NamedAttribute> attributes{
      g.named("comparison_direction", stablehlo::ComparisonDirectionAttr::get(g.builder.getContext(), direction))};
  if (g.chance(60)) {
    Type element = elementTypeOf(x);
    bool isSigned = ir::isSignedInt(element), isReal = ir::isFloat(element);
    auto type = isSigned                    ? stablehlo::ComparisonType::SIGNED
                : isReal && g.chance(50)    ? stablehlo::ComparisonType::TOTALORDER
                : isFloatOrComplex(element) ? stablehlo::ComparisonType::FLOAT
                                            : stablehlo::ComparisonType::UNSIGNED;
    attributes.push_back(g.named("compare_type", stablehlo::ComparisonTypeAttr::get(g.builder.getContext(), type)));
  }
  g.emit("stablehlo.compare", {x, g.valueOf(typeOf(x))}, attributes);
}

void broadcastCompare(Generator &g) {
  Value x = g.value();
  if (!x)
    return;
  auto direction = static_cast<chlo::ComparisonDirection>(g.pick(6));
  g.emit("chlo.broadcast_compare", {x, g.valueOf(g.tensor(narrowed(g, shapeOf(x)), elementTypeOf(x)))},
         g.named("comparison_direction", chlo::ComparisonDirectionAttr::get(g.builder.getContext(), direction)));
}

void select(Generator &g) {
  Value x = g.value();
  if (!x)
    return;
  Value y = g.valueOf(typeOf(x));
  Type boolean = g.builder.getI1Type();
  g.emit("stablehlo.select", {g.valueOf(g.chance(25) ? g.scalar(boolean) : g.tensor(shapeOf(x), boolean)), x, y});
}

void clamp(Generator &g) {
  Value x = g.value();
  if (!x)
    return;
  auto bound = [&] { return g.valueOf(g.chance(50) ? g.scalar(elementTypeOf(x)) : typeOf(x)); };
  Value low = bound();
  g.emit("stablehlo.clamp", {low, x, bound()});
}

void reducePrecision(Generator &g) {
  Value x = g.value(isReal);
  g.emit("stablehlo.reduce_precision", x,
         {g.named("exponent_bits", g.builder.getI32IntegerAttr(static_cast<int>(g.between(1, 11)))),
          g.named("mantissa_bits", g.builder.getI32IntegerAttr(static_cast<int>(g.between(0, 52))))});
}

void map(Generator &g) {
  Value x = g.value();
  if (!x)
    return;
  Values operands{x};
  if (g.chance(50))
    operands.push_back(g.valueOf(g.tensor(shapeOf(x), g.element(isAny))));
  llvm::SmallVector<Type> scalars;
  for (Value operand : operands)
    if (operand)
      scalars.push_back(g.scalar(elementTypeOf(operand)));
  auto body = g.closedRegion(scalars, [&](ValueRange) -> Values {
    g.emitOps(static_cast<int>(g.between(1, 3)));
    return {g.valueOf(g.scalar(elementTypeOf(x)))};
  });
  Sizes dimensions;
  for (size_t i = 0; i < shapeOf(x).size(); ++i)
    dimensions.push_back(static_cast<int64_t>(i));
  std::vector<Generator::Region> regions;
  regions.push_back(std::move(body));
  g.emit("stablehlo.map", operands, g.list("dimensions", dimensions), {}, std::move(regions));
}

void addRows(std::vector<Entry> &entries, llvm::ArrayRef<Row> rows, void (*emit)(Generator &, const Row &)) {
  for (const Row &row : rows)
    entries.push_back({row.name, row.weight, [&row, emit](Generator &g) { emit(g, row); }});
}

} // namespace

static const Row *anyRow(Generator &g, llvm::ArrayRef<Row> rows, Type element) {
  llvm::SmallVector<const Row *> fitting;
  for (const Row &row : rows)
    if (row.accepts(element))
      fitting.push_back(&row);
  return fitting.empty() ? nullptr : fitting[g.pick(fitting.size())];
}

StringRef anyBroadcasting(Generator &g, Type element) {
  const Row *row = anyRow(g, kBroadcasting, element);
  return row ? row->name : "";
}

Value anyElementwise(Generator &g, Value x, Value y) {
  if (!x || !y)
    return {};
  Type element = elementTypeOf(x);
  int64_t kind = g.pick(10);
  if (kind < 4) {
    const Row *row = anyRow(g, kUnary, element);
    return row ? g.emitValue(row->name, x) : Value();
  }
  if (kind < 7) {
    const Row *row = anyRow(g, kBinary, element);
    return row ? g.emitValue(row->name, {x, y}) : Value();
  }
  if (kind == 7)
    return g.emitValue("stablehlo.convert", x, {}, g.tensor(shapeOf(x), g.element(isAny)));
  if (kind == 8)
    return g.emitValue("stablehlo.clamp", {g.chance(50) ? y : g.valueOf(g.scalar(element)), x, y});
  auto direction = static_cast<stablehlo::ComparisonDirection>(g.pick(6));
  Value flags = g.emitValue(
      "stablehlo.compare", {x, y},
      g.named("comparison_direction", stablehlo::ComparisonDirectionAttr::get(g.builder.getContext(), direction)));
  return g.chance(30) ? flags : g.emitValue("stablehlo.select", {flags, y, x});
}

void addElementwise(std::vector<Entry> &entries) {
  addRows(entries, kUnary, unary);
  addRows(entries, kBinary, binary);
  addRows(entries, kBroadcasting, broadcasting);
  entries.push_back({"stablehlo.convert", 10, convert});
  entries.push_back({"stablehlo.bitcast_convert", 3, bitcastConvert});
  entries.push_back({"stablehlo.compare", 8, compare});
  entries.push_back({"stablehlo.select", 8, select});
  entries.push_back({"stablehlo.clamp", 4, clamp});
  entries.push_back({"stablehlo.reduce_precision", 2, reducePrecision});
  entries.push_back({"stablehlo.map", 3, map});
  entries.push_back({"chlo.broadcast_compare", 1, broadcastCompare});
  entries.push_back({"chlo.broadcast_select", 1, broadcastSelect});
  entries.push_back({"chlo.constant_like", 1, constantLike});
}

} // namespace tenon::fuzz
