#include "tenon/ir/mesh.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include <algorithm>

using llvm::ArrayRef;
using llvm::SmallVector;

namespace tenon::ir {

//===- Axes ------------------------------------------------------------------------------------------------------===//

int64_t Mesh::size() const {
  int64_t product = 1;
  for (const Axis &axis : axes)
    product *= axis.size;
  return product;
}

std::optional<int> Mesh::find(llvm::StringRef name) const {
  const auto *axis = llvm::find_if(axes, [&](const Axis &axis) { return axis.name == name; });
  return axis == axes.end() ? std::nullopt : std::optional<int>(axis - axes.begin());
}

int64_t partsOf(ArrayRef<Atom> axes) {
  int64_t product = 1;
  for (const Atom &atom : axes)
    product *= atom.size;
  return product;
}

void append(Axes &axes, const Atom &atom) {
  if (!axes.empty() && axes.back().axis == atom.axis && axes.back().end() == atom.pre)
    axes.back().size *= atom.size;
  else
    axes.push_back(atom);
}

bool overlapsAny(const Atom &atom, ArrayRef<Atom> axes) {
  return llvm::any_of(axes, [&](const Atom &other) { return atom.overlaps(other); });
}

Sharding Sharding::whole(const Mesh *mesh, int64_t rank, bool isClosed) {
  Sharding sharding;
  sharding.mesh = mesh;
  sharding.dims.resize(rank);
  for (DimCut &dim : sharding.dims)
    dim.isClosed = isClosed;
  return sharding;
}

std::optional<Axes> splitAxes(const Mesh &mesh, ArrayRef<ArrayRef<Atom>> lists) {
  Axes atoms;
  for (auto [axis, whole] : llvm::enumerate(mesh.axes)) {
    SmallVector<int64_t> bounds = {1, whole.size};
    for (ArrayRef<Atom> list : lists)
      for (const Atom &atom : list) {
        if (atom.axis != static_cast<int>(axis))
          continue;
        if (atom.pre < 1 || atom.size < 1 || atom.size > whole.size / atom.pre)
          return std::nullopt;
        bounds.append({atom.pre, atom.end()});
      }
    llvm::sort(bounds);
    bounds.erase(llvm::unique(bounds), bounds.end());
    for (auto [begin, end] : llvm::zip(bounds, llvm::drop_begin(bounds))) {
      if (end % begin != 0)
        return std::nullopt;
      atoms.push_back({static_cast<int>(axis), begin, end / begin});
    }
  }
  return atoms;
}

//===- Attributes ------------------------------------------------------------------------------------------------===//

// The mesh of an attribute; an error for one that is impossible.
static StatusOr<Mesh> meshOf(sdy::MeshAttr attribute) {
  Mesh mesh;
  int64_t devices = 1;
  for (sdy::MeshAxisAttr axis : attribute.getAxes()) {
    if (axis.getSize() < 1 || devices > kMaxProcesses / axis.getSize())
      return invalidArgument("a mesh has 1 to " + std::to_string(kMaxProcesses) + " devices");
    if (mesh.find(axis.getName()))
      return invalidArgument("the mesh has two axes '" + axis.getName().str() + "'");
    devices *= axis.getSize();
    mesh.axes.push_back({axis.getName().str(), axis.getSize()});
  }
  mesh.ids.assign(attribute.getDeviceIds().begin(), attribute.getDeviceIds().end());
  if (!mesh.ids.empty() && static_cast<int64_t>(mesh.ids.size()) != devices)
    return invalidArgument("a mesh of " + std::to_string(devices) + " devices names " +
                           std::to_string(mesh.ids.size()));
  if (llvm::all_of(llvm::enumerate(mesh.ids), [](auto id) { return static_cast<int64_t>(id.index()) == id.value(); }) &&
      !mesh.axes.empty())
    mesh.ids.clear();
  return mesh;
}

MeshTable::MeshTable(mlir::ModuleOp module) : module_(module) {
  // The first of equal meshes gives shardings the name.
  for (auto mesh : module.getOps<sdy::MeshOp>())
    (void)meshOf(mlir::FlatSymbolRefAttr::get(mesh.getSymNameAttr()));
}

const Mesh *MeshTable::intern(Mesh mesh) {
  for (const Mesh &known : meshes_)
    if (known == mesh)
      return &known;
  return &meshes_.emplace_back(std::move(mesh));
}

StatusOr<const Mesh *> MeshTable::meshOf(mlir::Attribute reference) {
  if (const Mesh *known = byReference_.lookup(reference))
    return known;
  auto attribute = llvm::dyn_cast<sdy::MeshAttr>(reference);
  if (auto symbol = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(reference)) {
    auto op = mlir::SymbolTable::lookupNearestSymbolFrom<sdy::MeshOp>(module_, symbol);
    if (!op)
      return invalidArgument("there is no mesh '" + symbol.getValue().str() + "'");
    attribute = op.getMesh();
  }
  TENON_ASSIGN_OR_RETURN(Mesh mesh, ir::meshOf(attribute));
  const Mesh *interned = intern(std::move(mesh));
  byReference_[reference] = interned;
  references_.try_emplace(interned, reference);
  return interned;
}

namespace {

// Reads the parts of one sharding, and remembers which axes it has named.
class Reader {
public:
  explicit Reader(const Mesh &mesh) : mesh_(mesh) {}

