#include "tenon/passes/partition/local/collectives.h"

#include "tenon/ir/tenon.h"
#include "tenon/ir/types.h"
#include "tenon/passes/legalize/spmd/routines.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

// That of an op of global ids, which must have one.
sh::ChannelHandleAttr anyChannel(MLIRContext *context) {
  return sh::ChannelHandleAttr::get(context, /*handle=*/1, /*type=*/1);
}

} // namespace

Value combine(ArrayBuilder &builder, Value a, Value b, SumKind kind) {
  switch (kind) {
  case SumKind::kAdd:
    return builder.add(a, b);
  case SumKind::kMultiply:
    return builder.multiply(a, b);
  case SumKind::kMaximum:
    return builder.binary<sh::MaximumOp>(a, b);
  case SumKind::kMinimum:
    return builder.binary<sh::MinimumOp>(a, b);
  case SumKind::kAnd:
    return builder.logicalAnd(a, b);
  case SumKind::kOr:
    return builder.binary<sh::OrOp>(a, b);
  }
  llvm_unreachable("unknown kind");
}

void addComputation(ArrayBuilder &builder, Region &region, Type element, SumKind kind) {
  auto scalar = RankedTensorType::get({}, element);
  OpBuilder::InsertionGuard guard(builder.builder);
  Block *block = builder.builder.createBlock(&region, {}, {scalar, scalar}, {builder.loc, builder.loc});
  Value sum = combine(builder, block->getArgument(0), block->getArgument(1), kind);
  sh::ReturnOp::create(builder.builder, builder.loc, sum);
}

Attribute groupsAlong(MLIRContext *context, const ir::Mesh &mesh, ArrayRef<ir::Atom> axes) {
  SmallVector<sh::MeshAxisAttr> all;
  for (const ir::Mesh::Axis &axis : mesh.axes)
    all.push_back(sh::MeshAxisAttr::get(context, axis.name, axis.size));
  SmallVector<Attribute> named;
  for (const ir::Atom &atom : axes) {
    const ir::Mesh::Axis &axis = mesh.axes[atom.axis];
    sh::SubAxisInfoAttr part;
    if (atom.size != axis.size)
      part = sh::SubAxisInfoAttr::get(context, atom.pre, atom.size);
    named.push_back(sh::AxisRefAttr::get(context, axis.name, part));
  }
  DenseIntElementsAttr ids;
  if (!mesh.ids.empty())
    ids = DenseIntElementsAttr::get(
        RankedTensorType::get({static_cast<int64_t>(mesh.ids.size())}, IntegerType::get(context, 64)),
        ArrayRef<int64_t>(mesh.ids));
  return sh::ReplicaGroupMeshAxesAttr::get(context, sh::MeshAttr::get(context, all, ids),
                                           ArrayAttr::get(context, named));
}

Value allGather(ArrayBuilder &builder, Value local, int64_t dimension, const ir::Mesh &mesh, ArrayRef<ir::Atom> axes) {
  SmallVector<int64_t> sizes(ir::typeOf(local).getShape());
  sizes[dimension] *= ir::partsOf(axes);
  MLIRContext *context = local.getContext();
  auto type = ir::typeOf(local).clone(sizes);
  if (type.getNumElements() == 0) // nothing to meet for
    return builder.fill(type.getElementType(), sizes, 0);
  return sh::AllGatherOp::create(builder.builder, builder.loc, TypeRange{type}, ValueRange{local},
                                 static_cast<uint64_t>(dimension), groupsAlong(context, mesh, axes),
                                 anyChannel(context), /*use_global_device_ids=*/true)
      ->getResult(0);
}

Value allReduce(ArrayBuilder &builder, Value local, const ir::Mesh &mesh, ArrayRef<ir::Atom> axes, SumKind kind) {
  MLIRContext *context = local.getContext();
  if (ir::typeOf(local).getNumElements() == 0)
    return local;
  auto op =
      sh::AllReduceOp::create(builder.builder, builder.loc, TypeRange{local.getType()}, ValueRange{local},
                              groupsAlong(context, mesh, axes), anyChannel(context), builder.builder.getUnitAttr());
  addComputation(builder, op.getComputation(), ir::typeOf(local).getElementType(), kind);
  return op->getResult(0);
}

