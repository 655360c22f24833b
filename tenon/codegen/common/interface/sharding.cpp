// Shardy names the axes of a mesh: dimension i is cut along the axes listed for it, major first; devices along axes
// that no dimension uses hold copies. That is an iota over the mesh, transposed so that used axes come first.
#include "tenon/codegen/common/interface/sharding.h"

#include "tenon/program/sharding.h"
#include "tenon/support/strides.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tenon::codegen {
namespace {

struct Factor {
  StringRef axis;
  int64_t preSize, size; // as of a sub-axis
};

// The axes of the mesh, each split where a part of it begins or ends that the sharding uses, so that every use is of
// whole factors. None if some part is not one of the axis, or the mesh is too large.
std::optional<SmallVector<Factor>> splitAxes(sdy::TensorShardingAttr sharding, sdy::MeshAttr mesh) {
  SmallVector<Factor> factors;
  int64_t devices = 1;
  for (sdy::MeshAxisAttr axis : mesh.getAxes()) {
    const int64_t size = axis.getSize();
    if (size < 1 || llvm::MulOverflow(devices, size, devices))
      return std::nullopt;
    SmallVector<int64_t> bounds = {1, size};
    for (sdy::DimensionShardingAttr dim : sharding.getDimShardings())
      for (sdy::AxisRefAttr use : dim.getAxes()) {
        sdy::SubAxisInfoAttr part = use.getSubAxisInfo();
        if (!part || use.getName() != axis.getName())
          continue;
        if (part.getPreSize() < 1 || part.getSize() < 1 || part.getSize() > size / part.getPreSize())
          return std::nullopt;
        bounds.append({part.getPreSize(), part.getPreSize() * part.getSize()});
      }
    llvm::sort(bounds);
    bounds.erase(llvm::unique(bounds), bounds.end());
    for (auto [begin, end] : llvm::zip(bounds, llvm::drop_begin(bounds))) {
      if (end % begin != 0)
        return std::nullopt;
      factors.push_back({axis.getName(), begin, end / begin});
    }
  }
  return factors;
}

bool isPartOf(const Factor &factor, sdy::AxisRefAttr use) {
  sdy::SubAxisInfoAttr part = use.getSubAxisInfo();
  return factor.axis == use.getName() &&
         (!part || (factor.preSize >= part.getPreSize() && factor.preSize < part.getPreSize() * part.getSize()));
}

// Takes the mesh's devices, which it lists in an order of its own; false if they are not as many.
bool renumberDevices(program::Sharding &sharding, ArrayRef<int64_t> ids) {
  sharding.devices = program::devicesOfTiles(sharding);
  if (ids.size() != sharding.devices.size())
    return false;
  for (int64_t &device : sharding.devices)
    device = ids[size_t(device)];
  sharding.iotaDims.clear();
  sharding.iotaPermutation.clear();
  return true;
}

} // namespace

std::optional<program::Sharding> tiledSharding(sdy::TensorShardingAttr sharding, sdy::MeshAttr mesh) {
  program::Sharding result;
  ArrayRef<int64_t> ids = mesh.getDeviceIds();
  if (mesh.getAxes().empty() && ids.size() == 1) {
    result.kind = program::Sharding::Kind::kMaximal;
    result.devices = {ids[0]};
    return result;
  }
  auto factors = splitAxes(sharding, mesh);
  if (!factors || !sharding.getUnreducedAxes().empty())
    return std::nullopt;
  for (const Factor &factor : *factors)
    result.iotaDims.push_back(factor.size);
  SmallVector<size_t> ends; // of each dimension's factors
  for (sdy::DimensionShardingAttr dim : sharding.getDimShardings()) {
    for (sdy::AxisRefAttr use : dim.getAxes()) {
      if (llvm::none_of(mesh.getAxes(), [&](sdy::MeshAxisAttr axis) { return axis.getName() == use.getName(); }))
        return std::nullopt;
      for (auto [i, factor] : llvm::enumerate(*factors))
        if (isPartOf(factor, use))
          result.iotaPermutation.push_back(int64_t(i));
    }
    ends.push_back(result.iotaPermutation.size());
  }
  const size_t used = result.iotaPermutation.size();
  if (used == 0)
    return program::Sharding();
  for (int64_t i : llvm::seq<int64_t>(0, int64_t(factors->size())))
    if (!llvm::is_contained(result.iotaPermutation, i))
      result.iotaPermutation.push_back(i);
  if (!isPermutation(result.iotaPermutation, factors->size()))
    return std::nullopt; // an axis cuts twice
  auto tilesOf = [&](size_t begin, size_t end) {
    int64_t tiles = 1;
    for (size_t i = begin; i < end; ++i)
      tiles *= result.iotaDims[size_t(result.iotaPermutation[i])];
    return tiles;
  };
  result.kind = program::Sharding::Kind::kTiled;
  for (size_t begin = 0; size_t end : ends)
    result.tiles.push_back(tilesOf(std::exchange(begin, end), end));
  if (int64_t copies = tilesOf(used, factors->size()); copies > 1) {
    result.tiles.push_back(copies);
    result.subgroups = {program::Sharding::Kind::kReplicated};
  }
  if (!program::isConsistent(result) || (!ids.empty() && !renumberDevices(result, ids)))
    return std::nullopt;
  return result;
}

} // namespace tenon::codegen
