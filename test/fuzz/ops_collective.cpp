// Ops by which the processes of a grid exchange arrays, and those that say which process it is.
#include "test/fuzz/generator.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "tenon/ir/stablehlo.h"

#include <numeric>

namespace tenon::fuzz {

using namespace mlir;

namespace {

using Attributes = llvm::SmallVector<NamedAttribute>;

// Which processes exchange something: the attributes that say so, and how many a group has.
struct Groups {
  Attributes attributes;
  int64_t size;
};

NamedAttribute matrix(Generator &g, StringRef name, int64_t rows, int64_t columns, ArrayRef<int64_t> numbers) {
  auto type = RankedTensorType::get({rows, columns}, g.builder.getI64Type());
  return g.named(name, DenseIntElementsAttr::get(type, numbers));
}

NamedAttribute channel(Generator &g) {
  return g.named("channel_handle",
                 stablehlo::ChannelHandleAttr::get(g.builder.getContext(), g.between(1, 3), g.chance(50) ? 0 : 1));
}

// A divisor of the number, mostly a large one.
int64_t divisor(Generator &g, int64_t number) {
  Sizes divisors;
  for (int64_t d = 1; d <= number; ++d)
    if (number % d == 0)
      divisors.push_back(d);
  return divisors[std::max(g.pick(divisors.size()), g.pick(divisors.size()))];
}

// All of `count` ids in groups of one size, in any order.
NamedAttribute ids(Generator &g, int64_t count, int64_t size) {
  if (size == count && g.chance(15))
    return matrix(g, "replica_groups", 0, 0, {});
  return matrix(g, "replica_groups", count / size, size, g.permutation(count));
}

// The groups of all_gather, all_reduce and reduce_scatter.
Groups threeWays(Generator &g) {
  int64_t kind = g.pick(4), replicas = g.grid().replicas;
  bool flattened = kind >= 2; // as JAX writes them
  int64_t count = flattened ? g.grid().size() : replicas, size = divisor(g, count);
  Groups groups{{ids(g, count, size)}, kind == 1 ? size * g.grid().partitions : size};
  if (kind >= 1)
    groups.attributes.push_back(channel(g));
  if (flattened)
    groups.attributes.push_back(g.named("use_global_device_ids", g.builder.getUnitAttr()));
  return groups;
}

// The groups of all_to_all: across replicas or across partitions.
Groups twoWays(Generator &g) {
  bool partitions = g.grid().replicas == 1 || g.chance(50);
  int64_t count = partitions ? g.grid().partitions : g.grid().replicas, size = divisor(g, count);
  Groups groups{{ids(g, count, size)}, size};
  if (partitions)
    groups.attributes.push_back(channel(g));
  return groups;
}

// The groups of collective_broadcast and collective_reduce, which may leave processes out.
Groups someProcesses(Generator &g) {
  bool partitions = g.grid().replicas == 1 || g.chance(50);
  int64_t count = partitions ? g.grid().partitions : g.grid().replicas, size = g.between(1, count);
  int64_t rows = count / size;
  Groups groups{{matrix(g, "replica_groups", rows, size, g.choose(count, rows * size))}, size};
  if (partitions)
    groups.attributes.push_back(channel(g));
  return groups;
}

//===- Operands --------------------------------------------------------------------------------------------------===//

// An array as a collective may take it: as it is, or quantized.
Value operandOf(Generator &g, Value x) {
  auto expressed = llvm::dyn_cast_if_present<FloatType>(x ? elementTypeOf(x) : Type());
  if (!expressed || !(expressed.isF32() || expressed.isBF16() || expressed.isF16()) || !g.chance(35))
    return x;
  return quantize(g, x, quantizedType(g, expressed));
}

void giveBack(Generator &g, Operation *op) {
  for (Value result : op ? op->getResults() : ResultRange(nullptr, 0))
    if (llvm::isa<quant::QuantizedType>(elementTypeOf(result)))
      dequantize(g, result);
}

// A value with a dimension that `parts` divide, or that is not empty.
std::pair<Value, int64_t> divisible(Generator &g, int64_t parts) {
  Value x = g.existing([&](RankedTensorType type) {
    return llvm::any_of(type.getShape(), [&](int64_t size) { return size > 0 && size % parts == 0; });
  });
  if (!x || g.chance(15)) {
    Sizes sizes = g.shape(2);
    sizes.insert(sizes.begin() + g.pick(sizes.size() + 1), parts * g.between(1, 3));
    x = g.newValue(g.tensor(sizes, g.element(isAny)));
  }
  if (!x)
    return {};
  Sizes fitting;
  for (auto [d, size] : llvm::enumerate(shapeOf(x)))
    if (size > 0 && size % parts == 0)
      fitting.push_back(static_cast<int64_t>(d));
  if (fitting.empty())
    return {};
  return {operandOf(g, x), g.oneOf<int64_t>(fitting)};
}

RankedTensorType resized(Generator &g, Value x, int64_t dimension, int64_t factor, int64_t parts = 1) {
  Sizes sizes(shapeOf(x));
  sizes[dimension] = sizes[dimension] * factor / parts;
  return g.tensor(sizes, elementTypeOf(x));
}

// What takes the arrays of a group together. The order may show.
std::vector<Generator::Region> combine(Generator &g, Type element) {
  Type scalar = g.scalar(element);
  int64_t kind = g.pick(10);
  bool quantized = llvm::isa<quant::QuantizedType>(element), plain = !quantized && !ir::isBool(element);
  return one(g.closedRegion({scalar, scalar}, [&](ValueRange arguments) -> Values {
    StringRef name = kind < 5                                       ? "stablehlo.add"
                     : kind < 7                                     ? "stablehlo.maximum"
                     : kind < 8                                     ? "stablehlo.minimum"
                     : kind < 9 && plain && !ir::isComplex(element) ? "stablehlo.multiply"
                                                                    : "stablehlo.add";
    Value first = arguments[0];
    if (kind == 9 && plain) // 2 a + b
      first = g.emitValue("stablehlo.add", {first, first});
    return {g.emitValue(name, {first, arguments[1]}, {}, scalar)};
  }));
}

//===- Collectives -----------------------------------------------------------------------------------------------===//

void allGather(Generator &g) {
  Groups groups = threeWays(g);
  auto [x, dimension] = divisible(g, 1);
  if (!x)
    return;
  groups.attributes.push_back(g.number("all_gather_dim", dimension));
  giveBack(g, g.emit("stablehlo.all_gather", x, groups.attributes, resized(g, x, dimension, groups.size)));
}

void reduceScatter(Generator &g) {
  Groups groups = threeWays(g);
  auto [x, dimension] = divisible(g, groups.size);
  if (!x)
    return;
  groups.attributes.push_back(g.number("scatter_dimension", dimension));
  giveBack(g, g.emit("stablehlo.reduce_scatter", x, groups.attributes, resized(g, x, dimension, 1, groups.size),
                     combine(g, elementTypeOf(x))));
}

void allToAll(Generator &g) {
  Groups groups = twoWays(g);
  auto [x, split] = divisible(g, groups.size);
  if (!x)
    return;
  int64_t concat = g.pick(typeOf(x).getRank());
  groups.attributes.append(
      {g.number("split_dimension", split), g.number("concat_dimension", concat), g.number("split_count", groups.size)});
  Sizes sizes(shapeOf(x));
  sizes[split] /= groups.size;
  sizes[concat] *= groups.size;
  giveBack(g, g.emit("stablehlo.all_to_all", x, groups.attributes, g.tensor(sizes, elementTypeOf(x))));
}

void allReduce(Generator &g) {
  Groups groups = threeWays(g);
  if (groups.size == 1 && g.chance(50)) // groups of different sizes
    if (int64_t count = g.grid().replicas; count > 2) {
      Sizes rows = g.permutation(count);
      rows.resize(2 * (count - 1), -1);
      groups.attributes = {matrix(g, "replica_groups", 2, count - 1, rows)};
    }
  Value x = operandOf(g, g.value());
  Values operands{x};
  if (!x)
    return;
  if (g.chance(25) && !llvm::isa<quant::QuantizedType>(elementTypeOf(x)))
    operands.push_back(g.valueOf(g.tensor(g.shape(2), elementTypeOf(x))));
  if (!llvm::is_contained(operands, Value()))
    giveBack(g, g.emit("stablehlo.all_reduce", operands, groups.attributes, ValueRange(operands).getTypes(),
                       combine(g, elementTypeOf(x))));
}

void collectivePermute(Generator &g) {
  bool partitions = g.grid().replicas == 1 || g.chance(50);
  int64_t count = partitions ? g.grid().partitions : g.grid().replicas, pairs = g.pick(count + 1);
  Sizes from = g.choose(count, pairs), to = g.choose(count, pairs), numbers;
  for (auto [source, target] : llvm::zip_equal(from, to))
    numbers.append({source, target});
  Attributes attributes{matrix(g, "source_target_pairs", pairs, 2, numbers)};
  if (partitions)
    attributes.push_back(channel(g));
  if (Value x = operandOf(g, g.value()))
    giveBack(g, g.emit("stablehlo.collective_permute", x, attributes, x.getType()));
}

// Numbers of processes in a group, the same in all or of each its own.
Value roots(Generator &g, int64_t count, int64_t groupSize) {
  auto type = g.tensor({count}, g.builder.getI32Type());
  Value root = g.splat(type, static_cast<double>(g.pick(groupSize)));
  if (!root || g.chance(60))
    return root;
  Value id = g.emitValue("stablehlo.replica_id", {}, {},
                         g.scalar(IntegerType::get(g.builder.getContext(), 32, IntegerType::Unsigned)));
  id = g.emitValue("stablehlo.convert", id, {}, g.scalar(g.builder.getI32Type()));
  Value all = g.emitValue("stablehlo.broadcast_in_dim", id, g.list("broadcast_dimensions", {}), type);
  return g.emitValue("stablehlo.minimum", {all, g.splat(type, static_cast<double>(groupSize - 1))});
}

void rooted(Generator &g, StringRef name, bool reduces) {
  Groups groups = someProcesses(g);
  Value x = operandOf(g, g.value());
  if (!x)
    return;
  Values operands{x};
  if (g.chance(40)) {
    operands.push_back(roots(g, 1, groups.size));
    groups.attributes.push_back(g.named("has_dynamic_root", g.builder.getUnitAttr()));
  }
  std::vector<Generator::Region> regions;
  if (reduces)
    regions = combine(g, elementTypeOf(x));
  giveBack(g, g.emit(name, operands, groups.attributes, x.getType(), std::move(regions)));
}

void place(Generator &g, StringRef name) {
  Value id = g.emitValue(name, {}, {}, g.scalar(IntegerType::get(g.builder.getContext(), 32, IntegerType::Unsigned)));
  if (id && g.chance(50))
    g.emit("stablehlo.convert", id, {}, g.scalar(g.element(isNumber)));
}

// A sum that is begun, and waited for later.
void asyncSum(Generator &g) {
  Value x = g.value();
  if (!x)
    return;
  auto type = typeOf(x);
  int64_t count = g.grid().size();
  Attributes attributes{matrix(g, "replica_groups", 1, count, g.permutation(count)), channel(g),
                        g.named("use_global_device_ids", g.builder.getUnitAttr())};
  auto body = g.bodyRegion(
      type,
      [&](ValueRange arguments) -> Values {
        auto body = combine(g, type.getElementType());
        Operation *sum = g.emitAlone("stablehlo.all_reduce", arguments, attributes, type, std::move(body));
        return {sum ? sum->getResult(0) : Value()};
      },
      g.grid(), true, stablehlo::ReturnOp::getOperationName());
  Operation *start = g.emit("stablehlo.async_start", x, {},
                            stablehlo::FutureType::get(g.builder.getContext(), Type(type)), one(std::move(body)));
  if (start)
    g.emit("stablehlo.async_done", start->getResults(), {}, type);
}

// Adds the op for grids of more than one process.
void ofGrid(std::vector<Entry> &entries, StringRef name, int weight, void (*emit)(Generator &)) {
  entries.push_back({name.str(), weight, [emit](Generator &g) {
                       if (g.meets())
                         emit(g);
                     }});
}

} // namespace

Value agreed(Generator &g, Value number) {
  int64_t count = g.grid().size();
  Attributes attributes{matrix(g, "replica_groups", 1, count, g.permutation(count)), channel(g),
                        g.named("use_global_device_ids", g.builder.getUnitAttr())};
  auto type = typeOf(number);
  auto body = g.closedRegion(
      {type, type}, [&](ValueRange arguments) -> Values { return {g.emitValue("stablehlo.maximum", arguments)}; });
  Operation *op = g.emit("stablehlo.all_reduce", number, attributes, type, one(std::move(body)));
  return op ? op->getResult(0) : Value();
}

void addCollectives(std::vector<Entry> &entries) {
  ofGrid(entries, "stablehlo.all_gather", 6, allGather);
  ofGrid(entries, "stablehlo.all_reduce", 7, allReduce);
  ofGrid(entries, "stablehlo.reduce_scatter", 6, reduceScatter);
  ofGrid(entries, "stablehlo.all_to_all", 6, allToAll);
  ofGrid(entries, "stablehlo.collective_permute", 5, collectivePermute);
  ofGrid(entries, "stablehlo.collective_broadcast", 4,
         [](Generator &g) { rooted(g, "stablehlo.collective_broadcast", false); });
  ofGrid(entries, "stablehlo.collective_reduce", 4,
         [](Generator &g) { rooted(g, "stablehlo.collective_reduce", true); });
  ofGrid(entries, "stablehlo.async_start", 1, asyncSum);
  ofGrid(entries, "stablehlo.async_done", 1, asyncSum);
  // Anywhere.
  for (const char *name : {"stablehlo.replica_id", "stablehlo.partition_id"})
    entries.push_back({name, 2, [name](Generator &g) {
                         if (g.grid().size() > 1)
                           place(g, name);
                       }});
}

} // namespace tenon::fuzz