Value reduceScatter(ArrayBuilder &builder, Value local, int64_t dimension, const ir::Mesh &mesh,
                    ArrayRef<ir::Atom> axes, SumKind kind) {
  MLIRContext *context = local.getContext();
  SmallVector<int64_t> sizes(ir::typeOf(local).getShape());
  sizes[dimension] /= ir::partsOf(axes);
  auto type = ir::typeOf(local).clone(sizes);
  if (type.getNumElements() == 0)
    return builder.fill(type.getElementType(), sizes, 0);
  auto op = sh::ReduceScatterOp::create(builder.builder, builder.loc, type, local,
                                        builder.builder.getI64IntegerAttr(dimension), groupsAlong(context, mesh, axes),
                                        anyChannel(context), builder.builder.getUnitAttr());
  addComputation(builder, op.getComputation(), type.getElementType(), kind);
  return op->getResult(0);
}

Value allToAll(ArrayBuilder &builder, Value local, int64_t split, int64_t concatenated, const ir::Mesh &mesh,
               ArrayRef<ir::Atom> axes) {
  MLIRContext *context = local.getContext();
  int64_t parts = ir::partsOf(axes);
  SmallVector<int64_t> sizes(ir::typeOf(local).getShape());
  sizes[split] /= parts;
  sizes[concatenated] *= parts;
  Type type = ir::typeOf(local).clone(sizes);
  auto integer = [&](int64_t value) { return builder.builder.getI64IntegerAttr(value); };
  return sh::AllToAllOp::create(builder.builder, builder.loc, TypeRange{type}, ValueRange{local}, integer(split),
                                integer(concatenated), integer(parts), groupsAlong(context, mesh, axes),
                                anyChannel(context))
      ->getResult(0);
}

Value collectivePermute(ArrayBuilder &builder, Value local, const ir::GroupPermutation &permutation) {
  return callPermute(builder.builder, builder.loc, "collective_permute", local, permutation).front();
}

static bool isCallOf(Operation *op, StringRef target) {
  auto call = dyn_cast<sh::CustomCallOp>(op);
  return call && call.getCallTargetName() == target;
}

bool isPermuteCall(Operation *op) { return isCallOf(op, ir::kPermuteTarget); }
bool isExchangeRowsCall(Operation *op) { return isCallOf(op, ir::kExchangeRowsTarget); }

Value exchangeRows(ArrayBuilder &builder, Value rows, Value result, const RowLists &lists, const ir::Mesh &mesh,
                   ArrayRef<ir::Atom> axes) {
  ir::ProcessGrid grid = ir::processGrid(builder.builder.getInsertionBlock()->getParentOp());
  ir::ProcessGroups groups; // each replica has its own
  for (int64_t replica = 0; replica < grid.replicas; ++replica)
    for (auto &group : ir::groupsAlong(mesh, axes)) {
      for (int64_t &device : group)
        device = grid.process(replica, device);
      groups.push_back(std::move(group));
    }
  SmallVector<Value> operands = {rows, result, lists.begins, lists.counts, lists.places, lists.received};
  return callRoutine(builder.builder, builder.loc, ir::kExchangeRowsTarget, "ragged_all_to_all", operands,
                     result.getType(), ir::groupAttributes(builder.builder, groups, grid))
      .front();
}

SmallVector<ir::ProcessAxis, 4> processAxes(const ir::Mesh &mesh, ArrayRef<ir::Atom> axes) {
  SmallVector<ir::ProcessAxis, 4> result;
  for (const ir::Atom &atom : axes)
    if (atom.size > 1)
      result.push_back({atom.size, ir::groupOf(mesh, atom, 0)[1]}); // the place whose digit is 1
  return result;
}

Value collectivePermute(ArrayBuilder &builder, Value local, ArrayRef<int64_t> pairs) {
  auto type = RankedTensorType::get({static_cast<int64_t>(pairs.size() / 2), 2}, builder.builder.getI64Type());
  return sh::CollectivePermuteOp::create(builder.builder, builder.loc, local.getType(), local,
                                         DenseIntElementsAttr::get(type, pairs), anyChannel(local.getContext()));
}

} // namespace tenon::passes::partition
