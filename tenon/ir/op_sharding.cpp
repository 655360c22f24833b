// A mesh's devices are an iota over its axes, and a sharding by axes is that iota transposed so that the axes of the
// first dimension come first, and so on. Backwards, the sizes of an iota and the numbers of tiles are matched from the
// major end, which gives runs of devices with a stride; such a run is a list of axes.
#include "tenon/ir/op_sharding.h"

#include "tenon/program/sharding.h"
#include "tenon/support/strides.h"

#include "llvm/ADT/STLExtras.h"

using llvm::ArrayRef;
using llvm::SmallVector;
using Kind = tenon::program::Sharding::Kind;

namespace tenon::ir {

std::optional<program::Sharding> toOpSharding(const Sharding &sharding, ArrayRef<Atom> manual) {
  program::Sharding result;
  const Mesh &mesh = *sharding.mesh;
  if (!sharding.unreduced.empty() && sharding.reduction != sdy::ReductionOp::SUM)
    return std::nullopt;
  if (mesh.isMaximal()) {
    result.kind = Kind::kMaximal;
    result.devices = {mesh.ids[0]};
    return result;
  }
  SmallVector<ArrayRef<Atom>> lists;
  for (const DimCut &dim : sharding.dims)
    lists.push_back(dim.axes);
  lists.append({manual, sharding.unreduced});
  std::optional<Axes> atoms = splitAxes(mesh, lists);
  if (!atoms)
    return std::nullopt;
  for (const Atom &atom : *atoms)
    result.iotaDims.push_back(atom.size);
  for (ArrayRef<Atom> list : lists)
    for (const Atom &whole : list)
      for (auto [i, atom] : llvm::enumerate(*atoms))
        if (whole.contains(atom))
          result.iotaPermutation.push_back(static_cast<int64_t>(i));
  if (partsOf(manual) * partsOf(sharding.unreduced) == 1 &&
      llvm::all_of(sharding.dims, [](const DimCut &dim) { return partsOf(dim.axes) == 1; }))
    return program::Sharding();
  int64_t named = 1;
  for (int64_t i : result.iotaPermutation)
    named *= result.iotaDims[i];
  for (int64_t i : llvm::seq<int64_t>(0, static_cast<int64_t>(atoms->size())))
    if (!llvm::is_contained(result.iotaPermutation, i))
      result.iotaPermutation.push_back(i);
  if (!isPermutation(result.iotaPermutation, atoms->size()))
    return std::nullopt; // an axis is named twice
  result.kind = Kind::kTiled;
  for (const DimCut &dim : sharding.dims)
    result.tiles.push_back(partsOf(dim.axes));
  for (auto [parts, kind] :
       {std::pair(partsOf(manual), Kind::kManual), std::pair(partsOf(sharding.unreduced), Kind::kUnreduced),
        std::pair(mesh.size() / named, Kind::kReplicated)}) {
    if (parts == 1)
      continue;
    result.tiles.push_back(parts);
    result.subgroups.push_back(kind);
  }
  if (mesh.ids.empty())
    return result;
  result.devices = program::devicesOfTiles(result);
  for (int64_t &device : result.devices)
    device = mesh.device(device);
  result.iotaDims.clear();
  result.iotaPermutation.clear();
  return result;
}

// The sizes of an iota, major to minor, whose transposition this list is, and the transposition. The list is taken
// apart from the minor end: the longest runs of one stride that it is made of are a dimension, and their first elements
// are a list again.
static bool findIota(std::vector<int64_t> list, program::Sharding &sharding) {
  SmallVector<std::pair<int64_t, int64_t>> digits; // strides and counts, minor to major
  while (list.size() > 1) {
    const int64_t stride = list[1] - list[0];
    auto isOfRuns = [&](size_t length) {
      for (size_t i = 0; i < list.size(); ++i)
        if (list[i] != list[i - i % length] + static_cast<int64_t>(i % length) * stride)
          return false;
      return true;
    };
    size_t length = 1;
    while (length < list.size() && list[length] == list[0] + static_cast<int64_t>(length) * stride)
      ++length;
    while (length > 1 && (list.size() % length != 0 || !isOfRuns(length)))
      --length;
    if (length == 1 || stride < 1)
      return false;
    digits.emplace_back(stride, static_cast<int64_t>(length));
    for (size_t i = 0; i < list.size() / length; ++i)
      list[i] = list[i * length];
    list.resize(list.size() / length);
  }
  if (list != std::vector<int64_t>{0})
    return false;
  auto byStride = digits;
  llvm::sort(byStride);
  for (int64_t next = 1; auto [stride, count] : byStride) {
    if (stride != next)
      return false;
    next *= count;
  }
  for (auto [stride, count] : llvm::reverse(byStride))
    sharding.iotaDims.push_back(count);
  for (const auto &digit : llvm::reverse(digits))
    sharding.iotaPermutation.push_back(byStride.end() - llvm::find(byStride, digit) - 1);
  if (digits.empty()) {
    sharding.iotaDims = {1};
    sharding.iotaPermutation = {0};
  }
  return true;
}

std::optional<program::Sharding> asIota(const program::Sharding &sharding, ArrayRef<int64_t> order) {
  if (sharding.devices.empty() && order.empty())
    return sharding;
  std::vector<int64_t> devices = program::devicesOfTiles(sharding), places(devices.size(), -1);
  if (!order.empty() && order.size() != devices.size())
    return std::nullopt;
  for (size_t i = 0; i < devices.size(); ++i) {
    int64_t device = order.empty() ? static_cast<int64_t>(i) : order[i];
    if (device < 0 || device >= static_cast<int64_t>(places.size()) || places[device] >= 0)
      return std::nullopt;
    places[device] = static_cast<int64_t>(i);
  }
  for (int64_t &device : devices) {
    if (device < 0 || device >= static_cast<int64_t>(places.size()))
      return std::nullopt;
    device = places[device];
  }
  program::Sharding result = sharding;
  result.devices.clear();
  result.iotaDims.clear();
  result.iotaPermutation.clear();
  return findIota(std::move(devices), result) ? std::optional(std::move(result)) : std::nullopt;
}

namespace {

// Devices with a stride between them.
struct Run {
  int64_t stride, count;
};

// For each of the tiles' dimensions its runs of devices, major to minor. None if the sizes of the iota and the numbers
// of tiles have no common parts.
std::optional<SmallVector<SmallVector<Run>>> runsOf(const program::Sharding &sharding) {
  std::vector<int64_t> strides = rowMajorStrides(sharding.iotaDims);
  SmallVector<Run> iota; // what is left of it, from the minor end
  for (int64_t i : llvm::reverse(sharding.iotaPermutation))
    if (sharding.iotaDims[i] > 1)
      iota.push_back({strides[i], sharding.iotaDims[i]});
  SmallVector<SmallVector<Run>> runs(sharding.tiles.size());
  for (auto [tiles, list] : llvm::zip(sharding.tiles, runs)) {
    for (int64_t left = tiles; left > 1;) {
      Run &major = iota.back();
      int64_t taken = std::min(left, major.count);
      if (left % taken != 0 || major.count % taken != 0)
        return std::nullopt;
      major.count /= taken;
      list.push_back({major.stride * major.count, taken});
      left /= taken;
      if (major.count == 1)
        iota.pop_back();
    }
  }
  return runs;
}

} // namespace

std::optional<Mesh> meshForOpShardings(ArrayRef<program::Sharding> shardings, int64_t devices) {
  SmallVector<int64_t> bounds = {1, devices};
  for (const program::Sharding &sharding : shardings) {
    if (sharding.kind == Kind::kMaximal || !sharding.devices.empty())
      return std::nullopt;
    auto runs = runsOf(sharding);
    if (!runs)
      return std::nullopt;
    for (const auto &list : *runs)
      for (const Run &run : list)
        bounds.append({run.stride, run.stride * run.count});
  }
  llvm::sort(bounds);
  bounds.erase(llvm::unique(bounds), bounds.end());
  Mesh mesh;
  for (auto [end, begin] : llvm::zip(llvm::reverse(bounds), llvm::drop_begin(llvm::reverse(bounds)))) {
    if (end % begin != 0 || end > devices)
      return std::nullopt;
    mesh.axes.push_back({"axis_" + std::to_string(mesh.axes.size()), end / begin});
  }
  return mesh;
}

Mesh meshOfTiles(const program::Sharding &sharding) {
  Mesh mesh;
  if (sharding.kind == Kind::kMaximal) {
    mesh.ids.assign(sharding.devices.begin(), sharding.devices.end());
    return mesh;
  }
  for (int64_t tiles : sharding.tiles)
    if (tiles > 1)
      mesh.axes.push_back({"axis_" + std::to_string(mesh.axes.size()), tiles});
  std::vector<int64_t> devices = program::devicesOfTiles(sharding);
  mesh.ids.assign(devices.begin(), devices.end());
  return mesh;
}

// The axes of each of the tiles' dimensions.
static StatusOr<SmallVector<Axes>> axesOfTiles(const program::Sharding &sharding, const Mesh &mesh) {
  auto none = [&] {
    return invalidArgument("the sharding '" + program::toString(sharding) + "' is not one by axes of the mesh");
  };
  SmallVector<Axes> axes(sharding.tiles.size());
  if (!mesh.ids.empty()) {
    if (mesh != meshOfTiles(sharding))
      return none();
    for (int next = 0; auto [tiles, list] : llvm::zip(sharding.tiles, axes))
      if (tiles > 1) {
        list.push_back({next, 1, tiles});
        ++next;
      }
    return axes;
  }
  auto runs = sharding.devices.empty() ? runsOf(sharding) : std::nullopt;
  if (!runs || static_cast<int64_t>(program::devicesOfTiles(sharding).size()) != mesh.size())
    return none();
  for (auto [runs, list] : llvm::zip(*runs, axes))
    for (const Run &run : runs) {
      std::optional<Axes> part = axesOfRun(mesh, run.stride, run.count);
      if (!part)
        return none();
      for (const Atom &atom : *part)
        append(list, atom);
    }
  return axes;
}

// All axes.
static Axes axesOf(const Mesh &mesh) {
  Axes axes;
  for (auto [i, axis] : llvm::enumerate(mesh.axes))
    axes.push_back({static_cast<int>(i), 1, axis.size});
  return axes;
}

StatusOr<PartlyManualSharding> fromOpSharding(const program::Sharding &sharding, const Mesh *mesh, int64_t rank) {
  PartlyManualSharding result{Sharding::whole(mesh, rank, sharding.kind != Kind::kUnknown), {}};
  switch (sharding.kind) {
  case Kind::kReplicated:
  case Kind::kUnknown:
    return result;
  case Kind::kManual:
    result.manual = axesOf(*mesh);
    return result;
  case Kind::kUnreduced:
    result.sharding.unreduced = axesOf(*mesh);
    return result;
  case Kind::kMaximal:
    if (!mesh->isMaximal() || mesh->ids[0] != sharding.devices[0])
      return invalidArgument("the sharding '" + program::toString(sharding) + "' is not on the mesh's device");
    return result;
  case Kind::kTiled:
    break;
  }
  if (static_cast<int64_t>(sharding.tiles.size() - sharding.subgroups.size()) != rank)
    return invalidArgument("the sharding '" + program::toString(sharding) + "' is not for an array of " +
                           std::to_string(rank) + " dimensions");
  TENON_ASSIGN_OR_RETURN(SmallVector<Axes> axes, axesOfTiles(sharding, *mesh));
  for (auto [dim, cut] : llvm::enumerate(result.sharding.dims))
    cut.axes = axes[dim];
  for (auto [i, kind] : llvm::enumerate(sharding.subgroups)) {
    Axes *named = kind == Kind::kManual      ? &result.manual
                  : kind == Kind::kUnreduced ? &result.sharding.unreduced
                                             : nullptr; // copies
    for (const Atom &atom : axes[rank + static_cast<int64_t>(i)])
      if (named)
        append(*named, atom);
  }
  llvm::sort(result.manual);
  llvm::sort(result.sharding.unreduced);
  return result;
}

} // namespace tenon::ir
