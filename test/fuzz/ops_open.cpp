// Arguments whose sizes the types do not say. What becomes of them has a static shape again, since everything open is
// folded in the end.
#include "test/fuzz/generator.h"

#include "tenon/ir/stablehlo.h"

namespace tenon::fuzz {

using namespace mlir;

namespace {

// The sizes of a value as an operand.
Value sizesOf(Generator &g, Value x) {
  Values sizes;
  auto one = g.tensor({1}, g.builder.getI32Type());
  for (int64_t d = 0; d < typeOf(x).getRank(); ++d)
    sizes.push_back(g.emitValue("stablehlo.reshape",
                                g.emitValue("stablehlo.get_dimension_size", x, g.number("dimension", d)), {}, one));
  return sizes.empty() ? g.vector({}) : g.emitValue("stablehlo.concatenate", sizes, g.number("dimension", 0));
}

Value spread(Generator &g, Value x) {
  Value number = g.valueOf(g.scalar(elementOf(x)));
  return g.emitValue("stablehlo.dynamic_broadcast_in_dim", {number, sizesOf(g, x)}, g.list("broadcast_dimensions", {}),
                     x.getType());
}

Value someOpen(Generator &g, Value x) {
  for (int64_t i = 0, n = g.pick(5); x && i < n; ++i) {
    switch (g.pick(4)) {
    case 0:
      x = g.emitValue(g.oneOf({"stablehlo.negate", "stablehlo.abs"}), x, {}, x.getType());
      break;
    case 1:
      x = g.emitValue(g.oneOf({"stablehlo.add", "stablehlo.multiply", "stablehlo.maximum"}), {x, x}, {}, x.getType());
      break;
    case 2:
      if (Value other = spread(g, x))
        x = g.emitValue(g.oneOf({"stablehlo.add", "stablehlo.subtract", "stablehlo.minimum"}), {x, other}, {},
                        x.getType());
      break;
    default:
      x = permuted(g, x, g.permutation(typeOf(x).getRank()));
      break;
    }
  }
  return x;
}

void openArgument(Generator &g) {
  Sizes sizes = g.shape(3);
  sizes.push_back(ShapedType::kDynamic);
  for (int64_t &size : sizes)
    size = g.chance(30) ? ShapedType::kDynamic : size;
  Value x = g.argument(g.tensor(sizes, g.element(isNumber)));
  if (x)
    foldOpen(g, someOpen(g, x));
}

} // namespace

void addOpen(std::vector<Entry> &entries) { entries.push_back({"func.func", 2, openArgument}); }

} // namespace tenon::fuzz
