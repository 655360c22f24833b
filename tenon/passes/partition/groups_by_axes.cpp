//   all_reduce %x {replica_groups = [[0, 1, 2, 3], [4, 5, 6, 7]]}   =>   {replica_groups = axes ["y"] of <["x"=2,
//   "y"=4]>}
#include "tenon/passes/partition/groups_by_axes.h"

#include "tenon/ir/group_axes.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/types.h"
#include "tenon/passes/partition/local/collectives.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

// The groups as axes of the mesh, so that reports have its names, or of all devices.
Attribute axesOf(Operation *op, const ir::Mesh &mesh) {
  ir::ProcessGrid grid = ir::processGrid(op);
  StatusOr<ir::ProcessGroups> groups = ir::processGroups(op, grid);
  if (!groups.ok()) // whoever compiles it says why
    return {};
  ir::ProcessGroups sorted = *groups;
  llvm::sort(sorted, [](const auto &a, const auto &b) { return a.front() < b.front(); });
  if (mesh.ids.empty())
    if (std::optional<ir::Axes> axes = ir::axesOfGroups(mesh, sorted))
      return groupsAlong(op->getContext(), mesh, *axes);
  return ir::meshAxes(op->getContext(), *groups, grid.size()).value_or(sh::ReplicaGroupMeshAxesAttr());
}

void nameByAxes(Operation *op, const ir::Mesh &mesh) {
  Attribute axes = isa<DenseIntElementsAttr>(op->getAttr("replica_groups")) ? axesOf(op, mesh) : Attribute();
  if (!axes)
    return;
  op->setAttr("replica_groups", axes);
  op->setAttr("channel_handle", sh::ChannelHandleAttr::get(op->getContext(), /*handle=*/1, /*type=*/1));
  if (!isa<sh::AllToAllOp>(op)) // whose ids are those of partitions
    op->setAttr("use_global_device_ids", UnitAttr::get(op->getContext()));
}

void namePermutationByAxes(sh::CollectivePermuteOp op, Recorder &recorder) {
  StatusOr<ir::ProcessPairs> pairs = ir::processPairs(op, ir::processGrid(op));
  auto permutation =
      pairs.ok() ? ir::findPermutation(*pairs, ir::processGrid(op).size()) : std::optional<ir::GroupPermutation>();
  // Who is sent nothing has zeros, which this type does not have.
  if (!permutation || isa<Float8E8M0FNUType>(ir::typeOf(op.getOperand()).getElementType()))
    return;
  OpBuilder opBuilder(op);
  ArrayBuilder builder(opBuilder, op.getLoc());
  Value sent = collectivePermute(builder, op.getOperand(), *permutation);
  recorder.replace(op.getOperation(), sent.getDefiningOp(), op);
  op->getResult(0).replaceAllUsesWith(sent);
  op->erase();
}

// A mesh with an axis of replicas before the partitions'.
sh::MeshAttr withReplicas(sh::MeshAttr mesh, int64_t replicas, int64_t partitions) {
  std::string name = "replica";
  while (llvm::any_of(mesh.getAxes(), [&](sh::MeshAxisAttr axis) { return axis.getName() == name; }))
    name += '_';
  SmallVector<sh::MeshAxisAttr> axes{sh::MeshAxisAttr::get(mesh.getContext(), name, replicas)};
  llvm::append_range(axes, mesh.getAxes());
  DenseIntElementsAttr ids = mesh.getDeviceIds();
  if (ids) {
    SmallVector<int64_t> all;
    for (int64_t replica = 0; replica < replicas; ++replica)
      for (int64_t id : ids.getValues<int64_t>())
        all.push_back(replica * partitions + id);
    ids = DenseIntElementsAttr::get(ids.getType().clone(static_cast<int64_t>(all.size())), ArrayRef<int64_t>(all));
  }
  return sh::MeshAttr::get(mesh.getContext(), axes, ids);
}

} // namespace

void addReplicas(func::FuncOp main, int64_t replicas) {
  int64_t partitions = ir::processGrid(main).partitions;
  main.walk([&](Operation *op) {
    if (!isa<sh::AllGatherOp, sh::AllReduceOp, sh::ReduceScatterOp>(op))
      return; // ids of the others are those of partitions
    auto groups = dyn_cast<sh::ReplicaGroupMeshAxesAttr>(op->getAttr("replica_groups"));
    auto mesh = groups ? dyn_cast<sh::MeshAttr>(groups.getMesh()) : sh::MeshAttr();
    if (!mesh || !op->hasAttr("use_global_device_ids"))
      return;
    int64_t size = 1;
    for (sh::MeshAxisAttr axis : mesh.getAxes())
      size *= axis.getSize();
    if (size == partitions)
      op->setAttr("replica_groups", sh::ReplicaGroupMeshAxesAttr::get(
                                        op->getContext(), withReplicas(mesh, replicas, partitions), groups.getAxes()));
  });
}

void nameGroupsByAxes(func::FuncOp main, const ir::Mesh &mesh, Recorder &recorder) {
  main.walk([&](Operation *op) {
    if (auto permute = dyn_cast<sh::CollectivePermuteOp>(op))
      namePermutationByAxes(permute, recorder);
    else if (isa<sh::AllGatherOp, sh::AllReduceOp, sh::AllToAllOp, sh::ReduceScatterOp>(op))
      nameByAxes(op, mesh);
  });
}

} // namespace tenon::passes::partition
