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
  Value number = g.valueOf(g.scalar(elementTypeOf(x)));
  return g.emitValue("stablehlo.dynamic_broadcast_in_dim", {number, sizesOf(g, x)}, g.list("broadcast_dimensions", {}),
                     x.getType());
}

Value someOpen(Generator &g, Value x) {
  for (int64_t i = 0, n = g.pick(5); x && i < n; ++i) {
    Value next;
    switch (g.pick(6)) {
    case 0:
    case 1:
      next = anyElementwise(g, x, x);
      break;
    case 2:
    case 3:
      next = anyElementwise(g, x, spread(g, x));
      break;
    case 4:
      next = annotated(g, x);
      break;
    default:
      next = permuted(g, x, g.permutation(typeOf(x).getRank()));
      break;
    }
    x = next ? next : x;
  }
  return x;
}

void openArgument(Generator &g) { foldOpen(g, someOpen(g, openValue(g, g.element(isAny)))); }

} // namespace

Value openValue(Generator &g, Type element) {
  Sizes sizes = g.shape(3);
  sizes.push_back(ShapedType::kDynamic);
  for (int64_t &size : sizes)
    size = g.chance(30) ? ShapedType::kDynamic : size;
  return g.argument(g.tensor(sizes, element));
}

void addOpen(std::vector<Entry> &entries) { entries.push_back({"func.func", 2, openArgument}); }

} // namespace tenon::fuzz
