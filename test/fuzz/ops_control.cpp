// Ops that decide what runs, and those that only pass values on.
#include "test/fuzz/generator.h"

#include "tenon/ir/stablehlo.h"

namespace tenon::fuzz {

using namespace mlir;

namespace {

constexpr int64_t kMaxDepth = 4;

// Values of these types, after a few ops of any kind.
Values someOps(Generator &g, TypeRange results) {
  g.emitOps(static_cast<int>(g.between(0, 4)));
  Values values;
  for (Type type : results)
    values.push_back(g.valueOf(llvm::cast<RankedTensorType>(type)));
  return values;
}

llvm::SmallVector<Type> someTypes(Generator &g) {
  llvm::SmallVector<Type> types;
  for (int64_t i = 0, n = g.between(1, 3); i < n; ++i)
    if (Value value = g.value())
      types.push_back(value.getType());
  return types;
}

void branches(Generator &g, StringRef name, Value decides, int64_t count) {
  auto types = someTypes(g);
  bool shared = g.meets() && g.chance(60);
  if (shared && decides)
    decides = agreed(g, decides);
  if (g.depth() > kMaxDepth || types.empty() || !decides)
    return;
  Value plain = g.chance(30) ? g.value() : Value(), special = specialForm(g, plain, name);
  std::vector<Generator::Region> regions;
  for (int64_t i = 0; i < count; ++i) {
    auto fill = [&](ValueRange) {
      Values results = someOps(g, types);
      if (special)
        results.push_back(nextSpecial(g, special));
      return results;
    };
    regions.push_back(shared ? g.sharedRegion({}, fill) : g.openRegion({}, fill));
  }
  Operation *op = g.emit(name, decides, {}, {}, std::move(regions));
  if (op && special)
    closeSpecial(g, op->getResults().back(), typeOf(plain));
}

void ifOp(Generator &g) { branches(g, "stablehlo.if", g.valueOf(g.scalar(g.builder.getI1Type())), 2); }

void caseOp(Generator &g) {
  branches(g, "stablehlo.case", g.valueOf(g.scalar(g.builder.getI32Type())), g.between(1, 4));
}

Value lessThan(Generator &g, Value x, Value y) {
  return g.emitValue("stablehlo.compare", {x, y},
                     g.named("comparison_direction", stablehlo::ComparisonDirectionAttr::get(
                                                         g.builder.getContext(), stablehlo::ComparisonDirection::LT)));
}

// Counts its first carry up to a constant.
void whileOp(Generator &g) {
  auto counter = g.scalar(g.chance(70) ? g.builder.getI32Type() : g.builder.getI64Type());
  Values carries{g.splat(counter, 0)};
  for (Type type : someTypes(g))
    carries.push_back(g.valueOf(llvm::cast<RankedTensorType>(type)));
  if (g.depth() > kMaxDepth || llvm::is_contained(carries, Value()))
    return;
  Value plain = g.chance(30) ? g.value() : Value(), special = specialForm(g, plain, "stablehlo.while");
  if (special)
    carries.push_back(special);
  llvm::SmallVector<Type> types(ValueRange(carries).getTypes());
  int64_t trips = g.pick(6);
  std::vector<Generator::Region> regions;
  regions.push_back(g.sharedRegion(types, [&](ValueRange arguments) -> Values {
    return {lessThan(g, arguments[0], g.splat(counter, static_cast<double>(trips)))};
  }));
  regions.push_back(g.sharedRegion(types, [&](ValueRange arguments) {
    Values next{g.emitValue("stablehlo.add", {arguments[0], g.splat(counter, 1)})};
    llvm::append_range(next, someOps(g, llvm::ArrayRef(types).drop_front().drop_back(special ? 1 : 0)));
    if (special)
      next.push_back(nextSpecial(g, arguments.back()));
    // Some carries change places, some stay.
    for (size_t i = 1; i < next.size(); ++i)
      if (g.chance(20))
        next[i] = arguments[i];
    return next;
  }));
  Operation *op = g.emit("stablehlo.while", carries, {}, {}, std::move(regions));
  if (op && special)
    closeSpecial(g, op->getResults().back(), typeOf(plain));
}

void call(Generator &g, StringRef name, bool composite) {
  func::FuncOp function = g.function();
  if (!function)
    return;
  Values arguments;
  for (Type type : function.getArgumentTypes())
    arguments.push_back(g.valueOf(llvm::cast<RankedTensorType>(type)));
  auto symbol = FlatSymbolRefAttr::get(g.builder.getContext(), function.getSymName());
  llvm::SmallVector<NamedAttribute> attributes{g.named(composite ? "decomposition" : "callee", symbol)};
  if (composite)
    attributes.push_back(g.named("name", g.builder.getStringAttr("fuzz.composite")));
  g.emit(name, arguments, attributes, function.getResultTypes());
}

void optimizationBarrier(Generator &g) {
  Values operands;
  for (int64_t i = 0, n = g.between(1, 3); i < n; ++i)
    operands.push_back(g.value());
  g.emit("stablehlo.optimization_barrier", operands);
}

// Tokens order nothing here, but have to be carried through.
void tokens(Generator &g) {
  Value one = g.emitValue("stablehlo.create_token", {}), other = g.emitValue("stablehlo.create_token", {});
  g.emit("stablehlo.after_all", {one, other});
}

void customCall(Generator &g) { annotated(g, g.value()); }

void tuple(Generator &g) {
  Values operands;
  for (int64_t i = 0, n = g.between(1, 3); i < n; ++i)
    operands.push_back(g.value());
  Values plain = operands;
  size_t index = g.pick(operands.size());
  if (g.chance(30))
    if (Value special = specialForm(g, operands[index], "stablehlo.tuple"))
      operands[index] = special;
  Operation *tuple = g.emit("stablehlo.tuple", operands);
  Value element = tuple ? g.emitValue("stablehlo.get_tuple_element", tuple->getResults(),
                                      g.named("index", g.builder.getI32IntegerAttr(static_cast<int>(index))))
                        : Value();
  if (element && operands[index] != plain[index])
    closeSpecial(g, element, typeOf(plain[index]));
}

} // namespace

// Custom calls that are identities on every platform.
Value annotated(Generator &g, Value x) {
  StringRef target = g.oneOf({"Sharding", "annotate_device_placement", "LayoutConstraint"});
  return x ? g.emitValue("stablehlo.custom_call", x, g.named("call_target_name", g.builder.getStringAttr(target)),
                         x.getType())
           : Value();
}

void addControl(std::vector<Entry> &entries) {
  entries.push_back({"stablehlo.if", 4, ifOp});
  entries.push_back({"stablehlo.case", 4, caseOp});
  entries.push_back({"stablehlo.while", 6, whileOp});
  entries.push_back({"func.call", 3, [](Generator &g) { call(g, "func.call", false); }});
  entries.push_back({"stablehlo.composite", 2, [](Generator &g) { call(g, "stablehlo.composite", true); }});
  entries.push_back({"stablehlo.optimization_barrier", 2, optimizationBarrier});
  entries.push_back({"stablehlo.tuple", 1, tuple});
  entries.push_back({"stablehlo.get_tuple_element", 1, tuple});
  entries.push_back({"stablehlo.create_token", 1, tokens});
  entries.push_back({"stablehlo.after_all", 1, tokens});
  entries.push_back({"stablehlo.custom_call", 1, customCall});
}

} // namespace tenon::fuzz
