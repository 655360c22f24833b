#include "tenon/ir/group_axes.h"

#include "tenon/ir/mesh.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <string>

using llvm::SmallVector;

namespace tenon::ir {
namespace {

using Ids = SmallVector<int64_t, 8>;

// All processes as one axis.
Mesh lineOf(int64_t processes) {
  Mesh line;
  line.axes.push_back({"", processes});
  return line;
}

// Which parts of the line of all processes the groups are along, if they are, whatever order they come in.
std::optional<Axes> axesOnLine(const ProcessGroups &groups) {
  if (groups.empty() || groups.front().empty())
    return std::nullopt;
  ProcessGroups sorted = groups;
  llvm::sort(sorted, [](const auto &a, const auto &b) { return !b.empty() && (a.empty() || a.front() < b.front()); });
  return axesOfGroups(lineOf(static_cast<int64_t>(groups.size() * groups.front().size())), sorted);
}

template <typename Axis> StatusOr<Mesh> meshWith(llvm::ArrayRef<Axis> axes) {
  Mesh mesh;
  int64_t devices = 1;
  for (auto axis : axes) {
    mesh.axes.push_back({axis.getName().str(), axis.getSize()});
    if (axis.getSize() < 1 || llvm::MulOverflow(devices, axis.getSize(), devices) || devices > kMaxProcesses)
      return invalidArgument("a mesh has 1 to " + std::to_string(kMaxProcesses) + " devices");
  }
  return mesh;
}

StatusOr<Mesh> meshOf(mlir::Operation *op, mlir::Attribute named) {
  if (auto symbol = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(named)) {
    auto found = llvm::dyn_cast_or_null<sdy::MeshOp>(mlir::SymbolTable::lookupNearestSymbolFrom(op, symbol));
    if (!found)
      return invalidArgument("replica_groups name the mesh @" + symbol.getValue().str() + ", which is not there");
    TENON_ASSIGN_OR_RETURN(Mesh mesh, meshWith(found.getMesh().getAxes()));
    mesh.ids.assign(found.getMesh().getDeviceIds().begin(), found.getMesh().getDeviceIds().end());
    return mesh;
  }
  auto given = llvm::cast<stablehlo::MeshAttr>(named);
  TENON_ASSIGN_OR_RETURN(Mesh mesh, meshWith(given.getAxes()));
  if (mlir::DenseIntElementsAttr ids = given.getDeviceIds())
    for (const llvm::APInt &id : ids.getValues<llvm::APInt>())
      mesh.ids.push_back(id.getSExtValue());
  return mesh;
}

// The axis, or the part of one, that groups are said to be along.
StatusOr<Atom> atomOf(const Mesh &mesh, stablehlo::AxisRefAttr named) {
  std::string name = named.getName().str();
  std::optional<int> axis = mesh.find(name);
  if (!axis)
    return invalidArgument("replica_groups name the axis '" + name + "', which the mesh does not have");
  int64_t size = mesh.axes[*axis].size;
  stablehlo::SubAxisInfoAttr part = named.getSubAxisInfo();
  if (!part)
    return Atom{*axis, 1, size};
  int64_t before = part.getPreSize(), own = part.getSize();
  if (before < 1 || own < 1 || size % before || size / before % own)
    return invalidArgument("the axis '" + name + "' of size " + std::to_string(size) + " has no part (" +
                           std::to_string(before) + ")" + std::to_string(own));
  return Atom{*axis, before, own};
}

} // namespace

std::optional<SmallVector<ProcessAxis, 4>> groupAxes(const ProcessGroups &groups) {
  std::optional<Axes> axes = axesOnLine(groups);
  if (!axes)
    return std::nullopt;
  auto processes = static_cast<int64_t>(groups.size() * groups.front().size());
  SmallVector<ProcessAxis, 4> result;
  for (const Atom &atom : *axes)
    result.push_back({atom.size, processes / atom.end()});
  return result;
}

StatusOr<SmallVector<Ids>> meshGroups(mlir::Operation *op, stablehlo::ReplicaGroupMeshAxesAttr groups) {
  TENON_ASSIGN_OR_RETURN(Mesh mesh, meshOf(op, groups.getMesh()));
  if (!mesh.ids.empty() && static_cast<int64_t>(mesh.ids.size()) != mesh.size())
    return invalidArgument("a mesh lists " + std::to_string(mesh.ids.size()) + " of " + std::to_string(mesh.size()) +
                           " devices");
  Axes axes;
  for (auto named : groups.getAxes().getAsRange<stablehlo::AxisRefAttr>()) {
    TENON_ASSIGN_OR_RETURN(Atom atom, atomOf(mesh, named));
    if (overlapsAny(atom, axes))
      return invalidArgument("the axes that replica_groups name overlap");
    axes.push_back(atom);
  }
  if (!splitAxes(mesh, {axes}))
    return invalidArgument("the parts of axes that replica_groups name do not fit together");
  ProcessGroups along = groupsAlong(mesh, axes);
  return SmallVector<Ids>(along.begin(), along.end());
}

std::optional<stablehlo::ReplicaGroupMeshAxesAttr> meshAxes(mlir::MLIRContext *context, const ProcessGroups &groups,
                                                            int64_t processes) {
  std::optional<Axes> axes = axesOnLine(groups);
  if (!axes || groups.size() * groups.front().size() != static_cast<size_t>(processes))
    return std::nullopt;
  std::optional<Axes> all = splitAxes(lineOf(processes), {*axes});
  if (!all)
    return std::nullopt;
  SmallVector<stablehlo::MeshAxisAttr> named;
  for (const Atom &atom : *all)
    named.push_back(stablehlo::MeshAxisAttr::get(context, "a" + std::to_string(named.size()), atom.size));
  if (named.empty()) // of one process
    named.push_back(stablehlo::MeshAxisAttr::get(context, "a0", 1));
  SmallVector<mlir::Attribute> along;
  for (const Atom &atom : *axes)
    along.push_back(stablehlo::AxisRefAttr::get(context, named[llvm::find(*all, atom) - all->begin()].getName(), {}));
  return stablehlo::ReplicaGroupMeshAxesAttr::get(context, stablehlo::MeshAttr::get(context, named, {}),
                                                  mlir::ArrayAttr::get(context, along));
}

mlir::DictionaryAttr groupAttributes(mlir::Builder &builder, const ProcessGroups &groups, const ProcessGrid &grid) {
  auto list = [&](llvm::StringRef name, llvm::ArrayRef<int64_t> numbers) {
    return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(numbers));
  };
  auto axes = groupAxes(groups);
  if (axes && static_cast<int64_t>(groups.size() * groups.front().size()) == grid.size()) {
    Ids numbers;
    for (const ProcessAxis &axis : *axes)
      numbers.append({axis.size, axis.stride});
    return builder.getDictionaryAttr(list("axes", numbers));
  }
  Ids ids, sizes;
  for (const auto &group : groups) {
    llvm::append_range(ids, group);
    sizes.push_back(static_cast<int64_t>(group.size()));
  }
  return builder.getDictionaryAttr({list("groups", ids), list("sizes", sizes)});
}

mlir::DenseIntElementsAttr listAttribute(mlir::MLIRContext *context, const ProcessGroups &groups) {
  size_t longest = 0;
  for (const auto &group : groups)
    longest = std::max(longest, group.size());
  llvm::SmallVector<int64_t> ids;
  for (const auto &group : groups) {
    llvm::append_range(ids, group);
    ids.append(longest - group.size(), -1);
  }
  auto type = mlir::RankedTensorType::get({static_cast<int64_t>(groups.size()), static_cast<int64_t>(longest)},
                                          mlir::IntegerType::get(context, 64));
  return mlir::DenseIntElementsAttr::get(type, llvm::ArrayRef<int64_t>(ids));
}

} // namespace tenon::ir
