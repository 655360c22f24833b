// Products, convolutions, factorisations, transforms and normalisations.
#include "test/fuzz/generator.h"

#include "tenon/ir/chlo.h"
#include "tenon/ir/stablehlo.h"

namespace tenon::fuzz {

using namespace mlir;

namespace {

constexpr int64_t kMaxProducts = 4'000'000;

bool isLapack(Type type) {
  auto complex = llvm::dyn_cast<ComplexType>(type);
  return ir::isFloat32Or64(complex ? complex.getElementType() : type);
}

NamedAttribute precision(Generator &g) {
  auto one = [&] {
    return stablehlo::PrecisionAttr::get(g.builder.getContext(), static_cast<stablehlo::Precision>(g.pick(3)));
  };
  Attribute first = one();
  return g.named("precision_config", g.builder.getArrayAttr({first, one()}));
}

// The element type of a product: mostly the operands', for narrow ones also a wider one.
Type productElement(Generator &g, Type operand) {
  if (isReal(operand) && operand.getIntOrFloatBitWidth() <= 16 && g.chance(50))
    return g.builder.getF32Type();
  if (ir::isSignedInt(operand) && operand.getIntOrFloatBitWidth() <= 16 && g.chance(50))
    return g.builder.getI32Type();
  return operand;
}

void dotGeneral(Generator &g) {
  Value x = g.value();
  if (!x)
    return;
  int64_t rank = typeOf(x).getRank();
  Sizes order = g.permutation(rank), lhsBatch, lhsContract, rhsBatch, rhsContract, to;
  int64_t batches = g.chance(40) && rank ? g.pick(rank) : 0, contracts = g.pick(rank - batches + 1);
  lhsBatch.assign(order.begin(), order.begin() + batches);
  lhsContract.assign(order.begin() + batches, order.begin() + batches + contracts);
  int64_t free = g.pick(3), rhsRank = batches + contracts + free;
  Sizes places = g.permutation(rhsRank), rhsShape(rhsRank);
  int64_t products = product(shapeOf(x));
  for (int64_t i = 0; i < rhsRank; ++i) {
    int64_t d = places[i];
    if (i < batches) {
      rhsBatch.push_back(d);
      rhsShape[d] = shapeOf(x)[lhsBatch[i]];
    } else if (i < batches + contracts) {
      rhsContract.push_back(d);
      rhsShape[d] = shapeOf(x)[lhsContract[i - batches]];
    } else {
      rhsShape[d] = g.between(1, 20);
      products *= rhsShape[d];
    }
  }
  if (products > kMaxProducts || product(rhsShape) > g.maxElements())
    return;
  for (int64_t d : lhsBatch)
    to.push_back(shapeOf(x)[d]);
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(lhsBatch, d) && !llvm::is_contained(lhsContract, d))
      to.push_back(shapeOf(x)[d]);
  for (int64_t d = 0; d < rhsRank; ++d)
    if (!llvm::is_contained(rhsBatch, d) && !llvm::is_contained(rhsContract, d))
      to.push_back(rhsShape[d]);
  Value y = g.valueOf(g.tensor(rhsShape, elementTypeOf(x)));
  auto numbers =
      stablehlo::DotDimensionNumbersAttr::get(g.builder.getContext(), lhsBatch, rhsBatch, lhsContract, rhsContract);
  llvm::SmallVector<NamedAttribute> attributes{g.named("dot_dimension_numbers", numbers)};
  if (g.chance(30))
    attributes.push_back(precision(g));
  g.emit("stablehlo.dot_general", {x, y}, attributes, g.tensor(to, productElement(g, elementTypeOf(x))));
}

void dot(Generator &g) {
  Value x = g.valueOfRank(isAny, 1);
  if (!x || typeOf(x).getRank() > 2)
    return;
  Sizes rhs{shapeOf(x).back()}, to(shapeOf(x).drop_back());
  if (g.chance(60)) {
    rhs.push_back(g.between(1, 20));
    to.push_back(rhs.back());
  }
  g.emit("stablehlo.dot", {x, g.valueOf(g.tensor(rhs, elementTypeOf(x)))}, {}, g.tensor(to, elementTypeOf(x)));
}

// The dimensions of one side of a convolution in a random order: batch, feature and spatial ones.
struct Order {
  int64_t first, second;
  Sizes spatial;
};

Order makeOrder(Generator &g, int64_t spatial) {
  Sizes order = g.chance(50) ? g.permutation(spatial + 2) : Sizes();
  for (auto d = static_cast<int64_t>(order.size()); d < spatial + 2; ++d)
    order.push_back(d);
  return {order[0], order[1], Sizes(order.begin() + 2, order.end())};
}

Sizes arranged(const Order &order, int64_t first, int64_t second, llvm::ArrayRef<int64_t> spatial) {
  Sizes shape(spatial.size() + 2);
  shape[order.first] = first;
  shape[order.second] = second;
  for (auto [d, size] : llvm::zip(order.spatial, spatial))
    shape[d] = size;
  return shape;
}

void convolution(Generator &g) {
  int64_t spatial = g.pick(g.chance(90) ? 3 : 4);
  int64_t featureGroups = g.chance(60) ? 1 : g.between(1, 4);
  int64_t batchGroups = featureGroups > 1 || g.chance(80) ? 1 : g.between(1, 3);
  int64_t batch = batchGroups * g.between(1, 3), inputs = g.between(1, 9), outputs = g.between(1, 9);
  outputs *= featureGroups * batchGroups;
  Sizes input, kernel, output, strides, lhsDilation, rhsDilation, pads;
  llvm::SmallVector<bool> reversal;
  for (int64_t i = 0; i < spatial; ++i) {
    input.push_back(g.between(1, 12));
    kernel.push_back(g.between(1, 4));
    strides.push_back(g.chance(60) ? 1 : g.between(1, 3));
    lhsDilation.push_back(g.chance(75) ? 1 : g.between(1, 3));
    rhsDilation.push_back(g.chance(75) ? 1 : g.between(1, 3));
    pads.append({g.between(-1, 2), g.between(-1, 2)});
    reversal.push_back(g.chance(25));
    int64_t extent = (input.back() - 1) * lhsDilation.back() + 1 + pads[2 * i] + pads[2 * i + 1];
    int64_t reach = (kernel.back() - 1) * rhsDilation.back() + 1;
    output.push_back(extent < reach ? 0 : (extent - reach) / strides.back() + 1);
  }
  Order in = makeOrder(g, spatial), weights = makeOrder(g, spatial), out = makeOrder(g, spatial);
  Type element = g.element([](Type type) { return !ir::isBool(type); });
  Value x = g.valueOf(g.tensor(arranged(in, batch, inputs * featureGroups, input), element));
  Value y = g.valueOf(g.tensor(arranged(weights, inputs, outputs, kernel), element));
  auto numbers =
      stablehlo::ConvDimensionNumbersAttr::get(g.builder.getContext(), in.first, in.second, in.spatial, weights.first,
                                               weights.second, weights.spatial, out.first, out.second, out.spatial);
  llvm::SmallVector<NamedAttribute> attributes{g.named("dimension_numbers", numbers),
                                               g.number("feature_group_count", featureGroups),
                                               g.number("batch_group_count", batchGroups),
                                               g.list("window_strides", strides),
                                               g.list("lhs_dilation", lhsDilation),
                                               g.list("rhs_dilation", rhsDilation),
                                               g.named("window_reversal", g.builder.getDenseBoolArrayAttr(reversal))};
  if (g.chance(30))
    attributes.push_back(precision(g));
  auto type = g.tensor(arranged(out, batch / batchGroups, outputs, output), productElement(g, element));
  auto padding = g.padding("padding", pads);
  if (g.chance(90)) {
    attributes.push_back(padding);
    g.emit("stablehlo.convolution", {x, y}, attributes, type);
  } else {
    Value pads = g.emitValue("stablehlo.constant", {}, g.named("value", padding.getValue()),
                             llvm::cast<DenseElementsAttr>(padding.getValue()).getType());
    g.emitOpen("stablehlo.dynamic_conv", {x, y, pads}, attributes, type);
  }
}

// A letter for each dimension of an operand, which are then summed up but for those of the result.
struct Letters {
  std::string text;
  Sizes sizes;

