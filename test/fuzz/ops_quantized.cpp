// Ops on quantized values: floats are quantized, computed with, and dequantized.
#include "test/fuzz/generator.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "tenon/ir/stablehlo.h"

namespace tenon::fuzz {

using namespace mlir;

namespace {

struct Storage {
  IntegerType type;
  unsigned flags;
  int64_t min, max;
};

Storage makeStorage(Generator &g) {
  int64_t width = g.chance(60) ? 8 : g.oneOf<int64_t>({2, 4, 4, 4, 16, 16, 16, 32});
  bool isSigned = g.chance(70);
  Storage storage{IntegerType::get(g.builder.getContext(), width), isSigned ? quant::QuantizationFlags::Signed : 0U, 0,
                  (int64_t{1} << width) - 1};
  if (isSigned) {
    storage.max /= 2;
    storage.min = -storage.max - 1;
  }
  if (g.chance(15)) // a narrowed range
    storage.min += 1;
  return storage;
}

double makeScale(Generator &g) {
  constexpr double kScales[] = {1, 0.5, 0.25, 0.1, 0.05, 2, 0.0371};
  return kScales[g.pick(std::size(kScales))];
}

Type perTensor(Generator &g, Type expressed) {
  Storage storage = makeStorage(g);
  int64_t zero = g.chance(40) ? std::max<int64_t>(0, storage.min) : g.between(storage.min, storage.max);
  return quant::UniformQuantizedType::get(storage.flags, storage.type, expressed, makeScale(g), zero, storage.min,
                                          storage.max);
}

// Zero points other than zero are not for weights.
Type perAxis(Generator &g, Type expressed, int64_t axis, int64_t size, bool weights) {
  Storage storage = makeStorage(g);
  llvm::SmallVector<double> scales;
  Sizes zeros;
  for (int64_t i = 0; i < size; ++i) {
    scales.push_back(makeScale(g));
    zeros.push_back(weights ? std::max<int64_t>(0, storage.min) : g.between(storage.min, storage.max));
  }
  return quant::UniformQuantizedPerAxisType::get(storage.flags, storage.type, expressed, scales, zeros,
                                                 static_cast<int32_t>(axis), storage.min, storage.max);
}

Type expressedType(Generator &g) {
  return g.chance(70)   ? Type(g.builder.getF32Type())
         : g.chance(50) ? Type(g.builder.getBF16Type())
                        : Type(g.builder.getF16Type());
}

bool isOpen(Value x) { return !typeOf(x).hasStaticShape(); }

// A type that may stand beside this one in an op: of the same storage and expressed type. Mostly another scale and zero
// point, so that it shows whose are used.
Type sibling(Generator &g, Type element) {
  auto type = llvm::dyn_cast<quant::UniformQuantizedType>(element);
  if (!type || g.chance(20))
    return element;
  int64_t zero =
      g.between(std::max<int64_t>(type.getStorageTypeMin(), -8), std::min<int64_t>(type.getStorageTypeMax(), 8));
  return quant::UniformQuantizedType::get(type.getFlags(), type.getStorageType(), type.getExpressedType(), makeScale(g),
                                          zero, type.getStorageTypeMin(), type.getStorageTypeMax());
}

// Another value of the sizes of `x`, of this element type.
Value other(Generator &g, Value x, Type element) {
  Type expressed = llvm::cast<quant::QuantizedType>(element).getExpressedType();
  Value y = isOpen(x) ? g.emitValue("stablehlo.negate", dequantize(g, x)) : g.valueOf(g.tensor(shapeOf(x), expressed));
  return y ? quantize(g, y, element) : Value();
}

Value elementwise(Generator &g, Value x) {
  auto result = g.tensor(shapeOf(x), sibling(g, elementTypeOf(x)));
  if (g.chance(40))
    return g.emitValue(
        g.oneOf({"stablehlo.abs", "stablehlo.cbrt", "stablehlo.ceil", "stablehlo.cosine", "stablehlo.exponential",
                 "stablehlo.exponential_minus_one", "stablehlo.floor", "stablehlo.log", "stablehlo.log_plus_one",
                 "stablehlo.logistic", "stablehlo.negate", "stablehlo.round_nearest_afz",
                 "stablehlo.round_nearest_even", "stablehlo.rsqrt", "stablehlo.sign", "stablehlo.sine",
                 "stablehlo.sqrt", "stablehlo.tan", "stablehlo.tanh"}),
        x, {}, result);
  Value y = other(g, x, sibling(g, elementTypeOf(x)));
  if (!y)
    return {};
  if (g.chance(50))
    std::swap(x, y);
  if (g.chance(10))
    return g.emitValue("stablehlo.clamp", {x, y, other(g, x, elementTypeOf(x))}, {}, result);
  return g.emitValue(
      g.oneOf({"stablehlo.add", "stablehlo.add", "stablehlo.subtract", "stablehlo.multiply", "stablehlo.maximum",
               "stablehlo.minimum", "stablehlo.divide", "stablehlo.atan2", "stablehlo.power", "stablehlo.remainder",
               "chlo.broadcast_add", "chlo.broadcast_multiply"}),
      {x, y}, {}, result);
}

Value moved(Generator &g, Value x) {
  int64_t rank = typeOf(x).getRank();
  if (g.chance(20))
    return annotated(g, x);
  if (g.chance(30))
    return g.emitValue("stablehlo.reverse", x, g.list("dimensions", g.choose(rank, g.pick(rank + 1))), x.getType());
  if (g.chance(30) && rank > 0)
    return g.emitValue("stablehlo.concatenate", {x, other(g, x, elementTypeOf(x))},
                       g.number("dimension", g.pick(rank)));
  if (g.chance(30) && !isOpen(x))
    return g.emitValue("stablehlo.reshape", x, {}, g.tensor({product(shapeOf(x))}, elementTypeOf(x)));
  return permuted(g, x, g.permutation(rank));
}

Value chosen(Generator &g, Value x) {
  Value y = other(g, x, sibling(g, elementTypeOf(x)));
  if (!y)
    return {};
  auto direction = static_cast<stablehlo::ComparisonDirection>(g.pick(6));
  Value flags = g.emitValue(
      "stablehlo.compare", {x, y},
      g.named("comparison_direction", stablehlo::ComparisonDirectionAttr::get(g.builder.getContext(), direction)));
  return g.emitValue("stablehlo.select", {flags, x, y}, {}, g.tensor(shapeOf(x), sibling(g, elementTypeOf(x))));
}

// A product with a matrix of weights, per tensor or per column.
Value product(Generator &g, Value x) {
  int64_t rank = typeOf(x).getRank();
  if (rank == 0 || ShapedType::isDynamic(shapeOf(x).back()))
    return {};
  auto type = llvm::cast<quant::UniformQuantizedType>(elementTypeOf(x));
  int64_t inner = shapeOf(x).back(), columns = g.between(1, 9);
  bool axis = g.chance(50);
  Storage storage{llvm::cast<IntegerType>(type.getStorageType()), type.getFlags(), type.getStorageTypeMin(),
                  type.getStorageTypeMax()};
  if (storage.min > 0) // the zero point of weights must be 0
    return {};
  Type element = quant::UniformQuantizedType::get(storage.flags, storage.type, type.getExpressedType(), makeScale(g),
                                                  /*zeroPoint=*/0, storage.min, storage.max);
  if (axis) {
    llvm::SmallVector<double> scales;
    for (int64_t i = 0; i < columns; ++i)
      scales.push_back(makeScale(g));
    element = quant::UniformQuantizedPerAxisType::get(storage.flags, storage.type, type.getExpressedType(), scales,
                                                      Sizes(columns, 0), 1, storage.min, storage.max);
  }
  Value weights = g.valueOf(g.tensor({inner, columns}, type.getExpressedType()));
  weights = weights ? quantize(g, weights, element) : Value();
  Sizes to(shapeOf(x).drop_back());
  to.push_back(columns);
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(g.builder.getContext(), {}, {}, {rank - 1}, {0});
  return g.emitValue("stablehlo.dot_general", {x, weights}, g.named("dot_dimension_numbers", numbers),
                     g.tensor(to, sibling(g, type)));
}

// Ops as long as they are valid.
void chain(Generator &g, Value x) {
  for (int64_t i = 0, n = g.pick(5); i < n; ++i) {
    int64_t kind = g.pick(12);
    Value next =
        kind < 5   ? elementwise(g, x)
        : kind < 7 ? moved(g, x)
        : kind < 9 ? product(g, x)
        : kind < 10
            ? chosen(g, x)
            : quantize(g, x, perTensor(g, llvm::cast<quant::QuantizedType>(elementTypeOf(x)).getExpressedType()));
    x = next ? next : x;
  }
  x = dequantize(g, x);
  if (x && isOpen(x))
    foldOpen(g, x);
}

// Floats of any sizes: static, open in an argument, or bounded.
Value floats(Generator &g, Type expressed) {
  auto accepts = [&](Type type) { return type == expressed; };
  int64_t kind = g.pick(4);
  if (kind == 0)
    if (Value open = openValue(g, expressed))
      return open;
  if (kind != 1)
    return g.value(accepts);
  Value x = g.valueOfRank(accepts, 1);
  return x ? cutShort(g, x, g.pick(typeOf(x).getRank())) : Value();
}

void quantizedChain(Generator &g) {
  Type expressed = expressedType(g);
  Value x = floats(g, expressed);
  if (!x)
    return;
  if (Value quantized = quantize(g, x, perTensor(g, expressed)))
    chain(g, quantized);
}

// Per axis, then computed with, then dequantized or quantized per tensor.
void quantizedAxis(Generator &g) {
  Type expressed = expressedType(g);
  Value x = floats(g, expressed);
  if (!x || typeOf(x).getRank() == 0)
    return;
  int64_t axis = g.pick(typeOf(x).getRank()), size = shapeOf(x)[axis];
  if (size <= 0 || size > 64) // open ones are negative
    return;
  Value quantized = quantize(g, x, perAxis(g, expressed, axis, size, g.chance(50)));
  if (quantized && g.chance(40))
    if (Value sum = g.emitValue("stablehlo.add", {quantized, other(g, quantized, elementTypeOf(quantized))}, {},
                                quantized.getType()))
      quantized = sum;
  if (quantized && g.chance(20))
    if (Value same = annotated(g, quantized))
      quantized = same;
  if (!quantized)
    return;
  if (g.chance(50)) {
    if (Value numbers = dequantize(g, quantized); numbers && isOpen(numbers))
      foldOpen(g, numbers);
    return;
  }
  if (Value whole = quantize(g, quantized, perTensor(g, expressed)))
    chain(g, whole);
}

} // namespace

Value quantize(Generator &g, Value x, Type element) {
  return g.emitValue("stablehlo.uniform_quantize", x, {}, g.tensor(shapeOf(x), element));
}

Value dequantize(Generator &g, Value x) {
  Type expressed = llvm::cast<quant::QuantizedType>(elementTypeOf(x)).getExpressedType();
  return g.emitValue("stablehlo.uniform_dequantize", x, {}, g.tensor(shapeOf(x), expressed));
}

Type quantizedType(Generator &g, Type expressed) { return perTensor(g, expressed); }

void addQuantized(std::vector<Entry> &entries) {
  entries.push_back({"stablehlo.uniform_quantize", 6, quantizedChain});
  entries.push_back({"stablehlo.uniform_dequantize", 3, quantizedAxis});
}

} // namespace tenon::fuzz