  Status read(ArrayRef<sdy::AxisRefAttr> references, Axes &axes) {
    for (sdy::AxisRefAttr reference : references) {
      std::optional<int> axis = mesh_.find(reference.getName());
      if (!axis)
        return invalidArgument("the mesh has no axis '" + reference.getName().str() + "'");
      int64_t whole = mesh_.axes[*axis].size;
      Atom atom{*axis, 1, whole};
      if (sdy::SubAxisInfoAttr part = reference.getSubAxisInfo())
        atom = {*axis, part.getPreSize(), part.getSize()};
      if (atom.pre < 1 || atom.size < 1 || atom.size > whole / atom.pre || whole % atom.end() != 0)
        return invalidArgument("axis '" + reference.getName().str() + "' of size " + std::to_string(whole) +
                               " has no part (" + std::to_string(atom.pre) + ')' + std::to_string(atom.size));
      if (overlapsAny(atom, used_))
        return invalidArgument("axis '" + reference.getName().str() + "' is named twice");
      used_.push_back(atom);
      append(axes, atom);
    }
    return {};
  }

private:
  const Mesh &mesh_;
  SmallVector<Atom> used_;
};

} // namespace

StatusOr<Sharding> MeshTable::read(sdy::TensorShardingAttr attribute, int64_t rank) {
  TENON_ASSIGN_OR_RETURN(const Mesh *mesh, meshOf(attribute.getMeshOrRef()));
  Sharding sharding;
  sharding.mesh = mesh;
  if (!mesh->isMaximal() && static_cast<int64_t>(attribute.getDimShardings().size()) != rank)
    return invalidArgument("a sharding of " + std::to_string(attribute.getDimShardings().size()) +
                           " dimensions for an array of " + std::to_string(rank));
  Reader reader(*mesh);
  for (sdy::DimensionShardingAttr dim : attribute.getDimShardings()) {
    DimCut &cut = sharding.dims.emplace_back();
    cut.isClosed = dim.getIsClosed();
    cut.priority = dim.getPriority();
    TENON_RETURN_IF_ERROR(reader.read(dim.getAxes(), cut.axes));
  }
  TENON_RETURN_IF_ERROR(reader.read(attribute.getReplicatedAxes(), sharding.replicated));
  TENON_RETURN_IF_ERROR(reader.read(attribute.getUnreducedAxes(), sharding.unreduced));
  sharding.reduction = attribute.getReductionOp();
  SmallVector<ArrayRef<Atom>> lists = {sharding.replicated, sharding.unreduced};
  for (const DimCut &dim : sharding.dims)
    lists.push_back(dim.axes);
  if (!splitAxes(*mesh, lists))
    return invalidArgument("parts of an axis do not fit together");
  return sharding;
}

static SmallVector<sdy::AxisRefAttr> writeAxes(mlir::MLIRContext *context, const Mesh &mesh, ArrayRef<Atom> axes) {
  SmallVector<sdy::AxisRefAttr> references;
  for (const Atom &atom : axes) {
    const Mesh::Axis &axis = mesh.axes[atom.axis];
    auto part =
        atom.size == axis.size ? sdy::SubAxisInfoAttr() : sdy::SubAxisInfoAttr::get(context, atom.pre, atom.size);
    references.push_back(sdy::AxisRefAttr::get(context, axis.name, part));
  }
  return references;
}

sdy::TensorShardingAttr MeshTable::write(const Sharding &sharding) const {
  mlir::MLIRContext *context = mlir::ModuleOp(module_).getContext();
  const Mesh &mesh = *sharding.mesh;
  mlir::Attribute reference = references_.lookup(&mesh);
  if (!reference) {
    SmallVector<sdy::MeshAxisAttr> axes;
    for (const Mesh::Axis &axis : mesh.axes)
      axes.push_back(sdy::MeshAxisAttr::get(context, axis.name, axis.size));
    reference = sdy::MeshAttr::get(context, axes, mesh.ids);
  }
  SmallVector<sdy::DimensionShardingAttr> dims;
  for (const DimCut &dim : sharding.dims)
    dims.push_back(
        sdy::DimensionShardingAttr::get(context, writeAxes(context, mesh, dim.axes), dim.isClosed, dim.priority));
  return sdy::TensorShardingAttr::get(context, reference, dims, writeAxes(context, mesh, sharding.replicated),
                                      writeAxes(context, mesh, sharding.unreduced),
                                      sharding.unreduced.empty() ? sdy::ReductionOp::SUM : sharding.reduction);
}

//===- Groups ----------------------------------------------------------------------------------------------------===//

// By how much the place of a device grows with the atom's digit.
static int64_t strideOf(const Mesh &mesh, const Atom &atom) {
  int64_t stride = mesh.axes[atom.axis].size / atom.end();
  for (const Mesh::Axis &minor : ArrayRef(mesh.axes).drop_front(atom.axis + 1))
    stride *= minor.size;
  return stride;
}

int64_t digitOf(const Mesh &mesh, const Atom &atom, int64_t place) { return place / strideOf(mesh, atom) % atom.size; }

SmallVector<int64_t, 8> groupOf(const Mesh &mesh, ArrayRef<Atom> axes, int64_t place) {
  SmallVector<int64_t, 8> places;
  for (const Atom &atom : axes) // first the place with all digits 0
    place -= digitOf(mesh, atom, place) * strideOf(mesh, atom);
  places.push_back(place);
  for (const Atom &atom : llvm::reverse(axes)) {
    int64_t stride = strideOf(mesh, atom);
    size_t minor = places.size();
    for (int64_t digit = 1; digit < atom.size; ++digit)
      for (size_t i = 0; i < minor; ++i)
        places.push_back(places[i] + digit * stride);
  }
  return places;
}

ProcessGroups groupsAlong(const Mesh &mesh, ArrayRef<Atom> axes) {
  ProcessGroups groups;
  for (int64_t place : llvm::seq<int64_t>(0, mesh.size())) {
    auto isFirst = [&](const Atom &atom) { return place / strideOf(mesh, atom) % atom.size == 0; };
    if (!llvm::all_of(axes, isFirst))
      continue;
    SmallVector<int64_t, 8> group = groupOf(mesh, axes, place);
    for (int64_t &member : group)
      member = mesh.device(member);
    groups.push_back(std::move(group));
  }
  return groups;
}

std::optional<Axes> axesOfRun(const Mesh &mesh, int64_t stride, int64_t count) {
  Axes minorFirst;
  int64_t minor = 1; // the stride of the axis
  for (int axis = static_cast<int>(mesh.axes.size()) - 1; axis >= 0 && count > 1; --axis) {
    int64_t size = mesh.axes[axis].size, within = stride / minor;
    if (stride % minor == 0 && within < size) {
      if (size % within != 0)
        return std::nullopt;
      int64_t part = std::min(count, size / within);
      if (count % part != 0 || size / within % part != 0)
        return std::nullopt;
      minorFirst.push_back({axis, size / within / part, part});
      count /= part;
      stride *= part;
    }
    minor *= size;
  }
  if (count > 1)
    return std::nullopt;
  return Axes(minorFirst.rbegin(), minorFirst.rend());
}

std::optional<Axes> axesOfGroups(const Mesh &mesh, const ProcessGroups &groups) {
  if (groups.empty() || groups.front().empty())
    return std::nullopt;
  SmallVector<int64_t> placeOf(mesh.size(), -1);
  for (int64_t place : llvm::seq<int64_t>(0, mesh.size()))
    if (int64_t id = mesh.device(place); id >= 0 && id < mesh.size())
      placeOf[id] = place;
  // The first group's places, from the minor digit up: how long each stride goes on.
  SmallVector<int64_t> places;
  for (int64_t id : groups.front()) {
    if (id < 0 || id >= mesh.size() || placeOf[id] < 0)
      return std::nullopt;
    places.push_back(placeOf[id]);
  }
  SmallVector<Axes> minorFirst;
  for (size_t step = 1; step < places.size();) {
    int64_t stride = places[step] - places[0];
    size_t count = 1;
    while ((count + 1) * step <= places.size() &&
           places[count * step] - places[0] == stride * static_cast<int64_t>(count))
      ++count;
    if (stride < 1 || count == 1) // a part of a step is left
      return std::nullopt;
    std::optional<Axes> run = axesOfRun(mesh, stride, static_cast<int64_t>(count));
    if (!run)
      return std::nullopt;
    minorFirst.push_back(*run);
    step *= count;
  }
  Axes axes;
  for (const Axes &run : llvm::reverse(minorFirst))
    for (const Atom &atom : run)
      append(axes, atom);
  return groupsAlong(mesh, axes) == groups ? std::optional(axes) : std::nullopt;
}

} // namespace tenon::ir