  void add(char letter, int64_t size) {
    text += letter;
    sizes.push_back(size);
  }
};

// Some letters of the operands, each once.
Letters resultOf(Generator &g, const Letters &all) {
  Letters result;
  for (int64_t i : g.permutation(static_cast<int64_t>(all.sizes.size())))
    if (g.chance(60) && result.text.find(all.text[i]) == std::string::npos)
      result.add(all.text[i], all.sizes[i]);
  return result;
}

void unaryEinsum(Generator &g) {
  Value x = g.value(isNumber);
  if (!x)
    return;
  Letters letters;
  for (int64_t size : shapeOf(x)) {
    size_t same = llvm::find(letters.sizes, size) - letters.sizes.begin();
    bool diagonal = same < letters.sizes.size() && g.chance(20);
    letters.add(diagonal ? letters.text[same] : static_cast<char>('a' + letters.text.size()), size);
  }
  Letters result = resultOf(g, letters);
  g.emit("stablehlo.unary_einsum", x,
         g.named("einsum_config", g.builder.getStringAttr(letters.text + "->" + result.text)),
         g.tensor(result.sizes, elementTypeOf(x)));
}

void einsum(Generator &g) {
  Value x = g.value(isNumber);
  if (!x)
    return;
  Letters left, right;
  for (int64_t size : shapeOf(x))
    left.add(static_cast<char>('a' + left.text.size()), size);
  for (int64_t i : g.permutation(static_cast<int64_t>(left.sizes.size())))
    if (g.chance(60))
      right.add(left.text[i], left.sizes[i]);
  Letters all = left;
  for (int64_t i = 0, n = g.pick(3); i < n; ++i) {
    all.add(static_cast<char>('r' + i), g.between(1, 9));
    right.add(all.text.back(), all.sizes.back());
  }
  Letters result = resultOf(g, all);
  if (product(all.sizes) > kMaxProducts || product(right.sizes) > g.maxElements())
    return;
  Value y = g.valueOf(g.tensor(right.sizes, elementTypeOf(x)));
  auto config = g.builder.getStringAttr(left.text + "," + right.text + "->" + result.text);
  g.emit("stablehlo.einsum", {x, y}, g.named("einsum_config", config), g.tensor(result.sizes, elementTypeOf(x)));
}

// Rows of the left operand in groups, each with its own matrix.
void raggedDot(Generator &g) {
  int64_t rows = g.between(1, 12), inner = g.between(1, 9), columns = g.between(1, 9), groups = g.between(1, 4);
  Type element = g.element(isNumber);
  Value x = g.valueOf(g.tensor({rows, inner}, element)), y = g.valueOf(g.tensor({groups, inner, columns}, element));
  Type index = g.builder.getI32Type();
  int64_t rowsOfEach = rows / groups;
  Value sizes = g.emitValue("stablehlo.clamp", {g.splat(g.scalar(index), 0), g.valueOf(g.tensor({groups}, index)),
                                                g.splat(g.scalar(index), static_cast<double>(rowsOfEach))});
  auto numbers = chlo::RaggedDotDimensionNumbersAttr::get(g.builder.getContext(), {}, {}, {1}, {1}, {0}, {0});
  g.emit("chlo.ragged_dot", {x, y, sizes}, g.named("ragged_dot_dimension_numbers", numbers),
         g.tensor({rows, columns}, element));
}

void fft(Generator &g) {
  auto type = static_cast<stablehlo::FftType>(g.pick(4));
  bool real = type == stablehlo::FftType::RFFT;
  Value x = g.valueOfRank([&](Type element) { return real ? ir::isFloat32Or64(element) : ir::isComplex(element); }, 1);
  if (!x)
    return;
  Sizes length(shapeOf(x).take_back(g.between(1, std::min<int64_t>(3, typeOf(x).getRank()))));
  if (type == stablehlo::FftType::IRFFT)
    length.back() = std::max<int64_t>(0, 2 * (length.back() - 1) + g.pick(2));
  g.emit(
      "stablehlo.fft", x,
      {g.named("fft_type", stablehlo::FftTypeAttr::get(g.builder.getContext(), type)), g.list("fft_length", length)});
}

// n times the identity in each matrix.
Value identity(Generator &g, RankedTensorType type) {
  int64_t rank = type.getRank();
  auto indices = g.tensor(type.getShape(), g.builder.getI32Type());
  Value rows = g.emitValue("stablehlo.iota", {}, g.number("iota_dimension", rank - 2), indices);
  Value columns = g.emitValue("stablehlo.iota", {}, g.number("iota_dimension", rank - 1), indices);
  auto equal = stablehlo::ComparisonDirectionAttr::get(g.builder.getContext(), stablehlo::ComparisonDirection::EQ);
  Value diagonal = g.emitValue("stablehlo.compare", {rows, columns}, g.named("comparison_direction", equal));
  return g.emitValue("stablehlo.select",
                     {diagonal, g.splat(type, static_cast<double>(type.getShape().back()) + 1), g.splat(type, 0)});
}

// A well-conditioned matrix: the diagonal outweighs the rest, which is at most 1.
Value dominant(Generator &g, RankedTensorType type) {
  Value x = g.valueOf(type);
  if (!ir::isComplex(type.getElementType()))
    x = g.emitValue("stablehlo.clamp",
                    {g.splat(g.scalar(type.getElementType()), -1), x, g.splat(g.scalar(type.getElementType()), 1)});
  return g.emitValue("stablehlo.add", {x, identity(g, type)});
}

RankedTensorType squareMatrices(Generator &g) {
  Sizes sizes = g.shape(2);
  int64_t n = g.between(0, 12);
  sizes.append({n, n});
  return g.tensor(sizes, g.element(isLapack));
}

NamedAttribute flag(Generator &g, StringRef name) { return g.named(name, g.builder.getBoolAttr(g.chance(50))); }

void cholesky(Generator &g) {
  Value a = dominant(g, squareMatrices(g));
  g.emit("stablehlo.cholesky", a, flag(g, "lower"));
}

void triangularSolve(Generator &g) {
  Value a = dominant(g, squareMatrices(g));
  if (!a)
    return;
  bool left = g.chance(50);
  Sizes sizes(shapeOf(a));
  sizes[sizes.size() - (left ? 1 : 2)] = g.between(0, 6);
  auto transpose = static_cast<stablehlo::Transpose>(g.between(1, 3));
  g.emit("stablehlo.triangular_solve", {a, g.valueOf(g.tensor(sizes, elementTypeOf(a)))},
         {g.named("left_side", g.builder.getBoolAttr(left)), flag(g, "lower"), flag(g, "unit_diagonal"),
          g.named("transpose_a", stablehlo::TransposeAttr::get(g.builder.getContext(), transpose))});
}

void batchNorm(Generator &g, StringRef name) {
  Value x = g.valueOfRank(isReal, 1);
  if (!x)
    return;
  int64_t feature = g.pick(typeOf(x).getRank());
  auto vector = [&] { return g.valueOf(g.tensor({shapeOf(x)[feature]}, elementTypeOf(x))); };
  auto positive = [&] {
    Value v = vector();
    if (!v)
      return v;
    return g.emitValue("stablehlo.add", {g.emitValue("stablehlo.abs", v), g.splat(typeOf(v), 1)});
  };
  Values operands{x, vector(), vector()};
  if (name == "stablehlo.batch_norm_inference")
    operands.append({vector(), positive()});
  else if (name == "stablehlo.batch_norm_grad")
    operands.append({positive(), g.valueOf(typeOf(x))});
  g.emit(name, operands, {g.named("epsilon", g.builder.getF32FloatAttr(0.125)), g.number("feature_index", feature)});
}

} // namespace

void addLinearAlgebra(std::vector<Entry> &entries) {
  entries.push_back({"stablehlo.dot_general", 10, dotGeneral});
  entries.push_back({"stablehlo.dot", 2, dot});
  entries.push_back({"stablehlo.convolution", 6, convolution});
  entries.push_back({"stablehlo.dynamic_conv", 1, convolution}); // now and then
  entries.push_back({"stablehlo.einsum", 2, einsum});
  entries.push_back({"stablehlo.unary_einsum", 1, unaryEinsum});
  entries.push_back({"chlo.ragged_dot", 2, raggedDot});
  entries.push_back({"stablehlo.fft", 3, fft});
  entries.push_back({"stablehlo.cholesky", 2, cholesky});
  entries.push_back({"stablehlo.triangular_solve", 2, triangularSolve});
  for (const char *name :
       {"stablehlo.batch_norm_inference", "stablehlo.batch_norm_training", "stablehlo.batch_norm_grad"})
    entries.push_back({name, 1, [name](Generator &g) { batchNorm(g, name); }});
}

} // namespace tenon::fuzz
