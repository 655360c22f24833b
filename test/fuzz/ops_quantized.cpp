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
  int64_t width = g.chance(60) ? 8 : g.chance(50) ? 4 : 16;
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

Value quantize(Generator &g, Value x, Type element) {
  return g.emitValue("stablehlo.uniform_quantize", x, {}, g.tensor(shapeOf(x), element));
}

Value dequantize(Generator &g, Value x) {
  Type expressed = llvm::cast<quant::QuantizedType>(elementOf(x)).getExpressedType();
  return g.emitValue("stablehlo.uniform_dequantize", x, {}, g.tensor(shapeOf(x), expressed));
}

// Another value of this type.
Value other(Generator &g, RankedTensorType type) {
  Type expressed = llvm::cast<quant::QuantizedType>(type.getElementType()).getExpressedType();
  Value x = g.valueOf(g.tensor(type.getShape(), expressed));
  return x ? quantize(g, x, type.getElementType()) : Value();
}

Value elementwise(Generator &g, Value x) {
  if (g.chance(40))
    return g.emitValue(g.oneOf({"stablehlo.negate", "stablehlo.abs", "stablehlo.tanh", "stablehlo.exponential",
                                "stablehlo.logistic", "stablehlo.sqrt", "stablehlo.floor", "stablehlo.cbrt"}),
                       x, {}, x.getType());
  Value y = other(g, typeOf(x));
  if (!y)
    return {};
  return g.emitValue(g.oneOf({"stablehlo.add", "stablehlo.add", "stablehlo.subtract", "stablehlo.multiply",
                              "stablehlo.maximum", "stablehlo.minimum", "stablehlo.divide"}),
                     {x, y}, {}, x.getType());
}

Value moved(Generator &g, Value x) {
  int64_t rank = typeOf(x).getRank();
  if (g.chance(30))
    return g.emitValue("stablehlo.reverse", x, g.list("dimensions", g.choose(rank, g.pick(rank + 1))), x.getType());
  if (g.chance(30) && rank > 0)
    return g.emitValue("stablehlo.concatenate", {x, other(g, typeOf(x))}, g.number("dimension", g.pick(rank)));
  if (g.chance(30))
    return g.emitValue("stablehlo.reshape", x, {}, g.tensor({product(shapeOf(x))}, elementOf(x)));
  Sizes order = g.permutation(rank), sizes;
  for (int64_t d : order)
    sizes.push_back(shapeOf(x)[d]);
  return g.emitValue("stablehlo.transpose", x, g.list("permutation", order), g.tensor(sizes, elementOf(x)));
}

Value chosen(Generator &g, Value x) {
  Value y = other(g, typeOf(x));
  if (!y)
    return {};
  auto direction = static_cast<stablehlo::ComparisonDirection>(g.pick(6));
  Value flags = g.emitValue(
      "stablehlo.compare", {x, y},
      g.named("comparison_direction", stablehlo::ComparisonDirectionAttr::get(g.builder.getContext(), direction)));
  return g.emitValue("stablehlo.select", {flags, x, y}, {}, x.getType());
}

// A product with a matrix of weights, per tensor or per column.
Value product(Generator &g, Value x) {
  int64_t rank = typeOf(x).getRank();
  if (rank == 0)
    return {};
  auto type = llvm::cast<quant::UniformQuantizedType>(elementOf(x));
  int64_t inner = shapeOf(x).back(), columns = g.between(1, 9);
  bool axis = g.chance(50);
  Storage storage{llvm::cast<IntegerType>(type.getStorageType()), type.getFlags(), type.getStorageTypeMin(),
                  type.getStorageTypeMax()};
  Type element = quant::UniformQuantizedType::get(storage.flags, storage.type, type.getExpressedType(), makeScale(g),
                                                  std::max<int64_t>(0, storage.min), storage.min, storage.max);
  if (axis) {
    llvm::SmallVector<double> scales;
    for (int64_t i = 0; i < columns; ++i)
      scales.push_back(makeScale(g));
    element = quant::UniformQuantizedPerAxisType::get(storage.flags, storage.type, type.getExpressedType(), scales,
                                                      Sizes(columns, std::max<int64_t>(0, storage.min)), 1, storage.min,
                                                      storage.max);
  }
  Value weights = other(g, g.tensor({inner, columns}, element));
  Sizes to(shapeOf(x).drop_back());
  to.push_back(columns);
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(g.builder.getContext(), {}, {}, {rank - 1}, {0});
  return g.emitValue("stablehlo.dot_general", {x, weights}, g.named("dot_dimension_numbers", numbers),
                     g.tensor(to, type));
}

// Ops as long as they are valid.
void chain(Generator &g, Value x) {
  for (int64_t i = 0, n = g.pick(5); i < n; ++i) {
    int64_t kind = g.pick(12);
    Value next = kind < 5   ? elementwise(g, x)
                 : kind < 7 ? moved(g, x)
                 : kind < 9 ? product(g, x)
                 : kind < 10
                     ? chosen(g, x)
                     : quantize(g, x, perTensor(g, llvm::cast<quant::QuantizedType>(elementOf(x)).getExpressedType()));
    x = next ? next : x;
  }
  dequantize(g, x);
}

void quantizedChain(Generator &g) {
  Type expressed = expressedType(g);
  Value x = g.value([&](Type type) { return type == expressed; });
  if (!x)
    return;
  if (Value quantized = quantize(g, x, perTensor(g, expressed)))
    chain(g, quantized);
}

// Per axis, then moved or computed with, then dequantized or quantized per tensor.
void quantizedAxis(Generator &g) {
  Type expressed = expressedType(g);
  Value x = g.valueOfRank([&](Type type) { return type == expressed; }, 1);
  if (!x)
    return;
  int64_t axis = g.pick(typeOf(x).getRank()), size = shapeOf(x)[axis];
  if (size == 0 || size > 64)
    return;
  Value quantized = quantize(g, x, perAxis(g, expressed, axis, size, g.chance(50)));
  if (quantized && g.chance(40))
    if (Value sum = g.emitValue("stablehlo.add", {quantized, other(g, typeOf(quantized))}, {}, quantized.getType()))
      quantized = sum;
  if (!quantized || g.chance(50)) {
    if (quantized)
      dequantize(g, quantized);
    return;
  }
  if (Value whole = quantize(g, quantized, perTensor(g, expressed)))
    chain(g, whole);
}

} // namespace

void addQuantized(std::vector<Entry> &entries) {
  entries.push_back({"stablehlo.uniform_quantize", 6, quantizedChain});
  entries.push_back({"stablehlo.uniform_dequantize", 3, quantizedAxis});
}

} // namespace tenon::fuzz
