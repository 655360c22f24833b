// How arrays are cut for the devices of a mesh: bodies that are written for one of them, and shardings of arrays that
// are whole, which change no values.
#include "test/fuzz/generator.h"

#include "mlir/AsmParser/AsmParser.h"
#include "tenon/ir/sdy.h"

namespace tenon::fuzz {

using namespace mlir;

namespace {

// For each dimension the axes that cut it, by number.
using Cuts = llvm::SmallVector<Sizes>;

Attribute parsed(Generator &g, const std::string &text) { return parseAttribute(text, g.builder.getContext()); }

std::string quoted(const std::string &name) { return "\"" + name + "\""; }

// "<@mesh, [{"x"}, {}]>", of a manual computation.
std::string notation(Generator &g, const Cuts &cuts) {
  std::string dims;
  for (const Sizes &axes : cuts) {
    std::string list;
    for (int64_t axis : axes)
      list += (list.empty() ? "" : ", ") + quoted(g.mesh().axes[axis]);
    dims += (dims.empty() ? "{" : ", {") + list + "}";
  }
  return "<@mesh, [" + dims + "]>";
}

std::string joined(ArrayRef<std::string> parts) {
  std::string all;
  for (const std::string &part : parts)
    all += (all.empty() ? "" : ", ") + part;
  return all;
}

//===- Bodies for one device -------------------------------------------------------------------------------------===//

// Cuts dimensions that the axes divide. `multiplies`: of a part, of which the whole is larger.
Cuts someCuts(Generator &g, ArrayRef<int64_t> shape, ArrayRef<int64_t> axes, bool multiplies) {
  Cuts cuts(shape.size());
  Sizes sizes(shape);
  for (int64_t axis : axes) {
    int64_t parts = g.mesh().sizes[axis];
    Sizes fitting;
    for (size_t d = 0; d < sizes.size(); ++d)
      if (multiplies ? product(sizes) * parts <= g.maxElements() : sizes[d] % parts == 0)
        fitting.push_back(static_cast<int64_t>(d));
    if (fitting.empty() || g.chance(20))
      continue;
    int64_t d = g.oneOf<int64_t>(fitting);
    sizes[d] = multiplies ? sizes[d] * parts : sizes[d] / parts;
    cuts[d].push_back(axis);
  }
  return cuts;
}

RankedTensorType cutType(Generator &g, RankedTensorType type, const Cuts &cuts, bool multiplies) {
  Sizes sizes(type.getShape());
  for (auto [size, axes] : llvm::zip_equal(sizes, cuts))
    for (int64_t axis : axes)
      size = multiplies ? size * g.mesh().sizes[axis] : size / g.mesh().sizes[axis];
  return g.tensor(sizes, type.getElementType());
}

void manualComputation(Generator &g) {
  const Sizes free = g.freeAxes();
  if (free.empty() || g.depth() > 3 || !g.inFunction())
    return;
  auto count = static_cast<int64_t>(free.size());
  bool nested = g.inBody();
  if (nested && !g.meets())
    return;
  Sizes axes = g.choose(count, nested || g.chance(20) ? g.between(1, count) : count);
  Values operands;
  llvm::SmallVector<std::string> in, out, names;
  llvm::SmallVector<Type> parts, wholes;
  for (int64_t &axis : axes) {
    axis = free[axis];
    names.push_back(quoted(g.mesh().axes[axis]));
  }
  for (int64_t i = 0, n = g.between(1, 3); i < n; ++i) {
    Value x = g.value();
    if (!x)
      return;
    Cuts cuts = someCuts(g, shapeOf(x), axes, false);
    operands.push_back(x);
    in.push_back(notation(g, cuts));
    parts.push_back(cutType(g, typeOf(x), cuts, false));
  }
  auto fill = [&](ValueRange) {
    g.emitOps(static_cast<int>(g.between(1, 8)));
    Values results;
    for (int64_t i = 0, n = g.between(1, 2); i < n; ++i) {
      Value result = g.existing([](RankedTensorType) { return true; });
      Cuts cuts = someCuts(g, shapeOf(result), axes, true);
      results.push_back(result);
      out.push_back(notation(g, cuts));
      wholes.push_back(cutType(g, typeOf(result), cuts, true));
    }
    return results;
  };
  auto body = g.manualRegion(parts, fill, axes);
  g.emit("sdy.manual_computation", operands,
         {g.named("in_shardings", parsed(g, "#sdy.sharding_per_value<[" + joined(in) + "]>")),
          g.named("out_shardings", parsed(g, "#sdy.sharding_per_value<[" + joined(out) + "]>")),
          g.named("manual_axes", parsed(g, "#sdy<manual_axes{" + joined(names) + "}>"))},
         wholes, one(std::move(body)));
}

//===- Shardings -------------------------------------------------------------------------------------------------===//

// Each axis cuts some dimension or none, evenly or not; dimensions may be open.
std::string someSharding(Generator &g, int64_t rank) {
  llvm::SmallVector<std::string> dims(rank), replicated;
  for (int64_t axis : g.permutation(static_cast<int64_t>(g.mesh().axes.size()))) {
    std::string name = quoted(g.mesh().axes[axis]);
    int64_t size = g.mesh().sizes[axis];
    if (size > 2 && g.chance(20))
      name += ":(1)2"; // a part of the axis
    if (rank > 0 && g.chance(70)) {
      std::string &dim = dims[g.pick(rank)];
      dim += (dim.empty() ? "" : ", ") + name;
    } else if (g.chance(30)) {
      replicated.push_back(name);
    }
  }
  for (std::string &dim : dims) {
    if (g.chance(25))
      dim += dim.empty() ? "?" : ", ?";
    dim = "{" + dim + "}";
  }
  std::string text = "<@mesh, [" + joined(dims) + "]";
  // In the mesh's order.
  llvm::sort(replicated, [&](const std::string &a, const std::string &b) {
    auto place = [&](const std::string &name) {
      return llvm::find_if(g.mesh().axes,
                           [&](const std::string &axis) { return StringRef(name).starts_with(quoted(axis)); });
    };
    return place(a) < place(b);
  });
  return text + (replicated.empty() ? ">" : ", replicated={" + joined(replicated) + "}>");
}

// The same in XLA's notation.
std::string someTiling(Generator &g, int64_t rank) {
  int64_t count = g.mesh().count();
  if (rank == 0 || g.chance(20))
    return g.chance(80) ? "{replicated}" : "{maximal device=" + std::to_string(g.pick(count)) + "}";
  Sizes tiles(rank, 1);
  int64_t rest = count;
  for (; rest > 1 && g.chance(80); rest /= 2)
    tiles[g.pick(rank)] *= 2;
  std::string text;
  for (int64_t tile : tiles)
    text += (text.empty() ? "" : ",") + std::to_string(tile);
  text += rest > 1 ? "," + std::to_string(rest) : "";
  return "{devices=[" + text + "]<=[" + std::to_string(count) + "]" + (rest > 1 ? " last_tile_dim_replicate}" : "}");
}

// Passes an array of any kind that a program has here through the op.
void identity(Generator &g, StringRef name) {
  Value x = g.mesh().axes.empty() || g.inBody() ? Value() : g.value();
  if (!x)
    return;
  llvm::SmallVector<NamedAttribute> attributes;
  if (name == "sdy.propagation_barrier")
    attributes.push_back(g.named(
        "allowed_direction",
        parsed(g, "#sdy<propagation_direction " + g.oneOf({"NONE", "FORWARD", "BACKWARD", "BOTH"}).str() + ">")));
  else if (name != "sdy.data_flow_edge" || g.chance(60))
    attributes.push_back(g.named("sharding", parsed(g, "#sdy.sharding" + someSharding(g, typeOf(x).getRank()))));
  g.emit(name, x, attributes, x.getType());
}

void shardingGroup(Generator &g) {
  Value x = g.mesh().axes.empty() || g.inBody() ? Value() : g.value();
  if (x)
    g.emitWithoutResults("sdy.sharding_group", x, g.number("group_id", g.pick(3)));
}

void constantOfItsOwn(Generator &g) {
  Value value = g.mesh().axes.empty() ? Value() : g.constant(g.tensor(g.shape(2), g.element(isAny)));
  if (Operation *op = value ? value.getDefiningOp() : nullptr)
    g.emit("sdy.constant", {}, g.named("value", op->getAttr("value")), value.getType());
}

void namedComputation(Generator &g) {
  Value x = g.mesh().axes.empty() || g.depth() > 3 || !g.inFunction() ? Value() : g.value();
  if (!x)
    return;
  llvm::SmallVector<Type> types;
  auto fill = [&](ValueRange) -> Values {
    g.emitOps(static_cast<int>(g.between(1, 4)));
    Value result = g.existing([](RankedTensorType) { return true; });
    types.push_back(result.getType());
    return {result};
  };
  auto body = g.bodyRegion(x.getType(), fill, g.grid(), g.meets(), sdy::ReturnOp::getOperationName());
  g.emit("sdy.named_computation", x, g.named("name", g.builder.getStringAttr("block")), types, one(std::move(body)));
}

} // namespace

void shardSignature(Generator &g, func::FuncOp main) {
  auto sharding = [&](Type type) -> NamedAttribute {
    int64_t rank = llvm::cast<RankedTensorType>(type).getRank();
    if (g.chance(60))
      return g.named("sdy.sharding", parsed(g, "#sdy.sharding" + someSharding(g, rank)));
    return g.named("mhlo.sharding", g.builder.getStringAttr(someTiling(g, rank)));
  };
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (g.chance(60)) {
      NamedAttribute attribute = sharding(main.getArgumentTypes()[i]);
      main.setArgAttr(i, attribute.getName(), attribute.getValue());
    }
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    if (g.chance(60)) {
      NamedAttribute attribute = sharding(main.getResultTypes()[i]);
      main.setResultAttr(i, attribute.getName(), attribute.getValue());
    }
}

void addShardings(std::vector<Entry> &entries) {
  entries.push_back({"sdy.manual_computation", 16, manualComputation});
  for (const char *name : {"sdy.sharding_constraint", "sdy.reshard", "sdy.propagation_barrier", "sdy.data_flow_edge"})
    entries.push_back({name, 2, [name](Generator &g) { identity(g, name); }});
  entries.push_back({"sdy.sharding_group", 1, shardingGroup});
  entries.push_back({"sdy.constant", 1, constantOfItsOwn});
  entries.push_back({"sdy.named_computation", 2, namedComputation});
}

} // namespace tenon::fuzz
