#include "tenon/passes/legalize/spmd/group_builder.h"

#include "tenon/ir/group_axes.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/types.h"
#include "tenon/passes/legalize/spmd/routines.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {

using ir::typeOf;

sh::ChannelHandleAttr anyChannel(MLIRContext *context) {
  return sh::ChannelHandleAttr::get(context, /*handle=*/1, /*type=*/1);
}

GroupBuilder::GroupBuilder(OpBuilder &builder, Operation *op, ir::ProcessGroups groups)
    : ArrayBuilder(builder, op->getLoc()), name_(op->getName().stripDialect()), groups_(std::move(groups)),
      grid_(ir::processGrid(op)) {}

int64_t GroupBuilder::size() const {
  size_t size = 0;
  for (const auto &group : groups_)
    size = std::max(size, group.size());
  return static_cast<int64_t>(size);
}

bool GroupBuilder::areEqual() const {
  return llvm::all_of(groups_, [&](const auto &group) { return static_cast<int64_t>(group.size()) == size(); });
}

SmallVector<Value> GroupBuilder::gather(ValueRange values) {
  SmallVector<Type> types;
  for (Value value : values) {
    SmallVector<int64_t> sizes{size()};
    llvm::append_range(sizes, typeOf(value).getShape());
    types.push_back(typeOf(value).clone(sizes));
  }
  return call(ir::kGatherGroupTarget, values, types, groupAttributes(groups_));
}

SmallVector<Value> GroupBuilder::gatherAlong(ValueRange values, int64_t dimension) {
  SmallVector<Type> types;
  for (Value value : values) {
    SmallVector<int64_t> sizes(typeOf(value).getShape());
    sizes[dimension] *= size();
    types.push_back(typeOf(value).clone(sizes));
  }
  NamedAttrList attributes(groupAttributes(groups_));
  attributes.set("dimension", builder.getI64IntegerAttr(dimension));
  return call(ir::kGatherGroupTarget, values, types, attributes.getDictionary(builder.getContext()));
}

Value GroupBuilder::groupSize() { return question(ir::kGroupSizeTarget, groups_); }

Value GroupBuilder::placeIn(const ir::ProcessGroups &some) { return question(ir::kGroupPlaceTarget, some); }

SmallVector<Value> GroupBuilder::exchange(ValueRange parts) {
  return call(ir::kExchangeGroupTarget, parts, llvm::to_vector(parts.getTypes()), groupAttributes(groups_));
}

ValueRange GroupBuilder::allReduce(ValueRange values, Region &computation) {
  auto reduction =
      sh::AllReduceOp::create(builder, loc, values.getTypes(), values, ir::listAttribute(builder.getContext(), groups_),
                              anyChannel(builder.getContext()), builder.getUnitAttr());
  IRMapping mapping;
  computation.cloneInto(&reduction.getComputation(), mapping);
  return reduction.getResults();
}

Value GroupBuilder::split(Value value, int64_t dimension) {
  SmallVector<int64_t> sizes(typeOf(value).getShape()), order{dimension};
  sizes[dimension] /= size();
  sizes.insert(sizes.begin() + dimension, size());
  for (int64_t i = 0; i < static_cast<int64_t>(sizes.size()); ++i)
    if (i != dimension)
      order.push_back(i);
  return transpose(reshape(value, sizes), order);
}

Value GroupBuilder::join(Value stacked, int64_t dimension) {
  SmallVector<int64_t> order, sizes(typeOf(stacked).getShape().drop_front());
  for (int64_t i = 1; i < typeOf(stacked).getRank(); ++i)
    order.push_back(i);
  order.insert(order.begin() + dimension, 0);
  sizes[dimension] *= typeOf(stacked).getDimSize(0);
  return reshape(transpose(stacked, order), sizes);
}

SmallVector<Value> GroupBuilder::permute(ValueRange values, const ir::ProcessPairs &pairs) {
  if (std::optional<ir::GroupPermutation> permutation = ir::findPermutation(pairs, grid_.size()))
    return callPermute(builder, loc, name_, values, *permutation);
  SmallVector<int64_t> flat;
  for (auto [source, target] : pairs)
    flat.append({source, target});
  return call(ir::kPermuteTarget, values, llvm::to_vector(values.getTypes()),
              builder.getDictionaryAttr({builder.getNamedAttr("pairs", builder.getDenseI64ArrayAttr(flat))}));
}

Value GroupBuilder::exchangeRows(ValueRange operands, Type result) {
  return call(ir::kExchangeRowsTarget, operands, result, groupAttributes(groups_)).front();
}

Value GroupBuilder::place(StringRef target, Type type) { return call(target, {}, type, nullptr).front(); }

SmallVector<Value> GroupBuilder::call(StringRef target, ValueRange operands, TypeRange types,
                                      DictionaryAttr attributes) {
  return callRoutine(builder, loc, target, name_, operands, types, attributes);
}

Value GroupBuilder::question(StringRef target, const ir::ProcessGroups &some) {
  return call(target, {}, RankedTensorType::get({}, builder.getI32Type()), groupAttributes(some)).front();
}

DictionaryAttr GroupBuilder::groupAttributes(const ir::ProcessGroups &groups) {
  return ir::groupAttributes(builder, groups, grid_);
}

} // namespace tenon::passes
